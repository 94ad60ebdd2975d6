//! The store meets its hub, or another one.

use super::StoreHandle;
use crate::hub::standing::update_standing;
use crate::hub::sync_state::LinkState;
use crate::runtime::failure::Failure;
use domain::model::base::event::fact;
use domain::model::hub::stamp::HubIdentity;
use domain::model::hub::sync::local::LinkRow;

/// The actor that reads who the hub is when it starts.
const CONNECTION: &str = "hub_connection";

impl StoreHandle {
    /// Stores the hub's identity and starts the connection. `n` is the number of the current epoch at the hub. Returns
    /// true if the hub knows the store but not this box: the box then lacks the store's history and sells only after
    /// it has received it.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while an actor restarts; [`Failure::Internal`] when the rows can't be read.
    pub async fn enrolled(&self, hub: HubIdentity, n: u64) -> Result<bool, Failure> {
        let at = self.context.stamps.now();
        // If the store was enrolled at this hub before, the hub's answer to the same question is on this disk.
        let met = self.context.storage.sync().hub()?.is_some_and(|known| known.hub_id == hub.hub_id);
        let lacks = n > 0 && !met;
        let here = self.context.storage.users().users()?.into_iter().map(|user| user.user_id).collect();
        let url = hub.url.clone();
        update_standing(&self.context, None, vec![fact::HubEnrolled { hub }.into()], |standing| LinkRow {
            hub_n: n,
            // The store stays fenced until the hub has answered: the other box may have opened an epoch.
            replaced_at: None,
            refilling_at: standing.refilling_at.or(lacks.then_some(at)),
            newcomers: if lacks { here } else { standing.newcomers },
            recovering_at: standing.recovering_at.or((n > 0).then_some(at)),
            ..standing
        })
        .await?;
        if !self.context.link {
            return Ok(lacks);
        }
        self.context.sync.change(|link| {
            link.url = Some(url);
            if link.state == LinkState::NotConfigured {
                link.state = LinkState::Offline;
            }
        });
        self.context.tree.renew(CONNECTION).await?;
        Ok(lacks)
    }
}
