//! The store meets its hub, or another one.

use super::StoreHandle;
use crate::failure::Failure;
use crate::standing::stand;
use crate::sync_state::LinkState;
use domain::event::{Event, HubIdentity};
use domain::sync::local::Standing;

/// The actor that reads who the hub is when it starts.
const CONNECTION: &str = "hub_connection";

impl StoreHandle {
    /// Keeps who the hub is, `n` being the current epoch's number there, and begins to speak to it. A new box
    /// of a store that has a history sells once that is here.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while an actor restarts; [`Failure::Internal`] when the rows can't be read.
    pub async fn enrolled(&self, hub: HubIdentity, n: u64) -> Result<(), Failure> {
        let at = self.door.stamps.now();
        let empty = self.door.storage.lineage()?.iter().all(|state| state.head_seq == 0);
        let url = hub.url.clone();
        stand(&self.door, None, vec![Event::HubEnrolled { hub }], |standing| Standing {
            hub_n: n,
            refilling_at: standing.refilling_at.or((n > 0 && empty).then_some(at)),
            recovering_at: standing.recovering_at.or((n > 0).then_some(at)),
            ..standing
        })
        .await?;
        if !self.door.link {
            return Ok(());
        }
        self.door.sync.change(|link| {
            link.url = Some(url);
            if link.state == LinkState::NotConfigured {
                link.state = LinkState::Offline;
            }
        });
        self.restart_actor(CONNECTION).await
    }
}
