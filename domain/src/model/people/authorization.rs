//! An authorization: who asks for an action, and who approved it at the till.
//!
//! One approval, one action. Nobody approves their own request unless their role allows it anyway.

use crate::model::base::ids::{RegisterId, UserId};
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::people::user::{Principal, Role};

/// The person asking and, where one was given and verified, the person approving.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    pub caller: &'a Principal,
    pub approver: Option<&'a Principal>,
    /// The till that speaks, where the request names one.
    pub register_id: Option<&'a RegisterId>,
}

impl<'a> Authorization<'a> {
    pub fn unapproved(caller: &'a Principal) -> Self {
        Self { caller, approver: None, register_id: None }
    }

    /// Whether a manager makes or approves the request.
    pub fn manages(&self) -> bool {
        self.caller.role.manages() || self.approver.is_some_and(|approver| approver.role.manages())
    }

    /// Asks for a manager, with the reason.
    ///
    /// # Errors
    /// `approval_required`.
    pub fn manager_for(&self, needs: impl FnOnce() -> NeedsApproval) -> Result<(), Refusal> {
        if self.manages() { Ok(()) } else { Err(Refusal::ApprovalRequired(Box::new(needs()))) }
    }

    /// User who approved it. `None` if the caller's own role allowed it.
    pub fn approved_by(&self) -> Option<UserId> {
        let needed = !self.caller.role.manages();
        self.approver.filter(|_| needed).map(|approver| approver.user_id.clone())
    }

    /// Tills: cashiers and managers.
    ///
    /// # Errors
    /// `insufficient_role`.
    pub fn at_till(&self) -> Result<(), Refusal> {
        allow(self.caller.role == Role::Cashier || self.caller.role.manages())
    }

    /// The stock room: warehouse staff and managers.
    ///
    /// # Errors
    /// `insufficient_role`.
    pub fn in_stock_room(&self) -> Result<(), Refusal> {
        allow(self.caller.role == Role::WarehouseStaff || self.caller.role.manages())
    }
}

/// # Errors
/// `insufficient_role` if it is not allowed.
pub(crate) fn allow(allowed: bool) -> Result<(), Refusal> {
    if allowed { Ok(()) } else { Err(Refusal::InsufficientRole) }
}
