//! Rows of holds: a waiting basket belongs to no shift.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, close_transaction, delete, open_transaction, put, shift_key};
use domain::model::selling::hold::Hold;
use domain::model::selling::transaction::Transaction;

pub fn held(hold: &Hold, basket: &Transaction, out: &mut Vec<RowOp>) -> Encoded {
    // The basket names its original shift; perhaps no shift has it as a row.
    delete(shift_key(basket), out);
    put(Table::Transaction.key(basket.transaction_id.as_str()), basket, out)?;
    put(Table::Hold.key(hold.hold_id.as_str()), hold, out)
}

pub fn recalled(hold: &Hold, basket: &Transaction, out: &mut Vec<RowOp>) -> Encoded {
    delete(Table::Hold.key(hold.hold_id.as_str()), out);
    open_transaction(basket, out)
}

pub fn voided(hold: &Hold, basket: &Transaction, out: &mut Vec<RowOp>) {
    delete(Table::Hold.key(hold.hold_id.as_str()), out);
    close_transaction(basket, out);
}
