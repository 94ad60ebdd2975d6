//! Catalogue: promises that products change one whole change at a time.

use crate::message::{Applied, CatalogueMessage};
use crate::runtime::command::{CatalogueRows, Decided};
use crate::runtime::context::Context;
use crate::runtime::decide::Decision;
use crate::runtime::failure::Failure;
use crate::runtime::mailbox::message_taken;
use domain::model::base::answer::Answer;
use domain::model::base::event::Event;
use domain::model::base::time::UtcMs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::{Commit, Unconfirmed};

mod products;
mod settings;
mod store_settings;

pub(crate) use products::check_barcodes_free;
pub use products::{ChangeProduct, CreateProduct, ImportProducts};
pub use settings::ChangeProductSettings;
pub use store_settings::ChangeStoreSettings;

pub(crate) struct Catalogue;

impl Actor for Catalogue {
    type Msg = CatalogueMessage;
    type State = Context;
    type Arguments = Context;

    async fn pre_start(
        &self,
        _me: ActorRef<Self::Msg>,
        context: Context,
    ) -> Result<Context, ActorProcessingErr> {
        // Submissions of a predecessor are in the rows before any decision based on them.
        context.storage.barrier().await?;
        Ok(context)
    }

    async fn handle(
        &self,
        _me: ActorRef<Self::Msg>,
        message: Self::Msg,
        context: &mut Context,
    ) -> Result<(), ActorProcessingErr> {
        message_taken(&context.catalogue.queue_len);
        match message {
            CatalogueMessage::Apply { events, at, applied } => apply(context, events, at, applied).await?,
            CatalogueMessage::Probe { pending } => pending.nothing_to_do(&context.storage, Answer::ok(&())),
            CatalogueMessage::Run(command) => {
                if command.is_from_rows(&CatalogueRows) {
                    context.storage.barrier().await?;
                }
                let Decided { decision, pending, .. } = command.decide(&mut context.owner(CatalogueRows));
                let of_store =
                    matches!(&decision, Ok(Decision::Commit(outcome)) if settings::of_store(&outcome.events));
                context.submit_decision(decision, pending).await?;
                if of_store {
                    context.storage.barrier().await?;
                    reload(context);
                }
            }
            #[cfg(test)]
            CatalogueMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

async fn apply(
    context: &Context,
    mut events: Vec<Event>,
    at: UtcMs,
    applied: Applied,
) -> Result<(), Unconfirmed> {
    if applied.is_closed() {
        // The caller gave up, and tries again.
        return Ok(());
    }
    // Before anything is decided: there is no await between that and submitting.
    let permit = context.storage.own_permit().await?;
    if let Err(why) = context.storage.writable() {
        drop(applied.send(Err(Failure::StorageFull(why.to_string()))));
        return Ok(());
    }
    let read_again = match settings::merge_settings(context, &mut events).and_then(|words_removed| {
        Ok(settings::apply_settings(&context.storage, &mut events)? || words_removed)
    }) {
        Ok(read_again) => read_again,
        Err(error) => {
            drop(applied.send(Err(error.into())));
            return Ok(());
        }
    };
    let of_store = settings::of_store(&events);
    let commit = Commit { events, records: Vec::new(), keyed: None, at, hlc: None };
    let commit = match commit.ready() {
        Ok(commit) => commit,
        Err(error) => {
            drop(applied.send(Err(Failure::Internal(error.to_string()))));
            return Ok(());
        }
    };
    let submitted = context.storage.submit_ready(commit, move |_durable| {
        drop(applied.send(Ok(())));
        drop(permit);
    });
    match submitted {
        Err(error) => tracing::error!(%error, "a change of the catalogue was not stored"),
        // The next change of a setting is decided by these rows, and the next name shows which words this one had.
        Ok(()) if read_again || of_store => context.storage.barrier().await?,
        Ok(()) => {}
    }
    if of_store {
        reload(context);
    }
    Ok(())
}

/// Reads the rules in force again.
pub(crate) fn reload(context: &Context) {
    if let Err(error) = context.rules.reload(&context.storage) {
        tracing::error!(%error, "changed settings take effect at the next start");
    }
}
