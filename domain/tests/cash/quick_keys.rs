//! Quick keys of a till.

use domain::model::base::event::{Event, fact};
use domain::model::base::ids::Sku;
use domain::model::base::refusal::Refusal;
use domain::model::books::register::{NAME_CHARS_MAX, QUICK_KEYS_MAX, QuickKey};
use domain::model::people::authorization::Authorization;
use domain::model::people::user::Principal;
use domain::rules::books::ledger::open_shift;
use domain::rules::books::register;
use domain::rules::books::register::{ChangeRegister, NewQuickKey, QuickKeysView, SetQuickKeys};
use domain::rules::books::shift::OpenShift;
use serde_json::json;
use testkit::shop::*;

fn keys(keys: &[(&str, Option<&str>)]) -> SetQuickKeys {
    let key = |(sku, label): &(&str, Option<&str>)| NewQuickKey {
        sku: (*sku).into(),
        label: label.map(str::to_owned),
    };
    SetQuickKeys { items: keys.iter().map(key).collect() }
}

fn set(
    who: &Principal,
    cmd: &SetQuickKeys,
    till: &str,
    shop: &Shop,
) -> Result<Event<fact::RegisterChanged>, Refusal> {
    cmd.check()?;
    let product = |sku: &Sku| shop.products.get(sku);
    register::set_quick_keys(cmd, &till.into(), product, &Authorization::unapproved(who), &shop.ledger)
}

#[test]
fn a_till_keeps_its_keys_after_other_changes() {
    let mut shop = open();
    let event = set(&boss(), &keys(&[("b", Some(" Bag ")), ("a", None)]), "main", &shop).unwrap();
    shop.commit(event);
    let key = |sku: &str, label: Option<&str>| QuickKey { sku: sku.into(), label: label.map(str::to_owned) };
    let expected = [key("b", Some("Bag")), key("a", None)];
    let renamed = ChangeRegister { name: Some("Front".into()), state: None };
    let boss = boss();
    let authorization = Authorization::unapproved(&boss);
    let event = register::change(&renamed, &"main".into(), &authorization, &shop.ledger).unwrap();
    shop.commit(event);
    let reported = register::merge_remote(&"main".into(), &renamed, &shop.ledger).unwrap();
    assert!(reported.is_none(), "head office sends no quick keys");
    let till = &shop.ledger.registers["main"];
    assert_eq!((till.name.as_str(), till.quick_keys.as_slice()), ("Front", expected.as_slice()));
    let shown = json!(QuickKeysView::of(till, |sku| shop.products.get(sku)));
    assert_eq!(shown["items"][0]["name"], "product b");
    assert_eq!((&shown["items"][1]["label"], &shown["limit"]), (&json!(null), &json!(QUICK_KEYS_MAX)));
    // A product that is no longer in the catalogue is shown as not sold.
    let shown = json!(QuickKeysView::of(till, |_| None));
    assert_eq!(
        shown["items"][1],
        json!({"sku": "a", "label": null, "name": "a", "price": 0, "state": "inactive"})
    );

    shop.ledger.shifts.clear();
    let opened =
        open_shift(&OpenShift::default(), "shf_2".into(), NOW, &ani(), &shop.rules, &shop.ledger).unwrap();
    assert_eq!(opened.rows.register.unwrap().quick_keys, expected, "opening a shift writes its till again");
    let event = set(&boss, &keys(&[]), "main", &shop).unwrap();
    assert_eq!(event.fact.register.quick_keys, []);
}

#[test]
fn keys_that_no_till_can_have_are_refused() {
    let shop = open();
    let many: Vec<String> = (0..=QUICK_KEYS_MAX).map(|number| format!("s{number}")).collect();
    let many: Vec<(&str, Option<&str>)> = many.iter().map(|sku| (sku.as_str(), None)).collect();
    let long = "x".repeat(NAME_CHARS_MAX + 1);
    for (what, cmd, path) in [
        ("too many", keys(&many), "items"),
        ("one product twice", keys(&[("a", None), ("b", None), ("a", Some("A"))]), "items[2].sku"),
        ("an empty label", keys(&[("a", Some(" "))]), "items[0].label"),
        ("a long label", keys(&[("a", None), ("b", Some(&long))]), "items[1].label"),
    ] {
        let Err(Refusal::ValidationFailed(fields)) = set(&boss(), &cmd, "main", &shop) else {
            panic!("{what} is accepted")
        };
        assert_eq!(fields.iter().map(|field| field.path.as_str()).collect::<Vec<_>>(), [path], "{what}");
    }
    let known = keys(&[("a", None)]);
    assert_eq!(set(&ani(), &known, "main", &shop).unwrap_err().code(), "insufficient_role");
    assert_eq!(set(&boss(), &known, "till-9", &shop).unwrap_err().code(), "not_found");
    let unknown = set(&boss(), &keys(&[("a", None), ("nope", None)]), "main", &shop).unwrap_err();
    assert_eq!(unknown, Refusal::UnknownSku(vec!["nope".into()]));
}
