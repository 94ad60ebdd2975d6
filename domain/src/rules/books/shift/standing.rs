//! Where a shift stands: at one register, at several that share its drawer, or at none while it is suspended.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::ids;
use crate::model::base::ids::RegisterId;
use crate::model::base::limits::SHORT_ID_BYTES_MAX;
use crate::model::base::refusal::Refusal;
use crate::model::books::shift::{Shift, ShiftBook, ShiftState};
use crate::model::people::authorization::Authorization;
use crate::model::people::user::Role;
use crate::rules::books::shift::may_run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most registers that share a drawer.
pub const SHARED_MAX: usize = 20;

/// Request body of `POST /api/shifts/:id/registers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveShift {
    /// Registers where the shift stands from now on. None suspends it; several share its drawer.
    #[schemars(length(max = SHARED_MAX), inner(length(min = 1, max = SHORT_ID_BYTES_MAX)))]
    pub register_ids: Vec<RegisterId>,
}

impl MoveShift {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let (mut fields, named) = (Fields::default(), &self.register_ids);
        fields.count("register_ids", named.len(), 0..=SHARED_MAX);
        for (place, id) in named.iter().enumerate().take(SHARED_MAX) {
            if !ids::is_short_id(id.as_str()) {
                fields.wrong(format!("register_ids[{place}]"), ids::SHORT_ID_PROBLEM);
            } else if named.iter().take(place).any(|earlier| earlier == id) {
                fields.wrong(format!("register_ids[{place}]"), "is named twice");
            }
        }
        fields.done()
    }
}

/// Moves the book's shift, suspends it, or lets several registers share it. The ledger knows whether the registers are
/// free.
///
/// # Errors
/// `validation_failed`, `insufficient_role` (another user's shift), `invalid_state` (counted),
/// `shift_has_open_transactions` (at a register that it leaves: its receipts have that register's numbers).
pub fn relocate(
    cmd: &MoveShift,
    authorization: &Authorization<'_>,
    book: &ShiftBook,
) -> Result<Event<fact::ShiftMoved>, Refusal> {
    cmd.check()?;
    may_run(authorization.caller, &book.shift)?;
    if !matches!(book.shift.state, ShiftState::Open | ShiftState::Ended) {
        return Err(book.shift.state.refusal());
    }
    let mut registers = cmd.register_ids.clone();
    registers.sort();
    let left = book.open.values().filter(|basket| !registers.contains(&basket.register_id));
    let transactions: Vec<String> = left.map(|basket| basket.transaction_id.0.clone()).collect();
    if !transactions.is_empty() {
        return Err(Refusal::ShiftHasOpenTransactions { transactions });
    }
    let stays = registers == [book.shift.register_id.clone()];
    let moved_to = (!stays).then_some(registers);
    Ok(Event::of(fact::ShiftMoved { shift: Shift { moved_to, ..book.shift.clone() } }))
}

/// Register of a document that a request makes in `shift`: the one that speaks, or the only one where the shift stands.
/// Once the shift was moved, another register than its own is refused: that drawer may be somebody else's.
///
/// # Errors
/// `invalid_state` (the shift is suspended, or does not stand there), `validation_failed` (no register speaks, and the
/// shift stands at several).
pub fn register_of<'a>(
    authorization: &Authorization<'a>,
    shift: &'a Shift,
) -> Result<&'a RegisterId, Refusal> {
    match (authorization.register_id, shift.registers()) {
        (Some(here), all) if all.contains(here) => Ok(here),
        (None, [only]) => Ok(only),
        // At another device a person sells for the register where the own shift was opened.
        (Some(_), [only]) if shift.moved_to.is_none() => Ok(only),
        (Some(_), _) | (None, []) => Err(elsewhere(shift)),
        (None, all) => {
            let names: Vec<&str> = all.iter().map(RegisterId::as_str).collect();
            let problem =
                format!("must name one of the registers that share this shift: {}", names.join(", "));
            Err(Refusal::field("X-Register-Id", problem))
        }
    }
}

/// The refusal of a register where the shift does not stand.
pub(super) fn elsewhere(shift: &Shift) -> Refusal {
    let state = if shift.registers().is_empty() { "suspended" } else { "elsewhere" };
    Refusal::InvalidState { state: state.to_owned(), allowed: vec!["move".to_owned()] }
}

/// Checks that `caller` may work in `shift`: as in [`may_run`], and while it is open every cashier at one of several
/// registers that share its drawer.
///
/// # Errors
/// `insufficient_role`.
pub fn may_work(authorization: &Authorization<'_>, shift: &Shift) -> Result<(), Refusal> {
    let here = authorization.register_id.is_some_and(|here| shift.stands_at(here));
    let shared = shift.state == ShiftState::Open && shift.is_shared();
    if shared && here && authorization.caller.role == Role::Cashier {
        return Ok(());
    }
    may_run(authorization.caller, shift)
}

/// Checks that `caller` may sell in `shift`, and that the shift is open.
///
/// # Errors
/// `insufficient_role`, `invalid_state`.
pub fn may_sell(authorization: &Authorization<'_>, shift: &Shift) -> Result<(), Refusal> {
    may_work(authorization, shift)?;
    if shift.state == ShiftState::Open { Ok(()) } else { Err(shift.state.refusal()) }
}
