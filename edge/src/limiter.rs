//! The login limiter: guesses per name and per address, in a sliding window and, beyond it, with a delay
//! that doubles. What it knows can be kept over a restart.

use crate::error::ApiError;
use domain::time::UtcMs;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::Hash,
    net::IpAddr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Failures of one name in a window before it is refused.
pub const FAILURES_PER_NAME_MAX: usize = 5;
/// Failures from one address in a window before it is refused.
pub const FAILURES_PER_ADDRESS_MAX: usize = 50;
/// The first delay beyond the maximum, in milliseconds: each further failure doubles it.
pub const DELAY_MS: i64 = 1000;
/// The longest delay, in milliseconds: a stranger can't lock anybody out for good.
pub const DELAY_MS_MAX: i64 = 15 * 60 * 1000;
/// One failure is forgiven after so long, in milliseconds.
pub const FORGIVEN_MS: i64 = 6 * 60 * 1000;
/// Length of the window, in milliseconds.
pub const WINDOW_MS: i64 = 5 * 60 * 1000;
/// Attempts that run at once ask for the time before they are counted, in any order: one that comes so much
/// late, in milliseconds, is no clock that was set back.
pub const LATE_MS_MAX: i64 = 10_000;
/// Most names, and most addresses, that are remembered; beyond it the longest quiet one is forgotten.
pub const KEYS_MAX: usize = 10_000;
/// Longer names are cut here before they are counted.
const NAME_CHARS_MAX: usize = 128;

/// Counts attempts. An attempt counts as a failure from its beginning, so that guesses made at the
/// same time can't slip through together; success takes it back.
#[derive(Debug, Default)]
pub struct LoginLimiter {
    guesses: Mutex<Guesses>,
    changed: AtomicBool,
}

#[derive(Debug, Default)]
struct Guesses {
    names: HashMap<String, Failures>,
    addresses: HashMap<IpAddr, Failures>,
}

/// Failures of one name or address.
#[derive(Debug, Default, Clone)]
struct Failures {
    /// Those within the window.
    recent: VecDeque<i64>,
    /// Those not yet forgiven, at `last`.
    count: usize,
    last: i64,
}

/// What is kept over a restart: how many failures, and the last, by name and by address.
#[derive(Serialize, Deserialize)]
struct Kept {
    names: BTreeMap<String, (usize, i64)>,
    addresses: BTreeMap<IpAddr, (usize, i64)>,
}

impl LoginLimiter {
    /// Begins an attempt.
    ///
    /// # Errors
    /// 429 `rate_limited` with the time until the next attempt is allowed.
    pub fn attempt(&self, name: &str, address: IpAddr, now: UtcMs) -> Result<(), ApiError> {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, address) = (key(name), address.to_canonical());
        let name_ms = guesses.names.get_mut(&name).map_or(0, |it| it.wait_ms(FAILURES_PER_NAME_MAX, now));
        let address_ms =
            guesses.addresses.get_mut(&address).map_or(0, |it| it.wait_ms(FAILURES_PER_ADDRESS_MAX, now));
        let wait_ms = name_ms.max(address_ms);
        if wait_ms > 0 {
            return Err(ApiError::rate_limited(wait_ms.unsigned_abs().div_ceil(1000)));
        }
        push(&mut guesses.names, name, now);
        push(&mut guesses.addresses, address, now);
        self.changed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The attempt was right: the name is clean again, the address is spared this one.
    pub fn succeeded(&self, name: &str, address: IpAddr) {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        guesses.names.remove(&key(name));
        spare(&mut guesses.addresses, address);
        self.changed.store(true, Ordering::Relaxed);
    }

    /// Begins an attempt that names nobody: only its address counts.
    ///
    /// # Errors
    /// As [`LoginLimiter::attempt`].
    pub fn attempt_from(&self, address: IpAddr, now: UtcMs) -> Result<(), ApiError> {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let address = address.to_canonical();
        let wait_ms =
            guesses.addresses.get_mut(&address).map_or(0, |it| it.wait_ms(FAILURES_PER_ADDRESS_MAX, now));
        if wait_ms > 0 {
            return Err(ApiError::rate_limited(wait_ms.unsigned_abs().div_ceil(1000)));
        }
        push(&mut guesses.addresses, address, now);
        self.changed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// An attempt that named nobody was right: the address is spared this one.
    pub fn succeeded_from(&self, address: IpAddr) {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        spare(&mut guesses.addresses, address);
        self.changed.store(true, Ordering::Relaxed);
    }

    /// What a restart must not forget, as JSON, if it changed since it was last asked for.
    pub fn to_keep(&self) -> Option<Vec<u8>> {
        if !self.changed.swap(false, Ordering::Relaxed) {
            return None;
        }
        let guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = |failures: &Failures| (failures.count, failures.last);
        let kept = Kept {
            names: guesses.names.iter().map(|(name, it)| (name.clone(), kept(it))).collect(),
            addresses: guesses.addresses.iter().map(|(address, it)| (*address, kept(it))).collect(),
        };
        serde_json::to_vec(&kept).ok()
    }

    /// Goes on from what was kept. Text that is none of it changes nothing.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn go_on(&self, kept: &[u8]) -> Result<(), serde_json::Error> {
        let kept: Kept = serde_json::from_slice(kept)?;
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let names = kept.names.into_iter().take(KEYS_MAX);
        guesses.names = names.map(|(name, it)| (name, Failures::kept(it, FAILURES_PER_NAME_MAX))).collect();
        let addresses = kept.addresses.into_iter().take(KEYS_MAX);
        guesses.addresses =
            addresses.map(|(address, it)| (address, Failures::kept(it, FAILURES_PER_ADDRESS_MAX))).collect();
        Ok(())
    }
}

impl Failures {
    fn kept((count, last): (usize, i64), max: usize) -> Self {
        Self { recent: std::iter::repeat_n(last, count.min(max)).collect(), count, last }
    }

    /// Milliseconds until another attempt is allowed; 0: it is.
    fn wait_ms(&mut self, max: usize, now: UtcMs) -> i64 {
        let now = self.in_order(now);
        // A clock that was set back must not lock anyone out: what lies ahead of it is forgotten too.
        self.recent.retain(|at| *at <= now.0 && now.0.saturating_sub(*at) < WINDOW_MS);
        let oldest = self.recent.front().filter(|_| self.recent.len() >= max);
        let window_ms = oldest.map_or(0, |at| at.saturating_add(WINDOW_MS).saturating_sub(now.0));
        let Some(beyond) = self.unforgiven(now).checked_sub(max) else { return window_ms };
        let delay_ms = 1_i64.checked_shl(u32::try_from(beyond).unwrap_or(u32::MAX)).unwrap_or(i64::MAX);
        let delay_ms = delay_ms.saturating_mul(DELAY_MS).clamp(DELAY_MS, DELAY_MS_MAX);
        window_ms.max(self.last.saturating_add(delay_ms).saturating_sub(now.0))
    }

    /// Not before the last attempt that was counted, unless the clock was set back.
    fn in_order(&self, now: UtcMs) -> UtcMs {
        let late_ms = self.last.saturating_sub(now.0);
        if (1..=LATE_MS_MAX).contains(&late_ms) { UtcMs(self.last) } else { now }
    }

    fn unforgiven(&self, now: UtcMs) -> usize {
        let now = self.in_order(now);
        let forgiven = now.0.saturating_sub(self.last).div_euclid(FORGIVEN_MS);
        // Negative: the clock was set back.
        usize::try_from(forgiven).map_or(0, |forgiven| self.count.saturating_sub(forgiven))
    }
}

fn spare(addresses: &mut HashMap<IpAddr, Failures>, address: IpAddr) {
    if let Some(failures) = addresses.get_mut(&address.to_canonical()) {
        failures.recent.pop_back();
        failures.count = failures.count.saturating_sub(1);
    }
}

fn key(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).flat_map(char::to_lowercase).collect()
}

fn push<K: Hash + Eq + Clone>(all: &mut HashMap<K, Failures>, key: K, now: UtcMs) {
    if all.len() >= KEYS_MAX && !all.contains_key(&key) {
        make_room(all, now);
    }
    let failures = all.entry(key).or_default();
    let now = failures.in_order(now);
    failures.count = failures.unforgiven(now).saturating_add(1);
    failures.last = now.0;
    failures.recent.push_back(now.0);
}

fn make_room<K: Hash + Eq + Clone>(all: &mut HashMap<K, Failures>, now: UtcMs) {
    // One from ahead of the clock is kept: setting a clock back is no way to be forgotten in a crowd.
    all.retain(|_, failures| failures.last > now.0 || failures.unforgiven(now) > 0);
    if all.len() >= KEYS_MAX {
        let quietest = all.iter().min_by_key(|(_, failures)| failures.last);
        if let Some(key) = quietest.map(|(key, _)| key.clone()) {
            all.remove(&key);
        }
    }
}
