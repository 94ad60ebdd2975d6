//! The supervision tree of a store and the one door into it, [`StoreHandle`].
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

mod audit;
pub mod budget;
mod catalogue;
mod config;
mod directory;
mod door;
mod failure;
mod fence;
mod handle;
mod hub_client;
mod hub_connection;
mod idempotency;
mod inbound;
mod ledger;
mod members;
mod outbox;
pub mod pace;
mod pending;
mod sessions;
mod shelf;
mod shift;
mod shifts;
mod slot;
mod source;
mod standing;
mod supervisor;
mod sync_state;
mod tree;
pub mod view;
mod who;

pub use config::{ActorsConfig, HubTold, SyncConfig, TokenSource};
pub use failure::{Done, Failure};
pub use handle::{Ask, HeadOffice, LinkWatch, StoreHandle};
pub use hub_client::trusting;
pub use idempotency::RequestKey;

pub use sessions::devices::Revoked;
pub use source::Source;
pub use supervisor::{StartError, Supervision, start, start_apart};
