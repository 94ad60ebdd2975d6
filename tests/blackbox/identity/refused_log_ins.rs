//! Refused log-ins are in the audit log, in a few rows however often they happen.

use serde_json::{Value, json};
use testkit::Client;
use testkit::store::{PASSWORD, Store};

fn audit(manager: &mut Client, action: &str) -> Vec<Value> {
    let page = manager.get(&format!("/api/audit?action={action}&limit=500")).data(200);
    page["items"].as_array().unwrap().clone()
}

#[test]
fn refused_log_ins_take_few_rows_of_the_audit_log_and_reveal_no_secret() {
    let mut store = Store::open_with("", 1);
    let log_in = |username: &str, password: &str| {
        store.client().post("/api/auth/login", &json!({"username": username, "password": password}))
    };
    let me = store.login("till-1").get("/api/auth/me").data(200)["user"].clone();
    for _ in 0..5 {
        log_in("till-1@s001.example", "my other secret").refused(401, "invalid_credentials");
    }
    for _ in 0..20 {
        log_in("till-1@s001.example", PASSWORD).refused(429, "rate_limited");
    }
    // A password was typed into the wrong field.
    log_in("my secret by mistake", "x").refused(401, "invalid_credentials");
    let mut manager = store.login("manager");
    // The name is locked, but its earlier session is not.
    let mut till = store.login("warehouse");
    for _ in 0..7 {
        till.get("/api/audit").refused(403, "insufficient_role");
    }
    manager
        .post("/api/users", &json!({"username": "x@s001.example", "name": "X", "role": "cashier"}))
        .data(201);
    store.stop();
    store.start();
    let mut manager = store.login("manager");
    let rows = audit(&mut manager, "log_in.refused");
    let count = |user_id: &Value, why: &str| -> u64 {
        let of = |row: &&Value| row["user_id"] == *user_id && row["details"]["why"] == why;
        rows.iter().filter(of).map(|row| row["details"]["count"].as_u64().unwrap()).sum()
    };
    assert_eq!(count(&me["id"], "invalid_credentials"), 5, "{rows:?}");
    assert_eq!(count(&json!(""), "rate_limited"), 20, "{rows:?}");
    assert_eq!(count(&json!(""), "invalid_credentials"), 1, "{rows:?}");
    assert!(rows.len() <= 6, "{rows:?}");
    assert_eq!(rows[0]["details"]["address"], "127.0.0.1");
    let denied = audit(&mut manager, "request.refused");
    let times: u64 = denied.iter().map(|row| row["details"]["count"].as_u64().unwrap()).sum();
    assert_eq!((times, &denied[0]["details"]["why"]), (7, &json!("/api/audit")));
    let by_people = audit(&mut manager, "user.created").iter().filter(|row| row["user_id"] != "").count();
    assert_eq!(by_people, 1, "one user was created by a person; the others by commands on the machine");
    assert!(audit(&mut manager, "session.opened").len() >= 3);
    assert!(!manager.get("/api/audit?limit=500").text().contains("secret"));
    assert!(!store.log().contains("my other secret") && !store.log().contains("secret by mistake"));
}
