//! `POST /api/auth/webauthn/confirm/start`, and its use: the signed-in user proves their identity again, or a manager
//! at the till approves.

use super::passkey_login::{Ceremony, Object, begun, proven};
use super::{Accounts, own_password};
use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::passkeys::Purpose;
use domain::model::base::limits::PASSWORD_CHARS_MAX;
use domain::model::people::user::{NAME_BYTES_MAX, Principal, User};
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;

/// `POST /api/auth/webauthn/confirm/start`
pub const START: Doc = Doc::of("Passkeys", "Start an approval or a registration with a registered device")
    .body::<Start>(r#"{"purpose": "approval", "username": "manager@example.com"}"#)
    .answers::<Ceremony>(
        r#"{"ceremony_id": "cer_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "public_key": {
            "challenge": "k3Jx0c8mQ1u5bZ7wk3Jx0c8mQ1u5bZ7wk3Jx0c8mQ1s", "timeout": 300000,
            "rpId": "shop.example", "userVerification": "required",
            "allowCredentials": [{"type": "public-key", "id": "AZqfAKGyfD2OT1prfI2eDw"}]}}"#,
    )
    .unkeyed("each ceremony has a challenge of its own and is used once");

/// Purpose of the ceremony. It is valid for this purpose and this session only.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum For {
    /// For the `approval` of one command.
    Approval,
    /// For registering another device of the logged-in user.
    Registration,
}

/// Request body that starts a ceremony for an approval or a registration.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StartConfirmation")]
struct Start {
    /// Purpose of the ceremony.
    purpose: For,
    /// Login name of the approver. Required for an approval, and omitted for a registration.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    username: Option<String>,
}

/// Proof that the logged-in user makes the request: the user's password, or a registered device in a ceremony that
/// `confirm/start` began.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Confirmation {
    /// Password of the logged-in user. Omit it for a ceremony.
    #[schemars(length(min = 1, max = PASSWORD_CHARS_MAX))]
    pub password: Option<String>,
    /// ID of the ceremony. Omit it for a password.
    #[schemars(length(max = 64))]
    pub ceremony_id: Option<String>,
    /// Answer of the device in WebAuthn's JSON form. Omit it for a password.
    pub credential: Option<Object>,
}

/// `POST /api/auth/webauthn/confirm/start`
///
/// # Errors
/// The errors in its description.
pub async fn start<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let Start { purpose, username } = request.json()?;
    let (state, caller) = (&*request.state, request.caller()?);
    let session = caller.session_id.clone();
    let (purpose, username) = match (purpose, username) {
        (For::Approval, Some(username)) => (Purpose::Approval(session), username),
        (For::Approval, None) => {
            return Err(ApiError::field("username", "is missing: send the login name of the approver"));
        }
        (For::Registration, None) => {
            let user = state.user(&caller.user_id).await?.ok_or_else(ApiError::token_revoked)?;
            (Purpose::Registration(session), user.username)
        }
        (For::Registration, Some(_)) => {
            return Err(ApiError::field(
                "username",
                "must be omitted for a registration, which is always for yourself",
            ));
        }
    };
    Ok(begun(state, purpose, &username, request.peer.ip()).await?.into())
}

/// Checks by a password or a passkey that the caller is the user of the token. Wrong tries count as failed log-ins. The
/// use of a passkey is stored before this returns.
///
/// # Errors
/// 401 `invalid_credentials`, 403 `account_disabled`, 422 `validation_failed`, 429 `rate_limited`.
pub(super) async fn confirmed<S: Accounts>(
    state: &S,
    caller: &Principal,
    user: &User,
    confirmation: Confirmation,
    address: IpAddr,
) -> Result<(), ApiError> {
    let Confirmation { password, ceremony_id, credential } = confirmation;
    match (password, ceremony_id, credential) {
        (Some(password), None, None) => match own_password::right(state, user, password, address).await? {
            true => Ok(()),
            false => Err(ApiError::invalid_credentials()),
        },
        (None, Some(ceremony_id), Some(Object(credential))) => {
            let purpose = Purpose::Registration(caller.session_id.clone());
            let (owner, assertion) = proven(state, &purpose, &ceremony_id, credential, address).await?;
            if owner.user_id != user.user_id {
                return Err(ApiError::invalid_credentials());
            }
            state.use_passkey(&owner, assertion).await
        }
        _ => {
            let problem = "send the password, or ceremony_id and credential of a known device";
            Err(ApiError::field("password", problem))
        }
    }
}
