//! Events as row operations: puts and deletes, never a read, so replaying them is always right.

use super::RowOp;
use super::codec::encode;
use super::table::{Table, epoch_key, passkey_key};
use crate::journal::record_head::RecordHead;
use domain::model::base::event::{Event, Fact, Rows};
use domain::model::books::shift::{Shift, ShiftState};
use domain::model::selling::transaction::Transaction;
use serde::{Deserialize, Serialize};
use sled::IVec;

mod catalogue;
pub mod day_rows;
mod hold;
pub mod note_rows;
mod stock_documents;
pub mod sync_rows;
mod users_and_members;

pub use stock_documents::delivery_note_key;
pub use users_and_members::member_key;

/// Present or final end of an epoch's records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochRow {
    /// The epoch, as `<n>-<16 hex>`.
    pub epoch: String,
    /// Its last seq, once it ended.
    pub head_seq: u64,
    /// Record chain at the last seq.
    pub head_hash: [u8; 32],
}

/// Position in a lane of the hub's feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedRow {
    /// Cursor to continue from.
    pub cursor: String,
    /// The hub's time of the last page.
    pub hub_time: domain::model::base::time::UtcMs,
}

type Encoded = Result<(), String>;

/// The operations of an event, appended. [`epoch_ops`] adds those that need the records' place.
pub fn ops(event: &Event, out: &mut Vec<RowOp>) -> Encoded {
    event.shifts().try_for_each(|shift| put_shift(shift, out))?;
    row_ops(&event.rows, out)?;
    fact_ops(&event.fact, out)
}

/// The rows that an event changed, whatever happened.
fn row_ops(rows: &Rows, out: &mut Vec<RowOp>) -> Encoded {
    for row in &rows.stock {
        put(Table::Stock.key(row.sku.as_str()), row, out)?;
    }
    for row in &rows.counters {
        put(Table::Counters.key(row.register_id.as_str()), row, out)?;
    }
    if let Some(row) = &rows.register {
        put(Table::Register.key(row.register_id.as_str()), row, out)?;
    }
    if let Some(row) = &rows.account {
        put(Table::Points.key(row.member_id.as_str()), row, out)?;
    }
    if let Some(row) = &rows.after {
        put(Table::SaleAfter.key(row.transaction_id.as_str()), row, out)?;
    }
    if let Some(row) = &rows.progress {
        put(Table::OrderProgress.key(&row.po_id), row, out)?;
    }
    if let Some(row) = &rows.written_off {
        put(Table::WrittenOff.key(row.user_id.as_str()), row, out)?;
    }
    rows.safe.iter().try_for_each(|row| put(Table::Safe.key(""), row, out))
}

/// Rows of unfinished documents, and the keys by which they are found. Other documents are history.
fn fact_ops(fact: &Fact, out: &mut Vec<RowOp>) -> Encoded {
    match fact {
        Fact::TransactionOpen(it) => return open_transaction(&it.transaction, out),
        Fact::TransactionPaid(it) => close_transaction(&it.transaction, out),
        Fact::TransactionVoided(it) => close_transaction(&it.transaction, out),
        Fact::ShiftClosed(it) => it.voided.iter().for_each(|basket| close_transaction(basket, out)),
        Fact::TransactionHeld(it) => return hold::held(&it.hold, &it.transaction, out),
        Fact::HoldRecalled(it) => return hold::recalled(&it.hold, &it.transaction, out),
        Fact::HoldVoided(it) => hold::voided(&it.hold, &it.transaction, out),
        Fact::RegisterChanged(it) => {
            return put(Table::Register.key(it.register.register_id.as_str()), &it.register, out);
        }
        Fact::DaySealed(it) => {
            let date = it.day.business_date.to_string();
            delete(Table::ReopenedDay.key(&date), out);
            return put(Table::Day.key(&date), &it.day, out);
        }
        Fact::DayReopened(it) => {
            let date = it.day.business_date.to_string();
            delete(Table::Day.key(&date), out);
            return put(Table::ReopenedDay.key(&date), &it.day, out);
        }
        Fact::SafeOpened(it) => return put(Table::SafeOpening.key(""), &it.opening, out),
        Fact::ReceivingPosted(it) => return stock_documents::received(&it.receiving, out),
        Fact::ReceivingReversed(it) => stock_documents::reversed(it.freed.as_ref(), out),
        Fact::AdjustmentChanged(it) => return stock_documents::adjusted(&it.adjustment, out),
        Fact::TransferChanged(it) => return stock_documents::transferred(&it.transfer, out),
        Fact::OpnameChanged(it) => return stock_documents::counted(&it.opname, &it.lines, out),
        Fact::MemberChanged(it) => return users_and_members::member(it, out),
        Fact::UserChanged(it) => return users_and_members::user(&it.user, out),
        Fact::SessionOpened(it) => return users_and_members::session(&it.session, &it.expired, out),
        Fact::SessionRefreshed(it) => return users_and_members::refreshed(&it.session, &it.rotation, out),
        Fact::SessionClosed(it) => users_and_members::end_session(&it.session_id, out),
        Fact::ProductChanged(it) => return catalogue::product(&it.product, &it.lost_words, out),
        Fact::PromotionChanged(it) => {
            return put(Table::Promotion.key(&it.promotion.promotion_id), &it.promotion, out);
        }
        Fact::PromotionWithdrawn(it) => delete(Table::Promotion.key(&it.promotion_id), out),
        Fact::SupplierChanged(it) => {
            return put(Table::Supplier.key(&it.supplier.supplier_id), &it.supplier, out);
        }
        Fact::PurchaseOrderChanged(it) => return stock_documents::ordered(&it.order, out),
        Fact::PasskeySaved(it) => {
            let key = passkey_key(it.passkey.user_id.as_str(), &it.passkey.credential_id);
            return put(key, &it.passkey, out);
        }
        Fact::PasskeyRemoved(it) => delete(passkey_key(it.user_id.as_str(), &it.credential_id), out),
        Fact::PinSaved(it) => return put(Table::Pin.key(it.pin.user_id.as_str()), &it.pin, out),
        Fact::PinRemoved(it) => delete(Table::Pin.key(it.user_id.as_str()), out),
        Fact::HubEnrolled(it) => return put(Table::Hub.key(""), &it.hub, out),
        Fact::RecordsAcknowledged(it) => return put(Table::Ack.key(&it.mark.epoch), &it.mark, out),
        Fact::FeedApplied(it) => {
            let row = FeedRow { cursor: it.cursor.clone(), hub_time: it.hub_time };
            return put(Table::Feed.key(""), &row, out);
        }
        Fact::SyncChanged(it) => return sync_rows::ops(&it.change, out),
        _ => {}
    }
    Ok(())
}

/// The end of an epoch's records after some of them came back.
pub fn epoch_row(head: &RecordHead, out: &mut Vec<RowOp>) -> Encoded {
    let row = EpochRow { epoch: head.epoch.clone(), head_seq: head.seq, head_hash: head.hash };
    put(epoch_key(&head.epoch), &row, out)
}

/// A new epoch: the old one ends where its records are, the new one begins.
pub fn epoch_ops(old: &RecordHead, new: &str, out: &mut Vec<RowOp>) -> Encoded {
    let row = |epoch: &str, head_seq, head_hash| EpochRow { epoch: epoch.to_owned(), head_seq, head_hash };
    if !old.epoch.is_empty() {
        put(epoch_key(&old.epoch), &row(&old.epoch, old.seq, old.hash), out)?;
    }
    put(epoch_key(new), &row(new, 0, [0; 32]), out)
}

fn put<T: Serialize>(key: Vec<u8>, row: &T, out: &mut Vec<RowOp>) -> Encoded {
    out.push(RowOp { key, value: Some(encode(row)?) });
    Ok(())
}

/// A key without a value.
fn empty(key: Vec<u8>, out: &mut Vec<RowOp>) {
    out.push(RowOp { key, value: Some(IVec::default()) });
}

fn delete(key: Vec<u8>, out: &mut Vec<RowOp>) {
    out.push(RowOp { key, value: None });
}

fn put_shift(shift: &Shift, out: &mut Vec<RowOp>) -> Encoded {
    let open = Table::OpenShift.key(shift.shift_id.as_str());
    if matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted) {
        delete(open, out);
    } else {
        empty(open, out);
    }
    empty(Table::DayShift.pair(&shift.business_date.to_string(), shift.shift_id.as_str()), out);
    put(Table::Shift.key(shift.shift_id.as_str()), shift, out)
}

fn shift_key(transaction: &Transaction) -> Vec<u8> {
    Table::ShiftTransaction.pair(transaction.shift_id.as_str(), transaction.transaction_id.as_str())
}

fn open_transaction(transaction: &Transaction, out: &mut Vec<RowOp>) -> Encoded {
    empty(shift_key(transaction), out);
    put(Table::Transaction.key(transaction.transaction_id.as_str()), transaction, out)
}

fn close_transaction(transaction: &Transaction, out: &mut Vec<RowOp>) {
    delete(shift_key(transaction), out);
    delete(Table::Transaction.key(transaction.transaction_id.as_str()), out);
}
