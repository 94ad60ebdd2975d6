//! Everyone: people of head office and of stores.

use crate::account::passkey;
use crate::account::staff::View;
use crate::account::user_admin::{self, Revoked};
use crate::account::user_fields;
use crate::http::paged_list;
use crate::http::prelude::*;
use crate::table::api_key::{self, ApiKey};
use domain::model::base::ids::UserId;
use domain::model::people::user::Role;
use edge::passwords::policy_problem;

/// Fields whose presence only is part of the fingerprint.
const SECRETS: &[&str] = &["password"];

const USER: &str = r#"{"id": "usr_1", "username": "ani@example.com", "name": "Ani", "role": "cashier",
    "store_id": "S001", "disabled": false, "origin": "hub", "created_at": "2026-11-20T02:06:34.739Z",
    "updated_at": "2026-11-20T02:06:34.739Z"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/users", ADMIN, "Users").summary("List all users, or the users of a store").lists::<Ask>(""),
    get("/api/staff", GOODS, "Users")
        .summary("List names of all users and API keys, to show who made a document")
        .query::<Page>()
        .answers::<List<StaffName>>(
            r#"{"items": [{"id": "usr_1", "name": "Ani", "store_id": "S001"}], "next_cursor": null}"#,
            paged_list::handler::<StaffNames>(),
        ),
    post("/api/users", ADMIN, "Users")
        .summary("Create a user of head office or of a store")
        .refuses(&[Code::Duplicate])
        .creates_of::<user_fields::New, CreateUser>(
            r#"{"username": "ani@example.com", "name": "Ani", "role": "cashier", "store_id": "S001",
            "password": "right horse"}"#,
            USER,
        ),
    patch("/api/users/:id", ADMIN, "Users")
        .summary("Update a user; a change of rights revokes all tokens and devices")
        .refuses(&[Code::Duplicate, Code::InvalidState])
        .command_of::<user_fields::Change, UpdateUser>(
            r#"{"disabled": true}"#,
            r#"{"id": "usr_1", "username": "ani@example.com", "name": "Ani", "role": "ho_finance",
            "store_id": "", "disabled": true, "origin": "hub", "created_at": "2026-11-20T02:06:34.739Z",
            "updated_at": "2026-11-20T02:06:34.739Z", "devices_removed": 1}"#,
        ),
    post("/api/users/:id/revoke-tokens", ADMIN, "Users")
        .summary("Revoke all tokens and remove all devices of a user, here and at the stores")
        .step::<RevokeTokens>(r#"{"revoked_at": "2026-11-20T02:06:34.739Z", "devices_removed": 1}"#),
];

/// Result of a change, with the devices that it removed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}WithDevices")]
pub struct WithDevices<T> {
    #[serde(flatten)]
    done: T,
    /// Number of devices that were removed with the tokens. Null for a user of a store: the store removes the devices
    /// when it is notified.
    devices_removed: Option<usize>,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
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

page_query!(Ask, q);

impl PagedList for Ask {
    type Query = Self;
    type Item = View;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<View>, Failure> {
        let Ask { q, store_id, role, disabled, .. } = page.query.clone();
        let filter = user_admin::Filter { q, store_id, role, disabled };
        Ok(user_admin::list(page.pool, &filter, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(user: &View) -> String {
        user.id.clone()
    }
}

/// Name of a user on a document.
#[derive(Serialize, JsonSchema)]
pub struct StaffName {
    /// ID of the user, `usr_…`, or of the API key, `key_…`.
    id: String,
    /// Display name.
    name: String,
    /// Store of the user. Empty for head office.
    store_id: String,
}

/// The list of users' names.
struct StaffNames;

impl PagedList for StaffNames {
    type Query = Page;
    type Item = StaffName;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<StaffName>, Failure> {
        let (pool, filter) = (page.pool, user_admin::Filter::default());
        let after = page.after.unwrap_or_default();
        let people = user_admin::list(pool, &filter, &after, page.limit).await?;
        let keys = api_key::list(pool, &after, page.limit).await?;
        let person = |View { id, name, store_id, .. }| StaffName { id, name, store_id };
        let key = |key: ApiKey| StaffName { id: key.key_id.0, name: key.name, store_id: String::new() };
        let mut names: Vec<_> = people.into_iter().map(person).chain(keys.into_iter().map(key)).collect();
        names.sort_by(|a, b| a.id.cmp(&b.id));
        names.truncate(usize::try_from(page.limit).unwrap_or_default());
        Ok(names)
    }
    fn position(name: &StaffName) -> String {
        name.id.clone()
    }
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

/// Creates a user.
pub struct CreateUser {
    new: user_fields::New,
    hash: Option<String>,
}

impl FromRequest for CreateUser {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let new: user_fields::New = request.json()?;
        new.check()?;
        let hash = hashed(request, new.password.as_ref(), &new.username).await?;
        Ok(Self { new, hash })
    }
}

impl Command for CreateUser {
    /// [`user_admin::add`] appends the entry.
    const ACTION: &'static str = "";
    const SECRETS: &'static [&'static str] = SECRETS;
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let Self { new, hash } = self;
        let made = user_admin::add(tx.connection, &tx.caller.user_id, &new, hash, tx.now).await?;
        Ok(Changed::created_without_entry(format!("/api/users?store_id={}", made.store_id), &made))
    }
}

/// Updates a user.
pub struct UpdateUser {
    asked: user_fields::Change,
    hash: Option<String>,
}

impl FromRequest for UpdateUser {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let asked: user_fields::Change = request.json()?;
        let username = user_admin::username(request.state.db.pool(), request.param("id")).await?;
        let hash = hashed(request, asked.password.as_ref(), &username.unwrap_or_default()).await?;
        Ok(Self { asked, hash })
    }
}

impl Command for UpdateUser {
    /// [`user_admin::change`] appends the entry.
    const ACTION: &'static str = "";
    const SECRETS: &'static [&'static str] = SECRETS;
    type Answer = WithDevices<View>;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<WithDevices<View>>, Failure> {
        let (Self { asked, hash }, id) = (self, tx.path.get("id"));
        let changed = user_admin::change(tx.connection, tx.caller, id, &asked, hash, tx.now).await?;
        with_devices(tx, changed).await
    }
}

without_body!(RevokeTokens);

impl Command for RevokeTokens {
    /// [`user_admin::revoke`] appends the entry.
    const ACTION: &'static str = "";
    type Answer = WithDevices<Revoked>;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<WithDevices<Revoked>>, Failure> {
        let (by, id) = (&tx.caller.user_id, tx.path.get("id"));
        let revoked = user_admin::revoke(tx.connection, by, id, tx.now).await?;
        with_devices(tx, revoked).await
    }
}

/// Removes the devices that died with the tokens of the user in the path.
async fn with_devices<T: Serialize>(tx: &mut Tx<'_>, done: T) -> Result<Changed<WithDevices<T>>, Failure> {
    let id = UserId::from(tx.path.get("id"));
    let devices_removed = passkey::remove_dead(tx.connection, &tx.caller.user_id, &id, tx.now).await?;
    Ok(Changed::without_entry(&WithDevices { done, devices_removed }))
}
