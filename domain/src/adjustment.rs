//! Adjustments: stock written off, found or corrected, with a reason.

use serde::{Deserialize, Serialize};

/// Why stock is adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdjustmentReason {
    /// Broken.
    Damaged,
    /// Past its date.
    Expired,
    /// Stolen.
    Theft,
    /// Gone.
    Loss,
    /// There after all.
    Found,
    /// Given away to try.
    Sample,
    /// The figure was wrong, either way.
    Correction,
}
