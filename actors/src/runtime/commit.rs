//! Commits that an owner makes without a command: each with a permit of the reserve.

use crate::runtime::command::Owner;
use crate::runtime::context::Context;
use crate::runtime::decide::Decision;
use crate::runtime::failure::Failure;
use crate::runtime::pending::Pending;
use domain::model::base::event::Event;
use domain::model::hub::stamp::Stamp;
use storage::{Commit, NotSubmitted, Unconfirmed};
use tokio::sync::OwnedSemaphorePermit;

impl Context {
    /// Owner with this memory.
    pub(crate) fn owner<B>(&self, book: B) -> Owner<B> {
        let (storage, rules, stamps) = (self.storage.clone(), self.rules.now(), self.stamps.clone());
        Owner { storage, rules, stamps, book }
    }

    /// Commits events and waits until they are on the disk; without any, nothing is written.
    ///
    /// # Errors
    /// [`Unconfirmed`]: whether they are durable is unknown.
    pub(crate) async fn commit(&self, events: Vec<Event>) -> Result<(), Unconfirmed> {
        if events.is_empty() {
            return Ok(());
        }
        let at = self.stamps.now();
        self.storage.commit(Commit { events, records: Vec::new(), keyed: None, at, hlc: None }).await?;
        Ok(())
    }

    /// Commits events with their records for head office, and waits until they are on the disk. `stamp` is the last one
    /// of all.
    ///
    /// # Errors
    /// The errors of [`Self::commit`].
    pub(crate) async fn commit_records(
        &self,
        stamp: Stamp,
        events: Vec<Event>,
        records: Vec<String>,
    ) -> Result<(), Unconfirmed> {
        self.storage.commit(stamped(stamp, events, records)).await?;
        Ok(())
    }

    /// Ends a command that is decided by rows: submits it, and waits until it is in them, since the next message decides
    /// on them.
    ///
    /// # Errors
    /// The errors of [`Self::commit`].
    pub(crate) async fn submit_decision(
        &self,
        decision: Result<Decision, Failure>,
        pending: Pending,
    ) -> Result<(), Unconfirmed> {
        match decision {
            Err(failure) => pending.refuse(&self.storage, failure),
            Ok(Decision::Answer(answer)) => pending.nothing_to_do(&self.storage, answer),
            Ok(Decision::Commit(outcome)) => {
                if pending.ready(outcome).and_then(|ready| ready.submit(&self.storage)).is_some() {
                    self.storage.barrier().await?;
                }
            }
        }
        Ok(())
    }

    /// Hands events and records to the writer and does not wait. There is no await between deciding and this.
    ///
    /// # Errors
    /// [`NotSubmitted`]: nothing was written, and nothing may be folded.
    pub(crate) fn submit(
        &self,
        permit: OwnedSemaphorePermit,
        stamp: Stamp,
        events: Vec<Event>,
        records: Vec<String>,
    ) -> Result<(), NotSubmitted> {
        self.storage.submit(stamped(stamp, events, records), move |_durable| drop(permit))
    }
}

fn stamped(stamp: Stamp, events: Vec<Event>, records: Vec<String>) -> Commit {
    // A commit without a record has nothing for head office, so it gets no hybrid stamp.
    let hlc = (!records.is_empty()).then_some(stamp.at);
    Commit { events, records, keyed: None, at: stamp.now, hlc }
}
