//! What handlers share, and who a bearer token belongs to.

use super::admin::Admin;
use super::events::{Ring, Streams};
use super::failure::stored;
use super::reports::Gate;
use crate::receipt::Head;
use actors::StoreHandle;
use domain::ids::{SessionId, UserId};
use domain::user::Caller;
use edge::identity::{self, Identity};
use edge::{Access, ApiError, Authority};
use std::net::IpAddr;
use std::time::Instant;
use tokio::sync::watch;

/// The running shop, as its HTTP interface sees it.
pub struct Shop {
    /// The one door into the actors, and storage for reads.
    pub store: StoreHandle,
    /// Keys, hashes, ceremonies: who somebody is.
    pub identity: Identity,
    /// Settings, verification, backups.
    pub admin: Admin,
    /// What stands on every receipt.
    pub head: Head,
    /// The places of reports.
    pub reports: Gate,
    /// What screens were told lately.
    pub ring: Ring,
    /// Who listens.
    pub streams: Streams,
    started: Instant,
    draining: watch::Sender<bool>,
}

impl Shop {
    /// A shop that starts now.
    pub fn new(store: StoreHandle, identity: Identity, admin: Admin, head: Head) -> Self {
        let ring = Ring::after_commit(store.storage().head().lsn);
        Self {
            store,
            identity,
            admin,
            head,
            reports: Gate::default(),
            ring,
            streams: Streams::default(),
            started: Instant::now(),
            draining: watch::Sender::new(false),
        }
    }

    /// Seconds since the start.
    pub fn uptime_s(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// Says that the daemon is stopping: no longer ready.
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Whether the daemon is stopping.
    pub fn draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Resolves when the daemon is stopping.
    pub async fn stopping(&self) {
        // The sender is this shop's own.
        let _ = self.draining.subscribe().wait_for(|draining| *draining).await;
    }

    /// The caller behind an access token: signed by us and alive.
    fn caller(&self, bearer: &str) -> Result<Caller, ApiError> {
        let claims = self.identity.claims(bearer)?;
        let storage = self.store.storage();
        let session = storage.session(&SessionId(claims.sid.clone())).map_err(stored)?;
        let user = storage.user(&UserId(claims.sub.clone())).map_err(stored)?;
        identity::caller(&claims, session, user)
    }
}

impl Authority for Shop {
    async fn authenticate(&self, bearer: &str, access: &Access) -> Result<Caller, ApiError> {
        match access {
            // This store serves no other store; a sync token opens nothing here.
            Access::SyncToken => Err(ApiError::invalid_token()),
            Access::Public | Access::LoopbackOr(_) | Access::Roles(_) => self.caller(bearer),
        }
    }

    fn denied(&self, caller: &Caller, pattern: &'static str, address: IpAddr) {
        self.identity.denied(caller, pattern, address);
    }
}
