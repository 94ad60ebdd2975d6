//! Approval, dispute and cancellation of invoices.

use crate::config::{Finance, Purchasing};
use crate::db::failure::Failure;
use crate::office::finance::writer::{Writer, check_text};
use crate::office::payables::invoice::{locked, save};
use crate::office::payables::poster::{Cause, post};
use crate::table::journal::Kind;
use crate::table::payables::invoice::hold_pieces;
use crate::table::payables::payable_moves::Move;
use crate::table::payables::uninvoiced;
use domain::model::base::figures::Money;
use domain::model::base::limits::{FIGURE_MAX, TEXT_CHARS_MAX};
use domain::model::books::payables::{
    BookOpen, Invoice, InvoiceLine, InvoiceState, MatchException, MatchExceptionKind, ReceiptRef,
};
use domain::rules::books::payables::{InvoiceStep, OpenReceipt, invoice_books, invoice_posting};
use domain::rules::inventory::purchase::{Approval, Approver};
use edge::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// Request body with a reason.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InvoiceReason")]
pub struct Reason {
    /// Reason in free text.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Request body of an approval.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApproveInvoice")]
pub struct Approve {
    /// Total that the caller read, in minor currency units: the approval is refused if the total has changed since.
    #[schemars(range(min = 1, max = FIGURE_MAX))]
    pub total: Option<Money>,
}

/// Answers for an invoice: it is owed, and posted in the books whose goods it bills.
///
/// # Errors
/// 404; 409 `invalid_state`; 403 `approval_required`; 422 for another total.
pub async fn approve(
    connection: &mut AnyConnection,
    invoice_id: &str,
    asked: &Approve,
    writer: &Writer<'_>,
    (finance, set): (&Finance, &Purchasing),
) -> Result<Invoice, Failure> {
    let mut invoice = locked(connection, invoice_id).await?;
    if asked.total.is_some_and(|total| total != invoice.total) {
        let problem = format!("is {} now: read the invoice again before you approve it", invoice.total);
        return Err(ApiError::field("total", problem).into());
    }
    InvoiceStep::Approve.check(&invoice).map_err(ApiError::from)?;
    let approval = Approval { limit: finance.approval_limit, four_eyes: finance.four_eyes };
    let approver = Approver { by: writer.by, role: writer.role };
    approval.check(approver, invoice.writers(), invoice.total).map_err(ApiError::from)?;
    take(connection, &mut invoice).await?;
    let sums = invoice_posting(&invoice).map_err(ApiError::from)?;
    invoice.state = InvoiceState::Approved;
    invoice.approved_by = Some(writer.by.to_owned());
    invoice.approved_at = Some(writer.now);
    invoice.books = invoice_books(&invoice);
    invoice.settle();
    save(connection, &invoice, set).await?;
    let memo = format!("{} {}", invoice.doc_no, invoice.invoice_no);
    let owed = |book: &BookOpen| Move {
        document_id: invoice.invoice_id.clone(),
        store_id: book.store_id.clone(),
        amount: book.open,
    };
    let moves: Vec<Move> = invoice.books.iter().map(owed).collect();
    let cause = Cause {
        kind: Kind::Invoice,
        id: &invoice.invoice_id,
        step: "approve",
        date: invoice.invoice_date,
        on_its_day: false,
        memo: &memo,
        payables: (&invoice.supplier_id, &moves),
    };
    post(writer, connection, &sums, cause).await?;
    Ok(invoice)
}

/// Takes the amounts of each line out of 2020; the last pieces of a receipt take all that it holds.
async fn take(connection: &mut AnyConnection, invoice: &mut Invoice) -> Result<(), Failure> {
    if invoice.opening {
        return Ok(());
    }
    let key = format!("{}:approve", invoice.invoice_id);
    let cause = uninvoiced::Cause { key: &key, day: invoice.invoice_date };
    let mut open: BTreeMap<ReceiptRef, OpenReceipt> = BTreeMap::new();
    for at in invoice.lines.iter().filter_map(InvoiceLine::receipt) {
        if let Some(found) = uninvoiced::unposted(connection, &at).await? {
            open.insert(at, found);
        }
    }
    for line in invoice.lines.iter_mut().filter(|line| line.account.is_none()) {
        let mut value = Money::ZERO;
        if let Some(at) = line.receipt()
            && let Some(left) = open.get_mut(&at)
        {
            let part = left.take(line.matched_qty);
            uninvoiced::take(connection, &at, cause, part).await?;
            value = part.value;
        }
        line.receipt_value = Some(value);
        line.variance = Some(line.net.saturating_sub(value));
    }
    Ok(())
}

/// Disputes an invoice; the pieces that it held of receipts are free again.
///
/// # Errors
/// 404; 409 `invalid_state`.
pub async fn dispute(
    connection: &mut AnyConnection,
    invoice_id: &str,
    asked: &Reason,
    set: &Purchasing,
) -> Result<Invoice, Failure> {
    check_text("reason", &asked.reason)?;
    let mut invoice = locked(connection, invoice_id).await?;
    InvoiceStep::Dispute.check(&invoice).map_err(ApiError::from)?;
    if invoice.state == InvoiceState::Matched {
        hold_pieces(connection, &invoice, -1).await?;
    }
    invoice.state = InvoiceState::Disputed;
    invoice.exceptions.retain(|found| found.kind != MatchExceptionKind::ByHand);
    invoice.exceptions.push(MatchException {
        line_no: None,
        kind: MatchExceptionKind::ByHand,
        stops: true,
        amount: Money::ZERO,
        expected: None,
        actual: None,
        reason: Some(asked.reason.clone()),
        accepted_by: None,
    });
    save(connection, &invoice, set).await?;
    Ok(invoice)
}

/// Cancels the invoice; its number is free again.
///
/// # Errors
/// 404; 409 `invalid_state`.
pub async fn cancel(
    connection: &mut AnyConnection,
    invoice_id: &str,
    asked: &Reason,
    set: &Purchasing,
) -> Result<Invoice, Failure> {
    check_text("reason", &asked.reason)?;
    let mut invoice = locked(connection, invoice_id).await?;
    InvoiceStep::Cancel.check(&invoice).map_err(ApiError::from)?;
    invoice.state = InvoiceState::Cancelled;
    save(connection, &invoice, set).await?;
    Ok(invoice)
}
