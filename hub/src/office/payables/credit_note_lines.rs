//! The book of each part of a credit note.

use crate::db::failure::Failure;
use crate::office::payables::invoice::locked;
use crate::table::payables::{credit_note, uninvoiced};
use domain::model::base::figures::Money;
use domain::model::base::limits::{ID_BYTES_MAX, PRICE_MAX};
use domain::model::base::money::spread;
use domain::model::base::refusal::Refusal;
use domain::model::books::payables::{CreditNote, CreditNoteKind, CreditNoteLine, Invoice};
use edge::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// A part of a new credit note.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewCreditNoteLine")]
pub struct NewLine {
    /// Line of the invoice. Null to share the amount among the invoice's books in proportion to their billed amounts.
    pub invoice_line_no: Option<u32>,
    /// ID of the reversed receipt. Null for none.
    #[schemars(length(max = ID_BYTES_MAX))]
    pub receiving_id: Option<String>,
    /// Line number of the receipt. Null for none.
    pub receiving_line_no: Option<u32>,
    /// Amount without tax, in minor currency units.
    #[schemars(range(min = 1, max = PRICE_MAX))]
    pub net: Money,
    /// Tax of the line, in minor currency units.
    #[serde(default)]
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub tax: Money,
}

impl NewLine {
    fn of(&self, (store_id, account): (&str, Option<&str>), [net, tax]: [Money; 2]) -> CreditNoteLine {
        CreditNoteLine {
            invoice_line_no: self.invoice_line_no,
            store_id: store_id.to_owned(),
            receiving_id: self.receiving_id.clone(),
            receiving_line_no: self.receiving_line_no,
            account: account.map(str::to_owned),
            net,
            tax,
        }
    }
}

/// Supplier and kind of a credit note.
#[derive(Debug, Clone, Copy)]
pub struct Of<'a> {
    /// Supplier of the credit note.
    pub supplier_id: &'a str,
    /// Kind of the credit note.
    pub kind: CreditNoteKind,
    /// Invoice whose price was too high. Required for the kind `price`.
    pub invoice_id: Option<&'a str>,
}

/// Checks that credit notes for the price of an invoice do not exceed its amount, in total and line by line, and that
/// this one is not older than the invoice.
///
/// # Errors
/// 422; 404 for its invoice.
pub async fn check_price(connection: &mut AnyConnection, note: &CreditNote) -> Result<(), Failure> {
    let Some(invoice_id) = note.invoice_id.as_deref().filter(|_| note.kind == CreditNoteKind::Price) else {
        return Ok(());
    };
    let invoice = locked(connection, invoice_id).await?;
    if note.date < invoice.invoice_date {
        let problem = format!("must not be before {}, the date of the invoice", invoice.invoice_date);
        return Err(ApiError::field("date", problem).into());
    }
    let mut notes = credit_note::of_invoice(connection, invoice_id).await?;
    notes.retain(|other| other.kind == CreditNoteKind::Price && other.credit_note_id != note.credit_note_id);
    let credited = |line_no: Option<u32>| {
        let lines = notes.iter().flat_map(|other| &other.lines);
        lines.filter(move |line| line_no.is_none() || line.invoice_line_no == line_no).map(|line| line.net)
    };
    let left = |billed: Money, line_no: Option<u32>| credited(line_no).fold(billed, Money::saturating_sub);
    if note.net > left(invoice.net, None) {
        let problem = format!(
            "must add up to at most {}, the amount of the invoice that is not credited yet",
            left(invoice.net, None)
        );
        return Err(ApiError::field("lines", problem).into());
    }
    for (place, line) in note.lines.iter().enumerate() {
        let billed = invoice.lines.iter().find(|billed| Some(billed.line_no) == line.invoice_line_no);
        let Some(left) = billed.map(|billed| left(billed.net, line.invoice_line_no)) else { continue };
        if line.net > left {
            let problem =
                format!("must be at most {left}, the amount of the invoice's line that is not credited yet");
            return Err(ApiError::field(format!("lines[{place}].net"), problem).into());
        }
    }
    Ok(())
}

/// The parts of a credit note, each in its book.
///
/// # Errors
/// 422; 404 for its invoice; 409 `invalid_state` for one that is not in the books.
pub async fn lines(
    connection: &mut AnyConnection,
    of: Of<'_>,
    new: &[NewLine],
) -> Result<Vec<CreditNoteLine>, Failure> {
    if of.kind == CreditNoteKind::ReceiptReversed {
        return claims(connection, of, new).await;
    }
    let invoice_id = of
        .invoice_id
        .ok_or_else(|| ApiError::field("invoice_id", "is needed for a credit note of the kind price"))?;
    let invoice = locked(connection, invoice_id).await?;
    if invoice.supplier_id != of.supplier_id {
        return Err(ApiError::field("invoice_id", "is an invoice of another supplier").into());
    }
    if !invoice.state.is_posted() {
        let (state, allowed) = (invoice.state.name().to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    let mut lines = Vec::new();
    for (place, line) in new.iter().enumerate() {
        lines.extend(of_price(&invoice, line, place)?);
    }
    Ok(lines)
}

fn of_price(invoice: &Invoice, line: &NewLine, place: usize) -> Result<Vec<CreditNoteLine>, ApiError> {
    if let Some(line_no) = line.invoice_line_no {
        let found = invoice.lines.iter().find(|billed| billed.line_no == line_no);
        let path = format!("lines[{place}].invoice_line_no");
        let found = found.ok_or_else(|| ApiError::field(path, "is not a line of the invoice"))?;
        return Ok(vec![line.of((&found.store_id, found.account.as_deref()), [line.net, line.tax])]);
    }
    let mut books: BTreeMap<(&str, Option<&str>), Money> = BTreeMap::new();
    for billed in &invoice.lines {
        let sum = books.entry((billed.store_id.as_str(), billed.account.as_deref())).or_default();
        *sum = sum.saturating_add(billed.net);
    }
    let weights: Vec<Money> = books.values().copied().collect();
    let figures = spread(line.net, &weights).into_iter().zip(spread(line.tax, &weights));
    let parts = books.keys().zip(figures).filter(|(_, (net, tax))| *net != 0 || *tax != 0);
    Ok(parts.map(|(book, (net, tax))| line.of(*book, [net, tax])).collect())
}

async fn claims(
    connection: &mut AnyConnection,
    of: Of<'_>,
    new: &[NewLine],
) -> Result<Vec<CreditNoteLine>, Failure> {
    let mut lines = Vec::new();
    for (place, line) in new.iter().enumerate() {
        let path = format!("lines[{place}].receiving_id");
        let named = line.receiving_id.as_deref().zip(line.receiving_line_no);
        let named = named.ok_or_else(|| ApiError::field(&path, "and receiving_line_no are needed"))?;
        let book = uninvoiced::claimed_in(connection, of.supplier_id, named).await?;
        let book = book
            .ok_or_else(|| ApiError::field(&path, "is not a receipt for which the supplier owes a credit"))?;
        lines.push(line.of((&book, None), [line.net, line.tax]));
    }
    Ok(lines)
}
