//! What a shift's owner keeps in memory, and how events change it.

use crate::model::base::event::{Event, Fact};
use crate::model::books::register::Counters;
use crate::model::books::shift::ShiftBook;
use crate::model::selling::transaction::Transaction;

impl ShiftBook {
    /// Folds an event; those of other shifts change nothing.
    pub fn evolve(&mut self, event: &Event) {
        match &event.fact {
            Fact::TransactionOpen(it) => self.put(&it.transaction),
            Fact::HoldRecalled(it) => self.put(&it.transaction),
            Fact::TransactionHeld(it) => drop(self.open.remove(&it.transaction.transaction_id)),
            fact => fact.finished().iter().for_each(|it| drop(self.open.remove(&it.transaction_id))),
        }
        if let Some(shift) = event.shifts().find(|shift| shift.shift_id == self.shift.shift_id) {
            self.shift = shift.clone();
            let own = |row: &&Counters| row.register_id == self.counters.register_id;
            if let Some(counters) = event.rows.counters.iter().find(own) {
                self.counters = counters.clone();
            }
        }
    }

    fn put(&mut self, basket: &Transaction) {
        if basket.shift_id == self.shift.shift_id {
            self.open.insert(basket.transaction_id.clone(), basket.clone());
        }
    }
}
