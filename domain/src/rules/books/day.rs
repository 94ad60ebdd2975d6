//! Store days. A day is open until it is sealed, which requires that all its shifts are closed
//! (docs/arithmetic.md#states-of-documents). [`dated`] gives every document its business date
//! (docs/arithmetic.md#business-dates).

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::limits::TEXT_CHARS_MAX;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::day::{Day, ReopenedDay};
use crate::model::books::ledger::LedgerBook;
use crate::model::books::shift::{Shift, ShiftState};
use crate::model::people::authorization::{Authorization, allow};
use crate::model::people::user::Role;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod figures;
pub use figures::{Figures, MethodFigures, by_method};

/// Request body of `POST /api/days/:date/seal`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SealDay {
    /// Whether to seal a day that is not over.
    #[serde(default)]
    pub force: bool,
    /// Reason for sealing the day. Required with `force`.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub reason: Option<String>,
}

/// Request body of `POST /api/days/:date/unseal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnsealDay {
    /// Reason for reopening the day.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Greatest age, in days, of a day that is sealed automatically while no later day has begun. If it is older, the clock
/// is probably wrong. A shift on a later day shows that the clock is right.
pub const CLOCK_TRUSTED_DAYS: i32 = 92;

/// The business date of an event at `at`: the calendar day of the store or, if that is sealed, the first day after it
/// that is not. It dates shifts, goods, cash and points; documents of a shift have the shift's date.
pub fn dated(at: UtcMs, rules: &Rules, book: &LedgerBook) -> Date {
    let mut date = rules.business_date(at);
    while let Some(next) = book.sealed.get(&date).and_then(|_| date.tomorrow().ok()) {
        date = next;
    }
    date
}

/// Reopens today if it was sealed automatically. A command that writes on it shows that the day is not over and that
/// the clock was wrong when the day was sealed.
pub fn reopen_if_sealed_automatically(now: UtcMs, rules: &Rules, book: &LedgerBook) -> Option<ReopenedDay> {
    let today = rules.business_date(now);
    let sealed_automatically = *book.sealed.get(&today)?;
    sealed_automatically.then_some(ReopenedDay {
        business_date: today,
        reopened_by: None,
        reopened_at: now,
        open_until: today,
        reason: None,
    })
}

/// The earliest day to seal automatically: a day that is over and whose shifts are all closed.
pub fn due(today: Date, book: &LedgerBook) -> Option<Date> {
    let sells = |date: Date| book.shifts.values().any(|shift| shift.business_date == date);
    let later = |date: Date| book.days.last_key_value().is_some_and(|(last, _)| *last > date);
    let near = |date: Date| today.since(date).is_ok_and(|since| since.get_days() <= CLOCK_TRUSTED_DAYS);
    let mut over = book.days.range(..today).filter(|(_, until)| **until < today).map(|(date, _)| *date);
    over.find(|date| !sells(*date) && (later(*date) || near(*date)))
}

/// Time of a seal or a reopening: always after the previous one of the same day, even if the clock was set back, so
/// that the times show their order.
pub fn change_time_after(before: Option<UtcMs>, now: UtcMs) -> UtcMs {
    before.map_or(now, |before| now.max(UtcMs(before.0.saturating_add(1))))
}

fn state(state: &str, allowed: &[&str]) -> Refusal {
    Refusal::InvalidState {
        state: state.to_owned(),
        allowed: allowed.iter().map(|step| (*step).to_owned()).collect(),
    }
}

/// Seals a day. `shifts` has all shifts of that date, and `sealed` the day if it is sealed already. `by` has the
/// command and its authorization; `None` seals automatically because the next day has begun.
///
/// # Errors
/// `insufficient_role`, `validation_failed`, `invalid_state` (sealed, not begun, not over without `force`, a shift is
/// not closed).
pub fn seal(
    date: Date,
    shifts: &[Shift],
    sealed: Option<&Day>,
    now: UtcMs,
    by: Option<(&SealDay, &Authorization<'_>)>,
    rules: &Rules,
) -> Result<Event<fact::DaySealed>, Refusal> {
    let reason = by.map(|(cmd, authorization)| may_seal(cmd, authorization)).transpose()?.flatten();
    if sealed.is_some() {
        return Err(state("sealed", &["unseal"]));
    }
    // The start of the next day depends on another clock.
    let today = rules.business_date(now);
    let begun = date <= today || shifts.iter().any(|shift| shift.business_date == date);
    if !begun {
        return Err(state("not_begun", &[]));
    }
    if date >= today && by.is_some_and(|(cmd, _)| !cmd.force) {
        return Err(state("not_over", &["force"]));
    }
    // Interrupted shifts can't be closed: a restore has ended them.
    let over = |shift: &Shift| matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted);
    if !shifts.iter().all(over) {
        return Err(state("open", &["close"]));
    }
    let day = Day {
        business_date: date,
        shift_ids: shifts.iter().map(|shift| shift.shift_id.clone()).collect(),
        sealed_by: by.map(|(_, authorization)| authorization.caller.user_id.clone()),
        sealed_at: now,
        reason,
    };
    Ok(Event::of(fact::DaySealed { day }))
}

/// Checks that a manager seals the day, and with `force` for a reason. Returns the trimmed reason.
fn may_seal(cmd: &SealDay, authorization: &Authorization<'_>) -> Result<Option<String>, Refusal> {
    let reason = cmd.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let mut fields = Fields::default();
    match reason {
        None if cmd.force => fields.wrong("reason", "is needed to seal a day that is not over"),
        _ => fields.trimmed_if_any("reason", cmd.reason.as_deref(), TEXT_CHARS_MAX),
    }
    fields.done()?;
    allow(authorization.caller.role.manages())?;
    Ok(reason.map(str::to_owned))
}

/// Reopens a sealed day until it is sealed again, by a person or automatically when the current day is over. Locks of
/// head office are not checked, since stores are not notified of them.
///
/// # Errors
/// `validation_failed`, `insufficient_role` (administrators only), `invalid_state` (not sealed).
pub fn unseal(
    cmd: &UnsealDay,
    date: Date,
    sealed: Option<&Day>,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<ReopenedDay, Refusal> {
    let mut fields = Fields::default();
    fields.trimmed("reason", &cmd.reason, TEXT_CHARS_MAX);
    fields.done()?;
    allow(authorization.caller.role == Role::Admin)?;
    let Some(sealed) = sealed else { return Err(state("open", &["seal"])) };
    Ok(ReopenedDay {
        business_date: date,
        reopened_by: Some(authorization.caller.user_id.clone()),
        reopened_at: change_time_after(Some(sealed.sealed_at), now),
        open_until: rules.business_date(now).max(date),
        reason: Some(cmd.reason.trim().to_owned()),
    })
}
