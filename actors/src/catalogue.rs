//! Catalogue: promises that products change one whole change at a time.

use crate::door::Door;
use crate::failure::Failure;
use crate::pending::Pending;
use crate::slot::taken;
use crate::who::Who;
use domain::answer::Answer;
use domain::event::Event;
use domain::ids::Sku;
use domain::product_settings::ChangeProductSettings;
use domain::time::UtcMs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::{Commit, Unconfirmed};
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
    /// Whether commands get through.
    Probe { pending: Pending },
    #[cfg(debug_assertions)]
    Panic,
}

pub(crate) struct Catalogue;

impl Actor for Catalogue {
    type Msg = CatalogueMessage;
    type State = Door;
    type Arguments = Door;

    async fn pre_start(&self, _me: ActorRef<Self::Msg>, door: Door) -> Result<Door, ActorProcessingErr> {
        // What a predecessor submitted is in the rows before anything is decided on them.
        door.storage.barrier().await?;
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
            CatalogueMessage::Apply { events, at, applied } => apply(door, events, at, applied).await?,
            CatalogueMessage::Probe { pending } => pending.nothing_to_do(&door.storage, Answer::ok(&())),
            CatalogueMessage::Settle { sku, command, who, pending } => {
                settings::change(door, &sku, &command, &who, pending).await?;
            }
            #[cfg(debug_assertions)]
            CatalogueMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

async fn apply(door: &Door, mut events: Vec<Event>, at: UtcMs, applied: Applied) -> Result<(), Unconfirmed> {
    if applied.is_closed() {
        // Whoever asked has given up, and asks again.
        return Ok(());
    }
    // Before anything is decided: no await lies between that and submitting.
    let permit = door.storage.own_permit().await?;
    if let Err(why) = door.storage.writable() {
        drop(applied.send(Err(Failure::StorageFull(why.to_string()))));
        return Ok(());
    }
    let read_again = match settings::told(door, &mut events)
        .and_then(|told| Ok(settings::on_top(door, &mut events)? || told))
    {
        Ok(read_again) => read_again,
        Err(error) => {
            drop(applied.send(Err(error.into())));
            return Ok(());
        }
    };
    let commit = Commit { events, records: Vec::new(), keyed: None, at, hlc: None };
    let commit = match commit.ready() {
        Ok(commit) => commit,
        Err(error) => {
            drop(applied.send(Err(Failure::Internal(error.to_string()))));
            return Ok(());
        }
    };
    let submitted = door.storage.submit_ready(commit, move |_durable| {
        drop(applied.send(Ok(())));
        drop(permit);
    });
    match submitted {
        Err(error) => tracing::error!(%error, "a change of the catalogue was not stored"),
        // The next change of a setting decides on them, and the next name says which words this one had.
        Ok(()) if read_again => door.storage.barrier().await?,
        Ok(()) => {}
    }
    Ok(())
}
