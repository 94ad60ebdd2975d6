//! Answers that change nothing, for the same clients as the sales: a bare JSON reply, or reads of a store.

use crate::http::Connection;
use crate::latency::{Latencies, per_second};
use anyhow::ensure;
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// As large as the request that makes a sale of three lines.
const BODY: &str = r#"{"items":[{"sku":"B0001","qty":1,"price":1000},{"sku":"B0002","qty":2,"price":2000},{"sku":"B0003","qty":3,"price":3000}]}"#;

/// The reads, in turn, and their clients.
#[derive(Deserialize)]
pub struct Reads {
    paths: Vec<String>,
    token: String,
    /// JSON if not given.
    accept: Option<String>,
    /// Each path is asked for once, by each connection.
    #[serde(default)]
    once: bool,
}

/// One connection that asks until the end, from its own place in the list.
async fn client(
    address: SocketAddr,
    end: Instant,
    reads: Option<Arc<Reads>>,
    from: usize,
) -> anyhow::Result<Latencies> {
    let mut connection = Connection::new(address);
    let mut latencies = Latencies::default();
    let last =
        reads.as_deref().filter(|reads| reads.once).map_or(usize::MAX, |reads| from + reads.paths.len());
    for number in from..last {
        let request = Request::builder().header("Host", "localhost");
        let request = match reads.as_deref().map(|reads| (reads, reads.paths.get(number % reads.paths.len())))
        {
            Some((reads, path)) => {
                let request = request.uri(path.map_or("/", String::as_str));
                let accept = reads.accept.as_deref().unwrap_or("application/json");
                let request = request.header("Accept", accept);
                request.header("Authorization", format!("Bearer {}", reads.token)).body(Full::default())?
            }
            None => {
                let request = request.method("POST").uri("/reply").header("Content-Type", "application/json");
                request.body(Full::new(Bytes::from_static(BODY.as_bytes())))?
            }
        };
        let begun = Instant::now();
        if begun >= end {
            break;
        }
        let (status, body) = connection.send(request).await?;
        ensure!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        latencies.add(begun.elapsed());
    }
    Ok(latencies)
}

/// `{replies_per_s, reply}`.
pub async fn measure(
    address: SocketAddr,
    connections: usize,
    seconds: u64,
    reads: Option<Reads>,
) -> anyhow::Result<Value> {
    ensure!(reads.as_ref().is_none_or(|reads| !reads.paths.is_empty()), "nothing to ask for");
    let reads = reads.map(Arc::new);
    let started = Instant::now();
    let end = started + Duration::from_secs(seconds);
    let mut clients = JoinSet::new();
    for number in 0..connections {
        // Far apart, so that they do not all ask for the same.
        clients.spawn(client(address, end, reads.clone(), number * 7_919));
    }
    let mut all = Latencies::default();
    for latencies in clients.join_all().await {
        all.merge(latencies?);
    }
    let rate = per_second(all.count() as u64, started.elapsed());
    Ok(json!({"replies_per_s": rate, "reply": all.summary()}))
}
