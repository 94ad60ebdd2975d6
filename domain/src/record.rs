//! Numbered records: the exact JSON text of what head office is told (sync.md, *The chain*).

use crate::event::Stamp;
use crate::ids::StoreId;
use crate::receiving::Receiving;
use crate::refusal::Refusal;
use crate::shift::Shift;
use crate::stock::Movement;
use crate::time::UtcMs;
use crate::transaction::Transaction;
use serde::{Deserialize, Serialize};

mod people;

pub use people::{AuditRecorded, UserChanged, audit_recorded, user_changed};

/// The schema version that this build writes and the highest that it understands.
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
}

/// Payload of `transaction.paid`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionPaid {
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// The sale.
    pub transaction: Transaction,
    /// What each line did to stock.
    pub lines: Vec<LineEffect>,
}

/// Payload of `transaction.voided`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionVoided {
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// The transaction; without a receipt number it was never paid, and moves no figure.
    pub transaction: Transaction,
}

/// Payload of `shift.opened` and `shift.closed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShiftRecord {
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// The shift with its sums.
    pub shift: Shift,
}

/// Payload of `receiving.posted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReceivingPosted {
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// The document.
    pub receiving: Receiving,
}

/// Payload of `stock.moved`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StockMoved {
    /// The shop.
    pub store_id: StoreId,
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// Which part this is, from 1.
    pub part: u32,
    /// How many parts there are.
    pub parts: u32,
    /// What moved.
    pub movements: Vec<Movement>,
}

/// Most movements in one `stock.moved`, so that it stays within [`RECORD_BYTES_MAX`].
const MOVED_PER_RECORD: usize = 250;

/// What paying adds to a record at most, per line: its cost, and its [`LineEffect`].
const PAID_LINE_BYTES: usize = 120;
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

/// Whether the record of this document stays within [`RECORD_BYTES_MAX`].
///
/// # Errors
/// `validation_failed` when it would not.
pub fn receiving_fits(receiving: &Receiving) -> Result<(), Refusal> {
    fits("lines", receiving, ENVELOPE_BYTES)
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

/// The record of a completed sale.
pub fn transaction_paid(stamp: &Stamp, transaction: &Transaction, movements: &[Movement]) -> String {
    let lines = movements
        .iter()
        .map(|movement| LineEffect {
            line_no: movement.line_no,
            balance_after: movement.balance_after,
            cost: movement.cost,
            correction: movement.correction,
        })
        .collect();
    let business_date = transaction.business_date;
    text(
        stamp,
        "transaction.paid",
        TransactionPaid { business_date, transaction: transaction.clone(), lines },
    )
}

/// The record of a voided transaction.
pub fn transaction_voided(stamp: &Stamp, transaction: &Transaction) -> String {
    let business_date = transaction.business_date;
    text(stamp, "transaction.voided", TransactionVoided { business_date, transaction: transaction.clone() })
}

/// The record of an opened shift.
pub fn shift_opened(stamp: &Stamp, shift: &Shift) -> String {
    text(stamp, "shift.opened", ShiftRecord { business_date: shift.business_date, shift: shift.clone() })
}

/// The record of a closed shift.
pub fn shift_closed(stamp: &Stamp, shift: &Shift) -> String {
    text(stamp, "shift.closed", ShiftRecord { business_date: shift.business_date, shift: shift.clone() })
}

/// The record of a receiving document.
pub fn receiving_posted(stamp: &Stamp, receiving: &Receiving) -> String {
    let business_date = receiving.business_date;
    text(stamp, "receiving.posted", ReceivingPosted { business_date, receiving: receiving.clone() })
}

/// The records of movements that no other document tells, in parts of a size that fits; `stamp` gives
/// each its own stamp.
pub fn stock_moved(
    mut stamp: impl FnMut() -> Stamp,
    store_id: &StoreId,
    business_date: jiff::civil::Date,
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
