//! `POST /api/auth/login`

use super::cookie::{self, Keeps};
use super::views::{LOGIN_RESULT, LOGIN_UNKEYED, LoginResult, view};
use super::{Accounts, Proof, subject};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use domain::model::base::answer::Answer;
use domain::model::base::ids::UserId;
use domain::model::base::limits::PASSWORD_CHARS_MAX;
use domain::model::people::user::{NAME_BYTES_MAX, User};
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;

/// `POST /api/auth/login`
pub const LOGIN: Doc = Doc::of("Log-in", "Log in with a password")
    .body::<Login>(r#"{"username": "ani@example.com", "password": "right horse"}"#)
    .answers::<LoginResult>(LOGIN_RESULT)
    .unkeyed(LOGIN_UNKEYED)
    .by_page()
    .refuses(&[Code::InvalidCredentials, Code::AccountDisabled, Code::RateLimited]);

/// `POST /auth/login`
pub const OLD_LOGIN: Doc = LOGIN.deprecated(super::old_path("/api/auth/login"));

/// Body of a log-in. Send the login name in `username` or in `email`, not in both.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Login {
    /// Login name. Send either `username` or `email`.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    username: Option<String>,
    /// Login name that is an e-mail address. Send either `username` or `email`.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    email: Option<String>,
    /// Password.
    #[schemars(length(min = 1, max = PASSWORD_CHARS_MAX))]
    password: String,
}

impl Login {
    /// The login name, from the one field that has it.
    fn name(&self) -> Result<String, ApiError> {
        match (&self.username, &self.email) {
            (Some(name), None) | (None, Some(name)) => login_name(name),
            (None, None) => Err(ApiError::field("username", "is missing: send username or email")),
            (Some(_), Some(_)) => Err(ApiError::field("email", "send username or email, not both")),
        }
    }
}

/// A login name as it is compared.
///
/// # Errors
/// 422 `validation_failed` for an impossible name.
pub fn login_name(text: &str) -> Result<String, ApiError> {
    let name = text.trim().to_lowercase();
    // Spaces around it are not part of the name, but count: the document states the longest text.
    if text.chars().count() <= NAME_BYTES_MAX && (1..=NAME_BYTES_MAX).contains(&name.len()) {
        Ok(name)
    } else {
        Err(ApiError::field("username", "must have 1 to 128 bytes"))
    }
}

/// `POST /api/auth/login`
///
/// # Errors
/// The errors in its description.
pub async fn login<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let keeps = cookie::keeps(&request)?;
    let login: Login = request.json()?;
    let name = login.name()?;
    let user = authenticate(&*request.state, &name, login.password, request.peer.ip()).await?;
    open(&*request.state, &user, Proof::Password, keeps).await
}

/// The user with this name and password, who is not disabled. Refusals are counted for the audit log.
///
/// # Errors
/// 401 `invalid_credentials`, 403 `account_disabled`, 429 `rate_limited`.
pub async fn authenticate<S: Accounts>(
    state: &S,
    name: &str,
    password: String,
    address: IpAddr,
) -> Result<User, ApiError> {
    let mut known = None;
    let user = within_limits(state, name, password, address, &mut known).await;
    if let Err(error) = &user {
        state.identity().refused(known.as_ref(), address, error);
    }
    user
}

/// The user with this name and password, within the limits of attempts. Sets `known` to the user with this name, if
/// there is one.
async fn within_limits<S: Accounts>(
    state: &S,
    name: &str,
    password: String,
    address: IpAddr,
    known: &mut Option<UserId>,
) -> Result<User, ApiError> {
    let (identity, subject) = (state.identity(), subject(state, name));
    let attempt = identity.limiter.begin(&subject, address, identity.now()).await?;
    let user = not_disabled(state, name, password, known).await;
    match &user {
        Ok(_) => attempt.succeeded(identity.now()),
        Err(error) if error.code.is_of_server() => attempt.withdrawn(identity.now()),
        Err(_) => drop(attempt),
    }
    user
}

/// The user with this name and password, who is not disabled. The attempt is not counted.
async fn not_disabled<S: Accounts>(
    state: &S,
    name: &str,
    password: String,
    known: &mut Option<UserId>,
) -> Result<User, ApiError> {
    let user = state.user_by_name(name).await?;
    *known = user.as_ref().map(|user| user.user_id.clone());
    let user = checked(state, name, user, password).await?;
    if user.disabled { Err(ApiError::account_disabled()) } else { Ok(user) }
}

/// The user with this password, whose hash is renewed if its costs are outdated. An unknown name, and a user without a
/// password, get the same answer with the same work.
pub(super) async fn checked<S: Accounts>(
    state: &S,
    name: &str,
    user: Option<User>,
    password: String,
) -> Result<User, ApiError> {
    let passwords = &state.identity().passwords;
    // Looked up in every case, since that takes time, too.
    let dummy = passwords.dummy_like(stand_in(state, name).await?.as_deref());
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let hash = stored.filter(|hash| {
        let usable = passwords.is_usable(hash);
        if !usable {
            tracing::error!(
                "a stored password hash is not valid, or needs far more work than the settings allow: not compared"
            );
        }
        usable
    });
    let right = passwords.verify(password.clone(), hash.clone().unwrap_or(dummy)).await?;
    match user.zip(hash).filter(|_| right) {
        Some((user, hash)) => {
            if passwords.is_outdated(&hash) {
                rehash(state, &user, password).await;
            }
            Ok(user)
        }
        None => Err(ApiError::invalid_credentials()),
    }
}

/// Hash that gives a wrong password of an unknown name its time. Hashes with other costs than the settings' live until
/// their owners log in: if unknown names always had today's costs, those would stand out.
async fn stand_in<S: Accounts>(state: &S, name: &str) -> Result<Option<String>, ApiError> {
    let users = state.users().await?;
    let draw = |id: &UserId| state.fingerprint(&[b"stand-in", name.as_bytes(), id.as_str().as_bytes()]);
    Ok(drawn(&users, draw).map(str::to_owned))
}

/// Hash of the user who draws the highest number: the same one each time, even if other users are added or removed.
fn drawn(users: &[User], draw: impl Fn(&UserId) -> [u8; 32]) -> Option<&str> {
    let known = users.iter().filter(|user| user.password_hash.is_some());
    known.max_by_key(|user| draw(&user.user_id)).and_then(|user| user.password_hash.as_deref())
}

/// Stores a right password under today's costs. The log-in continues without it: there will be another.
async fn rehash<S: Accounts>(state: &S, user: &User, password: String) {
    let stored = match state.identity().passwords.hash(password).await {
        Ok(hash) => state.rehash(user, hash).await.map_err(|error| error.message),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = stored {
        tracing::warn!(user_id = %user.user_id, error, "the password keeps its old hash");
    }
}

/// Opens a session; tokens are given out once it is on the disk.
pub(super) async fn open<S: Accounts>(
    state: &S,
    user: &User,
    proof: Proof,
    keeps: Keeps,
) -> Result<Reply, ApiError> {
    let session = state.open_session(user, proof).await?;
    let identity = state.identity();
    let now = identity.now();
    let access = identity.keys.issue_access(user, &session.session_id, now)?;
    let refresh = identity.keys.issue_refresh(user, &session.session_id, now)?;
    let till = state.till(user, &session).await?;
    let answer = Answer::ok(&LoginResult {
        token: &access.token,
        refresh_token: if keeps.hides() { "" } else { &refresh.token },
        expires_in: access.expires_in_s,
        user: view(user),
        has_pin: till.as_ref().map(|till| till.has_pin),
        till_token: till.map(|till| till.token),
    });
    Ok(cookie::answer(answer, keeps, &refresh.token, identity.session_lifetime))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::drawn;
    use crate::credentials::passwords::{Params, Passwords};
    use domain::model::base::ids::{StoreId, UserId};
    use domain::model::base::time::UtcMs;
    use domain::model::people::user::{Role, User};
    use sha2::{Digest, Sha256};
    use std::collections::BTreeSet;

    fn user(id: &str, password_hash: Option<String>) -> User {
        User {
            user_id: UserId(id.into()),
            username: id.into(),
            name: id.into(),
            role: Role::Cashier,
            store_id: StoreId("S001".into()),
            password_hash,
            times: domain::model::people::user::FieldTimes::default(),
            token_version: 1,
            disabled: false,
            created_at: UtcMs(1),
            updated_at: UtcMs(1),
        }
    }

    #[test]
    fn unknown_names_cost_what_known_ones_do_and_always_the_same() {
        let hash = |costs: &str| Some(format!("$argon2id$v=19${costs}$c29tZXNhbHQxMjM${}", "A".repeat(43)));
        let (today, older) = ("m=19456,t=2,p=1", "m=19456,t=4,p=1");
        let mut users = vec![user("a", hash(today)), user("b", hash(older)), user("c", hash(today))];
        users.push(user("d", None));
        let passwords = Passwords::new(Params::LEAST);
        let draw = |name: &str, id: &UserId| Sha256::digest(format!("{name} {id}")).into();
        let costs = |users: &[User], name: &str| {
            let dummy = passwords.dummy_like(drawn(users, |id| draw(name, id)));
            dummy.split('$').nth(3).unwrap().to_owned()
        };
        let names: Vec<String> = (0..100).map(|number| format!("nobody-{number}")).collect();
        let seen: BTreeSet<String> = names.iter().map(|name| costs(&users, name)).collect();
        assert_eq!(seen, BTreeSet::from([today.to_owned(), older.to_owned()]));
        let before: Vec<String> = names.iter().map(|name| costs(&users, name)).collect();
        let without_one = [users.remove(0)].len();
        let changed = names.iter().zip(&before).filter(|(name, before)| costs(&users, name) != **before);
        assert!(without_one == 1 && changed.count() < 40, "those whose stand-in went, and no others");
        // Without a user, and one that is not compared.
        assert_eq!(costs(&[], "x"), today);
        assert_eq!(costs(&[user("a", hash("m=19456,t=200,p=1"))], "x"), today);
    }
}
