//! Tills: added, renamed, switched off and on again.

use serde_json::{Value, json};
use testkit::{Client, Store};

fn patch(client: &mut Client, id: &str, body: &Value) -> testkit::Reply {
    client.send("PATCH", &format!("/api/registers/{id}"), &[], body.to_string().as_bytes())
}

#[test]
fn a_disabled_till_is_refused_wherever_it_speaks() {
    let store = Store::open();
    let (mut till, mut manager) = (store.login("till-1").at_register("till-1"), store.login("manager"));
    let shift = till.post("/api/shifts/open", &json!({})).data(201);
    let id = shift["shift_id"].as_str().unwrap();
    let off = patch(&mut manager, "till-1", &json!({"state": "disabled"})).data(200);
    assert_eq!((&off["register_id"], &off["state"]), (&json!("till-1"), &json!("disabled")));
    let body = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    till.post("/api/pos/transactions", &body).refused(403, "insufficient_role");
    // Leaving out the till, or being a manager, does not bypass the refusal.
    let mut silent = store.login("till-1");
    silent.post("/api/pos/transactions", &body).refused(403, "insufficient_role");
    let close = format!("/api/shifts/{id}/close");
    silent.post(&close, &json!({"counted_cash": 0})).refused(403, "insufficient_role");
    let mut there = store.login("manager").at_register("till-1");
    there.post(&close, &json!({"counted_cash": 0})).refused(403, "insufficient_role");
    manager.post(&close, &json!({"counted_cash": 0})).data(200);
    let named = json!({"register_id": "till-1"});
    store.login("till-2").post("/api/shifts/open", &named).refused(403, "insufficient_role");
    patch(&mut manager, "till-1", &json!({"state": "active", "name": "Front"})).data(200);
    till.post("/api/shifts/open", &json!({})).data(201);
    let audit = manager.get("/api/audit?action=register.changed").data(200);
    assert_eq!(audit["items"].as_array().unwrap().len(), 2, "{audit}");
}

#[test]
fn a_closed_store_knows_its_tills() {
    let mut store = Store::open_with("registers.closed = true\n", 1);
    let (mut till, mut manager) = (store.login("till-1").at_register("till-9"), store.login("manager"));
    till.post("/api/shifts/open", &json!({})).invalid_field("register_id");
    let new = json!({"register_id": "till-9", "name": "Ninth"});
    till.post("/api/registers", &new).refused(403, "insufficient_role");
    manager.post("/api/registers", &new).data(201);
    manager.post("/api/registers", &new).refused(409, "duplicate");
    manager.post("/api/registers", &json!({"register_id": "till 9"})).invalid_field("register_id");
    manager.post("/api/registers", &json!({"register_id": "till-8"})).data(201);
    patch(&mut manager, "till-7", &json!({"name": "x"})).refused(404, "not_found");
    patch(&mut manager, "till-8", &json!({"name": " "})).invalid_field("name");
    patch(&mut till, "till-8", &json!({"name": "x"})).refused(403, "insufficient_role");
    till.post("/api/shifts/open", &json!({})).data(201);
    store.kill9();
    store.start();
    let first = manager.get("/api/registers?limit=1").data(200);
    assert_eq!(first["items"], json!([{"register_id": "till-8", "name": "till-8", "state": "active"}]));
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = manager.get(&format!("/api/registers?cursor={cursor}")).data(200);
    assert_eq!((&rest["items"][0]["name"], &rest["next_cursor"]), (&json!("Ninth"), &Value::Null));
}
