//! Applies events to the book that a shift's owner keeps in memory.

use crate::model::base::event::{Event, Fact};
use crate::model::base::ids::RegisterId;
use crate::model::base::refusal::Refusal;
use crate::model::books::register::Counters;
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::selling::transaction::Transaction;
use crate::rules::books::shift::standing::elsewhere;

impl ShiftBook {
    /// Applies an event. Events of other shifts change nothing.
    pub fn evolve(&mut self, event: &Event) {
        self.evolve_owned(event.clone());
    }

    /// Applies an event without cloning it.
    pub fn evolve_owned(&mut self, event: Event) {
        let Event { fact, rows } = event;
        let in_fact = fact.shift().filter(|shift| shift.shift_id == self.shift.shift_id).cloned();
        match fact {
            Fact::TransactionOpen(it) => self.insert_open(it.transaction),
            Fact::HoldRecalled(it) => self.insert_open(it.transaction),
            Fact::TransactionHeld(it) => drop(self.open.remove(&it.transaction.transaction_id)),
            fact => fact.finished().iter().for_each(|it| drop(self.open.remove(&it.transaction_id))),
        }
        let is_own = |shift: &Shift| shift.shift_id == self.shift.shift_id;
        if let Some(shift) = in_fact.or_else(|| rows.shifts.into_iter().find(is_own)) {
            self.shift = shift;
            for row in rows.counters {
                let known = self.counters.iter_mut().find(|known| known.register_id == row.register_id);
                if let Some(known) = known {
                    *known = row;
                }
            }
        }
    }

    /// Counters of a register where the shift stands.
    ///
    /// # Errors
    /// `invalid_state`: it left that register.
    pub fn counters_at(&self, register: &RegisterId) -> Result<Counters, Refusal> {
        let found = self.counters.iter().find(|counters| counters.register_id == *register);
        found.cloned().ok_or_else(|| elsewhere(&self.shift))
    }

    fn insert_open(&mut self, basket: Transaction) {
        if basket.shift_id == self.shift.shift_id {
            self.open.insert(basket.transaction_id.clone(), basket);
        }
    }
}
