//! Returns by receipt: a sale that the hub knows, the pieces that stores took back, and its pieces reserved
//! for one return.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::store_api::known_sale;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::{Sku, StoreId, UserId};
use domain::model::base::limits::{ITEMS_MAX, QTY_MAX, REFERENCE_CHARS_MAX};
use domain::model::base::refusal::{Refusal, ReturnLeft};
use domain::model::base::time::UtcMs;
use domain::model::selling::returns::TakenBack;
use domain::model::selling::transaction::{Line, Payment, Transaction};
use domain::rules::selling::returns::taken_back;
use domain::wire::sync::{ReservePieces, ReserveReceipt};
use edge::ApiError;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// The longest receipt number, and the longest ID.
const TEXT_BYTES_MAX: usize = REFERENCE_CHARS_MAX;
/// A reservation ends after this time, unless its return arrives or the store asks again. A return follows its check
/// within seconds while the link is up; a later one still counts, and so do the returns of others.
const RESERVED_FOR_MS: i64 = 10 * 60 * 1000;
/// Most returns that one store has reserved pieces for at once: more than a shop has tills.
const RESERVED_RETURNS_MAX: i64 = 64;
/// Seconds after which a store that has too many may ask again.
const RETRY_AFTER_SECONDS: u64 = 60;

/// A sale with its returns.
pub struct Reserved {
    /// The sale as its store reported it, with `returned_qty` of all stores.
    pub transaction: Transaction,
    /// Pieces that came back, by store.
    pub taken: Vec<TakenBack>,
}

/// Reserves pieces of a sale, of another store or of the asking one. The sale's row is locked: of two stores that want
/// the last piece one gets it. Pieces that the asking store itself took back do not count against it: it knows its own
/// returns, perhaps better than the hub, and lets none of its tills take one twice.
///
/// # Errors
/// 422 `validation_failed` for a receipt that no store has reported (404 would look like a hub that can't
/// check); `return_exceeds_sold`; 429 `rate_limited` for a store that has reserved for too many returns.
pub async fn reserve(
    connection: &mut AnyConnection,
    store_id: &str,
    ask: &ReserveReceipt,
    now: UtcMs,
) -> Result<Reserved, Failure> {
    let wanted = wanted(ask)?;
    let unknown =
        || ApiError::field("receipt_no", "is not the receipt number of a sale that a store has reported");
    // A voided sale has no returns; a number that two sales have identifies none.
    let sql = "UPDATE sales SET receipt_no = receipt_no WHERE receipt_no = $1 \
               AND voided_event IS NULL RETURNING store_id, event_id, transaction_id";
    let mut rows = sqlx::query(sql).bind(&ask.receipt_no).fetch_all(&mut *connection).await?;
    let row = rows.pop().filter(|_| rows.is_empty()).ok_or_else(unknown)?;
    let (seller, event_id, transaction_id): (String, String, String) =
        columns!(row => (store_id, event_id, transaction_id));
    let mut sale = known_sale::sale(connection, &seller, &event_id).await?.ok_or_else(unknown)?;
    let returns = known_sale::returns(connection, &transaction_id, &ask.receipt_no).await?;
    let reserved = reserved(connection, &transaction_id, store_id, now).await?;
    let taken = taken_back(&sale, &returns, &reserved);
    let exceeded: Vec<ReturnLeft> = wanted
        .iter()
        .filter(|(sku, qty)| **qty > left(&sale, &taken, Some(store_id), sku))
        .map(|(sku, qty)| {
            let place = ask.items.iter().position(|item| item.sku == *sku).unwrap_or_default();
            let sold = left(&sale, &[], None, sku);
            let left = left(&sale, &taken, None, sku);
            ReturnLeft::new(format!("items[{place}]"), sku.0.clone(), sold, left, *qty)
        })
        .collect();
    if !exceeded.is_empty() {
        return Err(ApiError::from(Refusal::ReturnExceedsSold(exceeded)).into());
    }
    release(connection, store_id, ask.return_id.as_str()).await?;
    check_limit(connection, store_id, now).await?;
    for (sku, qty) in wanted {
        let sql = "INSERT INTO reservations (store_id, return_id, sku, transaction_id, qty, made_at) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
        let query = sqlx::query(sql).bind(store_id).bind(ask.return_id.as_str()).bind(sku.as_str());
        query.bind(&transaction_id).bind(qty.get()).bind(now.0).execute(&mut *connection).await?;
    }
    for line in &mut sale.items {
        let gone = taken.iter().map(|store| store.pieces(line.line_no)).sum();
        line.returned_qty = line.qty.min(gone);
    }
    if seller != store_id {
        minimal(&mut sale);
    }
    Ok(Reserved { transaction: sale, taken })
}

/// Keeps the parts that another store needs to take goods back: the lines, the owner of their points, and the
/// payments that money can go back by. Costs, sellers and notes stay between a shop and head office.
fn minimal(sale: &mut Transaction) {
    sale.items.iter_mut().for_each(|line| line.cost = None);
    sale.payments.retain(Payment::counts);
    for payment in &mut sale.payments {
        (payment.reference, payment.tendered, payment.change) =
            (None, payment.amount.saturating_add(payment.rounding), Money::ZERO);
    }
    (sale.note, sale.cashier_id) = (None, UserId::default());
    if sale.points_earned == 0 && sale.points_redeemed == 0 {
        sale.member_id = None;
    }
    sale.scans.clear();
    sale.price_reasons.clear();
    sale.flags.clear();
}

/// Deletes the store's reservations that ended, and checks that the others are below the limit.
async fn check_limit(connection: &mut AnyConnection, store_id: &str, now: UtcMs) -> Result<(), Failure> {
    let sql = "DELETE FROM reservations WHERE store_id = $1 AND (made_at <= $2 OR EXISTS (SELECT 1 FROM returns r \
               WHERE r.store_id = reservations.store_id AND r.return_id = reservations.return_id))";
    let query = sqlx::query(sql).bind(store_id).bind(now.0.saturating_sub(RESERVED_FOR_MS));
    query.execute(&mut *connection).await?;
    let sql = "SELECT COUNT(DISTINCT return_id) FROM reservations WHERE store_id = $1";
    let open: i64 = sqlx::query_scalar(sql).bind(store_id).fetch_one(connection).await?;
    if open >= RESERVED_RETURNS_MAX {
        tracing::warn!(store_id, open, "a store has reserved pieces for too many returns");
        return Err(ApiError::rate_limited(RETRY_AFTER_SECONDS).into());
    }
    Ok(())
}

/// Pieces of a product that no store has, but for one.
fn left(sale: &Transaction, taken: &[TakenBack], but_for: Option<&str>, sku: &Sku) -> Quantity {
    let of_it = sale.items.iter().filter(|line| line.sku == *sku);
    let left = |line: &Line| {
        let others = taken.iter().filter(|store| Some(store.store_id.as_str()) != but_for);
        let gone = others.map(|store| store.pieces(line.line_no)).sum();
        line.qty.saturating_sub(gone).max(Quantity::ZERO)
    };
    of_it.map(left).sum()
}

/// Wanted pieces by product.
fn wanted(ask: &ReserveReceipt) -> Result<BTreeMap<Sku, Quantity>, ApiError> {
    if !(1..=ITEMS_MAX).contains(&ask.items.len()) {
        return Err(ApiError::field("items", "must have 1 to 500 entries"));
    }
    for (path, text) in [("receipt_no", ask.receipt_no.as_str()), ("return_id", ask.return_id.as_str())] {
        if text.is_empty() || text.len() > TEXT_BYTES_MAX {
            return Err(ApiError::field(path, "must have 1 to 128 bytes"));
        }
    }
    let mut wanted: BTreeMap<Sku, Quantity> = BTreeMap::new();
    for (place, ReservePieces { sku, qty }) in ask.items.iter().enumerate() {
        if !(1..=QTY_MAX).contains(qty) {
            return Err(ApiError::field(format!("items[{place}]"), "must be 1 to 1000000 pieces"));
        }
        let sum = wanted.entry(sku.clone()).or_default();
        *sum = sum.saturating_add(*qty);
    }
    Ok(wanted)
}

/// Pieces that other stores have reserved for returns that are not reported yet.
async fn reserved(
    connection: &mut AnyConnection,
    transaction_id: &str,
    store_id: &str,
    now: UtcMs,
) -> Result<Vec<(StoreId, ReservePieces)>, sqlx::Error> {
    let sql = "SELECT v.store_id, v.sku, CAST(SUM(v.qty) AS BIGINT) AS qty FROM reservations v \
               WHERE v.transaction_id = $1 AND v.made_at > $2 AND v.store_id <> $3 AND NOT EXISTS \
               (SELECT 1 FROM returns r WHERE r.store_id = v.store_id AND r.return_id = v.return_id) \
               GROUP BY v.store_id, v.sku ORDER BY v.store_id, v.sku";
    let query = sqlx::query(sql).bind(transaction_id).bind(now.0.saturating_sub(RESERVED_FOR_MS));
    let rows = query.bind(store_id).fetch_all(connection).await?;
    let one =
        |row: &sqlx::any::AnyRow| Ok((row.cell("store_id")?, columns!(row => ReservePieces { sku, qty })));
    rows.iter().map(one).collect()
}

/// Gives pieces free again; a return that has come counts by itself.
pub async fn release(
    connection: &mut AnyConnection,
    store_id: &str,
    return_id: &str,
) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM reservations WHERE store_id = $1 AND return_id = $2";
    sqlx::query(sql).bind(store_id).bind(return_id).execute(connection).await?;
    Ok(())
}
