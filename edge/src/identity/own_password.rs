//! `POST /api/auth/password`: the caller's own password.

use super::secrets::context_without;
use super::{Accounts, subject};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::passwords;
use domain::model::base::limits::{PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
use domain::model::people::user::User;
use domain::rules::people::user::account_change;
use domain::rules::people::user::devices::PasswordChanged;
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;

/// `POST /api/auth/password`
pub const CHANGE: Doc =
    Doc::of("Log-in", "Change your own password; all other sessions end and all devices are removed")
        .body::<Change>(r#"{"current_password": "right horse", "new_password": "righter horse"}"#)
        .answers::<PasswordChanged>(r#"{"devices_removed": 1}"#)
        .refuses(&[Code::InvalidCredentials, Code::RateLimited]);

/// Request body that changes your own password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangePassword")]
struct Change {
    /// Current password of the user.
    #[schemars(length(min = 1, max = PASSWORD_CHARS_MAX))]
    current_password: String,
    /// New password: 8–128 characters. It must not be the login name or a common password.
    #[schemars(length(min = PASSWORD_CHARS_MIN, max = PASSWORD_CHARS_MAX))]
    new_password: String,
}

/// `POST /api/auth/password`
///
/// # Errors
/// The errors in its description.
pub async fn change<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let change: Change = request.json()?;
    // It is not compared where a stored answer is sent again.
    if !(1..=PASSWORD_CHARS_MAX).contains(&change.current_password.chars().count()) {
        let problem = format!("must have 1 to {PASSWORD_CHARS_MAX} characters");
        return Err(ApiError::field("current_password", problem));
    }
    let ask = context_without(&request, &["current_password", "new_password"])?;
    let (state, address) = (&*request.state, request.peer.ip());
    let user = state.user(&request.caller()?.user_id).await?.ok_or_else(ApiError::token_revoked)?;
    if let Some(problem) = passwords::policy_problem(&change.new_password, &user.username) {
        return Err(ApiError::field("new_password", problem));
    }
    // The retry of a completed change contains a password that is no longer the current one.
    if let Some(answer) = state.replayed(&ask).await? {
        // Passwords are no part of the key's fingerprint: the hash shows whether it is the same request.
        return match right(state, &user, change.new_password, address).await? {
            true => Ok(Reply::Answer { answer, replayed: true }),
            false => Err(ApiError::idempotency_key_reused(&["body".to_owned()])),
        };
    }
    if !right(state, &user, change.current_password, address).await? {
        return Err(ApiError::invalid_credentials());
    }
    let hash = state.identity().passwords.hash(change.new_password).await?;
    state.change(&ask, account_change::Change::Password { verified: Box::new(user), hash }).await
}

/// Whether a password is the user's. A stolen token must not become a stolen account: guesses count as
/// log-ins do.
pub(super) async fn right<S: Accounts>(
    state: &S,
    user: &User,
    password: String,
    address: IpAddr,
) -> Result<bool, ApiError> {
    let (identity, subject) = (state.identity(), subject(state, &user.username));
    let refused = |error: &ApiError| identity.refused(Some(&user.user_id), address, error);
    let attempt = identity.limiter.begin(&subject, address, identity.now()).await.inspect_err(refused)?;
    let hash = user.password_hash.clone().filter(|hash| identity.passwords.is_usable(hash));
    let looked = match hash {
        Some(hash) => identity.passwords.verify(password, hash).await,
        None => Ok(false),
    };
    match &looked {
        Ok(true) => attempt.succeeded(identity.now()),
        Ok(false) => refused(&ApiError::invalid_credentials()),
        Err(_) => attempt.withdrawn(identity.now()),
    }
    Ok(looked?)
}
