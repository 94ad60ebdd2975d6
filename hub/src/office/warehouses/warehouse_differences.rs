//! `GET /api/opname/:id/differences`: the movements that a warehouse's open count would make, by value.

use crate::http::{Answered, Request};
use crate::office::warehouses::warehouse_document::manager;
use crate::office::warehouses::{warehouse_book, warehouse_count};
use crate::table::warehouse_rows;
use domain::model::base::ids::Sku;
use domain::model::inventory::opname::OpnameLine;
use domain::model::inventory::stock::Stock;
use domain::rules::inventory::opname::{DifferenceSums, OpnameLineView, line_view};
use edge::page::{List, Page};
use edge::{ApiError, Reply};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Reverse;

/// Lines that differ, with their sums.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WarehouseDifferences")]
pub struct Differences {
    #[serde(flatten)]
    sums: DifferenceSums,
    /// Differences of the products of this page.
    #[schemars(with = "Vec<OpnameLineView>")]
    items: Vec<Value>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
}

/// Position of a line in the list: the highest value first, then the SKU.
type Position = (Reverse<u64>, Sku);

/// `GET /api/opname/:id/differences`
pub async fn list(request: Request) -> Answered {
    let query: Page = request.query()?;
    let (after, role) = (query.after::<Position>()?, manager(request.caller()?).role);
    let mut read = request.state.db.read().await?;
    let store_id = warehouse_count::place(&mut read, request.param("id")).await?;
    let found = warehouse_rows::count(&mut read, request.param("id")).await?;
    let opname = found.ok_or_else(|| ApiError::not_found("the count"))?;
    let mut lines = warehouse_rows::count_lines(&mut read, &store_id, &opname.opname_id).await?;
    lines.retain(|line| !line.zones.is_empty());
    let (_, stock) = warehouse_book::stock(&mut read, &store_id, lines.iter().map(|line| &line.sku)).await?;
    drop(read);
    let none = Stock::default();
    let on_hand = |line: &OpnameLine| stock.get(&line.sku).unwrap_or(&none);
    let mut sums = DifferenceSums::default();
    let mut shown: Vec<(Position, OpnameLine)> = Vec::new();
    for line in lines {
        let value = line.estimate(on_hand(&line));
        if sums.add(&line, value) {
            shown.push(((Reverse(value.get().unsigned_abs()), line.sku.clone()), line));
        }
    }
    shown.sort_by(|(one, _), (other, _)| one.cmp(other));
    shown.retain(|(place, _)| after.as_ref().is_none_or(|after| place > after));
    shown.truncate(query.limit.one_more());
    let List { items, next_cursor } = List::cut(shown, query.limit, |(place, _)| place.clone());
    let items = items.iter().map(|(_, line)| line_view(&opname, line, on_hand(line), role)).collect();
    Ok(Reply::ok(&Differences { sums, items, next_cursor }))
}
