//! Rows of holds: a waiting basket belongs to no shift.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, close_transaction, delete, open_transaction, put, shift_key};
use domain::event::Event;

pub fn ops(event: &Event, out: &mut Vec<RowOp>) -> Encoded {
    match event {
        Event::TransactionHeld { hold, transaction } => {
            // The basket says which shift it came from, perhaps none has it as a row.
            delete(shift_key(transaction), out);
            put(Table::Transaction.key(transaction.transaction_id.as_str()), transaction, out)?;
            put(Table::Hold.key(hold.hold_id.as_str()), hold, out)
        }
        Event::HoldRecalled { hold, transaction } => {
            delete(Table::Hold.key(hold.hold_id.as_str()), out);
            open_transaction(transaction, out)
        }
        Event::HoldVoided { hold, transaction } => {
            delete(Table::Hold.key(hold.hold_id.as_str()), out);
            close_transaction(transaction, out);
            Ok(())
        }
        _ => Ok(()),
    }
}
