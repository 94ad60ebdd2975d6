//! The figures of the sales report for single days of stores.

use crate::columns;
use crate::db::insert::list;
use domain::model::base::figures::Money;
use domain::rules::books::report::{FIGURES, Sums, hides};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyPool;
use std::collections::HashMap;

/// The figures of one day of a store.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(transform = hides)]
pub struct DayFigures {
    #[serde(flatten)]
    sums: Sums,
    /// `total` − `returns_total`, in minor currency units.
    net_total: Money,
}

/// The statement for this many days: each day is looked up separately.
pub fn of_days_sql(days: usize) -> String {
    let place = |day: usize| format!("({})", list(day.saturating_mul(2).saturating_add(1), 2));
    let places = (0..days).map(place).collect::<Vec<_>>().join(", ");
    let sum = |(figure, column): (&str, &str)| format!(", CAST(SUM(s.{column}) AS BIGINT) AS {figure}");
    let columns = [
        "sales_count",
        "items_count",
        "gross",
        "discount",
        "tax",
        "total",
        "rounding",
        "returns_count",
        "returns_total",
        "returns_rounding",
    ];
    let figures: String = FIGURES.into_iter().zip(columns).map(sum).collect();
    format!(
        "WITH days(store_id, day) AS (VALUES {places}) SELECT s.store_id, s.business_date{figures} \
         FROM days CROSS JOIN sales_days s WHERE s.store_id = days.store_id AND s.business_date = days.day \
         GROUP BY s.store_id, s.business_date"
    )
}

/// The figures of these days of stores, by store and day; none for days without sales and returns.
pub async fn of_days(
    pool: &AnyPool,
    days: &[(&str, Date)],
) -> Result<HashMap<(String, String), DayFigures>, sqlx::Error> {
    let mut found = HashMap::new();
    if days.is_empty() {
        return Ok(found);
    }
    let mut query = sqlx::query(sqlx::AssertSqlSafe(of_days_sql(days.len()))).persistent(false);
    for (store_id, date) in days {
        query = query.bind((*store_id).to_owned()).bind(date.to_string());
    }
    for row in query.fetch_all(pool).await? {
        let of: (String, String) = columns!(row => (store_id, business_date));
        let sums = columns!(row => Sums {
            sales_count, items_count, gross_sales, discounts, tax, total, rounding, returns_count, returns_total,
            returns_rounding,
        });
        found.insert(of, DayFigures { net_total: sums.net_total(), sums });
    }
    Ok(found)
}
