//! Creates and changes the users of a store, with the required rights and the forbidden changes.

use crate::model::base::fields::Fields;
use crate::model::base::ids::{StoreId, UserId};
use crate::model::base::limits::{NAME_CHARS_MAX, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::people::user::{FieldTimes, NAME_BYTES_MAX, Principal, Role, User, login_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most users of a store.
pub const USERS_MAX: usize = 2_000;

/// User to create.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUser {
    /// Login name. Case is ignored.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    pub username: String,
    /// Display name.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// Password. Null for a user without log-in by password.
    #[schemars(length(min = PASSWORD_CHARS_MIN, max = PASSWORD_CHARS_MAX))]
    pub password: Option<String>,
    /// Whether the user is disabled. Defaults to false.
    pub disabled: Option<bool>,
}

/// Changes to a user. Omitted fields stay as they are.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeUser {
    /// New login name.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    pub username: Option<String>,
    /// New display name.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// New role. A change revokes every token of the user.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    pub role: Option<Role>,
    /// New password. A change revokes every token of the user.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    #[schemars(length(min = PASSWORD_CHARS_MIN, max = PASSWORD_CHARS_MAX))]
    pub password: Option<String>,
    /// Whether to disable the user. A change revokes every token of the user.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    pub disabled: Option<bool>,
}

/// A user, without the password.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UserDetail {
    /// ID of the user, `usr_…`.
    pub id: UserId,
    /// Login name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// Store of the user.
    pub store_id: StoreId,
    /// Whether the user is disabled.
    pub disabled: bool,
    /// When the user was created.
    pub created_at: UtcMs,
    /// When the user was last changed.
    pub updated_at: UtcMs,
}

/// A user as the users API shows one.
pub fn view(user: &User) -> UserDetail {
    let User { user_id, username, name, role, store_id, disabled, created_at, updated_at, .. } = user.clone();
    UserDetail { id: user_id, username, name, role, store_id, disabled, created_at, updated_at }
}

/// Whether this role may see and change users of that one.
pub fn may_manage(caller: Role, role: Role) -> bool {
    match caller {
        Role::Admin => true,
        Role::StoreManager => matches!(role, Role::Cashier | Role::WarehouseStaff),
        _ => false,
    }
}

impl NewUser {
    /// Checks that the fields are well-formed and the role exists here.
    ///
    /// # Errors
    /// `validation_failed`, naming every field that is not.
    pub fn check(&self, roles: &[Role]) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        shape(&mut fields, Some(&self.username), Some(&self.name), Some(self.role), roles);
        fields.done()
    }
}

impl ChangeUser {
    /// Checks that the fields are well-formed and the role exists here.
    ///
    /// # Errors
    /// `validation_failed`, naming every field that is not.
    pub fn check(&self, roles: &[Role]) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        shape(&mut fields, self.username.as_deref(), self.name.as_deref(), self.role, roles);
        fields.done()
    }

    /// The names of the fields that are given.
    pub fn given(&self) -> Vec<&'static str> {
        let given = [
            ("username", self.username.is_some()),
            ("name", self.name.is_some()),
            ("role", self.role.is_some()),
            ("password", self.password.is_some()),
            ("disabled", self.disabled.is_some()),
        ];
        given.into_iter().filter_map(|(name, given)| given.then_some(name)).collect()
    }
}

fn shape(
    fields: &mut Fields,
    username: Option<&str>,
    name: Option<&str>,
    role: Option<Role>,
    roles: &[Role],
) {
    fields.length("username", username, NAME_BYTES_MAX);
    if let Some(username) = username.map(login_name) {
        fields.code("username", &username, NAME_BYTES_MAX);
        if username.chars().any(char::is_whitespace) {
            fields.wrong("username", "must not contain spaces");
        }
    }
    if let Some(name) = name {
        fields.trimmed("name", name, NAME_CHARS_MAX);
    }
    if role.is_some_and(|role| !roles.contains(&role)) {
        let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
        fields.wrong("role", format!("must be one of {}", names.join(", ")));
    }
}

/// The user that a checked `command` makes.
///
/// # Errors
/// `insufficient_role`, `duplicate`, `validation_failed`.
pub fn create(
    command: &NewUser,
    id: UserId,
    password_hash: Option<String>,
    now: UtcMs,
    caller: &Principal,
    users: &[User],
    store_id: &StoreId,
) -> Result<User, Refusal> {
    if !may_manage(caller.role, command.role) {
        return Err(Refusal::InsufficientRole);
    }
    if users.len() >= USERS_MAX {
        return Err(Refusal::field("username", format!("a store has at most {USERS_MAX} users")));
    }
    let username = login_name(&command.username);
    free(&username, None, users)?;
    Ok(User {
        user_id: id,
        username,
        name: command.name.trim().to_owned(),
        role: command.role,
        store_id: store_id.clone(),
        password_hash,
        times: FieldTimes::all(now),
        token_version: 1,
        disabled: command.disabled.unwrap_or_default(),
        created_at: now,
        updated_at: now,
    })
}

/// The user `id` after a checked `command`.
///
/// # Errors
/// `not_found`, `insufficient_role`, `duplicate`, and `invalid_state` for users who would lock themselves
/// out, or set their own password without the current one.
pub fn change(
    command: &ChangeUser,
    id: &UserId,
    password_hash: Option<String>,
    now: UtcMs,
    caller: &Principal,
    users: &[User],
) -> Result<User, Refusal> {
    let before = managed(id, caller, users)?;
    let mut user = before.clone();
    if let Some(role) = command.role {
        if !may_manage(caller.role, role) {
            return Err(Refusal::InsufficientRole);
        }
        if role != user.role {
            user.role = role;
            user.times.role = FieldTimes::after(user.times.role, now);
        }
    }
    // An unchanged value is not a later change, since a form sends all its fields.
    let username = command.username.as_deref().map(login_name).filter(|name| *name != user.username);
    if let Some(username) = username {
        free(&username, Some(id), users)?;
        user.username = username;
        user.times.username = FieldTimes::after(user.times.username, now);
    }
    if let Some(name) = command.name.as_deref().map(str::trim).filter(|name| *name != user.name) {
        user.name = name.to_owned();
        user.times.name = FieldTimes::after(user.times.name, now);
    }
    user.disabled = command.disabled.unwrap_or(user.disabled);
    if user.disabled && !before.disabled && *id == caller.user_id {
        return Err(not_possible("own_account"));
    }
    let password_changed = password_hash.is_some();
    if password_changed && *id == caller.user_id {
        // A thief of a token must not take over the account: changing the own password needs the current one.
        return Err(not_possible("own_password"));
    }
    if let Some(hash) = password_hash {
        user.set_password(hash, now);
    }
    if password_changed || user.role != before.role || user.disabled != before.disabled {
        user.token_version = user.token_version.saturating_add(1);
    }
    user.updated_at = now;
    Ok(user)
}

/// The user `id` with every token dead.
///
/// # Errors
/// `not_found`, `insufficient_role`.
pub fn revoke(id: &UserId, now: UtcMs, caller: &Principal, users: &[User]) -> Result<User, Refusal> {
    let mut user = managed(id, caller, users)?.clone();
    user.token_version = user.token_version.saturating_add(1);
    user.updated_at = now;
    Ok(user)
}

/// A user that the caller may see and change.
///
/// # Errors
/// `not_found`, `insufficient_role`.
pub fn managed<'a>(id: &UserId, caller: &Principal, users: &'a [User]) -> Result<&'a User, Refusal> {
    let user = users.iter().find(|user| user.user_id == *id).ok_or(Refusal::NotFound("user"))?;
    if may_manage(caller.role, user.role) { Ok(user) } else { Err(Refusal::InsufficientRole) }
}

fn free(username: &str, own: Option<&UserId>, users: &[User]) -> Result<(), Refusal> {
    let taken = users.iter().find(|user| user.username == username && Some(&user.user_id) != own);
    let refused =
        |user: &User| Refusal::Duplicate { what: "a user of this name", id: user.user_id.0.clone() };
    taken.map_or(Ok(()), |user| Err(refused(user)))
}

fn not_possible(state: &str) -> Refusal {
    Refusal::InvalidState { state: state.to_owned(), allowed: Vec::new() }
}

#[cfg(test)]
mod tests;
