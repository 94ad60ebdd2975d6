//! Records of goods: receipts, transfers, adjustments, counts.

use super::{LineEffect, text};
use crate::adjustment::Adjustment;
use crate::event::Stamp;
use crate::ids::StoreId;
use crate::opname::{Opname, OpnameLine};
use crate::receiving::Receiving;
use crate::stock::Movement;
use crate::supplier_return::SupplierReturn;
use crate::transfer::Transfer;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Most lines of a count in one record; a longer one has parts.
pub const OPNAME_LINES_MAX: usize = 500;

/// Payload of `receiving.posted` and `receiving.reversed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReceivingPosted {
    /// The day it counts for.
    pub business_date: Date,
    /// The document.
    pub receiving: Receiving,
    /// What each line did to stock; of a receipt that is in the document.
    pub lines: Vec<LineEffect>,
}

/// Payload of `transfer.sent`, `.received`, `.cancelled` and `.resolved`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferRecord {
    /// The day it counts for.
    pub business_date: Date,
    /// The document as it is now.
    pub transfer: Transfer,
    /// What each line did to this store's stock.
    pub lines: Vec<LineEffect>,
}

/// Payload of `adjustment.posted`; also of one that is rejected or reversed, as its state says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdjustmentPosted {
    /// The day it counts for.
    pub business_date: Date,
    /// The document.
    pub adjustment: Adjustment,
    /// What each line did to stock.
    pub lines: Vec<LineEffect>,
}

/// Payload of `opname.posted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpnamePosted {
    /// The day it counts for.
    pub business_date: Date,
    /// The document.
    pub opname: Opname,
    /// Which part this is, from 1.
    pub part: usize,
    /// How many there are.
    pub parts: usize,
    /// Counted lines.
    pub lines: Vec<OpnameLine>,
}

/// Payload of `supplier_return.posted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SupplierReturnPosted {
    /// The day it counts for.
    pub business_date: Date,
    /// The document.
    pub document: SupplierReturn,
}

/// Payload of `stock.moved`: movements without a document of their own, for example the opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StockMoved {
    /// The shop.
    pub store_id: StoreId,
    /// The day it counts for.
    pub business_date: Date,
    /// Which part this is, from 1.
    pub part: u32,
    /// How many parts there are.
    pub parts: u32,
    /// What moved.
    pub movements: Vec<Movement>,
}

/// Most movements in one `stock.moved`, so that it stays within [`super::RECORD_BYTES_MAX`].
const MOVED_PER_RECORD: usize = 250;

/// The record of a receiving document.
pub fn receiving_posted(stamp: &Stamp, receiving: &Receiving) -> String {
    text(stamp, "receiving.posted", received(receiving, &[]))
}

/// The record of a receipt that was taken back.
pub fn receiving_reversed(stamp: &Stamp, receiving: &Receiving, movements: &[Movement]) -> String {
    text(stamp, "receiving.reversed", received(receiving, movements))
}

fn received(receiving: &Receiving, movements: &[Movement]) -> ReceivingPosted {
    let (business_date, lines) = (receiving.business_date, LineEffect::of(movements));
    ReceivingPosted { business_date, receiving: receiving.clone(), lines }
}

/// The record of a transfer that left.
pub fn transfer_sent(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, "transfer.sent", transferred(transfer, movements))
}

/// The record of a transfer that arrived.
pub fn transfer_received(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, "transfer.received", transferred(transfer, movements))
}

/// The record of a transfer that was called off.
pub fn transfer_cancelled(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, "transfer.cancelled", transferred(transfer, movements))
}

/// The record of missing pieces that were settled.
pub fn transfer_resolved(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, "transfer.resolved", transferred(transfer, movements))
}

fn transferred(transfer: &Transfer, movements: &[Movement]) -> TransferRecord {
    let (business_date, lines) = (transfer.business_date, LineEffect::of(movements));
    TransferRecord { business_date, transfer: transfer.clone(), lines }
}

/// The record of an adjustment.
pub fn adjustment_posted(stamp: &Stamp, adjustment: &Adjustment, movements: &[Movement]) -> String {
    let (business_date, lines) = (adjustment.business_date, LineEffect::of(movements));
    text(
        stamp,
        "adjustment.posted",
        AdjustmentPosted { business_date, adjustment: adjustment.clone(), lines },
    )
}

/// The records of a posted count, at most [`OPNAME_LINES_MAX`] lines each; one stamp each.
pub fn opname_posted(mut stamp: impl FnMut() -> Stamp, opname: &Opname, lines: &[OpnameLine]) -> Vec<String> {
    let parts = lines.len().div_ceil(OPNAME_LINES_MAX).max(1);
    let none: &[OpnameLine] = &[];
    let mut chunks = lines.chunks(OPNAME_LINES_MAX);
    (1..=parts)
        .map(|part| {
            let payload = OpnamePosted {
                business_date: opname.business_date,
                opname: opname.clone(),
                part,
                parts,
                lines: chunks.next().unwrap_or(none).to_vec(),
            };
            text(&stamp(), "opname.posted", payload)
        })
        .collect()
}

/// The record of goods that went back to a supplier.
pub fn supplier_return_posted(stamp: &Stamp, document: &SupplierReturn) -> String {
    let business_date = document.business_date;
    text(stamp, "supplier_return.posted", SupplierReturnPosted { business_date, document: document.clone() })
}

/// The records of movements that no other document tells, in parts of a size that fits; `stamp` gives
/// each its own stamp.
pub fn stock_moved(
    mut stamp: impl FnMut() -> Stamp,
    store_id: &StoreId,
    business_date: Date,
    movements: &[Movement],
) -> Vec<String> {
    let chunks = movements.chunks(MOVED_PER_RECORD);
    let parts = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
    let payload = |part, movements: &[Movement]| StockMoved {
        store_id: store_id.clone(),
        business_date,
        part,
        parts,
        movements: movements.to_vec(),
    };
    (1_u32..).zip(chunks).map(|(part, chunk)| text(&stamp(), "stock.moved", payload(part, chunk))).collect()
}
