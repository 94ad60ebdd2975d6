//! Invoices against receipts and orders.

use crate::config::Purchasing;
use crate::db::failure::Failure;
use crate::office::finance::writer::{Writer, check_text};
use crate::office::payables::invoice::{locked, save};
use crate::office::suppliers::supplier::{self, Known};
use crate::table::payables::invoice::{has_twin, hold_pieces};
use crate::table::payables::uninvoiced;
use domain::model::base::limits::{ITEMS_MAX, TEXT_CHARS_MAX};
use domain::model::books::payables::{Invoice, InvoiceState, MatchException, MatchExceptionKind};
use domain::rules::books::payables::{Accepted, InvoiceStep, MatchContext, Tolerance, three_way};
use domain::rules::inventory::purchase::{Approval, Approver};
use edge::ApiError;
use jiff::Span;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::{AnyConnection, AnyPool};

/// Days within which two invoices with one total are suspected to be one.
const TWIN_DAYS: i64 = 7;
/// Most accepted differences: one of each type for every line.
const ACCEPTED_MAX: usize = 10 * ITEMS_MAX;

/// Request body of a match.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MatchInvoice")]
pub struct Match {
    /// Differences that are accepted.
    #[serde(default)]
    #[schemars(length(max = ACCEPTED_MAX))]
    pub accept: Vec<Accept>,
}

/// Acceptance of a difference that the match found.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AcceptException")]
pub struct Accept {
    /// Line number. Null for the whole invoice.
    pub line_no: Option<u32>,
    /// Type of the accepted difference.
    #[serde(rename = "type")]
    pub kind: MatchExceptionKind,
    /// Reason for the acceptance.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Compares an invoice with receipts and orders. Its pieces of receipts are held for it once no exception stops it.
///
/// # Errors
/// 404; 409 `invalid_state`; 403 `approval_required` for accepting too much.
pub async fn run(
    connection: &mut AnyConnection,
    invoice_id: &str,
    asked: &Match,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<Invoice, Failure> {
    let mut invoice = locked(connection, invoice_id).await?;
    InvoiceStep::Match.check(&invoice).map_err(ApiError::from)?;
    if asked.accept.len() > ACCEPTED_MAX {
        return Err(ApiError::field("accept", format!("must have at most {ACCEPTED_MAX} entries")).into());
    }
    for (place, one) in asked.accept.iter().enumerate() {
        check_text(&format!("accept[{place}].reason"), &one.reason)?;
    }
    if !invoice.opening {
        compare(connection, &mut invoice, asked, writer, set).await?;
    }
    invoice.matched_at = Some(writer.now);
    invoice.state = if invoice.is_stopped() { InvoiceState::Disputed } else { InvoiceState::Matched };
    if invoice.state == InvoiceState::Matched {
        hold_pieces(connection, &invoice, 1).await?;
    }
    save(connection, &invoice, set).await?;
    Ok(invoice)
}

async fn compare(
    connection: &mut AnyConnection,
    invoice: &mut Invoice,
    asked: &Match,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<(), Failure> {
    let known: Option<Known> = supplier::TABLE.locked(connection, &invoice.supplier_id).await?;
    let terms = known.map(|known| known.terms).unwrap_or_default();
    let receipts = uninvoiced::named(connection, &invoice.lines).await?;
    let accepted: Vec<Accepted> = asked
        .accept
        .iter()
        .map(|one| Accepted {
            line_no: one.line_no,
            kind: one.kind,
            reason: one.reason.clone(),
            by: writer.by.to_owned(),
        })
        .collect();
    let tolerance = Tolerance {
        bp: terms.price_tolerance_bp.unwrap_or(set.price_tolerance_bp).into(),
        amount: terms.price_tolerance_amount.unwrap_or(set.price_tolerance_amount),
    };
    let suspect = twin(connection, invoice).await?;
    let context = MatchContext {
        supplier_id: &invoice.supplier_id,
        receipts: &receipts,
        tolerance,
        no_order_stops: set.no_order_stops,
        usual_rate_bp: terms.default_tax_rate_bp,
        suspect,
        accepted: &accepted,
        before: &invoice.exceptions,
    };
    let matched = three_way(&invoice.lines, &context);
    let approval = Approval { limit: set.accept_limit, four_eyes: false };
    let approver = Approver { by: writer.by, role: writer.role };
    approval.check_amount(approver, matched.accepted_cost(&accepted)).map_err(ApiError::from)?;
    invoice.lines = matched.lines;
    invoice.exceptions = matched.exceptions;
    Ok(())
}

async fn twin(connection: &mut AnyConnection, invoice: &Invoice) -> Result<bool, Failure> {
    let span = Span::new().try_days(TWIN_DAYS).unwrap_or_default();
    let from = invoice.invoice_date.checked_sub(span).unwrap_or(invoice.invoice_date);
    let to = invoice.invoice_date.checked_add(span).unwrap_or(invoice.invoice_date);
    Ok(has_twin(connection, invoice, (from.to_string(), to.to_string())).await?)
}

/// Whether receipts have come that an invoice lacked when it was matched.
///
/// # Errors
/// A database error.
pub async fn may_rematch(pool: &AnyPool, invoice: &Invoice) -> Result<bool, sqlx::Error> {
    if invoice.state != InvoiceState::Disputed {
        return Ok(false);
    }
    let lacks = |found: &&MatchException| {
        let of_pieces = matches!(found.kind, MatchExceptionKind::QtyOver | MatchExceptionKind::NotReceived);
        of_pieces && found.accepted_by.is_none()
    };
    for found in invoice.exceptions.iter().filter(lacks) {
        let line = invoice.lines.iter().find(|line| Some(line.line_no) == found.line_no);
        if let Some(line) = line
            && uninvoiced::has_open(pool, &invoice.supplier_id, line).await?
        {
            return Ok(true);
        }
    }
    Ok(false)
}
