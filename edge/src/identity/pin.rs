//! `POST /api/auth/login/pin` and `GET|PUT|DELETE /api/auth/pin`: a few digits in place of the password, at a till where
//! their owner has logged in by password or device (docs/decisions/0038-pins.md).

use super::confirm::{Confirmation, confirmed};
use super::login::open;
use super::passkey_login::{CREDENTIAL_BODY_BYTES_MAX, Object};
use super::views::{LOGIN_RESULT, LOGIN_UNKEYED, LoginResult};
use super::{AccountResult, Accounts, EmptyBody, Proof, cookie};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::tokens::TokenKind;
use domain::model::base::ids::UserId;
use domain::model::base::limits::PASSWORD_CHARS_MAX;
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Pin, User};
use domain::rules::people::user::pin::{self, PinTry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::net::IpAddr;

/// `POST /api/auth/login/pin`
pub const LOGIN: Doc = Doc::of("Log-in", "Log in with a PIN, at a till where the user has logged in before")
    .body::<PinGiven>(r#"{"till_token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.e30.dGls", "pin": "4711"}"#)
    .answers::<LoginResult>(LOGIN_RESULT)
    .unkeyed(LOGIN_UNKEYED)
    .by_page()
    .refuses(&[
        Code::InvalidToken,
        Code::TokenExpired,
        Code::TokenRevoked,
        Code::InvalidCredentials,
        Code::PinLocked,
        Code::RateLimited,
    ]);
/// `GET /api/auth/pin`
pub const READ: Doc = Doc::of("Log-in", "Retrieve the state of your own PIN")
    .answers::<PinState>(r#"{"set_at": "2026-11-20T02:06:34.739Z", "is_locked": false}"#);
/// `PUT /api/auth/pin`
pub const SET: Doc = Doc::of("Log-in", "Set your own PIN, confirmed by password or by a registered device")
    .body_up_to::<SetPin>(CREDENTIAL_BODY_BYTES_MAX, r#"{"pin": "4711", "password": "right horse"}"#)
    .answers::<EmptyBody>("{}")
    .unkeyed("setting the same PIN again changes nothing")
    .refuses(&[Code::InvalidCredentials, Code::RateLimited]);
/// `DELETE /api/auth/pin`
pub const REMOVE: Doc = Doc::of("Log-in", "Remove your own PIN")
    .optional_body::<EmptyBody>("{}")
    .answers::<EmptyBody>("{}")
    .unkeyed("a PIN that is gone can't be removed again")
    .refuses(&[Code::NotFound]);

/// A PIN, and the token of the till where it is typed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PinGiven")]
pub struct PinGiven {
    /// Token of this till for the owner of the PIN: `till_token` of the owner's last log-in here.
    #[schemars(length(max = 2048))]
    pub till_token: String,
    /// The PIN: 4–8 digits.
    #[schemars(length(min = 4, max = 8))]
    pub pin: String,
}

impl PinGiven {
    /// Checks that it can be a PIN, in the field of that path. An impossible PIN is not counted.
    ///
    /// # Errors
    /// 422 `validation_failed`.
    pub(super) fn check(&self, path: &str) -> Result<(), ApiError> {
        if pin::is_pin(&self.pin) { Ok(()) } else { Err(ApiError::field(path, "must have 4 to 8 digits")) }
    }
}

/// Request body that sets your own PIN.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetPin {
    /// New PIN: 4–8 digits. It must not be one digit repeated, or digits that count up or down.
    #[schemars(length(min = 4, max = 8))]
    pin: String,
    /// Password of the logged-in user. Omit it for a ceremony.
    #[schemars(length(min = 1, max = PASSWORD_CHARS_MAX))]
    password: Option<String>,
    /// ID of a ceremony that `confirm/start` began for a registration. Omit it for a password.
    #[schemars(length(max = 64))]
    ceremony_id: Option<String>,
    /// Answer of the device in WebAuthn's JSON form. Omit it for a password.
    credential: Option<Object>,
}

/// State of a user's PIN.
#[derive(Serialize, JsonSchema)]
struct PinState {
    /// When the PIN was set. Null if the user has none.
    set_at: Option<UtcMs>,
    /// Whether the PIN was wrong too often and waits for a log-in by password or device.
    is_locked: bool,
}

/// Storage of PINs: a store's, for its own people.
pub trait Pins: Accounts {
    /// The user's PIN, if it works for the user as the user is now.
    fn pin(&self, user: &User) -> AccountResult<Option<Pin>>;

    /// Counts a try, durable before this returns.
    fn try_pin(&self, user: &User) -> impl Future<Output = AccountResult<PinTry>> + Send;

    /// Counts a right PIN without opening anything, as [`Accounts::open_session`] would.
    fn use_pin(&self, user: &User, pin: Pin) -> impl Future<Output = AccountResult<()>> + Send;

    /// Stores a PIN, durable before this returns.
    fn set_pin(&self, pin: Pin) -> impl Future<Output = AccountResult<()>> + Send;

    /// Removes a user's PIN, durable before this returns.
    fn remove_pin(&self, user: &UserId) -> impl Future<Output = AccountResult<()>> + Send;
}

/// `POST /api/auth/login/pin`
///
/// # Errors
/// The errors in its description.
pub async fn login<S: Pins>(request: Request<S>) -> Result<Reply, ApiError> {
    let keeps = cookie::keeps(&request)?;
    let given: PinGiven = request.json()?;
    given.check("pin")?;
    let (state, address) = (&*request.state, request.peer.ip());
    let (user, pin) = right(state, given, address).await?;
    // Nothing else changes: wrong passwords of this name stay counted, and the address does not become a usual one.
    open(state, &user, Proof::Pin(pin), keeps).await
}

/// The owner of a till's token, whose PIN this is. By address it is counted as log-ins are.
async fn right<S: Pins>(state: &S, given: PinGiven, address: IpAddr) -> Result<(User, Pin), ApiError> {
    let (identity, mut known) = (state.identity(), None);
    let tried = async {
        identity.limiter.attempt_from(address, identity.now())?;
        let user = owner(state, &given.till_token).await?;
        known = Some(user.user_id.clone());
        let pin = compared(state, &user, given.pin).await?;
        Ok((user, pin))
    };
    let tried: Result<_, ApiError> = tried.await;
    match &tried {
        Ok(_) => identity.limiter.succeeded_from(address),
        Err(error) if error.code.is_of_server() => identity.limiter.succeeded_from(address),
        Err(error) => identity.refused(known.as_ref(), address, error),
    }
    tried
}

/// The person for whom a till has this token. Revoking the person's tokens revokes this one too.
pub(super) async fn owner<S: Accounts>(state: &S, till_token: &str) -> Result<User, ApiError> {
    let claims = state.identity().keys.verify(till_token, TokenKind::Till, state.identity().now())?;
    let user = state.user(&UserId(claims.sub.clone())).await?;
    let alive = user.filter(|user| !user.disabled && user.token_version == claims.ver);
    alive.ok_or_else(ApiError::token_revoked)
}

/// The person's PIN, if it is this one. The try is counted before; a person without a PIN gets the same answer with the
/// same work as for a wrong one.
pub(super) async fn compared<S: Pins>(state: &S, user: &User, pin: String) -> Result<Pin, ApiError> {
    let counted = match state.try_pin(user).await? {
        PinTry::Counted(pin) => Some(pin),
        PinTry::Locked => return Err(ApiError::pin_locked()),
        PinTry::NoPin => None,
    };
    let passwords = &state.identity().passwords;
    let hash = counted.as_ref().map(|pin| pin.hash.clone());
    let right = passwords.verify(pin, hash.unwrap_or_else(|| passwords.dummy_like(None))).await?;
    match counted {
        Some(pin) if right => Ok(pin),
        Some(pin) if pin.is_locked() => Err(ApiError::pin_locked()),
        _ => Err(ApiError::wrong_pin()),
    }
}

/// `GET /api/auth/pin`
///
/// # Errors
/// The errors in its description.
pub async fn read<S: Pins>(request: Request<S>) -> Result<Reply, ApiError> {
    let pin = request.state.pin(&caller(&request).await?)?;
    let is_locked = pin.as_ref().is_some_and(Pin::is_locked);
    Ok(Reply::ok(&PinState { set_at: pin.map(|pin| pin.set_at), is_locked }))
}

/// `PUT /api/auth/pin`: a stolen token alone must not become a PIN.
///
/// # Errors
/// The errors in its description.
pub async fn set<S: Pins>(request: Request<S>) -> Result<Reply, ApiError> {
    let SetPin { pin, password, ceremony_id, credential } = request.json()?;
    pin::check(&pin)?;
    let state = &*request.state;
    let user = caller(&request).await?;
    let confirmation = Confirmation { password, ceremony_id, credential };
    confirmed(state, request.caller()?, &user, confirmation, request.peer.ip()).await?;
    let hash = state.identity().passwords.hash(pin).await?;
    state.set_pin(Pin::new(&user, hash, state.identity().now())).await?;
    Ok(Reply::ok(&EmptyBody {}))
}

/// `DELETE /api/auth/pin`
///
/// # Errors
/// The errors in its description.
pub async fn remove<S: Pins>(request: Request<S>) -> Result<Reply, ApiError> {
    let EmptyBody {} = request.json()?;
    request.state.remove_pin(&request.caller()?.user_id).await?;
    Ok(Reply::ok(&EmptyBody {}))
}

async fn caller<S: Accounts>(request: &Request<S>) -> Result<User, ApiError> {
    request.state.user(&request.caller()?.user_id).await?.ok_or_else(ApiError::token_revoked)
}
