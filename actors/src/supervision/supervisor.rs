//! The root of the tree: promises that every permanent actor runs, or that the process ends.

use crate::config::ActorsConfig;
use crate::handle::StoreHandle;
use crate::hub::hub_connection::HubConnection;
use crate::hub::online::Online;
use crate::hub::outbox::Outbox;
use crate::hub::sync_state::SyncState;
use crate::owners::catalogue::Catalogue;
use crate::owners::ledger::LedgerActor;
use crate::owners::members::Members;
use crate::owners::sessions::Sessions;
use crate::runtime::context::Context;
use crate::runtime::fence::Fences;
use crate::runtime::live_rules::LiveRules;
use crate::runtime::mailbox::{Mailbox, QueueLen};
use crate::runtime::source::Stamps;
use crate::supervision::restart::{Budgets, respawn_pause};
use crate::supervision::shift_registry::ShiftRegistry;
use crate::supervision::shifts::Shifts;
use crate::supervision::tree::{Entry, LEDGER, ROOT, SHIFTS, Tree, log_death};
use domain::model::base::settings::Rules;
use ractor::{Actor, ActorCell, ActorId, ActorProcessingErr, ActorRef, Message, SpawnErr, SupervisionEvent};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use storage::Storage;
use tokio::sync::watch;

/// Time that stopping the tree may take.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// The permanent children, in the order in which they start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Child {
    Ledger,
    Members,
    Catalogue,
    Sessions,
    Outbox,
    HubConnection,
    Shifts,
}

impl Child {
    const ALL: [Self; 7] = [
        Self::Ledger,
        Self::Members,
        Self::Catalogue,
        Self::Sessions,
        Self::Outbox,
        Self::HubConnection,
        Self::Shifts,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Ledger => LEDGER,
            Self::Members => "members",
            Self::Catalogue => "catalogue",
            Self::Sessions => "sessions",
            Self::Outbox => "outbox",
            Self::HubConnection => "hub_connection",
            Self::Shifts => SHIFTS,
        }
    }
}

/// Message to the root to try again to start a child that did not start.
pub(crate) struct Retry {
    child: Child,
    attempt: u32,
}

pub(crate) struct State {
    context: Context,
    children: HashMap<ActorId, Child>,
    budgets: Budgets<Child>,
}

struct Supervisor;

impl Actor for Supervisor {
    type Msg = Retry;
    type State = State;
    type Arguments = Context;

    async fn pre_start(&self, me: ActorRef<Retry>, context: Context) -> Result<State, ActorProcessingErr> {
        let (cell, queue_len, at) = (me.get_cell(), QueueLen::default(), context.stamps.now());
        context.tree.started(Entry { name: ROOT.to_owned(), kind: ROOT, parent: None, cell, queue_len, at });
        let budgets = Budgets::new(context.config.max_restarts, context.config.period);
        let mut state = State { context, children: HashMap::new(), budgets };
        for child in Child::ALL {
            state.spawn(&me, child).await?;
        }
        Ok(state)
    }

    async fn handle(
        &self,
        me: ActorRef<Retry>,
        retry: Retry,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        state.run(&me, retry.child, retry.attempt).await;
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        me: ActorRef<Retry>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorTerminated(who, _, reason) => {
                state.died(&me, who.get_id(), reason.as_deref().unwrap_or("stopped")).await;
            }
            SupervisionEvent::ActorFailed(who, error) => {
                state.died(&me, who.get_id(), &error.to_string()).await;
            }
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => {}
        }
        Ok(())
    }
}

impl State {
    async fn died(&mut self, me: &ActorRef<Retry>, who: ActorId, reason: &str) {
        let Some(child) = self.children.remove(&who) else { return };
        let asked = self.context.tree.died(child.name(), reason);
        log_death(child.name(), reason, asked);
        if asked.is_some() || self.spend(child) {
            self.run(me, child, 0).await;
        }
    }

    async fn run(&mut self, me: &ActorRef<Retry>, child: Child, attempt: u32) {
        if let Err(error) = self.spawn(me, child).await {
            tracing::error!(actor = child.name(), %error, "an actor did not start");
            if self.spend(child) {
                let retry = move || Retry { child, attempt: attempt.saturating_add(1) };
                me.send_after(respawn_pause(attempt), retry);
            }
        }
    }

    /// False: this child has died too often, and the process ends.
    fn spend(&mut self, child: Child) -> bool {
        let within = self.budgets.spend(child);
        if !within {
            tracing::error!(actor = child.name(), "the restart budget is spent");
            self.context.spent.send_replace(true);
        }
        within
    }

    async fn spawn(&mut self, me: &ActorRef<Retry>, child: Child) -> Result<(), SpawnErr> {
        let context = self.context.clone();
        let cell = me.get_cell();
        let (cell, queue_len) = match child {
            Child::Ledger => start_child(LedgerActor, &self.context.ledger, context, cell).await?,
            Child::Members => start_child(Members, &self.context.members, context, cell).await?,
            Child::Catalogue => start_child(Catalogue, &self.context.catalogue, context, cell).await?,
            Child::Sessions => start_child(Sessions, &self.context.sessions, context, cell).await?,
            Child::Outbox => start_child(Outbox, &self.context.outbox, context, cell).await?,
            Child::HubConnection => start_child(HubConnection, &self.context.hub, context, cell).await?,
            Child::Shifts => start_child(Shifts, &self.context.shifts, context, cell).await?,
        };
        self.children.insert(cell.get_id(), child);
        let (name, at) = (child.name(), self.context.stamps.now());
        self.context.tree.started(Entry {
            name: name.to_owned(),
            kind: name,
            parent: Some(ROOT),
            cell,
            queue_len,
            at,
        });
        Ok(())
    }
}

async fn start_child<A, M>(
    actor: A,
    mailbox: &Mailbox<M>,
    context: Context,
    supervisor: ActorCell,
) -> Result<(ActorCell, QueueLen), SpawnErr>
where
    A: Actor<Msg = M, Arguments = Context>,
    M: Message,
{
    let (actor, _task) = A::spawn_linked(None, actor, context, supervisor).await?;
    mailbox.fill(actor.clone());
    Ok((actor.get_cell(), mailbox.queue_len.clone()))
}

/// The tree did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Storage could not be read.
    #[error(transparent)]
    Storage(#[from] storage::StorageError),
    /// An actor did not start.
    #[error("the supervision tree did not start: {0}")]
    Tree(#[from] SpawnErr),
    /// Rules depend on unwinding.
    #[error("this program was built with panic=abort: supervision needs unwinding")]
    Aborting,
}

/// The running tree, to wait for and to stop.
pub struct Supervision {
    root: ActorRef<Retry>,
    spent: watch::Receiver<bool>,
}

impl Supervision {
    /// Resolves when a restart budget is spent or the root has ended: exit code 70.
    pub async fn failed(&self) {
        let mut spent = self.spent.clone();
        let root = self.root.get_cell();
        tokio::select! {
            _ = spent.wait_for(|spent| *spent) => {}
            _ = root.wait(None) => {}
        }
    }

    /// Stops every actor. Storage still writes their submissions.
    pub async fn stop(self) {
        let timeout = Some(STOP_DEADLINE);
        if let Err(error) = self.root.stop_and_wait(Some("the daemon stops".to_owned()), timeout).await {
            tracing::warn!(%error, "the supervision tree did not stop in time");
        }
    }
}

/// Starts the tree over an open storage.
///
/// # Errors
/// [`StartError`] when storage can't be read or an actor does not start.
pub async fn start(
    storage: Storage,
    rules: Rules,
    config: ActorsConfig,
) -> Result<(StoreHandle, Supervision), StartError> {
    run(storage, rules, config, true).await
}

/// As `start`, without contacting the hub: for a single command on a stopped store.
///
/// # Errors
/// The errors of [`start`].
pub async fn start_offline(
    storage: Storage,
    rules: Rules,
    config: ActorsConfig,
) -> Result<(StoreHandle, Supervision), StartError> {
    run(storage, rules, config, false).await
}

async fn run(
    storage: Storage,
    rules: Rules,
    config: ActorsConfig,
    link: bool,
) -> Result<(StoreHandle, Supervision), StartError> {
    if !cfg!(panic = "unwind") {
        return Err(StartError::Aborting);
    }
    let last = storage.sync().last_hlc();
    let (spent, spent_seen) = watch::channel(false);
    let context = Context {
        stamps: Stamps::new(config.source, rules.store_id.as_str(), last.as_deref(), config.confirmed),
        rules: LiveRules::load(rules, &storage)?,
        config: Arc::new(config),
        fences: Fences::default(),
        tree: Tree::default(),
        shift_registry: ShiftRegistry::default(),
        sync: SyncState::of(storage.sync().hub()?.filter(|_| link).as_ref(), &storage.sync().standing()?),
        online: Online::default(),
        link,
        spent: Arc::new(spent),
        ledger: Mailbox::default(),
        members: Mailbox::default(),
        catalogue: Mailbox::default(),
        sessions: Mailbox::default(),
        hub: Mailbox::default(),
        outbox: Mailbox::default(),
        shifts: Mailbox::default(),
        storage,
    };
    let (root, _task) = Supervisor::spawn(None, Supervisor, context.clone()).await?;
    Ok((StoreHandle::new(context), Supervision { root, spent: spent_seen }))
}
