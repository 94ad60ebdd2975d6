//! Where time and ids come from: given at the edge, so that rules and tests need neither.

use domain::event::Stamp;
use domain::hlc::Clock;
use domain::ids::EventId;
use domain::time::UtcMs;
use std::sync::{Arc, Mutex, PoisonError};

/// The wall clock and the maker of ids, as plain functions.
#[derive(Clone, Copy)]
pub struct Source {
    /// Wall-clock time.
    pub now: fn() -> UtcMs,
    /// A new id with this prefix, for example `trx_`.
    pub id: fn(&str) -> String,
}

/// Stamps for events: wall clock, hybrid clock and event id.
#[derive(Clone)]
pub(crate) struct Stamps {
    source: Source,
    clock: Arc<Mutex<Clock>>,
}

impl Stamps {
    /// Goes on after `last`, the highest stamp that is stored.
    pub(crate) fn new(source: Source, node: &str, last: Option<&str>) -> Self {
        Self { source, clock: Arc::new(Mutex::new(Clock::after(node, last))) }
    }

    pub(crate) fn now(&self) -> UtcMs {
        (self.source.now)()
    }

    pub(crate) fn stamp(&self) -> Stamp {
        let now = self.now();
        let at = self.clock.lock().unwrap_or_else(PoisonError::into_inner).tick(now);
        Stamp { now, at, event_id: EventId(self.text_id("evt_")) }
    }

    /// Merges the hub's time; gives the stamp that the clock goes on from, where it was too far ahead.
    pub(crate) fn heard(&self, hub_time: UtcMs) -> Option<String> {
        let now = self.now();
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).heard(now, hub_time)
    }

    /// Merges a stamp that head office tells of.
    pub(crate) fn saw(&self, stamp: &str) {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).saw(stamp);
    }

    pub(crate) fn id<T: From<String>>(&self, prefix: &str) -> T {
        T::from(self.text_id(prefix))
    }

    /// `count` ids of one kind.
    pub(crate) fn ids<T: From<String>>(&self, prefix: &str, count: usize) -> Vec<T> {
        (0..count).map(|_| self.id(prefix)).collect()
    }

    fn text_id(&self, prefix: &str) -> String {
        (self.source.id)(prefix)
    }
}
