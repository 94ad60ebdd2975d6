//! What follows a sealed segment, in the background: its index, those that are merged of it and its neighbours',
//! the rows on the disk, a snapshot.

use crate::error::StorageError;
use crate::journal::history::part::Part;
use crate::snapshot;
use crate::writer::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;

/// Works until the writer is gone. `None` asks for what is missing besides.
pub fn run(shared: &Shared, sealed: &Receiver<Option<Arc<Part>>>) {
    while let Ok(first) = sealed.recv() {
        for part in std::iter::once(first).chain(sealed.try_iter()).flatten() {
            if let Err(error) = part.store() {
                // It stays in memory; the next start makes the file.
                tracing::warn!(%error, "a segment's index could not be written");
            }
        }
        if let Err(error) = settle(shared) {
            shared.fail(error);
            return;
        }
    }
}

fn settle(shared: &Shared) -> Result<(), StorageError> {
    shared.history.refresh()?;
    if let Err(error) = shared.history.merge(&shared.layout.journal(), &shared.stopping)
        && !shared.stopping.load(Relaxed)
    {
        // Look-ups ask more indexes meanwhile.
        tracing::warn!(%error, "the indexes of segments could not be merged");
    }
    shared.rows.sync()?;
    match snapshot::take(&shared.layout, &shared.store_id.0, &shared.rows) {
        Err(error @ StorageError::Rows { .. }) => Err(error),
        Err(error) => {
            tracing::warn!(%error, "no snapshot could be written");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}
