//! Store days: open until they are sealed, when all their shifts are closed (arithmetic.md 12).

use crate::event::Event;
use crate::ids::{ShiftId, UserId};
use crate::ledger::LedgerBook;
use crate::mandate::{Mandate, allow};
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::shift::{Shift, ShiftState};
use crate::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod figures;

pub use figures::{Figures, MethodFigures, by_method};

/// A sealed day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Day {
    /// The day.
    pub business_date: Date,
    /// Its shifts, all closed.
    pub shifts: Vec<ShiftId>,
    /// Who sealed it; none: the start of the next day did.
    pub sealed_by: Option<UserId>,
    /// When.
    pub sealed_at: UtcMs,
}

/// Days after which nobody sealed a day and no later one was begun: then it is the clock that is in doubt. A
/// shift on a later day dispels that.
pub const CLOCK_TRUSTED_DAYS: i32 = 92;

/// The earliest day that the start of another one seals: it is over, and all its shifts are closed.
pub fn due(today: Date, book: &LedgerBook) -> Option<Date> {
    let sells = |date: Date| book.shifts.values().any(|shift| shift.business_date == date);
    let later = |date: Date| book.days.last().is_some_and(|last| *last > date);
    let near = |date: Date| today.since(date).is_ok_and(|since| since.get_days() <= CLOCK_TRUSTED_DAYS);
    book.days.range(..today).copied().find(|date| !sells(*date) && (later(*date) || near(*date)))
}

/// Opens a day again for a shift that opens on it: one that sealed itself, since the clock had it that it was over.
///
/// # Errors
/// `invalid_state`: a person sealed it.
pub fn reopen(day: &Day) -> Result<Event, Refusal> {
    if day.sealed_by.is_some() {
        return Err(Refusal::InvalidState { state: "sealed".to_owned(), allowed: Vec::new() });
    }
    Ok(Event::DayReopened { business_date: day.business_date })
}

/// Seals a day. `shifts` are all of that date, `sealed` the day if it was sealed before; without a
/// mandate the start of the next day seals it.
///
/// # Errors
/// `insufficient_role`, `invalid_state` (sealed, not begun, a shift is not closed).
pub fn seal(
    date: Date,
    shifts: &[Shift],
    sealed: Option<&Day>,
    now: UtcMs,
    mandate: Option<&Mandate<'_>>,
    rules: &Rules,
) -> Result<Event, Refusal> {
    if let Some(mandate) = mandate {
        allow(mandate.caller.role.manages())?;
    }
    let state = |state: &str, allowed: &[&str]| Refusal::InvalidState {
        state: state.to_owned(),
        allowed: allowed.iter().map(|step| (*step).to_owned()).collect(),
    };
    if sealed.is_some() {
        return Err(state("sealed", &[]));
    }
    if date > rules.business_date(now) {
        return Err(state("not_begun", &[]));
    }
    // A restore interrupts shifts for good.
    let over = |shift: &Shift| matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted);
    if !shifts.iter().all(over) {
        return Err(state("open", &["close"]));
    }
    let day = Day {
        business_date: date,
        shifts: shifts.iter().map(|shift| shift.shift_id.clone()).collect(),
        sealed_by: mandate.map(|mandate| mandate.caller.user_id.clone()),
        sealed_at: now,
    };
    Ok(Event::DaySealed { day })
}
