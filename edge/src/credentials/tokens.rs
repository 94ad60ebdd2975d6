//! Tokens: JWTs that are signed with this installation's own Ed25519 key and checked against that key only.

use crate::api::error::ApiError;
use crate::credentials::keys::{KeyError, SigningKey};
use crate::ids;
use domain::model::base::ids::SessionId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::User;
use jsonwebtoken::Header;
use key_set::KeySet;
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

mod cache;
mod claims;
mod key_set;
pub mod sync;
mod verify;

pub use claims::{Claims, TokenKind};

/// Seconds that a clock may be behind the one that issued a token.
pub const LEEWAY_S: i64 = 5;
/// Longest token that is looked at, in bytes.
pub const TOKEN_BYTES_MAX: usize = 4096;
/// Lifetime of an access token unless the settings have another.
pub const ACCESS_TTL: Duration = Duration::from_secs(3600);
/// Lifetime of a refresh token unless the settings have another.
pub const REFRESH_TTL: Duration = Duration::from_secs(7 * 24 * 3600);

/// Lifetime of a till's token: a till that a person has not used for so long asks for the password.
pub const TILL_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

/// A token on its way to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// The token.
    pub token: String,
    /// ID of the token.
    pub jti: String,
    /// When the token expires.
    pub expires_at: UtcMs,
    /// Its lifetime in seconds: `expires_in`.
    pub expires_in_s: i64,
}

/// Reason why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Bad signature, wrong issuer, audience, kind or key, missing claims.
    #[error("the token is not valid here")]
    Invalid,
    /// It was valid once.
    #[error("the token has expired")]
    Expired,
    /// It could not be signed.
    #[error("the token could not be signed")]
    Sign,
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Invalid => Self::invalid_token(),
            TokenError::Expired => Self::token_expired(),
            TokenError::Sign => Self::internal(error),
        }
    }
}

/// The keys of this installation, its issuer name, and the tokens it has seen.
pub struct Keys {
    path: Option<PathBuf>,
    key_set: RwLock<Arc<KeySet>>,
    issuer: String,
    access_ttl: Duration,
    refresh_ttl: Duration,
}

impl Keys {
    /// Makes the key file (mode 0600). `issuer` is `store-router:<store_id>` or `cloud-hub:<hub_id>`.
    ///
    /// # Errors
    /// [`KeyError`]; a file that exists is never overwritten.
    pub fn create(path: &Path, issuer: impl Into<String>) -> Result<Self, KeyError> {
        SigningKey::create(path).map(|key| Self::at(Some(path.to_owned()), key, issuer))
    }

    /// Reads the key file.
    ///
    /// # Errors
    /// [`KeyError`]; a file that others may read is refused.
    pub fn load(path: &Path, issuer: impl Into<String>) -> Result<Self, KeyError> {
        let key = SigningKey::load(path).map_err(KeyError::of_tokens)?;
        Ok(Self::at(Some(path.to_owned()), key, issuer))
    }

    /// Tokens under this key.
    pub fn new(key: SigningKey, issuer: impl Into<String>) -> Self {
        Self::at(None, key, issuer)
    }

    fn at(path: Option<PathBuf>, key: SigningKey, issuer: impl Into<String>) -> Self {
        install_provider();
        let key_set = RwLock::new(Arc::new(KeySet::new(key)));
        Self { path, key_set, issuer: issuer.into(), access_ttl: ACCESS_TTL, refresh_ttl: REFRESH_TTL }
    }

    /// Reads the key file again, if there is one: from now on its key signs, and it and its retired keys verify.
    ///
    /// # Errors
    /// The errors of [`Keys::load`]; the keys are unchanged.
    pub fn reload(&self) -> Result<(), KeyError> {
        let Some(path) = &self.path else { return Ok(()) };
        let key_set = Arc::new(KeySet::new(SigningKey::load(path)?));
        *self.key_set.write().unwrap_or_else(PoisonError::into_inner) = key_set;
        Ok(())
    }

    fn key_set(&self) -> Arc<KeySet> {
        Arc::clone(&self.key_set.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same keys with other lifetimes (`auth.access_ttl`, `auth.refresh_ttl`).
    pub fn with_lifetimes(mut self, access: Duration, refresh: Duration) -> Self {
        (self.access_ttl, self.refresh_ttl) = (access, refresh);
        self
    }

    /// A token for requests.
    ///
    /// # Errors
    /// [`TokenError::Sign`].
    pub fn issue_access(&self, user: &User, session: &SessionId, now: UtcMs) -> Result<Issued, TokenError> {
        self.issue(TokenKind::Access, self.access_ttl, user, session, ids::new("tok_"), now)
    }

    /// A token that buys the next access token.
    ///
    /// # Errors
    /// [`TokenError::Sign`].
    pub fn issue_refresh(&self, user: &User, session: &SessionId, now: UtcMs) -> Result<Issued, TokenError> {
        self.issue(TokenKind::Refresh, self.refresh_ttl, user, session, ids::new("tok_"), now)
    }

    /// The refresh token with this ID, issued at that time: signing it again gives the same bytes.
    ///
    /// # Errors
    /// [`TokenError::Sign`].
    pub fn issue_refresh_as(
        &self,
        jti: &str,
        user: &User,
        session: &SessionId,
        issued_at: UtcMs,
    ) -> Result<Issued, TokenError> {
        self.issue(TokenKind::Refresh, self.refresh_ttl, user, session, jti.to_owned(), issued_at)
    }

    /// A token for the till where a user logged in.
    ///
    /// # Errors
    /// [`TokenError::Sign`].
    pub fn issue_till(&self, user: &User, session: &SessionId, now: UtcMs) -> Result<Issued, TokenError> {
        self.issue(TokenKind::Till, TILL_TTL, user, session, ids::new("tok_"), now)
    }

    /// A ticket for the holder of an access token: what it opens ends with that token. It goes into an address, so it
    /// names nobody.
    ///
    /// # Errors
    /// [`TokenError::Sign`].
    pub fn issue_ticket(&self, access: &Claims, now: UtcMs) -> Result<String, TokenError> {
        let (typ, jti, iat) = (TokenKind::Ticket, ids::new("tkt_"), seconds(now));
        self.key_set().sign(&Claims { typ, jti, iat, name: String::new(), ..access.clone() })
    }

    /// Claims of a token, if it is ours, of this kind, and alive at `now`. Sessions, users and revocations are the
    /// caller's to check, every time.
    ///
    /// # Errors
    /// [`TokenError::Invalid`] or [`TokenError::Expired`].
    pub fn verify(&self, token: &str, kind: TokenKind, now: UtcMs) -> Result<Arc<Claims>, TokenError> {
        let claims = self.key_set().verify(token, &self.issuer, now)?;
        if claims.typ == kind { Ok(claims) } else { Err(TokenError::Invalid) }
    }

    fn issue(
        &self,
        typ: TokenKind,
        ttl: Duration,
        user: &User,
        session: &SessionId,
        jti: String,
        now: UtcMs,
    ) -> Result<Issued, TokenError> {
        let expires_in_s = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
        let iat = seconds(now);
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: self.issuer.clone(),
            sub: user.user_id.0.clone(),
            name: user.name.clone(),
            role: user.role,
            store_id: user.store_id.0.clone(),
            jti,
            sid: session.0.clone(),
            ver: user.token_version,
            typ,
            iat,
            exp: iat.saturating_add(expires_in_s),
            nbf: None,
        };
        let token = self.key_set().sign(&claims)?;
        let expires_at = UtcMs(claims.exp.saturating_mul(1000));
        Ok(Issued { token, jti: claims.jti, expires_at, expires_in_s })
    }
}

fn seconds(at: UtcMs) -> i64 {
    at.0.div_euclid(1000)
}

fn header(key: &SigningKey) -> Header {
    let mut header = Header::new(verify::ALGORITHM);
    header.kid = Some(key.kid());
    header
}

fn sign<T: Serialize>(header: &Header, claims: &T, key: &SigningKey) -> Result<String, TokenError> {
    jsonwebtoken::encode(header, claims, &key.encoding).map_err(|_| TokenError::Sign)
}

/// Named explicitly: detection by features fails at run time as soon as another crate turns on a second one.
fn install_provider() {
    // An error means that one is installed already, which is this one: no other code installs any.
    let _ = jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER.install_default();
}
