//! The context that every actor gets: storage, rules, addresses. Cheap to clone.

use crate::catalogue::CatalogueMessage;
use crate::config::ActorsConfig;
use crate::directory::Directory;
use crate::fence::Fences;
use crate::hub_connection::HubMessage;
use crate::ledger::LedgerMessage;
use crate::members::MembersMessage;
use crate::outbox::OutboxMessage;
use crate::sessions::SessionsMessage;
use crate::shifts::ShiftsMessage;
use crate::slot::Slot;
use crate::source::Stamps;
use crate::sync_state::SyncState;
use crate::tree::Tree;
use domain::settings::Rules;
use std::sync::Arc;
use storage::Storage;
use tokio::sync::watch;

/// Everything that outlives a single actor.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) storage: Storage,
    pub(crate) rules: Arc<Rules>,
    pub(crate) config: Arc<ActorsConfig>,
    pub(crate) stamps: Stamps,
    pub(crate) fences: Fences,
    pub(crate) tree: Tree,
    pub(crate) directory: Directory,
    pub(crate) sync: SyncState,
    /// Whether the hub is talked to: a command on a stopped store does not.
    pub(crate) link: bool,
    /// Turns true when a restart budget is spent.
    pub(crate) spent: Arc<watch::Sender<bool>>,
    pub(crate) ledger: Slot<LedgerMessage>,
    pub(crate) members: Slot<MembersMessage>,
    pub(crate) catalogue: Slot<CatalogueMessage>,
    pub(crate) sessions: Slot<SessionsMessage>,
    pub(crate) hub: Slot<HubMessage>,
    pub(crate) outbox: Slot<OutboxMessage>,
    pub(crate) shifts: Slot<ShiftsMessage>,
}
