//! Events as row operations: puts and deletes, never a read, so replaying them is always right.

use super::RowOp;
use super::codec::encode;
use super::mark::RecordHead;
use super::table::{Table, epoch_key, passkey_key, shift_prefix};
use domain::event::Event;
use domain::register::Counters;
use domain::shift::{Shift, ShiftState};
use domain::stock::Stock;
use domain::transaction::Transaction;
use serde::{Deserialize, Serialize};

mod catalogue;
mod goods;
mod hold;
mod people;
mod purchase;

pub use goods::delivery_note_key;
pub use people::member_key;

/// Where an epoch's records ended, or are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochRow {
    /// `<n>-<16 hex>`
    pub epoch: String,
    /// Its last seq, once it ended.
    pub head_seq: u64,
    /// The hash there.
    pub head_hash: [u8; 32],
}

/// The feed's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedRow {
    /// Where to go on.
    pub cursor: String,
    /// The hub's time of the last page.
    pub hub_time: domain::time::UtcMs,
}

type Encoded = Result<(), String>;

/// The operations of an event, appended. [`epoch_ops`] adds those that need the records' place.
pub fn ops(event: &Event, out: &mut Vec<RowOp>) -> Encoded {
    put_stock(event.stock(), out)?;
    event.shift().into_iter().try_for_each(|shift| put_shift(shift, out))?;
    if let Some(after) = event.sale_after() {
        put(Table::SaleAfter.key(after.transaction_id.as_str()), after, out)?;
    }
    if let Some(account) = event.account() {
        put(Table::Points.key(account.member_id.as_str()), account, out)?;
    }
    match event {
        Event::TransactionOpen { transaction, .. } => open_transaction(transaction, out),
        Event::TransactionPaid { transaction, counters, .. } => {
            close_transaction(transaction, out);
            put_counters(counters, out)
        }
        Event::TransactionVoided { transaction, .. } => {
            close_transaction(transaction, out);
            Ok(())
        }
        Event::ReturnPosted { counters, .. } => put_counters(counters, out),
        Event::SaleVoided { .. }
        | Event::TenderCorrected { .. }
        | Event::ReturnVoided { .. }
        | Event::CashMoved { .. }
        | Event::ShiftEnded { .. }
        | Event::ShiftRecounted { .. }
        | Event::StockOpened { .. }
        | Event::SupplierReturnPosted { .. }
        | Event::CashDeposited { .. }
        | Event::PointsChanged { .. }
        | Event::Audited { .. }
        | Event::EpochOpened { .. } => Ok(()),
        Event::TransactionHeld { .. } | Event::HoldRecalled { .. } | Event::HoldVoided { .. } => {
            hold::ops(event, out)
        }
        Event::ShiftOpened { register, .. } | Event::RegisterChanged { register } => {
            put(Table::Register.key(register.register_id.as_str()), register, out)
        }
        Event::ShiftClosed { counters, voided, .. } => {
            voided.iter().for_each(|transaction| close_transaction(transaction, out));
            put_counters(counters, out)
        }
        Event::Restored { shifts, counters } => {
            shifts.iter().try_for_each(|shift| put_shift(shift, out))?;
            counters.iter().try_for_each(|counters| put_counters(counters, out))
        }
        Event::DaySealed { day } => {
            delete(Table::ReopenedDay.key(&day.business_date.to_string()), out);
            put(Table::Day.key(&day.business_date.to_string()), day, out)
        }
        Event::DayReopened { day } => {
            delete(Table::Day.key(&day.business_date.to_string()), out);
            put(Table::ReopenedDay.key(&day.business_date.to_string()), day, out)
        }
        Event::SafeOpened { opening } => put(Table::SafeOpening.key(""), opening, out),
        Event::ReceivingPosted { .. }
        | Event::ReceivingReversed { .. }
        | Event::AdjustmentChanged { .. }
        | Event::TransferChanged { .. }
        | Event::OpnameChanged { .. } => goods::ops(event, out),
        Event::MemberChanged { .. } | Event::UserChanged { .. } => people::ops(event, out),
        Event::SessionOpened { .. } | Event::SessionRefreshed { .. } | Event::SessionClosed { .. } => {
            people::session_ops(event, out)
        }
        Event::ProductChanged { .. } => catalogue::ops(event, out),
        Event::PromotionChanged { promotion } => {
            put(Table::Promotion.key(&promotion.promotion_id), promotion, out)
        }
        Event::PromotionWithdrawn { promotion_id } => {
            delete(Table::Promotion.key(promotion_id), out);
            Ok(())
        }
        Event::SupplierChanged { .. }
        | Event::PurchaseOrderChanged { .. }
        | Event::OrderProgressed { .. } => purchase::ops(event, out),
        Event::PasskeySaved { passkey } => {
            put(passkey_key(passkey.user_id.as_str(), &passkey.credential_id), passkey, out)
        }
        Event::PasskeyRemoved { user_id, credential_id } => {
            delete(passkey_key(user_id.as_str(), credential_id), out);
            Ok(())
        }
        Event::HubEnrolled { hub } => put(Table::Hub.key(""), hub, out),
        Event::RecordsAcknowledged { mark } => put(Table::Ack.key(&mark.epoch), mark, out),
        Event::FeedApplied { cursor, hub_time } => {
            put(Table::Feed.key(""), &FeedRow { cursor: cursor.clone(), hub_time: *hub_time }, out)
        }
        Event::Sync { change } => super::sync::ops(change, out),
    }
}

/// Where an epoch's records end now that some of them came back.
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

/// A key that says all.
fn empty(key: Vec<u8>, out: &mut Vec<RowOp>) {
    out.push(RowOp { key, value: Some(Vec::new()) });
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

fn put_counters(counters: &Counters, out: &mut Vec<RowOp>) -> Encoded {
    put(Table::Counters.key(counters.register_id.as_str()), counters, out)
}

fn put_stock(stock: &[Stock], out: &mut Vec<RowOp>) -> Encoded {
    stock.iter().try_for_each(|stock| put(Table::Stock.key(stock.sku.as_str()), stock, out))
}

fn shift_key(transaction: &Transaction) -> Vec<u8> {
    let mut key = shift_prefix(&transaction.shift_id);
    key.extend_from_slice(transaction.transaction_id.as_str().as_bytes());
    key
}

fn open_transaction(transaction: &Transaction, out: &mut Vec<RowOp>) -> Encoded {
    empty(shift_key(transaction), out);
    put(Table::Transaction.key(transaction.transaction_id.as_str()), transaction, out)
}

fn close_transaction(transaction: &Transaction, out: &mut Vec<RowOp>) {
    delete(shift_key(transaction), out);
    delete(Table::Transaction.key(transaction.transaction_id.as_str()), out);
}
