#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]
//! The role table, tested on a running shop: every route with every role and without one.

use crate::app::App;
use crate::cli::init;
use crate::config::Config;
use crate::folder;
use crate::http::ROUTES;
use domain::model::base::event::fact;
use domain::model::base::ids::{StoreId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Role, User};
use edge::passwords::{Params, hash_now};
use edge::{Access, clock, ids};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const PASSWORD: &str = "right horse";

/// A shop of its own folder and port, with one user of each role.
struct Running {
    address: SocketAddr,
    client: Client,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<anyhow::Result<()>>,
    _folder: TempDir,
}

impl Running {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.storage.path = folder.path().join("data");
        config.storage.min_free_bytes = 0;
        config.auth.argon2.memory_kib = 19_456;
        config.auth.argon2.iterations = 2;
        let prepared = config.clone();
        tokio::task::spawn_blocking(move || prepare(&prepared)).await.unwrap();
        let app = App::open(&config.clone().into()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let ended = tokio::spawn(app.run(listener, async {
            let _ = stopped.await;
        }));
        Self { address, client: Client::new(), stop: Some(stop), ended, _folder: folder }
    }

    async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        drop(self.client);
        self.ended.await.unwrap().unwrap();
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let request = self.client.request(method.parse().unwrap(), format!("http://{}{path}", self.address));
        let request = token.into_iter().fold(request, reqwest::RequestBuilder::bearer_auth);
        let request = body.into_iter().fold(request, |request, body| request.json(&body));
        let response = request.send().await.unwrap();
        let status = response.status();
        if response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream") {
            // It has no end.
            return (status, Value::Null);
        }
        (status, response.json().await.unwrap_or(Value::Null))
    }

    async fn login(&self, username: &str, password: &str) -> (StatusCode, Value) {
        let body = json!({"username": username, "password": password});
        self.send("POST", "/api/auth/login", None, Some(body)).await
    }

    async fn token(&self, role: Role) -> String {
        let (status, answer) = self.login(role.name(), PASSWORD).await;
        assert_eq!(status, 200, "{answer}");
        answer["data"]["token"].as_str().unwrap().to_owned()
    }
}

fn prepare(config: &Config) {
    edge::private::new_files_only_for_owner();
    let hash = hash_now(Params::LEAST, PASSWORD).unwrap();
    init::store(config, user(Role::Admin, "first", &hash, false)).unwrap();
    let storage = folder::open(config).unwrap();
    let users = Role::ALL.into_iter().map(|role| user(role, role.name(), &hash, false));
    let users = users.chain([user(Role::Cashier, "gone", &hash, true)]);
    let events = users.map(|user| fact::UserChanged { user }.into()).collect();
    crate::cli::commit::commit(&storage, events).unwrap();
    folder::close(storage).unwrap();
}

fn user(role: Role, username: &str, hash: &str, disabled: bool) -> User {
    User {
        user_id: UserId(ids::new("usr_")),
        username: username.to_owned(),
        name: username.to_owned(),
        role,
        store_id: StoreId("S001".to_owned()),
        password_hash: Some(hash.to_owned()),
        times: FieldTimes::default(),
        token_version: 1,
        disabled,
        created_at: UtcMs(clock::now().0),
        updated_at: UtcMs(clock::now().0),
    }
}

/// A path of the pattern; nothing has these IDs, so that an allowed request ends with 404, not with harm.
fn path_of(pattern: &str) -> String {
    pattern
        .split('/')
        .map(|part| if part.starts_with(':') { "none" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_role_meets_its_cell_of_the_table() {
    let shop = Running::start().await;
    for role in Role::ALL {
        let mut token = shop.token(role).await;
        for route in ROUTES {
            let roles = match route.access {
                Access::Roles(roles) | Access::CookieOr(roles) => roles,
                Access::Public | Access::LoopbackOr(_) | Access::SyncToken => continue,
            };
            let path = path_of(route.pattern);
            let body = (route.method == "POST").then(|| json!({}));
            let (status, answer) = shop.send(route.method.as_str(), &path, Some(&token), body.clone()).await;
            let refused = status == 403 && answer["error"]["code"] == "insufficient_role";
            assert_eq!(
                refused,
                !roles.contains(&role),
                "{} {path} as {}: {status} {answer}",
                route.method,
                role.name()
            );
            if route.pattern == "/api/auth/logout" {
                token = shop.token(role).await;
            }
            let (status, answer) = shop.send(route.method.as_str(), &path, None, body).await;
            assert_eq!((status.as_u16(), &answer["error"]["code"]), (401, &json!("missing_token")), "{path}");
        }
    }
    shop.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn logins_tell_nothing_and_stop_guessing() {
    let shop = Running::start().await;
    let (status, known) = shop.login("cashier", "wrong horse").await;
    let (_, unknown) = shop.login("nobody", "wrong horse").await;
    assert_eq!((status.as_u16(), &known["error"]["code"]), (401, &json!("invalid_credentials")));
    assert_eq!(known["error"]["message"], unknown["error"]["message"]);
    let (status, answer) = shop.login("gone", "wrong horse").await;
    assert_eq!((status.as_u16(), &answer["error"]["code"]), (401, &json!("invalid_credentials")));
    let (status, answer) = shop.login("gone", PASSWORD).await;
    assert_eq!((status.as_u16(), &answer["error"]["code"]), (403, &json!("account_disabled")));
    for body in [
        json!({"password": PASSWORD}),
        json!({"username": "cashier", "email": "cashier", "password": PASSWORD}),
        json!({"username": "cashier", "password": PASSWORD, "remember": true}),
        json!({"username": "cashier", "password": 1}),
    ] {
        let (status, answer) = shop.send("POST", "/auth/login", None, Some(body)).await;
        assert_eq!(
            (status.as_u16(), &answer["error"]["code"]),
            (422, &json!("validation_failed")),
            "{answer}"
        );
    }
    let body = json!({"email": " CASHIER ", "password": PASSWORD});
    let (status, answer) = shop.send("POST", "/auth/login", None, Some(body)).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(
        (&answer["data"]["expires_in"], &answer["data"]["user"]["role"]),
        (&json!(3600), &json!("cashier"))
    );
    for _ in 0..5 {
        assert_eq!(shop.login("cashier", "wrong horse").await.0, 401);
    }
    let (status, answer) = shop.login("cashier", PASSWORD).await;
    assert_eq!((status.as_u16(), &answer["error"]["code"]), (429, &json!("rate_limited")));
    shop.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn health_is_for_everyone_and_metrics_for_this_machine() {
    let shop = Running::start().await;
    let (status, answer) = shop.send("GET", "/health", None, None).await;
    assert_eq!((status.as_u16(), &answer["data"]["status"]), (200, &json!("ok")));
    assert_eq!(shop.send("GET", "/health/ready", None, None).await.0, 200);
    let metrics = shop.client.get(format!("http://{}/metrics", shop.address)).send().await.unwrap();
    let text = metrics.text().await.unwrap();
    for name in ["sr_journal_fdatasyncs", "sr_outbox_unacked", "http_requests_total"] {
        assert!(text.contains(name), "{name} is missing:\n{text}");
    }
    shop.stop().await;
}
