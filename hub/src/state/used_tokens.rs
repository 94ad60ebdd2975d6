//! Tokens of stores that were used: each counts once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most token IDs that are remembered.
const USED_MAX: usize = 200_000;

/// Sync tokens that were used, until they expire: each counts once.
#[derive(Default)]
pub struct UsedTokens(Mutex<HashMap<(String, String), i64>>);

impl UsedTokens {
    /// Whether this is the token's first use.
    pub fn first(&self, store_id: &str, jti: String, exp_s: i64, now_s: i64) -> bool {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= USED_MAX {
            used.retain(|_, exp| *exp >= now_s);
        }
        if used.len() >= USED_MAX {
            // More tokens alive than can be remembered: resending is safe anyway, losing stores is not.
            used.clear();
        }
        used.insert((store_id.to_owned(), jti), exp_s.saturating_add(edge::tokens::LEEWAY_S)).is_none()
    }
}
