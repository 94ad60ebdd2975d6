//! Settings of a product at a store, and how head office and other copies of the store treat them.

use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::{Client, wait};

const PATH: &str = "/api/stock/8990001";

#[track_caller]
fn settle(client: &mut Client, fields: &Value) -> Value {
    client.send("PATCH", PATH, &[], fields.to_string().as_bytes()).data(200)
}

#[test]
fn a_reorder_level_and_a_place_are_the_stores_own_and_survive_the_catalogue() {
    let mut shop = Linked::open();
    shop.priced("8990001", 2_000);
    let mut staff = shop.store.login("warehouse");
    let settled = settle(&mut staff, &json!({"reorder_level": 70, "shelf_place": "A-12"}));
    assert_eq!(settled, json!({"sku": "8990001", "reorder_level": 70, "shelf_place": "A-12"}));
    settle(&mut staff, &json!({"reorder_level": 120}));
    let refused = staff.send("PATCH", PATH, &[], br#"{"reorder_level": -1}"#);
    refused.invalid_field("reorder_level");
    staff.send("PATCH", "/api/stock/nope", &[], b"{}").refused(404, "not_found");
    let is = |seen: &Value| (&seen["reorder_level"], &seen["shelf_place"]) == (&json!(120), &json!("A-12"));
    assert!(is(&staff.get(PATH).data(200)));
    let short = staff.get("/api/stock?below_reorder=true").data(200);
    assert_eq!(short["items"][0]["sku"], json!("8990001"), "100 pieces are below 120: {short}");

    // Head office changes the product: the store takes its price and keeps its own reorder level.
    let change = json!({"price": 2_500, "reorder_level": 9}).to_string();
    shop.office.send("PATCH", "/api/products/8990001", &[], change.as_bytes()).data(200);
    shop.priced("8990001", 2_500);
    assert!(is(&staff.get(PATH).data(200)));
    // Head office has the settings as one record and sends it back by the feed.
    shop.synced();
    let status = shop.manager.get("/api/sync/status").data(200);
    assert_eq!((&status["outbox"]["parked"], &status["inbound"]["untaken"]["total"]), (&json!(0), &json!(0)));
    shop.store.kill9();
    shop.store.start();
    wait::until("the settings are as before", || {
        is(&shop.store.login("warehouse").get(PATH).data(200)).then_some(())
    });
    shop.store.stop();
    shop.store.verify();
}

const OFFICE: &str = "/api/stores/S001/products/8990001/settings";

#[track_caller]
fn decreed(shop: &mut Linked, fields: &Value) -> Value {
    shop.office.send("PATCH", OFFICE, &[], fields.to_string().as_bytes()).data(200)
}

#[test]
fn head_office_writes_them_too_and_what_was_written_at_both_ends_is_decided_once() {
    let mut shop = Linked::open();
    shop.priced("8990001", 2_000);
    let mut staff = shop.store.login("warehouse");
    let reported = decreed(&mut shop, &json!({"reorder_level": 40, "shelf_place": "B-1"}));
    let expected = json!({"store_id": "S001", "sku": "8990001", "reorder_level": 40, "shelf_place": "B-1"});
    assert_eq!(reported, expected);
    wait::until("the store has it", || {
        let seen = staff.get(PATH).data(200);
        ((&seen["reorder_level"], &seen["shelf_place"]) == (&json!(40), &json!("B-1"))).then_some(())
    });
    // The store changes the value that it received: this is no conflict, and head office sees it.
    settle(&mut staff, &json!({"reorder_level": 45}));
    shop.synced();
    assert_eq!(shop.office.get(OFFICE).data(200)["reorder_level"], json!(45));
    assert_eq!(shop.office.get("/api/conflicts").data(200)["items"], json!([]));

    // Both sides write without knowing of the other's write.
    shop.cut();
    settle(&mut staff, &json!({"reorder_level": 30}));
    shop.store.kill9();
    shop.hub.start();
    decreed(&mut shop, &json!({"reorder_level": 50}));
    shop.store.start();
    shop.synced();
    let level = |shop: &Linked| shop.store.login("warehouse").get(PATH).data(200)["reorder_level"].clone();
    wait::until("the later value is in effect", || (level(&shop) == json!(50)).then_some(()));
    assert_eq!(shop.office.get(OFFICE).data(200)["reorder_level"], json!(50));
    let conflicts = shop.office.get("/api/conflicts").data(200)["items"].as_array().unwrap().clone();
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    let lost = (&conflicts[0]["resource"], &conflicts[0]["lost_fields"], &conflicts[0]["kept_fields"]);
    assert_eq!(
        lost,
        (&json!("product_settings"), &json!({"reorder_level": 30}), &json!({"reorder_level": 50}))
    );
    shop.seen("the store lists it", "/api/conflicts", |list| {
        list["items"][0]["lost_fields"]["reorder_level"] == json!(30)
    });

    let path = format!("/api/conflicts/{}/restore", conflicts[0]["conflict_id"].as_str().unwrap());
    shop.office.post(&path, &json!({})).data(200);
    wait::until("the value that lost is restored", || (level(&shop) == json!(30)).then_some(()));
    assert_eq!(shop.office.get(OFFICE).data(200)["reorder_level"], json!(30));
    // The store restores it too: that is no second write, which could undo a later one.
    let own = format!("/api/conflicts/{}/restore", conflicts[0]["conflict_id"].as_str().unwrap());
    let mut manager = shop.store.login("manager");
    let last = |manager: &mut Client| manager.get("/api/sync/status").data(200)["outbox"]["last_seq"].clone();
    let before = last(&mut manager);
    assert!(manager.post(&own, &json!({})).data(200)["restored_at"].is_string());
    assert_eq!(last(&mut manager), before, "head office gets no record of it");
    manager.post(&own, &json!({})).refused(409, "invalid_state");
}

#[test]
fn the_store_puts_a_place_back_that_lost_against_head_office() {
    let mut shop = Linked::open();
    shop.priced("8990001", 2_000);
    let mut staff = shop.store.login("warehouse");
    settle(&mut staff, &json!({"shelf_place": "A-1"}));
    shop.synced();
    shop.cut();
    settle(&mut staff, &json!({"shelf_place": "S-2"}));
    shop.store.kill9();
    shop.hub.start();
    decreed(&mut shop, &json!({"shelf_place": "H-3"}));
    shop.store.start();
    shop.synced();
    let place = |shop: &Linked| shop.store.login("warehouse").get(PATH).data(200)["shelf_place"].clone();
    wait::until("the later value is in effect", || (place(&shop) == json!("H-3")).then_some(()));
    let lost = shop.seen("it is listed", "/api/conflicts", |list| list["items"][0].is_object());
    let lost = &lost["items"][0];
    assert_eq!(
        (&lost["resource"], &lost["id"]),
        (&json!("product_settings"), &json!("S001:8990001")),
        "{lost}"
    );
    assert_eq!(
        (&lost["lost_fields"], &lost["kept_fields"]),
        (&json!({"shelf_place": "S-2"}), &json!({"shelf_place": "H-3"}))
    );
    let path = format!("/api/conflicts/{}/restore", lost["conflict_id"].as_str().unwrap());
    staff.post(&path, &json!({})).refused(403, "insufficient_role");
    let restored = shop.manager.post(&path, &json!({})).data(200);
    assert!(restored["restored_at"].is_string(), "{restored}");
    shop.manager.post(&path, &json!({})).refused(409, "invalid_state");
    shop.synced();
    wait::until("the value that lost is restored", || (place(&shop) == json!("S-2")).then_some(()));
    assert_eq!(shop.office.get(OFFICE).data(200)["shelf_place"], json!("S-2"));
    let conflicts = shop.manager.get("/api/sync/status").data(200)["conflicts"].clone();
    assert_eq!(
        conflicts["total"],
        json!(1),
        "a write based on the current value is no conflict: {conflicts}"
    );
}
