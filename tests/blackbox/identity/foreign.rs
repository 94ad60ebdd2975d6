//! A token is valid for one program and one purpose: every documented operation of store and hub is called without a
//! token, with valid ones of the other program, with the store's own for its hub, and with refresh tokens.

use edge::keys::SigningKey;
use edge::{clock, tokens::sync};
use serde_json::{Value, json};
use std::path::Path;
use testkit::Client;
use testkit::hub::Hub;
use testkit::linked::Linked;
use testkit::store::{PASSWORD, STORE_ID, Store};

/// Logs in and returns the access and the refresh token.
fn pair(mut client: Client, username: &str) -> [String; 2] {
    let data = client.post("/api/auth/login", &json!({"username": username, "password": PASSWORD})).data(200);
    ["token", "refresh_token"].map(|name| data[name].as_str().unwrap().to_owned())
}

/// Returns the operations of a document that require this kind of token.
fn guarded(name: &str, scheme: &str) -> Vec<(String, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi").join(format!("{name}.json"));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { "none" } else { part }).collect();
        for (method, operation) in methods.as_object().unwrap() {
            if operation["security"] == json!([{scheme: []}]) {
                found.push((method.to_uppercase(), path.join("/")));
            }
        }
    }
    found
}

/// Asserts that none of these tokens is accepted by any of those operations.
fn all_refused(
    client: impl Fn() -> Client,
    operations: &[(String, String)],
    tokens: &[(&str, &dyn Fn() -> String)],
) {
    let json = [("Content-Type", "application/json")];
    for (method, path) in operations {
        client().send(method, path, &json, b"{}").refused(401, "missing_token");
        for (whose, token) in tokens {
            let answer = client().with_token(&token()).send(method, path, &json, b"{}");
            assert_eq!(answer.status, 401, "{method} {path} with {whose}: {}", answer.text());
            answer.refused(401, "invalid_token");
        }
    }
}

#[test]
fn enrolling_again_ends_a_copied_key() {
    let mut shop = Linked::open();
    let (hub, store) = (&shop.hub, &shop.store);
    let copied = SigningKey::load(&store.data().join("keys/sync.pem")).unwrap();
    let pull = || {
        let token = sync::issue(&copied, STORE_ID, "H001", clock::now()).unwrap();
        hub.client().with_token(&token).get("/api/sync/pull")
    };
    pull().data(200);
    hub.enrol_again(store);
    pull().refused(403, "store_replaced");
    // The running store signs with its new key.
    let movement = json!({"type": "pay_in", "amount": 5_000, "reason": "change"});
    let shift = shop.till.get("/api/shifts/current").data(200)["shift_id"].clone();
    let path = format!("/api/shifts/{}/cash-movements", shift.as_str().unwrap());
    shop.till.post(&path, &movement).data(201);
    shop.synced();
}

#[test]
fn no_token_opens_what_it_was_not_given_for() {
    let hub = Hub::open();
    let mut store = Store::prepare("", 1);
    hub.enrol(&store);
    store.start();
    let [manager, store_refresh] = pair(store.client(), "manager@s001.example");
    let [admin, hub_refresh] = pair(hub.client(), "admin@hub.example");
    let key = SigningKey::load(&store.data().join("keys/sync.pem")).unwrap();
    let own = || sync::issue(&key, STORE_ID, "H001", clock::now()).unwrap();
    // Each token is accepted where it belongs.
    store.client().with_token(&manager).get("/api/auth/me").data(200);
    hub.client().with_token(&admin).get("/api/auth/me").data(200);
    hub.client().with_token(&own()).get("/api/sync/pull").data(200);
    let (manager, admin) = (|| manager.clone(), || admin.clone());
    let (store_refresh, hub_refresh) = (|| store_refresh.clone(), || hub_refresh.clone());

    let operations = guarded("store-router", "bearer");
    assert!(operations.len() > 90, "{} operations of the store", operations.len());
    all_refused(
        || store.client(),
        &operations,
        &[
            ("an administrator of head office", &admin),
            ("head office's refresh token", &hub_refresh),
            ("the store's own token for its hub", &own),
            ("a refresh token", &store_refresh),
        ],
    );
    let operations = guarded("cloud-hub", "bearer");
    assert!(operations.len() > 40, "{} operations of the hub", operations.len());
    all_refused(
        || hub.client(),
        &operations,
        &[
            ("a store's manager", &manager),
            ("a store's refresh token", &store_refresh),
            ("a store's token for its hub", &own),
            ("a refresh token", &hub_refresh),
        ],
    );
    let operations = guarded("cloud-hub", "sync");
    assert!(operations.len() >= 6, "{} operations for stores", operations.len());
    all_refused(
        || hub.client(),
        &operations,
        &[
            ("an administrator of head office", &admin),
            ("a store's manager", &manager),
            ("a refresh token", &hub_refresh),
        ],
    );
}
