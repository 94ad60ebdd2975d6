//! The session of the caller: who it is, and its end.

use super::views::{ME, Me, UserView};
use super::{Accounts, EmptyBody, cookie};
use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use domain::model::base::answer::Answer;
use std::time::Duration;

/// `POST /api/auth/logout`
pub const LOGOUT: Doc = Doc::of("Log-in", "End this session: its tokens die at once")
    .optional_body::<EmptyBody>("{}")
    .answers::<EmptyBody>("{}")
    .unkeyed("once it is done, the token that asked for it is dead");
/// `GET /api/auth/me`
pub const WHO: Doc = Doc::of("Log-in", "Who the token belongs to").answers::<Me>(ME);

/// `POST /api/auth/logout`: this session's tokens are dead from the next request on, over every restart.
///
/// # Errors
/// As its description says.
pub async fn logout<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let EmptyBody {} = request.json()?;
    let session = request.caller()?.session_id.clone();
    let keeps = cookie::keeps(&request)?;
    request.state.close_session(&session).await?;
    Ok(cookie::answer(Answer::ok(&EmptyBody {}), keeps, "", Duration::ZERO))
}

/// `GET /api/auth/me`
///
/// # Errors
/// As its description says.
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
