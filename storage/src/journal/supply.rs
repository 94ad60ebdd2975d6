//! Segments one ahead, and the reserve: made by a background thread, because zero-filling takes time and
//! room.

use crate::error::StorageError;
use crate::folder::layout::{Layout, remove};
use crate::journal::segment::Segment;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Room that a full disk leaves to open and drain (16 MiB, or a segment where that is smaller).
const RESERVE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Pause before a segment that could not be made is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// The segment that is prepared in advance.
#[derive(Debug)]
pub struct Supply {
    layout: Layout,
    segment_bytes: u64,
    min_free_bytes: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ready: bool,
    failure: Option<StorageError>,
    /// The writer waits: the reserve is given up rather than fail.
    urgent: bool,
    stop: bool,
    /// Whether the thread has ended.
    ended: bool,
}

impl Supply {
    /// A supply that has nothing yet.
    pub fn new(layout: &Layout, segment_bytes: u64, min_free_bytes: u64) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self { layout: layout.clone(), segment_bytes, min_free_bytes, state, changed }
    }

    /// The background thread: the only one that fills files while it runs, since two of them would zero
    /// each other's.
    pub fn run(&self) {
        let mut state = self.state();
        while !state.stop {
            let urgent = std::mem::take(&mut state.urgent);
            drop(state);
            let made = self.make(urgent);
            state = self.state();
            if made.is_err() && state.urgent {
                continue;
            }
            state = self.publish(state, made);
        }
        state.ended = true;
        self.changed.notify_all();
    }

    /// Reports the result, and waits for the next request.
    fn publish<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        made: Result<(), StorageError>,
    ) -> MutexGuard<'a, State> {
        state.ready = made.is_ok();
        state.urgent = false;
        let known = std::mem::replace(&mut state.failure, made.err()).map(|error| error.to_string());
        let failure = state.failure.as_ref().map(ToString::to_string);
        if let Some(why) = failure.filter(|why| known.as_ref() != Some(why)) {
            tracing::error!(why, "the next journal segment could not be made");
        }
        self.changed.notify_all();
        while state.ready && !state.stop {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.failure.is_some() && !state.stop {
            state = self.changed.wait_timeout(state, RETRY).unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }

    /// Stops the thread.
    pub fn stop(&self) {
        self.state().stop = true;
        self.changed.notify_all();
    }

    /// Why there is no next segment; `None` without a problem.
    pub fn failure(&self) -> Option<String> {
        self.state().failure.as_ref().map(ToString::to_string)
    }

    /// Waits for the next segment's file. Where the background thread had no room, the reserve is given up.
    pub fn take(&self) -> Result<(), StorageError> {
        let mut state = self.state();
        if !state.ready && !state.ended {
            (state.urgent, state.failure) = (true, None);
            self.changed.notify_all();
        }
        while !state.ready && state.failure.is_none() && !state.ended {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match &state.failure {
            _ if state.ready => Ok(()),
            Some(error) => Err(error.clone()),
            None => self.make(true),
        }
    }

    /// The file was taken: the next one is wanted.
    pub fn taken(&self) {
        self.state().ready = false;
        self.changed.notify_all();
    }

    /// Gives up the reserve where the disk is so full that a start may not get through.
    pub fn make_room(&self) -> Result<(), StorageError> {
        if self.free() >= self.reserve_bytes() {
            return Ok(());
        }
        tracing::warn!("the disk is full: the reserve is released to open and drain");
        remove(&self.layout.reserve())
    }

    fn make(&self, urgent: bool) -> Result<(), StorageError> {
        let next = self.layout.next_segment();
        // A file of another size comes from other settings.
        if std::fs::metadata(&next).map_or(0, |file| file.len()) < self.segment_bytes {
            // No commit waits for it yet. The remaining space of a full disk is for the rows that are about to be
            // written.
            if !urgent && self.is_short() {
                let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
                return Err(StorageError::io("make", &next)(full));
            }
            match Segment::fill(&next, self.segment_bytes) {
                Err(error) if urgent => {
                    tracing::warn!(%error, "the reserve is released for the next journal segment");
                    remove(&self.layout.reserve())?;
                    Segment::fill(&next, self.segment_bytes)?;
                }
                filled => filled?,
            }
        }
        if urgent {
            return Ok(());
        }
        let reserve = self.layout.reserve();
        if !reserve.exists() && self.free() >= self.min_free_bytes.saturating_add(self.reserve_bytes()) {
            Segment::fill(&reserve, self.reserve_bytes())?;
        }
        Ok(())
    }

    /// Whether a segment would take space that is reserved.
    fn is_short(&self) -> bool {
        let wanted = self.segment_bytes.saturating_add(self.reserve_bytes());
        !self.layout.reserve().exists()
            && fs2::available_space(&self.layout.0).is_ok_and(|free| free < wanted)
    }

    fn reserve_bytes(&self) -> u64 {
        self.segment_bytes.min(RESERVE_BYTES_MAX)
    }

    fn free(&self) -> u64 {
        fs2::available_space(&self.layout.0).unwrap_or(0)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use std::fs;

    #[test]
    fn waiters_get_a_file_or_the_reason_and_the_reserve_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout(folder.path().to_owned());
        fs::create_dir(layout.journal()).unwrap();
        fs::write(layout.reserve(), [0; 100]).unwrap();
        let obstacle = layout.next_segment().with_extension("tmp");
        fs::create_dir(&obstacle).unwrap();
        let supply = Supply::new(&layout, 4096, u64::MAX);
        std::thread::scope(|scope| {
            scope.spawn(|| supply.run());
            while supply.failure().is_none() {
                std::thread::yield_now();
            }
            assert!(layout.reserve().exists(), "not given up before somebody waits");
            assert!(supply.take().is_err());
            assert!(!layout.reserve().exists());
            fs::remove_dir(&obstacle).unwrap();
            for _ in 0..20 {
                supply.take().unwrap();
                fs::remove_file(layout.next_segment()).unwrap();
                supply.taken();
            }
            supply.stop();
        });
        // The commits that the writer drains after the thread's end may need one more.
        supply.taken();
        supply.take().unwrap();
        assert_eq!(fs::metadata(layout.next_segment()).unwrap().len(), 4096);
    }
}
