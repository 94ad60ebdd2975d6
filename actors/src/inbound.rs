//! What a record of the feed becomes in the store.
//!
//! Products, promotions and users are rows of their own; everything else is kept as it came, for whoever
//! reads it. A record of a kind that this version does not know is kept too: a later one may.

use crate::hub_connection::change;
use domain::event::Event;
use domain::ids::UserId;
use domain::product::Product;
use domain::sync::lane::{self, Kind};
use domain::sync::local::{Change as Kept, Inbound};
use domain::sync::{Change, RevocationDown, UserDown};
use domain::time::UtcMs;
use domain::user::User;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};
use storage::{Storage, StorageError};

/// Records of one kind that are looked at together.
const LOOKED_AT: usize = 1_000;

/// Why a record can't be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Untaken {
    #[error("it can't be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// The changes of one commit; what an earlier one of them did is seen by the later ones.
pub(crate) struct Page<'a> {
    storage: &'a Storage,
    events: Vec<Event>,
    users: BTreeMap<UserId, User>,
    revoked: BTreeMap<UserId, u64>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(storage: &'a Storage) -> Self {
        Self { storage, events: Vec::new(), users: BTreeMap::new(), revoked: BTreeMap::new() }
    }

    pub(crate) fn events(self) -> Vec<Event> {
        self.events
    }

    /// Takes a change in.
    pub(crate) fn take(&mut self, change: &Change) -> Result<(), Untaken> {
        match change.kind.as_str() {
            "product" => self.product(change)?,
            "user" => self.user(change)?,
            "token_revocation" => self.revocation(&payload(change)?)?,
            _ => {}
        }
        if change.kind != "product" {
            self.keep(change);
        }
        Ok(())
    }

    fn keep(&mut self, change: &Change) {
        let (kind, id) = (change.kind.clone(), change.id.clone());
        self.events.push(self::change(if change.deleted {
            Kept::Gone { kind, id }
        } else {
            let (version, payload) = (change.version.clone(), change.payload.clone());
            let record = Inbound { kind, id, version, effective_at: change.effective_at, payload };
            Kept::Pulled { record }
        }));
    }

    fn product(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut product: Product = payload(change)?;
        product.active &= !change.deleted;
        self.events.push(Event::ProductChanged { product });
        Ok(())
    }

    /// Deny wins: who is kept out stays out until a later grant of a person at the hub, whatever order
    /// the changes come in; tokens die by version, never by time.
    fn user(&mut self, change: &Change) -> Result<(), Untaken> {
        let down: UserDown = payload(change)?;
        let known = self.known(&down.user_id)?;
        let kept = self.storage.inbound("user", &change.id)?;
        let granted = kept.and_then(|kept| serde_json::from_value::<UserDown>(kept.payload).ok());
        let denied = known.as_ref().is_some_and(|user| user.disabled)
            && granted.is_none_or(|before| down.grant <= before.grant);
        let revoked = self.revoked_version(&down.user_id)?;
        let at_least = known.as_ref().map_or(0, |user| user.token_version).max(revoked);
        let updated_at = known.as_ref().map_or(UtcMs(0), |user| user.updated_at);
        let user = User {
            user_id: down.user_id.clone(),
            username: down.username,
            name: down.name,
            role: down.role,
            store_id: down.store_id,
            password_hash: down.password_hash,
            token_version: down.token_version.max(at_least),
            disabled: down.disabled || change.deleted || denied,
            created_at: known.map_or(updated_at, |user| user.created_at),
            updated_at,
        };
        self.put(user);
        Ok(())
    }

    fn revocation(&mut self, down: &RevocationDown) -> Result<(), Untaken> {
        let version = self.revoked_version(&down.user_id)?.max(down.token_version);
        self.revoked.insert(down.user_id.clone(), version);
        if let Some(mut user) = self.known(&down.user_id)?
            && user.token_version < version
        {
            user.token_version = version;
            self.put(user);
        }
        Ok(())
    }

    fn put(&mut self, user: User) {
        self.users.insert(user.user_id.clone(), user.clone());
        self.events.push(Event::UserChanged { user });
    }

    fn known(&self, id: &UserId) -> Result<Option<User>, Untaken> {
        match self.users.get(id) {
            Some(user) => Ok(Some(user.clone())),
            None => Ok(self.storage.user(id)?),
        }
    }

    /// Below this version every token of the user is dead, whether or not the user is known yet.
    fn revoked_version(&self, id: &UserId) -> Result<u64, Untaken> {
        let kept = self.storage.inbound("token_revocation", id.as_str())?;
        let kept = kept.and_then(|kept| serde_json::from_value::<RevocationDown>(kept.payload).ok());
        let kept = kept.map_or(0, |revocation| revocation.token_version);
        Ok(kept.max(self.revoked.get(id).copied().unwrap_or_default()))
    }
}

fn payload<T: DeserializeOwned>(change: &Change) -> Result<T, Untaken> {
    Ok(serde_json::from_value(change.payload.clone())?)
}

/// What is here and not in a whole snapshot of a lane any more. Denials and revocations stay: no snapshot
/// removes them.
pub(crate) fn gone(
    storage: &Storage,
    lane: &str,
    seen: &HashSet<(String, String)>,
    now: UtcMs,
) -> Result<Vec<Event>, StorageError> {
    let mut events = Vec::new();
    let is_seen = |kind: &str, id: &str| seen.contains(&(kind.to_owned(), id.to_owned()));
    for kind in kept_kinds(lane) {
        let mut after: Option<String> = None;
        loop {
            let page = storage.inbounds(kind, after.as_deref(), LOOKED_AT)?;
            let Some(last) = page.last().map(|record| record.id.clone()) else { break };
            let lost = page.into_iter().filter(|record| !is_seen(kind, &record.id));
            events.extend(lost.map(|record| change(Kept::Gone { kind: record.kind, id: record.id })));
            after = Some(last);
        }
    }
    if lane == lane::REST {
        let mut after = None;
        loop {
            let page = storage.products(after.as_ref(), LOOKED_AT)?;
            let Some(last) = page.last().map(|product| product.sku.clone()) else { break };
            let lost =
                page.into_iter().filter(|product| product.active && !is_seen("product", &product.sku.0));
            events.extend(lost.map(|product| Event::ProductChanged {
                product: Product { active: false, updated_at: now, ..product },
            }));
            after = Some(last);
        }
    }
    Ok(events)
}

/// The kinds of a lane that are kept as they came and may vanish.
fn kept_kinds(lane: &str) -> Vec<&'static str> {
    let kinds = [
        Kind::Settings,
        Kind::Price,
        Kind::Promotion,
        Kind::Points,
        Kind::Supplier,
        Kind::PurchaseOrder,
        Kind::Transfer,
    ];
    kinds.into_iter().filter(|kind| kind.lane() == lane).map(Kind::name).collect()
}
