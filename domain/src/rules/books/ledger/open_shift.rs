//! Opens a shift: one per till and one per person.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::Money;
use crate::model::base::ids::{RegisterId, ShiftId};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::books::register::{MAIN, Register};
use crate::model::books::shift::{Shift, ShiftState, ShiftTotals};
use crate::model::people::user::{Principal, Role};
use crate::rules::books::day::dated;
use crate::rules::books::register;
use crate::rules::books::shift::OpenShift;
use std::collections::{BTreeMap, BTreeSet};

/// Opens a shift on the command's till, or on `main`.
///
/// # Errors
/// `insufficient_role` (also for a disabled till), `shift_already_open`, `validation_failed`.
pub fn open_shift(
    cmd: &OpenShift,
    id: ShiftId,
    now: UtcMs,
    caller: &Principal,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::ShiftOpened>, Refusal> {
    cmd.check()?;
    if caller.role != Role::Cashier && !caller.role.manages() {
        return Err(Refusal::InsufficientRole);
    }
    let register_id = cmd.register_id.clone().unwrap_or_else(|| RegisterId::from(MAIN));
    let register = register(&register_id, rules, book)?;
    vacant(&register_id, caller, book)?;
    let shift = Shift {
        shift_id: id,
        store_id: rules.store_id.clone(),
        register_id,
        moved_to: None,
        business_date: dated(now, rules, book),
        state: ShiftState::Open,
        opened_by: caller.user_id.clone(),
        opened_at: now,
        opening_float: cmd.opening_float.unwrap_or(Money::ZERO),
        closed_by: None,
        closed_at: None,
        counted_cash: None,
        expected_cash: None,
        variance: None,
        counts: BTreeMap::new(),
        denominations: Vec::new(),
        ended_at: None,
        approved_by: None,
        recounts: Vec::new(),
        reversed: BTreeSet::new(),
        z_no: None,
        note: cmd.note.clone(),
        terms: rules.next_terms.clone(),
        totals: ShiftTotals::default(),
    };
    Ok(Event::new(
        fact::ShiftOpened { shift },
        Rows { register: Some(Box::new(register)), ..Rows::default() },
    ))
}

/// The till; unknown ones are made at first use unless the store's tills are closed.
fn register(id: &RegisterId, rules: &Rules, book: &LedgerBook) -> Result<Register, Refusal> {
    match book.registers.get(id) {
        Some(register) if register.disabled => Err(Refusal::RegisterDisabled(id.0.clone())),
        Some(register) => Ok(register.clone()),
        None if rules.registers_closed => {
            Err(Refusal::field("register_id", "is not a register of this store"))
        }
        None => {
            register::check_limit(book.registers.len())?;
            Ok(Register::new(id.clone(), id.0.clone()))
        }
    }
}

/// Checks that no shift is open on this till, and that the caller has none elsewhere.
fn vacant(register_id: &RegisterId, caller: &Principal, book: &LedgerBook) -> Result<(), Refusal> {
    let own = book.shifts.iter().find(|(_, entry)| entry.user_id == caller.user_id);
    let here = || book.shifts.iter().find(|(_, entry)| entry.registers.contains(register_id));
    match own.or_else(here) {
        Some((shift_id, _)) => Err(Refusal::ShiftAlreadyOpen { shift_id: shift_id.0.clone() }),
        None => Ok(()),
    }
}
