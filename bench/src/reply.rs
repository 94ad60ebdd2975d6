//! The bare JSON reply under the same clients as the sales.

use crate::http::Connection;
use crate::latency::{Latencies, per_second};
use anyhow::ensure;
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// As large as the request that makes a sale of three lines.
const BODY: &str = r#"{"items":[{"sku":"B0001","qty":1,"price":1000},{"sku":"B0002","qty":2,"price":2000},{"sku":"B0003","qty":3,"price":3000}]}"#;

async fn client(address: SocketAddr, end: Instant) -> anyhow::Result<Latencies> {
    let mut connection = Connection::new(address);
    let mut latencies = Latencies::default();
    while Instant::now() < end {
        let request = Request::post("/reply").header("Host", "localhost");
        let request = request.header("Content-Type", "application/json");
        let request = request.body(Full::new(Bytes::from_static(BODY.as_bytes())))?;
        let begun = Instant::now();
        let (status, _) = connection.send(request).await?;
        ensure!(status.is_success(), "the bare reply answered {status}");
        latencies.add(begun.elapsed());
    }
    Ok(latencies)
}

/// `{replies_per_s, reply}`.
pub async fn measure(address: SocketAddr, connections: usize, seconds: u64) -> anyhow::Result<Value> {
    let started = Instant::now();
    let end = started + Duration::from_secs(seconds);
    let mut clients = JoinSet::new();
    for _ in 0..connections {
        clients.spawn(client(address, end));
    }
    let mut all = Latencies::default();
    for latencies in clients.join_all().await {
        all.merge(latencies?);
    }
    let rate = per_second(all.count() as u64, started.elapsed());
    Ok(json!({"replies_per_s": rate, "reply": all.told()}))
}
