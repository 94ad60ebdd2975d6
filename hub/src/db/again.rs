//! Repeats a whole transaction that the database rolled back because of others.

use crate::db::failure::Failure;
use crate::secret;
use std::time::Duration;

/// Greatest number of repetitions.
const AGAIN_MAX: u32 = 3;
/// The longest pause before the first time, in milliseconds; twice that before the next.
const PAUSE_MS: u64 = 20;

/// Number of repetitions of an action.
#[derive(Default)]
pub struct Again(u32);

impl Again {
    /// Whether a transaction that failed so is retried, after a pause of random length; it was rolled back.
    pub async fn after(&mut self, failure: &Failure) -> bool {
        let Failure::Sql(error) = failure else { return false };
        if !is_conflict(error) || self.0 >= AGAIN_MAX {
            return false;
        }
        self.0 = self.0.saturating_add(1);
        tracing::info!(%error, again = self.0, "the database rolled a transaction back: it is repeated");
        let most = PAUSE_MS.saturating_mul(1 << self.0.min(8));
        tokio::time::sleep(Duration::from_millis(secret::below(most).saturating_add(1))).await;
        true
    }
}

/// Two transactions waited for each other, or could not both be true.
fn is_conflict(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().is_some_and(|code| ["40001", "40P01"].contains(&code.as_ref()))
}
