//! Failures of a command.

use domain::model::base::answer::Answer;
use domain::model::base::refusal::Refusal;

/// A command's good end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The answer, byte for byte the one that a retry receives.
    pub answer: Answer,
    /// Whether an earlier request with the same key stored it.
    pub replayed: bool,
}

/// Reason why a command has no answer of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A rule refuses it; nothing changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Not now: an actor is restarting, the gate is full, or the daemon drains. Nothing changed. Retryable.
    #[error("not available right now: {0}")]
    Unavailable(&'static str),
    /// It is unknown whether it happened: the disk, or an owner, did not answer in time. Retryable.
    #[error("not available right now: {0}")]
    Unconfirmed(&'static str),
    /// The first request with this key is still running. Retryable.
    #[error("the first request with this key is still running")]
    InProgress,
    /// The key was used for another command; names the parts that differ.
    #[error("the key was used for another request: {} differs", .0.join(", "))]
    KeyReused(Vec<String>),
    /// The disk is too full to accept writes.
    #[error("storage is full: {0}")]
    StorageFull(String),
    /// Its stored data can't be read; the text stays in the log.
    #[error("{0}")]
    Damaged(String),
    /// A defect; the text stays in the log.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// Whether a manager's approval is all that is missing.
    pub(crate) fn asks_for_approval(&self) -> bool {
        matches!(self, Self::Refused(Refusal::ApprovalRequired(_)))
    }
}

impl From<storage::Unconfirmed> for Failure {
    fn from(unconfirmed: storage::Unconfirmed) -> Self {
        Self::Unconfirmed(match unconfirmed {
            storage::Unconfirmed::Closed => "the daemon is stopping",
            storage::Unconfirmed::Late => "the disk does not answer in time",
        })
    }
}

/// Ends an owner that does not know the fate of its own commit (I7 of docs/architecture.md#invariants): it would decide
/// on rows that may be older.
pub(crate) fn outcome_known<T>(outcome: &Result<T, Failure>) -> Result<(), storage::Unconfirmed> {
    match outcome {
        Err(Failure::Unconfirmed(_)) => Err(storage::Unconfirmed::Late),
        _ => Ok(()),
    }
}

impl From<storage::StorageError> for Failure {
    fn from(error: storage::StorageError) -> Self {
        match error {
            storage::StorageError::Damaged { .. } => Self::Damaged(error.to_string()),
            other => Self::Internal(other.to_string()),
        }
    }
}
