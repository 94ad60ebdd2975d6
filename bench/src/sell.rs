//! Tills that sell, as fast as they are answered or at a fixed rate: create, then pay in cash, each with its key; or
//! both in one call, where a server offers that.

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
/// Progress is reported after every this many sales.
const TOLD_EVERY: u64 = 100_000;

/// Who sells, where, and until when.
#[derive(clap::Args)]
pub struct Options {
    /// Address of the store
    #[arg(long)]
    address: SocketAddr,
    /// JSON: {"tills": [{"register", "token"}], "products": [{"sku", "price"}], "members": ["id"]}; shifts are open;
    /// without members nobody earns points
    #[arg(long)]
    stage: PathBuf,
    /// Number of tills that sell
    #[arg(long)]
    tills: usize,
    /// Stop after this many seconds …
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
    /// … or after this many sales
    #[arg(long, default_value_t = u64::MAX)]
    sales: u64,
    /// Name of this run, which keeps its keys different from those of other runs
    #[arg(long)]
    run: String,
    /// Sales per second of all tills together, started at fixed times without waiting for answers;
    /// default: as fast as possible
    #[arg(long)]
    rate: Option<f64>,
    /// Use one call for each sale, POST /sale, which the store does not have
    #[arg(long)]
    one_call: bool,
}

#[derive(Deserialize)]
struct Stage {
    tills: Vec<Till>,
    products: Vec<Product>,
    #[serde(default)]
    members: Vec<String>,
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
    /// Sets the keys of this run and till apart from all others.
    run: String,
    goods: Arc<Goods>,
    connection: Connection,
    one_call: bool,
    schedule: Option<Schedule>,
    /// Chooses products and members; a plain counter walks through all of them.
    walk: u64,
    sold: Sold,
}

/// Products and customers of the sales.
struct Goods {
    products: Vec<Product>,
    members: Vec<String>,
}

/// Scheduled times of the sales of one till.
struct Schedule {
    next: Instant,
    every: Duration,
}

impl Schedule {
    /// Waits for the next sale's time and returns the time from which it counts. A till that is late, because the
    /// previous sale took long, counts from the scheduled time: otherwise the delay of its next request would not be
    /// measured. The delay of the timer itself, at most 2 ms, does not count.
    async fn begin(&mut self) -> Instant {
        tokio::time::sleep_until(self.next.into()).await;
        let (meant, now) = (self.next, Instant::now());
        self.next += self.every;
        if now - meant < Duration::from_millis(2) { now } else { meant }
    }
}

impl Client {
    fn random(&mut self, below: usize) -> usize {
        self.walk = self.walk.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.walk >> 33) % below.max(1) as u64) as usize
    }

    fn basket(&mut self) -> String {
        let goods = Arc::clone(&self.goods);
        let mut body = "{".to_owned();
        let member = self.random(goods.members.len());
        if let Some(member) = goods.members.get(member) {
            let _ = write!(body, "\"member_id\":\"{member}\",");
        }
        body.push_str("\"items\":[");
        for line in 0..LINES {
            let place = self.random(goods.products.len());
            let Some(Product { sku, price }) = goods.products.get(place) else { continue };
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
            .header("Idempotency-Key", format!("{}-{key}", self.run))
            .body(Full::new(Bytes::from(body)))?;
        self.connection.send(request).await
    }

    async fn sell(&mut self, number: u64) -> anyhow::Result<()> {
        let basket = self.basket();
        let begun = match &mut self.schedule {
            Some(schedule) => schedule.begin().await,
            None => Instant::now(),
        };
        let path = if self.one_call { "/sale" } else { "/api/pos/transactions" };
        let (status, mut body) = self.post(path, &format!("{number}c"), basket).await?;
        if !self.one_call {
            let created = Instant::now();
            self.sold.create.add(created - begun);
            let Basket { transaction_id, total, .. } = parsed(status, &body)?;
            let path = format!("/api/pos/transactions/{transaction_id}/pay");
            let payment = format!("{{\"payments\":[{{\"method\":\"cash\",\"amount\":{total}}}]}}");
            body = self.post(&path, &format!("{number}p"), payment).await?.1;
            self.sold.pay.add(created.elapsed());
        }
        self.sold.whole.add(begun.elapsed());
        let Basket { total, state, .. } = parsed(status, &body)?;
        ensure!(state == "paid", "a sale was not completed");
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
    let Stage { tills, products, members } = serde_json::from_slice(&std::fs::read(&options.stage)?)?;
    ensure!(options.tills >= 1 && options.tills <= tills.len(), "--tills: 1 to {}", tills.len());
    ensure!(!products.is_empty(), "no products");
    let goods = Arc::new(Goods { products, members });
    let started = Instant::now();
    let end = started + Duration::from_secs(options.seconds);
    let quota = Arc::new(Quota { end, left: AtomicU64::new(options.sales), done: AtomicU64::new(0) });
    let mut clients = JoinSet::new();
    for (walk, till) in (1..).zip(tills.into_iter().take(options.tills)) {
        let connection = Connection::new(options.address);
        let (run, goods, sold) = (format!("{}-{walk}", options.run), goods.clone(), Sold::default());
        let schedule = options.rate.map(|rate| {
            let every = Duration::from_secs_f64(options.tills as f64 / rate);
            Schedule { next: started + every.mul_f64(walk as f64 / options.tills as f64), every }
        });
        let one_call = options.one_call;
        clients.spawn(
            Client { till, run, goods, connection, one_call, schedule, walk, sold }.work(quota.clone()),
        );
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
        "create": (!options.one_call).then(|| all.create.summary()),
        "pay": (!options.one_call).then(|| all.pay.summary()), "whole": all.whole.summary(),
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn baskets_are_valid_json_with_three_lines() {
        let products = vec![Product { sku: "B1".into(), price: 5 }, Product { sku: "B2".into(), price: 7 }];
        let goods = Arc::new(Goods { products, members: vec!["mem_1".into()] });
        let till = Till { register: "till-1".into(), token: String::new() };
        let connection = Connection::new(([127, 0, 0, 1], 1).into());
        let (run, schedule, sold) = ("r".into(), None, Sold::default());
        let mut client = Client { till, run, goods, connection, one_call: false, schedule, walk: 1, sold };
        let basket: Value = serde_json::from_str(&client.basket()).unwrap();
        assert_eq!(basket.pointer("/items").unwrap().as_array().unwrap().len(), 3);
        assert_eq!(basket.pointer("/member_id").unwrap(), "mem_1");
    }

    #[test]
    fn a_quota_is_spent_exactly() {
        let end = Instant::now() + Duration::from_secs(60);
        let quota = Quota { end, left: AtomicU64::new(2), done: AtomicU64::new(0) };
        assert_eq!([quota.take(), quota.take(), quota.take()], [true, true, false]);
    }
}
