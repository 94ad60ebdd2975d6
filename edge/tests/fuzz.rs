//! Whatever bytes arrive, the edge answers or closes the connection: no panic, and the next request is served.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

use domain::model::people::user::Principal;
use edge::{
    Access, ApiError, Authority, Doc, Limits, Reply, Request, Route,
    server::{self, ListenerConfig},
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

static PANICS: AtomicUsize = AtomicUsize::new(0);

struct Nobody;

impl Authority for Nobody {
    async fn authenticate(&self, _bearer: &str, _access: &Access) -> Result<Arc<Principal>, ApiError> {
        Err(ApiError::invalid_token())
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Body {
    a: Option<i64>,
    b: Option<Vec<Body>>,
    c: Option<String>,
}

#[derive(Deserialize)]
struct Query {
    #[serde(default)]
    limit: edge::page::Limit,
    cursor: Option<edge::page::Cursor>,
    flag: Option<bool>,
}

const DOC: Doc = Doc::of("Fuzz", "a route").answers::<()>("{}");
const OPTIONAL: Doc = Doc::of("Fuzz", "an optional body").optional_body::<()>("{}").answers::<()>("{}");

static ROUTES: &[Route<Nobody>] = &[
    Route::get("/a/:id/b", Access::Public, DOC, |request| Box::pin(read(request))),
    Route::post("/a", Access::Public, OPTIONAL, |request| Box::pin(write(request))),
    Route::get("/secret", Access::Roles(&[]), DOC, |request| Box::pin(read(request))),
];

async fn read(request: Request<Nobody>) -> Result<Reply, ApiError> {
    let query: Query = request.query()?;
    let position = query.cursor.map(|cursor| cursor.read::<u64>()).transpose()?;
    Ok(Reply::ok(&(request.param("id"), query.limit.0, position, query.flag)))
}

async fn write(request: Request<Nobody>) -> Result<Reply, ApiError> {
    let body: Body = request.json()?;
    Ok(Reply::created(format!("/a/{}", request.query), &body))
}

async fn throw(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut said = Vec::new();
    // The server may answer and close before everything is sent. Then sending or reading fails, which is correct.
    if stream.write_all(bytes).await.is_ok() && stream.shutdown().await.is_ok() {
        let _ = stream.read_to_end(&mut said).await;
    }
    said
}

/// Sends a request and keeps the connection open, because a client that closes its half at once may count as gone.
async fn ask(address: SocketAddr) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /a/1/b HTTP/1.1\r\nhost: e\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).await.unwrap();
    said
}

/// Returns bytes that get past the parser more often than noise would.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let method = prop_oneof![4 => "GET", 8 => "POST", 1 => "HEAD", 1 => "[A-Z]{1,9}"];
    let path = prop_oneof![8 => "/a", 4 => "/a/[!-~]{1,12}/b", 1 => "/[!-~]{0,30}", 1 => "/secret", 1 => "[!-~]{1,20}"];
    let query = prop_oneof![4 => "", 1 => "\\?[!-~]{0,30}", 2 => "\\?(limit|cursor|flag|x)=[!-~]{0,10}"];
    let header = prop_oneof![
        "content-type: application/json",
        "content-encoding: gzip",
        "transfer-encoding: chunked",
        "content-length: [0-9]{1,3}",
        "idempotency-key: [ -~]{0,20}",
        "x-register-id: [ -~]{0,40}",
        "authorization: [ -~]{0,40}",
        "[a-z-]{1,12}: [ -~]{0,20}",
        "expect: 100-continue"
    ];
    let json = prop_oneof![
        "\\{\"a\": ?[0-9]{1,25}\\}",
        "\\{\"b\":\\[(\\{\\},){0,3}\\{\\}\\]\\}",
        "\\{\"c\":\"[ -~]{0,9}\"\\}",
    ];
    let body = prop_oneof![json.prop_map(String::into_bytes), prop::collection::vec(any::<u8>(), 0..200)];
    let headers = prop::collection::vec(header, 0..3);
    (method, path, query, headers, body, any::<bool>()).prop_map(
        |(method, path, query, mut headers, body, framed)| {
            if framed {
                headers.push(format!("content-type: application/json\r\ncontent-length: {}", body.len()));
            }
            let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
            let head = format!("{method} {path}{query} HTTP/1.1\r\nhost: e\r\n{lines}\r\n");
            [head.as_bytes(), &body].concat()
        },
    )
}

#[test]
fn no_bytes_panic_the_edge() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        PANICS.fetch_add(1, Ordering::SeqCst);
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let limits = Limits { request_timeout: Duration::from_millis(500), ..Limits::default() };
    runtime.spawn(server::run(
        ListenerConfig::plain(listener, limits),
        ROUTES,
        Arc::new(Nobody),
        std::future::pending(),
    ));
    let served = AtomicUsize::new(0);
    let noise = prop::collection::vec(any::<u8>(), 0..600);
    let strategy = prop_oneof![1 => noise, 4 => request()];
    proptest!(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() }, |(bytes in strategy)| {
        let said = runtime.block_on(throw(address, &bytes));
        served.fetch_add(usize::from(said.starts_with(b"HTTP/1.1 2")), Ordering::SeqCst);
        prop_assert!(said.is_empty() || said.starts_with(b"HTTP/1.1 "));
        prop_assert!(!said.starts_with(b"HTTP/1.1 5"), "{}", String::from_utf8_lossy(&said));
        prop_assert_eq!(PANICS.load(Ordering::SeqCst), 0);
    });
    let served = served.into_inner();
    assert!(served > 100, "only {served} requests were valid, so the fuzzing tested little");
    let said = runtime.block_on(ask(address));
    assert!(said.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&said));
}
