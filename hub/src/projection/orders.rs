//! Purchasing: suppliers and orders. Sent orders go to their stores; their receipts come from the stores.

use crate::db::Db;
use crate::db::document::encode;
use crate::feed::Entry;
use crate::projection::fold::OrderReceipt;
use crate::table::exception::{self, Found};
use crate::table::purchase_order;
use domain::model::base::figures::Quantity;
use domain::model::base::ids::Sku;
use domain::model::inventory::purchase::{OrderLine, OrderState, PurchaseOrder};
use domain::wire::feed::Kind;
use edge::clock;
use serde_json::json;
use sqlx::AnyConnection;

/// Entry of the feed for the order's store; only for an order that the store has to know.
///
/// # Errors
/// Never: an order can always be written as JSON.
pub fn entry(order: &PurchaseOrder) -> Result<Entry, sqlx::Error> {
    let store = order.store_id.as_str();
    // The store does not see a proposed change that waits for approval.
    let order = &PurchaseOrder { proposed: None, ..order.clone() };
    Ok(Entry::for_store(Kind::PurchaseOrder, &order.po_id, store, encode(order)?))
}

/// Takes in goods that one record received for an order, or returned. Excess goods, goods for a cancelled or closed
/// order, and goods for another store's order or an unknown one are reported to a person and hold nothing back. The
/// tolerance for excess goods is a setting of the store, which head office does not know: every excess piece is
/// reported.
pub(crate) async fn received(
    connection: &mut AnyConnection,
    receipt: &OrderReceipt,
    found: Found<'_>,
) -> Result<Option<Entry>, sqlx::Error> {
    let OrderReceipt { po_id, pieces: came, rejected, .. } = receipt;
    let order = purchase_order::locked(connection, po_id)
        .await?
        .filter(|order| order.store_id.as_str() == found.store_id);
    if let Some(order) =
        order.as_ref().filter(|order| order.cancel_final && order.state == OrderState::Cancelled)
    {
        // The store knew of the cancellation: these are goods without an order.
        if came.values().any(|qty| *qty > 0) {
            let details = json!({"po_id": po_id, "state": order.state});
            exception::note(connection, found, exception::ORDER_CANCELLED, &details).await?;
        }
        return Ok(None);
    }
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
        // A closed line expects nothing more, whatever it lacks.
        let open = order.lines.iter().filter(|line| line.sku == sku).map(OrderLine::open_qty);
        let unexpected = *qty > open.sum::<Quantity>();
        let ordered = order.receive(&sku, *qty);
        let mut lines = order.lines.iter().filter(|line| line.sku == sku);
        let beyond =
            unexpected || before == OrderState::Closed || lines.any(|line| line.received_qty > line.qty);
        if *qty > 0 && (!ordered || beyond) {
            over.push(sku);
        }
    }
    for (sku, qty) in rejected {
        if let Some(line) = order.lines.iter_mut().find(|line| line.sku.as_str() == sku) {
            line.rejected_qty = line.rejected_qty.saturating_add(*qty).max(Quantity::ZERO);
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
    order.updated_at = clock::now();
    purchase_order::put(connection, &order).await?;
    entry(&order).map(Some)
}

/// Records that a store has received every change of the lane of orders up to that number: those of its orders that
/// were cancelled by then stay cancelled. Goods that it receives for one of them from now on are goods without an
/// order.
///
/// # Errors
/// A database error.
pub async fn heard(db: &Db, store_id: &str, number: i64) -> Result<(), sqlx::Error> {
    let sql = "SELECT o.po_id FROM purchase_orders o JOIN feed_now n ON n.lane = $3 AND n.kind = $4 AND n.id = o.po_id \
               AND n.store_id = o.store_id WHERE o.store_id = $1 AND o.calling_off = 1 AND n.number <= $2 ORDER BY o.po_id";
    let query = sqlx::query_scalar(sql).bind(store_id).bind(number);
    let query = query.bind(Kind::PurchaseOrder.lane()).bind(Kind::PurchaseOrder.name());
    let called_off: Vec<String> = query.fetch_all(db.pool()).await?;
    if called_off.is_empty() {
        return Ok(());
    }
    let mut write = db.write().await?;
    for po_id in called_off {
        let Some(mut order) = purchase_order::locked(&mut write, &po_id).await? else { continue };
        // A change that was made meanwhile counts.
        if order.state == OrderState::Cancelled {
            order.cancel_final = true;
            order.updated_at = clock::now();
            purchase_order::put(&mut write, &order).await?;
        }
    }
    write.commit_change().await
}
