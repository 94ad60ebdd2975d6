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
                self.put(transaction);
                self.take(shift.as_deref(), None);
            }
            Event::TransactionHeld { transaction, .. } => {
                self.open.remove(&transaction.transaction_id);
            }
            Event::HoldRecalled { transaction, .. } if transaction.shift_id == self.shift.shift_id => {
                self.put(transaction);
            }
            Event::TransactionPaid { transaction, shift, counters, .. } => {
                self.open.remove(&transaction.transaction_id);
                self.take(Some(shift), Some(counters));
            }
            Event::TransactionVoided { transaction, shift, .. } => {
                self.open.remove(&transaction.transaction_id);
                self.take(Some(shift), None);
            }
            Event::ReturnPosted { shift, counters, .. } => self.take(Some(shift), Some(counters)),
            Event::SaleVoided { shift, .. }
            | Event::TenderCorrected { shift, .. }
            | Event::ReturnVoided { shift, .. }
            | Event::CashMoved { shift, .. }
            | Event::ShiftEnded { shift }
            | Event::ShiftRecounted { shift } => self.take(Some(shift), None),
            Event::ShiftClosed { shift, counters, voided } => {
                for basket in voided {
                    self.open.remove(&basket.transaction_id);
                }
                self.take(Some(shift), Some(counters));
            }
            _ => {}
        }
    }

    fn put(&mut self, basket: &Transaction) {
        self.open.insert(basket.transaction_id.clone(), basket.clone());
    }

    /// The shift and its register's counters, if they are this one's.
    fn take(&mut self, shift: Option<&Shift>, counters: Option<&Counters>) {
        let Some(shift) = shift.filter(|shift| shift.shift_id == self.shift.shift_id) else { return };
        self.shift = shift.clone();
        if let Some(counters) = counters {
            self.counters = counters.clone();
        }
    }
}
