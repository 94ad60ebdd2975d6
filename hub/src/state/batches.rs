//! Batches of records that stores push: how many are processed at once.

use tokio::sync::{Semaphore, SemaphorePermit};

/// Places for batches.
#[derive(Debug)]
pub struct Batches {
    places: Semaphore,
    count: usize,
    cores: usize,
}

impl Batches {
    /// At most this many at once.
    pub fn at_most(count: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { places: Semaphore::new(count), count, cores }
    }

    /// Takes a place. `None` if all are taken.
    pub fn enter(&self) -> Option<SemaphorePermit<'_>> {
        self.places.try_acquire().ok()
    }

    /// Number of batches that are processed now.
    pub fn in_progress(&self) -> usize {
        self.count.saturating_sub(self.places.available_permits())
    }

    /// Whether each core has a batch to process, or every place is taken, for example when many stores return after an
    /// outage.
    pub fn are_many(&self) -> bool {
        self.in_progress() >= self.cores.min(self.count)
    }
}
