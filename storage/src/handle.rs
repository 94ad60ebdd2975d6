//! The handle: the interface of the storage for the rest of the program.

use crate::error::{NotSubmitted, NotWritable, StorageError, Unconfirmed};
use crate::journal::scrub::ScrubState;
use crate::rows::scratch::Scratch;
use crate::writer::commit::{Commit, Durable, Noticed, Ready};
use crate::writer::shared::{JournalHead, Shared};
use crate::writer::{Message, Pending};
use domain::model::base::ids::StoreId;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, oneshot, watch};
use tokio::time::timeout;

/// Most commands between their acceptance and their durability; each holds a permit of the gate from before it
/// is in an owner's mailbox.
pub const COMMANDS_MAX: usize = 256;
/// Most own commits of owners in the writer's queue, beside the commands. Each takes a permit of the reserve just
/// before it is submitted, so that the reserve waits for the writer only.
pub const OWN_COMMITS_MAX: usize = 64;
/// Longest wait for the writer. After it the outcome is unknown, as after a crash.
pub const WRITER_DEADLINE: Duration = Duration::from_secs(30);

/// Counters of the work so far, for metrics and tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Durable commits since the start.
    pub commits: u64,
    /// Groups that they were written in.
    pub groups: u64,
    /// fdatasync calls on the journal.
    pub fdatasyncs: u64,
    /// Bytes of frames written.
    pub journal_bytes: u64,
    /// Rows read by key, and ranges begun.
    pub row_reads: u64,
    /// Rows put and deleted, marks among them.
    pub row_writes: u64,
    /// Bytes hashed with SHA-256, for the chains and for the sums of the rows.
    pub hashed_bytes: u64,
    /// Segments of the journal.
    pub segments: u64,
    /// Indexes of sealed segments, their own and merged ones, that look-ups asked.
    pub index_lookups: u64,
    /// Lsn of the last commit.
    pub lsn: u64,
    /// Free bytes on the disk.
    pub free_bytes: u64,
}

/// The storage of one store. Clones share it; dropping the last one closes it.
#[derive(Debug, Clone)]
pub struct Storage {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    queue: Sender<Message>,
    gate: Arc<Semaphore>,
    reserve: Arc<Semaphore>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Storage {
    pub(crate) fn new(shared: Arc<Shared>, queue: Sender<Message>, threads: Vec<JoinHandle<()>>) -> Self {
        let gate = Arc::new(Semaphore::new(COMMANDS_MAX));
        let reserve = Arc::new(Semaphore::new(OWN_COMMITS_MAX));
        Self { inner: Arc::new(Inner { shared, queue, gate, reserve, threads: Mutex::new(threads) }) }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.inner.shared
    }

    /// Long work beside selling ends when the store does.
    pub(crate) fn refuse_when_stopping(&self) -> Result<(), StorageError> {
        let shared = &self.inner.shared;
        if !shared.stopping.load(Relaxed) {
            return Ok(());
        }
        Err(StorageError::Refused { path: shared.layout.0.clone(), what: "the store is stopping".to_owned() })
    }

    /// Waits until the first commits of a start are durable, or returns why they are not.
    pub(crate) fn wait_for_start(&self) -> Result<(), StorageError> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.after_all(move || {
            // The caller may have gone away.
            let _ = sender.send(());
        });
        let started = receiver.recv().is_ok();
        match self.inner.shared.failure() {
            Some(error) => Err(error),
            None if started => Ok(()),
            None => Err(StorageError::Missing { path: self.inner.shared.layout.0.clone() }),
        }
    }

    /// Whose storage it is.
    pub fn store_id(&self) -> &StoreId {
        &self.inner.shared.store_id
    }

    /// The permits of commands: each holds one until its `then` ran, so submitting never blocks. No owner ever waits
    /// for one of these: they are held by the commands in its own mailbox.
    pub fn gate(&self) -> Arc<Semaphore> {
        Arc::clone(&self.inner.gate)
    }

    /// The permits of the owners' own commits. The holder of a permit submits without an await in between.
    pub fn reserve(&self) -> Arc<Semaphore> {
        Arc::clone(&self.inner.reserve)
    }

    /// Waits for a permit of the reserve, which depends only on the writer.
    ///
    /// # Errors
    /// [`Unconfirmed::Late`]; nothing was submitted.
    pub async fn own_permit(&self) -> Result<OwnedSemaphorePermit, Unconfirmed> {
        let permit = timeout(WRITER_DEADLINE, self.reserve().acquire_owned()).await;
        permit.map_err(|_| Unconfirmed::Late)?.map_err(|_| Unconfirmed::Closed)
    }

    /// Hands a commit to the writer. `then` runs on the writer's thread once it is durable and applied; it
    /// must not block. It is dropped without being run only if the commit was never submitted.
    ///
    /// # Errors
    /// [`NotSubmitted`]: it could never be stored, or the storage is closed; nothing changed.
    pub fn submit(
        &self,
        commit: Commit,
        then: impl FnOnce(Durable) + Send + 'static,
    ) -> Result<(), NotSubmitted> {
        self.submit_ready(commit.ready()?, then)
    }

    /// Hands an encoded commit to the writer, as [`Self::submit`] does.
    ///
    /// # Errors
    /// [`NotSubmitted::Closed`].
    pub fn submit_ready(
        &self,
        ready: Ready,
        then: impl FnOnce(Durable) + Send + 'static,
    ) -> Result<(), NotSubmitted> {
        let pending = Box::new(Pending { prepared: ready.prepared, then: Box::new(then) });
        self.inner.queue.send(Message::Commit(pending)).map_err(|_| NotSubmitted::Closed)
    }

    /// An owner's own commit: takes a permit of the reserve, submits and waits.
    ///
    /// # Errors
    /// [`Unconfirmed`]: whether the commit is durable is unknown.
    pub async fn commit(&self, commit: Commit) -> Result<Durable, Unconfirmed> {
        let permit = self.own_permit().await?;
        self.confirm(self.submit_with(permit, commit)).await
    }

    /// Submits under a permit of either kind, at once. The returned future resolves when the commit is durable, and is
    /// [`Storage::confirm`]ed.
    ///
    /// # Errors
    /// The errors of [`Storage::submit`].
    pub fn submit_with(
        &self,
        permit: OwnedSemaphorePermit,
        commit: Commit,
    ) -> Result<oneshot::Receiver<Durable>, NotSubmitted> {
        let (sender, receiver) = oneshot::channel();
        self.submit(commit, move |durable| {
            drop(permit);
            // The waiting caller may have gone away.
            let _ = sender.send(durable);
        })?;
        Ok(receiver)
    }

    /// Waits for a submitted commit.
    ///
    /// # Errors
    /// [`Unconfirmed`]: whether the commit is durable is unknown.
    pub async fn confirm(
        &self,
        submitted: Result<oneshot::Receiver<Durable>, NotSubmitted>,
    ) -> Result<Durable, Unconfirmed> {
        let receiver = submitted.map_err(|error| {
            tracing::error!(%error, "a commit was not submitted");
            Unconfirmed::Closed
        })?;
        tokio::select! {
            answer = timeout(WRITER_DEADLINE, receiver) => {
                answer.map_err(|_| Unconfirmed::Late)?.map_err(|_| Unconfirmed::Closed)
            }
            _ = self.failed() => Err(Unconfirmed::Closed),
        }
    }

    /// Waits until everything that was submitted before is durable and applied.
    ///
    /// # Errors
    /// [`Unconfirmed`].
    pub async fn barrier(&self) -> Result<(), Unconfirmed> {
        let (sender, receiver) = oneshot::channel();
        self.after_all(move || {
            // The caller may have gone away.
            let _ = sender.send(());
        });
        let reached = timeout(WRITER_DEADLINE, receiver).await;
        reached.map_err(|_| Unconfirmed::Late)?.map_err(|_| Unconfirmed::Closed)
    }

    /// Runs `done` on the writer's thread once everything that was submitted before is durable and applied;
    /// it must not block. It is dropped without being run when the storage is closed or failed.
    pub fn after_all(&self, done: impl FnOnce() + Send + 'static) {
        // A closed queue drops `done`, which wakes the waiting caller with an error.
        drop(self.inner.queue.send(Message::Barrier(Box::new(done))));
    }

    /// Resolves when the storage has failed. The process must exit with the error's code. Commits that were not
    /// durable have not been answered, and never will be.
    pub async fn failed(&self) -> StorageError {
        let mut failure = self.inner.shared.failure.subscribe();
        loop {
            if let Some(error) = failure.borrow_and_update().clone() {
                return error;
            }
            if failure.changed().await.is_err() {
                // The sender lives as long as this handle.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits for all that was submitted, brings everything to the disk and lets go of the folder. Blocks.
    ///
    /// # Errors
    /// The storage had failed, or does now.
    pub fn close(self) -> Result<(), StorageError> {
        self.inner.stop();
        self.inner.shared.failure().map_or(Ok(()), Err)
    }

    /// The message that [`Storage::close`] sends first.
    #[cfg(test)]
    pub(crate) fn ask_to_close(&self) {
        drop(self.inner.queue.send(Message::Close));
    }

    /// HMAC-SHA-256 of length-prefixed parts under the installation key.
    pub fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.inner.shared.key.fingerprint(parts)
    }

    /// The end of the journal.
    pub fn head(&self) -> JournalHead {
        self.inner.shared.head()
    }

    /// Changes with the last seq: the outbox's poke.
    pub fn watch_seq(&self) -> watch::Receiver<u64> {
        self.inner.shared.seq.subscribe()
    }

    /// Notices to screens about commits that become durable from now on. A receiver that does not keep up gets the
    /// number that it missed.
    pub fn notices(&self) -> broadcast::Receiver<Arc<Noticed>> {
        self.inner.shared.notices.subscribe()
    }

    /// Whether commands may be decided: asked before every one that writes.
    pub fn writable(&self) -> Result<(), NotWritable> {
        let shared = &self.inner.shared;
        if shared.failure.borrow().is_some() {
            return Err(NotWritable::Failed);
        }
        let (free, needed) = (shared.free_bytes(), shared.options.min_free_bytes);
        if free < needed {
            if let Err(error) = std::fs::metadata(shared.layout.journal()) {
                let (path, why) = (shared.layout.0.clone(), error.to_string());
                return Err(NotWritable::Gone { path, why });
            }
            return Err(NotWritable::LowSpace { free, needed });
        }
        shared.supply.failure().map_or(Ok(()), |why| Err(NotWritable::NoSegment { why }))
    }

    /// An empty set. Work that is interrupted leaves nothing.
    ///
    /// # Errors
    /// The disk refuses, or has no room to spare.
    pub fn scratch(&self) -> Result<Scratch, StorageError> {
        let path = self.inner.shared.layout.scratch();
        match self.writable() {
            Ok(()) => Scratch::new(&path),
            Err(why) => Err(StorageError::Refused { path, what: why.to_string() }),
        }
    }

    /// Damage found by the slow scrub of old segments, by file and offset; empty if there is none so far.
    pub fn damage(&self) -> Vec<String> {
        self.inner.shared.scrub.state().damage
    }

    /// Progress of the slow scrub of old segments, and its findings.
    pub fn scrub(&self) -> ScrubState {
        self.inner.shared.scrub.state()
    }

    /// Counters of the work so far.
    pub fn stats(&self) -> Stats {
        let shared = &self.inner.shared;
        let counters = &shared.counters;
        Stats {
            commits: counters.commits.load(Relaxed),
            groups: counters.groups.load(Relaxed),
            fdatasyncs: counters.fdatasyncs.load(Relaxed),
            journal_bytes: counters.journal_bytes.load(Relaxed),
            row_reads: shared.rows.counters.reads.load(Relaxed),
            row_writes: shared.rows.counters.writes.load(Relaxed),
            hashed_bytes: counters.chained_bytes.load(Relaxed)
                + shared.rows.counters.hashed_bytes.load(Relaxed),
            segments: shared.history.segments().len() as u64,
            index_lookups: shared.history.lookups(),
            lsn: self.head().lsn,
            free_bytes: shared.free_bytes(),
        }
    }
}

impl Inner {
    fn stop(&self) {
        // An ended writer needs no message.
        let _ = self.queue.send(Message::Close);
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for (index, thread) in threads.into_iter().enumerate() {
            // The last handle may be dropped by a `then` on the writer's own thread.
            if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
                tracing::error!("a storage thread panicked");
            }
            if index == 0 {
                // The writer may need a segment until its end.
                self.shared.stopping.store(true, Relaxed);
                self.shared.supply.stop();
                self.shared.scrub.stop();
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop();
    }
}
