//! Quick keys: a manager sets which products a till sells by `.1`, `.2` and so on.

use serde_json::{Value, json};
use testkit::client::events::Screen;
use testkit::linked::Linked;
use testkit::{Client, Reply, Store, process};

const KEYS: &str = "/api/pos/quick-keys?register_id=till-1";
const ICE: &str = "8990006";
const BAG: &str = "8990011";

fn put(client: &mut Client, path: &str, items: &Value) -> Reply {
    client.send("PUT", path, &[], json!({"items": items}).to_string().as_bytes())
}

#[test]
fn a_tills_keys_are_the_stores_and_outlive_it() {
    let mut shop = Linked::open();
    assert_eq!(
        shop.till.get(KEYS).data(200),
        json!({"register_id": "till-1", "limit": 24, "items": []}),
        "no keys are set"
    );
    let wanted = json!([{"sku": BAG, "label": " Small bag "}, {"sku": ICE}]);
    put(&mut shop.till, KEYS, &wanted).refused(403, "insufficient_role");
    shop.store.login("warehouse").get(KEYS).refused(403, "insufficient_role");
    let (mut screen, _) = Screen::ready(&shop.till, None);
    let set = put(&mut shop.manager, KEYS, &wanted).data(200);
    let key = |sku: &str, label: Option<&str>, price: i64| json!({"sku": sku, "label": label, "name": format!("Product {sku}"), "price": price, "state": "active"});
    assert_eq!(set["items"], json!([key(BAG, Some("Small bag"), 1), key(ICE, None, 150)]));
    let (reported, _) = screen.until(|reported| reported.name == "register");
    assert_eq!(reported.data, json!({"register_id": "till-1"}));
    assert_eq!(shop.till.get(KEYS).data(200), set);

    // When the catalogue changes, a new price applies at once, and a product that is no longer sold keeps its key.
    shop.made("/api/prices", &json!({"sku": ICE, "price": 175}));
    let gone = json!({"state": "inactive"}).to_string();
    shop.office.send("PATCH", &format!("/api/products/{BAG}"), &[], gone.as_bytes()).data(200);
    let shown = shop.seen("both", KEYS, |keys| {
        keys["items"][0]["state"] == "inactive" && keys["items"][1]["price"] == 175
    });
    put(&mut shop.manager, KEYS, &wanted).data(200);
    let named = json!({"name": "Front"}).to_string();
    shop.manager.send("PATCH", "/api/registers/till-1", &[], named.as_bytes()).data(200);
    let shift = shop.till.get("/api/shifts/current").data(200);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    shop.till.post(&close, &json!({"counted_cash": 0})).data(200);
    shop.till.post("/api/shifts/open", &json!({})).data(201);
    shop.store.kill9();
    shop.store.start();
    assert_eq!(shop.till.get(KEYS).data(200), shown);
    shop.manager.post("/api/registers", &json!({"register_id": "till-9"})).data(201);
    let other = "/api/pos/quick-keys?register_id=till-9";
    assert_eq!(shop.till.get(other).data(200)["items"], json!([]), "each till has its own keys");
    let audit = shop.manager.get("/api/audit?action=register.quick_keys_changed").data(200);
    assert_eq!(audit["items"].as_array().unwrap().len(), 2, "{audit}");
    assert_eq!(audit["items"][0]["details"], json!({"register_id": "till-1", "skus": [BAG, ICE]}));
    shop.store.stop();
    process::succeed(shop.store.command(&["verify"]), "");
}

#[test]
fn keys_that_no_till_can_have_are_refused() {
    let store = Store::open_with("", 1);
    let mut manager = store.login("manager");
    for till in ["till-1", "till-2"] {
        manager.post("/api/registers", &json!({"register_id": till})).data(201);
    }
    let many: Vec<Value> = (0..25).map(|number| json!({"sku": format!("s{number}")})).collect();
    let refused = put(&mut manager, KEYS, &json!(many)).refused(422, "validation_failed");
    assert!(refused["fields"][0]["problem"].as_str().unwrap().contains("24"), "{refused}");
    put(&mut manager, KEYS, &json!([{"sku": BAG}, {"sku": BAG}])).invalid_field("items[1].sku");
    put(&mut manager, KEYS, &json!([{"sku": BAG, "label": ""}])).invalid_field("items[0].label");
    let unknown = put(&mut manager, KEYS, &json!([{"sku": BAG}, {"sku": "nope"}]));
    assert_eq!(unknown.refused(422, "unknown_sku")["skus"], json!(["nope"]));
    let nowhere = "/api/pos/quick-keys?register_id=till-9";
    put(&mut manager, nowhere, &json!([])).refused(404, "not_found");
    manager.get(nowhere).refused(404, "not_found");
    put(&mut manager, "/api/pos/quick-keys", &json!([])).refused(400, "invalid_query");
    assert_eq!(manager.get(KEYS).data(200)["items"], json!([]), "a refusal changed something");

    // Under the same idempotency key, a change of another till is a different request.
    let body = json!({"items": [{"sku": BAG}]}).to_string();
    let mut keyed = |path: &str| manager.send("PUT", path, &[("Idempotency-Key", "one")], body.as_bytes());
    let first = keyed(KEYS);
    first.data(200);
    keyed("/api/pos/quick-keys?register_id=till-2").refused(422, "idempotency_key_reused");
    let again = keyed(KEYS);
    assert_eq!((again.header("idempotency-replayed"), again.text()), (Some("true"), first.text()));
}
