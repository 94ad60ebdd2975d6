//! What a settlement comes to, by how it was paid.

use crate::columns;
use crate::db::column::Columns;
use domain::rules::books::settlement::{Rule, Slice};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// What a method comes to.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SettlementMethod")]
pub struct ByMethod {
    /// How it was paid.
    method: String,
    /// Σ payments.
    sales: i64,
    /// Σ refunds; below 0.
    refunds: i64,
    /// Both together.
    expected: i64,
    /// What lines were found for, or what takes itself back.
    matched: i64,
    /// Of that: what whoever pays out keeps.
    fee: i64,
    /// Of that: what reaches the account.
    net: i64,
    /// Of that: what is missing beyond the fee.
    difference: i64,
    /// What nothing was found for.
    open: i64,
    /// Of all: what belongs to an earlier day and was carried here.
    carried_in: i64,
    /// What is carried on; of an approved settlement all that was open.
    carried_out: i64,
    /// Of all: what came after the settlement of its own day was approved.
    late: i64,
}

/// By method; once it is approved as it was then.
pub async fn of(
    connection: &mut AnyConnection,
    store_id: &str,
    day: Date,
) -> Result<Vec<ByMethod>, sqlx::Error> {
    let sql =
        "SELECT figures FROM settlements WHERE store_id = $1 AND business_date = $2 AND figures IS NOT NULL";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string());
    match query.fetch_optional(&mut *connection).await? {
        Some(row) => row.json("figures"),
        None => now(connection, store_id, day).await,
    }
}

/// Keeps them as they are: what is carried on is no longer of that day.
pub async fn keep(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<(), sqlx::Error> {
    let mut methods = now(connection, store_id, day).await?;
    for method in &mut methods {
        method.carried_out = method.open;
    }
    let figures = serde_json::to_string(&methods).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let sql = "UPDATE settlements SET figures = $3 WHERE store_id = $1 AND business_date = $2";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string()).bind(figures);
    query.execute(connection).await?;
    Ok(())
}

async fn now(
    connection: &mut AnyConnection,
    store_id: &str,
    day: Date,
) -> Result<Vec<ByMethod>, sqlx::Error> {
    let sum = |condition: &str| {
        format!("CAST(COALESCE(SUM(CASE WHEN {condition} THEN amount ELSE 0 END), 0) AS BIGINT)")
    };
    let sql = format!(
        "SELECT method, {} AS sales, {} AS refunds, {} AS expected, {} AS matched, {} AS open_sum, {} AS carried_out, \
         {} AS carried_in, {} AS late_sum FROM settlement_items WHERE store_id = $1 AND settlement_date = $2 \
         AND kind IN ('payment', 'refund') GROUP BY method ORDER BY method",
        sum("kind = 'payment'"),
        sum("kind = 'refund'"),
        sum("1 = 1"),
        sum("state IN ('matched', 'posted')"),
        sum("state = 'open'"),
        sum("state = 'open' AND carried_until IS NOT NULL"),
        sum("settlement_date <> business_date AND late = 0"),
        sum("late = 1"),
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id.to_owned()).bind(day.to_string());
    let of_method = |row: &AnyRow| -> Result<ByMethod, sqlx::Error> {
        Ok(columns!(row => ByMethod {
            method, sales, refunds, expected, matched, open: "open_sum", carried_out, carried_in, late: "late_sum";
            fee = 0, net = 0, difference = 0,
        }))
    };
    let rows = query.fetch_all(&mut *connection).await?;
    let mut methods = rows.iter().map(of_method).collect::<Result<Vec<_>, _>>()?;
    let parts = parts(connection, store_id, day).await?;
    for of in &mut methods {
        [of.fee, of.difference, of.net] = parts.get(&of.method).copied().unwrap_or_default();
    }
    Ok(methods)
}

/// Fee, difference and net by method. Slices and items are read apart and put together here: the engines know too little of
/// both to join them well, and a day has not more of them than a shop has customers.
async fn parts(
    connection: &mut AnyConnection,
    store_id: &str,
    day: Date,
) -> Result<BTreeMap<String, [i64; 3]>, sqlx::Error> {
    let sql = "SELECT match_id, method, CAST(SUM(amount) AS BIGINT) AS amount FROM settlement_items \
               WHERE store_id = $1 AND settlement_date = $2 AND match_id IS NOT NULL \
               AND kind IN ('payment', 'refund') GROUP BY match_id, method ORDER BY match_id, method";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string());
    let mut amounts: BTreeMap<String, Vec<(String, i64)>> = BTreeMap::new();
    for row in query.fetch_all(&mut *connection).await? {
        amounts.entry(row.cell("match_id")?).or_default().push(columns!(row => (method, amount)));
    }
    let sql = "SELECT s.store_id, s.settlement_date, s.match_id, s.gross, s.fee, s.difference, s.net, s.cleared, \
               (SELECT m.rule FROM settlement_matches m WHERE m.match_id = s.match_id) AS rule \
               FROM match_slices s WHERE s.store_id = $1 AND s.settlement_date = $2";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string());
    let mut parts: BTreeMap<String, [i64; 3]> = BTreeMap::new();
    for row in query.fetch_all(connection).await? {
        let (match_id, rule): (String, Option<String>) = columns!(row => (match_id, rule));
        // What takes itself back reaches no account, whichever methods it was of.
        let Some(methods) =
            amounts.remove(&match_id).filter(|_| rule.as_deref() != Some(Rule::Contra.name()))
        else {
            continue;
        };
        let cleared = row.json("cleared")?;
        let slice = columns!(row => Slice {
            store_id, settlement_date, gross, fee, difference, net; cleared = cleared,
        });
        for (method, part) in by_methods(&slice, methods) {
            let sums = parts.entry(method).or_default();
            for (sum, figure) in sums.iter_mut().zip(part) {
                *sum = sum.saturating_add(figure);
            }
        }
    }
    Ok(parts)
}

/// What of a slice each method has: all of it, where there is one.
fn by_methods(slice: &Slice, methods: Vec<(String, i64)>) -> Vec<(String, [i64; 3])> {
    if let [(method, _)] = methods.as_slice() {
        return vec![(method.clone(), [slice.fee, slice.difference, slice.net])];
    }
    let grosses: Vec<i64> = methods.iter().map(|(_, amount)| *amount).collect();
    methods.into_iter().map(|(method, _)| method).zip(slice.parts(&grosses)).collect()
}
