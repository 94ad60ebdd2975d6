//! A small server with the edge: routes that show the input of a handler, and functions to call them.

use super::client::{Answer, Client};
use domain::model::base::answer;
use domain::model::base::ids::SessionId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Principal, Role, User};
use edge::{
    Access, ApiError, Authority, BodyKind, Doc, Limits, Reply, Request, Route,
    keys::SigningKey,
    page::{Cursor, Limit, List},
    server::{self, Drained, ListenerConfig, tls::Tls},
    tokens::{Keys, TokenKind, sync},
};
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{net::SocketAddr, sync::Arc};
use tokio::{
    net::TcpListener,
    sync::{Notify, oneshot},
    task::JoinHandle,
};

pub const ISSUER: &str = "store-router:S001";
const MANAGERS: &[Role] = &[Role::Admin, Role::StoreManager];

/// The state of the test server.
pub struct Desk {
    pub keys: Keys,
    pub store_key: SigningKey,
    pub entered: Notify,
    pub released: Notify,
    pub left: Notify,
}

impl Authority for Desk {
    async fn authenticate(&self, bearer: &str, access: &Access) -> Result<Arc<Principal>, ApiError> {
        let now = edge::clock::now();
        if *access == Access::SyncToken {
            let store = sync::claimed_store(bearer)?;
            sync::verify(bearer, &self.store_key.public_key(), &store, "H1", now)?;
            return Ok(caller(Role::Admin, &store));
        }
        let claims = self.keys.verify(bearer, TokenKind::Access, now)?;
        match claims.sub.as_str() {
            "usr_gone" => Err(ApiError::token_revoked()),
            "usr_disabled" => Err(ApiError::account_disabled()),
            _ => Ok(caller(claims.role, &claims.store_id)),
        }
    }
}

fn caller(role: Role, store: &str) -> Arc<Principal> {
    Arc::new(Principal {
        user_id: "usr_1".into(),
        name: "Ani".into(),
        role,
        store_id: store.into(),
        session_id: "ses_1".into(),
    })
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Thing {
    name: String,
    items: Vec<Item>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Item {
    qty: i64,
}

#[derive(Deserialize)]
struct ListQuery {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    state: Option<String>,
}

const fn read(summary: &'static str) -> Doc {
    Doc::of("Desk", summary).answers::<()>("{}")
}

const fn change(summary: &'static str) -> Doc {
    Doc::of("Desk", summary).body::<()>("{}").answers::<()>("{}")
}

pub static ROUTES: &[Route<Desk>] = &[
    Route::get("/things", Access::Public, read("list"), |request| Box::pin(list(request))),
    Route::get("/things/current", Access::Public, read("the current one"), |_| {
        Box::pin(async { Ok(Reply::ok(&json!({"current": true}))) })
    }),
    Route::get("/things/:id", Access::Public, read("one"), |request| Box::pin(show(request))),
    Route::get("/things/:id/parts/:part", Access::Public, read("a part"), |request| Box::pin(show(request))),
    Route {
        method: Method::PATCH,
        pattern: "/things/:id",
        access: Access::Roles(MANAGERS),
        mutates: true,
        body: BodyKind::Json,
        doc: change("change"),
        handler: |request| Box::pin(show(request)),
    },
    Route::post("/things", Access::Roles(MANAGERS), change("make"), |request| Box::pin(make(request))),
    Route::post("/open", Access::Public, change("make without a token"), |request| Box::pin(make(request))),
    Route::post(
        "/open/optional",
        Access::Public,
        Doc::of("Desk", "an optional body").optional_body::<()>("{}").answers::<()>("{}"),
        |request| Box::pin(echo(request)),
    ),
    Route::post(
        "/open/tiny",
        Access::Public,
        Doc::of("Desk", "a tiny body").body_up_to::<()>(64, "{}").answers::<()>("{}"),
        |request| Box::pin(echo(request)),
    ),
    Route::post(
        "/open/csv",
        Access::Public,
        Doc::of("Desk", "a table").csv("{}").answers::<()>("{}"),
        |request| Box::pin(echo(request)),
    ),
    Route::post("/open/none", Access::Public, read("no body"), |request| Box::pin(echo(request))),
    Route::get("/metrics", Access::LoopbackOr(&[Role::Admin]), read("metrics"), |_| {
        Box::pin(async {
            Ok(Reply::Text { content_type: "text/plain; version=0.0.4", body: edge::metrics::render() })
        })
    }),
    Route::post("/sync", Access::SyncToken, change("sync"), |request| Box::pin(echo(request))),
    Route::post("/panic", Access::Public, change("panics"), |_| Box::pin(async { panic!("on purpose") })),
    Route::get("/slow", Access::Public, read("waits"), |request| Box::pin(slow(request))),
    Route::get("/page", Access::Public, read("a page"), |_| {
        Box::pin(async {
            Ok(Reply::Text { content_type: "text/html; charset=utf-8", body: "<p>".to_owned() })
        })
    }),
    Route::get("/big", Access::Public, read("a megabyte of text"), |_| {
        Box::pin(async { Ok(Reply::Text { content_type: "text/plain", body: "x".repeat(32 << 20) }) })
    }),
];

async fn list(request: Request<Desk>) -> Result<Reply, ApiError> {
    let query: ListQuery = request.query()?;
    let after = query.cursor.map(|cursor| cursor.read::<u32>()).transpose()?.unwrap_or(0);
    let wanted = u32::try_from(query.limit.0).unwrap() + 1;
    let items: Vec<u32> = (after + 1..=120).take(wanted as usize).collect();
    let page = List::cut(items, query.limit, |item| *item);
    Ok(Reply::ok(&json!({"items": page.items, "next_cursor": page.next_cursor, "state": query.state})))
}

async fn show(request: Request<Desk>) -> Result<Reply, ApiError> {
    Ok(Reply::ok(&json!({
        "id": request.param("id"), "part": request.param("part"), "path": request.path,
        "method": request.method.as_str(), "peer": request.peer.ip().to_string(),
    })))
}

async fn echo(request: Request<Desk>) -> Result<Reply, ApiError> {
    Ok(Reply::ok(&json!({
        "bytes": request.body.len(), "body": String::from_utf8_lossy(&request.body),
        "store": request.caller().map(|caller| caller.store_id.0.clone()).ok(),
        "key": request.idempotency_key, "register": request.register_id,
    })))
}

/// Imitates stored answers: the key `again` was used before.
async fn make(request: Request<Desk>) -> Result<Reply, ApiError> {
    let thing: Thing = request.json()?;
    let answer = answer::Answer::created("/things/7".to_owned(), &thing);
    let replayed = request.idempotency_key.as_deref() == Some("again");
    Ok(Reply::Answer { answer, replayed })
}

async fn slow(request: Request<Desk>) -> Result<Reply, ApiError> {
    request.state.entered.notify_one();
    request.state.released.notified().await;
    request.state.left.notify_one();
    Ok(Reply::ok(&json!({"waited": true})))
}

/// A running server.
pub struct Edge {
    pub address: SocketAddr,
    pub desk: Arc<Desk>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Drained>,
}

impl Edge {
    pub async fn start(limits: Limits) -> Self {
        Self::on("127.0.0.1:0", limits).await
    }

    pub async fn on(listen: &str, limits: Limits) -> Self {
        Self::with_tls(listen, limits, None).await
    }

    pub async fn with_tls(listen: &str, limits: Limits, tls: Option<Arc<Tls>>) -> Self {
        let listener = TcpListener::bind(listen).await.expect("a listener");
        let address = listener.local_addr().expect("an address");
        let desk = Arc::new(Desk {
            keys: Keys::new(SigningKey::generate().expect("a key"), ISSUER),
            store_key: SigningKey::generate().expect("a key"),
            entered: Notify::new(),
            released: Notify::new(),
            left: Notify::new(),
        });
        let (stop, stopped) = oneshot::channel();
        let state = Arc::clone(&desk);
        let task = tokio::spawn(async move {
            let shutdown = async { drop(stopped.await) };
            server::run(ListenerConfig { listener, tls, limits }, ROUTES, state, shutdown)
                .await
                .expect("a good table")
        });
        Self { address, desk, stop: Some(stop), task }
    }

    pub async fn client(&self) -> Client {
        Client::connect(self.address).await
    }

    /// Sends one request on its own connection.
    pub async fn ask(&self, head: &str, lines: &[&str], body: &str) -> Answer {
        self.client().await.ask(head, lines, body).await
    }

    /// Returns an `Authorization` line for a user of this role.
    pub fn bearer(&self, role: Role) -> String {
        self.bearer_of("usr_1", role, edge::clock::now())
    }

    pub fn bearer_of(&self, user: &str, role: Role, now: UtcMs) -> String {
        let issued = self.desk.keys.issue_access(&user_of(user, role), &SessionId("ses_1".into()), now);
        format!("authorization: Bearer {}", issued.expect("a token").token)
    }

    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    pub async fn drained(self) -> Drained {
        self.task.await.expect("no panic")
    }
}

pub fn user_of(id: &str, role: Role) -> User {
    User {
        user_id: id.into(),
        username: "ani".to_owned(),
        name: "Ani".to_owned(),
        role,
        store_id: "S001".into(),
        password_hash: None,
        times: FieldTimes::default(),
        token_version: 3,
        disabled: false,
        created_at: UtcMs(0),
        updated_at: UtcMs(0),
    }
}
