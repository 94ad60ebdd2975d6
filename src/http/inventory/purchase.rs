//! Suppliers and purchase orders that head office sent.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::figures::Quantity;
use domain::model::base::ids::Sku;
use domain::model::inventory::purchase::{OrderLine, PurchaseOrder, Supplier};
use domain::rules::inventory::receiving::order_limit;
use edge::page::{Cursor, Limit, List, Page, cursor};
use edge::{ApiError, Doc, Reply};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use storage::Storage;

/// Orders read from storage at a time.
const CHUNK: usize = 100;

pub const SUPPLIERS: Doc = Doc::of("Receiving", "List suppliers")
    .query::<Page>()
    .lists::<Supplier>(include_str!("examples/supplier.json"));
pub const ORDERS: Doc = Doc::of("Receiving", "List purchase orders that can still be received")
    .query::<Query>()
    .lists::<PurchaseOrder>(include_str!("examples/purchase_order.json"));

pub const ORDER: Doc =
    Doc::of("Receiving", "Retrieve a purchase order of this store, with product names and open quantities")
        .answers::<OrderView>(include_str!("examples/purchase_order_detail.json"));

/// Purchase order, as it is shown to a person who receives the goods.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderDetail", transform = each_once)]
struct OrderView {
    #[serde(flatten)]
    order: PurchaseOrder,
    /// Lines of the order, with product names and open quantities.
    lines: Vec<LineView>,
    /// Name of the supplier. Null if head office has sent no such supplier.
    supplier_name: Option<String>,
}

/// Lists each required field once: `lines` replaces the order's own field of the same name.
fn each_once(schema: &mut Schema) {
    let mut seen = BTreeSet::new();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| seen.insert(name.as_str().map(str::to_owned)));
    }
}

/// Line of the order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderLineDetail")]
struct LineView {
    #[serde(flatten)]
    line: OrderLine,
    /// Name of the product. Null if it is not in this store's catalogue.
    name: Option<String>,
    /// Maximum number of pieces that may be received in total, including the tolerance. Null if no further receipts are
    /// expected; goods that arrive anyway have no limit.
    limit_qty: Option<Quantity>,
    /// Pieces that may still be received within `limit_qty`. Null if there is no limit.
    left_qty: Option<Quantity>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only documents of this supplier.
    supplier_id: Option<String>,
    /// Only documents with this product.
    sku: Option<Sku>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/suppliers`
pub async fn suppliers(request: Request) -> Answered {
    let Page { limit, cursor } = request.query()?;
    let after = cursor.map(|cursor| cursor.read::<String>()).transpose()?;
    let storage = request.state.store.storage();
    let found = storage.purchasing().suppliers(after.as_deref(), limit.one_more()).map_err(stored)?;
    Ok(Reply::ok(&List::cut(found, limit, |supplier| supplier.supplier_id.clone())))
}

/// `GET /api/purchase-orders`
pub async fn orders(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<String>).transpose()?;
    let state = request.state;
    let scan = move || open_orders(state.store.storage(), &query, after);
    let list = tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)??;
    Ok(Reply::ok(&list))
}

/// `GET /api/purchase-orders/:id`
pub async fn order(request: Request) -> Answered {
    let store = &request.state.store;
    let storage = store.storage();
    let found = storage.purchasing().purchase_order(request.param("id")).map_err(stored)?;
    let order = found.filter(PurchaseOrder::was_sent).ok_or_else(|| ApiError::not_found("purchase order"))?;
    let order = with_progress(storage, order)?;
    let supplier_name =
        storage.purchasing().supplier(&order.supplier_id).map_err(stored)?.map(|supplier| supplier.name);
    let tolerance = store.rules().policy.over_tolerance_bp;
    let line = |line: &OrderLine| {
        let product = storage.products().product(&line.sku).map_err(stored)?;
        let limit_qty = order_limit(&order, line, tolerance);
        let left_qty = limit_qty.map(|most| most.saturating_sub(line.received_qty).max(Quantity::ZERO));
        let name = product.map(|product| product.name);
        Ok(LineView { line: line.clone(), name, limit_qty, left_qty })
    };
    let lines = order.lines.iter().map(line).collect::<Result<_, ApiError>>()?;
    // In a JSON value the later `lines` replace the order's own.
    let shown = serde_json::to_value(OrderView { order, lines, supplier_name });
    Ok(Reply::ok(&shown.map_err(ApiError::internal)?))
}

/// The order with its progress at this store.
fn with_progress(storage: &Storage, order: PurchaseOrder) -> Result<PurchaseOrder, ApiError> {
    let progress = storage.purchasing().order_progress(&order.po_id).map_err(stored)?;
    Ok(match progress {
        Some(progress) => progress.shown(&order),
        None => order,
    })
}

/// Sent orders that are not completely received, with their progress at this store.
fn open_orders(
    storage: &Storage,
    query: &Query,
    mut after: Option<String>,
) -> Result<List<PurchaseOrder>, ApiError> {
    let mut items: Vec<PurchaseOrder> = Vec::new();
    loop {
        let chunk = storage.purchasing().purchase_orders(after.as_deref(), CHUNK).map_err(stored)?;
        let Some(last) = chunk.last() else { return Ok(List { items, next_cursor: None }) };
        after = Some(last.po_id.clone());
        for order in chunk {
            let order = with_progress(storage, order)?;
            let is_wanted = query.supplier_id.as_ref().is_none_or(|id| order.supplier_id == *id)
                && query.sku.as_ref().is_none_or(|sku| order.lines.iter().any(|line| line.sku == *sku));
            if !(is_wanted && order.state.is_open()) {
                continue;
            }
            if items.len() == query.limit.0 {
                let last = items.last().map(|order| order.po_id.clone());
                return Ok(List { items, next_cursor: last.as_ref().map(cursor) });
            }
            items.push(order);
        }
    }
}
