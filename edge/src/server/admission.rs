//! Admission of connections: allowed networks first, then a place under the caps. A quarter of the places is kept for
//! addresses with a recent authentication, and if places are short, idle connections of unknown addresses are closed
//! first: a client that only opens connections can't lock out the people who work here.
//!
//! A connection of a trusted proxy carries requests of many callers. Each of its requests takes a place of its caller,
//! as a connection of its own would; the connections of proxies are counted separately.

use crate::api::error::ApiError;
use crate::connection_slot::ConnectionSlot;
use crate::limits::Limits;
use crate::network::{self, KnownAddresses};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Refusals that are answered at once; beyond it, connections of strangers are closed without an answer.
const REFUSALS_MAX: usize = 64;
/// `Retry-After` when all places are taken, in seconds.
const FULL_RETRY_S: u64 = 1;
/// One place out of this many is kept for known addresses.
const KEPT_ONE_OF: usize = 4;

/// Hands out the places.
pub struct Gate {
    limits: Arc<Limits>,
    known: Arc<KnownAddresses>,
    refusals: Arc<Semaphore>,
    proxied: Arc<Semaphore>,
    places: Arc<Mutex<Places>>,
}

/// The places that are taken.
#[derive(Default)]
struct Places {
    /// By number: the lowest is the oldest.
    taken: HashMap<u64, Taken>,
    next: u64,
    by_address: HashMap<IpAddr, usize>,
}

struct Taken {
    address: IpAddr,
    /// Address or network that the connection counts as: a known address by itself, others by network.
    counted_as: IpAddr,
    slot: Arc<ConnectionSlot>,
}

/// The way in which a connection is counted.
pub enum Place {
    /// By its peer.
    Own(Arc<Admitted>),
    /// For a trusted proxy's connection, each request counts by its caller.
    Proxy(#[expect(dead_code, reason = "given back when it is dropped")] OwnedSemaphorePermit),
}

/// A place; given back when the connection and the request that runs for it have ended.
pub struct Admitted {
    number: u64,
    slot: Arc<ConnectionSlot>,
    places: Arc<Mutex<Places>>,
}

impl Gate {
    pub fn new(limits: &Arc<Limits>, known: Arc<KnownAddresses>) -> Self {
        Self {
            limits: Arc::clone(limits),
            known,
            refusals: Arc::new(Semaphore::new(REFUSALS_MAX)),
            proxied: Arc::new(Semaphore::new(limits.max_connections)),
            places: Arc::default(),
        }
    }

    /// A place for a connection, or the answer that it gets instead.
    pub fn enter(&self, peer: IpAddr) -> Result<Place, ApiError> {
        if !self.limits.proxies.trust(peer) {
            return Ok(Place::Own(Arc::new(self.admit(peer)?)));
        }
        Arc::clone(&self.proxied).try_acquire_owned().map(Place::Proxy).map_err(|_| full())
    }

    /// A place for an address.
    pub fn admit(&self, address: IpAddr) -> Result<Admitted, ApiError> {
        if !network::allows(&self.limits.allowed_networks, address) {
            return Err(ApiError::network_not_allowed());
        }
        let known = self.known.knows(address);
        let counted_as = if known { address } else { network::counted_as(address) };
        let mut places = lock(&self.places);
        if places.of(counted_as) >= self.limits.max_connections_per_address {
            return Err(full());
        }
        if self.is_short(&places, known) {
            let own = if known { 0 } else { places.of(counted_as).saturating_add(1) };
            let number = self.idle_stranger(&places, own).ok_or_else(full)?;
            places.evict(number);
        }
        let slot = Arc::new(ConnectionSlot::default());
        let number = places.take(Taken { address, counted_as, slot: Arc::clone(&slot) });
        Ok(Admitted { number, slot, places: Arc::clone(&self.places) })
    }

    /// Whether there is no place for another one, known or not.
    fn is_short(&self, places: &Places, known: bool) -> bool {
        let all = self.limits.max_connections;
        let for_strangers = all.saturating_sub(all.checked_div(KEPT_ONE_OF).unwrap_or_default());
        let taken = places.taken.len();
        taken >= all || (!known && taken >= for_strangers && self.strangers(places) >= for_strangers)
    }

    fn strangers(&self, places: &Places) -> usize {
        places.taken.values().filter(|taken| !self.known.knows(taken.address)).count()
    }

    /// The oldest idle connection of the stranger who has most of them, and more than `own`.
    fn idle_stranger(&self, places: &Places, own: usize) -> Option<u64> {
        let idle = places
            .taken
            .iter()
            .filter(|(_, taken)| taken.slot.is_idle() && places.of(taken.counted_as) > own);
        let strangers = idle.filter(|(_, taken)| !self.known.knows(taken.address));
        let first = strangers
            .max_by_key(|(number, taken)| (places.of(taken.counted_as), std::cmp::Reverse(**number)));
        first.map(|(number, _)| *number)
    }

    /// A permit to send a refusal to a peer.
    pub fn refusal(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.refusals).try_acquire_owned().ok()
    }
}

pub fn full() -> ApiError {
    ApiError::unavailable("too many connections", FULL_RETRY_S)
}

fn lock(places: &Mutex<Places>) -> MutexGuard<'_, Places> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Places {
    fn of(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).copied().unwrap_or_default()
    }

    fn take(&mut self, taken: Taken) -> u64 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let count = self.by_address.entry(taken.counted_as).or_default();
        *count = count.saturating_add(1);
        self.taken.insert(number, taken);
        number
    }

    fn evict(&mut self, number: u64) {
        if let Some(taken) = self.remove(number) {
            taken.slot.evict();
        }
    }

    /// None: it was evicted before.
    fn remove(&mut self, number: u64) -> Option<Taken> {
        let taken = self.taken.remove(&number)?;
        if let Some(count) = self.by_address.get_mut(&taken.counted_as) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_address.remove(&taken.counted_as);
            }
        }
        Some(taken)
    }
}

impl Admitted {
    /// Resolves when the place is given to another connection.
    pub fn evicted(&self) -> impl Future<Output = ()> + use<> {
        let slot = Arc::clone(&self.slot);
        async move { slot.evicted().await }
    }

    /// Slot of the connection for its requests.
    pub fn slot(&self) -> Arc<ConnectionSlot> {
        Arc::clone(&self.slot)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        drop(lock(&self.places).remove(self.number));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{Admitted, Gate};
    use crate::limits::Limits;
    use crate::network::KnownAddresses;
    use std::sync::Arc;

    fn gate(max_connections: usize) -> Gate {
        let limits = Limits { max_connections, max_connections_per_address: 8, ..Limits::default() };
        Gate::new(&Arc::new(limits), Arc::default())
    }

    fn admit(gate: &Gate, address: &str) -> Option<Admitted> {
        gate.admit(address.parse().unwrap()).ok()
    }

    async fn is_evicted(admitted: &Admitted) -> bool {
        tokio::select! {
            biased;
            () = admitted.evicted() => true,
            () = std::future::ready(()) => false,
        }
    }

    #[tokio::test]
    async fn a_quarter_of_the_places_is_for_known_addresses() {
        let gate = gate(16);
        gate.known.seen("10.0.0.1".parse().unwrap());
        let strangers: Vec<_> =
            (0..12).map(|n| admit(&gate, &format!("10.0.1.{}", n / 6)).unwrap()).collect();
        let working: Vec<_> = strangers.iter().map(|stranger| stranger.slot().work()).collect();
        assert!(admit(&gate, "10.0.2.1").is_none(), "strangers have no more places");
        let tills: Vec<_> = (0..4).map(|_| admit(&gate, "10.0.0.1").unwrap()).collect();
        assert!(admit(&gate, "10.0.0.1").is_none(), "nobody is idle, and all places are taken");
        drop(working);
        let another = admit(&gate, "10.0.0.1");
        assert!(another.is_some() && is_evicted(strangers.first().unwrap()).await, "the oldest went");
        assert!(!is_evicted(strangers.get(1).unwrap()).await && !is_evicted(tills.first().unwrap()).await);
    }

    #[tokio::test]
    async fn among_unknown_addresses_the_one_with_most_connections_gives_way() {
        let gate = gate(12);
        let one = admit(&gate, "10.0.1.1").unwrap();
        let many: Vec<_> = (0..8).map(|_| admit(&gate, "10.0.1.2").unwrap()).collect();
        assert!(admit(&gate, "10.0.1.2").is_none(), "not for its own sake");
        let another = admit(&gate, "10.0.1.3");
        assert!(another.is_some() && is_evicted(many.first().unwrap()).await && !is_evicted(&one).await);
    }

    #[test]
    fn ipv6_counts_by_network_and_places_come_back() {
        let gate = gate(100);
        let mut many: Vec<_> = (1..=8).map(|n| admit(&gate, &format!("fd00::{n}")).unwrap()).collect();
        assert!(admit(&gate, "fd00::ffff:9").is_none() && admit(&gate, "fd00:0:0:1::1").is_some());
        many.pop();
        assert!(admit(&gate, "fd00::ffff:9").is_some());
    }

    #[test]
    fn known_addresses_are_few_and_the_quietest_is_forgotten() {
        let known = KnownAddresses::default();
        for n in 0..=u32::try_from(KnownAddresses::MAX).unwrap() {
            known.seen(std::net::Ipv4Addr::from_bits(n).into());
        }
        assert!(!known.knows("0.0.0.0".parse().unwrap()) && known.knows("0.0.0.1".parse().unwrap()));
    }
}
