//! `POST /api/auth/login`

use super::cookie::{self, Keeps};
use super::views::{LOGIN_RESULT, LOGIN_UNKEYED, LoginResult, view};
use super::{Accounts, Proof, subject};
use crate::{ApiError, Code, Doc, Reply, Request};
use domain::answer::Answer;
use domain::ids::UserId;
use domain::user::User;
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;

/// The longest login name, in bytes.
const USERNAME_BYTES_MAX: usize = 128;

/// `POST /api/auth/login`
pub const LOGIN: Doc = Doc::of("Log-in", "Log in with a password")
    .body::<Login>(r#"{"username": "ani@example.com", "password": "right horse"}"#)
    .answers::<LoginResult>(LOGIN_RESULT)
    .unkeyed(LOGIN_UNKEYED)
    .refuses(&[Code::InvalidCredentials, Code::AccountDisabled, Code::RateLimited]);

/// The login name is in `username` or in `email`, in exactly one of them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["username"], "properties": {"username": {"type": "string"}, "email": {"type": "null"}}},
    {"required": ["email"], "properties": {"email": {"type": "string"}, "username": {"type": "null"}}},
]))]
struct Login {
    username: Option<String>,
    email: Option<String>,
    password: String,
}

impl Login {
    /// The login name, from the one field that holds it.
    fn name(&self) -> Result<String, ApiError> {
        match (&self.username, &self.email) {
            (Some(name), None) | (None, Some(name)) => login_name(name),
            (None, None) => Err(ApiError::field("username", "is missing (or send email)")),
            (Some(_), Some(_)) => Err(ApiError::field("email", "send username or email, not both")),
        }
    }
}

/// A login name as it is compared.
///
/// # Errors
/// 422 `validation_failed` for what can't be one.
pub fn login_name(text: &str) -> Result<String, ApiError> {
    let name = text.trim().to_lowercase();
    if (1..=USERNAME_BYTES_MAX).contains(&name.len()) && !name.contains('\0') {
        Ok(name)
    } else {
        Err(ApiError::field("username", "must have 1 to 128 bytes"))
    }
}

/// `POST /api/auth/login`
///
/// # Errors
/// As its description says.
pub async fn login<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let keeps = cookie::keeps(&request)?;
    let login: Login = request.json()?;
    let name = login.name()?;
    let user = right(&*request.state, &name, login.password, request.peer.ip()).await?;
    open(&*request.state, &user, Proof::Password, keeps).await
}

/// The user of that name and password: counted by the limiter, rehashed under today's costs, not disabled.
///
/// # Errors
/// 401 `invalid_credentials`, 403 `account_disabled`, 429 `rate_limited`.
pub async fn right<S: Accounts>(
    state: &S,
    name: &str,
    password: String,
    address: IpAddr,
) -> Result<User, ApiError> {
    let mut known = None;
    let tried = tried(state, name, password, address, &mut known).await;
    if let Err(error) = &tried {
        state.identity().refused(known.as_ref(), address, error);
    }
    tried
}

/// `known` becomes whose name it is, if anybody's.
async fn tried<S: Accounts>(
    state: &S,
    name: &str,
    password: String,
    address: IpAddr,
    known: &mut Option<UserId>,
) -> Result<User, ApiError> {
    let (identity, subject) = (state.identity(), subject(state, name));
    identity.limiter.attempt(&subject, address, identity.now())?;
    let user = state.user_by_name(name).await?;
    *known = user.as_ref().map(|user| user.user_id.clone());
    let user = checked(state, user, password).await?;
    if user.disabled {
        return Err(ApiError::account_disabled());
    }
    identity.limiter.succeeded(&subject, address);
    Ok(user)
}

/// The user whose password this is; the same answer and the same work for an unknown name.
async fn checked<S: Accounts>(state: &S, user: Option<User>, password: String) -> Result<User, ApiError> {
    let passwords = &state.identity().passwords;
    match user.and_then(|user| user.password_hash.clone().map(|hash| (user, hash))) {
        Some((user, hash)) => {
            if !passwords.verify(password.clone(), hash.clone()).await? {
                return Err(ApiError::invalid_credentials());
            }
            if passwords.is_outdated(&hash) {
                rehash(state, &user, password).await;
            }
            Ok(user)
        }
        None => {
            passwords.verify_dummy(password).await?;
            Err(ApiError::invalid_credentials())
        }
    }
}

/// Stores a right password under today's costs. The log-in goes on without it: there will be another.
async fn rehash<S: Accounts>(state: &S, user: &User, password: String) {
    let stored = match state.identity().passwords.hash(password).await {
        Ok(hash) => state.rehash(user, hash).await.map_err(|error| error.message),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = stored {
        tracing::warn!(user_id = %user.user_id, error, "the password stays under its old hash");
    }
}

/// Opens a session; tokens are given out once it is on the disk.
pub(super) async fn open<S: Accounts>(
    state: &S,
    user: &User,
    proof: Proof,
    keeps: Keeps,
) -> Result<Reply, ApiError> {
    let session = state.open_session(user, proof).await?;
    let identity = state.identity();
    let now = identity.now();
    let access = identity.keys.issue_access(user, &session.session_id, now)?;
    let refresh = identity.keys.issue_refresh(user, &session.session_id, now)?;
    let answer = Answer::ok(&LoginResult {
        token: &access.token,
        refresh_token: if keeps == Keeps::Cookie { "" } else { &refresh.token },
        expires_in: access.expires_in_s,
        user: view(user),
    });
    Ok(cookie::answer(answer, keeps, &refresh.token, identity.session_lifetime))
}
