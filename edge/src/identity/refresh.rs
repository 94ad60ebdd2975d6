//! `POST /api/auth/refresh`: one token for the next, each good once.

use super::Accounts;
use super::cookie::{self, Keeps};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::tokens::{TOKEN_BYTES_MAX, TokenKind};
use domain::model::base::answer::Answer;
use domain::model::base::ids::SessionId;
use domain::model::hub::chain::hex;
use domain::rules::people::user::rotation::{Presented, Refreshed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `POST /api/auth/refresh`
pub const REFRESH: Doc = Doc::of("Log-in", "Exchange a refresh token for a new pair of tokens")
    .body::<Refresh>(r#"{"refresh_token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.e30.Z2lz"}"#)
    .answers::<Tokens>(
        r#"{"token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.e30.c2ln",
            "refresh_token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.e30.bmV4dA", "expires_in": 3600}"#,
    )
    .unkeyed(
        "tokens are never stored in clear text; within 60 s a used token with the same Idempotency-Key gets the same new tokens",
    )
    .by_page()
    .reads_key()
    .refuses(&[
        Code::MissingToken,
        Code::InvalidToken,
        Code::TokenExpired,
        Code::TokenRevoked,
        Code::AccountDisabled,
    ]);

/// `POST /auth/refresh`
pub const OLD_REFRESH: Doc = REFRESH.deprecated(super::old_path("/api/auth/refresh"));

/// Body of a refresh request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Refresh {
    /// The current refresh token. May be omitted with `X-Session: cookie`, since the cookie has it.
    #[schemars(length(max = TOKEN_BYTES_MAX))]
    refresh_token: Option<String>,
}

/// A new pair of tokens.
#[derive(Serialize, JsonSchema)]
struct Tokens<'a> {
    /// The access token.
    token: &'a str,
    /// The refresh token; empty with `X-Session: cookie`.
    refresh_token: &'a str,
    /// Lifetime of the access token in seconds.
    expires_in: i64,
}

/// `POST /api/auth/refresh`. No answer is stored, since it contains tokens. The same request again within a minute gets
/// the same refresh token, signed again from the session's row.
///
/// # Errors
/// The errors in its description.
pub async fn refresh<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let keeps = cookie::keeps(&request)?;
    let body: Refresh = request.json()?;
    let token = match (body.refresh_token.filter(|token| !token.is_empty()), keeps) {
        (Some(token), _) => token,
        (None, Keeps::Cookie { name, .. }) => {
            cookie::token(&request, name).ok_or_else(ApiError::missing_token)?
        }
        (None, Keeps::Itself) => return Err(ApiError::field("refresh_token", "is missing")),
    };
    let (state, identity) = (&*request.state, request.state.identity());
    let claims = identity.keys.verify(&token, TokenKind::Refresh, identity.now())?;
    let key = request.idempotency_key.as_ref();
    let key = key.map(|key| hex(&state.fingerprint(&[b"refresh", claims.sid.as_bytes(), key.as_bytes()])));
    let presented = Presented {
        session_id: SessionId(claims.sid.clone()),
        jti: claims.jti.clone(),
        key,
        now: identity.now(),
        lifetime_ms: i64::try_from(identity.session_lifetime.as_millis()).unwrap_or(i64::MAX),
    };
    match state.refresh(presented).await? {
        Refreshed::Revoked => Err(ApiError::token_revoked()),
        Refreshed::Disabled => Err(ApiError::account_disabled()),
        Refreshed::Renewed { user, session, rotation } => {
            let access = identity.keys.issue_access(&user, &session.session_id, identity.now())?;
            let next = identity.keys.issue_refresh_as(
                &rotation.current,
                &user,
                &session.session_id,
                rotation.issued_at,
            )?;
            let answer = Answer::ok(&Tokens {
                token: &access.token,
                refresh_token: if keeps.hides() { "" } else { &next.token },
                expires_in: access.expires_in_s,
            });
            Ok(cookie::answer(answer, keeps, &next.token, identity.session_lifetime))
        }
    }
}
