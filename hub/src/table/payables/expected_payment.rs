//! `settlement_items`: payments that head office itself sends through a bank. Items of stores are written with their
//! events.

use crate::db::insert;
use crate::row;
use domain::model::books::payables::SupplierPayment;
use domain::rules::books::posting::plan::{Account, SAFE};
use domain::rules::books::settlement::ItemKind;
use sqlx::{AnyConnection, Error};

/// Method that they are listed under.
const METHOD: &str = "supplier_payment";

/// A payment that a line of the bank is expected to report. No line reports cash from a safe, or an invoice that credit
/// notes settled alone.
pub async fn expect_payment(connection: &mut AnyConnection, payment: &SupplierPayment) -> Result<(), Error> {
    if Account::parse(&payment.account) == Some(SAFE) || payment.amount == 0 {
        return Ok(());
    }
    let day = payment.date.to_string();
    let item = row! {
        store_id: "", item_id: payment.payment_id.as_str(), event_id: "", kind: ItemKind::SupplierPayment.name(),
        method: METHOD, account: payment.account.as_str(), business_date: day.as_str(), settlement_date: day.as_str(),
        amount: payment.amount.saturating_neg(), reference: payment.reference.clone(),
        document_id: payment.payment_id.as_str(), occurred_at: payment.created_at.0, state: "open", late: 0_i64,
    };
    insert::rows(connection, "settlement_items", "", vec![item]).await
}

/// Ends the expectation of a payment that was reversed. Returns false if a bank's line has it.
pub async fn withdraw_payment(connection: &mut AnyConnection, payment_id: &str) -> Result<bool, Error> {
    let sql = "UPDATE settlement_items SET state = 'written_off' WHERE store_id = '' AND item_id = $1 AND state = 'open'";
    sqlx::query(sql).bind(payment_id).execute(&mut *connection).await?;
    let sql = "SELECT COUNT(*) FROM settlement_items WHERE store_id = '' AND item_id = $1 \
               AND state IN ('matched', 'posted')";
    let matched: i64 = sqlx::query_scalar(sql).bind(payment_id).fetch_one(connection).await?;
    Ok(matched == 0)
}
