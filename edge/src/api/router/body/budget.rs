//! The memory that all bodies under way may take together.

use crate::api::error::ApiError;
use crate::limits::{BODIES_BYTES_MAX, BODY_FREE_BYTES};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// `Retry-After` when the budget is spent, in seconds.
const SPENT_RETRY_S: u64 = 1;

/// The bytes that are left. The first [`BODY_FREE_BYTES`] of a body are not counted: the number of connections bounds
/// them, and so a few large bodies never keep out the small ones of tills.
pub struct Budget(Arc<Semaphore>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(BODIES_BYTES_MAX)))
    }
}

/// Share of one body in the budget.
pub struct Held {
    left: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Budget {
    /// Holds nothing yet.
    pub fn hold(&self) -> Held {
        Held { left: Arc::clone(&self.0), permit: None }
    }
}

impl Held {
    /// Holds as much as a body of this many bytes needs.
    ///
    /// # Errors
    /// 503 `unavailable`.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), ApiError> {
        let counted = bytes.saturating_sub(BODY_FREE_BYTES);
        let held = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let Some(more) = counted.checked_sub(held).filter(|more| *more > 0) else { return Ok(()) };
        let spent = || ApiError::unavailable("too many large requests are in progress", SPENT_RETRY_S);
        let more = u32::try_from(more).map_err(|_| spent())?;
        let more = Arc::clone(&self.left).try_acquire_many_owned(more).map_err(|_| spent())?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{BODIES_BYTES_MAX, BODY_FREE_BYTES, Budget};
    use crate::api::error::Code;

    #[test]
    fn large_bodies_share_the_budget_and_small_ones_are_always_taken() {
        let budget = Budget::default();
        let (mut large, mut small) = (budget.hold(), budget.hold());
        large.grow_to(BODIES_BYTES_MAX / 2).unwrap();
        large.grow_to(BODIES_BYTES_MAX + BODY_FREE_BYTES).unwrap();
        small.grow_to(BODY_FREE_BYTES).unwrap();
        let spent = small.grow_to(BODY_FREE_BYTES + 1).unwrap_err();
        assert_eq!((spent.code, spent.retry_after_s), (Code::Unavailable, Some(1)));
        drop(large);
        small.grow_to(BODIES_BYTES_MAX).unwrap();
    }
}
