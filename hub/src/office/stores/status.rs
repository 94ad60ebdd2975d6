//! The list of stores, and a store's status in detail.

use crate::db::failure::Failure;
use crate::office::stores::problem::{Fleet, Problem};
use crate::office::stores::status_counts;
use crate::office::stores::store::{StoreKind, StoreState};
use crate::table::drill::DrillView;
use crate::table::store::StoreRow;
use crate::{columns, table};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::time::UtcMs;
use domain::wire::sync::DigestResult;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};

pub use status_counts::{Ahead, Conflicts};

/// Most parked events that a status names.
const PARKED_MAX: i64 = 100;

/// A store in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Store")]
pub struct StoreView {
    /// ID of the store.
    pub store_id: String,
    /// Kind of store: with a Store Router, or a warehouse of head office.
    pub kind: StoreKind,
    /// Name of the store.
    pub name: String,
    /// Time zone of the store, IANA name.
    pub timezone: String,
    /// Address of the store. Null if none was given.
    pub address: Option<String>,
    /// Whether the store may connect.
    pub state: StoreState,
    /// When the store was added.
    pub created_at: UtcMs,
    /// When the store was enrolled. Null if it never was.
    pub enrolled_at: Option<UtcMs>,
    /// When the store last sent a hello or a push. Null if it never did.
    pub last_seen: Option<UtcMs>,
    /// Version of the store's program. Null if the store never sent a hello.
    pub version: Option<String>,
    /// Number of records that the store had not sent when it last connected. Null if it never did.
    pub pending: Option<i64>,
    /// When the oldest of these records was made. Null if there are none.
    pub oldest_pending_at: Option<UtcMs>,
    /// Difference of the clocks at the last hello, in milliseconds: the store's clock − the hub's. Null if the store
    /// never sent a hello.
    pub clock_skew_ms: Option<i64>,
    /// Epoch that the store writes. Null if the store never sent a hello.
    pub epoch: Option<String>,
    /// Current problems with the time each began, oldest first. Empty if there are none.
    pub problems: Vec<Problem>,
    /// Result of the last daily comparison. Null if there was none.
    pub digest: Option<LastDigest>,
    /// The last restore drill, in which the store restored and verified its newest backup. Null if there was none.
    pub drill: Option<DrillView>,
}

/// The last comparison of a business day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LastDigest {
    /// The business date.
    business_date: Date,
    /// Result of the comparison.
    #[schemars(with = "DigestResult")]
    result: String,
    /// When the digests were compared.
    compared_at: UtcMs,
}

/// Records that are missing permanently.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreHole")]
pub struct HoleView {
    /// Epoch of the records.
    epoch: String,
    /// First missing sequence number.
    from_seq: i64,
    /// Last missing sequence number.
    to_seq: i64,
}

/// A store in detail.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreStatus")]
pub struct Status {
    /// The store, as in the list.
    #[serde(flatten)]
    pub store: StoreView,
    /// Last received record of each epoch.
    pub heads: Vec<HeadView>,
    /// Ranges of records that are missing permanently.
    pub holes: Vec<HoleView>,
    /// Sums of the store's records, each event counted once.
    pub sums: Sums,
    /// Number of events that wait for an upgrade or a fix.
    pub parked_count: i64,
    /// The first parked events, at most 100.
    pub parked: Vec<ParkedView>,
    /// Number of open exceptions.
    pub exceptions_count: i64,
    /// Conflicts of this store's writes, in which a value was overwritten.
    pub conflicts: Conflicts,
    /// Records whose timestamp was ahead of the hub's clock.
    pub stamped_ahead: Ahead,
}

/// The hub's cursor in an epoch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreHead")]
pub struct HeadView {
    /// Name of the epoch.
    epoch: String,
    /// Sequence number of the last received record.
    seq: i64,
    /// Hash of the record at `seq`.
    hash: String,
}

/// A store's sums, each event counted once.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Sums {
    /// Number of completed sales.
    sales_count: i64,
    /// Number of pieces in the completed sales.
    items_count: Quantity,
    /// Sum of quantity × price of the sold lines, in minor currency units.
    gross_sales: Money,
    /// Sum of the discounts, in minor currency units.
    discounts: Money,
    /// Sum of the tax of the sales, in minor currency units.
    tax: Money,
    /// Sum of the cash rounding of the sales, in minor currency units.
    rounding: Money,
    /// Sum of the totals of the sales, without cash rounding, in minor currency units.
    total: Money,
    /// Number of voided sales.
    voids_count: i64,
    /// Sum of the totals of the voided sales, in minor currency units.
    voids_total: Money,
    /// Number of returns.
    returns_count: i64,
    /// Sum of the refunds, without cash rounding, in minor currency units.
    returns_total: Money,
    /// Sum of the tax of the returned lines, in minor currency units.
    returns_tax: Money,
}

/// A parked event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ParkedEvent")]
pub struct ParkedView {
    /// Epoch of the record.
    epoch: String,
    /// Sequence number of the record in its epoch.
    seq: i64,
    /// ID of the event.
    event_id: String,
    /// Type of the record.
    #[serde(rename = "type")]
    kind: String,
    /// Stable code of the reason for parking.
    code: String,
    /// Reason for parking, for people.
    message: String,
    /// When the record was parked.
    parked_at: UtcMs,
}

/// Stores after `after`, by ID.
pub async fn list(
    pool: &AnyPool,
    after: &str,
    limit: i64,
    now: UtcMs,
) -> Result<Vec<StoreView>, sqlx::Error> {
    let sql = format!(
        "SELECT {} FROM stores WHERE store_id > $1 ORDER BY store_id LIMIT $2",
        table::store::COLUMNS
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(after).bind(limit).fetch_all(pool).await?;
    let rows = rows.iter().map(table::store::read).collect::<Result<Vec<_>, _>>()?;
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
    let fleet = Fleet::load(pool, (&first.store_id, &last.store_id), now).await?;
    Ok(rows.iter().map(|row| view(row, &fleet, now)).collect())
}

/// One store in detail.
///
/// # Errors
/// 404.
pub async fn of(pool: &AnyPool, store_id: &str, now: UtcMs) -> Result<Status, Failure> {
    let fleet = Fleet::load(pool, (store_id, store_id), now).await?;
    let sql = format!("SELECT {} FROM stores WHERE store_id = $1", table::store::COLUMNS);
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(store_id).fetch_optional(pool).await?;
    let row = table::store::read(&row.ok_or_else(|| ApiError::not_found("the store"))?)?;
    let store = view(&row, &fleet, now);
    let count = |sql: &'static str| sqlx::query_scalar::<_, i64>(sql).bind(store_id).fetch_one(pool);
    Ok(Status {
        store,
        heads: heads(pool, store_id).await?,
        holes: holes(pool, store_id).await?,
        sums: sums(pool, store_id).await?,
        parked_count: count("SELECT COUNT(*) FROM parked WHERE store_id = $1").await?,
        parked: parked(pool, store_id).await?,
        exceptions_count: count("SELECT COUNT(*) FROM exceptions WHERE store_id = $1 AND settled_at IS NULL")
            .await?,
        conflicts: status_counts::conflicts(pool, store_id).await?,
        stamped_ahead: status_counts::ahead(pool, store_id).await?,
    })
}

async fn heads(pool: &AnyPool, store_id: &str) -> Result<Vec<HeadView>, sqlx::Error> {
    let sql = "SELECT epoch, seq, hash FROM epochs WHERE store_id = $1 ORDER BY opened_at, epoch";
    let rows = sqlx::query(sql).bind(store_id).fetch_all(pool).await?;
    let head = |row: &AnyRow| {
        Ok(HeadView { epoch: row.try_get("epoch")?, seq: row.try_get("seq")?, hash: row.try_get("hash")? })
    };
    rows.iter().map(head).collect()
}

async fn holes(pool: &AnyPool, store_id: &str) -> Result<Vec<HoleView>, sqlx::Error> {
    let sql = "SELECT epoch, from_seq, to_seq FROM holes WHERE store_id = $1 ORDER BY epoch, from_seq";
    let rows = sqlx::query(sql).bind(store_id).fetch_all(pool).await?;
    let hole = |row: &AnyRow| Ok(columns!(row => HoleView { epoch, from_seq, to_seq }));
    rows.iter().map(hole).collect()
}

async fn sums(pool: &AnyPool, store_id: &str) -> Result<Sums, sqlx::Error> {
    let sql = "SELECT sales_count, items_count, gross, discount, tax, rounding, total, voids_count, \
               voids_total, returns_count, returns_total, returns_tax FROM store_sums \
               WHERE store_id = $1";
    let Some(row) = sqlx::query(sql).bind(store_id).fetch_optional(pool).await? else {
        return Ok(Sums::default());
    };
    Ok(columns!(row => Sums {
        sales_count, items_count, gross_sales: "gross", discounts: "discount", tax, rounding, total,
        voids_count, voids_total, returns_count, returns_total, returns_tax,
    }))
}

async fn parked(pool: &AnyPool, store_id: &str) -> Result<Vec<ParkedView>, sqlx::Error> {
    let sql = "SELECT epoch, seq, event_id, kind, code, message, parked_at FROM parked WHERE store_id = $1 \
               ORDER BY parked_at, seq LIMIT $2";
    let rows = sqlx::query(sql).bind(store_id).bind(PARKED_MAX).fetch_all(pool).await?;
    let one = |row: &AnyRow| {
        Ok(columns!(row => ParkedView { epoch, seq, event_id, kind, code, message, parked_at }))
    };
    rows.iter().map(one).collect()
}

fn drill(row: &StoreRow) -> Option<DrillView> {
    let unsigned = |figure: Option<i64>| figure.unwrap_or(0).unsigned_abs();
    Some(DrillView {
        finished_at: row.drill_finished_at?,
        duration_ms: unsigned(row.drill_duration_ms),
        backup_made_at: row.drill_backup_at,
        records_count: unsigned(row.drill_records),
        problem: row.drill_problem.clone(),
        succeeded_at: row.drill_succeeded_at,
    })
}

fn view(row: &StoreRow, fleet: &Fleet, now: UtcMs) -> StoreView {
    let state = StoreState::of(row.disabled, row.enrolled_at.is_some());
    let date = row.digest_date.as_ref().and_then(|date| date.parse().ok());
    let digest = match (date, &row.digest_result, row.digest_at) {
        (Some(business_date), Some(result), Some(compared_at)) => {
            Some(LastDigest { business_date, result: result.clone(), compared_at })
        }
        _ => None,
    };
    StoreView {
        problems: fleet.problems(row, now),
        digest,
        drill: drill(row),
        store_id: row.store_id.clone(),
        kind: StoreKind::of(&row.kind),
        name: row.name.clone(),
        timezone: row.timezone.clone(),
        address: row.address.clone(),
        state,
        created_at: row.created_at,
        enrolled_at: row.enrolled_at,
        last_seen: row.last_seen_at,
        version: row.version.clone(),
        pending: row.pending,
        oldest_pending_at: row.oldest_pending_at,
        clock_skew_ms: row.clock_skew_ms,
        epoch: row.current_epoch.clone(),
    }
}
