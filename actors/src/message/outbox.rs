//! Messages to the outbox, which sends the store's records to the hub.

use crate::hub::hub_client::{CallError, HubClient};
use crate::runtime::pending::Pending;
use domain::wire::sync::{Limits, PushAnswer};

/// Message to the outbox.
pub(crate) enum OutboxMessage {
    /// There may be new records.
    NewRecords,
    /// The hub is connected, and this store has all records of each epoch.
    Online(Box<Session>),
    /// The hub is not connected: records are kept and not sent.
    Offline,
    /// Probe whether commands are processed; answered like a command.
    Probe { pending: Pending },
    /// The hub answered a batch, or the call failed.
    Pushed { session: u64, batch: Batch, result: Box<Result<PushAnswer, CallError>> },
    #[cfg(test)]
    Panic,
}

/// Connection to the hub after its hello.
#[derive(Clone)]
pub(crate) struct Session {
    /// Number of the session. Answers of an earlier session are ignored.
    pub(crate) number: u64,
    pub(crate) client: HubClient,
    /// Generation of the hub's database.
    pub(crate) generation: String,
    /// Epoch that the store writes.
    pub(crate) epoch: String,
    /// Limits of the batches that the hub accepts.
    pub(crate) limits: Limits,
}

/// Position at which a batch begins.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) epoch: String,
    /// Sequence number of its first record.
    pub(crate) from_seq: u64,
}
