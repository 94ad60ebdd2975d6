//! One person who was registered twice: one member is merged into the other. Its points and sales count for that one,
//! and its id continues to name it, at every store.
//!
//! The books do not change: points stay under the ID that they were reported under, and a balance is the sum over all
//! members merged into one.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::members::member::View;
use crate::projection::announce::FeedUpdates;
use crate::projection::fields::{self, MEMBER};
use crate::projection::members::member_reach;
use crate::table::exception::MEMBER_TWICE;
use crate::table::{member, notice};
use crate::{columns, feed};
use domain::model::base::ids::UserId;
use domain::model::base::limits::ID_BYTES_MAX;
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc::Clock;
use domain::model::people::member::MERGED_MAX;
use domain::wire::feed::lane;
use edge::{ApiError, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::AnyConnection;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Request body of `POST /api/members/:id/merge`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MergeMember")]
pub struct Merge {
    /// ID of the member that the merged one continues as.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub into: String,
}

/// Context of a merge: user, clock and time.
pub struct By<'a> {
    pub user_id: &'a UserId,
    pub clock: &'a Mutex<Clock>,
    /// Time of the merge.
    pub now: UtcMs,
}

/// Merges a member into another one; a repeated merge has no effect.
///
/// # Errors
/// 404; 422 for itself, a ring, or too many; 409 `invalid_state` for one that is erased, or is merged into another
/// member.
pub async fn merge(
    connection: &mut AnyConnection,
    id: &str,
    ask: &Merge,
    by: &By<'_>,
) -> Result<View, Failure> {
    // The records are locked first, in their order, then the lane, as in a push: no other merge happens until the end.
    let mut held =
        BTreeSet::from([id.to_owned(), ask.into.clone(), member::end(connection, &ask.into).await?]);
    held.extend(member::merged(connection, id).await?);
    for id in &held {
        let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = 'member' AND id = $1";
        if sqlx::query(sql).bind(id).execute(&mut *connection).await?.rows_affected() == 0 {
            return Err(ApiError::not_found("the member").into());
        }
    }
    feed::take(connection, lane::MEMBERS, 0, by.now).await?;
    let target = member::end(connection, &ask.into).await?;
    let with = member::merged(connection, id).await?;
    if !held.contains(&target) || with.iter().any(|id| !held.contains(id)) {
        return Err(ApiError::unavailable("somebody else is merging these members: try again", 1).into());
    }
    if target == id {
        return Err(ApiError::field(
            "into",
            "must be another member, and not one that was merged into this member",
        )
        .into());
    }
    match member::into(connection, id).await? {
        Some(before) if before == target => {
            return crate::office::members::member::read(connection, id).await;
        }
        Some(_) => return Err(state("merged").into()),
        None => {}
    }
    for id in [id, target.as_str()] {
        let known = fields::read(connection, MEMBER, id).await?;
        if fields::is_erased(known.get(fields::STATE)) {
            return Err(state("erased").into());
        }
    }
    if with.len().saturating_add(member::merged(connection, &target).await?.len()) >= MERGED_MAX {
        return Err(ApiError::field("into", "can't have more members merged into it").into());
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
    let stamp = by.clock.lock().unwrap_or_else(PoisonError::into_inner).now(by.now);
    let mut later = FeedUpdates::default();
    later.members.extend(with);
    later.members.extend([id.to_owned(), target.to_owned()]);
    for member in later.members.iter().filter(|member| member.as_str() != target) {
        member_reach::merged(connection, member, target).await?;
    }
    for member in &later.members {
        raise(connection, member, &stamp).await?;
    }
    later.points.extend([id.to_owned(), target.to_owned()]);
    let view = crate::office::members::member::read(connection, target).await?;
    later.announce(connection, by.now).await?;
    Ok(view)
}

/// Gives the record a later version, because its content is new.
async fn raise(connection: &mut AnyConnection, id: &str, stamp: &str) -> Result<(), sqlx::Error> {
    let sql = "SELECT version FROM shared_records WHERE resource = 'member' AND id = $1";
    let before: String = sqlx::query_scalar(sql).bind(id).fetch_one(&mut *connection).await?;
    let version = stamp.max(before.as_str());
    let sql = "UPDATE shared_records SET version = $2, updated_at = $3 WHERE resource = 'member' AND id = $1";
    sqlx::query(sql).bind(id).bind(version).bind(clock::now().0).execute(connection).await.map(drop)
}

/// Settles the exceptions of members who were registered twice and are one by now.
async fn settle(connection: &mut AnyConnection, by: &By<'_>) -> Result<(), Failure> {
    let sql = "SELECT exception_id, details FROM exceptions WHERE code = $1 AND settled_at IS NULL";
    for row in sqlx::query(sql).bind(MEMBER_TWICE).fetch_all(&mut *connection).await? {
        let exception_id: String = columns!(row => (exception_id));
        let details: Value = row.json("details")?;
        let named = |name: &str| details.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (one, other) = (named("member_id"), named("other_member_id"));
        if member::end(connection, &one).await? != member::end(connection, &other).await? {
            continue;
        }
        let sql = "UPDATE exceptions SET settled_at = $2, settled_by = $3, note = $4 WHERE exception_id = $1";
        let query = sqlx::query(sql).bind(&exception_id).bind(by.now.0).bind(by.user_id.as_str());
        query.bind("the two were merged").execute(&mut *connection).await?;
        notice::tell_exception(connection, (&exception_id, ""), MEMBER_TWICE).await?;
    }
    Ok(())
}

fn state(state: &str) -> ApiError {
    let message = match state {
        "merged" => "the member is already merged into another one: merge that one",
        _ => "a member whose data was erased can't be merged",
    };
    ApiError::new(edge::Code::InvalidState, message).with_details(json!({"state": state, "allowed": []}))
}
