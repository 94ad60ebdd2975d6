//! The slow scrub: old segments are read again and again, so that damage is named while a copy exists.

use crate::error::StorageError;
use crate::journal::history::History;
use crate::journal::segment::Segment;
use crate::journal::walk::{Position, Walk};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that are read between two pauses.
const STRIDE_BYTES: u64 = 1024 * 1024;
/// Pause between strides: at most 4 MiB per second.
const PAUSE: Duration = Duration::from_millis(250);
/// Pause between passes over all segments.
const PASS_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// Progress of the scrub, and its findings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScrubState {
    /// When the last pass over all sealed segments ended. `None` if none ended since the start.
    pub finished: Option<Instant>,
    /// Bytes that the current or last pass has read.
    pub read_bytes: u64,
    /// Bytes that the pass reads in all.
    pub total_bytes: u64,
    /// Damage by file and offset.
    pub damage: Vec<String>,
}

/// State of the scrub, and its stop signal.
#[derive(Debug, Default)]
pub struct Scrub {
    state: Mutex<ScrubState>,
    stop: Mutex<bool>,
    stopped: Condvar,
}

impl Scrub {
    /// Reads sealed segments until it is stopped.
    pub fn run(&self, history: &History) {
        loop {
            let parts = history.sealed();
            self.change(|state| {
                state.total_bytes = parts.iter().map(|part| part.end.offset).sum();
                state.read_bytes = 0;
            });
            for part in parts {
                if self.check(&part.segment, &part.end).is_none() {
                    return;
                }
            }
            self.change(|state| {
                state.read_bytes = state.total_bytes;
                state.finished = Some(Instant::now());
            });
            if self.pause(PASS_PAUSE) {
                return;
            }
        }
    }

    /// Its progress and findings.
    pub fn state(&self) -> ScrubState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut ScrubState)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Stops the thread.
    pub fn stop(&self) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stopped.notify_all();
    }

    /// Reads a segment slowly; `None` if it was stopped.
    fn check(&self, segment: &Segment, end: &Position) -> Option<()> {
        let mut walk = Walk::new(segment, Position::start(segment));
        let mut stride_end = STRIDE_BYTES;
        loop {
            match walk.step() {
                Ok(Some(_)) => {}
                Ok(None) if walk.place() == end => break,
                Ok(None) => {
                    let what = format!("lsn {} should begin here and does not", walk.place().lsn + 1);
                    self.name(StorageError::damaged(&segment.path, walk.place().offset, what));
                    break;
                }
                Err(error) => {
                    self.name(error);
                    break;
                }
            }
            if walk.place().offset >= stride_end {
                stride_end = walk.place().offset + STRIDE_BYTES;
                self.change(|state| state.read_bytes += STRIDE_BYTES);
                if self.pause(PAUSE) {
                    return None;
                }
            }
        }
        (!self.pause(PAUSE)).then_some(())
    }

    fn name(&self, error: StorageError) {
        let text = error.to_string();
        self.change(|state| {
            if !state.damage.contains(&text) {
                tracing::error!(%error, "the scrub found damage in an old segment");
                state.damage.push(text);
            }
        });
    }

    /// Waits; true when it was stopped.
    fn pause(&self, time: Duration) -> bool {
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.stopped.wait_timeout_while(stop, time, |stop| !*stop);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
