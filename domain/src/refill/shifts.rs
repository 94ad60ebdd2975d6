//! Shifts, cash and the safe come back. A shift of an earlier epoch never sells again.

use super::{Book, Rows};
use crate::event::Event;
use crate::record::{CashDeposited, CashMoved, ShiftRecord};
use crate::register::Register;

type Events<E> = Result<Vec<Event>, E>;

impl<R: Rows> Book<'_, R> {
    pub(super) fn opened(&mut self, record: ShiftRecord) -> Events<R::Error> {
        let shift = record.shift;
        if self.shift(&shift.shift_id)?.is_some() {
            return Ok(Vec::new());
        }
        let register_id = shift.register_id.clone();
        let new =
            || Register { name: register_id.0.clone(), register_id: register_id.clone(), disabled: false };
        let register = self.rows.register(&register_id)?.unwrap_or_else(new);
        Ok(vec![Event::ShiftOpened { shift: Box::new(Self::over(shift)), register }])
    }

    pub(super) fn closed(&mut self, record: ShiftRecord) -> Events<R::Error> {
        let shift = record.shift;
        let counters = self.counters(&shift.register_id, shift.z_no)?;
        Ok(vec![Event::ShiftClosed { shift: Box::new(shift), counters, voided: Vec::new() }])
    }

    pub(super) fn recounted(&mut self, record: ShiftRecord) -> Events<R::Error> {
        Ok(vec![Event::ShiftRecounted { shift: Box::new(Self::over(record.shift)) }])
    }

    pub(super) fn cash(&mut self, record: CashMoved) -> Events<R::Error> {
        let movement = record.movement;
        let mut like = Self::unknown(&movement.shift_id, &movement.user_id, movement.at);
        (like.register_id, like.business_date) = (movement.register_id.clone(), movement.business_date);
        let shift = self.counting(like, |totals| {
            if let Some(so_far) = totals.of_cash(movement.kind) {
                *so_far = so_far.saturating_add(movement.amount);
            }
            Ok(())
        })?;
        Ok(vec![Event::CashMoved { movement, shift: Box::new(shift) }])
    }

    pub(super) fn deposited(&mut self, record: CashDeposited) -> Events<R::Error> {
        Ok(vec![Event::CashDeposited { deposit: record.deposit, total: None }])
    }
}
