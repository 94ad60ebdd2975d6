//! A till as the interface shows it.

use crate::model::base::ids::RegisterId;
use crate::model::books::register::Register;
use crate::rules::books::register::RegisterState;
use schemars::JsonSchema;
use serde::Serialize;

/// A register (`GET /registers`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Register")]
pub struct RegisterView {
    /// ID of the register: at most 32 of `A-Za-z0-9_-`.
    pub register_id: RegisterId,
    /// Display name of the register.
    pub name: String,
    /// Whether the register may sell.
    pub state: RegisterState,
}

impl From<&Register> for RegisterView {
    fn from(register: &Register) -> Self {
        let state = if register.disabled { RegisterState::Disabled } else { RegisterState::Active };
        Self { register_id: register.register_id.clone(), name: register.name.clone(), state }
    }
}

impl RegisterState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
        }
    }
}
