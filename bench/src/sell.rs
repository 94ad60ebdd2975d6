//! Tills that sell as fast as they are answered: create, then pay in cash, each with its key.

use crate::http::Connection;
use crate::latency::{Latencies, per_second};
use anyhow::{Context, ensure};
use http_body_util::Full;
use hyper::Request;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Every basket has this many lines.
const LINES: u64 = 3;
/// Progress is told at every this many sales.
const TOLD_EVERY: u64 = 100_000;

/// Who sells, where, and until when.
#[derive(clap::Args)]
pub struct Options {
    /// The store
    #[arg(long)]
    address: SocketAddr,
    /// JSON: {"tills": [{"register", "token"}], "products": [{"sku", "price"}]}; shifts are open
    #[arg(long)]
    stage: PathBuf,
    /// How many of the tills sell
    #[arg(long)]
    tills: usize,
    /// Stop after this time …
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
    /// … or after this many sales
    #[arg(long, default_value_t = u64::MAX)]
    sales: u64,
    /// Sets the keys of this run apart from those of the last
    #[arg(long)]
    run: String,
}

#[derive(Deserialize)]
struct Stage {
    tills: Vec<Till>,
    products: Vec<Product>,
}

#[derive(Deserialize, Clone)]
struct Till {
    register: String,
    token: String,
}

#[derive(Deserialize)]
struct Product {
    sku: String,
    price: i64,
}

/// The only fields of an answer that a till needs here.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Basket<'a>,
}

#[derive(Deserialize)]
struct Basket<'a> {
    transaction_id: &'a str,
    total: i64,
    state: &'a str,
}

/// When to stop, shared by the tills.
struct Quota {
    end: Instant,
    left: AtomicU64,
    done: AtomicU64,
}

impl Quota {
    fn take(&self) -> bool {
        let one_less = |left: u64| left.checked_sub(1);
        Instant::now() < self.end
            && self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    fn sold(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(TOLD_EVERY) {
            eprintln!("{done} sales");
        }
    }
}

#[derive(Default)]
struct Sold {
    create: Latencies,
    pay: Latencies,
    whole: Latencies,
    repeated: u64,
    total: i64,
}

struct Client {
    till: Till,
    run: String,
    products: Arc<Vec<Product>>,
    connection: Connection,
    /// Chooses the products; a plain counter walks through all of them.
    walk: u64,
    sold: Sold,
}

impl Client {
    fn basket(&mut self) -> String {
        let mut body = "{\"items\":[".to_owned();
        for line in 0..LINES {
            self.walk =
                self.walk.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = (self.walk >> 33) % self.products.len().max(1) as u64;
            let Some(Product { sku, price }) = self.products.get(place as usize) else { continue };
            let comma = if line == 0 { "" } else { "," };
            let _ = write!(body, "{comma}{{\"sku\":\"{sku}\",\"qty\":{},\"price\":{price}}}", line + 1);
        }
        body.push_str("]}");
        body
    }

    async fn post(&mut self, path: &str, key: &str, body: String) -> anyhow::Result<(StatusCode, Bytes)> {
        let request = Request::post(path)
            .header("Host", "localhost")
            .header("Content-Type", "application/json")
            .header("Authorization", format!("Bearer {}", self.till.token))
            .header("X-Register-Id", &self.till.register)
            .header("Idempotency-Key", format!("{}-{}-{key}", self.run, self.till.register))
            .body(Full::new(Bytes::from(body)))?;
        self.connection.send(request).await
    }

    async fn sell(&mut self, number: u64) -> anyhow::Result<()> {
        let basket = self.basket();
        let begun = Instant::now();
        let (status, body) = self.post("/api/pos/transactions", &format!("{number}c"), basket).await?;
        let Basket { transaction_id, total, .. } = parsed(status, &body)?;
        let path = format!("/api/pos/transactions/{transaction_id}/pay");
        let payment = format!("{{\"payments\":[{{\"method\":\"cash\",\"amount\":{total}}}]}}");
        let created = Instant::now();
        let (status, body) = self.post(&path, &format!("{number}p"), payment).await?;
        let paid = Instant::now();
        ensure!(parsed(status, &body)?.state == "paid", "a sale was not completed");
        self.sold.create.add(created - begun);
        self.sold.pay.add(paid - created);
        self.sold.whole.add(paid - begun);
        self.sold.total += total;
        Ok(())
    }

    async fn work(mut self, quota: Arc<Quota>) -> anyhow::Result<Sold> {
        let mut number = 0;
        while quota.take() {
            self.sell(number).await.with_context(|| format!("{}, sale {number}", self.till.register))?;
            quota.sold();
            number += 1;
        }
        self.sold.repeated = self.connection.repeated;
        Ok(self.sold)
    }
}

fn parsed(status: StatusCode, body: &Bytes) -> anyhow::Result<Basket<'_>> {
    let text = || String::from_utf8_lossy(body.get(..body.len().min(500)).unwrap_or_default());
    ensure!(status.is_success(), "{status}: {}", text());
    let answer: Answer = serde_json::from_slice(body).with_context(|| text().into_owned())?;
    Ok(answer.data)
}

/// `{sales, sales_per_s, seconds, repeated, total, create, pay, whole}`.
pub async fn measure(options: Options) -> anyhow::Result<Value> {
    let Stage { tills, products } = serde_json::from_slice(&std::fs::read(&options.stage)?)?;
    ensure!(options.tills >= 1 && options.tills <= tills.len(), "--tills: 1 to {}", tills.len());
    ensure!(!products.is_empty(), "no products");
    let products = Arc::new(products);
    let started = Instant::now();
    let end = started + Duration::from_secs(options.seconds);
    let quota = Arc::new(Quota { end, left: AtomicU64::new(options.sales), done: AtomicU64::new(0) });
    let mut clients = JoinSet::new();
    for (walk, till) in (1..).zip(tills.into_iter().take(options.tills)) {
        let connection = Connection::new(options.address);
        let (run, products, sold) = (options.run.clone(), products.clone(), Sold::default());
        let client = Client { till, run, products, connection, walk, sold };
        clients.spawn(client.work(quota.clone()));
    }
    let mut all = Sold::default();
    for sold in clients.join_all().await {
        let sold = sold?;
        all.create.merge(sold.create);
        all.pay.merge(sold.pay);
        all.whole.merge(sold.whole);
        all.repeated += sold.repeated;
        all.total += sold.total;
    }
    let took = started.elapsed();
    let sales = all.whole.count() as u64;
    Ok(json!({
        "sales": sales, "sales_per_s": per_second(sales, took), "seconds": took.as_secs_f64(),
        "repeated": all.repeated, "total": all.total,
        "create": all.create.told(), "pay": all.pay.told(), "whole": all.whole.told(),
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn baskets_are_valid_json_with_three_lines() {
        let products =
            Arc::new(vec![Product { sku: "B1".into(), price: 5 }, Product { sku: "B2".into(), price: 7 }]);
        let till = Till { register: "till-1".into(), token: String::new() };
        let connection = Connection::new(([127, 0, 0, 1], 1).into());
        let sold = Sold::default();
        let mut client = Client { till, run: "r".into(), products, connection, walk: 1, sold };
        let basket: Value = serde_json::from_str(&client.basket()).unwrap();
        assert_eq!(basket.pointer("/items").unwrap().as_array().unwrap().len(), 3);
    }

    #[test]
    fn a_quota_is_spent_exactly() {
        let end = Instant::now() + Duration::from_secs(60);
        let quota = Quota { end, left: AtomicU64::new(2), done: AtomicU64::new(0) };
        assert_eq!([quota.take(), quota.take(), quota.take()], [true, true, false]);
    }
}
