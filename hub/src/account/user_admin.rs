//! All users: people of head office, and of stores. Rights are given only here.

use crate::account::passkey;
use crate::account::staff::{self, View};
use crate::account::user::{self, NewUser};
use crate::account::user_fields::{Change, New, display, login, role_of};
use crate::db::failure::Failure;
use crate::db::filter::Conditions;
use crate::feed::{self, Entry};
use crate::table::staff::Staff;
use crate::table::store;
use crate::table::{self, audit};
use domain::model::base::ids::{StoreId, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Principal, Role, User, login_name};
use domain::rules::people::user::account_change::{Known, Undecided};
use domain::rules::people::user::{account_change, apply_feed};
use domain::wire::feed::UserDown;
use edge::{ApiError, ids};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::{AnyConnection, AnyPool};

/// Request body of `POST /api/users/:id/revoke-tokens`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TokensRevoked")]
pub struct Revoked {
    /// When the tokens were revoked.
    pub revoked_at: UtcMs,
}

/// The login name of a user of head office or of a store.
pub async fn username(pool: &AnyPool, id: &str) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT username FROM users WHERE user_id = $1 UNION ALL \
               SELECT username FROM staff WHERE user_id = $1";
    sqlx::query_scalar(sql).bind(id).fetch_optional(pool).await
}

/// Adds a user; `by` is recorded as the author.
///
/// # Errors
/// 422; 409 `duplicate`.
pub async fn add(
    connection: &mut AnyConnection,
    by: &UserId,
    new: &New,
    password_hash: Option<String>,
    now: UtcMs,
) -> Result<View, Failure> {
    let username = new.username.trim().to_lowercase();
    let name = new.name.trim().to_owned();
    let Some(store_id) = &new.store_id else {
        let hash = password_hash.unwrap_or_default();
        let user = NewUser::new(&username, &name, new.role, hash)
            .map_err(|problem| ApiError::field("username", problem))?;
        let id = user::add(connection, by, &user, now).await?;
        return of_office(connection, id.as_str()).await;
    };
    // The store's row is the lock for the login names of its people.
    if !store::lock(connection, store_id).await? {
        return Err(ApiError::field("store_id", "is not a store").into());
    }
    free(connection, store_id, &username, "").await?;
    let password = password_hash.as_ref().map(|_| now).unwrap_or_default();
    let down = UserDown {
        user_id: UserId(ids::new("usr_")),
        username,
        name,
        role: new.role,
        store_id: StoreId(store_id.clone()),
        times: FieldTimes { password, ..FieldTimes::all(now) },
        password_hash,
        token_version: 1,
        disabled: false,
        grant: 1,
        created_at: now,
        given: true,
    };
    let staff = Staff { down, origin: table::staff::GIVEN.to_owned(), updated_at: now };
    staff::put(connection, &staff).await?;
    feed::publish(connection, vec![staff.entry()?], now).await?;
    let view = staff.view();
    audit::append(connection, by, "user.created", &details(&view), now).await?;
    Ok(view)
}

/// Details of a user for the audit log.
fn details(view: &View) -> Value {
    json!({"user_id": view.id, "role": view.role, "store_id": view.store_id, "disabled": view.disabled})
}

/// The audit log records the changed fields, but never a password.
async fn written(
    connection: &mut AnyConnection,
    by: &UserId,
    [before, after]: [View; 2],
    now: UtcMs,
) -> Result<View, Failure> {
    let details = audit::with_change(details(&after), [&before, &after]);
    audit::append(connection, by, "user.changed", &details, now).await?;
    Ok(after)
}

/// Whether no other user than `own` has this login name at a store, whose row the caller has locked.
async fn free(
    connection: &mut AnyConnection,
    store_id: &str,
    username: &str,
    own: &str,
) -> Result<(), Failure> {
    let sql = "SELECT user_id FROM staff WHERE store_id = $1 AND username = $2 AND user_id <> $3";
    let query = sqlx::query_scalar::<_, String>(sql).bind(store_id).bind(username).bind(own);
    match query.fetch_optional(&mut *connection).await? {
        Some(id) => {
            Err(ApiError::from(Refusal::Duplicate { what: "a user with this login name in that store", id })
                .into())
        }
        None => Ok(()),
    }
}

/// Changes a user; a change of rights revokes every token.
///
/// # Errors
/// 404; 422; 409 `duplicate`; 409 `invalid_state` if head office would have no administrator left.
pub async fn change(
    connection: &mut AnyConnection,
    by: &Principal,
    id: &str,
    change: &Change,
    password_hash: Option<String>,
    now: UtcMs,
) -> Result<View, Failure> {
    if let Some(name) = &change.name {
        display(name)?;
    }
    if let Some(username) = &change.username {
        login(username)?;
    }
    let username = change.username.as_deref().map(login_name);
    if let Some(username) = &username {
        login(username)?;
        // The store's row first, as records of the store do, then the person's.
        let sql =
            "UPDATE stores SET name = name WHERE store_id = (SELECT store_id FROM staff WHERE user_id = $1)";
        sqlx::query(sql).bind(id).execute(&mut *connection).await?;
    }
    let Some(mut staff) = staff::locked(connection, id).await? else {
        let views = change_of_office(connection, by, id, change, password_hash, now).await?;
        return written(connection, &by.user_id, views, now).await;
    };
    let before = staff.view();
    if let Some(role) = change.role {
        role_of(role, true)?;
    }
    if let Some(username) = &username {
        free(connection, staff.down.store_id.as_str(), username, id).await?;
    }
    let mut entries = Vec::new();
    if apply_feed::office_change(&mut staff.down, &change.command(), password_hash, now) {
        entries.push(staff.revocation(now)?);
    }
    staff.updated_at = now;
    staff::put(connection, &staff).await?;
    entries.push(staff.entry()?);
    feed::publish(connection, entries, now).await?;
    written(connection, &by.user_id, [before, staff.view()], now).await
}

/// Changes a user by the rules for all changes of users, without a gap: the row that the decision was made about is the
/// one that is overwritten.
async fn change_of_office(
    connection: &mut AnyConnection,
    by: &Principal,
    id: &str,
    change: &Change,
    password_hash: Option<String>,
    now: UtcMs,
) -> Result<[View; 2], Failure> {
    user::lock_all(connection).await?;
    let before = of_office(connection, id).await?;
    let (users, passkeys) = (user::all(connection).await?, passkey::all(connection).await?);
    let update = account_change::Change::Update {
        id: UserId(id.to_owned()),
        change: change.command(),
        hash: password_hash,
    };
    let known = Known {
        caller: by,
        users: &users,
        passkeys: &passkeys,
        session: None,
        roles: &user::ROLES,
        store_id: &StoreId::default(),
        new_id: UserId::default(),
        now,
    };
    let decided = account_change::decide(&update, &known).map_err(|undecided| match undecided {
        Undecided::Refused(refusal) => ApiError::from(refusal),
        Undecided::Moved => ApiError::not_found("the user"),
    })?;
    if let Some(user) = &decided.user {
        user::put(connection, user).await?;
    }
    Ok([before, of_office(connection, id).await?])
}

/// Revokes every token of a user, here and at the stores.
///
/// # Errors
/// 404.
pub async fn revoke(
    connection: &mut AnyConnection,
    by: &UserId,
    id: &str,
    now: UtcMs,
) -> Result<Revoked, Failure> {
    let entry: Entry = match staff::locked(connection, id).await? {
        Some(mut staff) => {
            staff.down.token_version = staff.down.token_version.saturating_add(1);
            staff.updated_at = now;
            staff::put(connection, &staff).await?;
            staff.revocation(now)?
        }
        None => {
            let sql = "UPDATE users SET token_version = token_version + 1, updated_at = $2 WHERE user_id = $1 \
                       RETURNING token_version";
            let query = sqlx::query_scalar(sql).bind(id).bind(now.0);
            let version: Option<i64> = query.fetch_optional(&mut *connection).await?;
            let version = version.ok_or_else(|| ApiError::not_found("the user"))?;
            staff::revocation(id, version.unsigned_abs(), "", now)?
        }
    };
    feed::publish(connection, vec![entry], now).await?;
    audit::append(connection, by, "user.tokens_revoked", &json!({"user_id": id}), now).await?;
    Ok(Revoked { revoked_at: now })
}

async fn of_office(connection: &mut AnyConnection, id: &str) -> Result<View, Failure> {
    let user = user::by_id(connection, &UserId(id.to_owned())).await?;
    Ok(office(user.ok_or_else(|| ApiError::not_found("the user"))?))
}

fn office(user: User) -> View {
    View {
        id: user.user_id.0,
        username: user.username,
        name: user.name,
        role: user.role,
        store_id: String::new(),
        disabled: user.disabled,
        origin: "hub".to_owned(),
        created_at: user.created_at,
        updated_at: user.updated_at,
    }
}

/// Filters of the list of users.
#[derive(Debug, Default)]
pub struct Filter {
    /// The login name or the name contains it.
    pub q: Option<String>,
    /// Users of this store. Empty or `None` for head office and all stores.
    pub store_id: Option<String>,
    /// Only those with this role.
    pub role: Option<Role>,
    /// Kept out or not.
    pub disabled: Option<bool>,
}

/// All users after an ID, by ID; people of one store with `store_id`.
pub async fn list(
    pool: &AnyPool,
    filter: &Filter,
    after: &str,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let store_id = filter.store_id.as_deref().filter(|store_id| !store_id.is_empty());
    let conditions = || {
        Conditions::default()
            .text("user_id > ?", Some(after))
            .text("role = ?", filter.role.map(Role::name))
            .number("disabled = ?", filter.disabled.map(i64::from))
            .contains(filter.q.as_deref())
    };
    let mut people = Vec::new();
    if store_id.is_none() {
        let columns = table::user::COLUMNS;
        let sql = format!("SELECT {columns} FROM users WHERE {{}} ORDER BY user_id LIMIT {limit}");
        for row in conditions().query(&sql).fetch_all(pool).await? {
            people.push(office(table::user::read(&row)?));
        }
    }
    let columns = table::staff::COLUMNS;
    let sql = format!("SELECT {columns} FROM staff WHERE {{}} ORDER BY user_id LIMIT {limit}");
    for row in conditions().text("store_id = ?", store_id).query(&sql).fetch_all(pool).await? {
        people.push(table::staff::read(&row)?.view());
    }
    people.sort_by(|one, other| one.id.cmp(&other.id));
    people.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(people)
}
