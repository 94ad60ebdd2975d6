//! Clients that disconnect before their answer leave nothing behind, neither in the pool nor elsewhere.

use crate::support::server::{PASSWORD, Server};
use cloud_hub::db::Db;
use serde_json::json;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Number of connections in the pool of these tests.
const CONNECTIONS: usize = 16;

/// Polls a future this many times and then drops it.
async fn dropped_after(polls: usize, future: impl Future) {
    let mut future = pin!(future);
    for _ in 0..polls {
        if poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx).is_ready())).await {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn insert(connection: &mut sqlx::AnyConnection, key: &str) -> u64 {
    let sql = "INSERT INTO idempotency (key_hash, command, status, location, body, created_at) \
               VALUES ($1, '', 200, NULL, '', 0)";
    sqlx::query(sql).bind(key).execute(connection).await.unwrap().rows_affected()
}

/// Asserts that all connections are free and outside of a transaction: each writes, and all others see it.
async fn each_connection_is_free(db: &Db, round: usize) {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(db.pool().acquire().await.unwrap());
    }
    for number in 0..connections.len() {
        assert_eq!(insert(&mut connections[number], &format!("drop-{round}-{number}")).await, 1);
        let sql = "SELECT COUNT(*) FROM idempotency WHERE key_hash LIKE $1";
        for other in &mut connections {
            let counted = sqlx::query_scalar::<_, i64>(sql).bind(format!("drop-{round}-%"));
            assert_eq!(counted.fetch_one(&mut **other).await.unwrap(), i64::try_from(number).unwrap() + 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_is_dropped_while_it_begins_leaves_every_connection_as_it_was() {
    let server = Server::start().await;
    let db = server.hub.db.clone();
    for round in 0..12 {
        each_connection_is_free(&db, round).await;
        // The number is lower than that of the connections, so that no later use of a connection repairs it.
        for polls in 1..CONNECTIONS / 2 {
            dropped_after(round * 4 + polls, db.read()).await;
            dropped_after(round * 4 + polls, db.write()).await;
        }
    }
    each_connection_is_free(&db, 99).await;
    server.stop().await;
}

/// Requests a page again and again and disconnects early.
async fn leaves_early(address: SocketAddr, token: String, ended: Arc<AtomicBool>, pause_us: u64) {
    let request = format!(
        "GET /api/products?limit=500 HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    let mut round = 0;
    while !ended.load(Ordering::Relaxed) {
        let mut tab = TcpStream::connect(address).await.unwrap();
        // The request may fail for a moment when connections are short.
        let _ = tab.write_all(request.as_bytes()).await;
        tokio::time::sleep(Duration::from_micros(pause_us * (round % 9))).await;
        round += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_leave_early_cost_nobody_an_answer() {
    let seconds = std::env::var("HANGUP_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0_u64);
    let server = Server::start().await;
    let login = json!({"username": "boss", "password": PASSWORD});
    let token =
        server.api().post("/api/auth/login", &login).await.data()["token"].as_str().unwrap().to_owned();
    let admin = server.api().with_token(&token);
    let ended = Arc::new(AtomicBool::new(false));
    let tabs: Vec<_> = [300, 500, 900]
        .map(|pause| tokio::spawn(leaves_early(server.address, token.clone(), Arc::clone(&ended), pause)))
        .into();
    let until = tokio::time::Instant::now() + Duration::from_secs(seconds);
    let mut made = 0;
    while made < 60 || tokio::time::Instant::now() < until {
        let sku = format!("P{made}");
        let answer = admin.post("/api/products", &json!({"sku": sku, "name": "Thing", "price": 1})).await;
        assert_eq!(answer.status.as_u16(), 201, "{}", answer.body);
        let read = admin.get(&format!("/api/products/{sku}")).await;
        assert_eq!(read.status.as_u16(), 200, "{}", read.body);
        made += 1;
    }
    ended.store(true, Ordering::Relaxed);
    for tab in tabs {
        tab.await.unwrap();
    }
    println!("{made} products, each made and read");
    server.stop().await;
}
