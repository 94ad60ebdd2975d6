//! Rules of shifts.

use crate::model::base::refusal::Refusal;
use crate::model::books::shift::Shift;
use crate::model::people::user::{Principal, Role};

mod book;
mod cash;
mod close;
mod counted;
mod merge;
mod recount;
mod shift_commands;
mod shift_view;
mod standing;
pub use cash::{
    BLIND_TRIES_MAX, MoveCash, ReverseCash, end, hands_back, is_blind_try, move_cash, reverse_cash,
};
pub use close::{SHIFT_CLOSED, close, is_beyond_tolerance};
pub use counted::CountedShift;
pub use merge::merged;
pub use recount::{RECOUNTS_MAX, RecountShift, day_of, recount};
pub use shift_commands::{COUNTS_MAX, CloseShift, DENOMINATIONS_MAX, OpenShift};
pub use shift_view::{
    MethodSummary, ShiftSummary, ShiftSums, ShiftView, blind, by_method, overdue, summary, sums, view,
};
pub use standing::{MoveShift, SHARED_MAX, may_sell, may_work, register_of, relocate};

/// Checks that `caller` may act on `shift`: cashiers on their own, managers on any.
///
/// # Errors
/// `insufficient_role`.
pub fn may_run(caller: &Principal, shift: &Shift) -> Result<(), Refusal> {
    let own = caller.role == Role::Cashier && caller.user_id == shift.opened_by;
    if own || caller.role.manages() { Ok(()) } else { Err(Refusal::InsufficientRole) }
}
