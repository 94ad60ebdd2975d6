//! Addresses of recent log-ins by login name. Failures from such an address are counted for that address only.

use super::failures::{Failures, SavedFailures};
use super::{FAILURES_PER_NAME_MAX, KEYS_MAX};
use domain::model::base::time::UtcMs;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

/// Most addresses that are remembered for a name, those of the latest log-ins. Each of them allows more guesses.
const PER_NAME_MAX: usize = 2;
/// Milliseconds for which an address stays usual after a log-in: 30 days.
const USUAL_FOR_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// Usual addresses by login name.
#[derive(Debug, Default)]
pub struct Usual(HashMap<String, Vec<UsualAddress>>);

#[derive(Debug)]
struct UsualAddress {
    address: IpAddr,
    logged_in: i64,
    failures: Failures,
}

/// State that is kept over a restart: address, the time of the last log-in there, and the failures from there.
pub type SavedUsual = BTreeMap<String, Vec<(IpAddr, i64, SavedFailures)>>;

impl Usual {
    /// Milliseconds until another attempt from the address is allowed; `None` if it is no usual address of the name.
    pub fn wait_ms(&mut self, name: &str, address: IpAddr, now: UtcMs) -> Option<i64> {
        self.usual_address(name, address, now).map(|place| place.failures.wait_ms(FAILURES_PER_NAME_MAX, now))
    }

    /// Counts an attempt from a usual address as a failure, until [`Self::undo_last`].
    pub fn push(&mut self, name: &str, address: IpAddr, now: UtcMs) {
        if let Some(place) = self.usual_address(name, address, now) {
            place.failures.push(now);
        }
    }

    /// Removes the last attempt from the count: it was no failure.
    pub fn undo_last(&mut self, name: &str, address: IpAddr, now: UtcMs) {
        if let Some(place) = self.usual_address(name, address, now) {
            place.failures.undo_last();
        }
    }

    /// Notes a log-in of a name from an address; returns whether the address was usual before.
    pub fn logged_in(&mut self, name: &str, address: IpAddr, now: UtcMs) -> bool {
        let usual = self.usual_address(name, address, now).is_some();
        if !self.0.contains_key(name) && self.0.len() >= KEYS_MAX {
            let latest = |places: &Vec<UsualAddress>| places.iter().map(|place| place.logged_in).max();
            let quietest = self.0.iter().min_by_key(|(_, places)| latest(places));
            if let Some(name) = quietest.map(|(name, _)| name.clone()) {
                self.0.remove(&name);
            }
        }
        let places = self.0.entry(name.to_owned()).or_default();
        places.retain(|place| place.address != address);
        places.insert(0, UsualAddress { address, logged_in: now.0, failures: Failures::default() });
        places.truncate(PER_NAME_MAX);
        usual
    }

    /// The usual addresses of all names.
    pub fn addresses(&self) -> Vec<IpAddr> {
        self.0.values().flatten().map(|place| place.address).collect()
    }

    /// Returns the state that is kept over a restart.
    pub fn saved(&self) -> SavedUsual {
        let saved = |place: &UsualAddress| (place.address, place.logged_in, place.failures.saved());
        self.0.iter().map(|(name, places)| (name.clone(), places.iter().map(saved).collect())).collect()
    }

    /// Replaces the state by a saved one.
    pub fn restore(&mut self, kept: SavedUsual) {
        let place = |(address, logged_in, failures)| {
            let failures = Failures::restore(failures, FAILURES_PER_NAME_MAX);
            UsualAddress { address, logged_in, failures }
        };
        let places = |places: Vec<_>| places.into_iter().take(PER_NAME_MAX).map(place).collect();
        self.0 = kept.into_iter().take(KEYS_MAX).map(|(name, all)| (name, places(all))).collect();
    }

    fn usual_address(&mut self, name: &str, address: IpAddr, now: UtcMs) -> Option<&mut UsualAddress> {
        let places = self.0.get_mut(name)?.iter_mut();
        // A log-in in the future was noted before the clock was set back; its address is usual too.
        places
            .into_iter()
            .find(|place| place.address == address && now.0.saturating_sub(place.logged_in) < USUAL_FOR_MS)
    }
}
