//! Head office on PostgreSQL: the delay until a sale is in its report, and the speed of taking in sales that a store
//! made without it, compared with COPY of the resulting rows.

use super::MANY;
use super::load::Load;
use super::results::{Results, percentiles};
use super::shop::{MeasuredStore, Size, price, sku, write_catalogue};
use crate::rest::{Api, text, until};
use crate::stage::{Installation, STORE_ID, WorkFolder, admin, enrolment_token, finance};
use crate::tools::postgres::Private;
use crate::trade::till::sell_piece;
use crate::workspace::{Binaries, load_generator};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::process::Command;

const PRODUCTS: usize = 1_000;
/// Sales that are looked for in the report, one after the other.
const ONLINE: usize = 100;
/// COPY of the same rows, into new tables.
const COPIES: usize = 3;
/// The longest that anything is waited for.
const PATIENCE: Duration = Duration::from_secs(600);
/// Pause between two checks.
const LOOK: Duration = Duration::from_millis(2);
const HUB: &str = "hub";
const COPY: &str = "copy";
const WHOLE: &str = "whole";
const UNPOSTED: &str = "unposted";
const DOCUMENTS: &str = "documents";
/// Milliseconds of each part of the records: with everything as `/whole_ms`, without entries as `/unposted_ms`, also without
/// items and sums of reports as `/documents_ms`.
const APPLIED: &str = "hub, applied";

/// Everything about the hub.
pub async fn measure(
    binaries: &Binaries,
    place: &WorkFolder,
    postgres: &Private,
    sales: u64,
    results: &mut Results,
) -> anyhow::Result<()> {
    eprintln!("a hub on PostgreSQL and its store are set up");
    postgres.create_database(HUB).await?;
    let office = Installation::hub_on(binaries, place, &postgres.url(HUB))?;
    office.init(&admin()).await?;
    office.add_user(&finance()).await?;
    let token = enrolment_token(&office.command(&["store", "add", STORE_ID], None).await?)?;
    let catalogue = place.file("goods.csv");
    write_catalogue(&catalogue, PRODUCTS)?;
    office.command(&["import", "products", &catalogue.display().to_string()], None).await?;
    let hub = office.serve().await?;
    // A store without a connection tries again soon: its pause is no work of the hub.
    let folder = place.file("store");
    let setup =
        Installation::store_at(binaries, place, Some(&hub.base()), &folder, "sync.backoff_max = \"1s\"\n")?;
    setup.init(&admin()).await?;
    setup.command(&["enrol", "--hub", &hub.base(), "--token", &token], None).await?;
    let mut store =
        MeasuredStore::serving(binaries, place, setup, Size { products: PRODUCTS, members: 0, tills: MANY })
            .await?;
    let (till, books) = (store.till().context("no till")?, office.login(&finance(), &Arc::default()).await?);
    let last = format!("/api/pos/products/{}", sku(PRODUCTS - 1));
    took_until("the catalogue is at the store", async || till.get(&last).await.is_ok()).await?;
    results.add("hub, online", online(&till, &books).await?);

    hub.stop().await?;
    eprintln!("{sales} sales without the hub");
    store.sell_with(Load { sales: Some(sales), ..Load::closed(MANY, u64::from(u16::MAX)) }).await?;
    let _hub = office.serve().await?;
    let all_taken = async || store.metric("sr_outbox_unacked").await.is_ok_and(|left| left == 0.0);
    let took = took_until("the hub has caught up", all_taken).await?;
    results.add("hub, catch-up", json!({"sales_per_s": sales as f64 / took.as_secs_f64()}));
    let took = copied(postgres, place.path()).await?;
    let rows = sales as f64 + ONLINE as f64;
    results.add("hub, copy", json!({"sales_per_s": rows / took.as_secs_f64()}));
    applied(binaries, postgres, results).await?;
    store.stop().await
}

/// The same records applied once more by turns: with entries, items and sums of reports, without entries, without any.
async fn applied(binaries: &Binaries, postgres: &Private, results: &mut Results) -> anyhow::Result<()> {
    eprintln!("the records are applied with entries, items and sums, and without");
    for name in [WHOLE, UNPOSTED, DOCUMENTS] {
        postgres.create_database(name).await?;
    }
    let urls = [HUB, WHOLE, UNPOSTED, DOCUMENTS].map(|name| postgres.url(name));
    let [from, whole, unposted, documents] = urls.each_ref().map(String::as_str);
    let args = ["apply", "--from", from, "--whole", whole, "--unposted", unposted, "--documents", documents];
    let parts = load_generator(binaries, &args).await?;
    for part in parts.as_array().into_iter().flatten() {
        results.add(APPLIED, part.clone());
    }
    for name in [WHOLE, UNPOSTED, DOCUMENTS] {
        done(postgres.client("dropdb", "postgres").arg(name)).await?;
    }
    Ok(())
}

/// Polls until there is a result; returns the time that it took.
async fn took_until(what: &str, mut look: impl AsyncFnMut() -> bool) -> anyhow::Result<Duration> {
    let since = Instant::now();
    until(what, PATIENCE, LOOK, async || Ok(look().await.then_some(()))).await?;
    Ok(since.elapsed())
}

/// Time from the answer to the payment until the hub's report counts the sale.
async fn online(till: &Api, books: &Api) -> anyhow::Result<Value> {
    let mut times = Vec::new();
    for number in 0..ONLINE {
        let sold = sell_piece(till, &format!("online-{number}"), &sku(1), price(1)).await?;
        let day = text(&sold, "business_date")?;
        let (path, count) = (format!("/api/reports/sales?from={day}&to={day}"), json!(number + 1));
        let there = async || {
            let report = books.get(&path).await;
            report.is_ok_and(|report| report.pointer("/items/0/sales_count") == Some(&count))
        };
        times.push(took_until("the sale is in the report", there).await?.as_micros() as u64);
    }
    Ok(percentiles(times))
}

/// All rows of the hub, by COPY in one transaction into the same tables with the same indexes; the middle of several.
async fn copied(postgres: &Private, place: &Path) -> anyhow::Result<Duration> {
    let [schema, rows] = ["schema.sql", "rows.sql"].map(|name| place.join(name));
    done(postgres.client("pg_dump", HUB).arg("--schema-only").arg("-f").arg(&schema)).await?;
    done(postgres.client("pg_dump", HUB).arg("--data-only").arg("-f").arg(&rows)).await?;
    let mut times = Vec::new();
    for time in 1..=COPIES {
        eprintln!("COPY of the same rows, {time} of {COPIES}");
        postgres.create_database(COPY).await?;
        let psql = |file: &Path| {
            let mut psql = postgres.client("psql", COPY);
            psql.args(["-q", "-1", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-f"]).arg(file);
            psql
        };
        done(&mut psql(&schema)).await?;
        let since = Instant::now();
        done(&mut psql(&rows)).await?;
        times.push(since.elapsed());
        done(postgres.client("dropdb", "postgres").arg(COPY)).await?;
    }
    times.sort_unstable();
    times.get(COPIES / 2).copied().context("no COPY")
}

async fn done(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().await?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}
