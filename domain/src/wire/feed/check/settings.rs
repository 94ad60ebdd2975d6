//! Checks of settings and tills.

use super::{FIELDS_MAX, VALUE_BYTES_MAX, WORD_BYTES_MAX, WORDS_BYTES_MAX, line, same, written};
use crate::model::base::fields::Fields;
use crate::model::base::ids::{SHORT_ID_PROBLEM, is_short_id};
use crate::model::base::refusal::Refusal;
use crate::model::books::register::NAME_CHARS_MAX;
use crate::wire::feed::{Change, FieldDown, RegisterDown, STORE_SETTINGS, SettingDown, StoreSettingsDown};

/// Checks a setting; its value is checked by the rules of the setting.
///
/// # Errors
/// `validation_failed`.
pub fn setting(change: &Change, setting: &SettingDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "name", change, &setting.name);
    written(&mut fields, "value", (&setting.value, VALUE_BYTES_MAX), &setting.at, &setting.by);
    fields.done()
}

/// Checks the settings of head office for the store; each value is checked by the rules of its setting.
///
/// # Errors
/// `validation_failed`.
pub fn store_settings(change: &Change, settings: &StoreSettingsDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "id", change, STORE_SETTINGS);
    fields.count("fields", settings.fields.len(), 0..=FIELDS_MAX);
    for (name, FieldDown { at, by, .. }) in settings.fields.iter().take(FIELDS_MAX) {
        fields.name("fields", name, WORDS_BYTES_MAX);
        fields.code_if_any(format!("{name}.at"), Some(at), WORD_BYTES_MAX);
        fields.code_if_any(format!("{name}.by"), Some(by), WORD_BYTES_MAX);
    }
    fields.done()
}

/// Checks a till of the store.
///
/// # Errors
/// `validation_failed`.
pub fn register(change: &Change, register: &RegisterDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "register_id", change, register.register_id.as_str());
    if !is_short_id(register.register_id.as_str()) {
        fields.wrong("register_id", SHORT_ID_PROBLEM);
    }
    if let Some(name) = &register.name {
        fields.name("name", name, NAME_CHARS_MAX);
        line(&mut fields, "name", name);
    }
    fields.done()
}
