//! The store's standing at its hub is one row with several writers: the connection, and a person who enrols or rejoins.
//! They write one at a time, each based on the present row, and never for a hub other than the store's.

use crate::hub::hub_client::CallError;
use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use crate::runtime::failure::Failure;
use domain::model::base::event::Event;
use domain::model::hub::stamp::HubIdentity;
use domain::model::hub::sync::local::{Change, LinkRow};
use storage::StorageError;
use storage::Unconfirmed;

/// Reason why the standing was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unkept {
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Unconfirmed(#[from] Unconfirmed),
    /// Another writer takes too long.
    #[error("the state of the hub link is being stored")]
    Busy,
    /// The store was enrolled at another hub meanwhile.
    #[error("the store was enrolled again")]
    Outdated,
}

impl From<Unkept> for CallError {
    fn from(unkept: Unkept) -> Self {
        match unkept {
            Unkept::Storage(error) => error.into(),
            Unkept::Unconfirmed(unconfirmed) => unconfirmed.into(),
            Unkept::Busy | Unkept::Outdated => Self::transient(unkept.to_string()),
        }
    }
}

impl From<Unkept> for Failure {
    fn from(unkept: Unkept) -> Self {
        match unkept {
            Unkept::Storage(error) => error.into(),
            Unkept::Unconfirmed(unconfirmed) => unconfirmed.into(),
            Unkept::Busy => Self::Unavailable("the state of the hub link is being stored"),
            Unkept::Outdated => Self::Unavailable("the store was enrolled again"),
        }
    }
}

/// Sets the standing to the result of `decide` for the current one, in one commit with `events`. A change that forbids
/// selling takes effect before it is durable, a change that allows it afterwards. `of` is the hub that the writer is
/// connected to; `None` if a user writes.
///
/// # Errors
/// [`Unkept`]; nothing was written, except if unconfirmed.
pub(crate) async fn update_standing(
    context: &Context,
    of: Option<&HubIdentity>,
    mut events: Vec<Event>,
    decide: impl FnOnce(LinkRow) -> LinkRow,
) -> Result<LinkRow, Unkept> {
    let _alone = context.sync.lock_standing().await.ok_or(Unkept::Busy)?;
    // An owner that died in the middle of this may have submitted a commit that is no row yet.
    context.storage.barrier().await?;
    if of.is_some() && context.storage.sync().hub()?.as_ref() != of {
        return Err(Unkept::Outdated);
    }
    let before = context.storage.sync().standing()?;
    let standing = decide(before.clone());
    context.sync.change(|link| {
        link.fenced_at = standing.fenced_at.or(link.fenced_at);
        link.replaced = standing.replaced_at.is_some();
        link.refilling_at = standing.refilling_at.or(link.refilling_at);
        link.recovering_at = standing.recovering_at.or(link.recovering_at);
    });
    if standing != before {
        events.push(sync_event(Change::Standing { standing: standing.clone() }));
    }
    context.commit(events).await?;
    context.sync.change(|link| {
        (link.fenced_at, link.refilling_at) = (standing.fenced_at, standing.refilling_at);
        link.recovering_at = standing.recovering_at;
    });
    Ok(standing)
}
