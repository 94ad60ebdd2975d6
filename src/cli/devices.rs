//! `user devices`, `user remove-device`

use super::carry_out::carry_out;
use super::users::username;
use crate::config::Config;
use crate::control::Order;
use serde::Deserialize;

/// A device as `user devices` shows one.
#[derive(Deserialize)]
struct Device {
    credential_id: String,
    name: String,
    created_at: String,
    last_used_at: Option<String>,
}

#[derive(Deserialize)]
struct List {
    devices: Vec<Device>,
}

/// Prints every device of a user.
pub fn list(config: &Config, name: &str) -> anyhow::Result<()> {
    let order = Order::ListDevices(username(name)?);
    let List { devices } = serde_json::from_value(carry_out(config, order)?)?;
    println!("{:<44} {:<25} {:<25} NAME", "ID", "REGISTERED", "LAST USED");
    for Device { credential_id, name, created_at, last_used_at } in devices {
        let used = last_used_at.unwrap_or_else(|| "never".to_owned());
        println!("{credential_id:<44} {created_at:<25} {used:<25} {name}");
    }
    Ok(())
}

/// Removes a device of a user.
pub fn remove(config: &Config, name: &str, id: &str) -> anyhow::Result<()> {
    let username = username(name)?;
    carry_out(config, Order::RemoveDevice { username: username.clone(), credential_id: id.to_owned() })?;
    println!("removed the device {id} of {username}; its sessions stay valid until `user revoke {username}`");
    Ok(())
}
