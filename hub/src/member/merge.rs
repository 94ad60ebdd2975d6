//! One person who was registered twice: one member goes on as the other. Its points and sales count for that one, and
//! its id goes on naming it, at every store.
//!
//! Nothing of the books is moved: points stay under the id that they were told under, and a balance is the sum over all
//! who go on as one member.

use super::{View, met};
use crate::db::insert;
use crate::exception::MEMBER_TWICE;
use crate::failure::Failure;
use crate::feed;
use crate::ingest::announce::Later;
use crate::ingest::fields::{self, MEMBER};
use domain::hlc::Clock;
use domain::ids::UserId;
use domain::member::MERGED_MAX;
use domain::sync::lane;
use domain::time::UtcMs;
use edge::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Row};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// `POST /api/members/:id/merge`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MergeMember")]
pub struct Merge {
    /// Whom the member goes on as.
    pub into: String,
}

/// Who merges, and when.
pub struct By<'a> {
    /// Who.
    pub user_id: &'a UserId,
    /// The hub's clock.
    pub clock: &'a Mutex<Clock>,
    /// When.
    pub now: UtcMs,
}

/// The balance of a member, as SQL: with the points of all who go on as it. Who goes on as another one has none.
pub fn balance_of(id: &str) -> String {
    format!(
        "CASE WHEN EXISTS (SELECT 1 FROM member_merges g WHERE g.member_id = {id}) THEN 0 ELSE \
         COALESCE((SELECT q.balance FROM points q WHERE q.member_id = {id}), 0) + COALESCE((SELECT \
         CAST(SUM(q.balance) AS BIGINT) FROM member_merges g JOIN points q ON q.member_id = g.member_id \
         WHERE g.merged_into = {id}), 0) END"
    )
}

/// The balance that an id names.
///
/// # Errors
/// The database's.
pub async fn balance(connection: &mut AnyConnection, id: &str) -> Result<i64, sqlx::Error> {
    let id = end(connection, id).await?;
    let sql = format!("SELECT CAST({} AS BIGINT)", balance_of("$1"));
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(id).fetch_one(connection).await
}

/// Whom a member goes on as; none: it is still itself.
///
/// # Errors
/// The database's.
pub async fn into(connection: &mut AnyConnection, id: &str) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT merged_into FROM member_merges WHERE member_id = $1";
    sqlx::query_scalar(sql).bind(id).fetch_optional(connection).await
}

/// The member that an id names.
///
/// # Errors
/// The database's.
pub async fn end(connection: &mut AnyConnection, id: &str) -> Result<String, sqlx::Error> {
    Ok(into(connection, id).await?.unwrap_or_else(|| id.to_owned()))
}

/// Who goes on as a member.
///
/// # Errors
/// The database's.
pub async fn merged(connection: &mut AnyConnection, id: &str) -> Result<Vec<String>, sqlx::Error> {
    let sql = "SELECT member_id FROM member_merges WHERE merged_into = $1 ORDER BY member_id";
    sqlx::query_scalar(sql).bind(id).fetch_all(connection).await
}

/// The members that these ids name.
///
/// # Errors
/// The database's.
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
        ids.remove(&row.try_get::<String, _>(0)?);
        ids.insert(row.try_get(1)?);
    }
    Ok(ids)
}

/// Another member who has this value; whoever goes on as this one is no other.
///
/// # Errors
/// The database's.
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

/// Has a member go on as another one; said twice it is the same.
///
/// # Errors
/// 404; 422 for itself, a ring, or too many; 409 `invalid_state` for one that is erased, or goes on as somebody else.
pub async fn merge(
    connection: &mut AnyConnection,
    id: &str,
    ask: &Merge,
    by: &By<'_>,
) -> Result<View, Failure> {
    // The records first, in their order, then the lane, as in a push: until the end nobody else merges.
    let mut held = BTreeSet::from([id.to_owned(), ask.into.clone(), end(connection, &ask.into).await?]);
    held.extend(merged(connection, id).await?);
    for id in &held {
        let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = 'member' AND id = $1";
        if sqlx::query(sql).bind(id).execute(&mut *connection).await?.rows_affected() == 0 {
            return Err(ApiError::not_found("the member").into());
        }
    }
    feed::take(connection, lane::MEMBERS, 0, by.now).await?;
    let target = end(connection, &ask.into).await?;
    let with = merged(connection, id).await?;
    if !held.contains(&target) || with.iter().any(|id| !held.contains(id)) {
        return Err(ApiError::unavailable("somebody else merges these members now", 1).into());
    }
    if target == id {
        return Err(ApiError::field("into", "must be another member, who does not go on as this one").into());
    }
    match into(connection, id).await? {
        Some(before) if before == target => return super::read(connection, id).await,
        Some(_) => return Err(state("merged").into()),
        None => {}
    }
    for id in [id, target.as_str()] {
        let known = fields::read(connection, MEMBER, id).await?;
        if known.get("state").is_some_and(|known| known.value == json!("erased")) {
            return Err(state("erased").into());
        }
    }
    if with.len().saturating_add(merged(connection, &target).await?.len()) >= MERGED_MAX {
        return Err(ApiError::field("into", "has as many members already that go on as it").into());
    }
    written(connection, (id, &target), with, by).await
}

async fn written(
    connection: &mut AnyConnection,
    (id, target): (&str, &str),
    with: Vec<String>,
    by: &By<'_>,
) -> Result<View, Failure> {
    let sql = "UPDATE member_merges SET merged_into = $2 WHERE merged_into = $1";
    sqlx::query(sql).bind(id).bind(target).execute(&mut *connection).await?;
    let sql =
        "INSERT INTO member_merges (member_id, merged_into, merged_at, merged_by) VALUES ($1, $2, $3, $4)";
    let query = sqlx::query(sql).bind(id).bind(target).bind(by.now.0).bind(by.user_id.as_str());
    query.execute(&mut *connection).await?;
    settle(connection, by).await?;
    let stamp = by.clock.lock().unwrap_or_else(PoisonError::into_inner).tick(by.now);
    let mut later = Later::default();
    later.members.extend(with);
    later.members.extend([id.to_owned(), target.to_owned()]);
    for member in later.members.iter().filter(|member| member.as_str() != target) {
        met::merged(connection, member, target).await?;
    }
    for member in &later.members {
        raise(connection, member, &stamp).await?;
    }
    later.points.extend([id.to_owned(), target.to_owned()]);
    let view = super::read(connection, target).await?;
    later.announce(connection, by.now).await?;
    Ok(view)
}

/// The record says something new: its version is a later one.
async fn raise(connection: &mut AnyConnection, id: &str, stamp: &str) -> Result<(), sqlx::Error> {
    let sql = "SELECT version FROM shared_records WHERE resource = 'member' AND id = $1";
    let before: String = sqlx::query_scalar(sql).bind(id).fetch_one(&mut *connection).await?;
    if before.as_str() < stamp {
        let sql = "UPDATE shared_records SET version = $2 WHERE resource = 'member' AND id = $1";
        sqlx::query(sql).bind(id).bind(stamp).execute(connection).await?;
    }
    Ok(())
}

/// What was open because two were registered who are one by now is no longer.
async fn settle(connection: &mut AnyConnection, by: &By<'_>) -> Result<(), Failure> {
    let sql = "SELECT exception_id, details FROM exceptions WHERE code = $1 AND settled_at IS NULL";
    for row in sqlx::query(sql).bind(MEMBER_TWICE).fetch_all(&mut *connection).await? {
        let (exception_id, details): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let details: Value = serde_json::from_str(&details).unwrap_or_default();
        let named = |name: &str| details.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (one, other) = (named("member_id"), named("other_member_id"));
        if end(connection, &one).await? != end(connection, &other).await? {
            continue;
        }
        let sql = "UPDATE exceptions SET settled_at = $2, settled_by = $3, note = $4 WHERE exception_id = $1";
        let query = sqlx::query(sql).bind(exception_id).bind(by.now.0).bind(by.user_id.as_str());
        query.bind("the two were merged").execute(&mut *connection).await?;
    }
    Ok(())
}

fn state(state: &str) -> ApiError {
    let message = match state {
        "merged" => "the member goes on as somebody else already: merge that one",
        _ => "a member whose data was erased can't be merged",
    };
    ApiError::new(409, "invalid_state", message).with_details(json!({"state": state, "allowed": []}))
}
