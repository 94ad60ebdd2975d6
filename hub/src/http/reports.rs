//! Reports.

use super::{Answered, Request};
use crate::failure::Failure;
use crate::report::completeness;
use crate::report::sales::{self, GroupBy, Range};
use edge::{ApiError, Reply, clock};
use http::header::ACCEPT;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
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
    let rows = sales::rows(pool, &range).await.map_err(Failure::from)?;
    let as_csv = request.headers.get(ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/csv"));
    if as_csv {
        let body = sales::csv(query.group_by, &rows);
        return Ok(Reply::Text { content_type: "text/csv; charset=utf-8", body });
    }
    let completeness = completeness::of(pool, store_id, to, clock::now()).await.map_err(Failure::from)?;
    Ok(Reply::ok(&json!({
        "from": from,
        "to": to,
        "group_by": query.group_by.key(),
        "items": rows,
        "next_cursor": null,
        "completeness": completeness,
    })))
}
