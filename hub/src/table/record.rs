//! Table `records`: the records of stores, byte for byte.

use crate::columns;
use crate::db::document::decode;
use crate::db::signed;
use domain::model::hub::chain::GENESIS;
use domain::wire::record::Record;
use serde::de::DeserializeOwned;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};

/// Hash of a stored record, or the one before the first record. `None` if the hub has no such record.
pub async fn hash_at(
    connection: &mut AnyConnection,
    store_id: &str,
    epoch: &str,
    seq: u64,
) -> Result<Option<String>, sqlx::Error> {
    if seq == 0 {
        return Ok(Some(GENESIS.to_owned()));
    }
    let sql = "SELECT hash FROM records WHERE store_id = $1 AND epoch = $2 AND seq = $3 \
               UNION ALL SELECT hash FROM holes WHERE store_id = $1 AND epoch = $2 AND to_seq = $3";
    let query = sqlx::query_scalar(sql).bind(store_id).bind(epoch).bind(signed(seq));
    query.fetch_optional(connection).await
}

/// Payload of the record with an event ID.
///
/// # Errors
/// There is no record with that ID, or it is damaged.
pub async fn payload<T: DeserializeOwned>(
    pool: &AnyPool,
    store_id: &str,
    event_id: &str,
) -> Result<T, sqlx::Error> {
    let sql = "SELECT r.record, r.encoding FROM events e JOIN records r ON r.store_id = e.store_id \
               AND r.epoch = e.epoch AND r.seq = e.seq WHERE e.store_id = $1 AND e.event_id = $2";
    payload_of(&sqlx::query(sql).bind(store_id).bind(event_id).fetch_one(pool).await?)
}

/// Payload of a stored record, from its columns `record` and `encoding`.
///
/// # Errors
/// The row is damaged.
pub fn payload_of<T: DeserializeOwned>(row: &AnyRow) -> Result<T, sqlx::Error> {
    Ok(decode::<Record<T>>(&text(row)?)?.payload)
}

/// The exact text of a stored record, from its columns `record` and `encoding`. An encoded text is in hexadecimal
/// digits.
///
/// # Errors
/// The row is damaged.
pub fn text(row: &AnyRow) -> Result<String, sqlx::Error> {
    let (stored, encoded): (String, bool) = columns!(row => (record, encoding));
    if !encoded {
        return Ok(stored);
    }
    let broken = || sqlx::Error::Decode("a stored record is damaged".into());
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = stored.as_bytes().chunks(2).map(byte).collect();
    String::from_utf8(bytes.ok_or_else(broken)?).map_err(|_| broken())
}
