//! Effects of orders. Every change goes through its owner among the actors.

use super::devices;
use super::import;
use super::status;
use super::wire::{Order, Trouble};
use crate::upkeep::{Progressing, Upkeep, outcome};
use actors::{Failure, Revoked, StoreHandle};
use domain::model::base::refusal::Refusal;
use domain::model::people::user::User;
use domain::rules::inventory::stock::OpeningRow;
use serde_json::{Value, json};

/// Carries orders out on one store.
pub struct ControlService {
    store: StoreHandle,
    upkeep: Upkeep,
    serving: bool,
}

impl ControlService {
    /// Beside the HTTP interface of the daemon.
    pub fn beside(store: StoreHandle, upkeep: Upkeep) -> Self {
        Self { store, upkeep, serving: true }
    }

    /// On a stopped store.
    pub fn offline(store: StoreHandle) -> Self {
        let upkeep = Upkeep::new(store.storage().clone());
        Self { store, upkeep, serving: false }
    }

    /// Carries an order out.
    ///
    /// # Errors
    /// Why not, with the exit code.
    pub async fn carry_out(&self, order: Order, progress: Progressing) -> Result<Value, Trouble> {
        match order {
            Order::AddUser(user) => self.add_user(*user).await,
            Order::ListUsers => self.users(),
            Order::RevokeUser(username) => revoked(&username, self.store.revoke_user(&username).await),
            Order::ResetPassword { username, hash } => {
                revoked(&username, self.store.reset_password(&username, hash).await)
            }
            Order::ListDevices(username) => devices::list(&self.store, &username),
            Order::RemoveDevice { username, credential_id } => {
                devices::remove(&self.store, &username, &credential_id).await
            }
            Order::ImportProducts(products) => import::products(&self.store, products).await,
            Order::ImportStock(rows) => self.open_stock(rows).await,
            Order::ImportMembers(rows) => {
                let count = rows.len();
                self.store.import_members(rows).await?;
                Ok(json!({"rows": count}))
            }
            Order::ImportPoints(rows) => {
                let count = rows.len();
                self.store.open_points(rows).await?;
                Ok(json!({"rows": count}))
            }
            Order::Enrolled { hub, n } => Ok(json!({"lacks_history": self.store.enrolled(hub, n).await?})),
            Order::Rejoin => Ok(json!({"epoch": self.store.rejoin().await?})),
            Order::Status => status::of(&self.store, self.serving),
            Order::HubSettings => Ok(json!(self.store.hub_settings().map_err(crate::folder::in_use)?)),
            Order::Verify => Ok(outcome::of_verification(&self.upkeep.verify(progress).await?)),
            Order::Backup { folder, keep: None, keys } => {
                let backup = self.upkeep.backup(&folder, keys, progress).await?;
                Ok(outcome::of_backup(&folder, &backup))
            }
            Order::Backup { folder, keep: Some(keep), keys } => {
                let (folder, backup) = self.upkeep.backup_below(&folder, keep, keys, progress).await?;
                Ok(outcome::of_backup(&folder, &backup))
            }
        }
    }

    async fn add_user(&self, user: User) -> Result<Value, Trouble> {
        let kept = self.store.rules().store_id.clone();
        if user.store_id != kept {
            return Err(Trouble::new(format!("this is store {kept}, not {}", user.store_id)));
        }
        let username = user.username.clone();
        match self.store.add_user(user).await {
            Ok(()) => Ok(json!({"username": username})),
            Err(Failure::Refused(Refusal::Duplicate { .. })) => {
                Err(Trouble::new(format!("user \"{username}\" already exists")))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    fn users(&self) -> Result<Value, Trouble> {
        let mut users = self.store.storage().users().users().map_err(crate::folder::in_use)?;
        users.sort_by(|a, b| a.username.cmp(&b.username));
        let view = |user: &User| {
            let User { username, role, disabled, name, .. } = user;
            json!({"username": username, "role": role, "disabled": disabled, "name": name})
        };
        Ok(json!({"users": users.iter().map(view).collect::<Vec<_>>()}))
    }

    async fn open_stock(&self, rows: Vec<OpeningRow>) -> Result<Value, Trouble> {
        let count = rows.len();
        self.store.open_stock(rows).await?;
        Ok(json!({"rows": count}))
    }
}

fn revoked(username: &str, outcome: Result<Revoked, Failure>) -> Result<Value, Trouble> {
    match outcome {
        Ok(Revoked { user, devices_removed }) => Ok(json!({
            "username": username, "revoked_at": user.updated_at, "disabled": user.disabled,
            "devices_removed": devices_removed,
        })),
        Err(Failure::Refused(Refusal::NotFound(_))) => Err(devices::no_user(username)),
        Err(failure) => Err(failure.into()),
    }
}
