//! Slots: where a supervisor puts the address of a child, and where callers look for it.
//!
//! Addresses go stale when an actor restarts, so nobody keeps one longer than a call.

use ractor::{ActorRef, Message};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// How long a message waits for an actor that is restarting.
pub(crate) const RESTART_WAIT: Duration = Duration::from_secs(2);

/// How many messages wait in a mailbox; ractor does not tell.
pub(crate) type Depth = Arc<AtomicUsize>;

/// The address of one permanent actor.
pub(crate) struct Slot<M: Message> {
    address: Arc<watch::Sender<Option<ActorRef<M>>>>,
    pub(crate) depth: Depth,
}

impl<M: Message> Clone for Slot<M> {
    fn clone(&self) -> Self {
        Self { address: Arc::clone(&self.address), depth: Arc::clone(&self.depth) }
    }
}

impl<M: Message> Default for Slot<M> {
    fn default() -> Self {
        Self { address: Arc::new(watch::channel(None).0), depth: Depth::default() }
    }
}

impl<M: Message> Slot<M> {
    /// A new child is there; what waited for its predecessor is gone.
    pub(crate) fn fill(&self, actor: ActorRef<M>) {
        self.depth.store(0, Ordering::Relaxed);
        self.address.send_replace(Some(actor));
    }

    /// Sends to the child as it is now; gives the message back when there is none.
    pub(crate) fn cast(&self, message: M) -> Result<(), M> {
        let address = self.address.borrow().clone();
        match address {
            Some(actor) => post(&actor, &self.depth, message),
            None => Err(message),
        }
    }

    /// Sends, waiting a moment for a child that is restarting.
    pub(crate) async fn send(&self, mut message: M) -> Result<(), M> {
        let mut filled = self.address.subscribe();
        let deadline = tokio::time::Instant::now() + RESTART_WAIT;
        loop {
            filled.borrow_and_update();
            message = match self.cast(message) {
                Ok(()) => return Ok(()),
                Err(message) => message,
            };
            if !matches!(tokio::time::timeout_at(deadline, filled.changed()).await, Ok(Ok(()))) {
                return Err(message);
            }
        }
    }
}

/// Sends one message and counts it.
pub(crate) fn post<M: Message>(actor: &ActorRef<M>, depth: &Depth, message: M) -> Result<(), M> {
    depth.fetch_add(1, Ordering::Relaxed);
    actor
        .send_message(message)
        .map_err(|error| {
            taken(depth);
            match error {
                ractor::MessagingErr::SendErr(message) => Some(message),
                ractor::MessagingErr::ChannelClosed | ractor::MessagingErr::InvalidActorType => None,
            }
        })
        .or_else(|lost| lost.map_or(Ok(()), Err))
}

/// One message less in the mailbox.
pub(crate) fn taken(depth: &Depth) {
    // A restart may have reset the count in between: never below zero.
    let _ = depth.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_sub(1)));
}
