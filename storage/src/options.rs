//! How the storage is run.

/// How the storage is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Memory for the engine's cache, in bytes.
    pub cache_bytes: u64,
    /// Below this many free bytes on the disk nothing is written any more.
    pub min_free_bytes: u64,
    /// Size of a journal segment, in bytes.
    pub segment_bytes: u64,
    /// How long the answer under an idempotency key is found again at least, in days of the journal's time.
    pub answers_days: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 64 * 1024 * 1024,
            min_free_bytes: 256 * 1024 * 1024,
            segment_bytes: 64 * 1024 * 1024,
            answers_days: 7,
        }
    }
}
