//! Routes for the users of a store or of head office, as both programs have them.

use super::secrets::context_without;
use super::{Accounts, EmptyBody, devices};
use crate::api::error::{ApiError, Code};
use crate::api::page::{List, Page};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::passwords;
use domain::model::base::ids::UserId;
use domain::model::people::user::User;
use domain::rules::people::user::account_change::Change;
use domain::rules::people::user::change;
use domain::rules::people::user::change::{ChangeUser, NewUser, UserDetail};
use domain::rules::people::user::devices::{TokensRevoked, UserChanged};
use domain::rules::people::user::passkey::PasskeyDetail;

const USER: &str = include_str!("examples/user.json");
const CHANGED: &str = include_str!("examples/user_changed.json");

/// `GET /api/users`
pub const LIST: Doc =
    Doc::of("Users", "List the users that you may change").query::<Page>().answers::<List<UserDetail>>(
        concat!(r#"{"items": ["#, include_str!("examples/user.json"), r#"], "next_cursor": null}"#),
    );
/// `GET /api/users/:id`
pub const READ: Doc = Doc::of("Users", "Retrieve a user").answers::<UserDetail>(USER);
/// `POST /api/users`
pub const CREATE: Doc = Doc::of("Users", "Create a user")
    .body::<NewUser>(
        r#"{"username": "ani@example.com", "name": "Ani", "role": "cashier", "password": "right horse"}"#,
    )
    .creates::<UserDetail>(USER)
    .refuses(&[Code::Duplicate]);
/// `PATCH /api/users/:id`
pub const UPDATE: Doc =
    Doc::of("Users", "Update a user; another role or password, or disabling, revokes all tokens and devices")
        .body::<ChangeUser>(r#"{"role": "warehouse_staff", "disabled": false}"#)
        .answers::<UserChanged>(CHANGED)
        .refuses(&[Code::Duplicate, Code::InvalidState]);
/// `POST /api/users/:id/revoke-tokens`
pub const REVOKE: Doc = Doc::of("Users", "Revoke all tokens and remove all devices of a user")
    .optional_body::<EmptyBody>("{}")
    .answers::<TokensRevoked>(r#"{"revoked_at": "2026-11-20T02:06:34.739Z", "devices_removed": 1}"#);
/// `GET /api/users/:id/devices`
pub const DEVICES: Doc =
    Doc::of("Users", "List a user's devices").query::<Page>().answers::<List<PasskeyDetail>>(
        r#"{"items": [{"credential_id": "AZqfAKGyfD2OT1prfI2eDw", "name": "Till 1",
        "created_at": "2026-11-20T02:06:34.739Z", "last_used_at": null}], "next_cursor": null}"#,
    );
/// `DELETE /api/users/:id/devices/:credential_id`
pub const REMOVE_DEVICE: Doc =
    Doc::of("Users", "Remove a user's device").optional_body::<EmptyBody>("{}").answers::<EmptyBody>("{}");

/// Fields that are not part of an idempotency key's fingerprint: a password could be guessed faster from that than from
/// its own hash.
const SECRETS: &[&str] = &["password"];

/// `GET /api/users`: the users whom the caller may change, in order of ID.
///
/// # Errors
/// The errors in its description.
pub async fn list<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let page: Page = request.query()?;
    let after = page.after::<UserId>()?;
    let role = request.caller()?.role;
    let users = request.state.users().await?;
    let shown = users
        .iter()
        .filter(|user| after.as_ref().is_none_or(|after| user.user_id > *after))
        .filter(|user| change::may_manage(role, user.role))
        .take(page.limit.one_more())
        .map(change::view);
    Ok(Reply::ok(&List::<UserDetail>::cut(shown.collect(), page.limit, |user| user.id.clone())))
}

/// `GET /api/users/:id`
///
/// # Errors
/// The errors in its description.
pub async fn read<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let found = managed(&request).await?;
    Ok(Reply::ok(&change::view(&found)))
}

/// `POST /api/users`
///
/// # Errors
/// The errors in its description.
pub async fn create<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let user: NewUser = request.json()?;
    user.check(S::ROLES)?;
    let ask = context_without(&request, SECRETS)?;
    // This is checked before the hash is computed, so that a refusal costs little.
    if !change::may_manage(request.caller()?.role, user.role) {
        return Err(ApiError::insufficient_role());
    }
    let state = &*request.state;
    let hash = match state.replayed(&ask).await? {
        Some(_) => None,
        None => hashed(state, user.password.clone(), &user.username).await?,
    };
    state.change(&ask, Change::Create { user, hash }).await
}

/// `PATCH /api/users/:id`
///
/// # Errors
/// The errors in its description.
pub async fn update<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let change: ChangeUser = request.json()?;
    change.check(S::ROLES)?;
    let ask = context_without(&request, SECRETS)?;
    let found = managed(&request).await?;
    let state = &*request.state;
    let hash = match state.replayed(&ask).await? {
        Some(_) => None,
        None => {
            let username = change.username.as_ref().unwrap_or(&found.username);
            hashed(state, change.password.clone(), username).await?
        }
    };
    state.change(&ask, Change::Update { id: found.user_id, change, hash }).await
}

/// `POST /api/users/:id/revoke-tokens`
///
/// # Errors
/// The errors in its description.
pub async fn revoke_tokens<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let EmptyBody {} = request.json()?;
    let ask = S::context(&request, &request.body)?;
    request.state.change(&ask, Change::Revoke { id: UserId::from(request.param("id")) }).await
}

/// `GET /api/users/:id/devices`
///
/// # Errors
/// The errors in its description.
pub async fn devices<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let found = managed(&request).await?;
    devices::shown(&request, &found).await
}

/// `DELETE /api/users/:id/devices/:credential_id`: sessions that the device opened before continue until
/// `revoke-tokens`.
///
/// # Errors
/// The errors in its description.
pub async fn remove_device<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let EmptyBody {} = request.json()?;
    let ask = S::context(&request, &request.body)?;
    let credential_id = request.param("credential_id").to_owned();
    let id = UserId::from(request.param("id"));
    request.state.change(&ask, Change::RemoveDevice { id, credential_id }).await
}

/// The user of the path, if the caller may see and change it.
async fn managed<S: Accounts>(request: &Request<S>) -> Result<User, ApiError> {
    let user = request.state.user(&UserId::from(request.param("id"))).await?;
    let user = user.ok_or_else(|| ApiError::not_found("user"))?;
    let may = change::may_manage(request.caller()?.role, user.role);
    if may { Ok(user) } else { Err(ApiError::insufficient_role()) }
}

/// Checks a new password and computes its hash. `None` if there is no new password.
async fn hashed<S: Accounts>(
    state: &S,
    password: Option<String>,
    username: &str,
) -> Result<Option<String>, ApiError> {
    let Some(password) = password else { return Ok(None) };
    if let Some(problem) = passwords::policy_problem(&password, username.trim()) {
        return Err(ApiError::field("password", problem));
    }
    Ok(Some(state.identity().passwords.hash(password).await?))
}
