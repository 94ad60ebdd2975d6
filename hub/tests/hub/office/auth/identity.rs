//! Log-ins at head office, which work as at a store: refreshed, reused, logged out, changed, by device.

use crate::support::server::{Answer, Api, PASSWORD, Server};
use domain::model::people::user::Role;
use edge::Access;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::client::authenticator::Authenticator;

const ME: &str = "/api/auth/me";
const REFRESH: &str = "/api/auth/refresh";
const FINISH: &str = "/api/auth/webauthn/register/finish";
const REGISTER: &str = "/api/auth/webauthn/register/start";
const DEVICES: &str = "/api/auth/webauthn/credentials";

fn text(data: &Value, name: &str) -> String {
    data[name].as_str().unwrap().to_owned()
}

async fn pair(api: &Api, username: &str, password: &str) -> (String, String) {
    let body = json!({"username": username, "password": password});
    let answer = api.post("/api/auth/login", &body).await;
    (text(answer.data(), "token"), text(answer.data(), "refresh_token"))
}

async fn spend(api: &Api, token: &str, key: &str) -> Answer {
    api.keyed(REFRESH, key, &json!({"refresh_token": token})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_token_works_once_and_a_copy_kills_its_family() {
    let server = Server::start().await;
    let api = server.api();
    let (access, first) = pair(&api, "boss", PASSWORD).await;
    let again = [spend(&api, &first, "k1").await, spend(&api, &first, "k1").await];
    assert_eq!(again[0].data()["refresh_token"], again[1].data()["refresh_token"]);
    let second = text(again[0].data(), "refresh_token");
    // Logs in after a restart, with the alias.
    let server = Server::on(server.stop().await).await;
    let api = server.api();
    let third = api.post("/auth/refresh", &json!({"refresh_token": second})).await;
    let token = api.with_token(third.data()["token"].as_str().unwrap());
    token.get(ME).await.data();
    assert_eq!(spend(&api, &first, "k1").await.refusal(), "401 token_revoked");
    assert_eq!(token.get(ME).await.refusal(), "401 token_revoked");
    assert_eq!(api.with_token(&access).get(ME).await.refusal(), "401 token_revoked");
    let audited = "SELECT COUNT(*) FROM own_audit WHERE action = 'session.refresh_reused'";
    assert_eq!(server.figure(audited).await, 1);
    // Of twenty concurrent requests without a key one gets the next token.
    let (_, token) = pair(&api, "boss", PASSWORD).await;
    let racing: Vec<_> = (0..20)
        .map(|_| {
            let (api, body) = (api.clone(), json!({"refresh_token": token}));
            tokio::spawn(async move { api.post(REFRESH, &body).await })
        })
        .collect();
    let mut good = 0;
    for answer in racing {
        let answer = answer.await.unwrap();
        if answer.status == 200 { good += 1 } else { assert_eq!(answer.refusal(), "401 token_revoked") }
    }
    assert_eq!(good, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn log_outs_passwords_and_changes_of_rights_kill_tokens_for_good() {
    let server = Server::start().await;
    let (api, admin) = (server.api(), server.admin().await);
    let new =
        json!({"username": "Fin", "name": "Fin Ance", "role": "ho_finance", "password": "another-horse-9"});
    let made = admin.keyed("/api/users", "u1", &new).await;
    let path = format!("/api/users/{}", text(made.data(), "id"));
    assert!(admin.keyed("/api/users", "u1", &new).await.replayed);
    assert_eq!(admin.post("/api/users", &new).await.refusal(), "409 duplicate");
    let till = json!({"username": "till", "name": "Till", "role": "cashier"});
    assert_eq!(admin.post("/api/users", &till).await.refusal(), "422 validation_failed");
    let first = api.login("fin", "another-horse-9").await;
    let second = api.login("fin", "another-horse-9").await;
    assert_eq!(first.get("/api/users").await.refusal(), "403 insufficient_role");
    let change = json!({"current_password": "another-horse-9", "new_password": "third-horse-10"});
    first.post("/api/auth/password", &change).await.data();
    first.get(ME).await.data();
    assert_eq!(second.get(ME).await.refusal(), "401 token_revoked");
    first.post("/api/auth/logout", &json!({})).await.data();
    assert_eq!(first.get(ME).await.refusal(), "401 token_revoked");
    let third = api.login("fin", "third-horse-10").await;
    admin.post(&format!("{path}/revoke-tokens"), &json!({})).await.data();
    assert_eq!(third.get(ME).await.refusal(), "401 token_revoked");
    let fourth = api.login("fin", "third-horse-10").await;
    admin.send(Method::PATCH, &path, &json!({"disabled": true})).await.data();
    assert_eq!(fourth.get(ME).await.refusal(), "403 account_disabled");
    let body = json!({"username": "fin", "password": "third-horse-10"});
    assert_eq!(api.post("/api/auth/login", &body).await.refusal(), "403 account_disabled");
    let server = Server::on(server.stop().await).await;
    let api = server.api();
    assert_eq!(api.post("/api/auth/login", &body).await.refusal(), "403 account_disabled");
    // Failed log-ins are remembered across a restart.
    let guess = json!({"username": "boss", "password": "wrong horse"});
    for _ in 0..5 {
        assert_eq!(api.post("/api/auth/login", &guess).await.refusal(), "401 invalid_credentials");
    }
    let server = Server::on(server.stop().await).await;
    assert_eq!(server.api().post("/api/auth/login", &guess).await.refusal(), "429 rate_limited");
    // The audit log has the refusals, and the changes of users with who made them.
    for query in [
        "SELECT COUNT(*) FROM own_audit WHERE action = 'log_in.refused' AND user_id <> ''",
        "SELECT COUNT(*) FROM own_audit WHERE action = 'request.refused' AND user_id <> ''",
        "SELECT COUNT(*) FROM own_audit WHERE action = 'user.created' AND user_id <> ''",
        "SELECT COUNT(*) FROM own_audit WHERE action = 'user.changed' AND user_id <> ''",
        "SELECT COUNT(*) FROM own_audit WHERE action = 'user.tokens_revoked' AND user_id <> ''",
    ] {
        let found = server.figure(query).await;
        assert!((1..=3).contains(&found), "{query}: {found}");
    }
}

/// Starts a registration and returns the body that finishes it.
async fn registration(api: &Api, password: &str, device: &mut Authenticator) -> Value {
    let begun = api.post(REGISTER, &json!({"password": password})).await;
    let credential = device.register(&begun.data()["public_key"]);
    json!({"ceremony_id": begun.data()["ceremony_id"], "name": "Thumb", "credential": credential})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_removes_devices_and_an_administrator_lists_and_removes_them() {
    let server = Server::start().await;
    let (api, admin) = (server.api(), server.admin().await);
    let password = "another-horse-9";
    let new = json!({"username": "fin", "name": "Fin Ance", "role": "ho_finance", "password": password});
    let id = text(admin.post("/api/users", &new).await.data(), "id");
    let (user, devices) = (format!("/api/users/{id}"), format!("/api/users/{id}/devices"));
    let log_in = |device: &mut Authenticator| {
        let (api, mut taken) =
            (api.clone(), std::mem::replace(device, Authenticator::new("http://localhost:0", None)));
        async move {
            let begun = api.post("/api/auth/webauthn/login/start", &json!({"username": "fin"})).await;
            let credential = taken.assert(&begun.data()["public_key"]);
            let body = json!({"ceremony_id": begun.data()["ceremony_id"], "credential": credential});
            api.post("/api/auth/webauthn/login/finish", &body).await.refusal()
        }
    };
    let mut password = password;
    for how in ["removed", "command", "revoked", "by command", "password", "own", "disabled"] {
        let fin = api.login("fin", password).await;
        assert_eq!(
            fin.post(REGISTER, &json!({"password": "wrong"})).await.refusal(),
            "401 invalid_credentials"
        );
        let mut thumb = Authenticator::new("http://localhost:0", None);
        let body = registration(&fin, password, &mut thumb).await;
        fin.post(FINISH, &body).await.data();
        let listed = admin.get(&devices).await;
        assert_eq!(listed.data()["items"][0]["credential_id"], json!(thumb.credential_id()), "{how}");
        assert_eq!(fin.get(&devices).await.refusal(), "403 insufficient_role");
        let change = |body: Value| {
            let (admin, user) = (admin.clone(), user.clone());
            async move { admin.send(Method::PATCH, &user, &body).await }
        };
        assert_eq!(change(json!({"name": how})).await.data()["devices_removed"], 0, "{how}");
        let reported = match how {
            "removed" => {
                let path = format!("{devices}/{}", thumb.credential_id());
                admin.send(Method::DELETE, &path, &json!({})).await.data();
                assert_eq!(admin.send(Method::DELETE, &path, &json!({})).await.refusal(), "404 not_found");
                json!({"devices_removed": 1})
            }
            "command" => {
                let id = thumb.credential_id();
                let listed = server.place.run(&["user", "devices", "fin"], "");
                assert!(crate::support::server::stdout(&listed).contains(&id));
                assert!(!server.place.run(&["user", "remove-device", "fin", "none"], "").status.success());
                assert!(server.place.run(&["user", "remove-device", "fin", &id], "").status.success());
                json!({"devices_removed": 1})
            }
            "revoked" => admin.post(&format!("{user}/revoke-tokens"), &json!({})).await.data().clone(),
            "by command" => {
                let said = crate::support::server::stdout(&server.place.run(&["user", "revoke", "fin"], ""));
                assert!(said.contains("devices removed: 1"), "{said}");
                json!({"devices_removed": 1})
            }
            "password" => {
                password = "a-third-horse-9";
                change(json!({"password": password})).await.data().clone()
            }
            "own" => {
                let new = "a-fourth-horse-9";
                let body = json!({"current_password": password, "new_password": new});
                password = new;
                fin.post("/api/auth/password", &body).await.data().clone()
            }
            _ => change(json!({"disabled": true})).await.data().clone(),
        };
        assert_eq!(reported["devices_removed"], 1, "{how}: {reported}");
        assert_eq!(admin.get(&devices).await.data()["items"], json!([]), "{how}");
        assert_eq!(log_in(&mut thumb).await, "401 invalid_credentials", "{how}");
    }
    assert_eq!(server.figure("SELECT COUNT(*) FROM passkeys").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_log_in_and_a_copy_of_one_does_not() {
    let server = Server::start().await;
    let (api, admin) = (server.api(), server.admin().await);
    let mut thumb = Authenticator::new("http://localhost:0", Some(1));
    assert_eq!(admin.post(REGISTER, &json!({})).await.refusal(), "422 validation_failed");
    let body = registration(&admin, PASSWORD, &mut thumb).await;
    admin.keyed(FINISH, "k1", &body).await.data();
    assert!(admin.keyed(FINISH, "k1", &body).await.replayed);
    let start = json!({"username": "boss"});
    let begin = || async { api.post("/api/auth/webauthn/login/start", &start).await.data().clone() };
    let finish = |begun: &Value, credential: Value| {
        let body = json!({"ceremony_id": begun["ceremony_id"], "credential": credential});
        let api = api.clone();
        async move { api.post("/api/auth/webauthn/login/finish", &body).await }
    };
    let begun = begin().await;
    let credential = thumb.assert(&begun["public_key"]);
    let answer = finish(&begun, credential.clone()).await;
    api.with_token(answer.data()["token"].as_str().unwrap()).get(ME).await.data();
    assert_eq!(finish(&begun, credential).await.refusal(), "401 invalid_credentials");
    // Two ceremonies with the same count: the second one finds the stored count ahead.
    let (one, two) = (begin().await, begin().await);
    let credential = thumb.assert(&one["public_key"]);
    let copied = thumb.assert_again(&two["public_key"], "webauthn.get");
    finish(&one, credential).await.data();
    assert_eq!(finish(&two, copied).await.refusal(), "401 invalid_credentials");
    let listed = admin.get(DEVICES).await;
    assert_eq!(listed.data()["items"][0]["name"], "Thumb");
    let path = format!("{DEVICES}/{}", thumb.credential_id());
    admin.send(Method::DELETE, &path, &json!({})).await.data();
    assert_eq!(admin.get(DEVICES).await.data()["items"], json!([]));
    let begun = begin().await;
    let late = thumb.assert(&begun["public_key"]);
    assert_eq!(finish(&begun, late).await.refusal(), "401 invalid_credentials");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_role_meets_its_cell_of_the_table_and_stores_open_nothing() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for role in [Role::HoFinance, Role::HoPurchasing] {
        let new = json!({"username": role.name(), "name": "N", "role": role, "password": "another-horse-9"});
        admin.post("/api/users", &new).await.data();
    }
    // A well-formed and signed token of a store is not valid at head office.
    let key = edge::keys::SigningKey::generate().unwrap();
    let store = edge::tokens::Keys::new(key, "store-router:S001");
    let stranger = domain::model::people::user::User {
        user_id: domain::model::base::ids::UserId("usr_1".into()),
        username: "boss".into(),
        name: "Boss".into(),
        role: Role::Admin,
        store_id: domain::model::base::ids::StoreId("S001".into()),
        password_hash: None,
        times: domain::model::people::user::FieldTimes::default(),
        token_version: 1,
        disabled: false,
        created_at: edge::clock::now(),
        updated_at: edge::clock::now(),
    };
    let session = domain::model::base::ids::SessionId("ses_1".into());
    let foreign = store.issue_access(&stranger, &session, edge::clock::now()).unwrap().token;
    let strangers =
        [(server.api(), "401 missing_token"), (server.api().with_token(&foreign), "401 invalid_token")];
    for role in Role::HEAD_OFFICE {
        let name = if role == Role::Admin { "boss" } else { role.name() };
        let password = if role == Role::Admin { PASSWORD } else { "another-horse-9" };
        let api = server.api().login(name, password).await;
        for route in cloud_hub::routes::ROUTES.iter() {
            let (Access::Roles(roles) | Access::CookieOr(roles)) = route.access else { continue };
            if route.pattern == "/api/auth/logout" {
                continue;
            }
            let path: Vec<&str> = route
                .pattern
                .split('/')
                .map(|part| if part.starts_with(':') { "none" } else { part })
                .collect();
            let path = path.join("/");
            let answer = api.send(route.method.clone(), &path, &json!({})).await;
            let refused = answer.refusal() == "403 insufficient_role";
            assert_eq!(refused, !roles.contains(&role), "{} {path} as {name}: {answer:?}", route.method);
            for (stranger, refusal) in &strangers {
                let answer = stranger.send(route.method.clone(), &path, &json!({})).await;
                assert_eq!(answer.refusal(), *refusal, "{} {path}", route.method);
            }
        }
    }
}
