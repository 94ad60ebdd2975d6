//! Everything personal of a member is erased, here and at every store; its sales and points keep the ID.

use crate::db::failure::Failure;
use crate::feed;
use crate::office::finance::writer::check_text;
use crate::office::members::member::{self, View};
use crate::office::members::merge::By;
use crate::projection::announce::FeedUpdates;
use crate::projection::fields::{self, MEMBER, STATE, Writer};
use crate::secret;
use crate::table::member as members;
use domain::model::base::limits::TEXT_CHARS_MAX;
use domain::model::base::refusal::Refusal;
use domain::model::people::member::of_erased;
use domain::wire::feed::lane;
use domain::wire::record::FieldWrite;
use edge::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// Request body of `POST /api/members/:id/erase`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EraseMember")]
pub struct Erase {
    /// Reason for the erasure.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Erases a member, and all who are merged into it: they are one person.
///
/// # Errors
/// 404; 422; 409 `invalid_state` for one that is erased.
pub async fn erase(
    connection: &mut AnyConnection,
    id: &str,
    ask: &Erase,
    by: &By<'_>,
) -> Result<View, Failure> {
    check_text("reason", &ask.reason)?;
    // The records first, in their order, then the lane, as in a push.
    let person = person(connection, id).await?;
    for id in &person {
        let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = 'member' AND id = $1";
        if sqlx::query(sql).bind(id).execute(&mut *connection).await?.rows_affected() == 0 {
            return Err(ApiError::not_found("the member").into());
        }
    }
    feed::take(connection, lane::MEMBERS, 0, by.now).await?;
    if self::person(connection, id).await? != person {
        return Err(ApiError::unavailable("somebody else is merging this member: try again", 1).into());
    }
    let living = members::end(connection, id).await?;
    if fields::is_erased(fields::read(connection, MEMBER, &living).await?.get(STATE)) {
        let (state, allowed) = ("erased".to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    let stamp = by.clock.lock().unwrap_or_else(PoisonError::into_inner).now(by.now);
    let change = format!("chg_{}", secret::mark());
    let writer = Writer { by: &change, stamp: &stamp, store_id: "", now: by.now };
    let mut later = FeedUpdates::default();
    for id in &person {
        let known = fields::read(connection, MEMBER, id).await?;
        let base = known.get(STATE).map(|now| now.by.clone()).unwrap_or_default();
        let write = FieldWrite { value: of_erased(STATE), at: stamp.clone(), base };
        let writes = BTreeMap::from([(STATE.to_owned(), write)]);
        fields::write_member(connection, id, &writes, &writer, &mut later).await?;
    }
    let view = member::read(connection, &living).await?;
    later.announce(connection, by.now).await?;
    Ok(view)
}

/// The IDs of the person with an ID.
async fn person(connection: &mut AnyConnection, id: &str) -> Result<BTreeSet<String>, sqlx::Error> {
    let living = members::end(connection, id).await?;
    let mut ids: BTreeSet<String> = members::merged(connection, &living).await?.into_iter().collect();
    ids.insert(living);
    Ok(ids)
}
