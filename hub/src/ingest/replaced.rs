//! Parked receipts that their store corrected: the corrected one takes their place, and they are never applied
//! (docs/protocol.md#fix-and-resubmit).

use crate::ingest::park::{self, ParkedKey};
use crate::projection::envelope::Incoming;
use crate::table::record::text;
use crate::{columns, db::signed};
use domain::model::base::time::UtcMs;
use domain::wire::record::AnyPayload;
use serde_json::Value;
use sqlx::AnyConnection;

/// A receipt that takes the place of another one.
pub struct Replacement {
    /// The other one.
    old: String,
    /// The corrected one.
    by: String,
    /// User of the store who corrected it.
    user_id: String,
}

/// The replacement that a record makes once it is applied.
pub fn of(event: &Incoming) -> Option<Replacement> {
    let AnyPayload::ReceivingPosted(posted) = &event.understood.as_ref().ok()?.payload else { return None };
    let receiving = &posted.receiving;
    Some(Replacement {
        old: receiving.resubmits.as_ref()?.0.clone(),
        by: receiving.receiving_id.0.clone(),
        user_id: receiving.created_by.0.clone(),
    })
}

/// Takes the parked records of the replaced receipts out of the queue, and returns their places. A receipt that was
/// applied keeps its place, and so does its reversal, which is applied after it. If a parked receipt replaces an earlier
/// one itself, that one is replaced as well.
pub async fn settle(
    connection: &mut AnyConnection,
    (store_id, now): (&str, UtcMs),
    replacements: &[Replacement],
) -> Result<Vec<ParkedKey>, sqlx::Error> {
    let mut settled = Vec::new();
    for Replacement { old, by, user_id } in replacements {
        let mut next = Some(old.clone());
        while let Some(old) = next.take() {
            for key in parked(connection, store_id, &old).await? {
                let text = record(connection, store_id, &key).await?;
                next = next.or_else(|| earlier(&text));
                note(connection, (store_id, now), &key, (by.as_str(), user_id.as_str())).await?;
                park::settle(connection, store_id, &key, "replaced").await?;
                tracing::info!(store_id, old, by, "a parked record is replaced");
                settled.push(key);
            }
        }
    }
    Ok(settled)
}

/// The parked records of a receipt that was not applied.
async fn parked(
    connection: &mut AnyConnection,
    store_id: &str,
    receiving_id: &str,
) -> Result<Vec<ParkedKey>, sqlx::Error> {
    let sql = "SELECT parked_id, epoch, seq, aggregate FROM parked WHERE store_id = $1 AND aggregate = $2 \
               AND NOT EXISTS (SELECT 1 FROM goods_documents WHERE store_id = $1 AND kind = 'receiving' \
               AND document_id = $3)";
    let query = sqlx::query(sql).bind(store_id).bind(format!("receiving:{receiving_id}")).bind(receiving_id);
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => ParkedKey { parked_id, epoch, seq, aggregate }))).collect()
}

async fn record(
    connection: &mut AnyConnection,
    store_id: &str,
    key: &ParkedKey,
) -> Result<String, sqlx::Error> {
    let sql = "SELECT record, encoding FROM records WHERE store_id = $1 AND epoch = $2 AND seq = $3";
    let query = sqlx::query(sql).bind(store_id).bind(&key.epoch).bind(signed(key.seq));
    text(&query.fetch_one(connection).await?)
}

/// The receipt that the receipt of a record replaces, whether or not the rest of it can be read. This ends: a receipt
/// that is settled is no longer parked.
fn earlier(record: &str) -> Option<String> {
    let record: Value = serde_json::from_str(record).ok()?;
    record.pointer("/payload/receiving/resubmits")?.as_str().map(str::to_owned)
}

/// Keeps what was parked, with what took its place.
async fn note(
    connection: &mut AnyConnection,
    (store_id, now): (&str, UtcMs),
    key: &ParkedKey,
    (by, user_id): (&str, &str),
) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO replaced (store_id, epoch, seq, parked_id, event_id, kind, aggregate, code, message, \
               amount, parked_at, replaced_by, resubmitted_by, replaced_at) \
               SELECT store_id, epoch, seq, parked_id, event_id, kind, aggregate, code, message, amount, parked_at, \
               CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT) FROM parked \
               WHERE store_id = $1 AND epoch = $2 AND seq = $3";
    let query = sqlx::query(sql).bind(store_id).bind(&key.epoch).bind(signed(key.seq));
    query.bind(by).bind(user_id).bind(now.0).execute(connection).await.map(drop)
}
