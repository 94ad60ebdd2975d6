//! Failures of one name, address or register: their number and times, and the wait before the next try.

use super::{DELAY_MS, DELAY_MS_MAX, FORGIVEN_MS, KEYS_MAX, LATE_MS_MAX, WINDOW_MS};
use domain::model::base::time::UtcMs;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::Hash,
};

/// Failures of one name, address or register.
#[derive(Debug, Default, Clone)]
pub struct Failures {
    /// Failures within the window.
    recent: VecDeque<i64>,
    /// Failures not yet forgiven, at `last`.
    count: usize,
    last: i64,
    /// `count` and `last` before the last attempt, which is counted as a failure until it succeeds.
    before: Option<(usize, i64)>,
}

/// State that is kept over a restart: the number of failures, and the time of the last.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct SavedFailures(usize, i64);

/// Failures by name, address or register, with the most in a window.
#[derive(Debug)]
pub struct Counts<K> {
    all: HashMap<K, Failures>,
    max: usize,
}

impl<K: Hash + Eq + Ord + Clone> Counts<K> {
    pub fn new(max: usize) -> Self {
        Self { all: HashMap::new(), max }
    }

    /// Milliseconds until another attempt is allowed; 0 if one is allowed now.
    pub fn wait_ms(&mut self, key: &K, now: UtcMs) -> i64 {
        self.all.get_mut(key).map_or(0, |it| it.wait_ms(self.max, now))
    }

    /// Attempts that are left, and the milliseconds until there are more.
    pub fn left(&mut self, key: &K, now: UtcMs) -> (usize, i64) {
        self.all.get_mut(key).map_or((self.max, WINDOW_MS), |it| it.left(self.max, now))
    }

    /// Counts a failure. If too many keys are remembered, the one with the oldest failure is forgotten.
    pub fn push(&mut self, key: K, now: UtcMs) {
        if self.all.len() >= KEYS_MAX && !self.all.contains_key(&key) {
            remove_oldest(&mut self.all, now);
        }
        self.all.entry(key).or_default().push(now);
    }

    /// Removes the last attempt from the count: it was no failure.
    pub fn undo_last(&mut self, key: &K) {
        if let Some(failures) = self.all.get_mut(key) {
            failures.undo_last();
        }
    }

    pub fn forget(&mut self, key: &K) {
        self.all.remove(key);
    }

    pub fn saved(&self) -> BTreeMap<K, SavedFailures> {
        self.all.iter().map(|(key, it)| (key.clone(), it.saved())).collect()
    }

    pub fn restore(&mut self, kept: BTreeMap<K, SavedFailures>) {
        let kept = kept.into_iter().take(KEYS_MAX);
        self.all = kept.map(|(key, it)| (key, Failures::restore(it, self.max))).collect();
    }
}

impl Failures {
    pub fn saved(&self) -> SavedFailures {
        SavedFailures(self.count, self.last)
    }

    pub fn restore(SavedFailures(count, last): SavedFailures, max: usize) -> Self {
        Self { recent: std::iter::repeat_n(last, count.min(max)).collect(), count, last, before: None }
    }

    pub fn push(&mut self, now: UtcMs) {
        let now = self.in_order(now);
        self.before = Some((self.count, self.last));
        self.count = self.unforgiven(now).saturating_add(1);
        self.last = now.0;
        self.recent.push_back(now.0);
    }

    /// Removes the last attempt from the count: it was no failure.
    pub fn undo_last(&mut self) {
        self.recent.pop_back();
        // Earlier failures are forgiven as if the attempt had not happened.
        (self.count, self.last) = self.before.take().unwrap_or((self.count.saturating_sub(1), self.last));
    }

    /// Milliseconds until another attempt is allowed; 0 if one is allowed now.
    pub fn wait_ms(&mut self, max: usize, now: UtcMs) -> i64 {
        let now = self.in_order(now);
        // A clock that was set back must not lock anyone out: failures ahead of it are forgotten too.
        self.recent.retain(|at| *at <= now.0 && now.0.saturating_sub(*at) < WINDOW_MS);
        let oldest = self.recent.front().filter(|_| self.recent.len() >= max);
        let window_ms = oldest.map_or(0, |at| at.saturating_add(WINDOW_MS).saturating_sub(now.0));
        let Some(beyond) = self.unforgiven(now).checked_sub(max) else { return window_ms };
        let delay_ms = 1_i64.checked_shl(u32::try_from(beyond).unwrap_or(u32::MAX)).unwrap_or(i64::MAX);
        let delay_ms = delay_ms.saturating_mul(DELAY_MS).clamp(DELAY_MS, DELAY_MS_MAX);
        window_ms.max(self.last.saturating_add(delay_ms).saturating_sub(now.0))
    }

    /// Attempts that are left, and the milliseconds until there are more.
    fn left(&mut self, max: usize, now: UtcMs) -> (usize, i64) {
        let wait_ms = self.wait_ms(max, now);
        if wait_ms > 0 {
            return (0, wait_ms);
        }
        let counted = self.recent.len().max(self.unforgiven(now));
        let oldest = self.recent.front().map_or(now.0, |at| *at);
        let within_ms = oldest.saturating_add(WINDOW_MS).saturating_sub(now.0);
        // Beyond the maximum each delay ends with one attempt.
        (max.saturating_sub(counted).max(1), within_ms.clamp(0, WINDOW_MS))
    }

    /// Returns `now`, but not before the last counted attempt, unless the clock was set back.
    fn in_order(&self, now: UtcMs) -> UtcMs {
        let late_ms = self.last.saturating_sub(now.0);
        if (1..=LATE_MS_MAX).contains(&late_ms) { UtcMs(self.last) } else { now }
    }

    /// Failures that time has not forgiven yet.
    fn unforgiven(&self, now: UtcMs) -> usize {
        let now = self.in_order(now);
        let forgiven = now.0.saturating_sub(self.last).div_euclid(FORGIVEN_MS);
        // Negative: the clock was set back.
        usize::try_from(forgiven).map_or(0, |forgiven| self.count.saturating_sub(forgiven))
    }
}

/// Removes forgiven failures, and the key with the oldest failure if there are still too many.
fn remove_oldest<K: Hash + Eq + Clone>(all: &mut HashMap<K, Failures>, now: UtcMs) {
    // A failure in the future is kept: a clock that is set back must not remove failures.
    all.retain(|_, failures| failures.last > now.0 || failures.unforgiven(now) > 0);
    if all.len() >= KEYS_MAX {
        let quietest = all.iter().min_by_key(|(_, failures)| failures.last);
        if let Some(key) = quietest.map(|(key, _)| key.clone()) {
            all.remove(&key);
        }
    }
}
