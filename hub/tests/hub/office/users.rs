//! Users of head office and of stores: at least one administrator can always log in, concurrent changes are not lost,
//! and stores can't change head office's users.

use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{STAMP, raw};
use crate::sync::records::NOON;
use domain::model::base::time::UtcMs;
use domain::model::people::user::FieldTimes;
use serde_json::{Value, json};

/// Rounds of a race. Before the fix about every second one was lost.
const ROUNDS: usize = 12;
const PASSWORD: &str = "right horse 9";

async fn made(admin: &Api, username: &str, role: &str) -> String {
    let new = json!({"username": username, "name": "Somebody", "role": role, "password": PASSWORD});
    admin.post("/api/users", &new).await.data()["id"].as_str().unwrap().to_owned()
}

fn at(id: &str) -> String {
    format!("/api/users/{id}")
}

async fn person(admin: &Api, id: &str) -> Value {
    let list = admin.get("/api/users").await.data()["items"].clone();
    list.as_array().unwrap().iter().find(|person| person["id"] == id).unwrap().clone()
}

async fn own_id(api: &Api) -> String {
    api.get("/api/auth/me").await.data()["user"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_administrator_can_not_be_kept_out_or_demoted() {
    let server = Server::start().await;
    let boss = server.admin().await;
    let id = own_id(&boss).await;
    for change in [json!({"disabled": true}), json!({"role": "ho_finance"})] {
        let refused = boss.patch(&at(&id), &change).await;
        assert_eq!(refused.refusal(), "409 invalid_state", "{change}");
    }
    let message = boss.patch(&at(&id), &json!({"role": "ho_finance"})).await.body["error"]["message"].clone();
    assert!(message.as_str().unwrap().contains("last administrator"), "{message}");
    assert_eq!(person(&boss, &id).await["role"], "admin");
    // With a second administrator who can log in the change is possible, but then not for that one.
    let second = made(&boss, "second", "admin").await;
    let other = server.api().login("second", PASSWORD).await;
    other.patch(&at(&id), &json!({"role": "ho_finance"})).await.data();
    assert_eq!(
        other.patch(&at(&second), &json!({"role": "ho_finance"})).await.refusal(),
        "409 invalid_state"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_administrators_who_keep_each_other_out_at_once_leave_one() {
    let server = Server::start().await;
    for round in 0..ROUNDS {
        let boss = server.admin().await;
        let name = format!("second-{round}");
        let (one, two) = (own_id(&boss).await, made(&boss, &name, "admin").await);
        let other = server.api().login(&name, PASSWORD).await;
        let change = if round % 2 == 0 { json!({"disabled": true}) } else { json!({"role": "ho_finance"}) };
        let (at_one, at_two) = (at(&one), at(&two));
        let (first, second) = tokio::join!(boss.patch(&at_two, &change), other.patch(&at_one, &change));
        let done = [&first, &second].iter().filter(|answer| answer.status == 200).count();
        assert_eq!(done, 1, "round {round}: {first:?} {second:?}");
        let sql = "SELECT COUNT(*) FROM users WHERE role = 'admin' AND disabled = 0";
        assert_eq!(server.figure(sql).await, 1, "round {round}");
        // The boss is an administrator again for the next round.
        let sql = "UPDATE users SET role = 'admin', disabled = CASE WHEN username = 'boss' THEN 0 ELSE 1 END";
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_or_a_demotion_is_not_lost_to_a_rename_at_the_same_moment() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let id = made(&admin, "fin", "ho_finance").await;
    let path = at(&id);
    for round in 0..ROUNDS {
        let change =
            if round % 2 == 0 { json!({"disabled": true}) } else { json!({"role": "ho_purchasing"}) };
        let rename = json!({"name": format!("Round {round}")});
        let (renamed, changed) = tokio::join!(admin.patch(&path, &rename), admin.patch(&path, &change));
        renamed.data();
        changed.data();
        let now = person(&admin, &id).await;
        for (field, value) in change.as_object().unwrap().iter().chain(rename.as_object().unwrap()) {
            assert_eq!(&now[field], value, "round {round}");
        }
        admin.patch(&path, &json!({"disabled": false, "role": "ho_finance"})).await.data();
    }
}

async fn tells(shop: &mut Shop, event_id: &str, id: &str, username: &str) {
    let payload = json!({"user_id": id, "username": username, "name": "Mallory", "role": "admin",
        "store_id": "S001", "disabled": false, "token_version": 1, "times": FieldTimes::all(NOON), "created_at": NOON,
        "updated_at": NOON});
    shop.chain().append(raw("user.changed", event_id, STAMP, &payload));
    let to = shop.chain().records.len();
    let reported = shop.push(&shop.batch(to, to)).await.data().clone();
    assert_eq!(reported["parked"], json!([]), "nothing is parked because of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hash_goes_back_to_its_store_and_nowhere_else() {
    const HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$b3duaGFzaG93bmhhc2g";
    let server = Server::start().await;
    let (admin, mut shop) = (server.admin().await, Shop::open(&server, "S001").await);
    let other = Shop::open(&server, "S002").await;
    let payload = json!({"user_id": "usr_own", "username": "ani", "name": "Ani", "role": "admin",
        "store_id": "S001", "disabled": false, "token_version": 1, "password_hash": HASH, "times": FieldTimes::all(NOON), "created_at": NOON,
        "updated_at": NOON});
    shop.chain().append(raw("user.changed", "evt_1", STAMP, &payload));
    let reported = shop.push(&shop.batch(1, 1)).await;
    assert_eq!(reported.data()["parked"], json!([]));
    // Head office changes the user. The feed contains no password, because head office did not set one.
    admin.post(&format!("{}/revoke-tokens", at("usr_own")), &json!({})).await.data();
    admin.patch(&at("usr_own"), &json!({"name": "Ani Wijaya"})).await.data();
    let users = "/api/sync/pull?lane=users";
    let down = shop.speak().get(users).await.data()["changes"].clone();
    let last = down.as_array().unwrap().iter().rfind(|change| change["kind"] == "user").unwrap().clone();
    let set = (&last["payload"]["password_hash"], &last["payload"]["times"]["password"]);
    assert_eq!(set, (&Value::Null, &json!(NOON)));
    let own = "/api/sync/own?epoch=1-00000000000000aa&after=0";
    let mut answers =
        vec![reported.body, down, other.speak().get(users).await.body, other.speak().get(own).await.body];
    for path in ["/api/users", "/api/audit", "/api/exceptions", "/api/parked", "/api/stores/S001/status"] {
        answers.push(admin.get(path).await.body);
    }
    for answer in answers {
        assert!(!answer.to_string().contains("b3duaGFzaG93bmhhc2g"), "{answer}");
    }
    assert!(shop.speak().get(own).await.body.to_string().contains(HASH));
    // A password set by head office is newer than the store's, whatever the store reports afterwards.
    admin.patch(&at("usr_own"), &json!({"password": PASSWORD})).await.data();
    tells(&mut shop, "evt_2", "usr_own", "ani").await;
    admin.patch(&at("usr_own"), &json!({"name": "Ani W"})).await.data();
    let down = shop.speak().get(users).await.data()["changes"].clone();
    let last = down.as_array().unwrap().iter().rfind(|change| change["kind"] == "user").unwrap().clone();
    assert!(last["payload"]["password_hash"].as_str().unwrap().starts_with("$argon2id$"), "{last}");
    assert!(last["payload"]["times"]["password"].as_str() > Some("2026"), "{last}");
}

async fn found(admin: &Api) -> Vec<Value> {
    let list = admin.get("/api/exceptions").await.data()["items"].as_array().unwrap().clone();
    list.iter().map(|one| json!([one["code"], one["event_id"]])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_shadows_nobody_of_head_office() {
    let server = Server::start().await;
    let (admin, mut shop) = (server.admin().await, Shop::open(&server, "S001").await);
    let id = made(&admin, "fin", "ho_finance").await;
    tells(&mut shop, "evt_1", &id, "fin").await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM staff").await, 0, "nothing is applied");
    assert_eq!(found(&admin).await, [json!(["user_of_another_store", "evt_1"])]);
    // Disabling the user of head office works as usual.
    let fin = server.api().login("fin", PASSWORD).await;
    admin.patch(&at(&id), &json!({"disabled": true})).await.data();
    assert_eq!(fin.get("/api/auth/me").await.refusal(), "403 account_disabled");
    let denied =
        server.api().post("/api/auth/login", &json!({"username": "fin", "password": PASSWORD})).await;
    assert_eq!(denied.refusal(), "403 account_disabled");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_login_name_of_a_store_has_one_person_until_one_of_two_is_renamed() {
    let server = Server::start().await;
    let (admin, mut shop) = (server.admin().await, Shop::open(&server, "S001").await);
    // The store's own user had the name first, and head office knows this.
    tells(&mut shop, "evt_1", "usr_own", "budi").await;
    let given = |username: &str| json!({"username": username, "name": "Given", "role": "cashier", "store_id": "S001", "password": PASSWORD});
    assert_eq!(admin.post("/api/users", &given("Budi")).await.refusal(), "409 duplicate");
    // Head office did not know of the store's user: it gets an exception, and the store's record is not applied.
    let ani = admin.post("/api/users", &given("ani")).await.data()["id"].as_str().unwrap().to_owned();
    tells(&mut shop, "evt_2", "usr_late", "ani").await;
    assert_eq!(found(&admin).await, [json!(["user_name_taken", "evt_2"])]);
    let sql = "SELECT COUNT(*) FROM staff WHERE user_id = 'usr_late'";
    assert_eq!(server.figure(sql).await, 0);
    // Reported once, however often the store sends the person.
    tells(&mut shop, "evt_2b", "usr_late", "ani").await;
    let listed = admin.get("/api/exceptions").await.data()["items"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let message = listed[0]["message"].as_str().unwrap();
    assert!(message.contains("two users of the store have the login name ani"), "{message}");
    // A known user keeps the former name.
    tells(&mut shop, "evt_3", "usr_own", "ani").await;
    assert_eq!(found(&admin).await.len(), 1, "it is about the same name");
    assert_eq!(person(&admin, "usr_own").await["username"], "budi");
    // After the user of head office is renamed, the name is available.
    assert_eq!(admin.patch(&at(&ani), &json!({"username": "budi"})).await.refusal(), "409 duplicate");
    assert_eq!(admin.patch(&at(&ani), &json!({"username": "a b"})).await.refusal(), "422 validation_failed");
    assert_eq!(admin.patch(&at(&ani), &json!({"username": "Ani.HO"})).await.data()["username"], "ani.ho");
    tells(&mut shop, "evt_4", "usr_late", "ani").await;
    assert_eq!(person(&admin, "usr_late").await["username"], "ani");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_with_one_login_name_are_reported_and_both_are_applied() {
    let server = Server::start().await;
    let (admin, mut shop) = (server.admin().await, Shop::open(&server, "S001").await);
    // Two copies of the store have each created a user with this name.
    tells(&mut shop, "evt_1", "usr_one", "ani").await;
    tells(&mut shop, "evt_2", "usr_two", "ani").await;
    assert_eq!(found(&admin).await, [json!(["user_name_taken", "evt_2"])]);
    for id in ["usr_one", "usr_two"] {
        assert_eq!(person(&admin, id).await["username"], "ani", "{id}");
    }
    // The exception is made once, not with every later record of either user.
    tells(&mut shop, "evt_3", "usr_one", "ani").await;
    tells(&mut shop, "evt_4", "usr_two", "ani.new").await;
    assert_eq!(found(&admin).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_stores_own_person_the_later_word_of_each_field_counts() {
    let server = Server::start().await;
    let (admin, mut shop) = (server.admin().await, Shop::open(&server, "S001").await);
    let word = |username: &str, name: &str, role: &str, times: FieldTimes| {
        json!({"user_id": "usr_own", "username": username, "name": name, "role": role, "store_id": "S001",
            "disabled": false, "token_version": 1, "times": times, "created_at": NOON, "updated_at": NOON})
    };
    let mut number = 0;
    let mut tell = async |payload: Value| {
        number += 1;
        shop.chain().append(raw("user.changed", &format!("evt_{number}"), STAMP, &payload));
        assert_eq!(shop.push(&shop.batch(number, number)).await.data()["parked"], json!([]));
        let down = shop.speak().get("/api/sync/pull?lane=users").await.data()["changes"].clone();
        let last = down.as_array().unwrap().iter().rfind(|change| change["kind"] == "user");
        last.map(|change| change["payload"].clone())
    };
    let shown = |person: &Value| json!([person["username"], person["name"], person["role"]]);
    let first = FieldTimes::all(NOON);
    assert_eq!(tell(word("ani", "Ani", "cashier", first)).await, None);
    admin.patch(&at("usr_own"), &json!({"name": "Ani W", "role": "store_manager"})).await.data();
    // The store changed another field long before, and sends the whole user now.
    let renamed = FieldTimes { username: UtcMs(NOON.0 + 1), ..first };
    let reported = tell(word("ani.w", "Ani", "cashier", renamed)).await.unwrap();
    let all = json!(["ani.w", "Ani W", "store_manager"]);
    assert_eq!((shown(&person(&admin, "usr_own").await), shown(&reported)), (all.clone(), all));
    // A later change at the store, by its clock.
    let years = UtcMs(4_000_000_000_000);
    let demoted = FieldTimes { role: years, ..renamed };
    let reported = tell(word("ani.w", "Ani", "warehouse_staff", demoted)).await.unwrap();
    let all = json!(["ani.w", "Ani W", "warehouse_staff"]);
    assert_eq!((shown(&person(&admin, "usr_own").await), shown(&reported)), (all.clone(), all));
    // A change based on that one is newer, whatever the clock here shows.
    admin.patch(&at("usr_own"), &json!({"role": "admin"})).await.data();
    let reported = tell(word("ani.w", "Ani", "warehouse_staff", demoted)).await.unwrap();
    assert_eq!(
        (&reported["role"], &reported["times"]["role"]),
        (&json!("admin"), &json!(UtcMs(years.0 + 1)))
    );
}
