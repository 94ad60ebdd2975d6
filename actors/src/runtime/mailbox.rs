//! Mailboxes: a supervisor puts the address of a child here, and callers look it up for each message. An address is
//! stale once its actor restarts, so no caller keeps one.

use crate::hub::hub_client::CallError;
use crate::runtime::failure::Failure;
use ractor::{ActorRef, Message};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Time that a message waits for an actor that is restarting.
pub(crate) const RESTART_WAIT: Duration = Duration::from_secs(2);

/// That an owner restarts, and that it is late.
pub(crate) const LEDGER: (&str, &str) = ("the ledger is restarting", "the ledger does not answer in time");
pub(crate) const MEMBERS: (&str, &str) = ("members are restarting", "members do not answer in time");
pub(crate) const CATALOGUE: (&str, &str) =
    ("the catalogue is restarting", "the catalogue does not answer in time");
pub(crate) const SESSIONS: (&str, &str) = ("sessions are restarting", "sessions do not answer in time");

/// Number of messages that wait in a mailbox; ractor does not report it.
pub(crate) type QueueLen = Arc<AtomicUsize>;

/// The current address of one permanent actor, and the number of messages that wait there.
pub(crate) struct Mailbox<M: Message> {
    address: Arc<watch::Sender<Option<ActorRef<M>>>>,
    pub(crate) queue_len: QueueLen,
}

impl<M: Message> Clone for Mailbox<M> {
    fn clone(&self) -> Self {
        Self { address: Arc::clone(&self.address), queue_len: Arc::clone(&self.queue_len) }
    }
}

impl<M: Message> Default for Mailbox<M> {
    fn default() -> Self {
        Self { address: Arc::new(watch::channel(None).0), queue_len: QueueLen::default() }
    }
}

impl<M: Message> Mailbox<M> {
    /// Sends a message with a reply, and waits for it; `words` are the messages for an owner that restarts, and for one
    /// that is late.
    pub(crate) async fn call<T>(
        &self,
        deadline: Duration,
        words: (&'static str, &'static str),
        message: impl FnOnce(oneshot::Sender<T>) -> M,
    ) -> Result<T, NoAnswer> {
        let (reply, answered) = oneshot::channel();
        let restarting = NoAnswer::Restarting(words.0);
        self.send(message(reply)).await.map_err(|_| restarting)?;
        let answered = tokio::time::timeout(deadline, answered).await;
        answered.map_err(|_| NoAnswer::Late(words.1))?.map_err(|_| restarting)
    }

    /// Puts in a new child; messages for its predecessor are lost.
    pub(crate) fn fill(&self, actor: ActorRef<M>) {
        self.queue_len.store(0, Ordering::Relaxed);
        self.address.send_replace(Some(actor));
    }

    /// Sends to the present child; returns the message if there is none.
    pub(crate) fn cast(&self, message: M) -> Result<(), M> {
        let address = self.address.borrow().clone();
        match address {
            Some(actor) => post(&actor, &self.queue_len, message),
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

/// Reason why an owner gave no answer, in words for people.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NoAnswer {
    /// The actor restarts: the message was not decided on.
    Restarting(&'static str),
    /// The fate of the message is unknown.
    Late(&'static str),
}

impl From<NoAnswer> for Failure {
    fn from(none: NoAnswer) -> Self {
        match none {
            NoAnswer::Restarting(words) => Self::Unavailable(words),
            NoAnswer::Late(words) => Self::Unconfirmed(words),
        }
    }
}

impl From<NoAnswer> for CallError {
    fn from((NoAnswer::Restarting(words) | NoAnswer::Late(words)): NoAnswer) -> Self {
        Self::transient(words)
    }
}

/// Sends one message and counts it.
pub(crate) fn post<M: Message>(actor: &ActorRef<M>, queue_len: &QueueLen, message: M) -> Result<(), M> {
    queue_len.fetch_add(1, Ordering::Relaxed);
    actor
        .send_message(message)
        .map_err(|error| {
            message_taken(queue_len);
            match error {
                ractor::MessagingErr::SendErr(message) => Some(message),
                ractor::MessagingErr::ChannelClosed | ractor::MessagingErr::InvalidActorType => None,
            }
        })
        .or_else(|lost| lost.map_or(Ok(()), Err))
}

/// One message less in the mailbox.
pub(crate) fn message_taken(queue_len: &QueueLen) {
    // A restart may have reset the count in between: never below zero.
    let _ =
        queue_len.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_sub(1)));
}
