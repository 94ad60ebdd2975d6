//! Catalogue: promises that products change one whole change at a time.

use crate::door::Door;
use crate::failure::Failure;
use crate::pending::Pending;
use crate::slot::taken;
use crate::who::Who;
use domain::event::Event;
use domain::ids::Sku;
use domain::product_settings::ChangeProductSettings;
use domain::time::UtcMs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::Commit;
use tokio::sync::oneshot;

mod settings;

/// Says that a change is durable, or why there was none.
pub(crate) type Applied = oneshot::Sender<Result<(), Failure>>;

/// What the catalogue is asked.
pub(crate) enum CatalogueMessage {
    /// Apply these changes in one commit; the reply comes when they are durable.
    Apply { events: Vec<Event>, at: UtcMs, applied: Applied },
    /// Change what the store settles about a product.
    Settle { sku: Sku, command: Box<ChangeProductSettings>, who: Box<Who>, pending: Pending },
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
            CatalogueMessage::Apply { events, at, applied } => apply(door, events, at, applied).await,
            CatalogueMessage::Settle { sku, command, who, pending } => {
                settings::change(door, &sku, &command, &who, pending).await;
            }
            #[cfg(debug_assertions)]
            CatalogueMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

async fn apply(door: &Door, mut events: Vec<Event>, at: UtcMs, applied: Applied) {
    // Whoever asked may be gone: a change is applied all the same, and one that is not needs no witness.
    if let Err(why) = door.storage.writable() {
        return drop(applied.send(Err(Failure::StorageFull(why.to_string()))));
    }
    let read_again = match settings::told(door, &mut events)
        .and_then(|told| Ok(settings::on_top(door, &mut events)? || told))
    {
        Ok(read_again) => read_again,
        Err(error) => return drop(applied.send(Err(error.into()))),
    };
    let commit = Commit { events, records: Vec::new(), keyed: None, at, hlc: None };
    let commit = match commit.ready() {
        Ok(commit) => commit,
        Err(error) => return drop(applied.send(Err(Failure::Internal(error.to_string())))),
    };
    let Ok(permit) = door.storage.gate().acquire_owned().await else { return };
    let submitted = door.storage.submit_ready(commit, move |_durable| {
        drop(applied.send(Ok(())));
        drop(permit);
    });
    match submitted {
        Err(error) => tracing::error!(%error, "a change of the catalogue was not stored"),
        // The next change of a setting decides on them, and the next name says which words this one had. Closed: nobody decides anything any more.
        Ok(()) if read_again => drop(door.storage.barrier().await),
        Ok(()) => {}
    }
}
