//! What a manager sees of the dealings with head office: values that lost and how they come back.

use crate::support::hub::Hub;
use crate::support::{Client, Store, wait};
use serde_json::{Value, json};

/// Synchronises until it is complete.
#[track_caller]
fn synced(client: &mut Client) {
    wait::until("store and hub have the same", || {
        let done = client.post("/api/sync/force", &json!({})).data(200);
        (done["completed"] == true).then_some(())
    });
}

fn items(client: &mut Client, path: &str) -> Vec<Value> {
    client.get(path).data(200)["items"].as_array().unwrap().clone()
}

#[test]
fn a_value_that_lost_against_head_office_is_put_back_with_one_click() {
    let mut hub = Hub::open();
    let mut store = Store::prepare("", 1);
    hub.enrol(&store);
    store.start();
    let mut manager = store.login("manager");
    let member = json!({"name": "Siti", "phone": "0811-2233-4455"});
    let member = manager.post("/api/members", &member).data(201);
    let path = format!("/api/members/{}", member["member_id"].as_str().unwrap());
    synced(&mut manager);
    // Each side changes the name without having seen what the other one wrote.
    hub.kill9();
    let change = |name: &str| json!({"name": name}).to_string();
    let json_type = [("Content-Type", "application/json")];
    manager.send("PATCH", &path, &json_type, change("of the store").as_bytes()).data(200);
    store.kill9();
    hub.start();
    let mut office = hub.login();
    office.send("PATCH", &path, &json_type, change("of head office").as_bytes()).data(200);
    store.start();
    let mut manager = store.login("manager");
    synced(&mut manager);
    assert_eq!(office.get(&path).data(200)["name"], "of head office", "the later stamp wins");

    let lost = items(&mut manager, "/api/sync/conflicts");
    assert_eq!(lost.len(), 1, "{lost:?}");
    let conflict = &lost[0];
    assert_eq!((&conflict["resource"], &conflict["winner"]), (&json!("member"), &json!("hub")), "{conflict}");
    assert_eq!(conflict["lost_fields"], json!({"name": "of the store"}), "{conflict}");
    assert_eq!(conflict["kept_fields"], json!({"name": "of head office"}), "{conflict}");
    let status = manager.get("/api/sync/status").data(200);
    assert_eq!(status["conflicts"], json!({"total": 1, "recent": [conflict]}), "{status}");

    let restore = format!("/api/sync/conflicts/{}/restore", conflict["conflict_id"].as_str().unwrap());
    let restored = manager.post(&restore, &json!({})).data(200);
    assert!(restored["restored_at"].is_string(), "{restored}");
    manager.post(&restore, &json!({})).refused(409, "invalid_state");
    synced(&mut manager);
    assert_eq!(office.get(&path).data(200)["name"], "of the store", "a new write, and the latest");
    manager.post("/api/sync/conflicts/cfl_none/restore", &json!({})).refused(404, "not_found");
    assert_eq!(items(&mut manager, "/api/sync/conflicts")[0], restored);
    assert!(items(&mut manager, "/api/sync/parked").is_empty(), "all of it could be applied");
    store.stop();
    store.verify();
}
