//! A store's own records back: what it lost, at the epoch and seq they had.

use super::{Cursor, hash_at, signed};
use crate::db::Db;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::table::{self, Cells};
use domain::sync::{Head, Hole, OwnAnswer, PUSH_BYTES_MAX, PUSH_EVENTS_MAX, PushEvent};
use domain::time::UtcMs;
use edge::ApiError;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

/// The records of one of the store's epochs after a seq, as many as fit into an answer.
///
/// # Errors
/// 404 for an epoch that the hub has not heard of.
pub async fn own(
    db: &Db,
    identity: &Identity,
    (store_id, epoch): (&str, &str),
    after: u64,
    now: UtcMs,
) -> Result<OwnAnswer, Failure> {
    // One connection for all of it: with two, as many calls as there are connections wait for one another.
    let mut read = db.read().await?;
    let sql = format!("SELECT {} FROM epochs WHERE store_id = $1 AND epoch = $2", table::epoch::COLUMNS);
    let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id).bind(epoch);
    let row = query.fetch_optional(&mut *read).await?.ok_or_else(|| ApiError::not_found("the epoch"))?;
    let (_, Cursor { seq, hash, stable_seq, .. }) = table::epoch::read(&row)?;
    let head = Head { epoch: epoch.to_owned(), seq, hash, stable_seq };
    let holes = holes(&mut read, store_id, epoch).await?;
    // Inside a hole there is no record to begin after: its end speaks for it.
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
        let record = text(row.try_get("record")?, row.try_get("encoding")?)?;
        bytes = bytes.saturating_add(record.len());
        if bytes > PUSH_BYTES_MAX && !events.is_empty() {
            break;
        }
        events.push(PushEvent { seq: row.unsigned("seq")?, hash: row.try_get("hash")?, record });
    }
    Ok(events)
}

/// What is missing in an epoch for ever.
///
/// # Errors
/// The database's.
pub async fn holes(
    connection: &mut AnyConnection,
    store_id: &str,
    epoch: &str,
) -> Result<Vec<Hole>, sqlx::Error> {
    let sql = "SELECT from_seq, to_seq, hash FROM holes WHERE store_id = $1 AND epoch = $2 ORDER BY from_seq";
    let rows = sqlx::query(sql).bind(store_id).bind(epoch).fetch_all(connection).await?;
    let hole = |row: &sqlx::any::AnyRow| {
        Ok(Hole {
            from_seq: row.unsigned("from_seq")?,
            to_seq: row.unsigned("to_seq")?,
            hash: row.try_get("hash")?,
        })
    };
    rows.iter().map(hole).collect()
}

/// The exact text of a stored record.
///
/// # Errors
/// It is damaged.
pub fn text(stored: String, encoding: i64) -> Result<String, sqlx::Error> {
    if encoding == 0 {
        return Ok(stored);
    }
    let broken = || sqlx::Error::Decode("a stored record is damaged".into());
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = stored.as_bytes().chunks(2).map(byte).collect();
    String::from_utf8(bytes.ok_or_else(broken)?).map_err(|_| broken())
}
