//! What a shift's owner keeps in memory, and how events change it.

use crate::model::base::event::{Event, Fact};
use crate::model::books::register::Counters;
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::selling::transaction::Transaction;

impl ShiftBook {
    /// Folds an event; those of other shifts change nothing.
    pub fn evolve(&mut self, event: &Event) {
        self.take(event.clone());
    }

    /// The same with an event that nobody else needs: what it says is kept as it is.
    pub fn take(&mut self, event: Event) {
        let Event { fact, rows } = event;
        let of_fact = fact.shift().filter(|shift| shift.shift_id == self.shift.shift_id).cloned();
        match fact {
            Fact::TransactionOpen(it) => self.put(it.transaction),
            Fact::HoldRecalled(it) => self.put(it.transaction),
            Fact::TransactionHeld(it) => drop(self.open.remove(&it.transaction.transaction_id)),
            fact => fact.finished().iter().for_each(|it| drop(self.open.remove(&it.transaction_id))),
        }
        let own = |shift: &Shift| shift.shift_id == self.shift.shift_id;
        if let Some(shift) = of_fact.or_else(|| rows.shifts.into_iter().find(own)) {
            self.shift = shift;
            let own = |row: &Counters| row.register_id == self.counters.register_id;
            if let Some(counters) = rows.counters.into_iter().find(own) {
                self.counters = counters;
            }
        }
    }

    fn put(&mut self, basket: Transaction) {
        if basket.shift_id == self.shift.shift_id {
            self.open.insert(basket.transaction_id.clone(), basket);
        }
    }
}
