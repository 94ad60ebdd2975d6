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

    /// Remembers a verified token. A full cache drops the expired tokens first; if there are none, it drops all.
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
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

    use super::{Cache, TOKENS_MAX, hash};
    use crate::credentials::tokens::{Claims, TokenKind};
    use domain::model::people::user::Role;
    use std::sync::Arc;

    fn claims(exp: i64) -> Arc<Claims> {
        let text = String::new;
        Arc::new(Claims {
            iss: text(),
            aud: text(),
            sub: text(),
            name: text(),
            role: Role::Cashier,
            store_id: text(),
            jti: text(),
            sid: text(),
            ver: 0,
            typ: TokenKind::Access,
            iat: 0,
            exp,
            nbf: None,
        })
    }

    #[test]
    fn the_expired_make_room_and_no_more_than_the_limit_is_kept() {
        let cache = Cache::default();
        for token in 0..TOKENS_MAX {
            let exp = if token % 2 == 0 { 100 } else { 200 };
            cache.put(hash(&token.to_string()), claims(exp), 50);
        }
        cache.put(hash("new"), claims(200), 150);
        assert_eq!(cache.0.lock().unwrap().len(), TOKENS_MAX / 2 + 1);
        assert!(cache.get(&hash("0")).is_none() && cache.get(&hash("1")).is_some());
        for token in 0..10 * TOKENS_MAX {
            cache.put(hash(&format!("more{token}")), claims(1000), 150);
            assert!(cache.0.lock().unwrap().len() <= TOKENS_MAX);
        }
    }
}
