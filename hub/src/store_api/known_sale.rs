//! A sale as stores reported it, with its present payments and its returns.

use crate::columns;
use crate::db::failure::Failure;
use crate::table::record;
use domain::model::base::figures::Money;
use domain::model::base::ids::PaymentId;
use domain::model::selling::returns::Return;
use domain::model::selling::transaction::{Payment, PaymentState, Transaction};
use domain::wire::record::{ReturnRecord, TransactionPaid};
use edge::ApiError;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Most returns of one sale that are read.
const RETURNS_MAX: i64 = 1_000;

/// The sale as its store reported it, with corrected payment methods.
pub async fn sale(
    connection: &mut AnyConnection,
    store_id: &str,
    event_id: &str,
) -> Result<Option<Transaction>, sqlx::Error> {
    let sql = "SELECT r.record, r.encoding FROM events e JOIN records r ON r.store_id = e.store_id \
               AND r.epoch = e.epoch AND r.seq = e.seq WHERE e.store_id = $1 AND e.event_id = $2";
    let row = sqlx::query(sql).bind(store_id).bind(event_id).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(None) };
    let mut sale = record::payload_of::<TransactionPaid>(&row)?.transaction;
    let sql = "SELECT payment_id, method, amount, rounding FROM payments WHERE store_id = $1 AND event_id = $2 \
               ORDER BY position";
    let rows = sqlx::query(sql).bind(store_id).bind(event_id).fetch_all(connection).await?;
    correct_payments(&mut sale, &rows)?;
    Ok(Some(sale))
}

/// Marks payments that no longer count, and adds their replacements.
fn correct_payments(sale: &mut Transaction, rows: &[AnyRow]) -> Result<(), sqlx::Error> {
    let mut accepted: Vec<PaymentId> = Vec::new();
    for row in rows {
        let payment_id = PaymentId(row.try_get("payment_id")?);
        if !sale.payments.iter().any(|known| known.payment_id == payment_id) {
            let (amount, rounding): (Money, Money) = columns!(row => (amount, rounding));
            sale.payments.push(Payment {
                payment_id: payment_id.clone(),
                method: row.try_get("method")?,
                amount,
                tendered: amount.saturating_add(rounding),
                change: Money::ZERO,
                rounding,
                origin_rounding: Money::ZERO,
                reference: None,
                state: PaymentState::Accepted,
                origin: None,
                paid_at: sale.paid_at.unwrap_or(sale.occurred_at),
            });
        }
        accepted.push(payment_id);
    }
    for payment in sale.payments.iter_mut().filter(|payment| !accepted.contains(&payment.payment_id)) {
        payment.state = PaymentState::Reversed;
    }
    Ok(())
}

/// The returns of a sale that were not voided, at any store, also those that the hub was not asked about.
///
/// # Errors
/// 422 `validation_failed` for more than [`RETURNS_MAX`].
pub async fn returns(
    connection: &mut AnyConnection,
    transaction_id: &str,
    receipt_no: &str,
) -> Result<Vec<Return>, Failure> {
    let sql = "SELECT rec.record, rec.encoding FROM returns r \
               JOIN events e ON e.store_id = r.store_id AND e.event_id = r.event_id \
               JOIN records rec ON rec.store_id = e.store_id AND rec.epoch = e.epoch AND rec.seq = e.seq \
               WHERE r.voided_event IS NULL \
               AND (r.transaction_id = $1 OR (r.transaction_id IS NULL AND r.origin_receipt_no = $2)) \
               ORDER BY r.created_at, r.store_id, r.event_id LIMIT $3";
    let query = sqlx::query(sql).bind(transaction_id).bind(receipt_no).bind(RETURNS_MAX.saturating_add(1));
    let rows = query.fetch_all(connection).await?;
    if i64::try_from(rows.len()).is_ok_and(|count| count > RETURNS_MAX) {
        let problem = format!("has more than {RETURNS_MAX} returns: it can't be checked");
        return Err(ApiError::field("receipt_no", problem).into());
    }
    Ok(rows
        .iter()
        .map(|row| Ok(record::payload_of::<ReturnRecord>(row)?.document))
        .collect::<Result<_, sqlx::Error>>()?)
}
