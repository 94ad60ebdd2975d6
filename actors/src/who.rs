//! Who asks for a command, and who approved it at the till: travels with the command to its owner.

use domain::mandate::Mandate;
use domain::user::{Caller, Role};

/// The verified caller and, where the request carried a good approval, the person who gave it.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    /// Who asks.
    pub(crate) caller: Caller,
    /// Who approves this one command.
    pub(crate) approver: Option<Caller>,
}

impl Who {
    /// What rules are asked with.
    pub(crate) fn mandate(&self) -> Mandate<'_> {
        Mandate { caller: &self.caller, approver: self.approver.as_ref() }
    }

    /// The same with an approval that nobody gave: for what is only asked, and never done.
    pub(crate) fn as_if_approved(&self) -> Self {
        let approver = Caller { role: Role::StoreManager, ..self.caller.clone() };
        Self { caller: self.caller.clone(), approver: Some(approver) }
    }
}
