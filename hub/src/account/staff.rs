//! People of stores: given by head office, or reported by a store. Deny wins: only a person at the hub lifts a denial.

use crate::account::user;
use crate::columns;
use crate::feed::Entry;
use crate::table::exception::{self, Found};
use crate::table::origin::Origin;
use crate::table::staff::{COLUMNS, Staff, read, write};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Role, login_name};
use domain::rules::people::user::apply_feed;
use domain::rules::people::user::apply_feed::Merged;
use domain::wire::feed::{Kind, RevocationDown, UserDown};
use domain::wire::record::UserChanged;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::AnyConnection;

/// Roles that a person of a store has.
pub const ROLES: [Role; 4] = [Role::Admin, Role::StoreManager, Role::Cashier, Role::WarehouseStaff];

/// A user in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "HubUser")]
pub struct View {
    /// ID of the user, `usr_…`.
    pub id: String,
    /// Login name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// Store of the user. Empty for head office.
    pub store_id: String,
    /// Whether the user is disabled.
    pub disabled: bool,
    /// Where the user was created.
    #[schemars(with = "Origin")]
    pub origin: String,
    /// When the user was created.
    pub created_at: UtcMs,
    /// When the user was last changed.
    pub updated_at: UtcMs,
}

impl Staff {
    /// The row in a list.
    pub fn view(&self) -> View {
        View {
            id: self.down.user_id.0.clone(),
            username: self.down.username.clone(),
            name: self.down.name.clone(),
            role: self.down.role,
            store_id: self.down.store_id.0.clone(),
            disabled: self.down.disabled,
            origin: self.origin.clone(),
            created_at: self.down.created_at,
            updated_at: self.updated_at,
        }
    }

    /// Entry of the feed for the user's store.
    ///
    /// # Errors
    /// Never: a person is always JSON.
    pub fn entry(&self) -> Result<Entry, sqlx::Error> {
        let payload = serde_json::to_string(&self.down).map_err(|error| sqlx::Error::Encode(error.into()))?;
        let (id, store) = (self.down.user_id.as_str(), self.down.store_id.as_str());
        Ok(Entry::for_store(Kind::User, id, store, payload))
    }

    /// The death of its tokens, for its store.
    ///
    /// # Errors
    /// Never: a revocation is always JSON.
    pub fn revocation(&self, now: UtcMs) -> Result<Entry, sqlx::Error> {
        revocation(self.down.user_id.as_str(), self.down.token_version, self.down.store_id.as_str(), now)
    }
}

/// The death of a user's tokens, for one store or ('') all.
///
/// # Errors
/// Never: a revocation is always JSON.
pub fn revocation(
    user_id: &str,
    token_version: u64,
    store_id: &str,
    revoked_at: UtcMs,
) -> Result<Entry, sqlx::Error> {
    let down = RevocationDown { user_id: user_id.into(), token_version, revoked_at };
    let payload = serde_json::to_string(&down).map_err(|error| sqlx::Error::Encode(error.into()))?;
    Ok(Entry::for_store(Kind::TokenRevocation, user_id, store_id, payload))
}

/// A user by ID; the row is locked until the transaction ends.
pub async fn locked(connection: &mut AnyConnection, user_id: &str) -> Result<Option<Staff>, sqlx::Error> {
    let sql = format!("UPDATE staff SET user_id = user_id WHERE user_id = $1 RETURNING {COLUMNS}");
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(user_id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

/// Writes a user, new or locked before.
pub async fn put(connection: &mut AnyConnection, staff: &Staff) -> Result<(), sqlx::Error> {
    let sql = "DO UPDATE SET username = excluded.username, name = excluded.name, role = excluded.role, \
               password_hash = excluded.password_hash, username_at = excluded.username_at, name_at = excluded.name_at, \
               role_at = excluded.role_at, password_at = excluded.password_at, token_version = excluded.token_version, \
               disabled = excluded.disabled, grants = excluded.grants, updated_at = excluded.updated_at, \
               folded = excluded.folded";
    write(connection, staff, sql).await.map(drop)
}

/// Writes a new user. Returns false if there is a user of this ID by now.
async fn add(connection: &mut AnyConnection, staff: &Staff) -> Result<bool, sqlx::Error> {
    Ok(write(connection, staff, "DO NOTHING").await? == 1)
}

/// Other user with the login name at the store, and whether head office gave that user to it: such a user
/// comes first.
async fn namesake(
    connection: &mut AnyConnection,
    reported: &UserDown,
) -> Result<Option<(String, bool)>, sqlx::Error> {
    let sql = "SELECT user_id, origin FROM staff WHERE store_id = $1 AND username = $2 AND user_id <> $3 \
               ORDER BY origin, user_id LIMIT 1";
    let query = sqlx::query(sql)
        .bind(reported.store_id.as_str())
        .bind(&reported.username)
        .bind(reported.user_id.as_str());
    let Some(row) = query.fetch_optional(connection).await? else { return Ok(None) };
    let (user_id, origin): (String, String) = columns!(row => (user_id, origin));
    Ok(Some((user_id, origin == "hub")))
}

/// Merges a store's report of a user: it may deny, also for a denial that a restored hub has forgotten, and never lifts
/// one. If the hub knows of a stronger denial, or takes one over, the store is notified again. A user of head office or
/// of another store is not changed, nor is a login name that head office has given at this store: the store's report is
/// shown to a person, and so are two users with one name.
pub async fn merge_store_user(
    connection: &mut AnyConnection,
    changed: &UserChanged,
    found: Found<'_>,
) -> Result<Option<Entry>, sqlx::Error> {
    let foreign = json!({"user_id": changed.user_id});
    if user::has(connection, changed.user_id.as_str()).await? {
        exception::note(connection, found, exception::USER_FOREIGN, &foreign).await?;
        return Ok(None);
    }
    let mut reported = UserDown {
        user_id: changed.user_id.clone(),
        username: login_name(&changed.username),
        name: changed.name.clone(),
        role: changed.role,
        store_id: changed.store_id.clone(),
        // The hash stays in the store's record: head office checks no password of a store's person.
        password_hash: None,
        times: changed.times.capped(),
        token_version: changed.token_version,
        disabled: changed.disabled,
        grant: 0,
        created_at: changed.created_at,
        given: false,
    };
    let mut known = locked(connection, changed.user_id.as_str()).await?;
    let namesake = namesake(connection, &reported).await?;
    // Two boxes of a store may each have created a user of this name: both are people of the store, and one is renamed.
    let given = namesake.as_ref().is_some_and(|(_, given)| *given);
    let is_news = given || known.as_ref().is_none_or(|known| known.down.username != reported.username);
    if let Some((other, _)) = namesake.filter(|_| is_news) {
        let details =
            json!({"user_id": changed.user_id, "username": reported.username, "other_user_id": other});
        exception::note_name_taken(connection, found, &reported.username, &details).await?;
    }
    if known.is_none() {
        let origin = "store".to_owned();
        let new = Staff { down: reported.clone(), origin, updated_at: found.now };
        if given || add(connection, &new).await? {
            return Ok(None);
        }
        // Another store reported this id a moment ago.
        known = locked(connection, changed.user_id.as_str()).await?;
    }
    let Some(known) = known.filter(|known| known.down.store_id == changed.store_id) else {
        exception::note(connection, found, exception::USER_FOREIGN, &foreign).await?;
        return Ok(None);
    };
    if given {
        reported.username.clone_from(&known.down.username);
        reported.times.username = known.down.times.username;
    }
    let Merged { down, tell } = apply_feed::merged(&known.down, known.down.given, reported);
    let staff = Staff { down, updated_at: found.now, ..known };
    put(connection, &staff).await?;
    if tell { Ok(Some(staff.entry()?)) } else { Ok(None) }
}
