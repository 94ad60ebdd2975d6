//! The hub's time, as far as the store's tokens need it.
//!
//! A token is valid for minutes, so a store whose clock is off by years could never connect and would never learn how
//! far it is off. An answer that refuses a token therefore contains the time to sign for and a challenge of the hub. A
//! token signed for that time carries the challenge, and the hub accepts it only while the challenge is fresh. A token
//! signed for a time that another party supplied is never valid.

use crate::config::TimeChallenge;
use domain::model::base::time::UtcMs;
use domain::wire::feed::check::MOMENTS;
use serde::Deserialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The longest challenge, in bytes.
const CHALLENGE_BYTES_MAX: usize = 128;

/// Details of a refusal, as far as they are read.
#[derive(Deserialize, Default)]
pub(super) struct Details {
    #[serde(default)]
    hub_time: Option<UtcMs>,
    /// Items of `return_exceeds_sold`, line by line.
    #[serde(default)]
    pub(super) items: Vec<serde_json::Value>,
    #[serde(default)]
    challenge: Option<String>,
    /// When another box was enrolled for this store.
    #[serde(default)]
    pub(super) replaced_at: Option<UtcMs>,
    /// Name of the key that was enrolled then.
    #[serde(default)]
    pub(super) replaced_by: Option<String>,
}

impl Details {
    /// Challenge that tokens can be signed with from now on.
    pub(super) fn challenge(self) -> Option<TimeChallenge> {
        let challenge = self.challenge.filter(|challenge| challenge.len() <= CHALLENGE_BYTES_MAX)?;
        let time = self.hub_time.filter(|time| MOMENTS.contains(&time.0))?;
        Some(TimeChallenge { time, challenge })
    }
}

/// Shared by the clones of one client; empty until a token was refused.
#[derive(Clone, Default)]
pub(super) struct HubTime(Arc<Mutex<Option<(TimeChallenge, Instant)>>>);

impl HubTime {
    /// The hub's now; `None` if our own clock has never been refused.
    pub(super) fn now(&self) -> Option<TimeChallenge> {
        let (received, since) = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let passed = i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX);
        Some(TimeChallenge { time: UtcMs(received.time.0.saturating_add(passed)), ..received })
    }

    /// From now on tokens are signed for this time plus the elapsed time.
    pub(super) fn set(&self, received: TimeChallenge) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((received, Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    #[test]
    fn a_time_without_a_challenge_is_no_word_of_the_hub() {
        let received = |details| serde_json::from_value::<Details>(details).unwrap().challenge();
        let time = "2036-11-20T02:06:34.739Z";
        assert_eq!(received(json!({"hub_time": time})), None);
        assert_eq!(received(json!({"challenge": "x"})), None);
        assert_eq!(received(json!({"hub_time": time, "challenge": "x".repeat(129)})), None);
        let whole = received(json!({"hub_time": time, "challenge": "x"})).unwrap();
        assert_eq!((whole.time, whole.challenge.as_str()), (UtcMs::parse(time).unwrap(), "x"));
    }
}
