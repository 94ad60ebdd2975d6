//! `GET /api/opname/:id/differences`: the movements that a count would make, by value.

use super::arrivals::{Awaited, Received, awaited, received};
use super::stock_of;
use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::figures::Money;
use domain::model::base::ids::Sku;
use domain::model::inventory::opname::{Opname, OpnameLine};
use domain::model::people::user::Role;
use domain::rules::inventory::opname::{DifferenceSums, OpnameLineView, line_view};
use edge::page::{Limit, List, Page};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Reverse;
use storage::Storage;

/// Lines read from storage at once.
const CHUNK: usize = 500;

pub const LIST: Doc =
    Doc::of("Opname", "List a stock count's differences, largest value first, with the movements during the count")
        .query::<Page>()
        .answers::<Differences>(
            r#"{"lines_count": 1, "moved_count": 0, "missing": -2, "found": 0, "missing_value": -20000, "found_value": 0, "awaited": [], "received_since": [], "items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "expected": 95, "counted": 93, "variance": -2, "variance_value": -20000, "zones": [], "moved_between_counts": false, "counters": [], "counted_by": null, "counted_at": null}], "next_cursor": null}"#,
        );

/// Lines that differ, with their sums.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "OpnameDifferences")]
struct Differences {
    #[serde(flatten)]
    sums: DifferenceSums,
    /// Products of this page with an open order or an incoming transfer: their goods may be on the shelf although
    /// nobody has recorded the receipt. Empty once the count is over.
    awaited: Vec<Awaited>,
    /// Products of this page with a surplus whose goods were received after the count: the counted pieces may include
    /// the received ones. Recount these products. Empty once the count is over.
    received_since: Vec<Received>,
    /// Differences of the products of this page.
    #[schemars(with = "Vec<OpnameLineView>")]
    items: Vec<Value>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
}

/// A line's place: how much it is worth, then its sku.
type Place = (Reverse<u64>, Sku);

/// `GET /api/opname/:id/differences`
pub async fn list(request: Request) -> Answered {
    let query: Page = request.query()?;
    let (after, limit) = (query.after::<Place>()?, query.limit);
    let opname = super::read_count(&request)?;
    let (state, role) = (request.state.clone(), request.caller()?.role);
    let scan = move || page(state.store.storage(), &opname, after.as_ref(), limit, role);
    let page = tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)??;
    Ok(Reply::ok(&page))
}

fn page(
    storage: &Storage,
    opname: &Opname,
    after: Option<&Place>,
    limit: Limit,
    role: Role,
) -> Result<Differences, ApiError> {
    let mut page = Differences::default();
    let mut places: Vec<Place> = Vec::new();
    let (mut last, mut complete) = (None, false);
    while !complete {
        let lines = storage
            .stock_documents()
            .opname_lines(&opname.opname_id, last.as_ref(), CHUNK)
            .map_err(stored)?;
        complete = lines.len() < CHUNK;
        last = lines.last().map(|line| line.sku.clone());
        for line in lines.into_iter().filter(|line| !line.zones.is_empty()) {
            let value = value(storage, &line)?;
            if page.sums.add(&line, value) {
                places.push((Reverse(value.get().unsigned_abs()), line.sku));
            }
        }
    }
    places.sort();
    places.retain(|place| after.is_none_or(|after| place > after));
    places.truncate(limit.one_more());
    let List { items, next_cursor } = List::cut(places, limit, Clone::clone);
    let open = !opname.state.is_over();
    if open {
        page.awaited =
            awaited(storage, &opname.store_id, &items.iter().map(|(_, sku)| sku.clone()).collect())?;
    }
    for (_, sku) in items {
        let line = storage.stock_documents().opname_line(&opname.opname_id, &sku).map_err(stored)?;
        if let Some(line) = line.as_ref().filter(|line| open && line.variance() > 0) {
            page.received_since.extend(received(storage, line)?);
        }
        let stock = stock_of(storage, &sku)?;
        page.items.extend(line.map(|line| line_view(opname, &line, &stock, role)));
    }
    page.next_cursor = next_cursor;
    Ok(page)
}

/// Value of a line's difference: as posted, or by today's average.
fn value(storage: &Storage, line: &OpnameLine) -> Result<Money, ApiError> {
    if let Some(value) = line.variance_value {
        return Ok(value);
    }
    let stock = stock_of(storage, &line.sku)?;
    Ok(line.estimate(&stock))
}
