//! Ceremonies that wait for their device: limited in number, single-use, five minutes old at most. They are in memory:
//! a restart ends them, and users begin again.

use crate::network;
use domain::model::base::time::UtcMs;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Lifetime of a ceremony in milliseconds.
pub const CEREMONY_MS: i64 = 5 * 60 * 1000;
/// Most ceremonies of one kind that wait at once; one more ends the oldest of the address with the most.
pub const CEREMONIES_MAX: usize = 1024;
/// Most of one address, or of one IPv6 network of 64 bits: an attacker ends only their own.
pub const CEREMONIES_PER_ADDRESS_MAX: usize = 32;

struct Waiting<T> {
    state: T,
    address: IpAddr,
    since: UtcMs,
}

/// Waiting ceremonies by ID.
pub struct Ceremonies<T>(Mutex<HashMap<String, Waiting<T>>>);

impl<T> Default for Ceremonies<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Ceremonies<T> {
    /// Stores a ceremony that has begun.
    pub fn put(&self, id: String, state: T, address: IpAddr, now: UtcMs) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, waiting| alive(waiting.since, now));
        let address = network::counted_as(address);
        if all.values().filter(|waiting| waiting.address == address).count() >= CEREMONIES_PER_ADDRESS_MAX {
            end_oldest(&mut all, |waiting| waiting.address == address);
        }
        if all.len() >= CEREMONIES_MAX {
            let most = busiest(&all);
            end_oldest(&mut all, |waiting| Some(waiting.address) == most);
        }
        all.insert(id, Waiting { state, address, since: now });
    }

    /// Takes one out, alive or not: it can't be taken again.
    pub fn take(&self, id: &str, now: UtcMs) -> Option<T> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id)?;
        alive(taken.since, now).then_some(taken.state)
    }
}

fn alive(since: UtcMs, now: UtcMs) -> bool {
    // One from ahead of the clock is from before it was set back: it is over.
    (0..CEREMONY_MS).contains(&now.0.saturating_sub(since.0))
}

/// Address with most of them: many addresses with many each don't end the one of a user who logs in.
fn busiest<T>(all: &HashMap<String, Waiting<T>>) -> Option<IpAddr> {
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    for waiting in all.values() {
        let count = counts.entry(waiting.address).or_default();
        *count = count.saturating_add(1);
    }
    counts.into_iter().max_by_key(|(address, count)| (*count, *address)).map(|(address, _)| address)
}

fn end_oldest<T>(all: &mut HashMap<String, Waiting<T>>, of: impl Fn(&Waiting<T>) -> bool) {
    let oldest = all.iter().filter(|(_, waiting)| of(waiting)).min_by_key(|(_, waiting)| waiting.since);
    if let Some(id) = oldest.map(|(id, _)| id.clone()) {
        all.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{CEREMONIES_MAX, CEREMONIES_PER_ADDRESS_MAX, CEREMONY_MS, Ceremonies};
    use domain::model::base::time::UtcMs;
    use std::net::{IpAddr, Ipv4Addr};

    fn address(n: u32) -> IpAddr {
        Ipv4Addr::from(0x0a00_0000 | n).into()
    }

    #[test]
    fn one_is_taken_once_and_within_its_time() {
        let all = Ceremonies::default();
        all.put("a".into(), 1, address(1), UtcMs(0));
        assert_eq!(all.take("a", UtcMs(1)), Some(1));
        assert_eq!(all.take("a", UtcMs(1)), None);
        for (later, alive) in [(CEREMONY_MS - 1, true), (CEREMONY_MS, false), (-1, false)] {
            all.put("b".into(), 2, address(1), UtcMs(10));
            assert_eq!(all.take("b", UtcMs(10 + later)).is_some(), alive, "{later}");
        }
    }

    #[test]
    fn many_strangers_end_no_log_in() {
        let all = Ceremonies::default();
        all.put("mine".into(), 0, address(1), UtcMs(0));
        for n in 0..6_000_u32 {
            all.put(format!("his{n}"), 1, address(100 + n % 200), UtcMs(1));
        }
        // One network of IPv6 is one stranger.
        for n in 0..2_000_u128 {
            let network = u128::from(0xfd00_u16) << 112;
            all.put(format!("six{n}"), 2, std::net::Ipv6Addr::from_bits(network | n).into(), UtcMs(1));
        }
        assert!(all.0.lock().unwrap().len() <= CEREMONIES_MAX);
        assert_eq!(all.take("mine", UtcMs(2)), Some(0));
    }

    #[test]
    fn their_number_is_bounded_and_a_stranger_crowds_out_his_own() {
        let all = Ceremonies::default();
        all.put("mine".into(), 0, address(1), UtcMs(0));
        for n in 0..10 * CEREMONIES_PER_ADDRESS_MAX {
            all.put(format!("his{n}"), n, address(2), UtcMs(1));
        }
        assert_eq!(all.0.lock().unwrap().len(), CEREMONIES_PER_ADDRESS_MAX + 1);
        assert_eq!(all.take("mine", UtcMs(2)), Some(0));
        for n in 0..2 * CEREMONIES_MAX {
            all.put(format!("many{n}"), n, address(u32::try_from(n).unwrap()), UtcMs(2));
            assert!(all.0.lock().unwrap().len() <= CEREMONIES_MAX);
        }
    }
}
