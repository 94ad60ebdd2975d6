//! How the storage is run.

/// About a thousand commits of sales.
pub const MEMTABLE_BYTES: usize = 1024 * 1024;

/// How the storage is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Memory for the engine's cache, in bytes.
    pub cache_bytes: u64,
    /// Bytes of changed rows after which the engine is given them.
    pub memtable_bytes: usize,
    /// Below this many free bytes on the disk nothing is written any more.
    pub min_free_bytes: u64,
    /// Size of a journal segment, in bytes; one that a long commit needs is longer.
    pub segment_bytes: u64,
    /// Shortest time that the answer under an idempotency key can be found again, in days of the journal's time.
    pub answers_days: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 64 * 1024 * 1024,
            memtable_bytes: MEMTABLE_BYTES,
            min_free_bytes: 256 * 1024 * 1024,
            // About 9,000 sales: the part of the open segment that a start may have to read, and the distance between
            // snapshots.
            segment_bytes: 16 * 1024 * 1024,
            answers_days: 7,
        }
    }
}
