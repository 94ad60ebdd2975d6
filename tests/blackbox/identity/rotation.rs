//! `rotate-keys` while the daemon runs: sessions stay valid, unless an option ends them.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use testkit::client::Client;
use testkit::hub::Hub;
use testkit::store::{PASSWORD, Store};
use testkit::{process, wait};

const ME: &str = "/api/auth/me";

/// Logs in and returns the access and the refresh token.
fn pair(mut client: Client, username: &str) -> (String, String) {
    let data = client.post("/api/auth/login", &json!({"username": username, "password": PASSWORD})).data(200);
    let text = |name: &str| data[name].as_str().unwrap().to_owned();
    (text("token"), text("refresh_token"))
}

fn kid(token: &str) -> Value {
    let head = URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap();
    serde_json::from_slice::<Value>(&head).unwrap()["kid"].clone()
}

#[test]
fn a_shop_continues_under_another_key() {
    let mut store = Store::open_with("", 1);
    let (access, refresh) = pair(store.client(), "till-1@s001.example");
    process::succeed(store.command(&["rotate-keys"]), "");
    store.client().with_token(&access).get(ME).data(200);
    store.daemon().signal("HUP");
    wait::until("the new key is in use", || {
        (kid(&pair(store.client(), "till-1@s001.example").0) != kid(&access)).then_some(())
    });
    let goes_on = |store: &Store| {
        store.client().with_token(&access).get(ME).data(200);
    };
    goes_on(&store);
    store.kill9();
    store.start();
    goes_on(&store);
    let renewed = store.client().post("/api/auth/refresh", &json!({"refresh_token": refresh})).data(200);
    assert_ne!(kid(renewed["token"].as_str().unwrap()), kid(&access));
    // The key may be known to somebody else.
    process::succeed(store.command(&["rotate-keys", "--at-once"]), "");
    store.daemon().signal("HUP");
    wait::until("the old keys are no longer accepted", || {
        (store.client().with_token(&access).get(ME).status == 401).then_some(())
    });
    store.client().with_token(&access).get(ME).refused(401, "invalid_token");
    store.client().with_token(renewed["token"].as_str().unwrap()).get(ME).refused(401, "invalid_token");
    let (access, _) = pair(store.client(), "till-1@s001.example");
    store.client().with_token(&access).get(ME).data(200);
    // The key file is lost.
    let refused = process::run(store.command(&["rotate-keys", "--new"]), "");
    assert_eq!(refused.status.code(), Some(1), "the key exists: {}", process::said(&refused));
    store.stop();
    std::fs::remove_file(store.data().join("keys/tokens.pem")).unwrap();
    let (code, said) = store.refuses_to_start();
    assert!(code == 1 && said.contains("rotate-keys --new"), "{code}: {said}");
    process::succeed(store.command(&["rotate-keys", "--new"]), "");
    store.start();
    store.client().with_token(&access).get(ME).refused(401, "invalid_token");
    pair(store.client(), "till-1@s001.example");
}

#[test]
fn head_office_continues_under_another_key() {
    let hub = Hub::open();
    let (access, refresh) = pair(hub.client(), "admin@hub.example");
    process::succeed(hub.command(&["rotate-keys"]), "");
    hub.signal("HUP");
    wait::until("the new key is in use", || {
        (kid(&pair(hub.client(), "admin@hub.example").0) != kid(&access)).then_some(())
    });
    hub.client().with_token(&access).get(ME).data(200);
    hub.client().post("/api/auth/refresh", &json!({"refresh_token": refresh})).data(200);
}
