//! Numbers a close: shifts that were opened at one register can be open at the same time, since a shift can leave it.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::books::ledger::LedgerBook;
use crate::model::books::register::Register;

/// Gives a close the next Z number of the register where its shift was opened.
pub fn numbered(event: Event<fact::ShiftClosed>, book: &LedgerBook) -> Event<fact::ShiftClosed> {
    let Event { mut fact, rows } = event;
    let id = &fact.shift.register_id;
    let new = || Register::new(id.clone(), id.0.clone());
    let mut register = book.registers.get(id).cloned().unwrap_or_else(new);
    fact.shift.z_no = Some(register.next_z());
    Event::new(fact, Rows { register: Some(Box::new(register)), ..rows })
}
