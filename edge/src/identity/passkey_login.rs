//! `POST /api/auth/webauthn/login/start|finish`: logging in with a device.

use super::login::{login_name, open};
use super::views::{LOGIN_RESULT, LOGIN_UNKEYED, LoginResult};
use super::{Accounts, Proof, cookie, subject};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::passkeys::{Begun, PasskeyError, Purpose};
use domain::model::base::ids::UserId;
use domain::model::people::user::{NAME_BYTES_MAX, User};
use domain::rules::people::user::passkey::Assertion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::IpAddr;

/// The largest body that holds a credential, in bytes.
pub const CREDENTIAL_BODY_BYTES_MAX: usize = 32 * 1024;

/// `POST /api/auth/webauthn/login/start`
pub const START: Doc = Doc::of("Passkeys", "Start a log-in with a device")
    .body::<Start>(r#"{"username": "ani@example.com"}"#)
    .answers::<Ceremony>(
        r#"{"ceremony_id": "cer_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "public_key": {
            "challenge": "k3Jx0c8mQ1u5bZ7wk3Jx0c8mQ1u5bZ7wk3Jx0c8mQ1s", "timeout": 300000,
            "rpId": "shop.example", "userVerification": "required",
            "allowCredentials": [{"type": "public-key", "id": "AZqfAKGyfD2OT1prfI2eDw"}]}}"#,
    )
    .unkeyed("each ceremony has a challenge of its own and is used once");
/// `POST /api/auth/webauthn/login/finish`
pub const FINISH: Doc = Doc::of("Passkeys", "Finish a log-in with a device")
    .body::<Finish>(
        r#"{"ceremony_id": "cer_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "credential": {
            "id": "AZqfAKGyfD2OT1prfI2eDw", "rawId": "AZqfAKGyfD2OT1prfI2eDw", "type": "public-key",
            "response": {"authenticatorData": "c2lu", "clientDataJSON": "e30", "signature": "c2ln"}}}"#,
    )
    .answers::<LoginResult>(LOGIN_RESULT)
    .unkeyed(LOGIN_UNKEYED)
    .by_page()
    .refuses(&[Code::InvalidCredentials, Code::AccountDisabled, Code::RateLimited]);

/// Request body that starts a log-in with a device.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Start {
    /// Login name.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    username: String,
}

/// A ceremony that was started.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ceremony {
    /// ID of the ceremony. Send it back with the device's answer, once, within five minutes.
    pub ceremony_id: String,
    /// Options in WebAuthn's JSON form.
    pub public_key: Object,
}

/// An object whose fields WebAuthn defines.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Object(pub Value);

impl JsonSchema for Object {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WebAuthnJson".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object"})
    }
}

/// Request body that finishes a log-in with a device.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PasskeyLogin")]
struct Finish {
    /// ID of the ceremony.
    #[schemars(length(max = 64))]
    ceremony_id: String,
    /// Answer of the device in WebAuthn's JSON form.
    credential: Object,
}

impl From<Begun> for Reply {
    fn from(Begun { ceremony_id, public_key }: Begun) -> Self {
        Self::ok(&Ceremony { ceremony_id, public_key: Object(public_key) })
    }
}

/// `POST /api/auth/webauthn/login/start`: an unknown user gets the same kind of answer as a known one.
///
/// # Errors
/// The errors in its description.
pub async fn start<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let Start { username } = request.json()?;
    Ok(begun(&*request.state, Purpose::LogIn, &username, request.peer.ip()).await?.into())
}

/// Asks for the devices of a login name; the answer does not reveal whether the name exists.
pub(super) async fn begun<S: Accounts>(
    state: &S,
    purpose: Purpose,
    username: &str,
    address: IpAddr,
) -> Result<Begun, ApiError> {
    let name = login_name(username)?;
    let user = state.user_by_name(&name).await?.filter(|user| !user.disabled);
    let devices = match &user {
        Some(user) => state.passkeys(user).await?,
        None => Vec::new(),
    };
    let seed = state.fingerprint(&[b"decoy", name.as_bytes()]);
    let known = user.as_ref().map(|user| (user, devices.as_slice()));
    let identity = state.identity();
    let begun = identity.passkeys.begin_assertion(purpose, known, &seed, address, identity.now());
    begun.map_err(ApiError::internal)
}

/// `POST /api/auth/webauthn/login/finish`
///
/// # Errors
/// The errors in its description.
pub async fn finish<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let keeps = cookie::keeps(&request)?;
    let Finish { ceremony_id, credential: Object(credential) } = request.json()?;
    let state = &*request.state;
    let address = request.peer.ip();
    let (user, assertion) = proven(state, &Purpose::LogIn, &ceremony_id, credential, address).await?;
    let opened = open(state, &user, Proof::Passkey(assertion), keeps).await?;
    let identity = state.identity();
    identity.limiter.logged_in(&subject(state, &user.username), address, identity.now());
    Ok(opened)
}

/// The user whose device answered a ceremony of that purpose, and the assertion, which is still to be counted in a
/// commit. The ceremony is used up whatever the result; by address it is counted as log-ins are.
///
/// # Errors
/// 401 `invalid_credentials`, 403 `account_disabled`, 422 `validation_failed`, 429 `rate_limited`.
pub(super) async fn proven<S: Accounts>(
    state: &S,
    purpose: &Purpose,
    ceremony_id: &str,
    credential: Value,
    address: IpAddr,
) -> Result<(User, Assertion), ApiError> {
    let (identity, mut known) = (state.identity(), None);
    let tried = async {
        // By address only: a password guesser must not lock out the owner's device.
        identity.limiter.attempt_from(address, identity.now())?;
        verified(state, purpose, ceremony_id, credential, &mut known).await
    };
    let tried = tried.await;
    match &tried {
        Ok(_) => identity.limiter.succeeded_from(address),
        Err(error) => identity.refused(known.as_ref(), address, error),
    }
    tried
}

/// As [`proven`], without counting. `known` is set to the ceremony's user, if it has one.
pub(super) async fn verified<S: Accounts>(
    state: &S,
    purpose: &Purpose,
    ceremony_id: &str,
    credential: Value,
    known: &mut Option<UserId>,
) -> Result<(User, Assertion), ApiError> {
    let (identity, now) = (state.identity(), state.identity().now());
    let taken = identity.passkeys.take_assertion(ceremony_id, purpose, credential, now).map_err(refused)?;
    *known = taken.user_id().cloned();
    let user = match taken.user_id() {
        Some(id) => state.user(id).await?,
        None => None,
    };
    let devices = match &user {
        Some(user) => state.passkeys(user).await?,
        None => Vec::new(),
    };
    let assertion = identity.passkeys.prove(&taken, &devices).map_err(|error| {
        if matches!(error, PasskeyError::Copied) {
            let user_id = taken.user_id().map(|id| id.as_str().to_owned()).unwrap_or_default();
            tracing::error!(user_id, "a passkey's counter did not increase: somebody may have a copy of it");
        }
        refused(error)
    })?;
    let user = user.ok_or_else(ApiError::invalid_credentials)?;
    if user.disabled {
        return Err(ApiError::account_disabled());
    }
    Ok((user, assertion))
}

fn refused(error: PasskeyError) -> ApiError {
    match error {
        PasskeyError::Shape(problem) => {
            ApiError::field("credential", format!("is not a credential: {problem}"))
        }
        PasskeyError::Stored(_) => ApiError::internal(error),
        PasskeyError::Ceremony | PasskeyError::Refused(_) | PasskeyError::Copied => {
            tracing::info!(%error, "a passkey was refused");
            ApiError::invalid_credentials()
        }
    }
}
