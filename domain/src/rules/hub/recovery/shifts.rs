//! Shifts, cash and the safe come back. A shift of an earlier epoch never sells again.

use crate::model::base::event;
use crate::model::base::event::fact;
use crate::model::books::day::{Day, ReopenedDay};
use crate::model::books::deposit::SafeOpening;
use crate::model::books::register::Register;
use crate::model::books::shift::{Shift, ShiftState};
use crate::rules::books::deposit::is_later;
use crate::rules::books::shift::merged;
use crate::rules::hub::recovery::{Book, Events, Head, Recover, Rows, one};
use crate::wire::record::{CashDeposited, CashMoved, ReceiptsSkipped, ShiftRecord};

impl Recover for ShiftRecord {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let shift = self.shift;
        match head.kind {
            "shift.opened" => {
                if book.shift(&shift.shift_id)?.is_some() {
                    return Ok(None);
                }
                let register = Some(Box::new(numbered(book, &shift)?));
                let opened = fact::ShiftOpened { shift: over(shift) };
                Ok(one(opened, event::Rows { register, ..event::Rows::default() }))
            }
            "shift.moved" => match book.shift(&shift.shift_id)? {
                Some(known) if known.state == ShiftState::Closed => Ok(None),
                Some(known) => {
                    Ok(Some(fact::ShiftMoved { shift: Shift { moved_to: shift.moved_to, ..known } }.into()))
                }
                None => Ok(Some(fact::ShiftMoved { shift: over(shift) }.into())),
            },
            "shift.closed" => {
                let shift = merged_with_current(book, shift)?;
                let register = Some(Box::new(numbered(book, &shift)?));
                let closed = fact::ShiftClosed { shift, voided: Vec::new() };
                Ok(one(closed, event::Rows { register, ..event::Rows::default() }))
            }
            _ => Ok(Some(fact::ShiftRecounted { shift: merged_with_current(book, shift)? }.into())),
        }
    }
}

/// The register where a shift was opened. Its Z numbers continue after the shift's.
fn numbered<R: Rows>(book: &Book<'_, R>, shift: &Shift) -> Result<Register, R::Error> {
    let id = &shift.register_id;
    let known = book.register(id)?.unwrap_or_else(|| Register::new(id.clone(), id.0.clone()));
    Ok(Register { z_no: known.z_no.max(shift.z_no.unwrap_or_default()), ..known })
}

/// Merges a record into its shift. The shift may have been counted here before the record was recovered.
fn merged_with_current<R: Rows>(book: &Book<'_, R>, recorded: Shift) -> Result<Shift, R::Error> {
    Ok(match book.shift(&recorded.shift_id)? {
        Some(known) => merged(&known, recorded),
        None => over(recorded),
    })
}

/// A shift of an earlier epoch is interrupted, whatever state its last record has.
fn over(shift: Shift) -> Shift {
    match shift.state {
        ShiftState::Closed => shift,
        _ => Shift { state: ShiftState::Interrupted, ..shift },
    }
}

impl Recover for CashMoved {
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let movement = self.movement;
        let mut like = Book::<R>::unknown(&movement.shift_id, &movement.user_id, movement.at);
        (like.register_id, like.business_date) = (movement.register_id.clone(), movement.business_date);
        let mut shift = book.counting(like, |totals| {
            if let Some(so_far) = totals.of_cash(movement.kind) {
                *so_far = so_far.saturating_add(movement.amount);
            }
            Ok(())
        })?;
        shift.reversed.extend(movement.reverses.clone());
        Ok(one(fact::CashMoved { movement }, event::Rows::of_shift(shift)))
    }
}

impl Recover for CashDeposited {
    fn recover<R: Rows>(self, _head: &Head<'_>, _book: &mut Book<'_, R>) -> Events<R::Error> {
        Ok(Some(fact::CashDeposited { deposit: self.deposit }.into()))
    }
}

impl Recover for SafeOpening {
    /// A later change on this box, made before the record was recovered, is kept.
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let known = book.opening.clone().map_or_else(|| book.rows.safe_opening(), |known| Ok(Some(known)))?;
        let stands = known.is_some_and(|known| is_later(&known, &self));
        Ok((!stands).then(|| fact::SafeOpened { opening: self }.into()))
    }
}

impl Recover for Day {
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let counts = book.record_day_change(self.business_date, self.sealed_at)?;
        Ok(counts.then(|| fact::DaySealed { day: self }.into()))
    }
}

impl Recover for ReopenedDay {
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let counts = book.record_day_change(self.business_date, self.reopened_at)?;
        Ok(counts.then(|| fact::DayReopened { day: self }.into()))
    }
}

/// Counters come back with the epoch that gave the numbers.
impl Recover for ReceiptsSkipped {}
