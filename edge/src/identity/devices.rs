//! `POST /api/auth/webauthn/register/start|finish`, `GET|DELETE /api/auth/webauthn/credentials`: the
//! caller's own devices.

use super::confirm::{Confirmation, confirmed};
use super::passkey_login::{CREDENTIAL_BODY_BYTES_MAX, Ceremony, Object};
use super::{Accounts, EmptyBody};
use crate::api::error::{ApiError, Code};
use crate::api::page::{List, Page};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::passkeys::PasskeyError;
use domain::model::people::user::User;
use domain::rules::people::user::account_change::Change;
use domain::rules::people::user::passkey;
use domain::rules::people::user::passkey::{PasskeyAdded, PasskeyDetail};
use schemars::JsonSchema;
use serde::Deserialize;

/// `POST /api/auth/webauthn/register/start`
pub const START: Doc = Doc::of(
    "Passkeys",
    "Start the registration of a device, confirmed by password or by a registered device",
)
.body_up_to::<Confirmation>(CREDENTIAL_BODY_BYTES_MAX, r#"{"password": "right horse"}"#)
.answers::<Ceremony>(
    r#"{"ceremony_id": "cer_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "public_key": {
            "challenge": "k3Jx0c8mQ1u5bZ7wk3Jx0c8mQ1u5bZ7wk3Jx0c8mQ1s", "timeout": 300000,
            "rp": {"id": "shop.example", "name": "Retail"},
            "user": {"id": "AZqfAKGyfD2OT1prfI2eDw", "name": "ani@example.com", "displayName": "Ani"},
            "pubKeyCredParams": [{"type": "public-key", "alg": -7}]}}"#,
)
.unkeyed("each ceremony has a challenge of its own and is used once")
.refuses(&[Code::InvalidCredentials, Code::RateLimited]);
/// `POST /api/auth/webauthn/register/finish`
pub const FINISH: Doc = Doc::of("Passkeys", "Finish the registration of a device")
    .body_up_to::<Finish>(
        CREDENTIAL_BODY_BYTES_MAX,
        r#"{"ceremony_id": "cer_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "name": "Till 1", "credential": {
            "id": "AZqfAKGyfD2OT1prfI2eDw", "rawId": "AZqfAKGyfD2OT1prfI2eDw", "type": "public-key",
            "response": {"attestationObject": "o2M", "clientDataJSON": "e30"}}}"#,
    )
    .creates::<PasskeyAdded>(
        r#"{"credential_id": "AZqfAKGyfD2OT1prfI2eDw", "name": "Till 1",
            "created_at": "2026-11-20T02:06:34.739Z"}"#,
    )
    .refuses(&[Code::Duplicate]);
/// `GET /api/auth/webauthn/credentials`
pub const LIST: Doc =
    Doc::of("Passkeys", "List your own devices").query::<Page>().answers::<List<PasskeyDetail>>(
        r#"{"items": [{"credential_id": "AZqfAKGyfD2OT1prfI2eDw", "name": "Till 1",
        "created_at": "2026-11-20T02:06:34.739Z", "last_used_at": null}], "next_cursor": null}"#,
    );
/// `DELETE /api/auth/webauthn/credentials/:id`
pub const REMOVE: Doc = Doc::of("Passkeys", "Remove one of your own devices")
    .optional_body::<EmptyBody>("{}")
    .answers::<EmptyBody>("{}")
    .refuses(&[Code::InvalidState]);

/// Request body that finishes the registration of a device.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PasskeyRegistration")]
struct Finish {
    /// ID of the ceremony.
    #[schemars(length(max = 64))]
    ceremony_id: String,
    /// Name of the device, chosen by its owner.
    #[schemars(length(min = 1, max = 64))]
    name: String,
    /// Answer of the device in WebAuthn's JSON form.
    credential: Object,
}

/// `POST /api/auth/webauthn/register/start`: a stolen token alone must not become a device.
///
/// # Errors
/// The errors in its description.
pub async fn start<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let confirmation: Confirmation = request.json()?;
    let (state, caller) = (&*request.state, request.caller()?);
    let user = state.user(&caller.user_id).await?.ok_or_else(ApiError::token_revoked)?;
    confirmed(state, caller, &user, confirmation, request.peer.ip()).await?;
    let known = state.passkeys(&user).await?;
    let identity = state.identity();
    let (address, now) = (request.peer.ip(), identity.now());
    let begun = identity.passkeys.begin_registration(&user, &caller.session_id, &known, address, now);
    Ok(begun.map_err(ApiError::internal)?.into())
}

/// `POST /api/auth/webauthn/register/finish`
///
/// # Errors
/// The errors in its description.
pub async fn finish<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let Finish { ceremony_id, name, credential: Object(credential) } = request.json()?;
    passkey::check_name(&name)?;
    let ask = S::context(&request, &request.body)?;
    let (state, identity) = (&*request.state, request.state.identity());
    // The retry of a registration that was done has a spent ceremony.
    if let Some(answer) = state.replayed(&ask).await? {
        return Ok(Reply::Answer { answer, replayed: true });
    }
    let session = &request.caller()?.session_id;
    let now = identity.now();
    let device = identity.passkeys.end_registration(&ceremony_id, session, &name, credential, now);
    state.change(&ask, Change::AddPasskey { passkey: device.map_err(refused)? }).await
}

/// `GET /api/auth/webauthn/credentials`
///
/// # Errors
/// The errors in its description.
pub async fn list<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let user = request.state.user(&request.caller()?.user_id).await?;
    shown(&request, &user.ok_or_else(ApiError::token_revoked)?).await
}

/// A page of a person's devices.
pub(super) async fn shown<S: Accounts>(request: &Request<S>, user: &User) -> Result<Reply, ApiError> {
    let page: Page = request.query()?;
    let after = page.after::<String>()?;
    let devices = request.state.passkeys(user).await?;
    let shown = devices
        .iter()
        .filter(|device| after.as_ref().is_none_or(|after| device.credential_id > *after))
        .take(page.limit.one_more())
        .map(passkey::view);
    Ok(Reply::ok(&List::cut(shown.collect(), page.limit, |device| device.credential_id.clone())))
}

/// `DELETE /api/auth/webauthn/credentials/:id`
///
/// # Errors
/// The errors in its description.
pub async fn remove<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let EmptyBody {} = request.json()?;
    let ask = S::context(&request, &request.body)?;
    let credential_id = request.param("id").to_owned();
    request.state.change(&ask, Change::RemovePasskey { credential_id }).await
}

fn refused(error: PasskeyError) -> ApiError {
    match error {
        PasskeyError::Ceremony => ApiError::field("ceremony_id", error.to_string()),
        PasskeyError::Stored(_) => ApiError::internal(error),
        PasskeyError::Shape(_) | PasskeyError::Refused(_) | PasskeyError::Copied => {
            ApiError::field("credential", error.to_string())
        }
    }
}
