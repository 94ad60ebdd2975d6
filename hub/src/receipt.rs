//! Receipts of another store: a sale that the hub knows, and its pieces reserved for one return.

use crate::failure::Failure;
use crate::ingest::own;
use domain::ids::Sku;
use domain::record::{Record, TransactionPaid};
use domain::refusal::Refusal;
use domain::sync::{ReservePieces, ReserveReceipt};
use domain::time::UtcMs;
use domain::transaction::Transaction;
use edge::ApiError;
use sqlx::{AnyConnection, Row};
use std::collections::BTreeMap;

/// Most products of one return.
const ITEMS_MAX: usize = 500;
/// Most pieces of one product.
const QTY_MAX: i64 = 1_000_000;
/// The longest receipt number, and the longest id.
const TEXT_BYTES_MAX: usize = 128;
/// A reservation whose return nobody told of ends after this long: its store gave it up unheard.
const RESERVED_FOR_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Reserves pieces of a sale. The sale's row is locked: of two stores that want the last piece one gets it.
///
/// # Errors
/// 422 `validation_failed` for a receipt that no other store has told of (404 would look like a hub that can't
/// check); `return_exceeds_sold`.
pub async fn reserve(
    connection: &mut AnyConnection,
    store_id: &str,
    ask: &ReserveReceipt,
    now: UtcMs,
) -> Result<Transaction, Failure> {
    let wanted = wanted(ask)?;
    let unknown = || ApiError::field("receipt_no", "is of no sale of another store");
    // A voided sale gives nothing back; a number that two stores used names no sale.
    let sql = "UPDATE sales SET receipt_no = receipt_no WHERE receipt_no = $1 AND store_id <> $2 \
               AND voided_event IS NULL RETURNING store_id, event_id, transaction_id";
    let query = sqlx::query(sql).bind(&ask.receipt_no).bind(store_id);
    let mut rows = query.fetch_all(&mut *connection).await?;
    let row = rows.pop().filter(|_| rows.is_empty()).ok_or_else(unknown)?;
    let (seller, event_id): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let transaction_id: String = row.try_get(2)?;
    let mut sale = sale(connection, &seller, &event_id).await?.ok_or_else(unknown)?;
    let gone = gone(connection, &transaction_id, store_id, ask.return_id.as_str(), now).await?;
    show(&mut sale, &gone);
    for (sku, qty) in &wanted {
        let of_it = sale.items.iter().filter(|line| line.sku == *sku);
        let left =
            of_it.fold(0_i64, |sum, line| sum.saturating_add(line.qty.saturating_sub(line.returned_qty)));
        if *qty > left {
            return Err(ApiError::from(Refusal::ReturnExceedsSold).into());
        }
    }
    release(connection, store_id, ask.return_id.as_str()).await?;
    for (sku, qty) in wanted {
        let sql = "INSERT INTO reservations (store_id, return_id, sku, transaction_id, qty, made_at) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
        let query = sqlx::query(sql).bind(store_id).bind(ask.return_id.as_str()).bind(sku.as_str());
        query.bind(&transaction_id).bind(qty).bind(now.0).execute(&mut *connection).await?;
    }
    Ok(sale)
}

/// Pieces by product.
fn wanted(ask: &ReserveReceipt) -> Result<BTreeMap<Sku, i64>, ApiError> {
    if !(1..=ITEMS_MAX).contains(&ask.items.len()) {
        return Err(ApiError::field("items", "must have 1 to 500 entries"));
    }
    for (path, text) in [("receipt_no", ask.receipt_no.as_str()), ("return_id", ask.return_id.as_str())] {
        if text.is_empty() || text.len() > TEXT_BYTES_MAX || text.contains('\0') {
            return Err(ApiError::field(path, "must have 1 to 128 bytes"));
        }
    }
    let mut wanted: BTreeMap<Sku, i64> = BTreeMap::new();
    for (place, ReservePieces { sku, qty }) in ask.items.iter().enumerate() {
        if !(1..=QTY_MAX).contains(qty) || sku.as_str().contains('\0') {
            return Err(ApiError::field(format!("items[{place}]"), "must be 1 to 1000000 pieces"));
        }
        let sum = wanted.entry(sku.clone()).or_default();
        *sum = sum.saturating_add(*qty);
    }
    Ok(wanted)
}

/// The sale as its store told it.
async fn sale(
    connection: &mut AnyConnection,
    store_id: &str,
    event_id: &str,
) -> Result<Option<Transaction>, sqlx::Error> {
    let sql = "SELECT r.record, r.encoding FROM events e JOIN records r ON r.store_id = e.store_id \
               AND r.epoch = e.epoch AND r.seq = e.seq WHERE e.store_id = $1 AND e.event_id = $2";
    let row = sqlx::query(sql).bind(store_id).bind(event_id).fetch_optional(connection).await?;
    let Some(row) = row else { return Ok(None) };
    let text = own::text(row.try_get(0)?, row.try_get(1)?)?;
    let record = serde_json::from_str::<Record<TransactionPaid>>(&text);
    let record = record.map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(Some(record.payload.transaction))
}

/// Pieces by product that came back of the sale, in whatever store, or are reserved for another return.
async fn gone(
    connection: &mut AnyConnection,
    transaction_id: &str,
    store_id: &str,
    return_id: &str,
    now: UtcMs,
) -> Result<BTreeMap<Sku, i64>, sqlx::Error> {
    let mut gone: BTreeMap<Sku, i64> = BTreeMap::new();
    let mut take = |rows: Vec<sqlx::any::AnyRow>| -> Result<(), sqlx::Error> {
        for row in rows {
            let sum = gone.entry(Sku(row.try_get(0)?)).or_default();
            *sum = sum.saturating_add(row.try_get(1)?);
        }
        Ok(())
    };
    let sql = "SELECT l.sku, CAST(SUM(l.qty) AS BIGINT) FROM returns r JOIN return_lines l \
               ON l.store_id = r.store_id AND l.event_id = r.event_id \
               WHERE r.transaction_id = $1 AND r.voided_event IS NULL GROUP BY l.sku";
    take(sqlx::query(sql).bind(transaction_id).fetch_all(&mut *connection).await?)?;
    let sql = "SELECT v.sku, CAST(SUM(v.qty) AS BIGINT) FROM reservations v WHERE v.transaction_id = $1 \
               AND v.made_at > $2 AND NOT (v.store_id = $3 AND v.return_id = $4) AND NOT EXISTS \
               (SELECT 1 FROM returns r WHERE r.store_id = v.store_id AND r.return_id = v.return_id) \
               GROUP BY v.sku";
    let query = sqlx::query(sql).bind(transaction_id).bind(now.0.saturating_sub(RESERVED_FOR_MS));
    take(query.bind(store_id).bind(return_id).fetch_all(&mut *connection).await?)?;
    Ok(gone)
}

/// Shows on the lines, in their order, what is gone of them.
fn show(sale: &mut Transaction, gone: &BTreeMap<Sku, i64>) {
    let mut left = gone.clone();
    for line in &mut sale.items {
        let of_it = left.entry(line.sku.clone()).or_default();
        line.returned_qty = line.qty.min(*of_it);
        *of_it = of_it.saturating_sub(line.returned_qty);
    }
}

/// Gives pieces free again; a return that has come counts by itself.
///
/// # Errors
/// The database's.
pub async fn release(
    connection: &mut AnyConnection,
    store_id: &str,
    return_id: &str,
) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM reservations WHERE store_id = $1 AND return_id = $2";
    sqlx::query(sql).bind(store_id).bind(return_id).execute(connection).await?;
    Ok(())
}
