//! How complete a report is: which stores have told everything of its days.

use domain::time::UtcMs;
use jiff::civil::{Date, Time};
use jiff::{ToSpan, tz::TimeZone};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{AnyPool, Row};

/// A store that is online is heard at least this often, in milliseconds.
const ONLINE_MS: i64 = 5 * 60 * 1000;

/// Which stores a report is complete for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Completeness {
    /// Stores that are not disabled.
    pub stores_expected: usize,
    /// Stores heard after the last day ended, or lately, with nothing left to send, and nothing missing for ever.
    pub stores_complete: usize,
    /// The others.
    pub missing: Vec<Missing>,
}

/// A store that may not have told everything.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MissingStore")]
pub struct Missing {
    /// Which.
    pub store_id: String,
    /// When it was last heard.
    pub last_seen: Option<UtcMs>,
}

/// The completeness of a report up to the business day `to`.
///
/// # Errors
/// The database's.
pub async fn of(
    pool: &AnyPool,
    store_id: Option<&str>,
    to: Date,
    now: UtcMs,
) -> Result<Completeness, sqlx::Error> {
    let sql = "SELECT store_id, timezone, last_seen_at, pending, \
               (SELECT COUNT(*) FROM holes WHERE holes.store_id = stores.store_id) FROM stores \
               WHERE disabled = 0 AND (store_id = $1 OR $1 = '') ORDER BY store_id";
    let rows = sqlx::query(sql).bind(store_id.unwrap_or_default()).fetch_all(pool).await?;
    let stores_expected = rows.len();
    let mut missing = Vec::new();
    for row in rows {
        let last_seen: Option<i64> = row.try_get(2)?;
        let heard_by = day_end(to, row.try_get(1)?).min(now.0.saturating_sub(ONLINE_MS));
        let pending: Option<i64> = row.try_get(3)?;
        // What was forgotten before it was heard of is missing for ever, and nobody knows of which day.
        let holes: i64 = row.try_get(4)?;
        if last_seen.is_none_or(|at| at < heard_by) || pending != Some(0) || holes > 0 {
            missing.push(Missing { store_id: row.try_get(0)?, last_seen: last_seen.map(UtcMs) });
        }
    }
    Ok(Completeness {
        stores_expected,
        stores_complete: stores_expected.saturating_sub(missing.len()),
        missing,
    })
}

/// When a day is over at a store, in milliseconds; never for the last day there is.
fn day_end(day: Date, timezone: &str) -> i64 {
    let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
    let next = day.checked_add(1.day()).and_then(|next| next.to_datetime(Time::midnight()).to_zoned(zone));
    next.map_or(i64::MAX, |at| at.timestamp().as_millisecond())
}
