//! The sales report: paid and not voided, by day, hour, store, cashier, sku, category or method.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};
use std::collections::BTreeMap;

/// Most groups of a report.
pub const GROUPS_MAX: usize = 100_000;
/// The figures of a row, in order.
pub const FIGURES: [&str; 9] = [
    "sales_count",
    "items_count",
    "gross_sales",
    "discounts",
    "tax",
    "total",
    "returns_count",
    "returns_total",
    "net_total",
];

/// What the rows are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Business date.
    #[default]
    Day,
    /// Local hour of payment.
    Hour,
    /// Store.
    Store,
    /// Who sold.
    Cashier,
    /// Product.
    Sku,
    /// Category that the product has now.
    Category,
    /// Payment method: counts and totals only.
    Method,
}

/// The sums of a group of sales; all figures BIGINT on both engines.
const OF_SALES: &str = "COUNT(*), CAST(SUM(s.items_count) AS BIGINT), CAST(SUM(s.gross) AS BIGINT), \
                        CAST(SUM(s.discount) AS BIGINT), CAST(SUM(s.tax) AS BIGINT), \
                        CAST(SUM(s.total) AS BIGINT) FROM sales s";
const OF_LINES: &str = "COUNT(DISTINCT l.store_id || ' ' || l.event_id), CAST(SUM(l.qty) AS BIGINT), \
                        CAST(SUM(l.gross) AS BIGINT), CAST(SUM(l.discount) AS BIGINT), \
                        CAST(SUM(l.tax) AS BIGINT), CAST(SUM(l.total) AS BIGINT) FROM sales s \
                        JOIN sale_lines l ON l.store_id = s.store_id AND l.event_id = s.event_id";
const OF_PAYMENTS: &str = "COUNT(DISTINCT p.store_id || ' ' || p.event_id), CAST(0 AS BIGINT), \
                           CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), \
                           CAST(SUM(p.amount + p.rounding) AS BIGINT) FROM sales s \
                           JOIN payments p ON p.store_id = s.store_id AND p.event_id = s.event_id";

/// Returns have the names of sales, so that both are grouped by the same keys.
const RETURNED: &str = "COUNT(*), CAST(SUM(s.refund_total) AS BIGINT) FROM returns s";
const RETURNED_LINES: &str = "COUNT(DISTINCT l.store_id || ' ' || l.event_id), CAST(SUM(l.refund) AS BIGINT) \
                              FROM returns s JOIN return_lines l ON l.store_id = s.store_id \
                              AND l.event_id = s.event_id";
const RETURNED_MONEY: &str = "COUNT(DISTINCT p.store_id || ' ' || p.event_id), \
                              CAST(SUM(p.amount + p.rounding) AS BIGINT) FROM returns s \
                              JOIN refunds p ON p.store_id = s.store_id AND p.event_id = s.event_id";

impl GroupBy {
    /// The name of the key in a row.
    pub fn key(self) -> &'static str {
        match self {
            Self::Day => "business_date",
            Self::Hour => "hour",
            Self::Store => "store_id",
            Self::Cashier => "cashier_id",
            Self::Sku => "sku",
            Self::Category => "category",
            Self::Method => "method",
        }
    }

    fn sql(self) -> (&'static str, &'static str, &'static str) {
        let category = "LEFT JOIN products c ON c.sku = l.sku";
        match self {
            Self::Day => ("s.business_date", OF_SALES, ""),
            Self::Hour => ("s.local_hour", OF_SALES, ""),
            Self::Store => ("s.store_id", OF_SALES, ""),
            Self::Cashier => ("s.cashier_id", OF_SALES, ""),
            Self::Sku => ("l.sku", OF_LINES, ""),
            Self::Category => ("COALESCE(c.category, '')", OF_LINES, category),
            Self::Method => ("p.method", OF_PAYMENTS, ""),
        }
    }

    /// The same of what came back: how many returns, and what went back for them.
    fn returned(self) -> (&'static str, &'static str, &'static str) {
        let (key, figures, join) = self.sql();
        match figures {
            OF_LINES => (key, RETURNED_LINES, join),
            OF_PAYMENTS => (key, RETURNED_MONEY, join),
            _ => (key, RETURNED, join),
        }
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
/// The database's.
pub async fn rows(pool: &AnyPool, range: &Range<'_>) -> Result<Vec<Value>, sqlx::Error> {
    let mut groups: BTreeMap<String, [i64; 8]> = BTreeMap::new();
    for row in query(pool, range, range.group_by.sql()).await? {
        let figures = groups.entry(row.try_get(0)?).or_default();
        for (place, figure) in figures.iter_mut().take(6).enumerate() {
            *figure = row.try_get(place.saturating_add(1))?;
        }
    }
    for row in query(pool, range, range.group_by.returned()).await? {
        let figures = groups.entry(row.try_get(0)?).or_default();
        for (place, figure) in figures.iter_mut().skip(6).enumerate() {
            *figure = row.try_get(place.saturating_add(1))?;
        }
    }
    let key = range.group_by.key();
    Ok(groups.into_iter().take(GROUPS_MAX).map(|(group, figures)| view(key, group, figures)).collect())
}

async fn query(
    pool: &AnyPool,
    range: &Range<'_>,
    (key, figures, join): (&str, &str, &str),
) -> Result<Vec<AnyRow>, sqlx::Error> {
    let sql = format!(
        "SELECT {key}, {figures} {join} WHERE s.voided_event IS NULL AND s.business_date >= $1 \
         AND s.business_date <= $2 AND (s.store_id = $3 OR $3 = '') GROUP BY {key} ORDER BY {key} LIMIT $4"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(range.from.to_string())
        .bind(range.to.to_string())
        .bind(range.store_id.unwrap_or_default().to_owned())
        .bind(i64::try_from(GROUPS_MAX).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await
}

fn view(key: &str, group: String, figures: [i64; 8]) -> Value {
    let mut view = Map::new();
    view.insert(key.to_owned(), group.into());
    let [.., total, _, returned] = figures;
    let net = total.saturating_sub(returned);
    for (name, figure) in FIGURES.iter().zip(figures.into_iter().chain([net])) {
        view.insert((*name).to_owned(), figure.into());
    }
    Value::Object(view)
}

/// The rows as CSV with a header.
pub fn csv(group_by: GroupBy, rows: &[Value]) -> String {
    let names: Vec<&str> = std::iter::once(group_by.key()).chain(FIGURES).collect();
    let mut text = names.join(",") + "\r\n";
    for row in rows {
        let cells: Vec<String> =
            names.iter().map(|name| cell(row.get(name).unwrap_or(&Value::Null))).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    text
}

/// Quoted where needed; text that a spreadsheet would run as a formula is made text.
fn cell(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.clone() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn csv_quotes_and_defuses_text() {
        let rows = [json!({"sku": "=1+1", "total": 5}), json!({"sku": "a\"b,c"})];
        let text = csv(GroupBy::Sku, &rows);
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap_or_default().split(',').next(), Some("sku"));
        assert!(lines.next().unwrap_or_default().starts_with("'=1+1,"));
        assert!(lines.next().unwrap_or_default().starts_with("\"a\"\"b,c\","));
    }
}
