//! An approval at the till: somebody else says yes with a password or a device. One approval, one action.

use super::Accounts;
use super::login::{login_name, right};
use super::passkey::proven;
use crate::ApiError;
use domain::user::User;
use serde_json::Value;
use std::net::IpAddr;

/// Whoever approves with a password. Guesses count as log-ins do.
///
/// # Errors
/// 401 `invalid_credentials`, 403 `account_disabled`, 422 `validation_failed`, 429 `rate_limited`.
pub async fn by_password<S: Accounts>(
    state: &S,
    username: &str,
    password: String,
    address: IpAddr,
) -> Result<User, ApiError> {
    right(state, &login_name(username)?, password, address).await
}

/// Whoever approves with a device, in a ceremony of `POST /api/auth/webauthn/login/start`. The assertion is
/// counted, durable before this returns; the ceremony is spent whatever comes of it.
///
/// # Errors
/// As [`by_password`].
pub async fn by_passkey<S: Accounts>(
    state: &S,
    ceremony_id: &str,
    credential: Value,
    address: IpAddr,
) -> Result<User, ApiError> {
    let (user, assertion) = proven(state, ceremony_id, credential, address).await?;
    state.use_passkey(&user, assertion).await?;
    Ok(user)
}
