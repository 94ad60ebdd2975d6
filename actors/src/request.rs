//! A request as owners see it: travels with its command to whoever decides on it.

use crate::idempotency::RequestKey;
use domain::ids::RegisterId;
use domain::mandate::Mandate;
use domain::user::{Caller, Role};

/// Who asks and who approved it, from which till, under which key.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// The verified caller.
    pub caller: Caller,
    /// Who approved this one command at the till: verified, and no longer in its body.
    pub approver: Option<Caller>,
    /// The till that is speaking, if it said so.
    pub register_id: Option<RegisterId>,
    /// The idempotency key, if there is one.
    pub key: Option<RequestKey>,
}

impl RequestContext {
    /// A request that came from no till: of the hub, or of whoever runs the machine.
    pub(crate) fn internal(caller: Caller) -> Self {
        Self { caller, approver: None, register_id: None, key: None }
    }

    /// What rules are asked with.
    pub(crate) fn mandate(&self) -> Mandate<'_> {
        Mandate { caller: &self.caller, approver: self.approver.as_ref() }
    }

    /// The same with an approval that nobody gave: for what is only asked, and never done.
    pub(crate) fn as_if_approved(&self) -> Self {
        let approver = Caller { role: Role::StoreManager, ..self.caller.clone() };
        Self { approver: Some(approver), ..self.clone() }
    }
}
