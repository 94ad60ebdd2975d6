//! Recounts a closed shift: a new entry, the first count stays. One that a restore interrupted is counted so for the
//! first time.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::limits::{CASH_MAX, TEXT_CHARS_MAX};
use crate::model::base::money::capped_sum;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::books::shift::{Cash, Recount, Shift, ShiftState};
use crate::model::people::authorization::{Authorization, allow};
use crate::rules::books::day::dated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most recounts of one shift, whose row contains them.
pub const RECOUNTS_MAX: usize = 50;

/// Request body of `POST /api/shifts/:id/recounts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecountShift {
    /// Cash counted this time, in minor currency units.
    #[schemars(range(min = 0, max = CASH_MAX))]
    pub counted_cash: Money,
    /// Reason for counting again.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Counts a closed shift again, or an interrupted one for the first time.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state` (neither closed nor interrupted, counted too often).
pub fn recount(
    cmd: &RecountShift,
    now: UtcMs,
    authorization: &Authorization<'_>,
    shift: &Shift,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::ShiftRecounted>, Refusal> {
    let mut fields = Fields::default();
    fields.cash("counted_cash", cmd.counted_cash, 0);
    fields.trimmed("reason", &cmd.reason, TEXT_CHARS_MAX);
    fields.done()?;
    allow(authorization.caller.role.manages())?;
    if shift.state == ShiftState::Interrupted {
        return first(cmd, now, authorization, shift);
    }
    let (Some(first), Some(expected)) = (shift.counted_cash, shift.expected_cash) else {
        return Err(shift.state.refusal());
    };
    if shift.state != ShiftState::Closed || shift.recounts.len() >= RECOUNTS_MAX {
        return Err(shift.state.refusal());
    }
    // Always later than the previous count, even if the clock was set back: the latest count is valid, also when
    // records of two boxes are merged.
    let before = shift.recounts.last().map(|recount| recount.at).or(shift.closed_at);
    let at = before.map_or(now, |before| now.max(UtcMs(before.0.saturating_add(1))));
    let recount = Recount {
        before: shift.recounts.last().map_or(first, |recount| recount.counted_cash),
        counted_cash: cmd.counted_cash,
        variance: capped_sum([cmd.counted_cash, expected.saturating_neg()]),
        reason: cmd.reason.trim().to_owned(),
        business_date: day_of(shift, now, rules, book),
        user_id: authorization.caller.user_id.clone(),
        at,
    };
    let mut shift = shift.clone();
    shift.recounts.push(recount);
    Ok(Event::of(fact::ShiftRecounted { shift }))
}

/// Counts an interrupted shift, which closes it. It gets no Z: its till continues in
/// another shift, which has the counter.
fn first(
    cmd: &RecountShift,
    now: UtcMs,
    authorization: &Authorization<'_>,
    shift: &Shift,
) -> Result<Event<fact::ShiftRecounted>, Refusal> {
    let expected = capped_sum([Cash::of(shift).expected]);
    let counted = Shift {
        state: ShiftState::Closed,
        closed_by: Some(authorization.caller.user_id.clone()),
        closed_at: Some(now),
        counted_cash: Some(cmd.counted_cash),
        expected_cash: Some(expected),
        variance: Some(capped_sum([cmd.counted_cash, expected.saturating_neg()])),
        note: Some(cmd.reason.trim().to_owned()),
        ..shift.clone()
    };
    Ok(Event::of(fact::ShiftRecounted { shift: counted }))
}

/// The day that a late count of a shift counts for: the shift's own while it is open, else as for every document.
pub fn day_of(shift: &Shift, now: UtcMs, rules: &Rules, book: &LedgerBook) -> jiff::civil::Date {
    if book.sealed.contains_key(&shift.business_date) { dated(now, rules, book) } else { shift.business_date }
}
