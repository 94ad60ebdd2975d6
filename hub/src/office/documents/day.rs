//! Business days of stores: their sales, whether they are sealed, and whether head office has all records.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::reports::completeness::{self, Completeness};
use crate::office::reports::day_figures::{self, DayFigures};
use domain::model::base::time::UtcMs;
use domain::wire::sync::DigestResult;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyPool;
use sqlx::any::AnyRow;

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DaysQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only this business day or later.
    pub from: Option<Date>,
    /// Only this business day or earlier.
    pub to: Option<Date>,
}
/// A business day of a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreDay")]
pub struct View {
    #[serde(flatten)]
    day: Day,
    /// As the sales report has them.
    #[serde(flatten)]
    figures: DayFigures,
    /// Completeness: whether the store has reported all records of the day.
    completeness: Completeness,
}

/// A business day of a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreDayRow")]
pub struct Day {
    /// ID of the store.
    store_id: String,
    /// The business date.
    business_date: Date,
    /// When the day was sealed. Null while it is open.
    sealed_at: Option<UtcMs>,
    /// Number of shifts that are not closed.
    shifts_open: i64,
    /// Number of closed shifts.
    shifts_closed: i64,
    /// Last comparison of the day's digest with the store's. Null if there was none yet.
    digest: Option<DayDigest>,
}

/// The last comparison of a day.
#[derive(Debug, Serialize, JsonSchema)]
struct DayDigest {
    /// Result of the comparison.
    #[schemars(with = "DigestResult")]
    result: String,
    /// When the digests were compared.
    compared_at: UtcMs,
}

/// Position of a page: the day and store of the last item before it.
pub type Bookmark = (Date, String);

/// The place of a day.
pub fn place(item: &Day) -> Bookmark {
    (item.business_date, item.store_id.clone())
}

const SELECT: &str = "SELECT d.store_id, d.business_date, d.sealed_at, d.digest_result, d.digest_at, \
                      (SELECT COUNT(*) FROM shifts s WHERE s.store_id = d.store_id \
                      AND s.business_date = d.business_date AND s.state IN ('open', 'ended')) AS shifts_open, \
                      (SELECT COUNT(*) FROM shifts s WHERE s.store_id = d.store_id \
                      AND s.business_date = d.business_date AND s.state = 'closed') AS shifts_closed \
                      FROM store_days d WHERE {}";

fn day(row: &AnyRow) -> Result<Day, sqlx::Error> {
    let (result, at): (Option<String>, Option<UtcMs>) = (row.cell("digest_result")?, row.cell("digest_at")?);
    let digest = result.zip(at).map(|(result, compared_at)| DayDigest { result, compared_at });
    Ok(columns!(row => Day {
        store_id, business_date, sealed_at, shifts_open, shifts_closed; digest = digest,
    }))
}

/// The statement of a page, the newest first, with its parameters.
pub fn statement(ask: &DaysQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before
        .map(|(date, store_id)| [Bound::from(date.to_string().as_str()), Bound::from(store_id.as_str())]);
    let conditions = Conditions::default()
        .text("d.store_id = ?", ask.store_id.as_deref())
        .text("d.business_date >= ?", date(ask.from).as_deref())
        .text("d.business_date <= ?", date(ask.to).as_deref())
        .below(["d.business_date", "d.store_id"], below);
    (conditions, format!("{SELECT} ORDER BY d.business_date DESC, d.store_id DESC LIMIT {limit}"))
}

/// The newest first, after a place.
pub async fn list(
    pool: &AnyPool,
    ask: &DaysQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Day>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    conditions.query(&sql).fetch_all(pool).await?.iter().map(day).collect()
}

pub async fn read(pool: &AnyPool, store_id: &str, date: Date) -> Result<Option<Day>, sqlx::Error> {
    let conditions = Conditions::default()
        .text("d.store_id = ?", Some(store_id))
        .text("d.business_date = ?", Some(&date.to_string()));
    conditions.query(SELECT).fetch_optional(pool).await?.as_ref().map(day).transpose()
}

/// Days with their figures.
pub async fn with_figures(pool: &AnyPool, days: Vec<Day>, now: UtcMs) -> Result<Vec<View>, sqlx::Error> {
    let asked: Vec<_> = days.iter().map(|day| (day.store_id.as_str(), day.business_date)).collect();
    let mut figures = day_figures::of_days(pool, &asked).await?;
    let mut views = Vec::with_capacity(days.len());
    for day in days {
        let of = (day.store_id.clone(), day.business_date.to_string());
        let span = (day.business_date, day.business_date);
        let completeness = completeness::of(pool, Some(&day.store_id), span, now).await?;
        views.push(View { figures: figures.remove(&of).unwrap_or_default(), completeness, day });
    }
    Ok(views)
}
