//! Sync tokens: a store signs its own, minutes long; the hub checks them with the key of its enrolment.

use super::claims::Life;
use super::{TokenError, header, install_provider, seconds, sign, verify};
use crate::credentials::keys::{PUBLIC_KEY_BYTES, SigningKey, kid};
use crate::ids;
use domain::model::base::time::UtcMs;
use jsonwebtoken::DecodingKey;
use serde::{Deserialize, Serialize};

/// Longest time between `iat` and `exp`, in seconds.
pub const SYNC_TTL_S_MAX: i64 = 300;

const ISSUER_PREFIX: &str = "store-router:";
const AUDIENCE_PREFIX: &str = "cloud-hub:";

/// Use of a sync token; there is one kind only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncKind {
    /// Store speaks to hub.
    Sync,
}

/// Claims of a sync token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncClaims {
    /// `store-router:<store_id>`.
    pub iss: String,
    /// The same as `iss`.
    pub sub: String,
    /// `cloud-hub:<hub_id>`.
    pub aud: String,
    /// Always `sync`.
    pub typ: SyncKind,
    /// This token's own ID.
    pub jti: String,
    /// Issued at, in seconds since 1970.
    pub iat: i64,
    /// Expires at, in seconds since 1970.
    pub exp: i64,
    /// Not valid before, in seconds since 1970: never issued, but checked if present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nbf: Option<i64>,
    /// For a token that was signed for the time that a hub named: the challenge that the hub gave out with it. Only a
    /// hub that knows it as its own, and as fresh, may take the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
}

/// Signs a token for one call of this store to its hub.
///
/// # Errors
/// [`TokenError::Sign`].
pub fn issue(key: &SigningKey, store_id: &str, hub_id: &str, now: UtcMs) -> Result<String, TokenError> {
    made(key, store_id, hub_id, now, None)
}

/// As [`issue`], for the time and with the challenge that a hub sent.
///
/// # Errors
/// [`TokenError::Sign`].
pub fn issue_for(
    key: &SigningKey,
    store_id: &str,
    hub_id: &str,
    now: UtcMs,
    challenge: String,
) -> Result<String, TokenError> {
    made(key, store_id, hub_id, now, Some(challenge))
}

fn made(
    key: &SigningKey,
    store_id: &str,
    hub_id: &str,
    now: UtcMs,
    challenge: Option<String>,
) -> Result<String, TokenError> {
    install_provider();
    let issuer = format!("{ISSUER_PREFIX}{store_id}");
    let iat = seconds(now);
    let claims = SyncClaims {
        sub: issuer.clone(),
        iss: issuer,
        aud: format!("{AUDIENCE_PREFIX}{hub_id}"),
        typ: SyncKind::Sync,
        jti: ids::new("tok_"),
        iat,
        exp: iat.saturating_add(SYNC_TTL_S_MAX),
        nbf: None,
        challenge,
    };
    sign(&header(key), &claims, key)
}

/// Store that a token claims to be from. Nothing is proven yet; it only names the key to look up.
///
/// # Errors
/// [`TokenError::Invalid`] if it is no sync token at all.
pub fn claimed_store(token: &str) -> Result<String, TokenError> {
    if token.len() > super::TOKEN_BYTES_MAX {
        return Err(TokenError::Invalid);
    }
    let claims: SyncClaims =
        jsonwebtoken::dangerous::insecure_decode_claims(token).map_err(|_| TokenError::Invalid)?;
    claims.iss.strip_prefix(ISSUER_PREFIX).map(str::to_owned).ok_or(TokenError::Invalid)
}

/// Checks a token of that store, with the raw public key of its enrolment.
///
/// # Errors
/// [`TokenError::Invalid`] or [`TokenError::Expired`].
pub fn verify(
    token: &str,
    public_key: &[u8; PUBLIC_KEY_BYTES],
    store_id: &str,
    hub_id: &str,
    now: UtcMs,
) -> Result<SyncClaims, TokenError> {
    install_provider();
    let issuer = format!("{ISSUER_PREFIX}{store_id}");
    let audience = format!("{AUDIENCE_PREFIX}{hub_id}");
    let key = DecodingKey::from_ed_der(public_key);
    let claims: SyncClaims = verify::signed(token, &key, &kid(public_key), &issuer, &audience)?;
    let too_long = claims.exp.saturating_sub(claims.iat) > SYNC_TTL_S_MAX;
    if claims.sub != claims.iss || claims.jti.is_empty() || too_long {
        return Err(TokenError::Invalid);
    }
    verify::lifetime(Life { iat: claims.iat, nbf: claims.nbf, exp: claims.exp }, seconds(now))?;
    Ok(claims)
}
