//! The login limiter: guesses per name and per address in a sliding window, in memory.

use crate::error::ApiError;
use domain::time::UtcMs;
use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

/// Failures of one name in a window before it is refused.
pub const FAILURES_PER_NAME_MAX: usize = 5;
/// Failures from one address in a window before it is refused.
pub const FAILURES_PER_ADDRESS_MAX: usize = 50;
/// Length of the window, in milliseconds.
pub const WINDOW_MS: i64 = 5 * 60 * 1000;
/// Most names, and most addresses, that are remembered; beyond it the longest quiet one is forgotten.
pub const KEYS_MAX: usize = 10_000;
/// Longer names are cut here before they are counted.
const NAME_CHARS_MAX: usize = 128;

/// Counts attempts. An attempt counts as a failure from its beginning, so that guesses made at the
/// same time can't slip through together; success takes it back.
#[derive(Debug, Default)]
pub struct LoginLimiter {
    windows: Mutex<Windows>,
}

#[derive(Debug, Default)]
struct Windows {
    names: HashMap<String, VecDeque<i64>>,
    addresses: HashMap<IpAddr, VecDeque<i64>>,
}

impl LoginLimiter {
    /// Begins an attempt.
    ///
    /// # Errors
    /// 429 `rate_limited` with the time until the next attempt is allowed.
    pub fn attempt(&self, name: &str, address: IpAddr, now: UtcMs) -> Result<(), ApiError> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, address) = (key(name), address.to_canonical());
        let wait_ms = wait(windows.names.get_mut(&name), FAILURES_PER_NAME_MAX, now).max(wait(
            windows.addresses.get_mut(&address),
            FAILURES_PER_ADDRESS_MAX,
            now,
        ));
        if wait_ms > 0 {
            return Err(ApiError::rate_limited(wait_ms.unsigned_abs().div_ceil(1000)));
        }
        push(&mut windows.names, name, now);
        push(&mut windows.addresses, address, now);
        Ok(())
    }

    /// The attempt was right: the name is clean again, the address is spared this one.
    pub fn succeeded(&self, name: &str, address: IpAddr) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.names.remove(&key(name));
        if let Some(window) = windows.addresses.get_mut(&address.to_canonical()) {
            window.pop_back();
        }
    }
}

fn key(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).flat_map(char::to_lowercase).collect()
}

/// Milliseconds until the window has room; 0: it has.
fn wait(window: Option<&mut VecDeque<i64>>, max: usize, now: UtcMs) -> i64 {
    let Some(window) = window else { return 0 };
    // A clock that was set back must not lock anyone out: what lies ahead of it is forgotten too.
    window.retain(|at| *at <= now.0 && now.0.saturating_sub(*at) < WINDOW_MS);
    if window.len() < max {
        return 0;
    }
    window.front().map_or(0, |oldest| oldest.saturating_add(WINDOW_MS).saturating_sub(now.0))
}

fn push<K: Hash + Eq + Clone>(windows: &mut HashMap<K, VecDeque<i64>>, key: K, now: UtcMs) {
    if windows.len() >= KEYS_MAX && !windows.contains_key(&key) {
        make_room(windows, now);
    }
    windows.entry(key).or_default().push_back(now.0);
}

fn make_room<K: Hash + Eq + Clone>(windows: &mut HashMap<K, VecDeque<i64>>, now: UtcMs) {
    windows.retain(|_, window| window.back().is_some_and(|last| now.0.saturating_sub(*last) < WINDOW_MS));
    if windows.len() >= KEYS_MAX {
        let quietest = windows.iter().min_by_key(|(_, window)| window.back().copied());
        if let Some(key) = quietest.map(|(key, _)| key.clone()) {
            windows.remove(&key);
        }
    }
}
