//! Everyone: people of head office and of stores.

use crate::account::passkey;
use crate::account::staff::View;
use crate::account::user_admin::{self, Revoked};
use crate::db::failure::Failure;
use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use domain::model::base::answer::Answer;
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use edge::identity::EmptyBody;
use edge::identity::secrets::without;
use edge::page::{Cursor, Limit, List, Page};
use edge::passwords::policy_problem;
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

/// Fields of which only the presence is fingerprinted.
const SECRETS: &[&str] = &["password"];

const USER: &str = r#"{"id": "usr_1", "username": "ani@example.com", "name": "Ani", "role": "cashier",
    "store_id": "S001", "disabled": false, "origin": "hub", "created_at": "2026-11-20T02:06:34.739Z",
    "updated_at": "2026-11-20T02:06:34.739Z"}"#;

pub const LIST: Doc = Doc::of("Users", "List all users, or the users of a store")
    .query::<Ask>()
    .answers::<List<View>>(r#"{"items": [], "next_cursor": null}"#);
pub const NAMES: Doc = Doc::of("Users", "List names of all users, to show who made a document")
    .query::<Page>()
    .answers::<List<StaffName>>(
        r#"{"items": [{"id": "usr_1", "name": "Ani", "store_id": "S001"}], "next_cursor": null}"#,
    );
pub const ADD: Doc = Doc::of("Users", "Create a user of head office or of a store")
    .body::<user_admin::New>(
        r#"{"username": "ani@example.com", "name": "Ani", "role": "cashier", "store_id": "S001",
            "password": "right horse"}"#,
    )
    .creates::<View>(USER)
    .refuses(&[Code::Duplicate]);
pub const CHANGE: Doc = Doc::of("Users", "Update a user; a change of rights revokes all tokens and devices")
    .body::<user_admin::Change>(r#"{"disabled": true}"#)
    .answers::<Changed<View>>(
        r#"{"id": "usr_1", "username": "ani@example.com", "name": "Ani", "role": "ho_finance",
            "store_id": "", "disabled": true, "origin": "hub", "created_at": "2026-11-20T02:06:34.739Z",
            "updated_at": "2026-11-20T02:06:34.739Z", "devices_removed": 1}"#,
    )
    .refuses(&[Code::Duplicate, Code::InvalidState]);
pub const REVOKE: Doc =
    Doc::of("Users", "Revoke all tokens and remove all devices of a user, here and at the stores")
        .optional_body::<EmptyBody>("{}")
        .answers::<Changed<Revoked>>(r#"{"revoked_at": "2026-11-20T02:06:34.739Z", "devices_removed": 1}"#);

/// Result of a change, with the devices that it removed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}WithDevices")]
struct Changed<T> {
    #[serde(flatten)]
    done: T,
    /// Number of devices that were removed with the tokens. Null for a user of a store: the store removes the devices
    /// when it is notified.
    devices_removed: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ask {
    /// Text in the login name or the name.
    q: Option<String>,
    /// Only users of this store.
    store_id: Option<String>,
    /// Only those with this role.
    role: Option<Role>,
    /// Only disabled users (true), or only enabled users (false).
    disabled: Option<bool>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/users`
pub async fn list(request: Request) -> Answered {
    let Ask { q, store_id, role, disabled, limit, cursor } = request.query()?;
    change::check_q(q.as_deref())?;
    let after = bound_page::after_in::<String>(&request, cursor.as_ref())?.unwrap_or_default();
    let filter = user_admin::Filter { q, store_id, role, disabled };
    let items = user_admin::list(request.state.db.pool(), &filter, &after, change::one_more(limit)).await;
    Ok(Reply::ok(&bound_page::cut_in(&request, items?, limit, |item| item.id.clone())?))
}

/// Name of a user on a document.
#[derive(Serialize, JsonSchema)]
struct StaffName {
    /// ID of the user, `usr_…`.
    id: String,
    /// Display name.
    name: String,
    /// Store of the user. Empty for head office.
    store_id: String,
}

/// `GET /api/staff`
pub async fn names(request: Request) -> Answered {
    let Page { limit, cursor } = request.query()?;
    let after = bound_page::after_in::<String>(&request, cursor.as_ref())?.unwrap_or_default();
    let (pool, filter) = (request.state.db.pool(), user_admin::Filter::default());
    let people = user_admin::list(pool, &filter, &after, change::one_more(limit)).await?;
    let name = |View { id, name, store_id, .. }| StaffName { id, name, store_id };
    let items: Vec<StaffName> = people.into_iter().map(name).collect();
    Ok(Reply::ok(&bound_page::cut_in(&request, items, limit, |item| item.id.clone())?))
}

/// Hashed before any transaction begins: it takes long.
async fn hashed(
    request: &Request,
    password: Option<&String>,
    username: &str,
) -> Result<Option<String>, ApiError> {
    let Some(password) = password else { return Ok(None) };
    if let Some(problem) = policy_problem(password, username) {
        return Err(ApiError::field("password", problem));
    }
    request.state.people.passwords.hash(password.clone()).await.map(Some).map_err(ApiError::internal)
}

/// User who is recorded as the author.
fn by(request: &Request) -> Result<&UserId, ApiError> {
    Ok(&request.caller()?.user_id)
}

/// `POST /api/users`
pub async fn add(mut request: Request) -> Answered {
    let new: user_admin::New = request.json()?;
    new.check()?;
    let hash = hashed(&request, new.password.as_ref(), &new.username).await?;
    request.body = without(&request, SECRETS)?.into();
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let made = user_admin::add(&mut keyed.write, by(&request)?, &new, hash, now).await?;
    let location = format!("/api/users?store_id={}", made.store_id);
    change::finish(&request, keyed, Answer::created(location, &made)).await
}

/// `PATCH /api/users/:id`
pub async fn change(mut request: Request) -> Answered {
    let asked: user_admin::Change = request.json()?;
    let username = user_admin::username(request.state.db.pool(), request.param("id")).await;
    let username = username?.unwrap_or_default();
    let hash = hashed(&request, asked.password.as_ref(), &username).await?;
    request.body = without(&request, SECRETS)?.into();
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let changed =
        user_admin::change(&mut keyed.write, request.caller()?, request.param("id"), &asked, hash, now)
            .await?;
    let changed = with_devices(&request, &mut keyed.write, changed, now).await?;
    change::finish(&request, keyed, Answer::ok(&changed)).await
}

/// `POST /api/users/:id/revoke-tokens`
pub async fn revoke(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let revoked = user_admin::revoke(&mut keyed.write, by(&request)?, request.param("id"), now).await?;
    let revoked = with_devices(&request, &mut keyed.write, revoked, now).await?;
    change::finish(&request, keyed, Answer::ok(&revoked)).await
}

/// Removes the devices that died with the tokens of the user in the path.
async fn with_devices<T>(
    request: &Request,
    connection: &mut AnyConnection,
    done: T,
    now: UtcMs,
) -> Result<Changed<T>, Failure> {
    let id = UserId::from(request.param("id"));
    let removed = passkey::remove_dead(connection, by(request)?, &id, now).await;
    Ok(Changed { done, devices_removed: removed? })
}
