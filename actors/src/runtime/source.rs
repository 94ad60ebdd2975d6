//! Source of time and IDs. The program passes it in, so that rules and tests need no clock and no randomness.

use domain::model::base::ids::EventId;
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc;
use domain::model::hub::hlc::Clock;
use domain::model::hub::stamp::Stamp;
use domain::rules::base::trusted_time::{TrustedTime, clocks_agree, trusted_at_start};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The wall clock and the generator of IDs, as plain functions.
#[derive(Clone, Copy)]
pub struct Source {
    pub now: fn() -> UtcMs,
    /// A new ID with this prefix, for example `trx_`.
    pub id: fn(&str) -> String,
}

/// Creates the stamps of events (wall clock, hybrid clock and event ID) and keeps the trusted time.
#[derive(Clone)]
pub(crate) struct Stamps {
    source: Source,
    clock: Arc<Mutex<Clock>>,
    started: Instant,
    /// How far this machine's wall clock is trusted.
    own: Arc<Mutex<TrustedTime>>,
    /// How far the hub's clock is trusted.
    hub: Arc<Mutex<TrustedTime>>,
}

impl Stamps {
    /// Continues after `last`, the highest stored stamp. `confirmed` is the trusted time when the program last
    /// ended.
    pub(crate) fn new(source: Source, node: &str, last: Option<&str>, confirmed: Option<UtcMs>) -> Self {
        let durable = last.and_then(hlc::parts).map(|(ms, _)| UtcMs(ms));
        let at_start = trusted_at_start((source.now)(), durable, confirmed);
        let trusted = |at| Arc::new(Mutex::new(TrustedTime::starting_at(at, 0)));
        let clock = Arc::new(Mutex::new(Clock::after(node, last)));
        Self { source, clock, started: Instant::now(), own: trusted(at_start), hub: trusted(UtcMs(0)) }
    }

    /// Trusted time, for decisions by date that can't be undone.
    pub(crate) fn trusted_now(&self) -> UtcMs {
        locked(&self.own).now(self.now(), self.monotonic_ms())
    }

    /// Trusted time by the hub's clock, which shows `hub_time`.
    pub(crate) fn trusted_hub_time(&self, hub_time: UtcMs) -> UtcMs {
        let (mut hub, monotonic_ms) = (locked(&self.hub), self.monotonic_ms());
        if clocks_agree(hub_time, self.now()) {
            hub.confirm(hub_time, monotonic_ms);
        }
        hub.now(hub_time, monotonic_ms)
    }

    /// Records that a person confirmed the wall clock.
    pub(crate) fn confirm(&self) {
        locked(&self.own).confirm(self.now(), self.monotonic_ms());
    }

    fn monotonic_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    pub(crate) fn now(&self) -> UtcMs {
        (self.source.now)()
    }

    pub(crate) fn stamp(&self) -> Stamp {
        let now = self.now();
        let at = locked(&self.clock).now(now);
        Stamp { now, at, event_id: EventId(self.text_id("evt_")) }
    }

    /// Merges the hub's time. If the hybrid clock was too far ahead, it is set back and the stamp from which it
    /// continues is returned.
    pub(crate) fn merge_hub_time(&self, hub_time: UtcMs) -> Option<String> {
        let now = self.now();
        locked(&self.own).merge(now, hub_time, self.monotonic_ms());
        locked(&self.clock).merge(now, hub_time)
    }

    /// Merges a stamp received from head office.
    pub(crate) fn observe(&self, stamp: &str) {
        locked(&self.clock).observe(stamp);
    }

    pub(crate) fn id<T: From<String>>(&self, prefix: &str) -> T {
        T::from(self.text_id(prefix))
    }

    /// `count` IDs of one kind.
    pub(crate) fn ids<T: From<String>>(&self, prefix: &str, count: usize) -> Vec<T> {
        (0..count).map(|_| self.id(prefix)).collect()
    }

    fn text_id(&self, prefix: &str) -> String {
        (self.source.id)(prefix)
    }
}

/// Locks a mutex. A poisoned one is used as it is: each value is complete after every change.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
