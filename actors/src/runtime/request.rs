//! A request as owners see it: it is passed with its command to the owner that decides.

use crate::runtime::idempotency::RequestKey;
use domain::model::base::ids::RegisterId;
use domain::model::people::authorization::Authorization;
use domain::model::people::user::{Principal, Role};
use std::sync::Arc;

/// Caller and approver of a request, with its till and its key.
#[derive(Debug, Clone)]
pub struct RequestContext {
    pub caller: Arc<Principal>,
    /// Approver of this one command at the till: verified, and no longer in its body.
    pub approver: Option<Principal>,
    /// The till of the request, if it names one.
    pub register_id: Option<RegisterId>,
    /// The idempotency key, if there is one.
    pub key: Option<RequestKey>,
}

impl RequestContext {
    /// A request that came from no till: of the hub, or of the operator.
    pub(crate) fn internal(caller: Principal) -> Self {
        Self { caller: Arc::new(caller), approver: None, register_id: None, key: None }
    }

    /// Authorization for the rules.
    pub(crate) fn authorization(&self) -> Authorization<'_> {
        let register_id = self.register_id.as_ref();
        Authorization { caller: &self.caller, approver: self.approver.as_ref(), register_id }
    }

    /// The request as if a cashier had made it, without an approval: what is refused then needs a manager.
    pub(crate) fn as_if_cashier(&self) -> Self {
        let caller = Principal { role: Role::Cashier, ..Principal::clone(&self.caller) };
        Self { caller: Arc::new(caller), approver: None, ..self.clone() }
    }

    /// The request as if a manager had approved it, for previews that change nothing.
    pub(crate) fn as_if_approved(&self) -> Self {
        let approver = Principal { role: Role::StoreManager, ..Principal::clone(&self.caller) };
        Self { approver: Some(approver), ..self.clone() }
    }
}
