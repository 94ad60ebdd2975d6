//! Users of a store whose machine was lost: all of them come back with their passwords, however they were created, and
//! head office knows of them from the beginning.

use super::QUICK;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::counter::text;
use testkit::hub::Hub;
use testkit::linked::Linked;
use testkit::store::{PASSWORD, Store};
use testkit::{Client, process, wait};

const OWN: &str = "another horse 9";
const FRESH: &str = "a fresh horse 9";
const ME: &str = "/api/auth/me";

#[track_caller]
fn logged_in(store: &Store, who: &str, password: &str) -> Client {
    let mut client = store.client();
    let body = json!({"username": format!("{who}@s001.example"), "password": password});
    let token = text(&client.post("/api/auth/login", &body).data(200), "token");
    client.with_token(&token)
}

#[track_caller]
fn added(store: &Store, who: &str, role: &str) {
    let name = format!("{who}@s001.example");
    let words = ["user", "add", "--username", &name, "--name", who, "--role", role, "--password-stdin"];
    process::succeed(store.command(&words), PASSWORD);
}

fn new(who: &str) -> Value {
    json!({"username": format!("{who}@s001.example"), "name": who, "role": "cashier", "password": PASSWORD})
}

#[track_caller]
fn changes_password(store: &Store, who: &str) {
    let change = json!({"current_password": PASSWORD, "new_password": OWN});
    logged_in(store, who, PASSWORD).post("/api/auth/password", &change).data(200);
}

/// Returns all users by login name, with their name, their role, and whether they are disabled. Users created on a new
/// machine are left out.
fn people(client: &mut Client, path: &str) -> BTreeMap<String, (String, String, bool)> {
    let list = client.get(path).data(200)["items"].clone();
    let one = |user: &Value| {
        let person = (text(user, "id"), text(user, "role"), user["disabled"] == json!(true));
        (text(user, "username"), person)
    };
    let all = list.as_array().unwrap().iter().map(one);
    all.filter(|(name, _)| !name.contains(".new")).collect()
}

fn at_the_store(store: &Store, password: &str) -> BTreeMap<String, (String, String, bool)> {
    people(&mut logged_in(store, "admin", password), "/api/users?limit=500")
}

fn at_head_office(hub: &Hub) -> BTreeMap<String, (String, String, bool)> {
    people(&mut hub.login(), "/api/users?store_id=S001&limit=500")
}

/// Waits until everything is at head office and back, and both have the same users. Returns them.
#[track_caller]
fn the_same(hub: &Hub, store: &Store, password: &str) -> BTreeMap<String, (String, String, bool)> {
    wait::until("store and head office have the same people", || {
        let forced = logged_in(store, "admin", password).post("/api/sync/force", &json!({})).data(200);
        let (here, there) = (at_the_store(store, password), at_head_office(hub));
        (forced["completed"] == json!(true) && here == there).then_some(here)
    })
}

/// Opens a shop whose users were created in every possible way.
fn peopled() -> (Hub, Store) {
    let hub = Hub::open();
    let mut store = Store::made_new(QUICK, PASSWORD);
    added(&store, "stopped", "store_manager");
    store.start();
    let mut admin = logged_in(&store, "admin", PASSWORD);
    admin.post("/api/users", &new("before")).data(201);
    added(&store, "running", "cashier");
    hub.enrol(&store);
    let denied = text(&admin.post("/api/users", &new("denied")).data(201), "id");
    admin.send("PATCH", &format!("/api/users/{denied}"), &[], br#"{"disabled": true}"#).data(200);
    let renamed = text(&admin.post("/api/users", &new("maiden")).data(201), "id");
    let fields = json!({"username": "married@s001.example", "role": "warehouse_staff"}).to_string();
    admin.send("PATCH", &format!("/api/users/{renamed}"), &[], fields.as_bytes()).data(200);
    changes_password(&store, "before");
    let mut office = hub.login();
    for who in ["given", "lifted"] {
        let mut given = new(who);
        given["store_id"] = json!("S001");
        let id = text(&office.post("/api/users", &given).data(201), "id");
        let path = format!("/api/users/{id}");
        wait::until("the user has arrived", || (admin.get(&path).status == 200).then_some(()));
        if who == "given" {
            changes_password(&store, who);
            // Head office still has the user's old password. Its other changes must not restore that one.
            office.send("PATCH", &path, &[], br#"{"role": "warehouse_staff"}"#).data(200);
        } else {
            // The store disables the user, and head office enables the user again.
            admin.send("PATCH", &path, &[], br#"{"disabled": true}"#).data(200);
            wait::until("head office knows of the denial", || {
                at_head_office(&hub).get("lifted@s001.example").is_some_and(|(_, _, out)| *out).then_some(())
            });
            office.send("PATCH", &path, &[], br#"{"disabled": false}"#).data(200);
        }
    }
    the_same(&hub, &store, PASSWORD);
    (hub, store)
}

#[track_caller]
fn everybody_gets_in(store: &Store) {
    for (who, password) in [
        ("admin", PASSWORD),
        ("stopped", PASSWORD),
        ("running", PASSWORD),
        ("before", OWN),
        ("married", PASSWORD),
        ("given", OWN),
        ("lifted", PASSWORD),
    ] {
        println!("{who} logs in");
        logged_in(store, who, password).get(ME).data(200);
    }
    let denied = json!({"username": "denied@s001.example", "password": PASSWORD});
    store.client().post("/api/auth/login", &denied).refused(403, "account_disabled");
}

#[test]
fn everybody_comes_back_to_a_box_that_was_rebuilt_and_can_log_in() {
    let (hub, mut store) = peopled();
    everybody_gets_in(&store);
    let before = at_the_store(&store, PASSWORD);
    assert_eq!(before.len(), 8, "{before:?}");
    // Done twice: users created on the first new machine are history for the second.
    for rejoins in [false, true] {
        store.kill9();
        let mut rebuilt = Store::made_new(QUICK, FRESH);
        rebuilt.start();
        let mut fresh = logged_in(&rebuilt, "admin", FRESH);
        hub.enrol_again(&rebuilt);
        if rejoins {
            process::succeed(rebuilt.command(&["rejoin"]), "");
        }
        wait::until("the history has arrived", || {
            let status = fresh.get("/api/sync/status").data(200);
            let mut problems = status["problems"].as_array()?.iter();
            (status["hub"]["state"] == "online" && !problems.any(|one| one["code"] == "refilling"))
                .then_some(())
        });
        assert_eq!(the_same(&hub, &rebuilt, PASSWORD), before);
        everybody_gets_in(&rebuilt);
        // A user who was created on the new machine loses the login name and logs in with another one.
        let newcomer = if rejoins { "admin@s001.example.new2" } else { "admin@s001.example.new" };
        let body = json!({"username": newcomer, "password": FRESH});
        rebuilt.client().post("/api/auth/login", &body).data(200);
        rebuilt.stop();
        rebuilt.verify();
        rebuilt.start();
        everybody_gets_in(&rebuilt);
        store = rebuilt;
    }
    store.stop();
    process::succeed(hub.command(&["verify"]), "");
}

#[test]
fn people_of_a_command_are_revoked_by_head_office_and_their_passwords_stay_secret() {
    let mut shop = Linked::open();
    shop.synced();
    let mut admin = shop.store.login("admin");
    let id = text(&admin.get(ME).data(200)["user"], "id");
    let path = format!("/api/users/{id}");
    shop.office.post(&format!("{path}/revoke-tokens"), &json!({})).data(200);
    wait::until("the tokens of init's administrator are revoked", || {
        (admin.get(ME).status == 401).then_some(())
    });
    let mut till = shop.store.login("till-1");
    let cashier = text(&till.get(ME).data(200)["user"], "id");
    let denied = json!({"disabled": true}).to_string();
    shop.office.send("PATCH", &format!("/api/users/{cashier}"), &[], denied.as_bytes()).data(200);
    wait::until("the user that a command added is locked out", || (till.get(ME).status == 403).then_some(()));
    shop.synced();
    // The hashes are in the records, which head office sends back only to this store.
    let token = shop.hub.signer(&shop.store);
    let epoch = text(&shop.manager.get("/api/sync/status").data(200)["outbox"], "epoch");
    let own = shop.hub.client().with_token(&token()).get(&format!("/api/sync/own?epoch={epoch}&after=0"));
    assert!(own.text().contains("$argon2id$"), "the hashes are in the records");
    let feed = shop.hub.client().with_token(&token()).get("/api/sync/pull?lane=users");
    let asked = ["/api/users", "/api/audit", "/api/exceptions", "/api/parked", "/api/stores/S001/status"];
    let mut reported: Vec<(String, String)> =
        asked.iter().map(|path| ((*path).to_owned(), shop.office.get(path).text())).collect();
    let here = ["/api/users", "/api/audit", "/api/sync/status", "/api/parked"];
    reported.extend(here.iter().map(|path| ((*path).to_owned(), shop.manager.get(path).text())));
    reported.push(("the feed".to_owned(), feed.text()));
    reported.push(("the store's log".to_owned(), shop.store.log()));
    for (place, text) in reported {
        assert!(!text.contains("$argon2"), "{place}: {text}");
    }
}
