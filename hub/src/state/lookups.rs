//! The number of members that each store looked up in the present minute. It is limited, so that somebody with a
//! store's key can't read all members.

use domain::model::base::time::UtcMs;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most members that a store may look up within a minute: far more than its tills need.
const PER_MINUTE_MAX: u32 = 60;
/// A minute, in milliseconds.
const MINUTE_MS: i64 = 60_000;

/// Result of a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookUp {
    /// It is within the limit.
    Allowed,
    /// It is the first one above the limit of this minute: a person is notified.
    First,
    /// It is a further one above the limit.
    More,
}

/// Minute and number of look-ups by store. Only authenticated stores are counted.
#[derive(Debug, Default)]
pub struct Lookups(Mutex<HashMap<String, (i64, u32)>>);

impl Lookups {
    /// Counts a look-up of a store.
    pub fn take(&self, store_id: &str, now: UtcMs) -> LookUp {
        let minute = now.0.div_euclid(MINUTE_MS);
        let mut stores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (counted_minute, count) = stores.entry(store_id.to_owned()).or_default();
        if *counted_minute != minute {
            (*counted_minute, *count) = (minute, 0);
        }
        *count = count.saturating_add(1);
        match *count {
            0..=PER_MINUTE_MAX => LookUp::Allowed,
            count if count == PER_MINUTE_MAX.saturating_add(1) => LookUp::First,
            _ => LookUp::More,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_store_may_look_up_a_number_of_members_per_minute() {
        let lookups = Lookups::default();
        let at = |ms: i64| UtcMs(ms);
        for _ in 0..PER_MINUTE_MAX {
            assert_eq!(lookups.take("S001", at(120_000)), LookUp::Allowed);
        }
        assert_eq!(lookups.take("S001", at(150_000)), LookUp::First);
        assert_eq!(lookups.take("S001", at(179_999)), LookUp::More);
        assert_eq!(lookups.take("S002", at(179_999)), LookUp::Allowed);
        assert_eq!(lookups.take("S001", at(180_000)), LookUp::Allowed, "the next minute");
    }
}
