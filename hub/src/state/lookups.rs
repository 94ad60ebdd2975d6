//! The number of members that each store looked up in the present minute: a holder of a store's key must not read all
//! of them.

use domain::model::base::time::UtcMs;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most members that a store looks up within a minute: far more than its tills meet.
const A_MINUTE: u32 = 60;
/// A minute, in milliseconds.
const MINUTE_MS: i64 = 60_000;

/// Result of a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is within the limit.
    Allowed,
    /// It is the first one above the limit of this minute: a person is notified.
    First,
    /// It is a further one above the limit.
    More,
}

/// Counts by store, only for authenticated stores.
#[derive(Debug, Default)]
pub struct Lookups(Mutex<HashMap<String, (i64, u32)>>);

impl Lookups {
    /// Counts a look-up of a store.
    pub fn take(&self, store_id: &str, now: UtcMs) -> Taken {
        let minute = now.0.div_euclid(MINUTE_MS);
        let mut stores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, count) = stores.entry(store_id.to_owned()).or_default();
        if *of != minute {
            (*of, *count) = (minute, 0);
        }
        *count = count.saturating_add(1);
        match *count {
            0..=A_MINUTE => Taken::Allowed,
            count if count == A_MINUTE.saturating_add(1) => Taken::First,
            _ => Taken::More,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_has_so_many_a_minute_and_each_has_its_own() {
        let lookups = Lookups::default();
        let at = |ms: i64| UtcMs(ms);
        for _ in 0..A_MINUTE {
            assert_eq!(lookups.take("S001", at(120_000)), Taken::Allowed);
        }
        assert_eq!(lookups.take("S001", at(150_000)), Taken::First);
        assert_eq!(lookups.take("S001", at(179_999)), Taken::More);
        assert_eq!(lookups.take("S002", at(179_999)), Taken::Allowed);
        assert_eq!(lookups.take("S001", at(180_000)), Taken::Allowed, "the next minute");
    }
}
