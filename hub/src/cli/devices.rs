//! `user devices`, `user remove-device`

use crate::account::{passkey, user};
use crate::db::{Db, Write};
use crate::table::audit;
use anyhow::anyhow;
use domain::model::base::ids::UserId;
use domain::model::people::user::User;
use edge::clock;
use serde_json::json;

/// The person of that login name.
pub async fn owner(db: &Db, username: &str) -> anyhow::Result<User> {
    let user = user::by_name(db.pool(), &username.trim().to_lowercase()).await?;
    user.ok_or_else(|| anyhow!("there is no user {username}"))
}

/// Prints every device of a person.
pub async fn list(db: &Db, username: &str) -> anyhow::Result<()> {
    let devices = passkey::of(db.pool(), &owner(db, username).await?).await?;
    println!("{:<44} {:<25} {:<25} NAME", "ID", "REGISTERED", "LAST USED");
    for device in devices {
        let used = device.last_used_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        println!(
            "{:<44} {:<25} {used:<25} {}",
            device.credential_id,
            device.created_at.to_string(),
            device.name
        );
    }
    Ok(())
}

/// Removes one of them.
pub async fn remove(db: &Db, username: &str, id: &str) -> anyhow::Result<()> {
    let user = owner(db, username).await?;
    let devices = passkey::of(db.pool(), &user).await?;
    let device = devices.into_iter().find(|device| device.credential_id == id);
    let device =
        device.ok_or_else(|| anyhow!("{username} has no device {id}: user devices {username} lists them"))?;
    let mut write = db.write().await?;
    passkey::remove(&mut write, &device).await?;
    let details = json!({"user_id": user.user_id, "credential_id": id, "name": device.name});
    audit::append(&mut write, &UserId::default(), "passkey.removed", &details, clock::now()).await?;
    write.commit().await?;
    println!("removed the device {id} of {username}; its sessions stay valid until `user revoke {username}`");
    Ok(())
}

/// Removes the devices that died with a person's tokens; how many.
pub async fn remove_dead(write: &mut Write, user_id: &UserId) -> anyhow::Result<usize> {
    let removed = passkey::remove_dead(write, &UserId::default(), user_id, clock::now()).await?;
    Ok(removed.unwrap_or_default())
}
