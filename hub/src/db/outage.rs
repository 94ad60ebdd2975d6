//! An unreachable database: one line in the log when it is lost and one when it is back, however many requests and jobs
//! notice it.

use super::failure::is_away;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// When the outage was noticed. One for the process, which has one database.
static SINCE: Mutex<Option<Instant>> = Mutex::new(None);

/// Whether a failure means that the database is away; the first one of an outage is logged.
pub fn note(error: &sqlx::Error) -> bool {
    if !is_away(error) {
        return false;
    }
    let mut since = since();
    if since.is_none() {
        *since = Some(Instant::now());
        drop(since);
        tracing::warn!(%error, "the database is away: requests get 503, and the hub keeps trying");
    }
    true
}

/// The database has answered.
pub fn over() {
    let since = since().take();
    if let Some(since) = since {
        tracing::info!(seconds = since.elapsed().as_secs(), "the database is back");
    }
}

/// Logs the failure of a job; during an outage the cause is known.
pub fn warn(error: &sqlx::Error, what: &'static str) {
    if !note(error) {
        tracing::warn!(%error, "{what}");
    }
}

fn since() -> MutexGuard<'static, Option<Instant>> {
    SINCE.lock().unwrap_or_else(PoisonError::into_inner)
}
