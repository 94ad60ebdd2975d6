//! Returns a store's own records that it lost, with their original epoch and seq.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::{Db, signed};
use crate::table;
use crate::table::epoch::Cursor;
use crate::table::hole::holes;
use crate::table::hub::Identity;
use crate::table::record::{hash_at, text};
use domain::model::base::time::UtcMs;
use domain::wire::sync::{ChainHead, Hole, OwnAnswer, PUSH_BYTES_MAX, PUSH_EVENTS_MAX, PushEvent};
use edge::ApiError;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

/// The records of one of the store's epochs after a seq, as many as fit into an answer.
///
/// # Errors
/// 404 for an epoch that the hub does not know.
pub async fn records(
    db: &Db,
    identity: &Identity,
    (store_id, epoch): (&str, &str),
    after: u64,
    now: UtcMs,
) -> Result<OwnAnswer, Failure> {
    // One connection for the whole download: if each call took two, calls could wait for each other's connection.
    let mut read = db.read().await?;
    let sql = format!("SELECT {} FROM epochs WHERE store_id = $1 AND epoch = $2", table::epoch::COLUMNS);
    let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id).bind(epoch);
    let row = query.fetch_optional(&mut *read).await?.ok_or_else(|| ApiError::not_found("the epoch"))?;
    let (_, Cursor { seq, hash, stable_seq, .. }) = table::epoch::read(&row)?;
    let head = ChainHead { epoch: epoch.to_owned(), seq, hash, stable_seq };
    let holes = holes(&mut read, store_id, epoch).await?;
    // Inside a hole there is no record to begin after: use the end of the hole.
    let after = holes
        .iter()
        .find(|hole| (hole.from_seq..=hole.to_seq).contains(&after.saturating_add(1)))
        .map_or(after, |hole| hole.to_seq);
    let prev_hash = match holes.iter().find(|hole| hole.to_seq == after) {
        Some(hole) => Some(hole.hash.clone()),
        None => hash_at(&mut read, store_id, epoch, after).await?,
    };
    let events = events(&mut read, (store_id, epoch), after, &holes).await?;
    let last = events.last().map_or(after, |event| event.seq);
    Ok(OwnAnswer {
        epoch: epoch.to_owned(),
        prev_hash: prev_hash.unwrap_or_else(|| head.hash.clone()),
        more: last < head.seq,
        events,
        head,
        holes,
        hub_generation: identity.generation.clone(),
        hub_time: now,
    })
}

/// The records of a page: it ends at a hole, whose hash the next page begins with.
async fn events(
    connection: &mut AnyConnection,
    (store_id, epoch): (&str, &str),
    after: u64,
    holes: &[Hole],
) -> Result<Vec<PushEvent>, sqlx::Error> {
    let end = holes.iter().map(|hole| hole.from_seq).filter(|from| *from > after).min();
    let sql = "SELECT seq, hash, record, encoding FROM records WHERE store_id = $1 AND epoch = $2 \
               AND seq > $3 AND seq < $4 ORDER BY seq LIMIT $5";
    let rows = sqlx::query(sql)
        .bind(store_id)
        .bind(epoch)
        .bind(signed(after))
        .bind(end.map_or(i64::MAX, signed))
        .bind(i64::try_from(PUSH_EVENTS_MAX).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    let mut events = Vec::with_capacity(rows.len());
    let mut bytes = 0_usize;
    for row in &rows {
        let record = text(row)?;
        bytes = bytes.saturating_add(record.len());
        if bytes > PUSH_BYTES_MAX && !events.is_empty() {
            break;
        }
        events.push(PushEvent { seq: row.cell("seq")?, hash: row.try_get("hash")?, record });
    }
    Ok(events)
}
