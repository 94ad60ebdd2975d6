//! `member_merges` and the keys of members: the member that each is merged into, and the owner of a phone, e-mail or
//! code.

use crate::db::column::Columns;
use crate::db::{Engine, array, insert};
use domain::model::base::figures::Points;
use edge::clock;
use serde_json::Value;
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Fields that name one member only.
pub const UNIQUE: [&str; 3] = ["phone", "email", "code"];

/// The balance of a member, as SQL: with the points of all members merged into it. A merged member has none.
pub fn balance_of(id: &str) -> String {
    format!(
        "CASE WHEN EXISTS (SELECT 1 FROM member_merges g WHERE g.member_id = {id}) THEN 0 ELSE \
         COALESCE((SELECT q.balance FROM points q WHERE q.member_id = {id}), 0) + COALESCE((SELECT \
         CAST(SUM(q.balance) AS BIGINT) FROM member_merges g JOIN points q ON q.member_id = g.member_id \
         WHERE g.merged_into = {id}), 0) END"
    )
}

/// The balance that an ID names.
pub async fn balance(connection: &mut AnyConnection, id: &str) -> Result<Points, sqlx::Error> {
    let id = end(connection, id).await?;
    let sql = format!("SELECT CAST({} AS BIGINT)", balance_of("$1"));
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(id).fetch_one(connection).await.map(Points::new)
}

/// Locks a member's record until the transaction ends; false if there is none.
pub async fn lock(connection: &mut AnyConnection, id: &str) -> Result<bool, sqlx::Error> {
    let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = 'member' AND id = $1";
    Ok(sqlx::query(sql).bind(id).execute(connection).await?.rows_affected() > 0)
}

/// Locks the records of members whose points move, of those that they are merged into, and of others that will be
/// written to, in the order of their IDs; they count as changed from now on. A member without a record stays without one.
pub(crate) async fn stamp(
    connection: &mut AnyConnection,
    moved: BTreeSet<String>,
    written: impl Iterator<Item = &str>,
) -> Result<(), sqlx::Error> {
    let mut held = resolved(connection, moved.clone()).await?;
    held.extend(moved.iter().cloned().chain(written.map(str::to_owned)));
    stamp_all(connection, &held).await?;
    // Somebody may have merged one meanwhile: from now on nobody can.
    let late: BTreeSet<String> = resolved(connection, moved).await?.difference(&held).cloned().collect();
    stamp_all(connection, &late).await
}

async fn stamp_all(connection: &mut AnyConnection, ids: &BTreeSet<String>) -> Result<(), sqlx::Error> {
    if ids.is_empty() {
        return Ok(());
    }
    let engine = Engine::of_connection(connection);
    // An `UPDATE` would lock them in any order.
    let sql = format!(
        "INSERT INTO shared_records (resource, id, version, created_at, updated_at, made_by, made_on) \
         SELECT resource, id, version, created_at, updated_at, made_by, made_on FROM shared_records \
         WHERE resource = 'member' AND {} ORDER BY id ON CONFLICT (resource, id) DO UPDATE SET updated_at = $2",
        array::among(engine, "id", 1)
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    let query = query.bind(array::texts(engine, ids.iter().map(String::as_str))?).bind(clock::now().0);
    query.execute(connection).await.map(drop)
}

/// Member that a member is merged into. `None` if it is still itself.
pub async fn into(connection: &mut AnyConnection, id: &str) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT merged_into FROM member_merges WHERE member_id = $1";
    sqlx::query_scalar(sql).bind(id).fetch_optional(connection).await
}

/// The member that an ID names.
pub async fn end(connection: &mut AnyConnection, id: &str) -> Result<String, sqlx::Error> {
    Ok(into(connection, id).await?.unwrap_or_else(|| id.to_owned()))
}

/// Members who are merged into a member.
pub async fn merged(connection: &mut AnyConnection, id: &str) -> Result<Vec<String>, sqlx::Error> {
    let sql = "SELECT member_id FROM member_merges WHERE merged_into = $1 ORDER BY member_id";
    sqlx::query_scalar(sql).bind(id).fetch_all(connection).await
}

/// The members that these IDs name.
pub async fn resolved(
    connection: &mut AnyConnection,
    mut ids: BTreeSet<String>,
) -> Result<BTreeSet<String>, sqlx::Error> {
    if ids.is_empty() {
        return Ok(ids);
    }
    let list = insert::list(1, ids.len());
    let sql = format!("SELECT member_id, merged_into FROM member_merges WHERE member_id IN ({list})");
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    for id in &ids {
        query = query.bind(id.clone());
    }
    for row in query.fetch_all(connection).await? {
        ids.remove(&row.try_get::<String, _>("member_id")?);
        ids.insert(row.try_get("merged_into")?);
    }
    Ok(ids)
}

/// The tiers of these members, where they have one.
pub async fn tiers(
    connection: &mut AnyConnection,
    ids: BTreeSet<String>,
) -> Result<BTreeMap<String, String>, sqlx::Error> {
    let mut tiers = BTreeMap::new();
    if ids.is_empty() {
        return Ok(tiers);
    }
    let list = insert::list(1, ids.len());
    let sql = format!(
        "SELECT id, value FROM fields WHERE resource = 'member' AND field = 'tier' AND id IN ({list})"
    );
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    for id in &ids {
        query = query.bind(id.clone());
    }
    for row in query.fetch_all(connection).await? {
        if let (Value::String(tier), id) = (row.json("value")?, row.try_get("id")?) {
            tiers.insert(id, tier);
        }
    }
    Ok(tiers)
}

/// Another member who has this value; a member merged into this one does not count as another.
pub async fn other(
    connection: &mut AnyConnection,
    id: &str,
    field: &str,
    value: &Value,
) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT COALESCE(g.merged_into, f.id) FROM fields f LEFT JOIN member_merges g ON g.member_id = f.id \
               WHERE f.resource = 'member' AND f.field = $1 AND f.value = $2 AND COALESCE(g.merged_into, f.id) <> $3 \
               ORDER BY f.id LIMIT 1";
    let query = sqlx::query_scalar(sql).bind(field).bind(value.to_string()).bind(id);
    query.fetch_optional(connection).await
}
