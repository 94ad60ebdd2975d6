//! What a shift's owner keeps in memory, and how events change it.

use super::Shift;
use crate::event::Event;
use crate::ids::TransactionId;
use crate::register::Counters;
use crate::transaction::Transaction;
use std::collections::BTreeMap;

/// A shift, its register's counters, and its unfinished transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShiftBook {
    /// The shift with its running sums.
    pub shift: Shift,
    /// The last numbers that its register gave.
    pub counters: Counters,
    /// The receipt series of the current epoch ([`crate::register::series`]).
    pub series: String,
    /// Its open and partially paid transactions.
    pub open: BTreeMap<TransactionId, Transaction>,
}

impl ShiftBook {
    /// Folds an event; those of other shifts change nothing.
    pub fn evolve(&mut self, event: &Event) {
        match event {
            Event::TransactionOpen { transaction, shift } if transaction.shift_id == self.shift.shift_id => {
                let basket = Transaction::clone(transaction);
                self.open.insert(basket.transaction_id.clone(), basket);
                if let Some(shift) = shift {
                    self.shift = Shift::clone(shift);
                }
            }
            Event::TransactionPaid { transaction, shift, counters, .. }
                if shift.shift_id == self.shift.shift_id =>
            {
                self.open.remove(&transaction.transaction_id);
                self.shift = Shift::clone(shift);
                self.counters = counters.clone();
            }
            Event::ShiftClosed { shift, counters, voided } if shift.shift_id == self.shift.shift_id => {
                for basket in voided {
                    self.open.remove(&basket.transaction_id);
                }
                self.shift = Shift::clone(shift);
                self.counters = counters.clone();
            }
            _ => {}
        }
    }
}
