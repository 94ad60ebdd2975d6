//! Messages to the outbox.

use crate::hub::hub_client::{CallError, HubClient};
use crate::runtime::pending::Pending;
use domain::wire::sync::{Limits, PushAnswer};

/// Message to the outbox.
pub(crate) enum OutboxMessage {
    /// There may be new records.
    Poke,
    /// The hub is there, and every epoch is complete here.
    Online(Box<Session>),
    /// The hub is away: keep everything, send nothing.
    Offline,
    /// Whether commands get through.
    Probe { pending: Pending },
    /// A batch came back.
    Pushed { session: u64, batch: Batch, result: Box<Result<PushAnswer, CallError>> },
    #[cfg(test)]
    Panic,
}

#[derive(Clone)]
pub(crate) struct Session {
    /// Answers of an earlier session are not used.
    pub(crate) number: u64,
    pub(crate) client: HubClient,
    pub(crate) generation: String,
    /// The epoch that is written.
    pub(crate) epoch: String,
    /// Limits of the batches that the hub accepts.
    pub(crate) limits: Limits,
}

/// Position at which a batch begins.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) epoch: String,
    pub(crate) from_seq: u64,
}
