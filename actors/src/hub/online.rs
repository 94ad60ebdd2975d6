//! Requests of tills to the hub while it can be reached: one client with its connections for all tills.

use crate::config::SyncConfig;
use crate::hub::hub_client::HubClient;
use crate::runtime::failure::Failure;
use domain::model::hub::stamp::HubIdentity;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Tills that ask for a member at once; another one continues without an answer: asking
/// many takes longer than a till waits.
const LOOK_UPS_MAX: usize = 8;

/// The client, made on first use, and the permits of look-ups. Making a client reads every certificate of the system,
/// which is too much for each question.
#[derive(Clone)]
pub(crate) struct Online {
    client: Arc<Mutex<Option<(HubIdentity, HubClient)>>>,
    pub(crate) look_ups: Arc<Semaphore>,
}

impl Default for Online {
    fn default() -> Self {
        Self { client: Arc::default(), look_ups: Arc::new(Semaphore::new(LOOK_UPS_MAX)) }
    }
}

impl Online {
    /// The client of this hub.
    pub(crate) fn client(&self, hub: HubIdentity, config: &SyncConfig) -> Result<HubClient, Failure> {
        let mut kept = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = kept.as_ref().filter(|(of, _)| *of == hub) {
            return Ok(client.clone());
        }
        let client = HubClient::new(hub.clone(), config.clone())
            .map_err(|error| Failure::Internal(error.to_string()))?;
        *kept = Some((hub, client.clone()));
        Ok(client)
    }
}
