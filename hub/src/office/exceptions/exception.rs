//! Contradictions as head office reads and settles them.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::exceptions::explanation;
use crate::table::audit;
use crate::table::exception::SHIFT_INTERRUPTED;
use domain::model::base::figures::Money;
use domain::model::base::ids::UserId;
use domain::model::base::limits::{CASH_MAX, TEXT_CHARS_MAX};
use domain::model::base::time::UtcMs;
use edge::ApiError;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};

const COLUMNS: &str = "x.exception_id, x.store_id, x.code, x.event_id, x.details, x.found_at, x.settled_at, \
                       x.settled_by, x.note, e.kind, e.business_date, e.total";
const FROM: &str = "exceptions x LEFT JOIN events e ON e.store_id = x.store_id AND e.event_id = x.event_id";

/// A record that contradicts other records.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "BusinessException")]
pub struct View {
    /// ID of the exception, `exc_…`.
    pub exception_id: String,
    /// Store that must check the exception.
    pub store_id: String,
    /// Stable code of the kind of problem.
    pub code: String,
    /// Description of the problem, for people.
    pub message: String,
    /// Suggested action.
    pub action: String,
    /// Amount of the event, in minor currency units. Null if it has none.
    pub amount: Option<Money>,
    /// ID of the contradicting event.
    pub event_id: String,
    /// Type of the event. Null if it is not known.
    pub event_type: Option<String>,
    /// Business day of the event. Null if it has none.
    pub business_date: Option<Date>,
    /// IDs and figures of the exception; which ones depends on `code`.
    #[schemars(with = "Map<String, Value>")]
    pub details: Value,
    /// When the exception was found.
    pub found_at: UtcMs,
    /// When the exception was settled. Null while it is open.
    pub settled_at: Option<UtcMs>,
    /// User who settled the exception. Null while it is open.
    pub settled_by: Option<String>,
    /// Outcome that the user gave. Null while the exception is open.
    pub note: Option<String>,
}

/// State of an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No user has settled it.
    Open,
    /// A user has settled it.
    Settled,
}

/// Filters of the list of exceptions.
#[derive(Default)]
pub struct Filter {
    /// Exceptions of this store. Empty for all stores.
    pub store_id: String,
    /// Only those with this code. Empty for any code.
    pub code: String,
    /// Only open or only settled ones. `None` for both.
    pub state: Option<State>,
    /// Only those with these codes. `None` for all.
    pub codes: Option<&'static [&'static str]>,
    /// Found on this day, in UTC, or later.
    pub from: Option<Date>,
    /// Found on this day, in UTC, or before.
    pub to: Option<Date>,
}

/// Request body of `POST /api/exceptions/:id/settle`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SettleException")]
pub struct Settle {
    /// Outcome, 1 to 500 bytes.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub note: String,
    /// Cash found in the drawer, in minor currency units. Required for an interrupted shift, and omitted otherwise.
    #[schemars(range(min = 0, max = CASH_MAX))]
    pub counted_cash: Option<Money>,
}

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let (code, details): (String, Value) = (row.cell("code")?, row.json("details")?);
    let (message, action) = explanation::of(&code, &details);
    Ok(View {
        exception_id: row.cell("exception_id")?,
        store_id: row.cell("store_id")?,
        message,
        action: action.to_owned(),
        amount: row.cell("total")?,
        event_id: row.cell("event_id")?,
        event_type: row.cell("kind")?,
        business_date: row.cell::<Option<String>>("business_date")?.and_then(|date| date.parse().ok()),
        details,
        found_at: row.cell("found_at")?,
        settled_at: row.cell("settled_at")?,
        settled_by: row.cell("settled_by")?,
        note: row.cell("note")?,
        code,
    })
}

/// The latest first, after a place.
pub async fn list(
    pool: &AnyPool,
    filter: &Filter,
    before: &(i64, String),
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let codes = filter.codes.map(|codes| format!("x.code IN ('{}')", codes.join("', '")));
    let codes = codes.as_deref().unwrap_or("1 = 1");
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE {codes} AND (x.store_id = $1 OR $1 = '') AND (x.code = $2 OR $2 = '') \
         AND ($3 = '' OR ($3 = 'open' AND x.settled_at IS NULL) OR ($3 = 'settled' AND x.settled_at IS NOT NULL)) \
         AND x.found_at >= $4 AND x.found_at < $5 \
         AND (x.found_at < $6 OR (x.found_at = $6 AND x.exception_id > $7)) \
         ORDER BY x.found_at DESC, x.exception_id LIMIT $8"
    );
    let state = match filter.state {
        None => "",
        Some(State::Open) => "open",
        Some(State::Settled) => "settled",
    };
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(&filter.store_id).bind(&filter.code).bind(state);
    let from = filter.from.and_then(midnight).unwrap_or(i64::MIN);
    let end = filter.to.and_then(|to| midnight(to.tomorrow().ok()?)).unwrap_or(i64::MAX);
    let query = query.bind(from).bind(end).bind(before.0).bind(&before.1);
    query.bind(limit).fetch_all(pool).await?.iter().map(view).collect()
}

/// Beginning of a day at head office, which has no time zone.
fn midnight(date: Date) -> Option<i64> {
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// Settles one: it is no longer counted, and stays in the list with who did it and why.
///
/// # Errors
/// 404, also for one of a code that is not theirs; 409 `invalid_state` for one that was settled before; 422.
pub async fn settle(
    connection: &mut AnyConnection,
    (by, codes): (&UserId, Option<&[&str]>),
    id: &str,
    ask: &Settle,
    now: UtcMs,
) -> Result<View, Failure> {
    let note = ask.note.trim();
    // The spaces around it count too: the longest text of the request is then the longest of the document.
    let long = ask.note.chars().count() > TEXT_CHARS_MAX;
    if long || note.is_empty() || note.chars().any(char::is_control) {
        return Err(ApiError::field("note", "must have 1 to 500 characters on one line").into());
    }
    let sql = "UPDATE exceptions SET settled_at = $2, settled_by = $3, note = $4 \
               WHERE exception_id = $1 AND settled_at IS NULL";
    let query = sqlx::query(sql).bind(id).bind(now.0).bind(by.as_str()).bind(note);
    let settled = query.execute(&mut *connection).await?.rows_affected() > 0;
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE x.exception_id = $1");
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id).fetch_optional(&mut *connection).await?;
    let view = view(&row.ok_or_else(|| ApiError::not_found("the exception"))?)?;
    if codes.is_some_and(|codes| !codes.contains(&view.code.as_str())) {
        return Err(ApiError::not_found("the exception").into());
    }
    if !settled {
        let error = ApiError::new(edge::Code::InvalidState, "this exception was already settled");
        return Err(error.with_details(json!({"state": "settled", "allowed": []})).into());
    }
    if view.code == SHIFT_INTERRUPTED && ask.counted_cash.is_none() {
        return Err(
            ApiError::field("counted_cash", "is needed: enter the cash that was in the drawer").into()
        );
    }
    let details = json!({"exception_id": id, "store_id": view.store_id, "code": view.code, "note": note,
        "counted_cash": ask.counted_cash});
    audit::append(connection, by, "exception.settled", &details, now).await?;
    Ok(view)
}
