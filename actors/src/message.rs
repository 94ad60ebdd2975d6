//! Messages to owners: one file for each owner, with the types that its messages carry. Nothing here knows an owner's
//! state, so every owner may write to every other one.

mod catalogue;
mod hub;
mod ledger;
mod members;
mod outbox;
mod sessions;
mod shift;
mod shifts;

pub(crate) use catalogue::{Applied, CatalogueMessage};
pub(crate) use hub::{FeedPage, HubMessage, Lane};
pub(crate) use ledger::{LedgerMessage, PointsPage, Settled};
pub(crate) use members::{MembersMessage, Origin};
pub(crate) use outbox::{Batch, OutboxMessage, Session};
pub use sessions::Revoked;
pub(crate) use sessions::SessionsMessage;
pub(crate) use shift::ShiftMessage;
pub(crate) use shifts::ShiftsMessage;
