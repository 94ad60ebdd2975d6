//! The end of the numbered records.

use bincode::{Decode, Encode};

/// Position of the numbered records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode)]
pub struct RecordHead {
    /// The epoch that is written; empty before the first.
    pub epoch: String,
    /// Last seq of the epoch.
    pub seq: u64,
    /// The record chain there.
    pub hash: [u8; 32],
}
