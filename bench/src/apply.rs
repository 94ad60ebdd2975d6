//! Cost of entries, settlement items and the sums of reports for a hub that receives records: the same batches are
//! applied with all of them, without entries, and without any of them, in turn, each in a database of its own.

use anyhow::{Context, ensure};
use clap::Args;
use cloud_hub::db::Db;
use cloud_hub::ingest::apply::{BatchContext, Extent, together};
use cloud_hub::projection::envelope::Incoming;
use domain::model::hub::hlc::Clock;
use domain::wire::sync::{PUSH_EVENTS_MAX, PushEvent};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use sqlx::Row;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Parts of the records; each is timed by itself.
const PARTS: usize = 5;

/// Databases of hubs.
#[derive(Args)]
pub struct Options {
    /// Database whose records are applied
    #[arg(long)]
    from: String,
    /// Empty database that gets everything
    #[arg(long)]
    whole: String,
    /// Empty database that gets no entries
    #[arg(long)]
    unposted: String,
    /// Empty database that gets documents only
    #[arg(long)]
    documents: String,
}

struct Record {
    store_id: String,
    epoch: String,
    event: PushEvent,
}

/// `[{records, whole_ms, unposted_ms, documents_ms}]`, one for each part.
pub async fn measure(options: Options) -> anyhow::Result<Value> {
    let records = records(&options.from).await?;
    let store_id = records.first().context("the database has no records")?.store_id.clone();
    let mut places = Vec::new();
    for (url, extent) in [
        (&options.whole, Extent::Whole),
        (&options.unposted, Extent::WithoutEntries),
        (&options.documents, Extent::DocumentsAlone),
    ] {
        places.push((open(url, &store_id).await?, extent));
    }
    let clock = Mutex::new(Clock::after("hub-measured", None));
    let mut measured = Vec::new();
    for part in records.chunks(records.len().div_ceil(PARTS)) {
        let mut times = vec![Duration::ZERO; places.len()];
        for (number, batch) in part.chunks(PUSH_EVENTS_MAX).enumerate() {
            // Each of them comes first as often.
            let turns = (0..places.len()).map(|turn| (number + turn) % places.len());
            for turn in turns {
                let (Some((db, extent)), Some(time)) = (places.get(turn), times.get_mut(turn)) else {
                    continue;
                };
                *time += applied(db, batch, &clock, *extent).await?;
            }
        }
        let ms: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1_000.0).collect();
        let [whole_ms, unposted_ms, documents_ms] = ms.as_slice() else { continue };
        measured.push(json!({"records": part.len(), "whole_ms": whole_ms, "unposted_ms": unposted_ms,
            "documents_ms": documents_ms}));
    }
    Ok(measured.into())
}

/// All records of a hub's first epoch.
async fn records(url: &str) -> anyhow::Result<Vec<Record>> {
    let db = Db::connect(url, 1, false).await?;
    let sql = "SELECT store_id, epoch, seq, hash, record FROM records WHERE encoding = 0 \
               AND (store_id, epoch) IN (SELECT store_id, MIN(epoch) FROM records GROUP BY store_id ORDER BY 1 LIMIT 1) \
               ORDER BY seq";
    let record = |row: &sqlx::any::AnyRow| -> Result<Record, sqlx::Error> {
        let seq: i64 = row.try_get("seq")?;
        Ok(Record {
            store_id: row.try_get("store_id")?,
            epoch: row.try_get("epoch")?,
            event: PushEvent {
                seq: seq.unsigned_abs(),
                hash: row.try_get("hash")?,
                record: row.try_get("record")?,
            },
        })
    };
    let rows = sqlx::query(sql).fetch_all(db.pool()).await?;
    let records = rows.iter().map(record).collect::<Result<_, _>>()?;
    db.close().await;
    Ok(records)
}

/// A hub's database that knows the store and nothing else.
async fn open(url: &str, store_id: &str) -> anyhow::Result<Db> {
    let db = Db::connect(url, 1, true).await?;
    db.migrate().await?;
    let sql = "INSERT INTO stores (store_id, name, timezone, disabled, created_at, current_n) \
               VALUES ($1, 'S', 'Asia/Jakarta', 0, 0, 0)";
    sqlx::query(sql).bind(store_id.to_owned()).execute(db.pool()).await?;
    Ok(db)
}

/// One batch in a transaction of its own, read and applied; how long that took.
async fn applied(
    db: &Db,
    batch: &[Record],
    clock: &Mutex<Clock>,
    extent: Extent,
) -> anyhow::Result<Duration> {
    let Some(first) = batch.first() else { return Ok(Duration::ZERO) };
    let reported: Vec<PushEvent> = batch.iter().map(|record| record.event.clone()).collect();
    let zone = TimeZone::get("Asia/Jakarta")?;
    let now = edge::clock::now();
    let place = BatchContext { store_id: &first.store_id, epoch: &first.epoch, zone: &zone, clock, now };
    let since = Instant::now();
    let events: Vec<Incoming> =
        reported.into_iter().map(|event| Incoming::read(event, &first.store_id)).collect();
    let mut write = db.write().await?;
    // As a push does: the store is locked until this is done.
    let sql = "UPDATE stores SET contacted_at = contacted_at WHERE store_id = $1";
    sqlx::query(sql).bind(first.store_id.clone()).execute(&mut **write).await?;
    let outcome = together(&mut write, &place, &events, extent).await?;
    ensure!(outcome.parked.is_empty(), "{} records are parked", outcome.parked.len());
    write.commit().await?;
    Ok(since.elapsed())
}
