//! Background work after a segment is sealed: its index, the indexes merged from it and its neighbours,
//! the rows on the disk, a snapshot.

use crate::error::StorageError;
use crate::journal::history::part::Part;
use crate::snapshot;
use crate::writer::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

/// Copying rows may take this part of the time: where many sales a second fill a segment every few seconds, one
/// snapshot serves several of them.
const SNAPSHOT_PART: u32 = 16;

/// Works until the writer has ended. `None` asks for missing files as well.
pub fn run(shared: &Shared, sealed: &Receiver<Option<Arc<Part>>>) {
    let mut snapshots = Snapshots { wanted: false, next: Instant::now() };
    loop {
        let parts = match snapshots.wait(sealed) {
            Ok(first) => std::iter::once(first).chain(sealed.try_iter()).flatten().collect(),
            Err(RecvTimeoutError::Timeout) => Vec::new(),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if let Err(error) = settle(shared, &parts).and_then(|()| snapshots.take(shared)) {
            shared.fail(error);
            return;
        }
    }
}

/// When the next snapshot is taken.
struct Snapshots {
    /// A segment was sealed since the last one.
    wanted: bool,
    next: Instant,
}

impl Snapshots {
    /// The next sealed segment, or that a snapshot is due.
    fn wait(&mut self, sealed: &Receiver<Option<Arc<Part>>>) -> Result<Option<Arc<Part>>, RecvTimeoutError> {
        if self.wanted {
            sealed.recv_timeout(self.next.saturating_duration_since(Instant::now()))
        } else {
            let first = sealed.recv().map_err(|_| RecvTimeoutError::Disconnected);
            self.wanted = true;
            first
        }
    }

    /// Takes one, unless the last one was taken a moment ago.
    fn take(&mut self, shared: &Shared) -> Result<(), StorageError> {
        let since = Instant::now();
        if since < self.next {
            return Ok(());
        }
        self.wanted = false;
        match snapshot::take(&shared.layout, &shared.store_id.0, &shared.rows) {
            Err(error @ StorageError::Rows { .. }) => return Err(error),
            Err(error) => tracing::warn!(%error, "no snapshot could be written"),
            Ok(()) => {}
        }
        self.next = Instant::now() + since.elapsed().saturating_mul(SNAPSHOT_PART);
        Ok(())
    }
}

fn settle(shared: &Shared, sealed: &[Arc<Part>]) -> Result<(), StorageError> {
    for part in sealed {
        if let Err(error) = part.store() {
            // It stays in memory; the next start makes the file.
            tracing::warn!(%error, "a segment's index could not be written");
        }
    }
    shared.history.refresh()?;
    if let Err(error) = shared.history.merge(&shared.layout.journal(), &shared.stopping)
        && !shared.stopping.load(Relaxed)
    {
        // Look-ups ask more indexes meanwhile.
        tracing::warn!(%error, "the indexes of segments could not be merged");
    }
    shared.rows.sync()
}
