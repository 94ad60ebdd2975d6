//! Fields of users as requests give them.

use crate::account::{staff, user};
use domain::model::base::limits::{
    NAME_CHARS_MAX, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN, SHORT_ID_BYTES_MAX,
};
use domain::model::people::user::{NAME_BYTES_MAX, Role};
use domain::rules::people::user::change::ChangeUser;
use edge::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;

/// Request body of `POST /api/users`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewUser")]
pub struct New {
    /// Login name.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    pub username: String,
    /// Display name.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// Role of the user: a role of head office, or with `store_id` a role of a store.
    pub role: Role,
    /// Store of the user. Null for head office.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: Option<String>,
    /// Password, 8 to 128 characters. Null for a user of a store who does not log in with a password.
    #[schemars(length(min = PASSWORD_CHARS_MIN, max = PASSWORD_CHARS_MAX))]
    pub password: Option<String>,
}

/// Request body of `PATCH /api/users/:id`. Omitted fields stay as they are.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangeUser")]
pub struct Change {
    /// Login name.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    pub username: Option<String>,
    /// Display name.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Role of the user.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub role: Option<Role>,
    /// Whether the user is disabled.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub disabled: Option<bool>,
    /// New password of the user.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = PASSWORD_CHARS_MIN, max = PASSWORD_CHARS_MAX))]
    pub password: Option<String>,
}

/// 422 for a text that is no login name. It is stored without the spaces around it. They count all the same: the longest
/// text of the request is then the longest of the document.
pub(super) fn login(username: &str) -> Result<(), ApiError> {
    let shown = username.trim();
    let visible = !shown.is_empty() && !shown.chars().any(|c| c.is_control() || c.is_whitespace());
    if !visible || username.len() > NAME_BYTES_MAX {
        return Err(ApiError::field("username", "must have 1 to 128 bytes and no spaces"));
    }
    Ok(())
}

/// As [`login`], for a display name.
pub(super) fn display(name: &str) -> Result<(), ApiError> {
    let shown = name.trim();
    let visible = !shown.is_empty() && !shown.chars().any(char::is_control);
    if !visible || name.chars().count() > NAME_CHARS_MAX {
        return Err(ApiError::field("name", "must have 1 to 255 characters"));
    }
    Ok(())
}

/// 422 for a role of head office at a store, or the reverse.
pub(super) fn role_of(role: Role, store: bool) -> Result<(), ApiError> {
    let roles: &[Role] = if store { &staff::ROLES } else { &user::ROLES };
    if roles.contains(&role) {
        return Ok(());
    }
    let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
    Err(ApiError::field("role", format!("must be one of {}", names.join(", "))))
}

impl New {
    /// Checks that need no look-up: names, and a role where it belongs.
    ///
    /// # Errors
    /// 422.
    pub fn check(&self) -> Result<(), ApiError> {
        login(&self.username)?;
        display(&self.name)?;
        role_of(self.role, self.store_id.is_some())?;
        if self.store_id.is_none() && self.password.is_none() {
            return Err(ApiError::field("password", "is needed for a user of head office"));
        }
        Ok(())
    }
}

impl Change {
    /// The command for the rules; the password is passed separately, as a hash.
    pub(super) fn command(&self) -> ChangeUser {
        ChangeUser {
            username: self.username.clone(),
            name: self.name.clone(),
            role: self.role,
            password: None,
            disabled: self.disabled,
        }
    }
}
