//! Log-ins and the caller (api.md 2).

use self::cookie::Keeps;
use super::failure::{failed, stored};
use super::{Answered, Request, Shop};
use actors::Failure;
use domain::answer::Answer;
use domain::refusal::Refusal;
use domain::user::User;
use edge::account::{LOGIN_RESULT, LOGIN_UNKEYED, LoginResult, ME, Me, UserView};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

pub mod cookie;
pub mod password;
pub mod refresh;

/// The longest login name, in bytes.
const USERNAME_BYTES_MAX: usize = 128;

/// `POST /api/auth/login`
pub const LOGIN: Doc = Doc::of("Log-in", "Log in with a password")
    .body::<Login>(r#"{"username": "ani@example.com", "password": "right horse"}"#)
    .answers::<LoginResult>(LOGIN_RESULT)
    .unkeyed(LOGIN_UNKEYED)
    .refuses(&[Code::InvalidCredentials, Code::AccountDisabled, Code::RateLimited]);
/// `POST /api/auth/logout`
pub const LOGOUT: Doc = Doc::of("Log-in", "End this session: its tokens die at once")
    .optional_body::<Nothing>("{}")
    .answers::<Nothing>("{}")
    .unkeyed("once it is done, the token that asked for it is dead");
/// `GET /api/auth/me`
pub const WHO: Doc = Doc::of("Log-in", "Who the token belongs to").answers::<Me>(ME);

/// An object without fields.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// The login name is in `username` or in `email`, in exactly one of them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["username"], "properties": {"username": {"type": "string"}, "email": {"type": "null"}}},
    {"required": ["email"], "properties": {"email": {"type": "string"}, "username": {"type": "null"}}},
]))]
struct Login {
    username: Option<String>,
    email: Option<String>,
    password: String,
}

impl Login {
    /// The login name, from the one field that holds it.
    fn name(&self) -> Result<String, ApiError> {
        let name = match (&self.username, &self.email) {
            (Some(name), None) | (None, Some(name)) => name.trim().to_lowercase(),
            (None, None) => return Err(ApiError::field("username", "is missing (or send email)")),
            (Some(_), Some(_)) => return Err(ApiError::field("email", "send username or email, not both")),
        };
        if (1..=USERNAME_BYTES_MAX).contains(&name.len()) {
            Ok(name)
        } else {
            Err(ApiError::field("username", "must have 1 to 128 bytes"))
        }
    }
}

/// `POST /api/auth/login`
pub async fn login(request: Request) -> Answered {
    let keeps = cookie::keeps(&request)?;
    let login: Login = request.json()?;
    let name = login.name()?;
    let shop = &request.state;
    let address = request.peer.ip();
    let subject = shop.subject(&name);
    shop.limiter.attempt(&subject, address, clock::now())?;
    let user = checked(shop, &name, login.password).await?;
    if user.disabled {
        return Err(ApiError::account_disabled());
    }
    shop.limiter.succeeded(&subject, address);
    open(shop, &user, keeps).await
}

/// The user whose password this is; the same answer and the same work for an unknown name.
async fn checked(shop: &Shop, name: &str, password: String) -> Result<User, ApiError> {
    let user = shop.store.storage().user_by_name(name).map_err(stored)?;
    match user.and_then(|user| user.password_hash.clone().map(|hash| (user, hash))) {
        Some((user, hash)) => {
            if !shop.passwords.verify(password.clone(), hash.clone()).await? {
                return Err(ApiError::invalid_credentials());
            }
            if shop.passwords.is_outdated(&hash) {
                rehash(shop, &user, password).await;
            }
            Ok(user)
        }
        None => {
            shop.passwords.verify_dummy(password).await?;
            Err(ApiError::invalid_credentials())
        }
    }
}

/// Stores a right password under today's costs. The log-in goes on without it: there will be another.
async fn rehash(shop: &Shop, user: &User, password: String) {
    let stored = match shop.passwords.hash(password).await {
        Ok(hash) => shop.store.rehash(user, hash).await.map_err(|failure| failure.to_string()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = stored {
        tracing::warn!(user_id = %user.user_id, error, "the password stays under its old hash");
    }
}

/// Opens a session; tokens are given out once it is on the disk.
async fn open(shop: &Shop, user: &User, keeps: Keeps) -> Answered {
    let session = match shop.store.open_session(user, shop.session_lifetime).await {
        // The password was changed while it was being checked.
        Err(Failure::Refused(Refusal::NotFound(_))) => return Err(ApiError::invalid_credentials()),
        session => session.map_err(failed)?,
    };
    let now = clock::now();
    let access = shop.keys.issue_access(user, &session.session_id, now)?;
    let refresh = shop.keys.issue_refresh(user, &session.session_id, now)?;
    let answer = Answer::ok(&LoginResult {
        token: &access.token,
        refresh_token: if keeps == Keeps::Cookie { "" } else { &refresh.token },
        expires_in: access.expires_in_s,
        user: UserView {
            id: user.user_id.as_str(),
            name: &user.name,
            role: user.role,
            store_id: user.store_id.as_str(),
        },
    });
    cookie::answer(answer, keeps, &refresh.token, shop.session_lifetime)
}

/// `POST /api/auth/logout`: this session's tokens are dead from the next request on, over every restart.
pub async fn logout(request: Request) -> Answered {
    let Nothing {} = request.json()?;
    let session = request.caller()?.session_id.clone();
    let keeps = cookie::keeps(&request)?;
    request.state.store.close_session(session).await.map_err(failed)?;
    cookie::answer(Answer::ok(&Nothing {}), keeps, "", Duration::ZERO)
}

/// `GET /api/auth/me`
pub async fn me(request: Request) -> Answered {
    let caller = request.caller()?;
    let user = UserView {
        id: caller.user_id.as_str(),
        name: &caller.name,
        role: caller.role,
        store_id: caller.store_id.as_str(),
    };
    Ok(Reply::ok(&Me { user }))
}
