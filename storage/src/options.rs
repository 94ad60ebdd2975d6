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
    /// How long the answer under an idempotency key is found again at least, in days of the journal's time.
    pub answers_days: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 64 * 1024 * 1024,
            memtable_bytes: MEMTABLE_BYTES,
            min_free_bytes: 256 * 1024 * 1024,
            // Some 9,000 sales: what a start may have to read of the open one, and how far snapshots lie apart.
            segment_bytes: 16 * 1024 * 1024,
            answers_days: 7,
        }
    }
}
