//! Reports.

use super::{Answered, Request};
use crate::failure::Failure;
use crate::report::completeness;
use crate::report::sales::{self, Range};
use domain::report::{GroupBy, rows, totals};
use edge::{ApiError, Doc, Reply, clock, csv};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `GET /api/reports/sales`
pub const SALES: Doc = Doc::of("Reports", "Sales: business days from and to, both included")
    .query::<Query>()
    .answers::<Report>(
        r#"{"from": "2026-11-20", "to": "2026-11-20", "group_by": "day", "items": [{"business_date": "2026-11-20",
            "sales_count": 1, "items_count": 2, "gross_sales": 30000, "discounts": 1000, "tax": 3190,
            "total": 32190, "rounding": 0, "returns_count": 0, "returns_total": 0, "returns_rounding": 0,
            "net_total": 32190}],
            "totals": {"sales_count": 1, "items_count": 2, "gross_sales": 30000, "discounts": 1000, "tax": 3190,
            "total": 32190, "rounding": 0, "returns_count": 0, "returns_total": 0, "returns_rounding": 0,
            "net_total": 32190},
            "next_cursor": null,
            "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": []}}"#,
    )
    .also(&["text/csv"]);

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SalesReport")]
struct Report {
    from: Date,
    to: Date,
    group_by: GroupBy,
    #[schemars(schema_with = "rows")]
    items: Vec<Value>,
    /// The sums of all sales and returns, each counted once: the same whatever the rows are about. By product,
    /// category or method a sale counts in every row that it has a part of.
    #[schemars(schema_with = "totals")]
    totals: Value,
    next_cursor: Option<String>,
    completeness: completeness::Completeness,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    from: Option<Date>,
    to: Option<Date>,
    store_id: Option<String>,
    #[serde(default)]
    group_by: GroupBy,
}

/// `GET /api/reports/sales`: business days `from` to `to`, both included.
pub async fn sales(request: Request) -> Answered {
    let query: Query = request.query()?;
    let (Some(from), Some(to)) = (query.from, query.to) else {
        return Err(ApiError::invalid_query("from and to are missing: business dates, YYYY-MM-DD"));
    };
    if from > to {
        return Err(ApiError::invalid_query("from lies after to"));
    }
    let pool = request.state.db.pool();
    let store_id = query.store_id.as_deref().filter(|id| !id.is_empty());
    let range = Range { from, to, store_id, group_by: query.group_by };
    let rows = sales::rows(pool, &range).await?;
    if csv::wanted(&request.headers) {
        let body = sales::table(query.group_by, &rows);
        return Ok(Reply::Text { content_type: csv::CONTENT_TYPE, body });
    }
    let completeness =
        completeness::of(pool, store_id, (from, to), clock::now()).await.map_err(Failure::from)?;
    let totals = sales::totals(pool, &range).await.map_err(Failure::from)?;
    let group_by = query.group_by;
    Ok(Reply::ok(&Report { from, to, group_by, items: rows, totals, next_cursor: None, completeness }))
}
