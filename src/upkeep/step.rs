//! How far long work is, as commands and pages show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far long work is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// What is being done.
    pub step: String,
    /// Bytes done.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

impl From<storage::Progress> for Step {
    fn from(progress: storage::Progress) -> Self {
        Self { step: progress.step.to_owned(), done: progress.done, total: progress.total }
    }
}
