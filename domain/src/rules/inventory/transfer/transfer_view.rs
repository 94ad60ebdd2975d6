//! A transfer as the interface shows it.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{Sku, StoreId, TransferId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::inventory::receiving::ReceivingWarning;
use crate::model::inventory::transfer::{Resolution, Transfer, TransferLine, TransferState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A transfer with its missing pieces, resolved or not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Transfer")]
pub struct TransferView {
    /// ID of the transfer, `trf_…`.
    transfer_id: TransferId,
    /// State of the transfer.
    state: TransferState,
    /// Store that sends the goods.
    from_store_id: StoreId,
    /// Store that receives the goods.
    to_store_id: StoreId,
    /// Lines of the transfer, one per SKU.
    lines: Vec<TransferLineView>,
    /// Pieces that were sent and not received, by product.
    discrepancies: Vec<Discrepancy>,
    /// Value of the goods in transit and of unresolved missing pieces, in minor currency units.
    in_transit_value: Money,
    /// Note in free text. Null for none.
    note: Option<String>,
    /// Business date of the document, by its own time.
    business_date: jiff::civil::Date,
    /// User who recorded it.
    created_by: UserId,
    /// When the transfer was recorded.
    created_at: UtcMs,
    /// When the goods left the sender. Null if they have not left.
    sent_at: Option<UtcMs>,
    /// User who received the goods. Null until they are received.
    received_by: Option<UserId>,
    /// When the goods were received. Null if they were not.
    received_at: Option<UtcMs>,
    /// When the transfer was cancelled. Null if it was not.
    cancelled_at: Option<UtcMs>,
    /// Whether the cancellation came too late, because the other store had already received the goods.
    cancel_lost: bool,
    /// Points to check about the receipt. They did not prevent the receipt.
    warnings: Vec<ReceivingWarning>,
}

/// Line of a transfer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TransferLine")]
pub struct TransferLineView {
    /// Line number, starting at 1.
    line_no: u32,
    /// SKU of the product.
    sku: Sku,
    /// Name of the product at that time.
    name: String,
    /// Quantity sent, in pieces.
    qty: Quantity,
    /// Value at which the pieces left stock, in minor currency units; 0 in a draft.
    cost: Money,
    /// Pieces received. Null if nothing was received yet.
    received_qty: Option<Quantity>,
}

/// Missing pieces of one SKU.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Discrepancy {
    /// SKU of the product.
    sku: Sku,
    /// Number of pieces.
    qty: Quantity,
    /// Outcome of the missing pieces.
    resolution: Outcome,
    /// When the outcome was recorded. Null while it is pending.
    resolved_at: Option<UtcMs>,
}

/// Outcome of missing pieces.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not resolved yet.
    Pending,
    /// The pieces are lost.
    Lost,
    /// The pieces can't be sold.
    Damaged,
    /// The pieces never left the sender.
    FoundAtSource,
    /// The pieces did arrive at the receiver.
    FoundAtDestination,
}

impl From<Resolution> for Outcome {
    fn from(resolution: Resolution) -> Self {
        match resolution {
            Resolution::Lost => Self::Lost,
            Resolution::Damaged => Self::Damaged,
            Resolution::FoundAtSource => Self::FoundAtSource,
            Resolution::FoundAtDestination => Self::FoundAtDestination,
        }
    }
}

/// The transfer with its missing pieces, settled or not.
pub fn view(transfer: &Transfer) -> Value {
    let shown = transfer.clone();
    let view = TransferView {
        transfer_id: shown.transfer_id,
        state: shown.state,
        from_store_id: shown.from_store_id,
        to_store_id: shown.to_store_id,
        lines: transfer.lines.iter().map(line).collect(),
        discrepancies: transfer.lines.iter().flat_map(discrepancies).collect(),
        in_transit_value: transfer.in_transit_value(),
        note: shown.note,
        business_date: shown.business_date,
        created_by: shown.created_by,
        created_at: shown.created_at,
        sent_at: shown.sent_at,
        received_by: shown.received_by,
        received_at: shown.received_at,
        cancelled_at: shown.cancelled_at,
        cancel_lost: shown.cancel_lost,
        warnings: shown.warnings,
    };
    serde_json::to_value(view).unwrap_or_default()
}

fn line(line: &TransferLine) -> TransferLineView {
    TransferLineView {
        line_no: line.line_no,
        sku: line.sku.clone(),
        name: line.name.clone(),
        qty: line.qty,
        cost: line.cost,
        received_qty: line.received_qty,
    }
}

fn discrepancies(line: &TransferLine) -> Vec<Discrepancy> {
    let missing =
        |qty, resolution, resolved_at| Discrepancy { sku: line.sku.clone(), qty, resolution, resolved_at };
    let settled = line.resolved.iter();
    let settled = settled.map(|part| missing(part.qty, part.resolution.into(), Some(part.at)));
    let pending = (line.pending() > 0).then(|| missing(line.pending(), Outcome::Pending, None));
    settled.chain(pending).collect()
}
