//! Idempotency keys of requests that are still running; the finished ones are in the journal.

use crate::runtime::failure::{Done, Failure};
use domain::model::base::command_print::CommandPrint;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use storage::Storage;
use tokio::sync::watch;

/// Time that a repeated request waits for the first one.
pub(crate) const WAIT_FOR_FIRST: Duration = Duration::from_secs(2);

/// HMACs of a request's scope (user, method, path, key) and of its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// Hash of user, method, path and key.
    pub key: [u8; 32],
    /// Hash of body and query.
    pub command: CommandPrint,
}

/// Keys in use, each with the requests that wait for its end: `None` until a second request has the same key.
type Running = Arc<Mutex<HashMap<[u8; 32], Option<watch::Sender<()>>>>>;

/// The keys in flight.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys(Running);

/// Holds a key; dropping it lets the next request with it continue.
#[derive(Debug)]
pub(crate) struct KeyGuard {
    running: Running,
    pub(crate) request: RequestKey,
}

impl Drop for KeyGuard {
    fn drop(&mut self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.request.key);
    }
}

/// Outcome of a key.
pub(crate) enum Begun {
    /// Run it; the guard travels with the commit.
    Fresh(KeyGuard),
    /// It ran before, with this answer.
    Replay(Done),
}

impl Keys {
    /// Takes the key, replays its stored answer, or waits for the request that holds it.
    pub(crate) async fn begin(&self, storage: &Storage, request: &RequestKey) -> Result<Begun, Failure> {
        let deadline = tokio::time::Instant::now() + WAIT_FOR_FIRST;
        loop {
            match self.take(request) {
                Ok(guard) => return stored(storage, guard),
                Err(mut first) => {
                    // `changed` fails when the key is let go: that is the signal.
                    let ended = tokio::time::timeout_at(deadline, first.changed()).await;
                    ended.map_or(Err(Failure::InProgress), |_| Ok(()))?;
                }
            }
        }
    }

    fn take(&self, request: &RequestKey) -> Result<KeyGuard, watch::Receiver<()>> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match running.entry(request.key) {
            Entry::Occupied(mut first) => {
                Err(first.get_mut().get_or_insert_with(|| watch::Sender::new(())).subscribe())
            }
            Entry::Vacant(free) => {
                free.insert(None);
                Ok(KeyGuard { running: Arc::clone(&self.0), request: request.clone() })
            }
        }
    }
}

/// Looks into the journal only while holding the key: a first request that has just finished is
/// applied before it lets go.
fn stored(storage: &Storage, guard: KeyGuard) -> Result<Begun, Failure> {
    match storage.log().answer(&guard.request.key)? {
        None => Ok(Begun::Fresh(guard)),
        Some(stored) => match guard.request.command.differs(&stored.command) {
            differs if differs.is_empty() => {
                Ok(Begun::Replay(Done { answer: stored.answer, replayed: true }))
            }
            differs => Err(Failure::KeyReused(differs)),
        },
    }
}
