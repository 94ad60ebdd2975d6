//! Adds tills, renames them, lets them sell or not.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::ids::{RegisterId, SHORT_ID_PROBLEM, is_short_id};
use crate::model::base::limits::SHORT_ID_BYTES_MAX;
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::LedgerBook;
use crate::model::books::register::{NAME_CHARS_MAX, Register};
use crate::model::people::authorization::{Authorization, allow};
use crate::rules::books::register::check_limit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/registers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRegister {
    /// ID of the register: at most 32 of `A-Za-z0-9_-`.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub register_id: RegisterId,
    /// Display name of the register. Defaults to `register_id`.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
}

/// Whether a register may sell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegisterState {
    /// May be used.
    Active,
    /// Refused.
    Disabled,
}

/// Request body of `PATCH /api/registers/:id`. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeRegister {
    /// Display name of the register.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Whether the register may sell.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    pub state: Option<RegisterState>,
}

/// Adds a till.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `duplicate`.
pub fn add(
    cmd: &NewRegister,
    authorization: &Authorization<'_>,
    book: &LedgerBook,
) -> Result<Event<fact::RegisterChanged>, Refusal> {
    let mut fields = Fields::default();
    if !is_short_id(cmd.register_id.as_str()) {
        fields.wrong("register_id", SHORT_ID_PROBLEM);
    }
    if let Some(name) = &cmd.name {
        fields.trimmed("name", name, NAME_CHARS_MAX);
    }
    fields.done()?;
    allow(authorization.caller.role.manages())?;
    if book.registers.contains_key(&cmd.register_id) {
        return Err(Refusal::Duplicate { what: "a register of this name", id: cmd.register_id.0.clone() });
    }
    check_limit(book.registers.len())?;
    let name = cmd.name.as_ref().map_or(cmd.register_id.as_str(), |name| name.trim()).to_owned();
    let register = Register::new(cmd.register_id.clone(), name);
    Ok(Event::of(fact::RegisterChanged { register }))
}

/// Changes a till.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `not_found`.
pub fn change(
    cmd: &ChangeRegister,
    id: &RegisterId,
    authorization: &Authorization<'_>,
    book: &LedgerBook,
) -> Result<Event<fact::RegisterChanged>, Refusal> {
    let mut fields = Fields::default();
    if let Some(name) = &cmd.name {
        fields.trimmed("name", name, NAME_CHARS_MAX);
    }
    fields.done()?;
    allow(authorization.caller.role.manages())?;
    let mut register = book.registers.get(id).cloned().ok_or(Refusal::NotFound("register"))?;
    if let Some(name) = &cmd.name {
        name.trim().clone_into(&mut register.name);
    }
    if let Some(state) = cmd.state {
        register.disabled = state == RegisterState::Disabled;
    }
    Ok(Event::of(fact::RegisterChanged { register }))
}

/// Applies head office's record of a till. Fields that it omits keep the store's values. `None` if nothing changes.
///
/// # Errors
/// `validation_failed` where the store has no room for one more.
pub fn merge_remote(
    id: &RegisterId,
    said: &ChangeRegister,
    book: &LedgerBook,
) -> Result<Option<Event<fact::RegisterChanged>>, Refusal> {
    let known = book.registers.get(id);
    if known.is_none() {
        check_limit(book.registers.len())?;
    }
    let before = known.cloned().unwrap_or_else(|| Register::new(id.clone(), id.0.clone()));
    let register = Register {
        name: said.name.clone().unwrap_or(before.name),
        disabled: said.state.map_or(before.disabled, |state| state == RegisterState::Disabled),
        ..before
    };
    Ok((known != Some(&register)).then(|| Event::of(fact::RegisterChanged { register })))
}
