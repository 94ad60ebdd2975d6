//! Progress of long work, as commands and pages show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Progress of long work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Name of the current step.
    pub step: String,
    /// Bytes processed so far.
    pub done: u64,
    /// Total bytes to process.
    pub total: u64,
}

impl From<storage::Progress> for Step {
    fn from(progress: storage::Progress) -> Self {
        Self { step: progress.step.to_owned(), done: progress.done, total: progress.total }
    }
}
