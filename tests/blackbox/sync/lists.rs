//! The synchronisation as a manager sees it: conflicts and their restoration, digests of sealed days, and problems.

use serde_json::{Value, json};
use testkit::ends::synced;
use testkit::hub::Hub;
use testkit::{Client, Store, wait};

fn items(client: &mut Client, path: &str) -> Vec<Value> {
    client.get(path).data(200)["items"].as_array().unwrap().clone()
}

#[test]
fn a_value_that_lost_against_head_office_is_restored_by_one_request() {
    let mut hub = Hub::open();
    let mut store = Store::prepare("", 1);
    hub.enrol(&store);
    store.start();
    let mut manager = store.login("manager");
    let member = json!({"name": "Siti", "phone": "0811-2233-4455"});
    let member = manager.post("/api/members", &member).data(201);
    let path = format!("/api/members/{}", member["member_id"].as_str().unwrap());
    synced(&mut manager);
    // Each side changes the name without knowing of the other's change.
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

    let lost = items(&mut manager, "/api/conflicts");
    assert_eq!(lost.len(), 1, "{lost:?}");
    let conflict = &lost[0];
    assert_eq!((&conflict["resource"], &conflict["winner"]), (&json!("member"), &json!("hub")), "{conflict}");
    assert_eq!(conflict["lost_fields"], json!({"name": "of the store"}), "{conflict}");
    assert_eq!(conflict["kept_fields"], json!({"name": "of head office"}), "{conflict}");
    let status = manager.get("/api/sync/status").data(200);
    assert_eq!(status["conflicts"], json!({"total": 1, "recent": [conflict]}), "{status}");

    let restore = format!("/api/conflicts/{}/restore", conflict["conflict_id"].as_str().unwrap());
    let restored = manager.post(&restore, &json!({})).data(200);
    assert!(restored["restored_at"].is_string(), "{restored}");
    manager.post(&restore, &json!({})).refused(409, "invalid_state");
    synced(&mut manager);
    assert_eq!(office.get(&path).data(200)["name"], "of the store", "a new write with the latest stamp");
    manager.post("/api/conflicts/cfl_none/restore", &json!({})).refused(404, "not_found");
    assert_eq!(items(&mut manager, "/api/conflicts")[0], restored);
    assert!(items(&mut manager, "/api/parked").is_empty(), "every record was applied");
    store.stop();
    store.verify();
}

#[test]
fn a_sealed_day_is_proven_to_be_the_same_at_head_office_and_stays_so() {
    let hub = Hub::open();
    let mut store = Store::prepare("", 1);
    hub.enrol(&store);
    store.start();
    store.receive_all(10);
    let mut till = store.login("till-1").at_register("till-1");
    let shift = till.post("/api/shifts/open", &json!({"opening_float": 0})).data(201);
    let basket = json!({"items": [{"sku": "8990001", "qty": 2, "price": 2000}]});
    let sale = till.post("/api/pos/transactions", &basket).data(201);
    let pay = format!("/api/pos/transactions/{}/pay", sale["transaction_id"].as_str().unwrap());
    let total = sale["total"].as_i64().unwrap();
    till.post(&pay, &json!({"method": "card", "amount": total})).data(200);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    till.post(&close, &json!({"counted_cash": 0})).data(200);
    let mut manager = store.login("manager");
    let day = shift["business_date"].as_str().unwrap();
    manager
        .post(&format!("/api/days/{day}/seal"), &json!({"force": true, "reason": "closed early"}))
        .data(200);
    // The digest is answered independently of the forced synchronisation, so the test polls for it.
    let proven = |manager: &mut Client| {
        wait::until("the digest of the day matches", || {
            synced(manager);
            let days = items(manager, "/api/sync/digests");
            days.into_iter().find(|found| found["business_date"] == day && found["result"] == "match")
        })
    };
    let proof = proven(&mut manager);
    assert_eq!(proof["types"]["transaction.paid"], json!({"count": 1, "total": total}), "{proof}");
    assert_eq!((&proof["parked"], &proof["since"]), (&json!(0), &Value::Null), "{proof}");
    let status = hub.login().get("/api/stores/S001/status").data(200);
    assert_eq!(status["digest"]["result"], "match", "{status}");

    store.kill9();
    drop(hub);
    store.start();
    let mut manager = store.login("manager");
    assert_eq!(items(&mut manager, "/api/sync/digests"), [proof], "the digest is kept without a hub");
    store.stop();
    store.verify();
}

#[test]
fn problems_are_listed_with_the_time_they_began_and_survive_a_restart() {
    let mut hub = Hub::open();
    let mut store = Store::prepare("[sync]\nbackoff_max = \"1s\"\n", 1);
    hub.enrol(&store);
    store.start();
    let mut manager = store.login("manager");
    synced(&mut manager);
    let problems = |manager: &mut Client| manager.get("/api/sync/status").data(200)["problems"].clone();
    assert_eq!(problems(&mut manager), json!([]));
    hub.kill9();
    let wrong = wait::until("the store notices that the hub is away", || {
        manager.post("/api/sync/force", &json!({})).data(200);
        problems(&mut manager).as_array().unwrap().first().cloned()
    });
    assert_eq!(wrong["code"], "unreachable", "{wrong}");
    store.kill9();
    store.start();
    let mut manager = store.login("manager");
    let still = problems(&mut manager)[0].clone();
    assert_eq!(
        (&still["code"], &still["since"]),
        (&wrong["code"], &wrong["since"]),
        "the time at which the problem began"
    );
    let said = |store: &Store| String::from_utf8(store.run(&["status"]).stdout).unwrap();
    let screen = said(&store);
    let line = screen.lines().find(|line| line.starts_with("PROBLEM"));
    assert!(line.is_some_and(|line| line.contains("head office can't be reached")), "{screen}");
    store.stop();
    assert!(said(&store).contains("PROBLEM    since "), "a stopped store reports it too: {}", said(&store));
    store.start();
    hub.start();
    let mut manager = store.login("manager");
    synced(&mut manager);
    wait::until("no problem is left", || (problems(&mut manager) == json!([])).then_some(()));
    // Head office itself knows of this problem, which the store can't report.
    let reported = hub.login().get("/api/stores").data(200)["items"][0]["problems"].clone();
    assert_eq!(reported, json!([]), "{reported}");
    let id = testkit::store::STORE_ID;
    hub.login().post(&format!("/api/stores/{id}/disable"), &json!({})).data(200);
    let reported = hub.login().get("/api/stores").data(200)["items"][0]["problems"][0].clone();
    assert_eq!(reported["code"], "disabled", "{reported}");
    let refused = wait::until("the store is refused", || {
        manager.post("/api/sync/force", &json!({})).data(200);
        problems(&mut manager).as_array().unwrap().first().cloned()
    });
    assert_eq!(refused["code"], "rejected", "{refused}");
}
