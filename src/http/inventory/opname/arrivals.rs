//! Goods that a count may have included although they were not received before it: those in transit, and those received
//! while it was open.

use crate::http::failure::stored;
use domain::model::base::figures::Quantity;
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::time::UtcMs;
use domain::model::inventory::opname::OpnameLine;
use domain::model::inventory::stock::{Movement, MovementReason};
use domain::model::inventory::transfer::TransferState;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use storage::Storage;

/// Orders or movements read from storage at once.
const CHUNK: usize = 500;

/// Pieces of a counted product that are still to be received by an order or a transfer.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "OpnameAwaited")]
pub struct Awaited {
    /// Product code (SKU).
    sku: Sku,
    /// Purchase order. Null for a transfer.
    po_id: Option<String>,
    /// Number of the order for people. Null for a transfer.
    po_no: Option<String>,
    /// Incoming transfer. Null for an order.
    transfer_id: Option<String>,
    /// Store that sent the transfer. Null for an order.
    from_store_id: Option<StoreId>,
    /// Pieces that may still be received.
    open_qty: Quantity,
    /// Expected delivery date. Null if none is known.
    expected_at: Option<Date>,
}

/// Goods of a counted product that were received after they were counted.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OpnameReceived")]
pub struct Received {
    /// Product code (SKU).
    sku: Sku,
    /// Type of the document: `receiving` or `transfer`.
    #[schemars(extend("enum" = ["receiving", "transfer"]))]
    document_type: String,
    /// ID of the receipt or the transfer.
    document_id: String,
    /// Received pieces.
    qty: Quantity,
    /// When they were received.
    at: UtcMs,
}

/// Pieces of these products that open orders and incoming transfers still expect.
pub fn awaited(storage: &Storage, own: &StoreId, skus: &BTreeSet<Sku>) -> Result<Vec<Awaited>, ApiError> {
    let mut found = ordered(storage, skus)?;
    let transfers = storage.stock_documents().open_transfers().map_err(stored)?;
    for transfer in transfers.iter().filter(|transfer| transfer.state == TransferState::InTransit) {
        let coming = transfer.to_store_id == *own;
        let lines = transfer.lines.iter().filter(|line| coming && skus.contains(&line.sku));
        found.extend(lines.map(|line| Awaited {
            sku: line.sku.clone(),
            transfer_id: Some(transfer.transfer_id.0.clone()),
            from_store_id: Some(transfer.from_store_id.clone()),
            open_qty: line.in_transit_qty(),
            ..Awaited::default()
        }));
    }
    Ok(found)
}

fn ordered(storage: &Storage, skus: &BTreeSet<Sku>) -> Result<Vec<Awaited>, ApiError> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let orders = storage.purchasing().purchase_orders(after.as_deref(), CHUNK).map_err(stored)?;
        let complete = orders.len() < CHUNK;
        after = orders.last().map(|order| order.po_id.clone());
        for order in orders.into_iter().filter(|order| order.state.is_open()) {
            let progress = storage.purchasing().order_progress(&order.po_id).map_err(stored)?;
            let order = progress.map_or_else(|| order.clone(), |progress| progress.shown(&order));
            let open = order.lines.iter().filter(|line| line.open_qty() > 0 && skus.contains(&line.sku));
            found.extend(open.map(|line| Awaited {
                sku: line.sku.clone(),
                po_id: Some(order.po_id.clone()),
                po_no: Some(order.po_no.clone()),
                open_qty: line.open_qty(),
                expected_at: line.expected_at.or(order.expected_at),
                ..Awaited::default()
            }));
        }
        if complete {
            return Ok(found);
        }
    }
}

/// Receipts and transfers of a product after its latest count, without reversed ones.
pub fn received(storage: &Storage, line: &OpnameLine) -> Result<Vec<Received>, ApiError> {
    let (mut found, mut before): (BTreeMap<String, Received>, _) = (BTreeMap::new(), None);
    loop {
        let page = storage.stock().movements(&line.sku, before, CHUNK).map_err(stored)?;
        let read = page.len();
        before = page.last().map(|(place, _)| *place);
        let later: Vec<Movement> =
            page.into_iter().map(|(_, moved)| moved).filter(|moved| moved.at >= line.counted_at).collect();
        let more = read >= CHUNK && later.len() == read;
        for moved in later.into_iter().filter(arrived) {
            let document = found.entry(moved.reference_id.clone()).or_insert_with(|| Received {
                sku: moved.sku.clone(),
                document_type: moved.reference_type.clone(),
                document_id: moved.reference_id.clone(),
                qty: Quantity::ZERO,
                at: moved.at,
            });
            document.qty = document.qty.saturating_add(moved.qty);
            document.at = document.at.min(moved.at);
        }
        if !more {
            return Ok(found.into_values().filter(|document| document.qty > 0).collect());
        }
    }
}

fn arrived(moved: &Movement) -> bool {
    matches!(moved.reason, MovementReason::Receiving | MovementReason::TransferIn)
}
