//! The daily proof: compares the store's counts for a business day with the hub's.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::{Db, signed};
use crate::table::alarm;
use crate::table::hub::Identity;
use crate::table::record::hash_at;
use domain::model::base::time::UtcMs;
use domain::model::hub::chain::HASH_BYTES_MAX;
use domain::model::hub::sync::{DigestHead, EPOCH_BYTES_MAX, Figure};
use domain::wire::sync::{DIGEST_ENTRIES_MAX, Digest, DigestAnswer, DigestResult};
use edge::ApiError;
use serde_json::Value;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use std::collections::BTreeMap;

/// Compares a digest, and keeps the result for the store's status.
///
/// # Errors
/// 422 for a malformed digest, 403 `store_disabled`.
pub async fn digest(
    db: &Db,
    identity: &Identity,
    store_id: &str,
    ask: &Digest,
    now: UtcMs,
) -> Result<DigestAnswer, Failure> {
    if ask.heads.len() > DIGEST_ENTRIES_MAX || ask.types.len() > DIGEST_ENTRIES_MAX {
        return Err(ApiError::field("heads", "must have at most 1000 epochs and 1000 types").into());
    }
    let is_long = |head: &DigestHead| head.epoch.len() > EPOCH_BYTES_MAX || head.hash.len() > HASH_BYTES_MAX;
    if let Some(wrong) = ask.heads.iter().position(is_long) {
        let problem = format!(
            "must have an epoch of at most {EPOCH_BYTES_MAX} bytes and a hash of at most {HASH_BYTES_MAX}"
        );
        return Err(ApiError::field(format!("heads[{wrong}]"), problem).into());
    }
    let mut write = db.write().await?;
    // While the row is locked, no batch changes the figures.
    crate::ingest::lock::lock(&mut write, identity, store_id, now).await?;
    let (parked, hub) = figures(&mut write, store_id, ask).await?;
    let mut stored = Vec::with_capacity(ask.heads.len());
    for head in &ask.heads {
        let hash = hash_at(&mut write, store_id, &head.epoch, head.seq).await?;
        if hash.as_ref().is_some_and(|hash| *hash != head.hash) {
            let message =
                format!("record {} of epoch {} differs from the hub's record", head.seq, head.epoch);
            alarm::raise(&mut write, store_id, alarm::DIVERGED, &message, now).await?;
        }
        stored.push(hash);
    }
    let (result, first_difference) = ask.compare(&stored, &hub);
    let hub_generation = identity.generation.clone();
    let answer = DigestAnswer { result, parked, first_difference, hub_generation, hub_time: now };
    keep(&mut write, store_id, ask, &answer, now).await?;
    write.commit().await?;
    Ok(answer)
}

/// Distinct events of the day by type, up to the store's position, and the number of parked ones.
async fn figures(
    connection: &mut AnyConnection,
    store_id: &str,
    ask: &Digest,
) -> Result<(u64, BTreeMap<String, Figure>), sqlx::Error> {
    let day = ask.business_date.to_string();
    let sql = "SELECT kind, COUNT(*) AS count, CAST(SUM(total) AS BIGINT) AS total FROM events \
               WHERE store_id = $1 AND business_date = $2 GROUP BY kind";
    let rows = sqlx::query(sql).bind(store_id).bind(&day).fetch_all(&mut *connection).await?;
    let mut figures: BTreeMap<String, Figure> = rows.iter().map(figure).collect::<Result<_, _>>()?;
    let cursors = crate::table::epoch::cursors(connection, store_id).await?;
    let behind = |head: &&DigestHead| cursors.get(&head.epoch).is_some_and(|cursor| cursor.seq > head.seq);
    for head in ask.heads.iter().filter(behind) {
        // A batch whose answer has not arrived: the store has not counted it.
        let sql = "SELECT kind, COUNT(*) AS count, CAST(SUM(total) AS BIGINT) AS total FROM events \
                   WHERE store_id = $1 AND business_date = $2 AND epoch = $3 AND seq > $4 GROUP BY kind";
        let query = sqlx::query(sql).bind(store_id).bind(&day).bind(&head.epoch).bind(signed(head.seq));
        for row in &query.fetch_all(&mut *connection).await? {
            let (kind, beyond) = figure(row)?;
            let counted = figures.entry(kind).or_default();
            counted.count = counted.count.saturating_sub(beyond.count);
            counted.total = counted.total.saturating_sub(beyond.total);
        }
    }
    let sql = "SELECT COUNT(*) FROM parked p JOIN events e ON e.store_id = p.store_id \
               AND e.epoch = p.epoch AND e.seq = p.seq WHERE p.store_id = $1 AND e.business_date = $2";
    let parked: i64 = sqlx::query_scalar(sql).bind(store_id).bind(day).fetch_one(connection).await?;
    Ok((parked.unsigned_abs(), figures))
}

fn figure(row: &AnyRow) -> Result<(String, Figure), sqlx::Error> {
    Ok((row.cell("kind")?, columns!(row => Figure { count, total })))
}

async fn keep(
    connection: &mut AnyConnection,
    store_id: &str,
    ask: &Digest,
    answer: &DigestAnswer,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let day = ask.business_date.to_string();
    match (answer.result, &answer.first_difference) {
        (DigestResult::Difference, Some(difference)) => {
            let message = format!(
                "{day}: {}: the store has {} records with a total of {}, the hub has {} with a total of {}",
                difference.kind,
                difference.store.count,
                difference.store.total,
                difference.hub.count,
                difference.hub.total
            );
            alarm::raise(connection, store_id, alarm::DIGEST, &message, now).await?;
        }
        (DigestResult::Match, _) => alarm::clear_of_day(connection, store_id, alarm::DIGEST, &day).await?,
        _ => {}
    }
    let name = serde_json::to_value(answer.result).ok();
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    let sql = "UPDATE stores SET digest_date = $2, digest_result = $3, digest_at = $4, last_seen_at = $4 WHERE store_id = $1";
    let query = sqlx::query(sql).bind(store_id).bind(&day).bind(name).bind(now.0);
    query.execute(&mut *connection).await?;
    let sql =
        "UPDATE store_days SET digest_result = $3, digest_at = $4 WHERE store_id = $1 AND business_date = $2";
    let query = sqlx::query(sql).bind(store_id).bind(day).bind(name).bind(now.0);
    query.execute(connection).await?;
    Ok(())
}
