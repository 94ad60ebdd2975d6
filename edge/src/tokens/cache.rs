//! Tokens that were verified before: checking a signature costs more than the rest of a read.

use super::Claims;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Most tokens that are remembered.
pub const TOKENS_MAX: usize = 10_000;

/// SHA-256 of a token: the token itself is never kept.
pub type TokenHash = [u8; 32];

/// The hash under which a token is remembered.
pub fn hash(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

/// Claims by token hash, until they expire.
#[derive(Default)]
pub struct Cache(Mutex<HashMap<TokenHash, Arc<Claims>>>);

impl Cache {
    /// The claims of a token that was verified before; the caller still checks `exp`.
    pub fn get(&self, hash: &TokenHash) -> Option<Arc<Claims>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    /// Remembers a verified token. When full, the expired go first; if none has, all do.
    pub fn put(&self, hash: TokenHash, claims: Arc<Claims>, now_s: i64) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= TOKENS_MAX {
            seen.retain(|_, claims| claims.exp > now_s);
            if seen.len() >= TOKENS_MAX {
                seen.clear();
            }
        }
        seen.insert(hash, claims);
    }

    /// How many are remembered.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
