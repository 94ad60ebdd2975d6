//! Suppliers and purchase orders as head office gave them.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::ids::Sku;
use domain::model::inventory::purchase::{PurchaseOrder, Supplier};
use edge::page::{Cursor, Limit, List, Page, cursor};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use storage::Storage;

/// Orders read from storage at once.
const CHUNK: usize = 100;

/// `GET /api/suppliers`
pub const SUPPLIERS: Doc = Doc::of("Receiving", "List suppliers")
    .query::<Page>()
    .lists::<Supplier>(include_str!("examples/supplier.json"));
/// `GET /api/purchase-orders`
pub const ORDERS: Doc = Doc::of("Receiving", "List purchase orders that goods may still come for")
    .query::<Query>()
    .lists::<PurchaseOrder>(include_str!("examples/purchase_order.json"));

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only those of this supplier.
    supplier_id: Option<String>,
    /// Only those with this product.
    sku: Option<Sku>,
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

/// Orders that are sent and not wholly received, with what came of them here.
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
            let progress = storage.purchasing().order_progress(&order.po_id).map_err(stored)?;
            let order = progress.map_or_else(|| order.clone(), |progress| progress.shown(&order));
            let wanted = query.supplier_id.as_ref().is_none_or(|id| order.supplier_id == *id)
                && query.sku.as_ref().is_none_or(|sku| order.lines.iter().any(|line| line.sku == *sku));
            if !(wanted && order.state.is_open()) {
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
