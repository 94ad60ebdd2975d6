//! Rules of tills.

use crate::model::base::refusal::Refusal;

mod change;
mod quick_keys;
mod register_view;
pub use change::{ChangeRegister, NewRegister, RegisterState, add, change, merge_remote};
pub use quick_keys::{NewQuickKey, QuickKeyView, QuickKeysView, SetQuickKeys, set_quick_keys};
pub use register_view::RegisterView;

/// Most tills of a store, those that were made by their first use among them.
pub const REGISTERS_MAX: usize = 500;

/// Checks that the store may have another register.
///
/// # Errors
/// `validation_failed`.
pub(crate) fn check_limit(count: usize) -> Result<(), Refusal> {
    if count < REGISTERS_MAX {
        return Ok(());
    }
    let problem =
        format!("can't be added: a store can have at most {REGISTERS_MAX} registers. Use one of them");
    Err(Refusal::field("register_id", problem))
}
