//! A hub that sends garbage: the store continues selling, applies none of it, and reports what is wrong.

use crate::tests::support::hub::{FakeHub, OnPull, OnPush};
use crate::tests::support::shop::{Shop, config, open, rules, sell, shop_of};
use domain::model::base::ids::{Sku, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::FieldTimes;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const DEAR: &str =
    "$argon2id$v=19$m=65536,t=4294967295,p=1$bm9ib2R5LW5vYm9keQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
    }
}

fn change(kind: &str, id: &str, payload: &Value) -> Value {
    json!({"cursor": "fed", "kind": kind, "id": id, "version": "1795140000000-00001-hub", "deleted": false,
        "effective_at": null, "payload": payload})
}

fn product(sku: &str, price: i64) -> Value {
    json!({"sku": sku, "name": sku, "price": price, "tax_rate_bp": null, "tax_code": null, "category": null,
        "barcodes": [], "cost": null, "reorder_level": null, "track_stock": true, "state": "active",
        "price_set_at": UtcMs(0), "updated_at": UtcMs(0)})
}

fn user(id: &str, username: &str, role: &str, store: &str, hash: &str) -> Value {
    json!({"user_id": id, "username": username, "name": "Mallory", "role": role, "store_id": store,
        "password_hash": hash, "times": FieldTimes::default(), "token_version": 1, "disabled": false, "grant": 1,
        "created_at": UtcMs(0), "given": true})
}

/// Returns invalid records of every kind, by the ID under which they are noted, with a word of the note.
fn garbage() -> Vec<(&'static str, Value)> {
    let long = "x".repeat(100_000);
    let at = UtcMs(1_795_140_000_000);
    let price = json!({"price_id": "prc_1", "sku": "A", "store_id": "S002", "price": 1, "from": "2020-01-01",
        "set_at": at});
    let promotion = json!({"promotion_id": "prm_1", "name": long, "type": "line_percent", "value": 10_000,
        "from": "2020-01-01", "to": "2030-01-01", "priority": 1, "stackable": false});
    let member = json!({"member_id": "mbr_1", "fields": {"name": {"value": long, "at": "x", "by": "y"}}});
    let points = json!({"member_id": "mbr_1", "balance": i64::MAX});
    let order = json!({"po_id": "po_1", "supplier_id": "sup_1", "store_id": "S002", "state": "sent", "revision": 0,
        "expected_at": null, "lines": [], "total": 0, "note": null, "created_by": "x", "created_at": at,
        "approved_by": null, "updated_at": at});
    let line = json!({"line_no": 1, "sku": "A", "name": "A", "qty": -5, "cost": 0, "received_qty": null,
        "in_cost": 0, "resolved": []});
    let transfer = json!({"transfer_id": "trf_1", "state": "in_transit", "from_store_id": "S002",
        "to_store_id": "S001", "lines": [line], "note": null, "business_date": "2026-11-20",
        "created_by": "x", "created_at": at, "sent_at": at, "received_by": null, "received_at": null,
        "cancelled_at": null, "cancel_lost": false});
    let supplier = json!({"supplier_id": "sup_1", "code": "", "name": "", "tax_id": null, "phone": null,
        "email": null, "address": null, "payment_terms_days": null, "lead_time_days": null,
        "state": "active", "updated_at": at});
    let setting = json!({"name": "product:A:reorder_level", "value": -7, "at": "x", "by": "y"});
    let field = |value: Value| json!({"value": value, "at": "x", "by": "y"});
    let settings = json!({"fields": {"returns.window_days": field(json!(-1)), "http.listen": field(json!("x")),
        "shifts.blind": field(json!(true))}});
    let register = json!({"register_id": "till 1", "name": "x", "disabled": true});
    let revocation = json!({"user_id": "usr_1", "token_version": u64::MAX, "revoked_at": at});
    let long_id = "i".repeat(100_000);
    vec![
        ("price must be", change("product", "A", &product("A", -5))),
        ("own id", change("product", "B", &product("A", 5))),
        ("can't be read", change("product", "C", &json!([1]))),
        ("this store", change("price", "prc_1", &price)),
        ("name must be", change("promotion", "prm_1", &promotion)),
        (
            "password_hash must not need",
            change("user", "usr_dear", &user("usr_dear", "dear", "admin", "S001", DEAR)),
        ),
        ("username", change("user", "usr_none", &user("usr_none", "", "admin", "S001", ""))),
        ("role must be", change("user", "usr_ho", &user("usr_ho", "ho", "ho_finance", "S001", DEAR))),
        ("store_id must be", change("user", "usr_far", &user("usr_far", "far", "cashier", "S002", DEAR))),
        ("token_version", change("token_revocation", "usr_1", &revocation)),
        ("name must be", change("member", "mbr_1", &member)),
        ("balance must be", change("points", "mbr_1", &points)),
        ("code and name", change("supplier", "sup_1", &supplier)),
        ("this store", change("purchase_order", "po_1", &order)),
        ("qty must be", change("transfer", "trf_1", &transfer)),
        ("reorder_level must be", change("settings", "product:A:reorder_level", &setting)),
        ("window_days must be", change("settings", "store", &settings)),
        ("made of A-Z", change("register", "till 1", &register)),
        ("id must be at most", change("product", &long_id, &product("A", 5))),
        ("must have at most", change("hologram", "holo_1", &json!("x".repeat(2 << 20)))),
        ("does not know", change("hologram", "holo_2", &json!({}))),
    ]
}

/// Opens a shop, whose sales continue whatever the hub sends.
async fn shop_of_hub(hub: &FakeHub) -> Shop {
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    open(&shop, 1).await;
    sell(&shop, 1).await;
    shop
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_of_every_kind_is_noted_in_plain_words_and_nothing_of_it_counts() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let garbage = garbage();
    let mut page: Vec<Value> = garbage.iter().map(|(_, change)| change.clone()).collect();
    page.push(change("product", "GOOD", &product("GOOD", 700)));
    hub.lock().page = page;
    let shop = shop_of_hub(&hub).await;
    let storage = shop.handle.storage();
    until("the store has read past the page", || {
        storage.sync().lane_cursor("rest").unwrap().is_some_and(|(cursor, _)| cursor == "fed")
    })
    .await;
    until("the valid record of the page is applied", || {
        storage.products().product(&Sku::from("GOOD")).unwrap().is_some()
    })
    .await;
    let notes = storage.sync().untaken(100).unwrap();
    for (word, change) in &garbage {
        let (kind, id) = (change["kind"].as_str().unwrap(), change["id"].as_str().unwrap());
        let id: String = id.chars().take(192).collect();
        let note = notes.iter().find(|note| note.kind == kind && note.id == id);
        let note = note.unwrap_or_else(|| panic!("{kind} {id} is noted: {notes:#?}"));
        assert!(note.problem.contains(word), "{kind} {id}: {}", note.problem);
        assert!(note.problem.len() < 1000, "{kind} {id}");
    }
    assert_eq!(notes.len(), garbage.len());
    // The rows contain no part of the page.
    let apple = storage.products().product(&Sku::from("A")).unwrap().unwrap();
    assert_eq!((apple.price, apple.reorder_level), (1000.into(), None));
    for id in ["usr_dear", "usr_none", "usr_ho", "usr_far"] {
        assert_eq!(storage.users().user(&UserId::from(id)).unwrap(), None, "{id}");
    }
    // The other settings are as in the file.
    until("the valid settings are applied", || shop.handle.rules().policy.blind).await;
    assert_eq!(shop.handle.rules().policy.return_window_days, rules().policy.return_window_days);
    assert!(!rules().policy.blind && storage.shifts().registers().unwrap().iter().all(|till| !till.disabled));
    sell(&shop, 1).await;
    let status = shop.handle.sync_status().unwrap();
    assert_eq!(status["inbound"]["untaken"]["total"], json!(garbage.len()), "{status}");
    shop.supervision.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_beyond_its_bounds_is_not_used_and_the_next_one_is() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let many = |count: usize| -> Vec<Value> {
        (0..count).map(|n| change("product", &format!("P{n}"), &product(&format!("P{n}"), 5))).collect()
    };
    hub.lock().page = many(501);
    let shop = shop_of_hub(&hub).await;
    let storage = shop.handle.storage();
    until("the page was sent", || hub.lock().paged > 1).await;
    assert_eq!(storage.products().product(&Sku::from("P0")).unwrap(), None);
    assert_eq!(storage.sync().lane_cursor("rest").unwrap(), None);
    sell(&shop, 1).await;
    until("the link reports what is wrong", || {
        storage.sync().standing().unwrap().trouble.is_some_and(|trouble| trouble.message.contains("too long"))
    })
    .await;
    hub.lock().page = many(500);
    shop.handle.force_sync(false).await.unwrap();
    until("the next record is applied", || storage.products().product(&Sku::from("P499")).unwrap().is_some())
        .await;
    shop.supervision.stop().await;
}
