//! Probes whether commands work: one that changes nothing takes the way of every command, with a permit of the gate
//! through an owner's mailbox and the writer, and back.

use super::StoreHandle;
use crate::message::{CatalogueMessage, LedgerMessage, MembersMessage, OutboxMessage, SessionsMessage};
use crate::runtime::pending::Pending;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

/// After this a probe that did not come back is given up, and the next one may start.
const GIVEN_UP: Duration = Duration::from_secs(60);
/// A probe whose owner died under way is sent to its successor.
const ATTEMPTS: u32 = 2;

/// The owners of all changes. A shift's own commands wait for the same writer, and it ends itself if the ledger does
/// not answer.
const OWNERS: [&str; 5] = ["ledger", "members", "catalogue", "sessions", "outbox"];

/// End of a probe. `None` while it is under way.
type Ended = watch::Receiver<Option<bool>>;

/// The latest probe of each owner: at most one is under way.
#[derive(Default)]
pub(super) struct Probes([Mutex<Option<Ended>>; OWNERS.len()]);

impl StoreHandle {
    /// Owners that processed no command within `patience`; empty without problems. A caller that asks while a probe is
    /// under way waits for that probe, so a hanging owner is not asked repeatedly.
    pub async fn stuck(&self, patience: Duration) -> Vec<&'static str> {
        let deadline = Instant::now() + patience;
        let probes: Vec<(&str, Ended)> = OWNERS
            .into_iter()
            .zip(&self.probes.0)
            .map(|(owner, latest)| (owner, self.probe(owner, latest)))
            .collect();
        let mut stuck = Vec::new();
        for (owner, mut ended) in probes {
            let ended = timeout_at(deadline, ended.wait_for(Option::is_some)).await;
            if !ended.is_ok_and(|ended| ended.is_ok_and(|passed| *passed == Some(true))) {
                stuck.push(owner);
            }
        }
        stuck
    }

    fn probe(&self, owner: &'static str, latest: &Mutex<Option<Ended>>) -> Ended {
        let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        // The sender of an ended task is gone.
        if let Some(ended) =
            latest.as_ref().filter(|ended| ended.borrow().is_none() && ended.has_changed().is_ok())
        {
            return ended.clone();
        }
        let (tell, ended) = watch::channel(None);
        let store = self.clone();
        tokio::spawn(async move {
            let passed = timeout(GIVEN_UP, store.passes(owner)).await.unwrap_or(false);
            tell.send_replace(Some(passed));
        });
        *latest = Some(ended.clone());
        ended
    }

    async fn passes(&self, owner: &str) -> bool {
        for _ in 0..ATTEMPTS {
            let Ok(permit) = self.context.storage.gate().acquire_owned().await else { return false };
            let (pending, answered) = Pending::new(None, permit, self.context.sync.clone());
            let context = &self.context;
            // A message that is not sent is dropped, which is noticed below.
            match owner {
                "ledger" => drop(context.ledger.send(LedgerMessage::Probe { pending }).await),
                "members" => drop(context.members.send(MembersMessage::Probe { pending }).await),
                "catalogue" => drop(context.catalogue.send(CatalogueMessage::Probe { pending }).await),
                "sessions" => drop(context.sessions.send(SessionsMessage::Probe { pending }).await),
                _ => drop(context.outbox.send(OutboxMessage::Probe { pending }).await),
            }
            if let Ok(answer) = answered.await {
                return answer.is_ok();
            }
        }
        false
    }
}
