//! `prompt`: how soon news is at the other end of an online link, and what a large catalogue costs in memory.

use crate::daemon::Daemon;
use crate::process::status_kib;
use crate::rest::Api;
use crate::stage::{Person, STORE_ID, Stage, WorkFolder, admin, finance};
use crate::workspace::{Profile, build};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is asked for (docs/protocol.md#pull).
const PROMPT: Duration = Duration::from_secs(2);
/// The longest that anything is waited for.
const PATIENCE: Duration = Duration::from_secs(300);
/// Pause between two checks.
const LOOK: Duration = Duration::from_millis(5);
/// The list price of every product.
const PRICE: i64 = 1_000;

/// How much of it.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Products of the catalogue that the store downloads
    #[arg(long, default_value_t = 100_000)]
    products: usize,
    /// Prices, sales and revocations to time
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Measure the release build
    #[arg(long)]
    release: bool,
}

fn sku(number: usize) -> String {
    format!("P{number:07}")
}

fn write_catalogue(products: usize, file: &Path) -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    writeln!(out, "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost")?;
    for number in 1..=products {
        let sku = sku(number);
        writeln!(out, "{sku},Product number {number} of many,{PRICE},grocery,{sku}1,5,1100,500")?;
    }
    Ok(out.flush()?)
}

/// Looks until there is something to see; gives how long that took.
async fn until(what: &str, mut look: impl AsyncFnMut() -> bool) -> anyhow::Result<Duration> {
    let since = Instant::now();
    while !look().await {
        ensure!(since.elapsed() < PATIENCE, "timed out waiting until {what}");
        tokio::time::sleep(LOOK).await;
    }
    Ok(since.elapsed())
}

fn text(data: &Value, field: &str) -> anyhow::Result<String> {
    Ok(data.get(field).and_then(Value::as_str).with_context(|| format!("no {field}: {data}"))?.to_owned())
}

/// Runs it; true if everything was at the other end in time.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let binaries = build(if options.release { Profile::Release } else { Profile::Dev }).await?;
    let place = WorkFolder::within(None)?;
    let catalogue = place.file("catalogue.csv");
    write_catalogue(options.products, &catalogue)?;
    let cashier = Person::new("cashier", "cashier");
    let stage = Stage::open(&binaries, place, &catalogue, &[&cashier]).await?;
    let retries = Arc::default();
    let office = stage.hub_setup.login(&admin(), &retries).await?;
    let books = stage.hub_setup.login(&finance(), &retries).await?;
    let till = stage.store_setup.login(&cashier, &retries).await?.at("till-1");
    streamed(&options, &stage, &till).await?;
    till.post("/api/shifts/open", "shift", &json!({})).await?;
    let (mut prices, mut sales, mut revoked) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds {
        prices.push(price(round, &office, &till).await?);
        sales.push(sale(round, &till, &books).await?);
        revoked.push(revocation(round, &stage, &office).await?);
    }
    let mut fine = true;
    for (what, times) in [
        ("a price of head office at the till", prices),
        ("a sale in head office's report", sales),
        ("a revoked user out at the store", revoked),
    ] {
        fine &= told(what, times);
    }
    stage.store.stop().await?;
    stage.hub.stop().await?;
    Ok(fine)
}

fn told(what: &str, mut times: Vec<Duration>) -> bool {
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    let most = times.last().copied().unwrap_or_default();
    println!("{what}: median {} ms, at most {} ms", middle.as_millis(), most.as_millis());
    most <= PROMPT
}

/// The catalogue comes down; what both ends held at most.
async fn streamed(options: &Options, stage: &Stage, till: &Api) -> anyhow::Result<()> {
    let last = format!("/api/pos/products/{}", sku(options.products));
    let before = (peak_mib(&stage.store)?, peak_mib(&stage.hub)?);
    let took = until("the last product is here", async || till.get(&last).await.is_ok()).await?;
    println!(
        "{} products downloaded in {:.1} s; peak memory: store {} MiB (at the start {}), hub {} MiB (at the \
         start {})",
        options.products,
        took.as_secs_f64(),
        peak_mib(&stage.store)?,
        before.0,
        peak_mib(&stage.hub)?,
        before.1
    );
    Ok(())
}

fn peak_mib(daemon: &Daemon) -> anyhow::Result<u64> {
    Ok(status_kib(daemon, "VmHWM")? / 1024)
}

async fn price(round: usize, office: &Api, till: &Api) -> anyhow::Result<Duration> {
    let price = PRICE + 1 + i64::try_from(round)?;
    let body = json!({"sku": sku(1), "price": price, "store_id": STORE_ID});
    office.post("/api/prices", &format!("price-{round}"), &body).await?;
    let path = format!("/api/pos/products/{}", sku(1));
    let here =
        async || till.get(&path).await.is_ok_and(|product| product.get("price") == Some(&json!(price)));
    until("the price is here", here).await
}

async fn sale(round: usize, till: &Api, books: &Api) -> anyhow::Result<Duration> {
    let basket = json!({"items": [{"sku": sku(2), "qty": 1, "price": PRICE}]});
    let made = till.post("/api/pos/transactions", &format!("sale-{round}"), &basket).await?;
    let (id, day) = (text(&made, "transaction_id")?, text(&made, "business_date")?);
    let paid = json!({"method": "card", "amount": made.get("total")});
    till.post(&format!("/api/pos/transactions/{id}/pay"), &format!("pay-{round}"), &paid).await?;
    let path = format!("/api/reports/sales?from={day}&to={day}");
    let count = json!(round + 1);
    let there = async || {
        books.get(&path).await.is_ok_and(|report| report.pointer("/items/0/sales_count") == Some(&count))
    };
    until("the sale is in the report", there).await
}

async fn revocation(round: usize, stage: &Stage, office: &Api) -> anyhow::Result<Duration> {
    let person = Person::new(&format!("leaver-{round}"), "cashier");
    let body = json!({"username": person.username, "name": "Leaver", "role": person.role, "store_id": STORE_ID,
        "password": person.password});
    let added = office.post("/api/users", &format!("user-{round}"), &body).await?;
    let (retries, since) = (Arc::default(), Instant::now());
    // Logged in as soon as the store knows them; a store that does not know them yet says no.
    let them = loop {
        match stage.store_setup.login(&person, &retries).await {
            Ok(them) => break them,
            Err(_) => ensure!(since.elapsed() < PATIENCE, "the user never came to the store"),
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let path = format!("/api/users/{}/revoke-tokens", text(&added, "id")?);
    office.post(&path, &format!("revoke-{round}"), &json!({})).await?;
    until("they are out", async || them.get("/api/auth/me").await.is_err()).await
}
