//! The writer thread, the only thread that writes journal and rows.
//!
//! It waits for a commit, takes all waiting commits (and on a slow disk those that are expected soon), writes them with
//! one write and one fdatasync, applies them and answers. Any error stops it permanently: nothing is answered, the
//! process exits, and the restart decides by the state of the disk.

pub mod commit;
pub mod group;
pub mod pace;
pub mod sealer;
pub mod shared;

use crate::error::{StorageError, caught};
use crate::folder::high_water::HighWater;
use crate::journal::history::part::Part;
use crate::journal::segment::{HEAD_BYTES, Segment, SegmentHeader};
use crate::journal::walk::Position;
use crate::rows::mark::Mark;
use crate::writer::commit::{Durable, Noticed, Prepared};
use crate::writer::shared::Shared;
use domain::wire::screen::Notice;
use group::{GROUP_COMMITS_MAX, Group};
use pace::Pace;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

/// Idle time after which the high-water mark is brought to the disk.
const IDLE: Duration = Duration::from_millis(100);

/// Name of the writer's thread.
pub const WRITER: &str = "journal-writer";

/// Callback that runs once a commit is durable.
pub type Then = Box<dyn FnOnce(Durable) + Send>;

/// Messages to the writer.
pub enum Message {
    /// Make a commit durable.
    Commit(Box<Pending>),
    /// Say when everything before is durable and applied.
    Barrier(Box<dyn FnOnce() + Send>),
    /// Write the queued commits, then stop.
    Close,
}

/// A submitted commit.
pub struct Pending {
    /// The bytes to write.
    pub prepared: Prepared,
    /// Whom to notify once it is durable.
    pub then: Then,
}

/// State of the writer's thread.
pub struct Writer {
    /// State shared with the readers.
    pub shared: Arc<Shared>,
    /// Queue of submitted commits.
    pub queue: Receiver<Message>,
    /// The segment that is written to.
    pub segment: Arc<Segment>,
    /// The journal's end, with the rows' sums left out.
    pub mark: Mark,
    /// The position that the journal certainly reached.
    pub high_water: HighWater,
    /// Sealed segments are passed on to the sealer.
    pub sealed: Sender<Option<Arc<Part>>>,
    /// The last group.
    pub pace: Pace,
}

impl Writer {
    /// Works until it is closed or fails.
    pub fn run(mut self) {
        let mut carry = None;
        loop {
            let waiting = carry.take().or_else(|| self.queue.try_recv().ok());
            let idle = waiting.is_none();
            let first = match waiting {
                Some(message) => message,
                None => match self.wait() {
                    Ok(message) => message,
                    Err(error) => return self.stop(error, Vec::new(), None),
                },
            };
            match first {
                Message::Close => break,
                Message::Barrier(done) => done(),
                Message::Commit(pending) => {
                    let mut group = vec![*pending];
                    carry = self.collect(&mut group, idle);
                    if let Err((error, group)) = self.commit(group) {
                        return self.stop(error, group, carry);
                    }
                }
            }
        }
        if let Err(error) = self.finish() {
            self.shared.fail(error);
        }
    }

    /// The next message. While it waits long enough, it writes the high-water mark to the disk.
    fn wait(&mut self) -> Result<Message, StorageError> {
        if self.high_water.dirty() || self.high_water.lsn() < self.mark.lsn {
            match self.queue.recv_timeout(IDLE) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Timeout) => self.idle()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(Message::Close),
            }
        }
        Ok(self.queue.recv().unwrap_or(Message::Close))
    }

    /// Takes the waiting commits, and on a slow disk those that are expected soon. Returns the message that ends the
    /// group.
    fn collect(&self, group: &mut Vec<Pending>, idle: bool) -> Option<Message> {
        let bytes_max = self.shared.group_bytes_max;
        let mut bytes: usize = group.iter().map(|pending| pending.prepared.content.len()).sum();
        let mut expected = None;
        while group.len() < GROUP_COMMITS_MAX && bytes < bytes_max {
            let next = match self.queue.try_recv() {
                Err(TryRecvError::Empty) => {
                    let waited = if idle { 0 } else { group.len() };
                    let until = *expected.get_or_insert_with(|| self.expected(waited));
                    match until {
                        Some((commits, until)) if group.len() < commits => {
                            self.queue.recv_timeout(left(until))
                        }
                        _ => break,
                    }
                }
                next => next.map_err(|_| RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(Message::Commit(pending)) => {
                    bytes += pending.prepared.content.len();
                    group.push(*pending);
                }
                Ok(other) => return Some(other),
                Err(_) => break,
            }
        }
        None
    }

    /// Number of commits that a group waits for, and the end of the wait.
    fn expected(&self, waited: usize) -> Option<(usize, Instant)> {
        self.pace.expected(waited).map(|(commits, wait)| (commits, Instant::now() + wait))
    }

    fn commit(&mut self, mut pending: Vec<Pending>) -> Result<(), (StorageError, Vec<Pending>)> {
        match caught(WRITER, || self.make_durable(&mut pending)) {
            Ok(durables) => {
                self.answer(pending, &durables);
                let bytes_max = self.shared.options.memtable_bytes;
                self.shared.rows.flush_when_full(bytes_max).map_err(|error| (error, Vec::new()))
            }
            Err(error) => Err((error, pending)),
        }
    }

    fn make_durable(&mut self, pending: &mut [Pending]) -> Result<Vec<Durable>, StorageError> {
        if let Some(error) = self.shared.failure() {
            return Err(error);
        }
        let mut group = Group::stamp(pending, &self.mark, &self.shared.layout)?;
        if self.mark.offset + group.bytes.len() as u64 > self.segment.len {
            self.rotate(group.bytes.len() as u64)?;
        }
        group.place(self.mark.segment, self.mark.offset);
        self.segment.write(&group.bytes, self.mark.offset)?;
        let since = Instant::now();
        self.segment.sync()?;
        self.pace = Pace { commits: pending.len(), took: since.elapsed() };
        let stats = &self.shared.counters;
        stats.fdatasyncs.fetch_add(1, Relaxed);
        stats.groups.fetch_add(1, Relaxed);
        stats.commits.fetch_add(pending.len() as u64, Relaxed);
        let texts: usize = pending.iter().flat_map(|it| &it.prepared.texts).map(String::len).sum();
        stats.journal_bytes.fetch_add(group.bytes.len() as u64, Relaxed);
        stats.chained_bytes.fetch_add((group.bytes.len() + texts) as u64, Relaxed);
        self.mark.clone_from(&group.mark);
        group.index(&self.shared.history, pending);
        group.apply(&self.shared.rows, pending)?;
        // Besides the journal nothing else has its position: the rows' engine is behind.
        self.high_water.note(self.mark.lsn)?;
        Ok(group.durables())
    }

    fn answer(&self, pending: Vec<Pending>, durables: &[Durable]) {
        self.shared.publish(&self.mark);
        for (pending, durable) in pending.into_iter().zip(durables) {
            let (then, durable) = (pending.then, *durable);
            self.publish(durable.lsn, pending.prepared.notices);
            if catch_unwind(AssertUnwindSafe(move || then(durable))).is_err() {
                tracing::error!(lsn = durable.lsn, "a task that waited for a commit panicked");
            }
        }
    }

    /// Publishes the notices to event-stream subscribers, if there are any.
    fn publish(&self, lsn: u64, notices: Vec<Notice>) {
        if !notices.is_empty() && self.shared.notices.receiver_count() > 0 {
            let _ = self.shared.notices.send(Arc::new(Noticed { lsn, notices }));
        }
    }

    /// Seals the segment and continues in the next one.
    fn rotate(&mut self, room: u64) -> Result<(), StorageError> {
        let head = SegmentHeader {
            store_id: self.segment.head.store_id.clone(),
            first_lsn: self.mark.lsn + 1,
            chain: self.mark.chain,
            records: self.mark.records.clone(),
        };
        let segment = Arc::new(self.shared.next_segment(head, room)?);
        self.shared.counters.fdatasyncs.fetch_add(1, Relaxed);
        self.high_water.note(self.mark.lsn)?;
        self.high_water.sync()?;
        let end = Position {
            lsn: self.mark.lsn,
            chain: self.mark.chain,
            offset: self.mark.offset,
            records: self.mark.records.clone(),
            at: self.mark.at,
        };
        if end.offset == HEAD_BYTES {
            // Nothing was written yet: the new file has replaced the old one under its name.
            self.shared.history.replace(Arc::clone(&segment));
        } else {
            let part = self.shared.history.rotate(Arc::clone(&segment), end);
            // A stopped sealer has reported why.
            let _ = self.sealed.send(Some(part));
        }
        (self.mark.segment, self.mark.offset) = (segment.head.first_lsn, HEAD_BYTES);
        self.segment = segment;
        Ok(())
    }

    fn idle(&mut self) -> Result<(), StorageError> {
        self.high_water.note(self.mark.lsn)?;
        self.high_water.sync()
    }

    fn finish(&mut self) -> Result<(), StorageError> {
        self.idle()?;
        self.shared.rows.sync()
    }

    /// Stops answering: waiting messages are neither run nor dropped, because a dropped reply would mean
    /// that it was never submitted.
    fn stop(&mut self, error: StorageError, group: Vec<Pending>, carry: Option<Message>) {
        let unanswered = group.len();
        tracing::error!(%error, unanswered, "the journal writer stopped; requests are no longer answered");
        std::mem::forget(group);
        self.shared.fail(error);
        for message in carry.into_iter().chain(self.queue.iter()) {
            match message {
                Message::Close => break,
                Message::Commit(pending) => std::mem::forget(pending),
                Message::Barrier(done) => drop(done),
            }
        }
    }
}

/// The time until then.
fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

#[cfg(test)]
mod tests;
