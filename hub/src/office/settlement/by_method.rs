//! Sums of a settlement by payment method.

use crate::db::column::Columns;
use crate::db::insert::{self, NewRow};
use crate::{columns, row};
use domain::model::base::figures::Money;
use domain::rules::books::settlement::Slice;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// Figures of a payment method in a settlement.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SettlementMethod")]
pub struct ByMethod {
    /// Payment method.
    method: String,
    /// Sum of the payments, in minor currency units.
    sales: Money,
    /// Sum of the refunds, negative, in minor currency units.
    refunds: Money,
    /// `sales` + `refunds`, in minor currency units.
    expected: Money,
    /// Amount that is matched with lines, or with items that cancel each other, in minor currency units.
    matched: Money,
    /// Part of `matched` that the provider keeps as its fee, in minor currency units.
    fee: Money,
    /// Part of `matched` that reaches the account, in minor currency units.
    net: Money,
    /// Part of `matched` that is missing, not counting the fee, in minor currency units.
    difference: Money,
    /// Amount without a match, in minor currency units.
    open: Money,
    /// Part of `expected` that was carried from an earlier day, in minor currency units.
    carried_in: Money,
    /// Amount that is carried to a later day, in minor currency units. In an approved settlement, the whole open
    /// amount.
    carried_out: Money,
    /// Part of `expected` that was reported after the settlement of its own day was approved, in minor currency units.
    late: Money,
}

/// Expected amount of all methods together, and the amount without a match.
pub fn sums(methods: &[ByMethod]) -> (Money, Money) {
    let sum = |of: fn(&ByMethod) -> Money| methods.iter().map(of).sum::<Money>();
    (sum(|method| method.expected), sum(|method| method.open))
}

/// Figures by method. Once the settlement is approved, as they were then.
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

/// Stores them as they are: carried items no longer belong to that day.
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
            fee = Money::ZERO, net = Money::ZERO, difference = Money::ZERO,
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

/// Parts of a day's matches by method: `slice_methods` has those with several.
const PARTS: &str = "SELECT COALESCE(m.method, s.method, '') AS method, \
                     CAST(SUM(COALESCE(m.fee, s.fee)) AS BIGINT) AS fee, \
                     CAST(SUM(COALESCE(m.difference, s.difference)) AS BIGINT) AS difference, \
                     CAST(SUM(COALESCE(m.net, s.net)) AS BIGINT) AS net FROM match_slices s \
                     LEFT JOIN slice_methods m ON m.store_id = s.store_id \
                     AND m.settlement_date = s.settlement_date AND m.match_id = s.match_id \
                     WHERE s.store_id = $1 AND s.settlement_date = $2 GROUP BY 1";

/// Fee, difference and net by method.
async fn parts(
    connection: &mut AnyConnection,
    store_id: &str,
    day: Date,
) -> Result<BTreeMap<String, [Money; 3]>, sqlx::Error> {
    let rows = sqlx::query(PARTS).bind(store_id).bind(day.to_string()).fetch_all(connection).await?;
    let part = |row: &AnyRow| {
        let (method, fee, difference, net): (String, Money, Money, Money) =
            columns!(row => (method, fee, difference, net));
        Ok((method, [fee, difference, net]))
    };
    rows.iter().map(part).collect()
}

/// The rows of a slice of several methods.
pub fn rows(slice: &Slice, match_id: &str) -> Vec<NewRow> {
    let row = |(method, [fee, difference, net]): (&str, [Money; 3])| {
        row! {
            store_id: slice.store_id.as_str(), settlement_date: slice.settlement_date.to_string(), match_id, method, fee,
            difference, net,
        }
    };
    slice.by_method().into_iter().map(row).collect()
}

/// Splits a slice of several methods again, because its sums have changed.
pub async fn anew(
    connection: &mut AnyConnection,
    (store_id, day, match_id): &(String, Date, String),
) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM slice_methods WHERE store_id = $1 AND settlement_date = $2 AND match_id = $3";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string()).bind(match_id);
    if query.execute(&mut *connection).await?.rows_affected() == 0 {
        return Ok(());
    }
    let sql = "SELECT method, CAST(SUM(amount) AS BIGINT) AS amount FROM settlement_items WHERE store_id = $1 \
               AND settlement_date = $2 AND match_id = $3 GROUP BY method";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string()).bind(match_id);
    let mut methods = BTreeMap::new();
    for row in query.fetch_all(&mut *connection).await? {
        methods.extend([columns!(row => (method, amount))]);
    }
    let sql = "SELECT store_id, settlement_date, gross, fee, difference, net FROM match_slices WHERE store_id = $1 \
               AND settlement_date = $2 AND match_id = $3";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string()).bind(match_id);
    let row = query.fetch_one(&mut *connection).await?;
    let slice = columns!(row => Slice {
        store_id, settlement_date, gross, fee, difference, net; cleared = BTreeMap::new(), methods = methods,
    });
    insert::rows(connection, "slice_methods", "", rows(&slice, match_id)).await
}
