//! A delivery that head office could not post comes back to its store, which corrects it and sends it again.

use super::QUICK;
use serde_json::{Value, json};
use std::path::PathBuf;
use testkit::audit::items;
use testkit::ends::{same, same_but, synced};
use testkit::goods::{OTHER, SKU, postable, stock, text, unpostable};
use testkit::hub::Hub;
use testkit::process;
use testkit::store::Store;
use testkit::wait;

const HELD: &str = "/api/parked";

/// Opens a store whose delivery head office holds, and returns the delivery.
#[track_caller]
fn held() -> (Hub, Store, Value) {
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    store.start();
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let old = unpostable(&mut store.login("manager"), &mut till);
    same_but(&hub, &store, 1);
    (hub, store, old)
}

#[track_caller]
fn resubmit(old: &Value) -> String {
    format!("/api/receiving/{}/resubmit", text(old, "receiving_id"))
}

/// The delivery as it should have been: the same facts but for the mistyped costs.
fn right() -> Value {
    json!({"reference": "REF-7", "note": "by lorry", "lines": postable()})
}

/// Asserts that both ends have the corrected delivery once, and that head office never posts the old one.
#[track_caller]
fn corrected_once(hub: &Hub, store: &Store, old: &Value, new: &Value) {
    let mut manager = store.login("manager");
    synced(&mut manager);
    same(hub, store);
    assert_eq!(stock(&mut manager, OTHER), (10, 10_000));
    // The hello before the push still named it.
    wait::until("the list is empty", || {
        synced(&mut manager);
        items(&mut manager, HELD).is_empty().then_some(())
    });
    let mut office = hub.login();
    assert!(items(&mut office, "/api/parked").is_empty());
    let replaced = items(&mut office, "/api/parked?replaced=true");
    let places: Vec<&Value> = replaced.iter().map(|row| &row["replaced_by"]).collect();
    assert_eq!(places, [&new["receiving_id"], &new["receiving_id"]], "the delivery and its reversal");
    for row in &replaced {
        let again = format!("/api/parked/{}/replay", text(row, "parked_id"));
        office.post(&again, &json!({})).refused(409, "invalid_state");
    }
    manager.post(&resubmit(old), &right()).refused(409, "invalid_state");
}

#[test]
fn a_delivery_that_head_office_could_not_post_is_corrected_by_its_store() {
    let (mut hub, mut store, old) = held();
    let office_backup = hub.backup();
    let mut manager = store.login("manager");
    let listed = items(&mut manager, HELD);
    let one = &listed[0];
    assert_eq!((&one["receiving_id"], &one["may_correct"]), (&old["receiving_id"], &json!(true)), "{one}");
    assert_eq!((&one["code"], &one["type"]), (&json!("effects_failed"), &json!("receiving.posted")), "{one}");
    assert_eq!(manager.get("/api/sync/status").data(200)["outbox"]["parked"], 1);
    let fine =
        manager.post("/api/receiving", &json!({"lines": [{"sku": SKU, "qty": 1, "unit_cost": 1}]})).data(201);
    manager.post(&resubmit(&fine), &right()).refused(409, "invalid_state");

    // The list outlives the process; the correction is made while head office is away, and the process is killed again.
    hub.kill9();
    store.kill9();
    store.start();
    let mut manager = store.login("manager");
    assert_eq!(items(&mut manager, HELD)[0]["receiving_id"], old["receiving_id"]);
    let before = stock(&mut manager, SKU);
    let new = manager.post(&resubmit(&old), &right()).data(201);
    assert_eq!((&new["resubmits"], &new["reference"]), (&old["receiving_id"], &json!("REF-7")), "{new}");
    store.kill9();
    store.start();
    let mut manager = store.login("manager");
    assert_eq!(
        (stock(&mut manager, SKU), stock(&mut manager, OTHER)),
        (before, (10, 10_000)),
        "by the difference"
    );
    let waiting = &items(&mut manager, HELD)[0];
    assert_eq!((&waiting["state"], &waiting["replaced_by"]), (&json!("replaced"), &new["receiving_id"]));
    let logged = items(&mut manager, "/api/audit?action=receiving.resubmitted");
    assert_eq!(logged.len(), 1, "{logged:?}");
    manager.post(&resubmit(&old), &right()).refused(409, "invalid_state");

    hub.start();
    corrected_once(&hub, &store, &old, &new);
    let entries = items(&mut hub.login(), "/api/audit?action=receiving.resubmitted");
    assert_eq!(entries.len(), 1, "{entries:?}");
    // A hub from before the correction receives all of it again.
    hub.restore(&office_backup);
    corrected_once(&hub, &store, &old, &new);
}

#[test]
fn a_store_restored_from_before_the_correction_corrects_nothing_twice() {
    let (hub, mut store, old) = held();
    let backup: PathBuf = store.folder().join("backup");
    process::succeed(store.command(&["backup", backup.to_str().unwrap()]), "");
    let new = store.login("manager").post(&resubmit(&old), &right()).data(201);
    corrected_once(&hub, &store, &old, &new);
    store.kill9();
    store.move_data(store.folder().join("restored"));
    process::succeed(store.command(&["restore", backup.to_str().unwrap()]), "");
    // The restored copy has the note of its backup, but head office has not named the record to this copy.
    store.start();
    let refused = wait::until("the store answers", || {
        let reply = store.login("manager").post(&resubmit(&old), &right());
        (reply.status != 503).then_some(reply)
    });
    refused.refused(409, "invalid_state");
    corrected_once(&hub, &store, &old, &new);
}

/// A store that lost its disk has its list again, and corrects the delivery then.
#[test]
fn the_list_comes_back_to_a_rebuilt_store() {
    let (hub, mut store, old) = held();
    store.stop();
    let backup: PathBuf = store.folder().join("backup");
    store.start();
    process::succeed(store.command(&["backup", backup.to_str().unwrap()]), "");
    store.kill9();
    store.move_data(store.folder().join("restored"));
    process::succeed(store.command(&["restore", backup.to_str().unwrap()]), "");
    store.start();
    let mut manager = store.login("manager");
    synced(&mut manager);
    wait::until("head office has named the record again", || {
        let reply = store.login("manager").post(&resubmit(&old), &right());
        (reply.status == 201).then_some(())
    });
    let new = items(&mut store.login("manager"), "/api/receiving")[0].clone();
    corrected_once(&hub, &store, &old, &new);
}
