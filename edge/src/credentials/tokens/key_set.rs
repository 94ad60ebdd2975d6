//! The signing key, keys that only verify, and the tokens that were verified before.

use super::{Claims, TokenError, cache, header, seconds, sign, verify};
use crate::credentials::keys::{SigningKey, kid};
use domain::model::base::time::UtcMs;
use jsonwebtoken::{DecodingKey, Header};
use std::sync::Arc;

/// The keys of one file, as it was read.
pub struct KeySet {
    key: SigningKey,
    header: Header,
    known: Vec<Known>,
    seen: cache::Cache,
}

/// A key that verifies, by its name in token headers.
struct Known {
    kid: String,
    key: DecodingKey,
    /// None: it signs too.
    until: Option<UtcMs>,
}

impl KeySet {
    pub fn new(key: SigningKey) -> Self {
        let own = Known { kid: key.kid(), key: DecodingKey::from_ed_der(&key.public_key()), until: None };
        let retired = key.retired().iter().map(|retired| Known {
            kid: kid(&retired.public_key),
            key: DecodingKey::from_ed_der(&retired.public_key),
            until: Some(retired.until),
        });
        let known = std::iter::once(own).chain(retired).collect();
        Self { header: header(&key), key, known, seen: cache::Cache::default() }
    }

    pub fn sign(&self, claims: &Claims) -> Result<String, TokenError> {
        sign(&self.header, claims, &self.key)
    }

    /// Claims of a token of this installation that is alive at `now`, of whatever kind.
    pub fn verify(&self, token: &str, issuer: &str, now: UtcMs) -> Result<Arc<Claims>, TokenError> {
        let now_s = seconds(now);
        let hash = cache::hash(token);
        let known = self.seen.get(&hash);
        let claims = known.clone().map_or_else(|| self.read(token, issuer, now).map(Arc::new), Ok)?;
        verify::lifetime(claims.life(), now_s)?;
        if known.is_none() {
            self.seen.put(hash, Arc::clone(&claims), now_s);
        }
        Ok(claims)
    }

    fn read(&self, token: &str, issuer: &str, now: UtcMs) -> Result<Claims, TokenError> {
        let kid = verify::kid(token)?;
        let alive = |known: &&Known| known.kid == kid && known.until.is_none_or(|until| now < until);
        let key = self.known.iter().find(alive).ok_or(TokenError::Invalid)?;
        let claims: Claims = verify::signed(token, &key.key, &kid, issuer, issuer)?;
        if claims.is_whole() { Ok(claims) } else { Err(TokenError::Invalid) }
    }
}
