//! The supervision tree of a store and its only entry point, [`StoreHandle`].
//!
//! ```text
//! supervisor
//! ├── ledger · members · catalogue · sessions · hub_connection · outbox    permanent
//! └── shifts └── shift × open shifts                             transient
//! ```
//!
//! An actor decides by the pure rules of `domain` and submits one commit; the writer thread of
//! `storage` answers the caller once the commit is on the disk. In-memory state may vanish at any
//! time: starting and restarting are the same thing, loading from storage.
//!
//! Terms are those of docs/glossary.md.

mod config;
mod handle;
mod message;
mod prelude;
#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]
mod tests;
pub mod view;

/// A command's way: from its request to one decision, one commit and one answer.
mod runtime {
    pub(crate) mod command;
    pub(crate) mod commit;
    pub(crate) mod context;
    pub(crate) mod decide;
    pub(crate) mod dispatch;
    pub(crate) mod failure;
    pub(crate) mod fence;
    pub(crate) mod idempotency;
    pub(crate) mod live_rules;
    pub(crate) mod mailbox;
    pub(crate) mod pending;
    pub(crate) mod request;
    pub(crate) mod source;
}

/// Owners of the data, with the commands that change it.
mod owners {
    pub(crate) mod catalogue;
    pub(crate) mod devices;
    pub(crate) mod ledger;
    pub(crate) mod members;
    pub(crate) mod pricing;
    pub(crate) mod scanned;
    pub(crate) mod sessions;
    pub(crate) mod shift;
    pub(crate) mod transaction;
}

/// The link to head office: sending, receiving, and its state.
mod hub {
    pub(crate) mod hub_client;
    pub(crate) mod hub_connection;
    pub(crate) mod inbound;
    pub(crate) mod online;
    pub(crate) mod outbox;
    pub mod pace;
    pub(crate) mod receipt_check;
    pub(crate) mod standing;
    pub(crate) mod sync_state;
}

/// Supervision: which actor starts which, and the consequences of a death.
mod supervision {
    pub(crate) mod restart;
    pub(crate) mod shift_registry;
    pub(crate) mod shifts;
    pub(crate) mod supervisor;
    pub(crate) mod tree;
}

/// Commands of callers to owners, each with the rule that decides on it.
pub mod commands {
    pub use crate::owners::catalogue::*;
    pub use crate::owners::ledger::*;
    pub use crate::owners::members::*;
    pub use crate::owners::sessions::*;
    pub use crate::owners::shift::*;
}

pub use config::{ActorsConfig, DrillSource, SyncConfig, TimeChallenge, TokenSource};
pub use handle::{HeadOffice, LinkEvent, LinkWatch, StoreHandle};
pub use hub::hub_client::trusting;
pub use hub::pace;
pub use message::Revoked;
pub use runtime::dispatch::Dispatch;
pub use runtime::failure::{Done, Failure};
pub use runtime::idempotency::RequestKey;
pub use runtime::request::RequestContext;
pub use runtime::source::Source;
pub use supervision::supervisor::{StartError, Supervision, start, start_offline};
