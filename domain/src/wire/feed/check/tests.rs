//! One sound record of each kind, and each with one thing wrong.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use super::*;
use crate::model::inventory::product::Product;
use crate::model::inventory::purchase::{PurchaseOrder, Supplier};
use crate::model::inventory::transfer::Transfer;
use crate::model::people::user::FieldTimes;
use crate::model::selling::promotion::Promotion;
use crate::wire::feed::lane::KINDS;
use crate::wire::feed::{Kind, RegisterDown, SettingDown, StoreSettingsDown};
use serde::de::DeserializeOwned;
use serde_json::json;

const HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5LW5vYm9keQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

#[test]
fn each_kind_has_a_sound_record() {
    let has_one = |kind: &Kind| sound().iter().any(|(of, ..)| of == kind);
    assert_eq!(KINDS.into_iter().filter(has_one).count(), KINDS.len());
    assert_eq!(sound().len(), KINDS.len());
}

fn sound() -> Vec<(Kind, &'static str, Value)> {
    let at = "2026-11-20T02:06:34.739Z";
    let line = json!({"line_no": 1, "sku": "A", "name": "Apple", "qty": 2, "cost": 4, "received_qty": null,
        "in_cost": 0, "resolved": []});
    vec![
        (
            Kind::Product,
            "A",
            json!({"sku": "A", "name": "Apple", "price": 100, "tax_rate_bp": 1100, "tax_code": null,
            "category": "Fruit", "barcodes": [{"code": "899", "pack_qty": 1}], "cost": 60, "reorder_level": 1,
            "track_stock": true, "state": "active", "price_set_at": at, "updated_at": at}),
        ),
        (Kind::Register, "till-1", json!({"register_id": "till-1", "name": "Front", "disabled": true})),
        (Kind::Store, "S002", json!({"store_id": "S002", "name": "North", "disabled": false})),
        (
            Kind::Price,
            "prc_1",
            json!({"price_id": "prc_1", "sku": "A", "store_id": "S001", "price": 90,
            "from": "2026-11-20", "set_at": at}),
        ),
        (
            Kind::Promotion,
            "prm_1",
            json!({"promotion_id": "prm_1", "name": "Week", "type": "line_percent",
            "value": 1000, "skus": ["A"], "store_ids": ["S001"], "from": "2026-11-01", "to": "2026-11-30",
            "priority": 1, "stackable": false}),
        ),
        (
            Kind::User,
            "usr_1",
            json!({"user_id": "usr_1", "username": "ani", "name": "Ani", "role": "cashier",
            "store_id": "S001", "password_hash": HASH, "times": FieldTimes::default(), "token_version": 1,
            "disabled": false, "grant": 1, "created_at": at, "given": true}),
        ),
        (Kind::TokenRevocation, "usr_1", json!({"user_id": "usr_1", "token_version": 2, "revoked_at": at})),
        (
            Kind::Supplier,
            "sup_1",
            json!({"supplier_id": "sup_1", "code": "S", "name": "Sup", "tax_id": null,
            "phone": null, "email": null, "address": "Jl. A\r\nJakarta", "payment_terms_days": 30,
            "lead_time_days": 2, "state": "active", "updated_at": at}),
        ),
        (
            Kind::PurchaseOrder,
            "po_1",
            json!({"po_id": "po_1", "supplier_id": "sup_1", "store_id": "S001",
            "state": "sent", "revision": 0, "expected_at": null,
            "lines": [{"line_no": 1, "sku": "A", "qty": 2, "unit_cost": 3, "received_qty": 0}], "total": 6,
            "note": null, "created_by": "usr_1", "created_at": at, "approved_by": null, "updated_at": at}),
        ),
        (
            Kind::Transfer,
            "trf_1",
            json!({"transfer_id": "trf_1", "state": "in_transit", "from_store_id": "S002",
            "to_store_id": "S001", "lines": [line], "note": null, "business_date": "2026-11-20",
            "created_by": "usr_1", "created_at": at, "sent_at": at, "received_by": null, "received_at": null,
            "cancelled_at": null, "cancel_lost": false}),
        ),
        (
            Kind::Member,
            "mbr_1",
            json!({"member_id": "mbr_1", "fields": {"name": {"value": "Siti", "at": "x", "by": "evt_1"}}}),
        ),
        (Kind::Points, "mbr_1", json!({"member_id": "mbr_1", "balance": 5})),
        (
            Kind::Settings,
            "product:A:shelf_place",
            json!({"name": "product:A:shelf_place", "value": "R1", "at": "x", "by": "evt_1"}),
        ),
    ]
}

fn read<T: DeserializeOwned>(change: &Change) -> T {
    serde_json::from_value(change.payload.clone()).unwrap()
}

fn checked(kind: Kind, id: &str, payload: Value) -> Result<(), Refusal> {
    let change = Change {
        cursor: "c".into(),
        kind: kind.name().into(),
        id: id.into(),
        version: "v".into(),
        deleted: false,
        effective_at: None,
        payload,
    };
    let store_id = StoreId("S001".into());
    let here = Own { store_id: &store_id, costs_max: Costs::DEFAULT.most() };
    envelope(&change)?;
    match kind {
        Kind::Product => product(&change, &read::<Product>(&change)),
        Kind::Store => store(&change, &read::<StoreDown>(&change)),
        Kind::Price => price(&change, &read::<PriceDown>(&change), &here),
        Kind::Promotion => promotion(&change, &read::<Promotion>(&change)),
        Kind::User => user(&change, &read::<UserDown>(&change), &here),
        Kind::TokenRevocation => revocation(&change, &read::<RevocationDown>(&change)),
        Kind::Supplier => supplier(&change, &read::<Supplier>(&change)),
        Kind::PurchaseOrder => order(&change, &read::<PurchaseOrder>(&change), &here),
        Kind::Transfer => transfer(&change, &read::<Transfer>(&change), &here),
        Kind::Member => member(&change, &read::<MemberDown>(&change)),
        Kind::Points => points(&change, &read::<PointsDown>(&change)),
        Kind::Settings => setting(&change, &read::<SettingDown>(&change)),
        Kind::Register => register(&change, &read::<RegisterDown>(&change)),
    }
}

#[test]
fn a_sound_record_of_each_kind_passes_and_every_wrong_field_is_named() {
    let long = "x".repeat(100_000);
    let hash = |costs: &str| HASH.replace("m=19456,t=2,p=1", costs);
    let wrong: &[(Kind, &str, &[Value])] = &[
        (Kind::Product, "/sku", &[json!("B"), json!("")]),
        (Kind::Product, "/name", &[json!(""), json!(long), json!("a\u{7}")]),
        (Kind::Product, "/price", &[json!(-1), json!(i64::MAX)]),
        (Kind::Product, "/tax_rate_bp", &[json!(10_001)]),
        (Kind::Product, "/cost", &[json!(-1)]),
        (Kind::Product, "/reorder_level", &[json!(-1)]),
        (Kind::Product, "/category", &[json!(long)]),
        (Kind::Product, "/barcodes/0/pack_qty", &[json!(0)]),
        (Kind::Store, "/store_id", &[json!("S003")]),
        (Kind::Store, "/name", &[json!(long)]),
        (Kind::Price, "/store_id", &[json!("S002")]),
        (Kind::Price, "/price", &[json!(-1), json!(i64::MAX)]),
        (Kind::Price, "/sku", &[json!("")]),
        (Kind::Promotion, "/value", &[json!(10_001), json!(-1)]),
        (Kind::Promotion, "/to", &[json!("2026-10-01")]),
        (Kind::Promotion, "/priority", &[json!(-1)]),
        (Kind::Promotion, "/skus/0", &[json!("")]),
        (Kind::User, "/user_id", &[json!("usr_2")]),
        (Kind::User, "/username", &[json!(""), json!(long), json!("Ani"), json!("a b")]),
        (Kind::User, "/name", &[json!(""), json!(long)]),
        (Kind::User, "/role", &[json!("ho_finance"), json!("ho_purchasing")]),
        (Kind::User, "/store_id", &[json!("S002"), json!("")]),
        (
            Kind::User,
            "/password_hash",
            &[
                json!("secret"),
                json!(hash("m=65536,t=4294967295,p=1")),
                json!(hash("m=4294967295,t=3,p=1")),
                json!(hash("m=65536,t=3,p=16777215")),
            ],
        ),
        (Kind::User, "/token_version", &[json!(u64::MAX)]),
        (Kind::User, "/grant", &[json!(u64::MAX)]),
        (Kind::User, "/times/username", &[json!("9999-01-02T00:00:00Z"), json!("1969-01-01T00:00:00Z")]),
        (Kind::User, "/times/name", &[json!("9999-01-02T00:00:00Z")]),
        (Kind::User, "/times/role", &[json!("9999-01-02T00:00:00Z")]),
        (Kind::User, "/times/password", &[json!("9999-01-02T00:00:00Z")]),
        (Kind::TokenRevocation, "/user_id", &[json!("usr_2")]),
        (Kind::TokenRevocation, "/token_version", &[json!(u64::MAX)]),
        (Kind::Supplier, "/name", &[json!(""), json!(long)]),
        (Kind::Supplier, "/lead_time_days", &[json!(4_000_000)]),
        (Kind::PurchaseOrder, "/store_id", &[json!("S002")]),
        (Kind::PurchaseOrder, "/lines/0/qty", &[json!(-1), json!(i64::MAX)]),
        (Kind::PurchaseOrder, "/lines/0/unit_cost", &[json!(-1)]),
        (Kind::PurchaseOrder, "/note", &[json!(long)]),
        (Kind::Transfer, "/to_store_id", &[json!("S003")]),
        (Kind::Transfer, "/lines/0/qty", &[json!(-1), json!(i64::MAX)]),
        (Kind::Transfer, "/lines/0/cost", &[json!(i64::MIN)]),
        (Kind::Member, "/member_id", &[json!("mbr_2")]),
        (Kind::Member, "/fields/name/value", &[json!(long), json!("a\u{0}")]),
        (Kind::Member, "/fields/name/at", &[json!(long)]),
        (Kind::Points, "/balance", &[json!(i64::MAX), json!(i64::MIN)]),
        (Kind::Register, "/register_id", &[json!("till-2")]),
        (Kind::Register, "/name", &[json!(""), json!(long), json!("a\nb")]),
        (Kind::Settings, "/value", &[json!(long)]),
        (Kind::Settings, "/name", &[json!("product:B:shelf_place")]),
    ];
    for (kind, id, payload) in sound() {
        assert_eq!(checked(kind, id, payload.clone()), Ok(()), "{kind:?}");
        assert!(wrong.iter().any(|(other, ..)| *other == kind), "{kind:?} is tried");
        for (_, place, values) in wrong.iter().filter(|(other, ..)| *other == kind) {
            for value in *values {
                let mut changed = payload.clone();
                *changed.pointer_mut(place).unwrap() = value.clone();
                let refused = checked(kind, id, changed).map_err(|refusal| refusal.code());
                assert_eq!(refused, Err("validation_failed"), "{kind:?} {place}");
            }
        }
    }
}

#[test]
fn changes_that_can_not_be_stored_are_refused() {
    for (id, payload) in [
        ("", json!({})),
        ("a\u{0}b", json!({})),
        (&*"x".repeat(RECORD_ID_BYTES_MAX + 1), json!({})),
        ("a", json!("x".repeat(RECORD_BYTES_MAX))),
        ("a", (0..=DEPTH_MAX).fold(json!(1), |value, _| json!([value]))),
        ("a", json!({"x".repeat(RECORD_BYTES_MAX): 1})),
    ] {
        assert!(checked(Kind::Product, id, payload).is_err(), "{id:.20}");
    }
}

#[test]
fn the_coverage_of_balances_in_a_page_is_bounded_too() {
    let said = |includes: Value, missing: Value| {
        coverage(&serde_json::from_value(json!({"includes": includes, "missing": missing})).unwrap())
    };
    let end = |epoch: &str, seq: u64| json!({"epoch": epoch, "seq": seq, "hash": "00"});
    assert_eq!(said(json!([end("1-a", 2)]), json!(["evt_1"])), Ok(()));
    let wrong = [
        said(json!([end("", 2)]), json!([])),
        said(json!([end("1-a", u64::MAX)]), json!([])),
        said(json!(vec![end("1-a", 2); NAMED_MAX + 1]), json!([])),
        said(json!([]), json!([""])),
        said(json!([]), json!(vec!["evt_1"; NAMED_MAX + 1])),
    ];
    assert!(wrong.iter().all(Result::is_err), "{wrong:?}");
}

#[test]
fn the_settings_of_head_office_for_a_store_are_one_bounded_record() {
    let is_valid = |id: &str, fields: Value| {
        let change = Change {
            cursor: "c".into(),
            kind: Kind::Settings.name().into(),
            id: id.into(),
            version: "v".into(),
            deleted: false,
            effective_at: None,
            payload: json!({"fields": fields}),
        };
        store_settings(&change, &read::<StoreSettingsDown>(&change)).is_ok()
    };
    let one = json!({"value": true, "at": "x", "by": "chg_1"});
    let many: serde_json::Map<String, Value> =
        (0..=FIELDS_MAX).map(|n| (n.to_string(), one.clone())).collect();
    assert!(is_valid("store", json!({"shifts.blind": one})));
    assert!(!is_valid("shop", json!({"shifts.blind": one})));
    assert!(!is_valid("store", json!({"": one})) && !is_valid("store", json!(many)));
    assert!(!is_valid(
        "store",
        json!({"shifts.blind": {"value": true, "at": "x".repeat(200), "by": "chg_1"}})
    ));
}
