//! Records of goods: receipts, transfers, adjustments, counts.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::StoreId;
use crate::model::hub::stamp::Stamp;
use crate::model::inventory::adjustment::Adjustment;
use crate::model::inventory::opname::{Opname, OpnameLine};
use crate::model::inventory::receiving::{Receiving, ReceivingLine};
use crate::model::inventory::stock::{Movement, StockPlace};
use crate::model::inventory::supplier_return::{SupplierReturn, SupplierReturnLine};
use crate::model::inventory::transfer::Transfer;
use crate::wire::record::effect::{moves, of_store};
use crate::wire::record::{About, AnyPayload, Effect, Known, LineEffect, Move, Payload, text};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Most lines of a count in one record; a longer one has parts.
pub const OPNAME_LINES_MAX: usize = 500;

/// Payload of `receiving.posted` and `receiving.reversed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReceivingPosted {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub receiving: Receiving,
    /// Effect of each line on stock; for a receipt it is in the document.
    pub lines: Vec<LineEffect>,
}

impl Payload for ReceivingPosted {
    fn about(&self) -> About {
        let receiving = &self.receiving;
        let about = About::day(self.business_date, receiving.total_cost);
        about.belongs("receiving", receiving.receiving_id.as_str())
    }

    fn effect(&self, kind: &str, store_id: &str) -> Result<Effect, String> {
        let Receiving { store_id: of, receiving_id, lines, .. } = &self.receiving;
        of_store(of.as_str(), store_id)?;
        let known = Some(Known::Receiving(receiving_id.0.clone()));
        if kind == "receiving.reversed" {
            let sku = |line_no| lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku);
            return Ok(Effect { moves: moves(&self.lines, sku)?, needs: known, ..Effect::default() });
        }
        // What each line moved is in the document.
        let one = |line: &ReceivingLine| Move {
            sku: line.sku.clone(),
            qty: line.qty,
            value: line.cost.saturating_sub(line.correction),
            correction: line.correction,
            balance_after: line.balance_after,
        };
        let moves = lines.iter().filter(|line| line.qty != 0).map(one).collect();
        Ok(Effect { moves, gives: known, ..Effect::default() })
    }
}

/// Payload of `transfer.sent`, `.received`, `.cancelled` and `.resolved`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferRecord {
    /// Business date to which the record belongs.
    pub business_date: Date,
    /// The document as it is now.
    pub transfer: Transfer,
    /// Effect of each line on this store's stock.
    pub lines: Vec<LineEffect>,
}

impl Payload for TransferRecord {
    fn about(&self) -> About {
        About::day(self.business_date, 0).belongs("transfer", self.transfer.transfer_id.as_str())
    }

    /// Goods on their way: each store reports what it moved itself, and its own document.
    fn effect(&self, kind: &str, store_id: &str) -> Result<Effect, String> {
        let transfer = &self.transfer;
        let (from, to) = (transfer.from_store_id.as_str(), transfer.to_store_id.as_str());
        let sender = from == store_id;
        if !sender {
            of_store(to, store_id)?;
        }
        // Without a store's name it would be posted in head office's own book.
        if from.is_empty() || to.is_empty() || from == to {
            return Err("it does not name two stores".to_owned());
        }
        let sku = |line_no| transfer.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku);
        let known = Some(Known::Transfer(transfer.transfer_id.0.clone()));
        let (needs, gives) = match (kind, sender) {
            ("transfer.sent", true) => (None, known),
            (_, true) => (None, None),
            (_, false) => (known, None),
        };
        Ok(Effect { moves: moves(&self.lines, sku)?, needs, gives, ..Effect::default() })
    }
}

/// Payload of `adjustment.posted`; also of one that is rejected or reversed, as its state says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdjustmentPosted {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub adjustment: Adjustment,
    /// Effect of each line on stock.
    pub lines: Vec<LineEffect>,
    /// The goods are not gone: they were put aside as damaged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
}

impl Payload for AdjustmentPosted {
    fn about(&self) -> About {
        About::day(self.business_date, 0)
    }

    /// Stock was written off, found or corrected; a rejected adjustment has no effects.
    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        of_store(self.adjustment.store_id.as_str(), store_id)?;
        let lines = &self.adjustment.lines;
        let sku = |line_no| lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku);
        Ok(Effect { moves: moves(&self.lines, sku)?, ..Effect::default() })
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpnamePosted {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub opname: Opname,
    /// Number of this part, starting at 1.
    pub part: usize,
    pub parts: usize,
    pub lines: Vec<OpnameLine>,
}

impl Payload for OpnamePosted {
    fn about(&self) -> About {
        About::day(self.business_date, 0).belongs("opname", self.opname.opname_id.as_str())
    }

    /// Only lines that differed moved.
    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        of_store(self.opname.store_id.as_str(), store_id)?;
        let differing = self.lines.iter().filter(|line| line.movement_id.is_some());
        let one = |line: &OpnameLine| Move {
            sku: line.sku.clone(),
            qty: line.variance(),
            value: line.variance_value.unwrap_or(Money::ZERO).saturating_sub(line.correction),
            correction: line.correction,
            balance_after: line.balance_after.unwrap_or_default(),
        };
        Ok(Effect { moves: differing.map(one).collect(), ..Effect::default() })
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SupplierReturnPosted {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub document: SupplierReturn,
}

impl Payload for SupplierReturnPosted {
    fn about(&self) -> About {
        About::day(self.business_date, 0)
    }

    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        of_store(self.document.store_id.as_str(), store_id)?;
        let one = |line: &SupplierReturnLine| Move {
            sku: line.sku.clone(),
            qty: line.qty.saturating_neg(),
            value: line.stock_cost.saturating_neg(),
            correction: Money::ZERO,
            balance_after: line.balance_after,
        };
        // What was put aside is not in the stock any more.
        let sold = self.document.bucket == StockPlace::OnHand;
        let moves = self.document.lines.iter().filter(|_| sold).map(one).collect();
        Ok(Effect { moves, ..Effect::default() })
    }
}

/// Payload of `stock.moved`: movements without a document of their own, for example the opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StockMoved {
    /// ID of the store.
    pub store_id: StoreId,
    /// Business date to which the record belongs.
    pub business_date: Date,
    /// Number of this part, starting at 1.
    pub part: u32,
    pub parts: u32,
    pub movements: Vec<Movement>,
}

impl Payload for StockMoved {
    fn about(&self) -> About {
        let pieces = self.movements.iter().map(|movement| movement.qty);
        About::day(self.business_date, pieces.sum::<Quantity>())
    }

    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        of_store(self.store_id.as_str(), store_id)?;
        let one = |movement: &Movement| Move {
            sku: movement.sku.clone(),
            qty: movement.qty,
            value: movement.cost.saturating_sub(movement.correction),
            correction: movement.correction,
            balance_after: movement.balance_after,
        };
        Ok(Effect { moves: self.movements.iter().map(one).collect(), ..Effect::default() })
    }
}

/// Most movements in one `stock.moved`, so that it stays within [`crate::wire::record::RECORD_BYTES_MAX`].
const MOVED_PER_RECORD: usize = 250;

/// The record of a receiving document.
pub fn receiving_posted(stamp: &Stamp, receiving: &Receiving) -> String {
    text(stamp, AnyPayload::ReceivingPosted, received(receiving, &[]))
}

/// The record of a reversed receipt.
pub fn receiving_reversed(stamp: &Stamp, receiving: &Receiving, movements: &[Movement]) -> String {
    text(stamp, AnyPayload::ReceivingReversed, received(receiving, movements))
}

fn received(receiving: &Receiving, movements: &[Movement]) -> ReceivingPosted {
    let (business_date, lines) = (receiving.business_date, LineEffect::of(movements));
    ReceivingPosted { business_date, receiving: receiving.clone(), lines }
}

/// The record of a transfer that left.
pub fn transfer_sent(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, AnyPayload::TransferSent, transferred(transfer, movements))
}

/// The record of a transfer that arrived.
pub fn transfer_received(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, AnyPayload::TransferReceived, transferred(transfer, movements))
}

/// The record of a transfer that was called off.
pub fn transfer_cancelled(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, AnyPayload::TransferCancelled, transferred(transfer, movements))
}

/// The record of missing pieces that were settled.
pub fn transfer_resolved(stamp: &Stamp, transfer: &Transfer, movements: &[Movement]) -> String {
    text(stamp, AnyPayload::TransferResolved, transferred(transfer, movements))
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
        AnyPayload::AdjustmentPosted,
        AdjustmentPosted { business_date, adjustment: adjustment.clone(), lines, keep: adjustment.keep },
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
            text(&stamp(), AnyPayload::OpnamePosted, payload)
        })
        .collect()
}

/// The record of goods that went back to a supplier.
pub fn supplier_return_posted(stamp: &Stamp, document: &SupplierReturn) -> String {
    let business_date = document.business_date;
    text(
        stamp,
        AnyPayload::SupplierReturnPosted,
        SupplierReturnPosted { business_date, document: document.clone() },
    )
}

/// The records of movements that no other document reports, in parts of a bounded size; `stamp` gives each its own
/// stamp.
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
    (1_u32..)
        .zip(chunks)
        .map(|(part, chunk)| text(&stamp(), AnyPayload::StockMoved, payload(part, chunk)))
        .collect()
}
