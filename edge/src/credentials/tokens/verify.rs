//! The checks for every token, regardless of its signer.

use super::claims::Life;
use super::{LEEWAY_S, TOKEN_BYTES_MAX, TokenError};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation};
use serde::de::DeserializeOwned;

/// The only algorithm that is signed with or accepted; a header never chooses.
pub const ALGORITHM: Algorithm = Algorithm::EdDSA;

const CLAIMS_REQUIRED: [&str; 4] = ["iss", "aud", "sub", "exp"];

/// The claims of a token with a good signature, issuer and audience; its lifetime is not looked at.
pub fn signed<T: DeserializeOwned>(
    token: &str,
    key: &DecodingKey,
    kid: &str,
    issuer: &str,
    audience: &str,
) -> Result<T, TokenError> {
    let header = header(token)?;
    if header.kid.as_deref() != Some(kid) {
        return Err(TokenError::Invalid);
    }
    let mut rules = Validation::new(ALGORITHM);
    rules.set_issuer(&[issuer]);
    rules.set_audience(&[audience]);
    rules.set_required_spec_claims(&CLAIMS_REQUIRED);
    // Expiry is distinguished from everything else, and against the caller's clock.
    rules.validate_exp = false;
    jsonwebtoken::decode(token, key, &rules).map(|token| token.claims).map_err(|_| TokenError::Invalid)
}

/// The header, without any invitation to fetch or embed another key.
fn header(token: &str) -> Result<Header, TokenError> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(TokenError::Invalid);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| TokenError::Invalid)?;
    let foreign = header.jku.is_some()
        || header.jwk.is_some()
        || header.x5u.is_some()
        || header.x5c.is_some()
        || header.crit.is_some();
    if header.alg != ALGORITHM || foreign { Err(TokenError::Invalid) } else { Ok(header) }
}

/// Key that a token names as its signer: nothing is proven yet.
pub fn kid(token: &str) -> Result<String, TokenError> {
    header(token)?.kid.ok_or(TokenError::Invalid)
}

/// Alive at `now_s`, and not from the future.
pub fn lifetime(life: Life, now_s: i64) -> Result<(), TokenError> {
    let Life { iat, nbf, exp } = life;
    let from_s = nbf.map_or(iat, |nbf| nbf.max(iat));
    if from_s > now_s.saturating_add(LEEWAY_S) || exp <= from_s {
        return Err(TokenError::Invalid);
    }
    if now_s >= exp.saturating_add(LEEWAY_S) { Err(TokenError::Expired) } else { Ok(()) }
}
