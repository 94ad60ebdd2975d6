//! The present supervision tree, for operators and for health.

use crate::runtime::failure::Failure;
use crate::runtime::mailbox::QueueLen;
use crate::view::{ActorView, TreeView, value};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use ractor::ActorCell;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering};
use std::time::Duration;
use tokio::sync::watch;

pub(crate) const ROOT: &str = "supervisor";
pub(crate) const LEDGER: &str = "ledger";
/// The name of the shifts' supervisor.
pub(crate) const SHIFTS: &str = "shifts";
/// Time that a restart on request may take.
const RESTART_DEADLINE: Duration = Duration::from_secs(5);

struct Node {
    kind: &'static str,
    parent: Option<&'static str>,
    cell: ActorCell,
    queue_len: QueueLen,
    running: bool,
    /// Whether its death was requested: then the budget is not spent.
    asked: Option<Asked>,
    /// Rises with every start.
    generation: u64,
    restarts: u64,
    started_at: UtcMs,
    last_failure: Option<String>,
}

/// Reason for a requested death of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// An operator, for whom it counts as a restart.
    Operator,
    /// The store itself: the actor is to read everything again. Nothing is wrong.
    Store,
}

/// Logs a death: a warning, unless the store itself asked for it.
pub(crate) fn log_death(actor: &str, reason: &str, asked: Option<Asked>) {
    match asked {
        Some(Asked::Store) => tracing::info!(actor, "an actor reads its state anew"),
        Some(Asked::Operator) | None => tracing::warn!(actor, reason, "an actor died; restarting it"),
    }
}

/// Every actor by name.
#[derive(Clone)]
pub(crate) struct Tree {
    nodes: Arc<Mutex<BTreeMap<String, Node>>>,
    changed: Arc<watch::Sender<()>>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: Arc::default(), changed: Arc::new(watch::channel(()).0) }
    }
}

/// Data with which a new actor is entered.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) parent: Option<&'static str>,
    pub(crate) cell: ActorCell,
    pub(crate) queue_len: QueueLen,
    pub(crate) at: UtcMs,
}

impl Tree {
    /// An actor started, for the first time or again.
    pub(crate) fn started(&self, entry: Entry) {
        let mut nodes = self.lock();
        let before = nodes.remove(&entry.name);
        let counted = |node: &Node| u64::from(node.asked != Some(Asked::Store));
        let restarts = before.as_ref().map_or(0, |node| node.restarts.saturating_add(counted(node)));
        let node = Node {
            kind: entry.kind,
            parent: entry.parent,
            cell: entry.cell,
            queue_len: entry.queue_len,
            running: true,
            asked: None,
            generation: before.as_ref().map_or(1, |node| node.generation.saturating_add(1)),
            restarts,
            started_at: entry.at,
            last_failure: before.and_then(|node| node.last_failure),
        };
        nodes.insert(entry.name, node);
        drop(nodes);
        self.changed.send_replace(());
    }

    /// An actor died; who asked for it.
    pub(crate) fn died(&self, name: &str, reason: &str) -> Option<Asked> {
        let asked = self.lock().get_mut(name).and_then(|node| {
            node.running = false;
            if node.asked != Some(Asked::Store) {
                node.last_failure = Some(reason.to_owned());
            }
            node.asked
        });
        self.changed.send_replace(());
        asked
    }

    /// An actor is over for good.
    pub(crate) fn removed(&self, name: &str) {
        self.lock().remove(name);
        self.changed.send_replace(());
    }

    /// Running and restarting actors.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let nodes = self.lock();
        let running = nodes.values().filter(|node| node.running).count();
        (running, nodes.len().saturating_sub(running))
    }

    /// `{root: {…, children: […]}}`.
    pub(crate) fn view(&self) -> Value {
        let nodes = self.lock();
        value(&TreeView { root: nodes.get(ROOT).map(|root| branch(&nodes, ROOT, root)) })
    }

    /// Kills an actor as a crash would and waits for its successor.
    pub(crate) async fn restart(&self, name: &str) -> Result<(), Failure> {
        self.kill(name, Asked::Operator).await
    }

    /// As `restart`, requested by the store itself so that the actor reads everything again. It does not count against
    /// the budget.
    pub(crate) async fn renew(&self, name: &str) -> Result<(), Failure> {
        self.kill(name, Asked::Store).await
    }

    async fn kill(&self, name: &str, asked: Asked) -> Result<(), Failure> {
        if name == ROOT {
            let state = "running".to_owned();
            return Err(Refusal::InvalidState { state, allowed: Vec::new() }.into());
        }
        let mut changed = self.changed.subscribe();
        let generation = {
            let mut nodes = self.lock();
            let node = nodes.get_mut(name).ok_or(Refusal::NotFound("actor"))?;
            node.asked = Some(asked);
            node.cell.kill();
            node.generation
        };
        let deadline = tokio::time::Instant::now() + RESTART_DEADLINE;
        loop {
            changed.borrow_and_update();
            match self.lock().get(name) {
                None => return Err(Refusal::NotFound("actor").into()),
                Some(node) if node.running && node.generation > generation => return Ok(()),
                Some(_) => {}
            }
            if tokio::time::timeout_at(deadline, changed.changed()).await.is_err() {
                return Err(Failure::Unavailable("the actor has not restarted yet"));
            }
        }
    }

    /// The address of an actor, to make it panic.
    #[cfg(test)]
    pub(crate) fn cell(&self, name: &str) -> Option<ActorCell> {
        self.lock().get(name).map(|node| node.cell.clone())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Node>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn branch(nodes: &BTreeMap<String, Node>, name: &str, node: &Node) -> ActorView {
    let children = nodes
        .iter()
        .filter(|(_, child)| child.parent == Some(name))
        .map(|(child_name, child)| branch(nodes, child_name, child))
        .collect();
    ActorView {
        name: name.to_owned(),
        kind: node.kind,
        state: if node.running { "running" } else { "restarting" },
        restarts: node.restarts,
        mailbox: node.queue_len.load(Ordering::Relaxed),
        started_at: node.started_at,
        last_failure: node.last_failure.clone(),
        children,
    }
}
