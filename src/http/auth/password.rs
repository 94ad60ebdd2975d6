//! `POST /api/auth/password`: the caller's own password.

use super::Nothing;
use crate::http::ask::{answered, ask_without};
use crate::http::failure::{failed, stored};
use crate::http::{Answered, Request, Shop};
use domain::user::User;
use edge::{ApiError, Code, Doc, Reply, clock, passwords};
use schemars::JsonSchema;
use serde::Deserialize;

/// `POST /api/auth/password`
pub const CHANGE: Doc = Doc::of("Log-in", "Change the own password; every other session ends")
    .body::<Change>(r#"{"current_password": "right horse", "new_password": "righter horse"}"#)
    .answers::<Nothing>("{}")
    .refuses(&[Code::InvalidCredentials, Code::RateLimited]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    /// The password until now.
    current_password: String,
    /// 8–128 characters, not the login name, none of the common ones.
    #[schemars(length(min = 8, max = 128))]
    new_password: String,
}

/// `POST /api/auth/password`
pub async fn change(request: Request) -> Answered {
    let change: Change = request.json()?;
    let ask = ask_without(&request, &["current_password", "new_password"])?;
    let shop = &request.state;
    let user = shop.store.storage().user(&ask.caller.user_id).map_err(stored)?;
    let user = user.ok_or_else(ApiError::token_revoked)?;
    if let Some(problem) = passwords::policy_problem(&change.new_password, &user.username) {
        return Err(ApiError::field("new_password", problem));
    }
    // The retry of a change that was done holds what is no longer the current password.
    if let Some(done) = shop.store.replayed(&ask).map_err(failed)? {
        // Passwords are no part of the key's fingerprint: the hash tells whether it is the same request.
        return match right(shop, &user, &request, change.new_password).await? {
            true => Ok(Reply::Answer { answer: done.answer, replayed: true }),
            false => Err(ApiError::idempotency_key_reused()),
        };
    }
    if !right(shop, &user, &request, change.current_password).await? {
        return Err(ApiError::invalid_credentials());
    }
    let hash = shop.passwords.hash(change.new_password).await?;
    answered(shop.store.change_password(&ask, user, hash).await)
}

/// Whether a password is the user's. A stolen token must not become a stolen account: guesses count as
/// log-ins do.
async fn right(shop: &Shop, user: &User, request: &Request, password: String) -> Result<bool, ApiError> {
    let (subject, address) = (shop.subject(&user.username), request.peer.ip());
    shop.limiter.attempt(&subject, address, clock::now())?;
    let right = match user.password_hash.clone() {
        Some(hash) => shop.passwords.verify(password, hash).await?,
        None => false,
    };
    if right {
        shop.limiter.succeeded(&subject, address);
    }
    Ok(right)
}
