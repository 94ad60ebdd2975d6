//! Each setting with values that it may have and may not.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use serde_json::json;

/// A value that each may have, and one that it may not.
fn values() -> Vec<(&'static str, Value, Value)> {
    vec![
        ("approval.adjustment_value", json!(5), json!(-1)),
        ("approval.pay_out_value", json!(5), json!(1_000_000_000_001_i64)),
        ("holds.expire_after", json!("2h"), json!("soon")),
        ("payments.cash_rounding", json!(100), json!(-100)),
        ("payments.cash_rounding_mode", json!("shop"), json!("up")),
        ("payments.methods", json!(["cash", "card"]), json!(["card"])),
        ("points.earn_per", json!(500), json!(0)),
        ("points.expire_after", json!("365d"), json!("3651d")),
        ("points.offline_limit", json!(5), json!(-5)),
        ("points.restore_days", json!(7), json!(3_651)),
        ("pricing.discount_limit_bp", json!(1500), json!(10_001)),
        ("pricing.override", json!("reject"), json!("never")),
        ("reasons", json!({"voids": ["x"], "enforced": true}), json!({"voids": ["x", "x"]})),
        ("receiving.over_tolerance_bp", json!(500), json!(-1)),
        ("returns.cashier_limit", json!(7), json!("7")),
        ("returns.unreceipted_any_price", json!(true), json!(1)),
        ("returns.unreceipted_max", json!(9), json!(1.5)),
        ("returns.window_days", json!(14), json!(3_651)),
        ("shifts.blind", json!(true), json!(null)),
        ("shifts.variance_tolerance", json!(100), json!([])),
        ("stock.negative", json!("reject"), json!("Reject")),
        ("store.address", json!("Jl. Merdeka 1\nJakarta"), json!("1\n2\n3\n4\n5\n6")),
        ("store.name", json!("Corner shop"), json!("Corner\nshop")),
        ("store.receipt_footer", json!("Thank you"), json!("Thank\tyou")),
        ("store.tax_id", json!("01.234"), json!("x".repeat(121))),
        ("tax.default_rate_bp", json!(1200), json!(10_001)),
        ("tax.prices_include_tax", json!(true), json!("yes")),
        ("tiers", json!({"gold": 15_000}), json!({"gold": 100_001})),
    ]
}

#[test]
fn each_setting_takes_what_it_may_have_and_refuses_the_rest() {
    let file = unset();
    let names: Vec<&str> = values().iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, SETTABLE);
    for (name, right, wrong) in values() {
        assert_eq!(check(name, &right), Ok(()), "{name}");
        let Err(Refusal::ValidationFailed(found)) = check(name, &wrong) else { unreachable!("{name}") };
        assert_eq!(found[0].path, name);
        let field = |value: &Value| FieldDown { value: value.clone(), at: "x".into(), by: "y".into() };
        let fields =
            BTreeMap::from([(name.to_owned(), field(&right)), ("odd.one".to_owned(), field(&right))]);
        let (rules, problems) = in_force(&file, &StoreSettingsDown { fields: fields.clone() });
        assert_ne!(format!("{rules:?}"), format!("{file:?}"), "{name} changes something");
        assert_eq!(problems.len(), 1, "{problems:?}");
        let left: Vec<String> = sound(StoreSettingsDown { fields }).into_keys().collect();
        assert_eq!(left, [name]);
    }
}

#[test]
fn the_terms_of_a_shift_are_those_of_the_next_one_and_the_rest_counts_at_once() {
    let file = unset();
    let field = |value: Value| FieldDown { value, at: "x".into(), by: "y".into() };
    let fields = [
        ("tax.default_rate_bp", json!(1200)),
        ("points.earn_per", json!(500)),
        ("shifts.blind", json!(true)),
    ];
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), field(value))).collect();
    let (rules, problems) = in_force(&file, &StoreSettingsDown { fields });
    assert_eq!((problems, rules.terms(), rules.policy.blind), (Vec::new(), file.terms(), true));
    let next = rules.of_next_shift();
    assert_eq!(
        (next.default_rate_bp, next.earn_per, next.methods.clone()),
        (1200, 500.into(), file.methods.clone())
    );
    assert_eq!(file.of_next_shift().terms(), file.terms(), "nothing is set");
    assert_eq!(file.under(&next.terms()).terms(), next.terms());
}

#[test]
fn a_setting_that_head_office_may_not_set_is_refused_with_the_reason() {
    for name in ["points.redeem_value", "payments.denominations", "tax.code", "http.listen", "tiers.gold", ""]
    {
        let Err(Refusal::ValidationFailed(found)) = check(name, &json!(1)) else { unreachable!("{name}") };
        assert_eq!(
            found[0].problem.contains("settings file of each store"),
            name == "points.redeem_value",
            "{name}"
        );
    }
}

#[test]
fn an_exchange_is_no_payment_method_of_a_store() {
    let refused = check("payments.methods", &json!(["cash", "exchange"])).unwrap_err();
    assert!(refused.words().contains("exchanges are paid by returns"), "{}", refused.words());
}
