//! Log-ins and the caller (api.md 2).

use super::{Answered, Request};
use crate::app::Hub;
use crate::failure::Failure;
use crate::user;
use domain::time::UtcMs;
use domain::user::{Role, Session, User};
use edge::identity::views::{LOGIN_RESULT, LOGIN_UNKEYED, LoginResult, ME, Me, UserView};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;

/// The longest login name, in bytes.
const USERNAME_BYTES_MAX: usize = 128;

/// `POST /api/auth/login`
pub const LOGIN: Doc = Doc::of("Log-in", "Log in with a password")
    .body::<Login>(r#"{"username": "ani@example.com", "password": "right horse"}"#)
    .answers::<LoginResult>(LOGIN_RESULT)
    .unkeyed(LOGIN_UNKEYED)
    .refuses(&[Code::InvalidCredentials, Code::AccountDisabled, Code::RateLimited]);
/// `GET /api/auth/me`
pub const WHO: Doc = Doc::of("Log-in", "Who the token belongs to").answers::<Me>(ME);

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
        if (1..=USERNAME_BYTES_MAX).contains(&name.len()) && !name.contains('\0') {
            Ok(name)
        } else {
            Err(ApiError::field("username", "must have 1 to 128 bytes"))
        }
    }
}

/// `POST /api/auth/login`
pub async fn login(request: Request) -> Answered {
    let login: Login = request.json()?;
    let name = login.name()?;
    let hub = &request.state;
    let (address, now) = (request.peer.ip(), clock::now());
    hub.limiter.attempt(&name, address, now)?;
    let user = checked(hub, &name, login.password).await?;
    if user.disabled {
        return Err(ApiError::account_disabled());
    }
    hub.limiter.succeeded(&name, address);
    let session = open(hub, &user, now).await?;
    let access = hub.keys.issue_access(&user, &session.session_id, now)?;
    let refresh = hub.keys.issue_refresh(&user, &session.session_id, now)?;
    Ok(Reply::ok(&LoginResult {
        token: &access.token,
        refresh_token: &refresh.token,
        expires_in: access.expires_in_s,
        user: view(user.user_id.as_str(), &user.name, user.role),
    }))
}

/// A user as answers show one (service.md 2.2); head office has no store.
fn view<'a>(id: &'a str, name: &'a str, role: Role) -> UserView<'a> {
    UserView { id, name, role, store_id: "" }
}

/// The user whose password this is; the same answer and the same work for an unknown name.
async fn checked(hub: &Hub, name: &str, password: String) -> Result<User, ApiError> {
    let user = user::by_name(hub.db.pool(), name).await.map_err(Failure::from)?;
    match user.and_then(|user| user.password_hash.clone().map(|hash| (user, hash))) {
        Some((user, hash)) => {
            let right = hub.passwords.verify(password, hash).await?;
            if right { Ok(user) } else { Err(ApiError::invalid_credentials()) }
        }
        None => {
            hub.passwords.verify_dummy(password).await?;
            Err(ApiError::invalid_credentials())
        }
    }
}

/// Opens a session; tokens are given out once it is on the disk.
async fn open(hub: &Hub, user: &User, now: UtcMs) -> Result<Session, Failure> {
    let lifetime_ms = i64::try_from(hub.session_lifetime.as_millis()).unwrap_or(i64::MAX);
    let mut write = hub.db.write().await?;
    let expires_at = UtcMs(now.0.saturating_add(lifetime_ms));
    let session = user::open_session(&mut write, user, now, expires_at).await?;
    write.commit().await?;
    Ok(session)
}

/// `GET /api/auth/me`
pub async fn me(request: Request) -> Answered {
    let caller = request.caller()?;
    Ok(Reply::ok(&Me { user: view(caller.user_id.as_str(), &caller.name, caller.role) }))
}
