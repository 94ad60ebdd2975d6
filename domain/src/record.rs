//! Numbered records: the exact JSON text of what head office is told (docs/protocol.md#the-chain).

use crate::event::Stamp;
use crate::refusal::Refusal;
use crate::stock::Movement;
use crate::time::UtcMs;
use crate::transaction::Transaction;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

mod goods;
mod people;
mod sales;
mod shifts;

pub use goods::{
    AdjustmentPosted, OPNAME_LINES_MAX, OpnamePosted, ReceivingPosted, StockMoved, SupplierReturnPosted,
    TransferRecord, adjustment_posted, opname_posted, receiving_posted, receiving_reversed, stock_moved,
    supplier_return_posted, transfer_cancelled, transfer_received, transfer_resolved, transfer_sent,
};
pub use people::{
    AuditRecorded, FieldWrite, MemberChanged, PointsAdjusted, ProductSettingsChanged, UserChanged,
    audit_recorded, member_changed, member_written, points_adjusted, product_settings_changed, user_changed,
};
pub use sales::{
    ReturnRecord, TenderCorrected, TransactionPaid, TransactionVoided, return_posted, return_voided,
    sale_voided, tender_corrected, transaction_paid, transaction_voided,
};
pub use shifts::{
    CashDeposited, CashMoved, ReceiptsSkipped, ShiftRecord, cash_deposited, cash_moved, day_reopened,
    day_sealed, receipts_skipped, safe_opened, shift_closed, shift_counted, shift_opened, shift_recounted,
};

/// The schema version that this build writes, and the only one that it reads.
pub const SCHEMA: u32 = 1;
/// The longest record, in bytes (256 KiB).
pub const RECORD_BYTES_MAX: usize = 256 * 1024;

/// The envelope of every record, with its payload still unread.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record<P> {
    /// `evt_…`, unique for ever.
    pub event_id: String,
    /// `transaction.paid`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// Version of the payload.
    pub schema: u32,
    /// Hybrid clock.
    pub at: String,
    /// Wall clock of the store.
    pub occurred_at: UtcMs,
    /// What happened.
    pub payload: P,
}

/// The id of a record's event, without reading the rest of it; none: the text names no event.
pub fn event_id(text: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        event_id: Cow<'a, str>,
    }
    // As this program writes it: first of all.
    let first = text.strip_prefix(r#"{"event_id":""#).and_then(|rest| rest.split_once('"'));
    match first.filter(|(id, _)| !id.contains('\\')) {
        Some((id, _)) => Some(Cow::Borrowed(id)),
        None => serde_json::from_str::<Named<'_>>(text).ok().map(|named| named.event_id),
    }
}

/// A line's effect on stock, beside the sale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEffect {
    /// The line.
    pub line_no: u32,
    /// On hand afterwards.
    pub balance_after: i64,
    /// Signed cost of the movement.
    pub cost: i64,
    /// Correction of earlier estimates.
    pub correction: i64,
    /// Signed pieces that moved.
    pub qty: i64,
}

impl LineEffect {
    /// The effects of a document's movements.
    pub fn of(movements: &[Movement]) -> Vec<Self> {
        let effect = |movement: &Movement| Self {
            line_no: movement.line_no,
            balance_after: movement.balance_after,
            cost: movement.cost,
            correction: movement.correction,
            qty: movement.qty,
        };
        movements.iter().map(effect).collect()
    }
}

/// What paying adds to a record at most, per line: its cost, and its [`LineEffect`].
const PAID_LINE_BYTES: usize = 140;
/// What paying adds to a record at most besides: envelope, numbers, times, 20 payments.
const PAID_BYTES: usize = 16 * 1024;
/// What an envelope adds to its document at most.
const ENVELOPE_BYTES: usize = 1024;

/// Whether the record of this basket, once paid, stays within [`RECORD_BYTES_MAX`].
///
/// Asked when the basket is made: later a customer would stand there with goods and money.
///
/// # Errors
/// `validation_failed` when it would not.
pub fn basket_fits(basket: &Transaction) -> Result<(), Refusal> {
    let lines = basket.items.len().saturating_mul(PAID_LINE_BYTES);
    fits("items", basket, lines.saturating_add(PAID_BYTES))
}

/// Whether the record of this document stays within [`RECORD_BYTES_MAX`]; `path` are its lines,
/// `count` of them.
///
/// # Errors
/// `validation_failed` when it would not.
pub(crate) fn document_fits<D: Serialize>(path: &str, document: &D, count: usize) -> Result<(), Refusal> {
    fits(path, document, count.saturating_mul(PAID_LINE_BYTES).saturating_add(ENVELOPE_BYTES))
}

fn fits<D: Serialize>(path: &str, document: &D, more: usize) -> Result<(), Refusal> {
    let bytes = serde_json::to_vec(document).map_or(RECORD_BYTES_MAX, |text| text.len());
    if bytes.saturating_add(more) > RECORD_BYTES_MAX {
        return Err(Refusal::field(path, "make a document too large for one record; split it"));
    }
    Ok(())
}

fn text<P: Serialize>(stamp: &Stamp, kind: &str, payload: P) -> String {
    let record = Record {
        event_id: stamp.event_id.0.clone(),
        kind: kind.to_owned(),
        schema: SCHEMA,
        at: stamp.at.clone(),
        occurred_at: stamp.now,
        payload,
    };
    // Our own payload types always serialise: strings, integers, lists of them.
    serde_json::to_string(&record).unwrap_or_default()
}
