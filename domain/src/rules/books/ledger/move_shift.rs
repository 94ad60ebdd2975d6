//! Whether a shift may stand where it is moved to: a register has one open shift at most.

use crate::model::base::ids::{RegisterId, ShiftId};
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::LedgerBook;

/// Checks that the registers are the store's, may sell, and have no other shift.
///
/// # Errors
/// `validation_failed` (unknown registers), `insufficient_role` (a disabled one), `shift_already_open`.
pub fn may_stand(shift_id: &ShiftId, registers: &[RegisterId], book: &LedgerBook) -> Result<(), Refusal> {
    for id in registers {
        // Nobody opens a shift there: a new name is more likely a mistake than a new till.
        let unknown = || {
            let problem = format!("must be registers of this store: add {id} first (POST /api/registers)");
            Refusal::field("register_ids", problem)
        };
        if book.registers.get(id).ok_or_else(unknown)?.disabled {
            return Err(Refusal::RegisterDisabled(id.0.clone()));
        }
        let other = book.shifts.iter().find(|(other, at)| *other != shift_id && at.registers.contains(id));
        if let Some((other, _)) = other {
            return Err(Refusal::ShiftAlreadyOpen { shift_id: other.0.clone() });
        }
    }
    Ok(())
}
