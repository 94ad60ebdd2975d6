//! The session of the caller: who it is, and its end.

use super::cookie::Keeps;
use super::views::{ME, Me, UserView};
use super::{Accounts, EmptyBody, cookie};
use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::tokens::TokenKind;
use domain::model::base::answer::Answer;
use domain::model::base::ids::SessionId;
use std::time::Duration;

/// `POST /api/auth/logout`
pub const LOGOUT: Doc = Doc::of("Log-in", "Log out: the session's tokens are revoked")
    .optional_body::<EmptyBody>("{}")
    .answers::<EmptyBody>("{}")
    .unkeyed("after the request, the token of the request is revoked");
/// `GET /api/auth/me`
pub const WHO: Doc = Doc::of("Log-in", "Retrieve the user of the access token").answers::<Me>(ME);

/// `POST /api/auth/logout`: this session's tokens are invalid from the next request on, across restarts. A page's
/// cookie is sufficient proof, because its access token may have expired while the machine slept, and it is cleared in
/// every case: no other user of that browser gets a session from it.
///
/// # Errors
/// The errors in its description.
pub async fn logout<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let keeps = cookie::keeps(&request)?;
    let ended = end(&request, keeps).await;
    let answer = match (ended, keeps) {
        (Err(error), Keeps::Cookie { .. }) => {
            Answer { status: error.code.status(), location: None, body: error.body(&request.request_id) }
        }
        (ended, _) => ended.map(|()| Answer::ok(&EmptyBody {}))?,
    };
    Ok(cookie::answer(answer, keeps, "", Duration::ZERO))
}

/// Ends the sessions that the request proves to have: its token's, and its cookie's.
async fn end<S: Accounts>(request: &Request<S>, keeps: Keeps) -> Result<(), ApiError> {
    let EmptyBody {} = request.json()?;
    let (state, identity) = (&*request.state, request.state.identity());
    if let Some(caller) = &request.caller {
        state.close_session(&caller.session_id).await?;
    }
    let Keeps::Cookie { name, .. } = keeps else { return Ok(()) };
    // One that is no token any more opens nothing: then there is nothing to end.
    let claims = cookie::token(request, name)
        .and_then(|token| identity.keys.verify(&token, TokenKind::Refresh, identity.now()).ok());
    match claims {
        Some(claims) => state.close_session(&SessionId(claims.sid.clone())).await,
        None => Ok(()),
    }
}

/// `GET /api/auth/me`
///
/// # Errors
/// The errors in its description.
pub async fn me<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let caller = request.caller()?;
    let user = UserView {
        id: caller.user_id.as_str(),
        name: &caller.name,
        role: caller.role,
        store_id: caller.store_id.as_str(),
    };
    Ok(Reply::ok(&Me { user }))
}
