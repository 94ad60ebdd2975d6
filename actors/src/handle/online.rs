//! The hub as tills ask it while it is there: one client with its connections, however many tills ask.

use super::StoreHandle;
use crate::failure::Failure;
use crate::hub_client::HubClient;
use crate::sync_state::LinkState;
use domain::event::HubIdentity;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Tills that ask for a member at once; another one goes on without: asking many takes longer than a till waits.
const LOOK_UPS_MAX: usize = 8;

/// The client, once somebody asked, and the places of look-ups. Making a client reads every certificate of the
/// system, which is too much for each question.
#[derive(Clone)]
pub(super) struct Online {
    client: Arc<Mutex<Option<(HubIdentity, HubClient)>>>,
    pub(super) look_ups: Arc<Semaphore>,
}

impl Default for Online {
    fn default() -> Self {
        Self { client: Arc::default(), look_ups: Arc::new(Semaphore::new(LOOK_UPS_MAX)) }
    }
}

impl StoreHandle {
    /// The hub, while the link to it stands.
    pub(super) fn client_online(&self) -> Result<Option<HubClient>, Failure> {
        let online = self.door.link && self.door.sync.get().state == LinkState::Online;
        let Some(hub) = self.door.storage.hub()?.filter(|_| online) else { return Ok(None) };
        let mut kept = self.online.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = kept.as_ref().filter(|(of, _)| *of == hub) {
            return Ok(Some(client.clone()));
        }
        let client = HubClient::new(hub.clone(), self.door.config.sync.clone())
            .map_err(|error| Failure::Internal(error.to_string()))?;
        *kept = Some((hub, client.clone()));
        Ok(Some(client))
    }
}
