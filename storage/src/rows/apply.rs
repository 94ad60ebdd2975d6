//! Events as row operations: puts and deletes, never a read, so replaying them is always right.

use super::RowOp;
use super::codec::encode;
use super::mark::RecordHead;
use super::table::{Table, epoch_key, shift_prefix};
use domain::event::Event;
use domain::ids::SessionId;
use domain::shift::{Shift, ShiftState};
use domain::stock::Stock;
use domain::transaction::Transaction;
use serde::{Deserialize, Serialize};

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
    match event {
        Event::TransactionOpen { transaction, shift } => {
            open_transaction(transaction, out)?;
            shift.iter().try_for_each(|shift| put_shift(shift, out))
        }
        Event::TransactionPaid { transaction, stock, shift, counters, movements: _ } => {
            close_transaction(transaction, out);
            put_stock(stock, out)?;
            put_shift(shift, out)?;
            put(Table::Counters.key(counters.register_id.as_str()), counters, out)
        }
        Event::ShiftOpened { shift, register } => {
            put_shift(shift, out)?;
            put(Table::Register.key(register.register_id.as_str()), register, out)
        }
        Event::ShiftClosed { shift, counters, voided } => {
            voided.iter().for_each(|transaction| close_transaction(transaction, out));
            put_shift(shift, out)?;
            put(Table::Counters.key(counters.register_id.as_str()), counters, out)
        }
        Event::ReceivingPosted { receiving, stock, movements: _ } => {
            if let Some(note) = &receiving.delivery_note_no {
                // A note without a supplier is unique among its like: the ledger's rule.
                let supplier = receiving.supplier_id.as_deref().unwrap_or_default();
                put(delivery_note_key(supplier, note), &receiving.receiving_id, out)?;
            }
            put_stock(stock, out)
        }
        Event::StockOpened { stock, movements: _ } => put_stock(stock, out),
        Event::Restored { shifts, counters } => {
            shifts.iter().try_for_each(|shift| put_shift(shift, out))?;
            counters.iter().try_for_each(|counters| {
                put(Table::Counters.key(counters.register_id.as_str()), counters, out)
            })
        }
        Event::ProductChanged { product } => put(Table::Product.key(product.sku.as_str()), product, out),
        Event::UserChanged { user } => {
            put(Table::Username.key(&user.username), &user.user_id, out)?;
            put(Table::User.key(user.user_id.as_str()), user, out)
        }
        Event::SessionOpened { session, expired } => {
            expired.iter().for_each(|session_id| end_session(session_id, out));
            put(Table::Session.key(session.session_id.as_str()), session, out)
        }
        Event::SessionRefreshed { session, rotation } => {
            put(Table::Session.key(session.session_id.as_str()), session, out)?;
            put(Table::Rotation.key(session.session_id.as_str()), rotation, out)
        }
        Event::SessionClosed { session_id } => {
            end_session(session_id, out);
            Ok(())
        }
        Event::HubEnrolled { hub } => put(Table::Hub.key(""), hub, out),
        Event::EpochOpened { .. } => Ok(()),
        Event::RecordsAcknowledged { mark } => put(Table::Ack.key(&mark.epoch), mark, out),
        Event::FeedApplied { cursor, hub_time } => {
            put(Table::Feed.key(""), &FeedRow { cursor: cursor.clone(), hub_time: *hub_time }, out)
        }
    }
}

/// A new epoch: the old one ends where its records are, the new one begins.
pub fn epoch_ops(old: &RecordHead, new: &str, out: &mut Vec<RowOp>) -> Encoded {
    let row = |epoch: &str, head_seq, head_hash| EpochRow { epoch: epoch.to_owned(), head_seq, head_hash };
    if !old.epoch.is_empty() {
        put(epoch_key(&old.epoch), &row(&old.epoch, old.seq, old.hash), out)?;
    }
    put(epoch_key(new), &row(new, 0, [0; 32]), out)
}

/// Key of a delivery note.
pub fn delivery_note_key(supplier: &str, note: &str) -> Vec<u8> {
    Table::DeliveryNote.key(&format!("{supplier}\0{note}"))
}

fn put<T: Serialize>(key: Vec<u8>, row: &T, out: &mut Vec<RowOp>) -> Encoded {
    out.push(RowOp { key, value: Some(encode(row)?) });
    Ok(())
}

fn delete(key: Vec<u8>, out: &mut Vec<RowOp>) {
    out.push(RowOp { key, value: None });
}

fn end_session(session_id: &SessionId, out: &mut Vec<RowOp>) {
    delete(Table::Rotation.key(session_id.as_str()), out);
    delete(Table::Session.key(session_id.as_str()), out);
}

fn put_shift(shift: &Shift, out: &mut Vec<RowOp>) -> Encoded {
    let open = Table::OpenShift.key(shift.shift_id.as_str());
    if matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted) {
        delete(open, out);
    } else {
        out.push(RowOp { key: open, value: Some(Vec::new()) });
    }
    put(Table::Shift.key(shift.shift_id.as_str()), shift, out)
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
    out.push(RowOp { key: shift_key(transaction), value: Some(Vec::new()) });
    put(Table::Transaction.key(transaction.transaction_id.as_str()), transaction, out)
}

fn close_transaction(transaction: &Transaction, out: &mut Vec<RowOp>) {
    delete(shift_key(transaction), out);
    delete(Table::Transaction.key(transaction.transaction_id.as_str()), out);
}
