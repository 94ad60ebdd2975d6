//! Tills that may speak, their quick keys, and holds as they are.

use super::StoreHandle;
use crate::runtime::failure::Failure;
use domain::model::base::ids::{HoldId, RegisterId, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::selling::hold::Hold;
use domain::rules::books::register::QuickKeysView;

impl StoreHandle {
    /// Checks that a till may connect: the named one, and those of the user's open shift if it stands elsewhere.
    ///
    /// # Errors
    /// [`Refusal::RegisterDisabled`]; storage that can't be read.
    pub fn check_register(&self, named: Option<&RegisterId>, user: Option<&UserId>) -> Result<(), Failure> {
        let shift = user.and_then(|user| self.context.shift_registry.newest_of(user));
        let own = shift.as_ref().map(|shift| shift.registers.as_slice()).unwrap_or_default();
        let is_own = named.is_some_and(|named| own.contains(named));
        for register_id in named.into_iter().chain(own.iter().filter(|_| !is_own)) {
            let register = self.context.storage.shifts().known_register(register_id)?;
            if register.is_some_and(|register| register.disabled) {
                return Err(Refusal::RegisterDisabled(register_id.0.clone()).into());
            }
        }
        Ok(())
    }

    /// Quick keys of a till, at the current prices.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]: the till was never created, by hand or by its first shift; storage that can't be read.
    pub fn quick_keys(&self, id: &RegisterId) -> Result<QuickKeysView, Failure> {
        let register = self.context.storage.shifts().known_register(id)?;
        let register = register.ok_or(Refusal::NotFound("register"))?;
        let sold = self.context.sold(register.quick_keys.iter().map(|key| &key.sku))?;
        Ok(QuickKeysView::of(&register, |sku| sold.get(sku).map(AsRef::as_ref)))
    }

    /// A hold, as it is now.
    ///
    /// # Errors
    /// [`Refusal::NotFound`].
    pub fn read_hold(&self, id: &HoldId) -> Result<Hold, Failure> {
        self.context.hold(id)
    }
}
