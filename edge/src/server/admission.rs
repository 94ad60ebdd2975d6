//! Who gets a connection: allowed networks first, then a place under the two caps.

use crate::api::error::ApiError;
use crate::limits::Limits;
use crate::network;
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Refusals that are told at once; beyond it strangers are closed without a word.
const REFUSALS_MAX: usize = 64;
/// `Retry-After` when all places are taken, in seconds.
const FULL_RETRY_S: u64 = 1;

/// Hands out the places.
pub struct Gate {
    limits: Arc<Limits>,
    places: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A place; dropped with its connection.
pub struct Admitted {
    _place: OwnedSemaphorePermit,
    _of_address: AddressPlace,
}

struct AddressPlace {
    address: IpAddr,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Gate {
    pub fn new(limits: &Arc<Limits>) -> Self {
        Self {
            limits: Arc::clone(limits),
            places: Arc::new(Semaphore::new(limits.max_connections)),
            refusals: Arc::new(Semaphore::new(REFUSALS_MAX)),
            by_address: Arc::default(),
        }
    }

    /// A place for a peer, or the answer that it gets instead.
    pub fn admit(&self, address: IpAddr) -> Result<Admitted, ApiError> {
        if !network::allows(&self.limits.allowed_networks, address) {
            return Err(ApiError::network_not_allowed());
        }
        let full = || ApiError::unavailable("too many connections", FULL_RETRY_S);
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| full())?;
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let count = by_address.entry(address).or_default();
        if *count >= self.limits.max_connections_per_address {
            return Err(full());
        }
        *count = count.saturating_add(1);
        let of_address = AddressPlace { address, by_address: Arc::clone(&self.by_address) };
        Ok(Admitted { _place: place, _of_address: of_address })
    }

    /// A permit to tell a peer why it is refused.
    pub fn refusal(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.refusals).try_acquire_owned().ok()
    }
}

impl Drop for AddressPlace {
    fn drop(&mut self) {
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_address.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}
