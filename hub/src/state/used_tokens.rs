//! Sync tokens that were used. A token is accepted once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most token IDs that are kept in memory.
const USED_MAX: usize = 200_000;

/// IDs of used sync tokens, each with the time in seconds at which it can be forgotten because the token has expired.
#[derive(Default)]
pub struct UsedTokens(Mutex<HashMap<TokenId, i64>>);

/// A token's `jti` is unique only in its store.
#[derive(PartialEq, Eq, Hash)]
struct TokenId {
    store_id: String,
    jti: String,
}

impl UsedTokens {
    /// Records a use of a token. Returns whether it is the first one.
    pub fn record_use(&self, store_id: &str, jti: String, exp_s: i64, now_s: i64) -> bool {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= USED_MAX {
            used.retain(|_, exp| *exp >= now_s);
        }
        if used.len() >= USED_MAX {
            // More valid tokens than fit. Forgetting them is safe, since a repeated request changes nothing; refusing
            // new tokens would lock stores out.
            used.clear();
        }
        let id = TokenId { store_id: store_id.to_owned(), jti };
        used.insert(id, exp_s.saturating_add(edge::tokens::LEEWAY_S)).is_none()
    }
}
