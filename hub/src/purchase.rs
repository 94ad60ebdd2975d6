//! Purchasing: suppliers and orders; sent orders go down to their stores, receipts come back.

use crate::document::encode;
use crate::exception::{self, Found};
use crate::feed::Entry;
use domain::ids::Sku;
use domain::purchase::{OrderState, PurchaseOrder};
use domain::sync::Kind;
use serde_json::json;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

pub mod order;
pub mod supplier;

/// An order, locked until the transaction ends.
///
/// # Errors
/// The database's.
pub async fn locked(
    connection: &mut AnyConnection,
    po_id: &str,
) -> Result<Option<PurchaseOrder>, sqlx::Error> {
    order::TABLE.locked(connection, po_id).await
}

/// Writes an order.
///
/// # Errors
/// The database's.
pub async fn put(connection: &mut AnyConnection, order: &PurchaseOrder) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO purchase_orders (po_id, supplier_id, store_id, state, document) \
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT (po_id) DO UPDATE SET \
               supplier_id = excluded.supplier_id, store_id = excluded.store_id, state = excluded.state, \
               document = excluded.document";
    let query = sqlx::query(sql).bind(&order.po_id).bind(&order.supplier_id).bind(order.store_id.as_str());
    query.bind(order.state.name()).bind(encode(order)?).execute(connection).await?;
    Ok(())
}

/// What the order's store is told; only of one that it has to know.
///
/// # Errors
/// Never: an order is always JSON.
pub fn entry(order: &PurchaseOrder) -> Result<Entry, sqlx::Error> {
    let store = order.store_id.as_str();
    Ok(Entry::for_store(Kind::PurchaseOrder, &order.po_id, store, encode(order)?))
}

/// Goods of one record came against an order, or went back. What came too much, against an order that was called
/// off or closed, or against one of another store or none, is for a person to judge by the receipt: it holds
/// nothing back. How much more than ordered a store takes in without asking is its own setting, which head office
/// does not know: every piece more is told.
///
/// # Errors
/// The database's.
pub async fn received(
    connection: &mut AnyConnection,
    po_id: &str,
    came: &BTreeMap<String, i64>,
    found: Found<'_>,
) -> Result<Option<Entry>, sqlx::Error> {
    let order = locked(connection, po_id).await?.filter(|order| order.store_id.as_str() == found.store_id);
    let Some(mut order) = order else {
        if came.values().any(|qty| *qty > 0) {
            exception::note(connection, found, exception::ORDER_FOREIGN, &json!({"po_id": po_id})).await?;
        }
        return Ok(None);
    };
    let before = order.state;
    let mut over = Vec::new();
    for (sku, qty) in came {
        let sku = Sku(sku.clone());
        let ordered = order.receive(&sku, *qty);
        let mut lines = order.lines.iter().filter(|line| line.sku == sku);
        let beyond = before == OrderState::Closed || lines.any(|line| line.received_qty > line.qty);
        if *qty > 0 && (!ordered || beyond) {
            over.push(sku);
        }
    }
    if !over.is_empty() {
        let details = json!({"po_id": po_id, "skus": over});
        exception::note(connection, found, exception::ORDER_OVER, &details).await?;
    }
    order.settle();
    if before == OrderState::Cancelled && order.state != before {
        let details = json!({"po_id": po_id, "state": order.state});
        exception::note(connection, found, exception::ORDER_CANCELLED, &details).await?;
    }
    order.updated_at = found.now;
    put(connection, &order).await?;
    entry(&order).map(Some)
}
