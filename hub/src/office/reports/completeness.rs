//! Completeness of a report: the stores that have reported everything of its days.

use crate::db::column::Columns;
use domain::model::base::business_date::{day_end, day_start};
use domain::model::base::time::UtcMs;
use domain::rules::books::locked_days::BEGINNING;
use edge::page::List;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, Executor, Row};

/// A store that is online is heard at least this often, in milliseconds.
const ONLINE_MS: i64 = 5 * 60 * 1000;

/// Stores whose figures are complete in a report, and stores whose figures may be incomplete.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Completeness {
    /// Number of stores that may have sold on these days: those that are not disabled, and those that were disabled
    /// after the first of the days began.
    pub stores_expected: usize,
    /// Number of stores whose figures are complete. Such a store has connected after the last day ended, or recently,
    /// or had sent all records when it was disabled. It has no records to send, no parked records and no records that
    /// are missing for ever. It has sealed each of these days that is over, and it has not unsealed one of them or an
    /// earlier day.
    pub stores_complete: usize,
    /// Stores that are expected and not complete.
    pub missing: Vec<Missing>,
    /// When completeness was determined.
    pub as_of: UtcMs,
}

impl Completeness {
    /// Completeness of figures that no store reports.
    pub fn of_no_store(now: UtcMs) -> Self {
        Self { stores_expected: 0, stores_complete: 0, missing: Vec::new(), as_of: now }
    }

    /// The text of one line: `38/40; missing=S007,S012`.
    pub fn line(&self) -> String {
        let complete = format!("{}/{}", self.stores_complete, self.stores_expected);
        let missing: Vec<&str> = self.missing.iter().map(|store| store.store_id.as_str()).collect();
        if missing.is_empty() { complete } else { format!("{complete}; missing={}", missing.join(",")) }
    }
}

/// Fields of a page of figures beside its items, for descriptions of routes.
pub const EXAMPLE: &str = r#"{"completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
    "as_of": "2026-11-21T02:06:34.739Z"}}"#;

/// A page of figures, with their completeness.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CompleteListOf{T}")]
pub struct CompleteList<T> {
    /// Items on this page.
    pub items: Vec<T>,
    /// Cursor of the next page. Null on the last page.
    pub next_cursor: Option<String>,
    /// Completeness: which stores have reported all records of these days.
    pub completeness: Completeness,
}

impl<T> CompleteList<T> {
    /// A page as it was cut.
    pub fn of(List { items, next_cursor }: List<T>, completeness: Completeness) -> Self {
        Self { items, next_cursor, completeness }
    }

    /// As `of`, for a list by days: every day until today if none is given.
    ///
    /// # Errors
    /// A database error.
    pub async fn of_days(
        page: List<T>,
        read: &mut AnyConnection,
        (store_id, from, to): (Option<&str>, Option<Date>, Option<Date>),
        (today, now): (Date, UtcMs),
    ) -> Result<Self, sqlx::Error> {
        let days = (from.unwrap_or(BEGINNING), to.unwrap_or(today));
        Ok(Self::of(page, of(read, store_id, days, now).await?))
    }
}

/// A store whose figures may be incomplete.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MissingStore")]
pub struct Missing {
    /// ID of the store.
    pub store_id: String,
    /// When the store last connected. Null if it never did.
    pub last_seen: Option<UtcMs>,
    /// Reasons why its figures may be incomplete.
    pub reasons: Vec<Reason>,
    /// Number of records that the store had not sent when it last connected. Null if it never did.
    pub pending: Option<i64>,
}

/// Reason why a store's figures may be incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The store has not connected since these days ended.
    NotHeard,
    /// The store has records that it has not sent yet.
    Pending,
    /// Some of the store's records are missing permanently.
    Hole,
    /// Some of the store's records are parked.
    Parked,
    /// The store was disabled while a shift of these days was open.
    ShiftOpen,
    /// One of these days is over at the store and is not sealed.
    NotSealed,
    /// One of these days, or an earlier day, was unsealed: its figures may still change.
    DayReopened,
}

const SQL: &str = "SELECT store_id, kind, timezone, day_start, disabled, disabled_at, last_seen_at, pending, \
                   (SELECT COUNT(*) FROM holes WHERE holes.store_id = stores.store_id) AS holes, \
                   (SELECT COUNT(*) FROM parked WHERE parked.store_id = stores.store_id) AS parked, \
                   (SELECT COUNT(*) FROM shifts WHERE shifts.store_id = stores.store_id \
                   AND shifts.business_date >= $2 AND shifts.business_date <= $3 \
                   AND shifts.state IN ('open', 'ended')) AS open_shifts, \
                   (SELECT COUNT(*) FROM store_days WHERE store_days.store_id = stores.store_id AND sealed = 0 \
                   AND store_days.stamp <> '' AND store_days.business_date <= $3) AS reopened, \
                   (SELECT MIN(business_date) FROM store_days WHERE store_days.store_id = stores.store_id AND sealed = 0 \
                   AND store_days.business_date >= $2 AND store_days.business_date <= $3) AS unsealed \
                   FROM stores WHERE (disabled = 0 OR enrolled_at IS NOT NULL) \
                   AND (store_id = $1 OR $1 = '') ORDER BY store_id";

/// The completeness of a report of the business days `from` to `to`.
pub async fn of<'e>(
    executor: impl Executor<'e, Database = Any>,
    store_id: Option<&str>,
    (from, to): (Date, Date),
    now: UtcMs,
) -> Result<Completeness, sqlx::Error> {
    let query = sqlx::query(SQL).bind(store_id.unwrap_or_default());
    let rows = query.bind(from.to_string()).bind(to.to_string()).fetch_all(executor).await?;
    let (mut stores_expected, mut missing) = (0_usize, Vec::new());
    for row in rows {
        let Some(reasons) = reasons(&row, (from, to), now)? else { continue };
        stores_expected = stores_expected.saturating_add(1);
        if !reasons.is_empty() {
            let last_seen = row.cell("last_seen_at")?;
            let pending = row.cell("pending")?;
            missing.push(Missing { store_id: row.try_get("store_id")?, last_seen, reasons, pending });
        }
    }
    Ok(Completeness {
        stores_expected,
        stores_complete: stores_expected.saturating_sub(missing.len()),
        missing,
        as_of: now,
    })
}

/// Reasons why a store's figures may be incomplete. `None` if it was disabled before these days.
fn reasons(row: &AnyRow, (from, to): (Date, Date), now: UtcMs) -> Result<Option<Vec<Reason>>, sqlx::Error> {
    let zone: TimeZone = row.cell("timezone")?;
    let starts = row.try_get::<Option<&str>, _>("day_start")?.and_then(day_start).unwrap_or_default();
    let end = |day: Date| day_end(day, &zone, starts).0;
    let begun = from.yesterday().map_or(i64::MIN, end);
    let disabled = row.cell("disabled")?;
    let disabled_at = row.try_get::<Option<i64>, _>("disabled_at")?.filter(|_| disabled).unwrap_or(i64::MAX);
    if disabled_at < begun {
        return Ok(None);
    }
    let online_at = |at: i64| at.saturating_sub(ONLINE_MS);
    let heard_by = end(to).min(online_at(now.0)).min(online_at(disabled_at));
    let last_seen: Option<i64> = row.try_get("last_seen_at")?;
    let pending: Option<i64> = row.try_get("pending")?;
    // Records that were forgotten before they arrived are permanently missing, and their day is not known.
    let count = |column: &str| row.try_get::<i64, _>(column);
    let (holes, parked) = (count("holes")?, count("parked")?);
    let (open, reopened) = (count("open_shifts")?, count("reopened")?);
    let unsealed: Option<Date> = row.cell("unsealed")?;
    // Actions of a warehouse are written here.
    let heard = row.try_get::<&str, _>("kind")? == "warehouse" || last_seen.is_some_and(|at| at >= heard_by);
    let all = [
        (!heard, Reason::NotHeard),
        (pending != Some(0), Reason::Pending),
        (holes > 0, Reason::Hole),
        (parked > 0, Reason::Parked),
        (disabled && open > 0, Reason::ShiftOpen),
        (unsealed.is_some_and(|day| end(day) <= now.0), Reason::NotSealed),
        (reopened > 0, Reason::DayReopened),
    ];
    Ok(Some(all.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect()))
}
