//! Tills that may speak, and holds as they are.

use super::StoreHandle;
use crate::runtime::failure::Failure;
use domain::model::base::ids::{HoldId, RegisterId, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::selling::hold::Hold;

impl StoreHandle {
    /// Whether a till may speak: the named one, else that of the user's open shift.
    ///
    /// # Errors
    /// [`Refusal::RegisterDisabled`]; storage that can't be read.
    pub fn check_register(&self, named: Option<&RegisterId>, user: Option<&UserId>) -> Result<(), Failure> {
        let own = user.filter(|_| named.is_none()).and_then(|user| {
            self.context
                .shift_registry
                .of_user(user)
                .and_then(|shift| self.context.shift_registry.get(&shift))
        });
        let Some(register_id) = named.or(own.as_ref().map(|shift| &shift.register_id)) else {
            return Ok(());
        };
        match self.context.storage.shifts().known_register(register_id)? {
            Some(register) if register.disabled => {
                Err(Refusal::RegisterDisabled(register_id.0.clone()).into())
            }
            _ => Ok(()),
        }
    }

    /// A hold, as it is now.
    ///
    /// # Errors
    /// [`Refusal::NotFound`].
    pub fn read_hold(&self, id: &HoldId) -> Result<Hold, Failure> {
        self.context.hold(id)
    }
}
