//! PINs: at which till they are accepted, how many attempts they allow, what ends them, and approvals with them.

use crate::identity::guesses::hashes;
use serde_json::{Value, json};
use std::thread;
use testkit::client::{Client, Reply};
use testkit::store::{PASSWORD, Store};

const OWN: &str = "/api/auth/pin";
const PIN: &str = "4711";

/// Logs in with a password and returns the answer.
fn logged_in(store: &Store, who: &str, password: &str) -> Value {
    let body = json!({"username": format!("{who}@s001.example"), "password": password});
    store.client().post("/api/auth/login", &body).data(200)
}

/// Returns the token that a till keeps of a person who logs in there with a password.
fn till(store: &Store, who: &str) -> String {
    logged_in(store, who, PASSWORD)["till_token"].as_str().unwrap().to_owned()
}

fn put(client: &mut Client, body: &Value) -> Reply {
    client.send("PUT", OWN, &[], body.to_string().as_bytes())
}

/// Sets the PIN of a person.
fn choose(store: &Store, who: &str) -> Client {
    let mut client = store.login(who);
    assert_eq!(put(&mut client, &json!({"pin": PIN, "password": PASSWORD})).data(200), json!({}));
    client
}

fn by_pin(store: &Store, till_token: &str, pin: &str) -> Reply {
    store.client().post("/api/auth/login/pin", &json!({"till_token": till_token, "pin": pin}))
}

#[test]
fn a_pin_works_at_a_till_that_knows_its_owner_and_nowhere_else() {
    let mut store = Store::open_with("", 2);
    let first = logged_in(&store, "till-1", PASSWORD);
    assert_eq!(first["has_pin"], json!(false));
    let mut ani = store.login("till-1");
    assert_eq!(ani.get(OWN).data(200), json!({"set_at": null, "is_locked": false}));
    put(&mut ani, &json!({"pin": PIN})).invalid_field("password");
    put(&mut ani, &json!({"pin": PIN, "password": "wrong horse"})).refused(401, "invalid_credentials");
    for bad in ["471", "471147114", "47a1", "1111", "2345", "9876"] {
        put(&mut ani, &json!({"pin": bad, "password": PASSWORD})).invalid_field("pin");
    }
    choose(&store, "till-1");
    assert!(ani.get(OWN).data(200)["set_at"].is_string());
    let ani_here = first["till_token"].as_str().unwrap();
    let opened = by_pin(&store, ani_here, PIN).data(200);
    assert_eq!((&opened["user"]["role"], &opened["has_pin"]), (&json!("cashier"), &json!(true)));
    let token = opened["token"].as_str().unwrap();
    store.client().with_token(token).get("/api/auth/me").data(200);
    // The next token of this till works. Another till's token belongs to another person.
    by_pin(&store, opened["till_token"].as_str().unwrap(), PIN).data(200);
    by_pin(&store, &till(&store, "till-2"), PIN).refused(401, "invalid_credentials");
    // Every token is valid for one purpose.
    for other in [token, opened["refresh_token"].as_str().unwrap(), "", "a.b.c"] {
        by_pin(&store, other, PIN).refused(401, "invalid_token");
    }
    store.client().with_token(ani_here).get("/api/auth/me").refused(401, "invalid_token");
    let renewed = json!({"refresh_token": ani_here});
    store.client().post("/api/auth/refresh", &renewed).refused(401, "invalid_token");
    by_pin(&store, ani_here, "47112").refused(401, "invalid_credentials");
    by_pin(&store, ani_here, "no pin").invalid_field("pin");
    store.kill9();
    store.start();
    by_pin(&store, ani_here, PIN).data(200);
    let rows = store.login("manager").get("/api/audit?action=session.opened").data(200)["items"].clone();
    assert!(rows.as_array().unwrap().iter().any(|row| row["details"]["by"] == "pin"), "{rows}");
    let mut ani = store.login("till-1");
    ani.send("DELETE", OWN, &[], b"").data(200);
    ani.send("DELETE", OWN, &[], b"").refused(404, "not_found");
    by_pin(&store, ani_here, PIN).refused(401, "invalid_credentials");
    store.stop();
    store.verify();
}

#[test]
fn five_wrong_pins_in_a_row_lock_it_over_kills_until_the_password_is_used() {
    let mut store = Store::open_with("", 1);
    choose(&store, "till-1");
    let (here, there) = (till(&store, "till-1"), till(&store, "till-1"));
    let wrong = |store: &Store, till: &str, times: usize| {
        for _ in 0..times {
            by_pin(store, till, "4712").refused(401, "invalid_credentials");
        }
    };
    // A right PIN resets the count of wrong ones.
    wrong(&store, &here, 4);
    by_pin(&store, &here, PIN).data(200);
    wrong(&store, &here, 2);
    store.kill9();
    store.start();
    wrong(&store, &there, 2);
    store.kill9();
    store.start();
    by_pin(&store, &here, "4712").refused(403, "pin_locked");
    let before = hashes(store.client());
    for till in [&here, &there] {
        by_pin(&store, till, PIN).refused(403, "pin_locked");
    }
    assert_eq!(hashes(store.client()), before, "a locked PIN must not be compared");
    store.kill9();
    store.start();
    by_pin(&store, &here, PIN).refused(403, "pin_locked");
    let mut ani = store.login("till-1");
    assert_eq!(ani.get(OWN).data(200)["is_locked"], json!(false));
    by_pin(&store, &here, PIN).data(200);
    // Concurrent attempts are counted one by one, whether their clients wait for the answer or not.
    let before = hashes(store.client());
    let statuses: Vec<u16> = thread::scope(|scope| {
        let threads: Vec<_> = (0..12).map(|_| scope.spawn(|| by_pin(&store, &here, "4712").status)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(statuses.iter().all(|status| [401, 403].contains(status)), "{statuses:?}");
    assert_eq!(hashes(store.client()) - before, 5);
    assert_eq!(ani.get(OWN).data(200)["is_locked"], json!(true));
    store.stop();
    store.verify();
}

#[test]
fn a_wrong_pin_and_no_pin_cost_and_tell_the_same() {
    let store = Store::open_with("", 2);
    choose(&store, "till-1");
    let answer = |who: &str| {
        let token = till(&store, who);
        let before = hashes(store.client());
        let error = by_pin(&store, &token, "4712").refused(401, "invalid_credentials");
        assert_eq!(hashes(store.client()) - before, 1, "{who}");
        (error["message"].clone(), error["details"].clone())
    };
    assert_eq!(answer("till-1"), answer("till-2"));
}

#[test]
fn a_revocation_of_tokens_ends_the_pin_for_good() {
    let mut store = Store::open_with("", 4);
    let mut manager = store.login("manager");
    let mut dead = Vec::new();
    for (who, how) in
        [("till-1", "revoked"), ("till-2", "password"), ("till-3", "disabled"), ("till-4", "own")]
    {
        let mut own = choose(&store, who);
        let here = till(&store, who);
        let id = own.get("/api/auth/me").data(200)["user"]["id"].as_str().unwrap().to_owned();
        let patch = |manager: &mut Client, change: Value| {
            let path = format!("/api/users/{id}");
            manager.send("PATCH", &path, &[], change.to_string().as_bytes()).data(200)
        };
        patch(&mut manager, json!({"name": "Another"}));
        by_pin(&store, &here, PIN).data(200);
        match how {
            "revoked" => manager.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).data(200),
            "password" => patch(&mut manager, json!({"password": "another horse"})),
            "disabled" => patch(&mut manager, json!({"disabled": true})),
            _ => {
                let change = json!({"current_password": PASSWORD, "new_password": "another horse"});
                own.post("/api/auth/password", &change).data(200)
            }
        };
        by_pin(&store, &here, PIN).refused(401, "token_revoked");
        if how == "disabled" {
            patch(&mut manager, json!({"disabled": false}));
        }
        let password = if ["password", "own"].contains(&how) { "another horse" } else { PASSWORD };
        dead.push((who, here, password));
    }
    store.kill9();
    store.start();
    for (who, before, password) in dead {
        by_pin(&store, &before, PIN).refused(401, "token_revoked");
        let again = logged_in(&store, who, password);
        assert_eq!(again["has_pin"], json!(false), "{who}");
        let token = again["till_token"].as_str().unwrap();
        by_pin(&store, token, PIN).refused(401, "invalid_credentials");
    }
    store.stop();
    store.verify();
}

#[test]
fn a_manager_approves_with_a_pin_at_a_till_that_knows_the_manager() {
    let store = Store::open_with("shifts.variance_tolerance = 100\n", 1);
    choose(&store, "manager");
    let (boss_here, ani_here) = (till(&store, "manager"), till(&store, "till-1"));
    let mut ani = choose(&store, "till-1");
    let shift = ani.post("/api/shifts/open", &json!({"opening_float": 1000})).data(201);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    let approved = |till_token: &str, pin: &str| json!({"counted_cash": 5000, "approval": {"till_token": till_token, "pin": pin}});
    ani.post(&close, &approved(&boss_here, "4712")).refused(403, "approval_refused");
    ani.post(&close, &approved("a.b.c", PIN)).refused(403, "approval_refused");
    ani.post(&close, &approved(&ani_here, PIN)).refused(403, "approval_required");
    ani.post(&close, &approved(&boss_here, "47")).invalid_field("approval.pin");
    ani.post(&close, &approved(&boss_here, PIN)).data(200);
    let mut manager = store.login("manager");
    let rows = manager.get("/api/audit?action=shift.variance_approved").data(200)["items"].clone();
    assert!(rows[0]["approved_by_name"].is_string(), "{rows}");
    // Five wrong PINs lock it, wherever they are typed.
    for _ in 0..4 {
        by_pin(&store, &boss_here, "4712").refused(401, "invalid_credentials");
    }
    let shift = ani.post("/api/shifts/open", &json!({"opening_float": 1000})).data(201);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    ani.post(&close, &approved(&boss_here, "4712")).refused(403, "pin_locked");
    // After any number of attempts with the locked PIN the manager's password still works.
    for _ in 0..6 {
        ani.post(&close, &approved(&boss_here, PIN)).refused(403, "pin_locked");
    }
    let by_password = json!({"username": "manager@s001.example", "password": PASSWORD});
    ani.post(&close, &json!({"counted_cash": 5000, "approval": by_password})).data(200);
}
