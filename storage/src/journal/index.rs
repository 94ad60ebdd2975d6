//! Index of the history: entries (hash of kind and key, frame offset), one set per segment.
//!
//! Two keys may share a hash; a lookup reads the frame and compares the keys.

mod entries;
pub mod filter;
pub mod index_file;

pub use entries::Entries;

use crate::bytes::hash64;
use domain::model::base::event::{Event, Fact, Noun};
use domain::model::inventory::stock::Movement;
use domain::model::people::audit::{AuditEntry, RECEIPT_PRINTED};
use domain::model::people::points::PointsEntry;
use domain::model::selling::transaction::Transaction;
use domain::wire::record::event_id;

/// The target of an entry. The numbers are on the disk: never change one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An answer, by idempotency key.
    Answer = 1,
    /// A paid or voided transaction, by ID.
    Transaction = 2,
    /// A sale, by receipt number.
    Receipt = 3,
    /// Movements of stock, by SKU.
    Movement = 4,
    /// A sale, by shift.
    ShiftSale = 5,
    /// A numbered record, by epoch and seq.
    Record = 7,
    /// Documents of a noun, at every step of their lives.
    List = 8,
    /// A document, by ID: every step of its life.
    Document = 9,
    /// Points entries, by member.
    Points = 10,
    /// A sale, by member.
    MemberSale = 11,
    /// A sale, by business date.
    DaySale = 12,
    /// Cash movements, by shift.
    ShiftCash = 13,
    /// Audit entries, by user.
    AuditUser = 15,
    /// Audit entries, by action.
    AuditAction = 16,
    /// Transactions voided before payment, by shift.
    ShiftVoid = 17,
    /// Prints of a receipt, by its number.
    Print = 18,
    /// Returns, by business date.
    DayReturn = 19,
    /// A numbered record, by the ID of its event.
    RecordEvent = 20,
    /// Transactions voided before payment, by business date.
    DayVoid = 21,
    /// Transactions voided before payment, by member.
    MemberVoid = 22,
}

/// The hash of a key.
pub fn hash(kind: Kind, key: &[&[u8]]) -> u64 {
    let kind = [kind as u8];
    hash64(std::iter::once(kind.as_slice()).chain(key.iter().copied()))
}

/// The hash of a record's key.
pub fn record_hash(epoch: &str, seq: u64) -> u64 {
    hash(Kind::Record, &[epoch.as_bytes(), &seq.to_be_bytes()])
}

/// The hash of an event's ID, by which its records are found in all epochs.
pub fn record_event_hash(event_id: &str) -> u64 {
    hash(Kind::RecordEvent, &[event_id.as_bytes()])
}

/// The hashes that records are found by besides their places.
pub fn record_event_keys(texts: &[String]) -> impl Iterator<Item = u64> {
    texts.iter().filter_map(|text| event_id(text)).map(|id| record_event_hash(&id))
}

/// The hashes that an event is found by.
pub fn event_keys(event: &Event, keys: &mut Vec<u64>) {
    movement_keys(&event.rows.movements, keys);
    let member = |entry: &PointsEntry| hash(Kind::Points, &[entry.member_id.as_str().as_bytes()]);
    keys.extend(event.rows.points.iter().map(member));
    event.fact.finished().iter().for_each(|transaction| transaction_keys(transaction, keys));
    event.fact.voided().iter().for_each(|transaction| void_keys(transaction, keys));
    if let Some((noun, id)) = event.fact.document() {
        // Documents with a life of their own: every step under its id and in its noun's list.
        keys.extend([document(id), list(noun)]);
    }
    match &event.fact {
        Fact::TransactionPaid(it) => sale_keys(&it.transaction, keys),
        Fact::HoldVoided(it) => keys.push(document(it.hold.hold_id.as_str())),
        Fact::HoldRecalled(it) => keys.push(document(it.hold.hold_id.as_str())),
        Fact::ReturnPosted(it) => {
            keys.push(hash(Kind::Receipt, &[it.document.receipt_no.as_bytes()]));
            keys.push(hash(Kind::DayReturn, &[it.document.business_date.to_string().as_bytes()]));
        }
        Fact::CashMoved(it) => {
            keys.push(hash(Kind::ShiftCash, &[it.movement.shift_id.as_str().as_bytes()]));
        }
        Fact::Audited(it) => {
            keys.push(list(Noun::Audit));
            keys.push(hash(Kind::AuditUser, &[it.entry.user_id.as_str().as_bytes()]));
            keys.push(hash(Kind::AuditAction, &[it.entry.action.as_bytes()]));
            if let Some(receipt_no) = printed(&it.entry) {
                keys.push(hash(Kind::Print, &[receipt_no.as_bytes()]));
            }
        }
        Fact::CashDeposited(it) => {
            keys.push(list(Noun::Deposit));
            // Its reversal is also found under its ID.
            let ids = [Some(&it.deposit.deposit_id), it.deposit.reverses.as_ref()];
            keys.extend(ids.into_iter().flatten().map(|id| document(id.as_str())));
        }
        _ => {}
    }
}

/// Keys of transactions voided before payment.
fn void_keys(transaction: &Transaction, keys: &mut Vec<u64>) {
    keys.push(hash(Kind::ShiftVoid, &[transaction.shift_id.as_str().as_bytes()]));
    keys.push(hash(Kind::DayVoid, &[transaction.business_date.to_string().as_bytes()]));
    if let Some(member) = &transaction.member_id {
        keys.push(hash(Kind::MemberVoid, &[member.as_str().as_bytes()]));
    }
}

/// The receipt that an audit entry reports as printed.
pub fn printed(entry: &AuditEntry) -> Option<&str> {
    (entry.action == RECEIPT_PRINTED).then(|| entry.details.get("receipt_no")?.as_str()).flatten()
}

/// The hash of a noun's list.
pub fn list(noun: Noun) -> u64 {
    hash(Kind::List, &[&[noun as u8]])
}

/// The hash of a document's ID.
pub fn document(id: &str) -> u64 {
    hash(Kind::Document, &[id.as_bytes()])
}

fn sale_keys(transaction: &Transaction, keys: &mut Vec<u64>) {
    keys.push(hash(Kind::ShiftSale, &[transaction.shift_id.as_str().as_bytes()]));
    keys.push(hash(Kind::DaySale, &[transaction.business_date.to_string().as_bytes()]));
    if let Some(member) = &transaction.member_id {
        keys.push(hash(Kind::MemberSale, &[member.as_str().as_bytes()]));
    }
}

fn transaction_keys(transaction: &Transaction, keys: &mut Vec<u64>) {
    keys.push(hash(Kind::Transaction, &[transaction.transaction_id.as_str().as_bytes()]));
    if let Some(receipt_no) = &transaction.receipt_no {
        keys.push(hash(Kind::Receipt, &[receipt_no.as_bytes()]));
    }
}

fn movement_keys(movements: &[Movement], keys: &mut Vec<u64>) {
    keys.extend(movements.iter().map(|movement| hash(Kind::Movement, &[movement.sku.as_str().as_bytes()])));
}

/// The hashes of a frame's records.
pub fn record_keys(epoch: &str, first_seq: u64, count: usize) -> impl Iterator<Item = u64> {
    (first_seq..).take(count).map(move |seq| record_hash(epoch, seq))
}
