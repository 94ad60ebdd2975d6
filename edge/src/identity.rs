//! Identity, for store and hub alike: log-ins by password, passkey and PIN, refresh, log-out, the own password and
//! devices, users. Only the storage of users and sessions differs: [`Accounts`].

use crate::api::error::{ApiError, Code};
use crate::api::rate_limit::RateLimits;
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::{Authority, Deprecated};
use crate::clock::MonotonicWallClock;
use crate::credentials::passkeys::Passkeys;
use crate::credentials::passwords::Passwords;
use crate::credentials::tokens::{Claims, Keys, TokenKind};
use crate::identity::limiter::LoginLimiter;
use domain::model::base::answer::Answer;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::hub::chain::hex;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{Passkey, Principal, Role, Session, User};
use domain::rules::people::user::account_change::Change;
use domain::rules::people::user::passkey::Assertion;
pub use domain::rules::people::user::proof::Proof;
use domain::rules::people::user::rotation::{Presented, Refreshed};
use jiff::civil::date;
use refusals::Refusals;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

pub mod approval;
pub mod confirm;
pub mod cookie;
pub mod devices;
pub mod limiter;
pub mod login;
pub mod own_password;
pub mod passkey_login;
pub mod pin;
pub mod refresh;
pub mod refusals;
pub mod saved_state;
pub mod secrets;
pub mod session;
pub mod ticket;
pub mod users;
pub mod views;

/// Everything that is needed to identify a caller.
pub struct Identity {
    /// Signs and checks tokens.
    pub keys: Keys,
    /// Hashes and checks passwords.
    pub passwords: Passwords,
    /// Counts wrong log-ins and approvals.
    pub limiter: LoginLimiter,
    /// Refusals that are not in the audit log yet.
    pub refusals: Refusals,
    /// Passkey ceremonies.
    pub passkeys: Passkeys,
    /// Lifetime of a session, which is that of its refresh token.
    pub session_lifetime: Duration,
    /// Clock that never goes back, even if the wall clock is set back.
    pub clock: MonotonicWallClock,
}

impl Identity {
    /// The present time, for everything that expires.
    pub fn now(&self) -> UtcMs {
        self.clock.now()
    }

    /// The limits of log-ins, and what is left to an address.
    pub fn rate_limits(&self, address: IpAddr) -> RateLimits {
        self.limiter.rate_limits(address, self.now())
    }

    /// Counts a log-in that was refused because of the credentials or the rate; an internal error is not
    /// counted.
    pub(crate) fn refused(&self, user: Option<&UserId>, address: IpAddr, error: &ApiError) {
        if error.code.refuses_caller() || error.code == Code::RateLimited {
            self.refusals.add(refusals::LOG_IN, user, address, error.code.name(), self.now());
        }
    }

    /// Counts an approval that was refused, as [`Identity::refused`] counts log-ins; `user`: the approver.
    pub(crate) fn not_approved(&self, user: Option<&UserId>, address: IpAddr, error: &ApiError) {
        if error.code.refuses_caller() {
            self.refusals.add(refusals::APPROVAL, user, address, error.code.name(), self.now());
        }
    }

    /// Counts a request that the caller's role does not allow.
    pub fn denied(&self, caller: &Principal, pattern: &'static str, address: IpAddr) {
        self.refusals.add(refusals::REQUEST, Some(&caller.user_id), address, pattern, self.now());
    }

    /// Claims of an access token that is valid now.
    ///
    /// # Errors
    /// 401 `invalid_token`, `token_expired`.
    pub fn claims(&self, bearer: &str) -> Result<Arc<Claims>, ApiError> {
        Ok(self.keys.verify(bearer, TokenKind::Access, self.now())?)
    }
}

/// Deprecation of the paths without `/api`, which are older than those with it.
const fn old_path(successor: &'static str) -> Deprecated {
    Deprecated { since: date(2026, 11, 29), sunset: date(2027, 11, 30), successor }
}

/// Result of a read or a write of accounts.
pub type AccountResult<T> = Result<T, ApiError>;

/// Storage of users, sessions and devices.
pub trait Accounts: Authority + Sized {
    /// Context of a request: its caller and its idempotency key.
    type Context: Send + Sync;
    /// Roles that users can have here.
    const ROLES: &'static [Role];

    /// Keys, password hashes and passkey ceremonies.
    fn identity(&self) -> &Identity;

    /// HMAC of the parts under the installation's own key.
    fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32];

    /// Caller and key of the request; `body` is the part of the body that counts.
    ///
    /// # Errors
    /// 401 `missing_token`.
    fn context(request: &Request<Self>, body: &[u8]) -> Result<Self::Context, ApiError>;

    /// The user with a login name (lower-cased).
    fn user_by_name(&self, name: &str) -> impl Future<Output = AccountResult<Option<User>>> + Send;

    /// The user with this ID.
    fn user(&self, id: &UserId) -> impl Future<Output = AccountResult<Option<User>>> + Send;

    /// All users, in the order of their IDs.
    fn users(&self) -> impl Future<Output = AccountResult<Vec<User>>> + Send;

    /// The devices with which the user may log in now, in the order of their IDs.
    fn passkeys(&self, user: &User) -> impl Future<Output = AccountResult<Vec<Passkey>>> + Send;

    /// Opens a session, durable before this returns; 401 `invalid_credentials` if the user or the
    /// device changed since it was checked.
    fn open_session(&self, user: &User, proof: Proof) -> impl Future<Output = AccountResult<Session>> + Send;

    /// Data of a log-in that a till keeps. `None` at head office, which has no PINs.
    fn till(
        &self,
        _user: &User,
        _session: &Session,
    ) -> impl Future<Output = AccountResult<Option<views::Till>>> + Send {
        std::future::ready(Ok(None))
    }

    /// Counts a device's assertion without opening anything, as [`Accounts::open_session`] would.
    fn use_passkey(
        &self,
        user: &User,
        assertion: Assertion,
    ) -> impl Future<Output = AccountResult<()>> + Send;

    /// Ends a session.
    fn close_session(&self, session: &SessionId) -> impl Future<Output = AccountResult<()>> + Send;

    /// Stores a password that was just checked under another hash.
    fn rehash(&self, user: &User, hash: String) -> impl Future<Output = AccountResult<()>> + Send;

    /// Exchanges a refresh token for a new one.
    fn refresh(&self, presented: Presented) -> impl Future<Output = AccountResult<Refreshed>> + Send;

    /// Writes entries into the audit log, durable before this returns.
    fn audit(&self, entries: Vec<AuditEntry>) -> impl Future<Output = AccountResult<()>> + Send;

    /// The stored answer to a request that was answered before.
    fn replayed(&self, context: &Self::Context)
    -> impl Future<Output = AccountResult<Option<Answer>>> + Send;

    /// Makes a change, durable before this returns.
    fn change(
        &self,
        context: &Self::Context,
        change: Change,
    ) -> impl Future<Output = Result<Reply, ApiError>> + Send;
}

/// A login name as the limiter stores it. Users type passwords into that field: the stored value must not contain the
/// typed text.
fn subject<S: Accounts>(state: &S, name: &str) -> String {
    hex(&state.fingerprint(&[b"login-name", name.as_bytes()]))
}

/// The caller of a token's claims: the session still exists, the user is neither disabled nor revoked since. The role
/// is the user's present one, not the token's.
///
/// # Errors
/// 401 `token_revoked`, 403 `account_disabled`.
pub fn caller(claims: &Claims, session: Option<Session>, user: Option<User>) -> Result<Principal, ApiError> {
    let (session, user) = session.zip(user).ok_or_else(ApiError::token_revoked)?;
    if user.disabled {
        return Err(ApiError::account_disabled());
    }
    // The session's row decides, not the token's `ver`: a session that outlives a change of the password
    // continues under the new version.
    let withdrawn = session.user_id != user.user_id
        || session.token_version != user.token_version
        || claims.ver > session.token_version;
    if withdrawn {
        return Err(ApiError::token_revoked());
    }
    Ok(Principal {
        user_id: user.user_id,
        name: user.name,
        role: user.role,
        store_id: user.store_id,
        session_id: session.session_id,
    })
}

/// An object without fields.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Nothing")]
pub struct EmptyBody {}
