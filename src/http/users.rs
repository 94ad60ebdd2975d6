//! Users of the store (api.md 2).

use super::ask::{answered, ask_without};
use super::auth::Nothing;
use super::failure::{failed, stored};
use super::{Answered, Request, Shop};
use domain::ids::UserId;
use domain::time::UtcMs;
use domain::user::User;
use domain::user::change::{self, ChangeUser, NewUser, UserDetail};
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, passwords};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const USER: &str = include_str!("examples/user.json");

/// `GET /api/users`
pub const LIST: Doc = Doc::of("Users", "List the users whom the caller may change")
    .query::<Query>()
    .answers::<List<UserDetail>>(concat!(
        r#"{"items": ["#,
        include_str!("examples/user.json"),
        r#"], "next_cursor": null}"#
    ));
/// `GET /api/users/:id`
pub const READ: Doc = Doc::of("Users", "One user").answers::<UserDetail>(USER);
/// `POST /api/users`
pub const CREATE: Doc = Doc::of("Users", "Make a user")
    .body::<NewUser>(
        r#"{"username": "ani@example.com", "name": "Ani", "role": "cashier", "password": "right horse"}"#,
    )
    .creates::<UserDetail>(USER)
    .refuses(&[Code::Duplicate]);
/// `PATCH /api/users/:id`
pub const UPDATE: Doc =
    Doc::of("Users", "Change a user; another role or password, or disabling, kills every token")
        .body::<ChangeUser>(r#"{"role": "warehouse_staff", "disabled": false}"#)
        .answers::<UserDetail>(USER)
        .refuses(&[Code::Duplicate, Code::InvalidState]);
/// `POST /api/users/:id/revoke-tokens`
pub const REVOKE: Doc = Doc::of("Users", "Kill every token of a user")
    .optional_body::<Nothing>("{}")
    .answers::<Revoked>(r#"{"revoked_at": "2026-11-20T02:06:34.739Z"}"#);

/// Every token from before is dead.
#[derive(Serialize, JsonSchema)]
struct Revoked {
    revoked_at: UtcMs,
}

/// Fields that are no part of a key's fingerprint: one could be guessed from it faster than from its hash.
const SECRETS: &[&str] = &["password"];

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/users`: those whom the caller may change, in order of id.
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<UserId>).transpose()?;
    let role = request.caller()?.role;
    let users = request.state.store.storage().users().map_err(stored)?;
    let shown = users
        .iter()
        .filter(|user| after.as_ref().is_none_or(|after| user.user_id > *after))
        .filter(|user| change::may_manage(role, user.role))
        .take(query.limit.0.saturating_add(1))
        .map(change::view);
    Ok(Reply::ok(&List::<UserDetail>::cut(shown.collect(), query.limit, |user| user.id.clone())))
}

/// `GET /api/users/:id`
pub async fn read(request: Request) -> Answered {
    let found = one(&request.state, request.param("id"))?.ok_or_else(|| ApiError::not_found("user"))?;
    if change::may_manage(request.caller()?.role, found.role) {
        Ok(Reply::ok(&change::view(&found)))
    } else {
        Err(ApiError::insufficient_role())
    }
}

/// `POST /api/users`
pub async fn create(request: Request) -> Answered {
    let user: NewUser = request.json()?;
    user.check()?;
    let ask = ask_without(&request, SECRETS)?;
    // Before the hash is computed: refusing must not cost what accepting does.
    if !change::may_manage(ask.caller.role, user.role) {
        return Err(ApiError::insufficient_role());
    }
    let shop = &request.state;
    let hash = match shop.store.replayed(&ask).map_err(failed)? {
        Some(_) => None,
        None => hashed(shop, user.password.clone(), &user.username).await?,
    };
    answered(shop.store.create_user(&ask, user, hash).await)
}

/// `PATCH /api/users/:id`
pub async fn update(request: Request) -> Answered {
    let change: ChangeUser = request.json()?;
    change.check()?;
    let ask = ask_without(&request, SECRETS)?;
    let shop = &request.state;
    let found = one(shop, request.param("id"))?.ok_or_else(|| ApiError::not_found("user"))?;
    if !change::may_manage(ask.caller.role, found.role) {
        return Err(ApiError::insufficient_role());
    }
    let hash = match shop.store.replayed(&ask).map_err(failed)? {
        Some(_) => None,
        None => {
            let username = change.username.as_ref().unwrap_or(&found.username);
            hashed(shop, change.password.clone(), username).await?
        }
    };
    answered(shop.store.change_user(&ask, &found.user_id, change, hash).await)
}

/// `POST /api/users/:id/revoke-tokens`
pub async fn revoke_tokens(request: Request) -> Answered {
    let Nothing {} = request.json()?;
    let ask = super::ask::ask(&request)?;
    answered(request.state.store.revoke_tokens(&ask, &UserId::from(request.param("id"))).await)
}

fn one(shop: &Shop, id: &str) -> Result<Option<User>, ApiError> {
    shop.store.storage().user(&UserId::from(id)).map_err(stored)
}

async fn hashed(shop: &Shop, password: Option<String>, username: &str) -> Result<Option<String>, ApiError> {
    let Some(password) = password else { return Ok(None) };
    if let Some(problem) = passwords::policy_problem(&password, username.trim()) {
        return Err(ApiError::field("password", problem));
    }
    Ok(Some(shop.passwords.hash(password).await?))
}
