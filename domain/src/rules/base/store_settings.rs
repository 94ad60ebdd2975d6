//! What head office sets for a store: in the place of what the store's settings file says, at once.
//!
//! What decides how a basket is paid is not among it: a shift that is open would go on by other rules than it began with.

use crate::model::base::ids::StoreId;
use crate::model::base::limits::REFERENCE_BYTES_MAX;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::settings::{NegativeStock, Policy, PriceOverride, RoundingMode, Rules};
use crate::model::base::time::span_ms;
use crate::model::selling::reasons::Reasons;
use crate::wire::feed::{FieldDown, StoreSettingsDown};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// Their names, by section and key as in the store's settings file; `tiers` stands in no file.
pub const SETTABLE: [&str; 15] = [
    "approval.adjustment_value",
    "approval.pay_out_value",
    "holds.expire_after",
    "pricing.discount_limit_bp",
    "pricing.override",
    "reasons",
    "receiving.over_tolerance_bp",
    "returns.cashier_limit",
    "returns.unreceipted_any_price",
    "returns.unreceipted_max",
    "returns.window_days",
    "shifts.blind",
    "shifts.variance_tolerance",
    "stock.negative",
    "tiers",
];

/// What a shift begins with and keeps: sections whose settings stay the file's.
const OF_SHIFTS: [&str; 3] = ["tax", "payments", "points"];

/// The largest amount.
const AMOUNT_MAX: i64 = 1_000_000_000_000;
/// All of it, in basis points.
const RATE_BP_MAX: u32 = 10_000;
/// The longest span of days.
const DAYS_MAX: u32 = 3_650;
/// Most tiers.
const TIERS_MAX: usize = 50;
/// Ten times what a member without a tier earns, in basis points.
pub const MULTIPLIER_BP_MAX: i64 = 100_000;

/// Whether a setting may have a value.
///
/// # Errors
/// `validation_failed` with its name.
pub fn check(name: &str, value: &Value) -> Result<(), Refusal> {
    set(&mut unset(), name, value)
}

/// The rules of a store's file with what head office set over them, and what of that can't be: it is left out.
pub fn in_force(file: &Rules, down: &StoreSettingsDown) -> (Rules, Vec<FieldProblem>) {
    let (mut rules, mut problems) = (file.clone(), Vec::new());
    for (name, FieldDown { value, .. }) in &down.fields {
        match set(&mut rules, name, value) {
            Ok(()) => {}
            Err(Refusal::ValidationFailed(found)) => problems.extend(found),
            Err(other) => problems.push(FieldProblem { path: name.clone(), problem: other.words() }),
        }
    }
    (rules, problems)
}

/// The rules of a warehouse of head office, which has no settings file: the defaults, and what head office set.
pub fn without_file(store_id: StoreId, timezone: TimeZone, down: &StoreSettingsDown) -> Rules {
    in_force(&Rules { store_id, timezone, ..unset() }, down).0
}

/// What of it counts, by name.
pub fn sound(down: StoreSettingsDown) -> BTreeMap<String, Value> {
    let fields = down.fields.into_iter().map(|(name, field)| (name, field.value));
    fields.filter(|(name, value)| check(name, value).is_ok()).collect()
}

/// Puts one value into the rules; what can't be changes nothing.
fn set(rules: &mut Rules, name: &str, value: &Value) -> Result<(), Refusal> {
    let policy = &mut rules.policy;
    match name {
        "approval.adjustment_value" => policy.adjustment_value = amount(name, value)?,
        "approval.pay_out_value" => policy.pay_out_value = amount(name, value)?,
        "holds.expire_after" => policy.hold_expire_after_ms = span(name, value)?,
        "pricing.discount_limit_bp" => policy.discount_limit_bp = up_to(name, value, RATE_BP_MAX)?,
        "pricing.override" => {
            rules.price_override = one_of(name, value, "must be flag, manager or reject")?;
        }
        "reasons" => policy.reasons = reasons(name, value)?,
        "receiving.over_tolerance_bp" => policy.over_tolerance_bp = up_to(name, value, RATE_BP_MAX)?,
        "returns.cashier_limit" => policy.return_cashier_limit = amount(name, value)?,
        "returns.unreceipted_any_price" => policy.unreceipted_any_price = switch(name, value)?,
        "returns.unreceipted_max" => policy.unreceipted_max = amount(name, value)?,
        "returns.window_days" => policy.return_window_days = up_to(name, value, DAYS_MAX)?,
        "shifts.blind" => policy.blind = switch(name, value)?,
        "shifts.variance_tolerance" => policy.variance_tolerance = amount(name, value)?,
        "stock.negative" => rules.negative_stock = one_of(name, value, "must be allow or reject")?,
        "tiers" => policy.tiers = tiers(name, value)?,
        _ => return Err(Refusal::field(name, unknown(name))),
    }
    Ok(())
}

fn unknown(name: &str) -> &'static str {
    let section = name.split('.').next().unwrap_or_default();
    if OF_SHIFTS.contains(&section) {
        "counts for a shift from its opening on and is set in the store's settings file"
    } else {
        "is no setting that head office may set for a store"
    }
}

fn value_of<T: DeserializeOwned>(name: &str, value: &Value, problem: &str) -> Result<T, Refusal> {
    serde_json::from_value(value.clone()).map_err(|_| Refusal::field(name, problem))
}

fn one_of<T: DeserializeOwned>(name: &str, value: &Value, problem: &str) -> Result<T, Refusal> {
    value_of(name, value, problem)
}

fn switch(name: &str, value: &Value) -> Result<bool, Refusal> {
    value_of(name, value, "must be true or false")
}

fn amount(name: &str, value: &Value) -> Result<i64, Refusal> {
    let amount = value.as_i64().filter(|amount| (0..=AMOUNT_MAX).contains(amount));
    amount.ok_or_else(|| Refusal::field(name, format!("must be 0 to {AMOUNT_MAX}")))
}

fn up_to(name: &str, value: &Value, most: u32) -> Result<u32, Refusal> {
    let number =
        value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= most);
    number.ok_or_else(|| Refusal::field(name, format!("must be 0 to {most}")))
}

fn span(name: &str, value: &Value) -> Result<i64, Refusal> {
    let ms = value.as_str().and_then(span_ms).and_then(|ms| i64::try_from(ms).ok());
    ms.ok_or_else(|| {
        Refusal::field(name, "must be a span of time, as \"30m\", \"2h\" or \"1d\"; \"0s\": for ever")
    })
}

fn reasons(name: &str, value: &Value) -> Result<Reasons, Refusal> {
    let problem = "must have voids, discounts and returns, lists of codes, and enforced";
    let reasons: Reasons = value_of(name, value, problem)?;
    if reasons.sound() {
        return Ok(reasons);
    }
    Err(Refusal::field(name, "each list has at most 50 codes, each once, of 1 to 128 bytes"))
}

fn tiers(name: &str, value: &Value) -> Result<BTreeMap<String, i64>, Refusal> {
    let problem = "must say for each tier how much its members earn, 0 to 100000 basis points";
    let tiers: BTreeMap<String, i64> = value_of(name, value, problem)?;
    let named = |tier: &str| {
        !tier.is_empty() && tier.len() <= REFERENCE_BYTES_MAX && !tier.contains(char::is_control)
    };
    let sound = |(tier, bp): (&String, &i64)| named(tier) && (0..=MULTIPLIER_BP_MAX).contains(bp);
    if tiers.len() <= TIERS_MAX && tiers.iter().all(sound) {
        return Ok(tiers);
    }
    Err(Refusal::field(name, problem))
}

/// Rules of no store: values are tried on them, and a warehouse begins with them.
fn unset() -> Rules {
    Rules {
        store_id: StoreId(String::new()),
        timezone: TimeZone::UTC,
        day_start: Time::midnight(),
        default_rate_bp: 0,
        prices_include_tax: false,
        methods: Vec::new(),
        cash_rounding: 0,
        cash_rounding_mode: RoundingMode::default(),
        earn_per: 1,
        redeem_value: 1,
        price_override: PriceOverride::default(),
        negative_stock: NegativeStock::default(),
        registers_closed: false,
        policy: Policy::default(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    /// A value that each may have, and one that it may not.
    fn values() -> Vec<(&'static str, Value, Value)> {
        vec![
            ("approval.adjustment_value", json!(5), json!(-1)),
            ("approval.pay_out_value", json!(5), json!(1_000_000_000_001_i64)),
            ("holds.expire_after", json!("2h"), json!("soon")),
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
    fn what_a_shift_began_with_is_not_set_from_afar() {
        for name in
            ["tax.default_rate_bp", "payments.methods", "points.earn_per", "http.listen", "tiers.gold", ""]
        {
            let Err(Refusal::ValidationFailed(found)) = check(name, &json!(1)) else {
                unreachable!("{name}")
            };
            let of_shift = found[0].problem.contains("from its opening on");
            assert_eq!(
                of_shift,
                ["tax", "payments", "points"].iter().any(|of| name.starts_with(of)),
                "{name}"
            );
        }
    }
}
