//! Whether the shifts of a day and the expected payments agree on the amount of each method.
//!
//! A difference can be reported once all shifts of the day are closed and their sums are reported. Later records may
//! explain it: then it ends by itself, even if a person has answered it.

use crate::db::column::Columns;
use crate::db::insert;
use crate::table::settlement;
use crate::{columns, row};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::{differing, is_settled_elsewhere};
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// Sums of a day that were noted before: amounts by method.
type Sums = BTreeMap<String, Money>;

/// Notes the amounts by which the day of a store differs, and ends differences that are gone. The store's book is
/// locked. Returns whether anything changed; a day without a settlement, or with an approved one, is left as it is.
pub async fn note(
    connection: &mut AnyConnection,
    store_id: &str,
    day: Date,
    now: UtcMs,
) -> Result<bool, sqlx::Error> {
    let sql = "SELECT 1 FROM settlements WHERE store_id = $1 AND business_date = $2 AND state <> 'approved'";
    let waiting = sqlx::query(sql).bind(store_id).bind(day.to_string());
    if waiting.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(false);
    }
    let Some(reported) = by_shifts(connection, store_id, day).await? else { return Ok(false) };
    let differs = differing(&reported, &by_items(connection, store_id, day).await?);
    let noted = noted(connection, store_id, day).await?;
    let mut changed = false;
    for method in noted.keys().filter(|method| !differs.contains_key(*method)) {
        let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = NULL, resolved_by = NULL, \
                   reason = NULL, resolved_at = $2, amount = 0 WHERE exception_id = $1";
        let query = sqlx::query(sql).bind(exception_id(store_id, day, method)).bind(now.0);
        query.execute(&mut *connection).await?;
        changed = true;
    }
    for (method, amount) in differs.into_iter().filter(|(method, amount)| noted.get(method) != Some(amount)) {
        add(connection, (store_id, day), &method, amount, now).await?;
        changed = true;
    }
    Ok(changed)
}

/// The exception's ID: the same for the same method of the same day.
fn exception_id(store_id: &str, day: Date, method: &str) -> String {
    settlement::exception_id(ExceptionKind::ShiftDiffers, &format!("{store_id} {day} {method}"))
}

/// Amount that the shifts of a day took in less what they gave back, by method. `None` if one of them was not
/// reported.
async fn by_shifts(
    connection: &mut AnyConnection,
    store_id: &str,
    day: Date,
) -> Result<Option<Sums>, sqlx::Error> {
    let sql = "SELECT state, COALESCE(methods, 'null') AS methods FROM shifts WHERE store_id = $1 AND business_date = $2";
    let rows = sqlx::query(sql).bind(store_id).bind(day.to_string()).fetch_all(connection).await?;
    let mut sums = Sums::new();
    for row in &rows {
        let state: String = row.cell("state")?;
        let methods: Option<Sums> = row.json("methods")?;
        let Some(methods) = methods.filter(|_| state == "closed") else { return Ok(None) };
        for (method, net) in methods.into_iter().filter(|(method, _)| is_settled_elsewhere(method)) {
            let sum = sums.entry(method).or_default();
            *sum = sum.saturating_add(net);
        }
    }
    Ok(Some(sums).filter(|_| !rows.is_empty()))
}

/// Expected amount of a day by method, wherever its items have moved to, without items of the opening balance.
async fn by_items(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<Sums, sqlx::Error> {
    let sql = "SELECT method, CAST(SUM(amount) AS BIGINT) AS expected FROM settlement_items WHERE store_id = $1 \
               AND settlement_date >= $2 AND business_date = $2 AND event_id <> '' AND kind IN ('payment', 'refund') GROUP BY method";
    let rows = sqlx::query(sql).bind(store_id).bind(day.to_string()).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => (method, expected)))).collect()
}

/// Differences noted of the day until now, also those that a user accepted.
async fn noted(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<Sums, sqlx::Error> {
    let sql = "SELECT method, amount FROM settlement_exceptions WHERE store_id = $1 AND business_date = $2 \
               AND kind = $3 AND amount <> 0";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string());
    let rows = query.bind(ExceptionKind::ShiftDiffers.name()).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => (method, amount)))).collect()
}

/// An amount that differs from the one that a person accepted is asked about again.
async fn add(
    connection: &mut AnyConnection,
    (store_id, day): (&str, Date),
    method: &str,
    amount: Money,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let row = row! {
        exception_id: exception_id(store_id, day, method), kind: ExceptionKind::ShiftDiffers.name(), store_id,
        business_date: day.to_string(), method, amount, items: "[]", lines: "[]", candidates: "[]", state: "open",
        found_at: now.0,
    };
    let tail = "ON CONFLICT (exception_id) DO UPDATE SET state = 'open', resolution = NULL, reason = NULL, \
                resolved_by = NULL, resolved_at = NULL, found_at = excluded.found_at, amount = excluded.amount";
    insert::rows(connection, "settlement_exceptions", tail, vec![row]).await
}
