//! What every actor gets: storage, rules, settings, clock and ids, and the mailboxes. Cheap to clone.

use crate::config::ActorsConfig;
use crate::fence::Fences;
use crate::mailbox::Mailbox;
use crate::message::{
    CatalogueMessage, HubMessage, LedgerMessage, MembersMessage, OutboxMessage, SessionsMessage,
    ShiftsMessage,
};
use crate::online::Online;
use crate::shift_registry::ShiftRegistry;
use crate::source::Stamps;
use crate::sync_state::SyncState;
use crate::tree::Tree;
use domain::settings::Rules;
use std::sync::Arc;
use storage::Storage;
use tokio::sync::watch;

/// Everything that outlives a single actor.
#[derive(Clone)]
pub struct Context {
    pub(crate) storage: Storage,
    pub(crate) rules: Arc<Rules>,
    pub(crate) config: Arc<ActorsConfig>,
    pub(crate) stamps: Stamps,
    pub(crate) fences: Fences,
    pub(crate) tree: Tree,
    pub(crate) shift_registry: ShiftRegistry,
    pub(crate) sync: SyncState,
    pub(crate) online: Online,
    /// Whether the hub is talked to: a command on a stopped store does not.
    pub(crate) link: bool,
    /// Turns true when a restart budget is spent.
    pub(crate) spent: Arc<watch::Sender<bool>>,
    pub(crate) ledger: Mailbox<LedgerMessage>,
    pub(crate) members: Mailbox<MembersMessage>,
    pub(crate) catalogue: Mailbox<CatalogueMessage>,
    pub(crate) sessions: Mailbox<SessionsMessage>,
    pub(crate) hub: Mailbox<HubMessage>,
    pub(crate) outbox: Mailbox<OutboxMessage>,
    pub(crate) shifts: Mailbox<ShiftsMessage>,
}
