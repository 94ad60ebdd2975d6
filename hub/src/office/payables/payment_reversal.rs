//! Reversals of payments: the settled items are open again, and the entries are mirrored.

use crate::columns;
use crate::config::Purchasing;
use crate::db::failure::Failure;
use crate::office::finance::writer::{Writer, check_text};
use crate::office::payables::invoice_approval::Reason;
use crate::office::payables::payment::{saved, taken};
use crate::office::payables::poster::{Cause, post};
use crate::table::journal::{self, Kind};
use crate::table::payables::expected_payment::withdraw_payment;
use crate::table::payables::payable_moves::{self, Move};
use crate::table::payables::supplier_payment::{TABLE, put};
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::model::books::payables::{PaymentState, SupplierPayment};
use domain::rules::books::payables::{BookSums, take_back};
use domain::rules::books::posting::plan::Account;
use edge::ApiError;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Takes a payment back, once.
///
/// # Errors
/// 404; 409 `invalid_state`, also where a line of the bank has it.
pub async fn reverse(
    connection: &mut AnyConnection,
    payment_id: &str,
    asked: &Reason,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<SupplierPayment, Failure> {
    check_text("reason", &asked.reason)?;
    let found: Option<SupplierPayment> = TABLE.locked(connection, payment_id).await?;
    let mut payment = found.ok_or_else(|| ApiError::not_found("the payment"))?;
    if payment.state != PaymentState::Posted {
        let (state, allowed) = (payment.state.name().to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    let ids: BTreeSet<&String> = payment.allocations.iter().map(|one| &one.invoice_id).collect();
    let mut documents = taken(connection, ids, &payment.credits).await?;
    take_back(&payment.parts, &payment.allocations, &payment.credits, &mut documents);
    payment.state = PaymentState::Reversed;
    payment.reversed_reason = Some(asked.reason.clone());
    put(connection, &payment).await?;
    saved(connection, documents, set).await?;
    let days = mirrored(connection, payment_id).await?;
    // Locks all books at once, in their order: day by day they would be locked out of order.
    let moves = days.values().flat_map(|(_, moves)| moves.iter().map(|moved| moved.store_id.clone()));
    let mut books: BTreeSet<String> = moves.collect();
    for (sums, _) in days.values() {
        books.extend(sums.entries().map_err(ApiError::from)?.into_keys());
    }
    for book in books {
        journal::numbers(connection, &book, 0).await?;
    }
    for (date, (sums, moves)) in days {
        let cause = Cause {
            kind: Kind::Payment,
            id: &payment.payment_id,
            step: &format!("reverse#{date}"),
            date,
            on_its_day: false,
            memo: &asked.reason,
            payables: (&payment.supplier_id, &moves),
        };
        post(writer, connection, &sums, cause).await?;
    }
    if !withdraw_payment(connection, payment_id).await? {
        let (state, allowed) = ("matched".to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    Ok(payment)
}

/// Moves of a payment in the books and of the owed amounts, with their sides changed over, by their days: an
/// advance settled its invoices later.
async fn mirrored(
    connection: &mut AnyConnection,
    payment_id: &str,
) -> Result<BTreeMap<Date, (BookSums, Vec<Move>)>, Failure> {
    let sql = "SELECT j.entry_date AS entry_date, l.store_id AS store_id, l.account AS account, l.debit AS debit, \
               l.credit AS credit FROM journal j \
               JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
               WHERE j.cause_id = $1 AND j.kind = 'payment'";
    let mut days: BTreeMap<Date, (BookSums, Vec<Move>)> = BTreeMap::new();
    for row in sqlx::query(sql).bind(payment_id.to_owned()).fetch_all(&mut *connection).await? {
        let (date, book, account, debit, credit): (Date, String, String, Money, Money) =
            columns!(row => (entry_date, store_id, account, debit, credit));
        let account = Account::parse(&account)
            .ok_or_else(|| ApiError::internal("an entry is on a number that is not an account"))?;
        let (sums, _) = days.entry(date).or_default();
        sums.credit(&book, account, debit).debit(&book, account, credit);
    }
    for (date, moved) in payable_moves::mirrored(connection, payment_id).await? {
        days.entry(date).or_default().1.push(moved);
    }
    Ok(days)
}
