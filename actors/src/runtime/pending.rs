//! A command's way to its answer: a linear value that ends in exactly one commit or one refusal.

use crate::hub::sync_state::SyncState;
use crate::runtime::decide::Outcome;
use crate::runtime::failure::{Done, Failure};
use crate::runtime::idempotency::{KeyGuard, RequestKey};
use domain::model::base::answer::Answer;
use domain::model::base::event::Event;
use domain::wire::record;
use storage::{Commit, Keyed, Ready, Storage};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// Travels with a command from HTTP through the actors to the writer.
///
/// Dropping it drops the caller's reply, which proves that the command was never submitted.
pub struct Pending {
    guard: Option<KeyGuard>,
    permit: OwnedSemaphorePermit,
    reply: Reply,
    sync: SyncState,
}

/// Sender of the answer.
pub(crate) type Reply = oneshot::Sender<Result<Done, Failure>>;

impl Pending {
    pub(crate) fn new(
        guard: Option<KeyGuard>,
        permit: OwnedSemaphorePermit,
        sync: SyncState,
    ) -> (Self, oneshot::Receiver<Result<Done, Failure>>) {
        let (reply, answered) = oneshot::channel();
        (Self { guard, permit, reply, sync }, answered)
    }

    /// For an owner's own commit: without a key, with a permit of the reserve that was just taken.
    pub(crate) fn of_owner(permit: OwnedSemaphorePermit, reply: Reply, sync: SyncState) -> Self {
        Self { guard: None, permit, reply, sync }
    }

    /// Ends the command without a change: a refusal, or not now.
    pub(crate) fn fail(self, failure: Failure) {
        drop(self.guard);
        // Nothing happened: it does not matter if the caller has gone away.
        let _ = self.reply.send(Err(failure));
    }

    /// Ends the command with a refusal. It may depend on an event that was submitted just before ("paid already"), so
    /// it is answered when that is durable.
    pub(crate) fn refuse(self, storage: &Storage, failure: Failure) {
        storage.after_all(move || self.fail(failure));
    }

    /// Ends the command because there was nothing to do. It is answered when the rows that this depends on are
    /// durable.
    pub(crate) fn nothing_to_do(self, storage: &Storage, answer: Answer) {
        let Self { guard, permit, reply, .. } = self;
        storage.after_all(move || {
            drop(guard);
            // Nothing happened: it does not matter if the caller has gone away.
            let _ = reply.send(Ok(Done { answer, replayed: false }));
            drop(permit);
        });
    }

    /// Encodes the outcome. One that can't be stored is a defect: the caller gets an error, nothing changes.
    ///
    /// Every command of every owner passes here on its way to the writer. Since it was accepted this copy may have
    /// been fenced, or its records may have begun to come back: then nothing changes either. Nor does it where a record
    /// is larger than head office takes: it would end the synchronisation of the store.
    pub(crate) fn ready(self, outcome: Outcome) -> Option<ReadyCommand> {
        if let Err(failure) = self.sync.refuse_if_fenced() {
            self.fail(failure);
            return None;
        }
        let Outcome { events, records, answer, stamp, sale } = outcome;
        if let Err(refusal) = record::all_fit(&records) {
            self.fail(refusal.into());
            return None;
        }
        // A stored answer goes into the commit and comes back from it.
        let (keyed, unkept) = match self.guard.as_ref().map(|guard| guard.request.clone()) {
            Some(RequestKey { key, command }) => (Some(Keyed { key, command, answer }), None),
            None => (None, Some(answer)),
        };
        let commit = Commit { events, records, keyed, at: stamp.now, hlc: Some(stamp.at) };
        let ready =
            commit.ready_with(sale.as_ref()).map_err(|error| error.to_string()).and_then(|mut commit| {
                let answer = unkept.or_else(|| commit.answer.take()).ok_or("a commit without its answer")?;
                Ok((commit, answer))
            });
        match ready {
            Ok((commit, answer)) => Some(ReadyCommand { pending: self, commit, answer }),
            Err(error) => {
                self.fail(Failure::Internal(error));
                None
            }
        }
    }
}

/// A decided command, encoded.
pub(crate) struct ReadyCommand {
    pending: Pending,
    commit: Ready,
    answer: Answer,
}

impl ReadyCommand {
    /// Hands the command to the writer, which answers once it is durable. Never waits.
    ///
    /// Returns the events, which its owner folds now. None: it was not submitted, and the caller sees a dropped reply.
    pub(crate) fn submit(self, storage: &Storage) -> Option<Vec<Event>> {
        let Self { pending: Pending { guard, permit, reply, .. }, mut commit, answer } = self;
        let events = std::mem::take(&mut commit.events);
        let submitted = storage.submit_ready(commit, move |_durable| {
            drop(guard);
            // The caller may have given up; the effects stand.
            let _ = reply.send(Ok(Done { answer, replayed: false }));
            drop(permit);
        });
        submitted.inspect_err(|error| tracing::error!(%error, "a command was not submitted")).ok()?;
        Some(events)
    }
}
