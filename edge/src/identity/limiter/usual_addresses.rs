//! Addresses of recent log-ins by name: guesses from there are counted there, and nowhere else.

use super::failures::{Failures, SavedFailures};
use super::{FAILURES_PER_NAME_MAX, KEYS_MAX};
use domain::model::base::time::UtcMs;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

/// Addresses of one name that are remembered, those of the latest log-ins: each allows more guesses.
const PER_NAME_MAX: usize = 2;
/// Time that counts as lately, in milliseconds: 30 days.
const LATELY_MS: i64 = 30 * 24 * 60 * 60 * 1000;

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
    /// Milliseconds until another attempt from there is allowed; `None` if it is no usual address of the name.
    pub fn wait_ms(&mut self, name: &str, address: IpAddr, now: UtcMs) -> Option<i64> {
        self.usual_address(name, address, now).map(|place| place.failures.wait_ms(FAILURES_PER_NAME_MAX, now))
    }

    /// Counts an attempt from there.
    pub fn push(&mut self, name: &str, address: IpAddr, now: UtcMs) {
        if let Some(place) = self.usual_address(name, address, now) {
            place.failures.push(now);
        }
    }

    /// Takes back the last attempt from there.
    pub fn spare(&mut self, name: &str, address: IpAddr, now: UtcMs) {
        if let Some(place) = self.usual_address(name, address, now) {
            place.failures.spare();
        }
    }

    /// Notes a log-in of this name there; returns whether the address was usual before.
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

    pub fn addresses(&self) -> Vec<IpAddr> {
        self.0.values().flatten().map(|place| place.address).collect()
    }

    pub fn kept(&self) -> SavedUsual {
        let kept = |place: &UsualAddress| (place.address, place.logged_in, place.failures.kept());
        self.0.iter().map(|(name, places)| (name.clone(), places.iter().map(kept).collect())).collect()
    }

    pub fn go_on(&mut self, kept: SavedUsual) {
        let place = |(address, logged_in, failures)| {
            let failures = Failures::go_on(failures, FAILURES_PER_NAME_MAX);
            UsualAddress { address, logged_in, failures }
        };
        let places = |places: Vec<_>| places.into_iter().take(PER_NAME_MAX).map(place).collect();
        self.0 = kept.into_iter().take(KEYS_MAX).map(|(name, all)| (name, places(all))).collect();
    }

    fn usual_address(&mut self, name: &str, address: IpAddr, now: UtcMs) -> Option<&mut UsualAddress> {
        let places = self.0.get_mut(name)?.iter_mut();
        // One from ahead of the clock is from before it was set back: it counts.
        places
            .into_iter()
            .find(|place| place.address == address && now.0.saturating_sub(place.logged_in) < LATELY_MS)
    }
}
