//! Log-ins and the caller (api.md 2).

use super::failure::{failed, stored};
use super::{Answered, Request, Shop};
use domain::user::User;
use edge::account::{LOGIN_RESULT, LOGIN_UNKEYED, LoginResult, ME, Me, UserView};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use storage::NotWritable;

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
        if (1..=USERNAME_BYTES_MAX).contains(&name.len()) {
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
    let shop = &request.state;
    let address = request.peer.ip();
    shop.limiter.attempt(&name, address, clock::now())?;
    let user = checked(shop, &name, login.password).await?;
    if user.disabled {
        return Err(ApiError::account_disabled());
    }
    shop.limiter.succeeded(&name, address);
    open(shop, &user).await
}

/// The user whose password this is; the same answer and the same work for an unknown name.
async fn checked(shop: &Shop, name: &str, password: String) -> Result<User, ApiError> {
    let user = shop.store.storage().user_by_name(name).map_err(stored)?;
    match user.and_then(|user| user.password_hash.clone().map(|hash| (user, hash))) {
        Some((user, hash)) => {
            let right = shop.passwords.verify(password, hash).await?;
            if right { Ok(user) } else { Err(ApiError::invalid_credentials()) }
        }
        None => {
            shop.passwords.verify_dummy(password).await?;
            Err(ApiError::invalid_credentials())
        }
    }
}

/// Opens a session; tokens are given out once it is on the disk.
async fn open(shop: &Shop, user: &User) -> Answered {
    match shop.store.storage().writable() {
        // A log-in is small, and reading goes on with a full disk: the reserve is for this.
        Ok(()) | Err(NotWritable::LowSpace { .. }) => {}
        Err(why) => return Err(ApiError::storage_full(why.to_string())),
    }
    let session = shop.store.open_session(&user.user_id, shop.session_lifetime).await.map_err(failed)?;
    let now = clock::now();
    let access = shop.keys.issue_access(user, &session.session_id, now)?;
    let refresh = shop.keys.issue_refresh(user, &session.session_id, now)?;
    Ok(Reply::ok(&LoginResult {
        token: &access.token,
        refresh_token: &refresh.token,
        expires_in: access.expires_in_s,
        user: UserView {
            id: user.user_id.as_str(),
            name: &user.name,
            role: user.role,
            store_id: user.store_id.as_str(),
        },
    }))
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
