//! Catalogue: promises that products change one whole change at a time.

use crate::door::Door;
use crate::slot::taken;
use domain::event::Event;
use domain::time::UtcMs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::Commit;
use tokio::sync::oneshot;

/// What the catalogue is asked.
pub(crate) enum CatalogueMessage {
    /// Apply these changes in one commit; the reply comes when they are durable.
    Apply { events: Vec<Event>, at: UtcMs, applied: oneshot::Sender<()> },
    #[cfg(debug_assertions)]
    Panic,
}

pub(crate) struct Catalogue;

impl Actor for Catalogue {
    type Msg = CatalogueMessage;
    type State = Door;
    type Arguments = Door;

    async fn pre_start(&self, _me: ActorRef<Self::Msg>, door: Door) -> Result<Door, ActorProcessingErr> {
        Ok(door)
    }

    async fn handle(
        &self,
        _me: ActorRef<Self::Msg>,
        message: Self::Msg,
        door: &mut Door,
    ) -> Result<(), ActorProcessingErr> {
        taken(&door.catalogue.depth);
        match message {
            CatalogueMessage::Apply { events, at, applied } => {
                let Ok(permit) = door.storage.gate().acquire_owned().await else { return Ok(()) };
                let commit = Commit { events, records: Vec::new(), keyed: None, at, hlc: None };
                let submitted = door.storage.submit(commit, move |_durable| {
                    // Whoever asked may be gone; the page is applied all the same.
                    let _ = applied.send(());
                    drop(permit);
                });
                if let Err(error) = submitted {
                    tracing::error!(%error, "a change of the catalogue was not stored");
                }
            }
            #[cfg(debug_assertions)]
            CatalogueMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}
