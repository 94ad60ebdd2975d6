//! Segments one ahead, and the reserve: made by a background thread, because zero-filling takes time and
//! room.

use crate::error::StorageError;
use crate::layout::{Layout, remove};
use crate::segment::Segment;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Room that a full disk leaves to open and drain (16 MiB, or a segment where that is smaller).
const RESERVE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Pause before a segment that could not be made is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// What is ready.
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
    failure: Option<String>,
    stop: bool,
}

impl Supply {
    /// A supply that has nothing yet.
    pub fn new(layout: &Layout, segment_bytes: u64, min_free_bytes: u64) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self { layout: layout.clone(), segment_bytes, min_free_bytes, state, changed }
    }

    /// The background thread.
    pub fn run(&self) {
        loop {
            let made = self.make();
            let mut state = self.state();
            state.ready = made.is_ok();
            let failure = made.err().map(|error| error.to_string());
            if let Some(why) = failure.as_ref().filter(|_| failure != state.failure) {
                tracing::error!(why, "the next journal segment could not be made");
            }
            state.failure = failure;
            self.changed.notify_all();
            while state.ready && !state.stop {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.failure.is_some() && !state.stop {
                state = self.changed.wait_timeout(state, RETRY).unwrap_or_else(PoisonError::into_inner).0;
            }
            if state.stop {
                return;
            }
        }
    }

    /// Ends the thread.
    pub fn stop(&self) {
        self.state().stop = true;
        self.changed.notify_all();
    }

    /// Why there is no next segment; none while all is well.
    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    /// Waits for the next segment's file. Where the background thread had no room, the reserve is given up.
    pub fn take(&self) -> Result<(), StorageError> {
        let mut state = self.state();
        while !state.ready && state.failure.is_none() && !state.stop {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.ready {
            remove(&self.layout.reserve())?;
            Segment::fill(&self.layout.next_segment(), self.segment_bytes)?;
        }
        Ok(())
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
        tracing::warn!("the disk is full: the reserve is given up to open and drain");
        remove(&self.layout.reserve())
    }

    fn make(&self) -> Result<(), StorageError> {
        let next = self.layout.next_segment();
        // A file of another size comes from other settings.
        if std::fs::metadata(&next).map_or(0, |file| file.len()) < self.segment_bytes {
            Segment::fill(&next, self.segment_bytes)?;
        }
        let reserve = self.layout.reserve();
        if !reserve.exists() && self.free() >= self.min_free_bytes.saturating_add(self.reserve_bytes()) {
            Segment::fill(&reserve, self.reserve_bytes())?;
        }
        Ok(())
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
