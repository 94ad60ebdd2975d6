//! `user add`, `user list`, `user revoke`, `user reset-password`

use super::carry_out::carry_out;
use super::secret;
use crate::config::Config;
use crate::control::Order;
use crate::exit::{Exit, USAGE};
use domain::model::base::ids::{StoreId, UserId};
use domain::model::base::limits::NAME_CHARS_MAX;
use domain::model::base::text::composed;
use domain::model::people::user::{FieldTimes, Role, User};
use edge::{clock, ids};
use serde::Deserialize;

/// The longest login name, in bytes.
const NAME_BYTES_MAX: usize = 128;

/// Adds a user of this store.
pub fn add(config: &Config, username: &str, name: &str, role: &str, from_stdin: bool) -> anyhow::Result<()> {
    let username = self::username(username)?;
    let role = self::role(role)?;
    let name = &*composed(name.trim());
    if !(1..=NAME_CHARS_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(Exit::new(USAGE, "--name must have 1 to 255 characters and no control characters").into());
    }
    let secret = secret::secret(config, &username, from_stdin)?;
    let user = new(config, username.clone(), name.to_owned(), role, secret.hash);
    carry_out(config, Order::AddUser(Box::new(user)))?;
    announce(&username, secret.shown.as_deref());
    Ok(())
}

/// A user as `user list` shows one.
#[derive(Deserialize)]
struct Listed {
    username: String,
    role: Role,
    disabled: bool,
    name: String,
}

#[derive(Deserialize)]
struct List {
    users: Vec<Listed>,
}

/// Prints every user of this store.
pub fn list(config: &Config) -> anyhow::Result<()> {
    let List { users } = serde_json::from_value(carry_out(config, Order::ListUsers)?)?;
    println!("{:<28} {:<16} {:<9} NAME", "USERNAME", "ROLE", "STATE");
    for user in users {
        let state = if user.disabled { "disabled" } else { "active" };
        println!("{:<28} {:<16} {state:<9} {}", user.username, user.role.name(), user.name);
    }
    Ok(())
}

#[derive(Deserialize)]
struct Revoked {
    disabled: bool,
    devices_removed: usize,
}

/// Kills every token of a user, and removes every device, at once.
pub fn revoke(config: &Config, username: &str) -> anyhow::Result<()> {
    let username = self::username(username)?;
    let Revoked { devices_removed, .. } =
        serde_json::from_value(carry_out(config, Order::RevokeUser(username.clone()))?)?;
    println!("every token of {username} is revoked; the user must log in again");
    println!("devices removed: {devices_removed}");
    Ok(())
}

/// Gives a user another password; tokens and devices of before end, as by [`revoke`].
pub fn reset_password(config: &Config, username: &str, from_stdin: bool) -> anyhow::Result<()> {
    let username = self::username(username)?;
    let secret = secret::secret(config, &username, from_stdin)?;
    let order = Order::ResetPassword { username: username.clone(), hash: secret.hash };
    let Revoked { disabled, devices_removed } = serde_json::from_value(carry_out(config, order)?)?;
    announce(&username, secret.shown.as_deref());
    println!("all earlier tokens are revoked; devices removed: {devices_removed}");
    if disabled {
        println!("the user is disabled and can't log in: enable the user in Store Admin or at head office");
    }
    Ok(())
}

/// A user made now.
pub fn new(config: &Config, username: String, name: String, role: Role, hash: String) -> User {
    let now = clock::now();
    User {
        user_id: UserId(ids::new("usr_")),
        username,
        name,
        role,
        store_id: StoreId(config.store.id.clone()),
        password_hash: Some(hash),
        times: FieldTimes::all(now),
        token_version: 1,
        disabled: false,
        created_at: now,
        updated_at: now,
    }
}

/// A login name as it is compared: lower-cased.
pub fn username(text: &str) -> anyhow::Result<String> {
    let name = text.trim().to_lowercase();
    let plain = name.chars().all(|c| !c.is_control() && !c.is_whitespace());
    if (1..=NAME_BYTES_MAX).contains(&name.len()) && plain {
        Ok(name)
    } else {
        Err(Exit::new(USAGE, "a login name has 1 to 128 bytes and no spaces").into())
    }
}

/// A role that has a part in a store.
fn role(name: &str) -> anyhow::Result<Role> {
    let known = [Role::Admin, Role::StoreManager, Role::Cashier, Role::WarehouseStaff];
    let role = Role::parse(name).filter(|role| known.contains(role));
    let names = known.map(Role::name).join(", ");
    role.ok_or_else(|| Exit::new(USAGE, format!("--role must be one of {names}")).into())
}

/// Tells a new user's password, once.
pub fn announce(username: &str, password: Option<&str>) {
    match password {
        Some(password) => println!("user {username}, password {password} (shown only once)"),
        None => println!("user {username}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn login_names_are_lower_cased_and_plain() {
        assert_eq!(username(" Siti@Toko.ID ").unwrap(), "siti@toko.id");
        for text in ["", "  ", "two words", "tab\tbed", &"x".repeat(129)] {
            assert!(username(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn head_office_roles_are_given_at_the_hub() {
        assert_eq!(role("store_manager").unwrap(), Role::StoreManager);
        for name in ["ho_finance", "ho_purchasing", "boss", ""] {
            assert!(role(name).is_err(), "{name}");
        }
    }
}
