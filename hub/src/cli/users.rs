//! `user add|list|revoke|reset-password|devices|remove-device`

use crate::account::user;
use crate::cli::init::{checked_hash, person};
use crate::cli::{devices, line_from_stdin};
use crate::config::Config;
use crate::db::Db;
use crate::secret;
use crate::state::hub;
use anyhow::{anyhow, bail};
use clap::Subcommand;
use domain::model::base::ids::UserId;
use domain::model::people::user::Role;
use edge::clock;

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a user
    Add {
        /// Login name
        #[arg(long)]
        username: String,
        /// Display name
        #[arg(long)]
        name: String,
        /// admin, ho_finance or ho_purchasing
        #[arg(long)]
        role: String,
        /// Read the password from standard input instead of generating one
        #[arg(long)]
        password_stdin: bool,
    },
    /// List all users
    List,
    /// Revoke all tokens of a user and remove all their devices
    Revoke {
        /// Login name
        username: String,
    },
    /// Give a user a new password; all of the user's tokens are revoked and all devices are removed
    ResetPassword {
        /// Login name
        username: String,
        /// Read the password from standard input instead of generating one
        #[arg(long)]
        password_stdin: bool,
    },
    /// List the devices that a user logs in with
    Devices {
        /// Login name
        username: String,
    },
    /// Remove a device of a user
    RemoveDevice {
        /// Login name
        username: String,
        /// ID of the device, as `user devices` lists it
        #[arg(allow_hyphen_values = true)]
        id: String,
    },
}

/// Runs one of them; a hub that serves sees it at once.
pub async fn run(config: &Config, command: UserCommand) -> anyhow::Result<()> {
    let (db, _) = hub::open_db(config).await?;
    match command {
        UserCommand::Add { username, name, role, password_stdin } => {
            let role = Role::parse(&role)
                .ok_or_else(|| anyhow!("{role} is not a role: use admin, ho_finance or ho_purchasing"))?;
            let password = if password_stdin { line_from_stdin()? } else { secret::password() };
            let new = person(config, &username, &name, role, &password)?;
            let mut write = db.write().await?;
            let id = user::add(&mut write, &UserId::default(), &new, clock::now()).await?;
            write.commit().await?;
            println!("added {} ({id})", new.username);
            if !password_stdin {
                println!("password {password} (shown only once)");
            }
        }
        UserCommand::List => {
            for user in user::list(db.pool()).await? {
                let state = if user.disabled { "disabled" } else { "active" };
                println!("{:<24} {:<14} {state:<9} {}", user.username, user.role.name(), user.name);
            }
        }
        UserCommand::Revoke { username } => {
            let user = devices::owner(&db, &username).await?;
            let mut write = db.write().await?;
            if !user::revoke(&mut write, &username, clock::now()).await? {
                bail!("there is no user {username}");
            }
            let removed = devices::remove_dead(&mut write, &user.user_id).await?;
            write.commit().await?;
            println!("every token of {username} is revoked");
            println!("devices removed: {removed}");
        }
        UserCommand::ResetPassword { username, password_stdin } => {
            reset_password(config, &db, &username, password_stdin).await?;
        }
        UserCommand::Devices { username } => devices::list(&db, &username).await?,
        UserCommand::RemoveDevice { username, id } => devices::remove(&db, &username, &id).await?,
    }
    db.close().await;
    Ok(())
}

async fn reset_password(config: &Config, db: &Db, username: &str, from_stdin: bool) -> anyhow::Result<()> {
    let user = devices::owner(db, username).await?;
    let password = if from_stdin { line_from_stdin()? } else { secret::password() };
    let hash = checked_hash(config, &user.username, &password)?;
    let (mut write, now) = (db.write().await?, clock::now());
    user::reset_password(&mut write, &user.user_id, hash, now).await?;
    let removed = devices::remove_dead(&mut write, &user.user_id).await?;
    write.commit().await?;
    if !from_stdin {
        println!("password {password} (shown only once)");
    }
    println!("every token of {username} is revoked");
    println!("devices removed: {removed}");
    if user.disabled {
        println!("the user is disabled and can't log in: another administrator can enable the user");
    }
    Ok(())
}
