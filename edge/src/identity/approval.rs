//! An approval at the till: another person approves with a password, a PIN or a device. One approval, one action. A
//! refused one counts against requester and place, never against the approver's log-in.

use super::login::{checked, login_name};
use super::passkey_login::verified;
use super::pin::{PinGiven, Pins, compared, owner};
use super::{Accounts, subject};
use crate::api::error::{ApiError, Code};
use crate::credentials::passkeys::Purpose;
use crate::identity::limiter::Approval;
use domain::model::base::ids::UserId;
use domain::model::people::user::{Principal, User};
use serde_json::Value;
use std::net::IpAddr;

/// Approver who gives a password.
///
/// # Errors
/// 403 `approval_refused`, `approval_limited`, 422 `validation_failed`.
pub async fn by_password<S: Accounts>(
    state: &S,
    requester: &Principal,
    username: &str,
    password: String,
    address: IpAddr,
) -> Result<User, ApiError> {
    let name = login_name(username)?;
    let subject = subject(state, &name);
    let approval = of(requester, address, Some(&subject));
    let mut known = None;
    let attempt = state.identity().limiter.begin_approval(&approval, state.identity().now()).await;
    let tried = async {
        attempt.as_ref().map_err(ApiError::clone)?;
        let user = state.user_by_name(&name).await?;
        known = user.as_ref().map(|user| user.user_id.clone());
        checked(state, &name, user, password).await
    };
    let tried = tried.await;
    decided(state, &approval, known.as_ref(), tried)
}

/// Approver who uses a device, in a ceremony that the same session began for it. The assertion is counted, durable
/// before this returns; the ceremony is used up whatever the result.
///
/// # Errors
/// The errors of [`by_password`].
pub async fn by_passkey<S: Accounts>(
    state: &S,
    requester: &Principal,
    ceremony_id: &str,
    credential: Value,
    address: IpAddr,
) -> Result<User, ApiError> {
    let approval = of(requester, address, None);
    let purpose = Purpose::Approval(requester.session_id.clone());
    let mut known = None;
    let attempt = state.identity().limiter.begin_approval(&approval, state.identity().now()).await;
    let tried = async {
        attempt.as_ref().map_err(ApiError::clone)?;
        let (user, assertion) = verified(state, &purpose, ceremony_id, credential, &mut known).await?;
        state.use_passkey(&user, assertion).await?;
        Ok(user)
    };
    let tried = tried.await;
    decided(state, &approval, known.as_ref(), tried)
}

/// Approver who gives the PIN at a till where the approver has logged in.
///
/// # Errors
/// 403 `approval_refused`, `approval_limited`, `pin_locked`, 422 `validation_failed`.
pub async fn by_pin<S: Pins>(
    state: &S,
    requester: &Principal,
    given: PinGiven,
    address: IpAddr,
) -> Result<User, ApiError> {
    given.check("approval.pin")?;
    let owner = owner(state, &given.till_token).await;
    let known = owner.as_ref().ok().map(|user| user.user_id.clone());
    let subject = owner.as_ref().ok().map(|user| subject(state, &user.username));
    let approval = of(requester, address, subject.as_deref());
    let attempt = state.identity().limiter.begin_approval(&approval, state.identity().now()).await;
    let tried = async {
        attempt.as_ref().map_err(ApiError::clone)?;
        let user = owner?;
        let pin = compared(state, &user, given.pin).await?;
        state.use_pin(&user, pin).await?;
        Ok(user)
    };
    let tried = tried.await;
    decided(state, &approval, known.as_ref(), tried)
}

fn of<'a>(requester: &'a Principal, register: IpAddr, approver: Option<&'a str>) -> Approval<'a> {
    Approval { requester: &requester.user_id, register, approver }
}

/// Removes a right one from the limiter, and records a refused one. The caller is logged in and stays so: an
/// approval that does not hold is 403, never a 401 that would end the session of a page.
fn decided<S: Accounts>(
    state: &S,
    approval: &Approval<'_>,
    known: Option<&UserId>,
    tried: Result<User, ApiError>,
) -> Result<User, ApiError> {
    let identity = state.identity();
    let result = tried.and_then(|user| match user.disabled {
        true => Err(ApiError::account_disabled()),
        false => Ok(user),
    });
    let result = result.map_err(|error| match error.code {
        Code::InvalidCredentials
        | Code::AccountDisabled
        | Code::InvalidToken
        | Code::TokenExpired
        | Code::TokenRevoked => ApiError::approval_refused(),
        _ => error,
    });
    match &result {
        Ok(_) => identity.limiter.approved(approval),
        // It could not be checked.
        Err(error) if error.code.is_of_server() => identity.limiter.approved(approval),
        Err(error) => {
            // A locked PIN is its own limit: the password must be possible at once.
            if error.code == Code::PinLocked {
                identity.limiter.approved(approval);
            }
            identity.not_approved(known, approval.register, error);
        }
    }
    result
}
