//! Recounts a closed shift: a new entry, the first count stays. One that a restore interrupted is counted so for the
//! first time.

use super::{Cash, Shift, ShiftState};
use crate::day::dated;
use crate::event::Event;
use crate::fields::{Fields, TEXT_BYTES_MAX};
use crate::ids::UserId;
use crate::ledger::LedgerBook;
use crate::mandate::{Mandate, allow};
use crate::money::{FIGURE_MAX, sum};
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most recounts of one shift: its row carries them.
pub const RECOUNTS_MAX: usize = 50;

/// `POST /shifts/:id/recounts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecountShift {
    /// Cash counted this time.
    pub counted_cash: i64,
    /// Why it was counted again.
    pub reason: String,
}

/// A later count of a closed shift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recount {
    /// What the latest count said before.
    pub before: i64,
    /// What this one says.
    pub counted_cash: i64,
    /// counted − expected.
    pub variance: i64,
    /// Why.
    pub reason: String,
    /// The day that its difference counts for: the shift's, or a later one if that is sealed.
    pub business_date: jiff::civil::Date,
    /// Who.
    pub user_id: UserId,
    /// When.
    pub at: UtcMs,
}

/// Counts a closed shift again, or an interrupted one for the first time.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state` (neither closed nor interrupted, counted too often).
pub fn recount(
    cmd: &RecountShift,
    now: UtcMs,
    mandate: &Mandate<'_>,
    shift: &Shift,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    let mut fields = Fields::default();
    fields.range("counted_cash", cmd.counted_cash, 0..=FIGURE_MAX);
    fields.name("reason", cmd.reason.trim(), TEXT_BYTES_MAX);
    fields.done()?;
    allow(mandate.caller.role.manages())?;
    if shift.state == ShiftState::Interrupted {
        return first(cmd, now, mandate, shift);
    }
    let (Some(first), Some(expected)) = (shift.counted_cash, shift.expected_cash) else {
        return Err(shift.state.refusal());
    };
    if shift.state != ShiftState::Closed || shift.recounts.len() >= RECOUNTS_MAX {
        return Err(shift.state.refusal());
    }
    let recount = Recount {
        before: shift.recounts.last().map_or(first, |recount| recount.counted_cash),
        counted_cash: cmd.counted_cash,
        variance: sum("counted_cash", [cmd.counted_cash, expected.saturating_neg()])?,
        reason: cmd.reason.trim().to_owned(),
        business_date: day_of(shift, now, rules, book),
        user_id: mandate.caller.user_id.clone(),
        at: now,
    };
    let mut shift = shift.clone();
    shift.recounts.push(recount);
    Ok(Event::ShiftRecounted { shift: Box::new(shift) })
}

/// Counts an interrupted shift, which closes it. It gets no Z: its till goes on in another shift, which has the counter.
fn first(cmd: &RecountShift, now: UtcMs, mandate: &Mandate<'_>, shift: &Shift) -> Result<Event, Refusal> {
    let expected = sum("shift", [Cash::of(shift).expected])?;
    let counted = Shift {
        state: ShiftState::Closed,
        closed_by: Some(mandate.caller.user_id.clone()),
        closed_at: Some(now),
        counted_cash: Some(cmd.counted_cash),
        expected_cash: Some(expected),
        variance: Some(sum("counted_cash", [cmd.counted_cash, expected.saturating_neg()])?),
        note: Some(cmd.reason.trim().to_owned()),
        ..shift.clone()
    };
    Ok(Event::ShiftRecounted { shift: Box::new(counted) })
}

/// The day that a late count of a shift counts for: the shift's own while it is open, else as everything.
pub fn day_of(shift: &Shift, now: UtcMs, rules: &Rules, book: &LedgerBook) -> jiff::civil::Date {
    if book.sealed.contains_key(&shift.business_date) { dated(now, rules, book) } else { shift.business_date }
}
