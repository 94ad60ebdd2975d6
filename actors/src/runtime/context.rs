//! The context of every actor: storage, rules, settings, clock and IDs, and the mailboxes. Cheap to clone.

use crate::config::ActorsConfig;
use crate::hub::online::Online;
use crate::hub::sync_state::SyncState;
use crate::message::{
    CatalogueMessage, HubMessage, LedgerMessage, MembersMessage, OutboxMessage, SessionsMessage,
    ShiftsMessage,
};
use crate::runtime::fence::Fences;
use crate::runtime::live_rules::LiveRules;
use crate::runtime::mailbox::Mailbox;
use crate::runtime::source::Stamps;
use crate::supervision::shift_registry::{ShiftRegistry, actor_name};
use crate::supervision::tree::Tree;
use domain::model::base::ids::ShiftId;
use std::sync::Arc;
use storage::Storage;
use tokio::sync::watch;

/// Everything that outlives a single actor.
#[derive(Clone)]
pub struct Context {
    pub(crate) storage: Storage,
    pub(crate) rules: LiveRules,
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

impl Context {
    /// Takes a shift that is over off every list.
    pub(crate) fn forget_shift(&self, shift_id: &ShiftId) {
        self.shift_registry.remove(shift_id);
        self.fences.remove(shift_id);
        self.tree.removed(&actor_name(shift_id));
    }
}
