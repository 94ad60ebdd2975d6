//! The supervision tree of a store and the one way into it, [`StoreHandle`].
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
//! The words are those of docs/glossary.md.

mod catalogue;
mod command;
mod commit;
mod config;
mod context;
mod decide;
mod devices;
mod dispatch;
mod failure;
mod fence;
mod handle;
mod hub_client;
mod hub_connection;
mod idempotency;
mod inbound;
mod ledger;
mod mailbox;
mod members;
mod message;
mod online;
mod outbox;
pub mod pace;
mod pending;
mod prelude;
mod pricing;
mod receipt_check;
mod request;
mod restart;
mod sessions;
mod shift;
mod shift_registry;
mod shifts;
mod source;
mod standing;
mod supervisor;
mod sync_state;
mod transaction;
mod tree;
pub mod view;

/// What callers ask of owners, each with the rule that decides on it.
pub mod commands {
    pub use crate::catalogue::*;
    pub use crate::ledger::*;
    pub use crate::members::*;
    pub use crate::sessions::*;
    pub use crate::shift::*;
}

pub use config::{ActorsConfig, SyncConfig, TimeChallenge, TokenSource};
pub use dispatch::Dispatch;
pub use failure::{Done, Failure};
pub use handle::{HeadOffice, LinkWatch, StoreHandle};
pub use hub_client::trusting;
pub use idempotency::RequestKey;
pub use message::Revoked;
pub use request::RequestContext;
pub use source::Source;
pub use supervisor::{StartError, Supervision, start, start_offline};
