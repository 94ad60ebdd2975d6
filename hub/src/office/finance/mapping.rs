//! Accounts that take the place of the plan's, each from a day in the books on.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::locking;
use crate::office::finance::mapping_checks::{check_nothing_else, check_unused};
use crate::table::{day_lock, journal};
use domain::model::base::limits::ACCOUNT_DIGITS;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::inventory::adjustment::AdjustmentReason;
use domain::model::selling::payment::{CASH, EXCHANGE, POINTS};
use domain::rules::books::posting::{AccountUse, MappingOf};
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe};

/// The longest key, in bytes.
const KEY_BYTES_MAX: usize = 64;
/// The shortest part of a bank's text, in characters.
const BANK_TEXT_CHARS_MIN: usize = 3;

/// Mapping of a key to an account.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "AccountMapping")]
pub struct View {
    /// ID of the mapping, `map_…`.
    pub mapping_id: String,
    /// Kind of object that is mapped.
    pub of: MappingOf,
    /// A payment method, a reason code, or a part of a bank's text.
    pub key: String,
    /// Account that replaces the standard chart's account.
    pub account: String,
    /// First day in the books that the mapping applies to, until a later mapping of the same key.
    pub from: Date,
    /// When the mapping was created.
    pub created_at: UtcMs,
    /// User who created the document.
    pub created_by: String,
}

/// Request body of `POST /api/finance/mappings`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewAccountMapping")]
pub struct New {
    /// Kind of object that is mapped.
    of: MappingOf,
    /// A payment method, a reason code, or at least 3 characters of a bank's text.
    #[schemars(length(min = 1, max = KEY_BYTES_MAX))]
    key: String,
    /// Account that replaces the standard chart's account. For a payment method: 1110, 1120, 1130, 1140, or an asset or
    /// liability account of your own that nothing else is posted to. Otherwise any account that is not a control
    /// account; for a cash reason also 2020.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    account: String,
    /// First day in the books that the mapping applies to.
    from: Date,
}

impl New {
    /// Mapping of a key to an account from a day on.
    pub fn of(of: MappingOf, key: String, account: String, from: Date) -> Self {
        Self { of, key, account, from }
    }
}

/// Position of a page: the day, kind and key of the last item before it.
pub type Bookmark = (Date, String, String);

/// The latest day first, after a place.
pub async fn list(pool: &AnyPool, after: Option<&Bookmark>, limit: i64) -> Result<Vec<View>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM mappings WHERE $1 = '' OR (from_date, kind, mapped_key) < ($1, $2, $3) \
         ORDER BY from_date DESC, kind DESC, mapped_key DESC LIMIT {limit}"
    );
    let (day, kind, key) =
        after.cloned().map_or_else(Default::default, |(day, kind, key)| (day.to_string(), kind, key));
    let query = sqlx::query(AssertSqlSafe(sql)).bind(day).bind(kind).bind(key);
    query.fetch_all(pool).await?.iter().map(view).collect()
}

const COLUMNS: &str = "mapping_id, kind, mapped_key, account, from_date, created_at, created_by";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let kind: String = row.cell("kind")?;
    let of =
        serde_json::from_value(Value::String(kind)).map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(columns!(row => View {
        mapping_id, key: "mapped_key", account, from: "from_date", created_at, created_by; of = of,
    }))
}

/// The mapping of a method that begins on a day.
pub async fn of_day(
    connection: &mut AnyConnection,
    method: &str,
    from: Date,
) -> Result<Option<View>, sqlx::Error> {
    let sql =
        format!("SELECT {COLUMNS} FROM mappings WHERE kind = $1 AND mapped_key = $2 AND from_date = $3");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(MappingOf::Method.name()).bind(method.to_owned());
    query.bind(from.to_string()).fetch_optional(connection).await?.as_ref().map(view).transpose()
}

/// Account that a method is mapped to on a day. `None` for the account of the standard chart.
pub async fn of_method(
    connection: &mut AnyConnection,
    method: &str,
    on: Date,
) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT account FROM mappings WHERE kind = $1 AND mapped_key = $2 AND from_date <= $3 \
               ORDER BY from_date DESC LIMIT 1";
    let query = sqlx::query_scalar(sql).bind(MappingOf::Method.name()).bind(method).bind(on.to_string());
    query.fetch_optional(connection).await
}

/// First day after one on which the mapping of a method changes. `None` if it stays as it is.
pub async fn later(
    connection: &mut AnyConnection,
    method: &str,
    after: Date,
) -> Result<Option<Date>, sqlx::Error> {
    let sql = "SELECT MIN(from_date) AS first_day FROM mappings WHERE kind = $1 AND mapped_key = $2 AND from_date > $3";
    let query = sqlx::query(sql).bind(MappingOf::Method.name()).bind(method).bind(after.to_string());
    query.fetch_one(connection).await?.cell("first_day")
}

/// Adds a mapping; no other transaction changes accounts or locks days until this one ends.
///
/// # Errors
/// 422; 409 `day_locked`, `duplicate`.
pub async fn create(
    connection: &mut AnyConnection,
    new: New,
    (by, now): (&str, UtcMs),
) -> Result<View, Failure> {
    let New { of, key, account, from } = new;
    let key = checked(of, key)?;
    let chart = Chart::read(&mut *connection).await?;
    let standing = chart.check_use("account", &account, AccountUse::Mapping(of))?;
    if of == MappingOf::Method && !standing.control() {
        check_nothing_else(connection, &account).await?;
    }
    check_open(connection, from).await?;
    let mapping_id = ids::new("map_");
    let sql = "INSERT INTO mappings (kind, mapped_key, account, from_date, created_at, created_by, mapping_id) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (kind, mapped_key, from_date) DO NOTHING";
    let query = sqlx::query(sql).bind(of.name()).bind(&key).bind(&account).bind(from.to_string());
    let done = query.bind(now.0).bind(by).bind(&mapping_id).execute(connection).await?;
    if done.rows_affected() == 0 {
        let id = format!("{} {key} {from}", of.name());
        return Err(ApiError::from(Refusal::Duplicate { what: "mapping", id }).into());
    }
    Ok(View { mapping_id, of, key, account, from, created_at: now, created_by: by.to_owned() })
}

/// Removes a mapping that no entry has used; the one that it replaced counts again.
///
/// # Errors
/// 404; 409 `invalid_state` once an entry has used it.
pub async fn withdraw(connection: &mut AnyConnection, mapping_id: &str) -> Result<View, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM mappings WHERE mapping_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(mapping_id.to_owned()).fetch_optional(&mut *connection);
    let row = row.await?.ok_or_else(|| ApiError::not_found("the mapping"))?;
    let mapping = view(&row)?;
    remove(connection, &mapping).await?;
    Ok(mapping)
}

/// Removes a mapping that nothing was posted by.
///
/// # Errors
/// 409 `invalid_state`.
pub async fn remove(connection: &mut AnyConnection, mapping: &View) -> Result<(), Failure> {
    // A push that runs at this moment has already read the mappings: wait for the books that it holds.
    for book in locking::all(&mut *connection).await? {
        journal::numbers(connection, &book, 0).await?;
    }
    check_unused(connection, mapping).await?;
    let sql = "DELETE FROM mappings WHERE mapping_id = $1";
    sqlx::query(sql).bind(&mapping.mapping_id).execute(connection).await?;
    Ok(())
}

/// The key as it is looked for.
fn checked(of: MappingOf, key: String) -> Result<String, ApiError> {
    if key.trim().is_empty() || key.len() > KEY_BYTES_MAX || key.chars().any(char::is_control) {
        return Err(ApiError::field("key", "must have 1 to 64 bytes"));
    }
    match of {
        MappingOf::Method if [CASH, POINTS, EXCHANGE].contains(&key.as_str()) => {
            Err(ApiError::field("key", "is a payment method whose account is fixed"))
        }
        MappingOf::AdjustmentReason
            if serde_json::from_value::<AdjustmentReason>(Value::String(key.clone())).is_err() =>
        {
            Err(ApiError::field("key", "is not a reason for adjustments"))
        }
        MappingOf::BankText if key.trim().chars().count() < BANK_TEXT_CHARS_MIN => {
            Err(ApiError::field("key", "must have at least 3 characters"))
        }
        MappingOf::BankText => Ok(key.trim().to_lowercase()),
        _ => Ok(key),
    }
}

/// 409 for a day that is locked in any book: its entries are posted already.
async fn check_open(connection: &mut AnyConnection, from: Date) -> Result<(), Failure> {
    let mut books = day_lock::of_all(&mut *connection).await?;
    // A closed month is locked in every book, also in head office's own.
    books.insert(String::new(), day_lock::of_book(connection, "", from).await?);
    let first = books.into_iter().map(|(book, locked)| (locked.first_open(from), book)).max();
    match first {
        Some((next_open_date, store_id)) if next_open_date > from => {
            Err(ApiError::from(Refusal::DayLocked { store_id, date: from, next_open_date }).into())
        }
        _ => Ok(()),
    }
}
