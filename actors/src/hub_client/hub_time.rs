//! What the hub takes for now, as far as it matters for our tokens.
//!
//! A token is good for minutes, so a store whose clock is years off could never speak again, and never hear
//! how far it is off. An answer that refuses a token therefore says, in its `Date`, what time to sign for.

use domain::sync::check::MOMENTS;
use domain::time::UtcMs;
use reqwest::{Response, header};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Shared by the clones of one client; nothing until a token was refused.
#[derive(Clone, Default)]
pub(super) struct HubTime(Arc<Mutex<Option<(UtcMs, Instant)>>>);

impl HubTime {
    /// The hub's now; none: our own clock has never been refused.
    pub(super) fn now(&self) -> Option<UtcMs> {
        let (told, since) = (*self.0.lock().unwrap_or_else(PoisonError::into_inner))?;
        let passed = i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX);
        Some(UtcMs(told.0.saturating_add(passed)))
    }

    /// From now on tokens are signed for this time and what passes since.
    pub(super) fn set(&self, told: UtcMs) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((told, Instant::now()));
    }
}

/// When an answer was made.
pub(super) fn date(response: &Response) -> Option<UtcMs> {
    let text = response.headers().get(header::DATE)?.to_str().ok()?;
    let at = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(UtcMs(at.timestamp().as_millisecond())).filter(|at| MOMENTS.contains(&at.0))
}
