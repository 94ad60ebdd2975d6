//! The sales report: paid and not voided, by day, hour, store, cashier, sku, category or method.

use crate::failure::Failure;
use domain::report::{FIGURES, GROUPS_MAX, GroupBy, row, sums};
use edge::ApiError;
use edge::csv::{self, Cell};
use jiff::civil::Date;
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};
use std::collections::BTreeMap;

/// How many of the figures are of sales; those of returns follow.
const OF_A_SALE: usize = 7;
/// The sums of a group of sales; all figures BIGINT on both engines.
const OF_SALES: &str = "COUNT(*), CAST(SUM(s.items_count) AS BIGINT), CAST(SUM(s.gross) AS BIGINT), \
                        CAST(SUM(s.discount) AS BIGINT), CAST(SUM(s.tax) AS BIGINT), \
                        CAST(SUM(s.total) AS BIGINT), CAST(SUM(s.rounding) AS BIGINT) FROM sales s";
const OF_LINES: &str = "COUNT(DISTINCT l.store_id || ' ' || l.event_id), CAST(SUM(l.qty) AS BIGINT), \
                        CAST(SUM(l.gross) AS BIGINT), CAST(SUM(l.discount) AS BIGINT), \
                        CAST(SUM(l.tax) AS BIGINT), CAST(SUM(l.total) AS BIGINT), CAST(0 AS BIGINT) FROM sales s \
                        JOIN sale_lines l ON l.store_id = s.store_id AND l.event_id = s.event_id";
const OF_PAYMENTS: &str = "COUNT(DISTINCT p.store_id || ' ' || p.event_id), CAST(0 AS BIGINT), \
                           CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), \
                           CAST(SUM(p.amount) AS BIGINT), CAST(SUM(p.rounding) AS BIGINT) FROM sales s \
                           JOIN payments p ON p.store_id = s.store_id AND p.event_id = s.event_id";

/// Returns have the names of sales, so that both are grouped by the same keys.
const RETURNED: &str = "COUNT(*), CAST(SUM(s.refund_total) AS BIGINT), CAST(SUM(s.rounding) AS BIGINT) \
                        FROM returns s";
const RETURNED_LINES: &str = "COUNT(DISTINCT l.store_id || ' ' || l.event_id), CAST(SUM(l.refund) AS BIGINT), \
                              CAST(0 AS BIGINT) \
                              FROM returns s JOIN return_lines l ON l.store_id = s.store_id \
                              AND l.event_id = s.event_id";
const RETURNED_MONEY: &str = "COUNT(DISTINCT p.store_id || ' ' || p.event_id), \
                              CAST(SUM(p.amount) AS BIGINT), CAST(SUM(p.rounding) AS BIGINT) FROM returns s \
                              JOIN refunds p ON p.store_id = s.store_id AND p.event_id = s.event_id";

/// Key, figures and joins of a grouping.
fn sql(group_by: GroupBy) -> (&'static str, &'static str, &'static str) {
    let category = "LEFT JOIN products c ON c.sku = l.sku";
    match group_by {
        GroupBy::Day => ("s.business_date", OF_SALES, ""),
        GroupBy::Hour => ("s.local_hour", OF_SALES, ""),
        GroupBy::Store => ("s.store_id", OF_SALES, ""),
        GroupBy::Cashier => ("s.cashier_id", OF_SALES, ""),
        GroupBy::Sku => ("l.sku", OF_LINES, ""),
        GroupBy::Category => ("COALESCE(c.category, '')", OF_LINES, category),
        GroupBy::Method => ("p.method", OF_PAYMENTS, ""),
    }
}

/// The same of what came back: how many returns, and what went back for them.
fn returned(group_by: GroupBy) -> (&'static str, &'static str, &'static str) {
    let (key, figures, join) = sql(group_by);
    match figures {
        OF_LINES => (key, RETURNED_LINES, join),
        OF_PAYMENTS => (key, RETURNED_MONEY, join),
        _ => (key, RETURNED, join),
    }
}

/// Which sales.
pub struct Range<'a> {
    /// First business day.
    pub from: Date,
    /// Last business day.
    pub to: Date,
    /// One store, or all.
    pub store_id: Option<&'a str>,
    /// What the rows are about.
    pub group_by: GroupBy,
}

/// The rows, by key; none where nothing was sold and nothing came back.
///
/// # Errors
/// 400 `invalid_query` when there are too many; the database's.
pub async fn rows(pool: &AnyPool, range: &Range<'_>) -> Result<Vec<Value>, Failure> {
    let groups = groups(pool, range, sql(range.group_by), returned(range.group_by)).await?;
    if groups.len() > GROUPS_MAX {
        let problem = format!("more than {GROUPS_MAX} rows: ask for fewer days, or for one store");
        return Err(ApiError::invalid_query(problem).into());
    }
    Ok(groups.into_iter().map(|(key, figures)| row(range.group_by, &key, with_net(figures))).collect())
}

/// The sums of all sales and returns, each counted once: the same whatever the rows are about.
///
/// # Errors
/// The database's.
pub async fn totals(pool: &AnyPool, range: &Range<'_>) -> Result<Value, sqlx::Error> {
    let whole = groups(pool, range, ("''", OF_SALES, ""), ("''", RETURNED, "")).await?;
    Ok(sums(with_net(whole.into_values().next().unwrap_or_default())))
}

/// Figures of sales, then of returns, by the key of both.
async fn groups(
    pool: &AnyPool,
    range: &Range<'_>,
    sold: (&str, &str, &str),
    back: (&str, &str, &str),
) -> Result<BTreeMap<String, [i64; FIGURES.len() - 1]>, sqlx::Error> {
    let mut groups: BTreeMap<String, [i64; FIGURES.len() - 1]> = BTreeMap::new();
    for row in query(pool, range, sold).await? {
        let figures = groups.entry(row.try_get(0)?).or_default();
        for (place, figure) in figures.iter_mut().take(OF_A_SALE).enumerate() {
            *figure = row.try_get(place.saturating_add(1))?;
        }
    }
    for row in query(pool, range, back).await? {
        let figures = groups.entry(row.try_get(0)?).or_default();
        for (place, figure) in figures.iter_mut().skip(OF_A_SALE).enumerate() {
            *figure = row.try_get(place.saturating_add(1))?;
        }
    }
    Ok(groups)
}

async fn query(
    pool: &AnyPool,
    range: &Range<'_>,
    (key, figures, join): (&str, &str, &str),
) -> Result<Vec<AnyRow>, sqlx::Error> {
    let sql = format!(
        "SELECT {key}, {figures} {join} WHERE s.voided_event IS NULL AND s.business_date >= $1 \
         AND s.business_date <= $2 AND (s.store_id = $3 OR $3 = '') GROUP BY 1 ORDER BY 1 LIMIT $4"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(range.from.to_string())
        .bind(range.to.to_string())
        .bind(range.store_id.unwrap_or_default().to_owned())
        .bind(i64::try_from(GROUPS_MAX.saturating_add(1)).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await
}

/// The figures with the last one, total − returns_total.
fn with_net(figures: [i64; FIGURES.len() - 1]) -> [i64; FIGURES.len()] {
    let [count, items, gross, discounts, tax, total, rounding, returns, returned, of_refunds] = figures;
    let net = total.saturating_sub(returned);
    [count, items, gross, discounts, tax, total, rounding, returns, returned, of_refunds, net]
}

/// The rows as CSV with a header.
pub fn table(group_by: GroupBy, rows: &[Value]) -> String {
    let names = || std::iter::once(group_by.key()).chain(FIGURES);
    let mut text = String::new();
    csv::line(&mut text, names().map(Cell::Text));
    for row in rows {
        csv::line(&mut text, names().map(|name| cell(row.get(name))));
    }
    text
}

fn cell(value: Option<&Value>) -> Cell<'_> {
    match value {
        Some(Value::String(text)) => Cell::Text(text),
        Some(value) => value.as_i64().into(),
        // Goods have no cash rounding, money has no tax.
        None => Cell::Empty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn csv_quotes_and_defuses_text() {
        let rows = [json!({"sku": "=1+1", "total": 5}), json!({"sku": "a\"b,c"})];
        let text = table(GroupBy::Sku, &rows);
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap_or_default().split(',').next(), Some("sku"));
        assert!(lines.next().unwrap_or_default().starts_with("'=1+1,"));
        assert!(lines.next().unwrap_or_default().starts_with("\"a\"\"b,c\","));
    }
}
