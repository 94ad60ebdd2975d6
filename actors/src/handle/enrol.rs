//! The store meets its hub, or another one.

use super::StoreHandle;
use crate::failure::Failure;
use crate::hub_connection::change;
use crate::sync_state::LinkState;
use domain::event::{Event, HubIdentity};
use domain::sync::local::{Change, Standing};
use storage::Commit;

/// The actor that reads who the hub is when it starts.
const CONNECTION: &str = "hub_connection";

impl StoreHandle {
    /// Keeps who the hub is, `n` being the current epoch's number there, and begins to speak to it. A new box
    /// of a store that has a history sells once that is here.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while an actor restarts; [`Failure::Internal`] when the rows can't be read.
    pub async fn enrolled(&self, hub: HubIdentity, n: u64) -> Result<(), Failure> {
        let storage = &self.door.storage;
        let (standing, at) = (storage.standing()?, self.door.stamps.now());
        let lacks = n > 0 && storage.lineage()?.iter().all(|state| state.head_seq == 0);
        let refilling_at = if lacks { Some(at) } else { standing.refilling_at };
        let standing = Standing { hub_n: n, refilling_at, ..standing };
        let url = hub.url.clone();
        let events = vec![Event::HubEnrolled { hub }, change(Change::Standing { standing })];
        let commit = Commit { events, records: Vec::new(), keyed: None, at, hlc: None };
        storage.commit(commit).await.map_err(|_| Failure::Unavailable("the store is stopping"))?;
        if !self.door.link {
            return Ok(());
        }
        self.door.sync.change(|link| {
            link.url = Some(url);
            link.refilling_at = refilling_at;
            if link.state == LinkState::NotConfigured {
                link.state = LinkState::Offline;
            }
        });
        self.restart_actor(CONNECTION).await
    }
}
