//! Credit notes that are answered for, confirmed, used and called off.

use crate::config::{Finance, Purchasing};
use crate::db::failure::Failure;
use crate::office::finance::writer::Writer;
use crate::office::payables::credit_note::{NUMBER_BYTES_MAX, check_number, check_paper, locked, save};
use crate::office::payables::credit_note_lines::check_price;
use crate::office::payables::invoice;
use crate::office::payables::payment::{self, ALLOCATIONS_MAX};
use crate::office::payables::poster::{Cause, post};
use crate::table::journal::Kind;
use crate::table::payables::payable_moves::Move;
use crate::table::payables::uninvoiced;
use domain::model::base::figures::Money;
use domain::model::base::limits::{FIGURE_MAX, ID_BYTES_MAX, PRICE_MAX};
use domain::model::base::refusal::Refusal;
use domain::model::books::payables::{
    CreditNote, CreditNoteKind, CreditNoteState, ProposedPaper, ReceiptRef,
};
use domain::rules::books::payables::{
    BookSums, Documents, InvoiceStep, apply_credit, confirm_difference, credit_books, credit_posting,
};
use domain::rules::inventory::purchase::{Approval, Approver};
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

/// Figures of the supplier's credit note.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ConfirmCreditNote")]
pub struct Confirm {
    /// The supplier's number of the credit note.
    #[schemars(length(min = 1, max = NUMBER_BYTES_MAX))]
    pub credit_note_no: String,
    /// Date of the credit note, not after today.
    pub date: Date,
    /// Amount without tax, in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub net: Money,
    /// Tax of the credit note, in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub tax: Money,
}

impl Confirm {
    fn paper(&self, writer: &Writer<'_>) -> ProposedPaper {
        ProposedPaper {
            by: writer.by.to_owned(),
            at: writer.now,
            credit_note_no: self.credit_note_no.trim().to_owned(),
            date: self.date,
            net: self.net,
            tax: self.tax,
        }
    }
}

/// Request body that applies a credit note to invoices.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApplyCreditNote")]
pub struct Apply {
    /// Invoices of the supplier.
    #[schemars(length(min = 1, max = ALLOCATIONS_MAX))]
    pub allocations: Vec<CreditAllocation>,
}

/// Part of a credit note that settles an invoice.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditAllocation {
    /// ID of the invoice.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub invoice_id: String,
    /// Amount that is settled, in minor currency units.
    #[schemars(range(min = 1, max = FIGURE_MAX))]
    pub amount: Money,
}

/// The step of a credit note in this state.
fn check_state(note: &CreditNote, needed: CreditNoteState) -> Result<(), ApiError> {
    if note.state == needed {
        return Ok(());
    }
    let allowed = match note.state {
        CreditNoteState::Expected => &["confirm"][..],
        CreditNoteState::Draft => &["approve", "cancel"],
        CreditNoteState::Approved => &["apply"],
        CreditNoteState::Applied | CreditNoteState::Cancelled => &[],
    };
    let allowed = allowed.iter().map(|step| (*step).to_owned()).collect();
    Err(Refusal::InvalidState { state: note.state.name().to_owned(), allowed }.into())
}

/// Answers for a credit note: it is posted, and may settle invoices.
///
/// # Errors
/// 404; 409 `invalid_state`; 403 `approval_required`; 422 for more than a receipt that was taken back leaves.
pub async fn approve(
    connection: &mut AnyConnection,
    credit_note_id: &str,
    writer: &Writer<'_>,
    (finance, set): (&Finance, &Purchasing),
) -> Result<CreditNote, Failure> {
    let mut note = locked(connection, credit_note_id).await?;
    check_state(&note, CreditNoteState::Draft)?;
    let approval = Approval { limit: finance.approval_limit, four_eyes: finance.four_eyes };
    let approver = Approver { by: writer.by, role: writer.role };
    approval.check(approver, note.created_by.as_deref(), note.total).map_err(ApiError::from)?;
    check_price(connection, &note).await?;
    if note.kind == CreditNoteKind::ReceiptReversed {
        let key = format!("{}:approve", note.credit_note_id);
        let cause = uninvoiced::Cause { key: &key, day: note.date };
        for line in &note.lines {
            let (receiving_id, line_no) =
                line.receiving_id.clone().zip(line.receiving_line_no).unwrap_or_default();
            let at = ReceiptRef { store_id: line.store_id.clone(), receiving_id, line_no };
            if !uninvoiced::settle_claim(connection, &at, cause, line.net).await? {
                return Err(ApiError::field("lines", "add up to more than the supplier owes").into());
            }
        }
    }
    note.state = CreditNoteState::Approved;
    note.books = credit_books(&note);
    note.settle();
    save(connection, &note, set).await?;
    let posting = credit_posting(&note);
    let given = note.books.iter().map(|book| Move {
        document_id: note.credit_note_id.clone(),
        store_id: book.store_id.clone(),
        amount: book.open.saturating_neg(),
    });
    let moves: Vec<Move> = given.collect();
    let cause = Cause { date: note.date, ..cause(&note, "approve", writer, &moves) };
    post(writer, connection, &posting, cause).await?;
    Ok(note)
}

/// Applies the supplier's paper to the expected note and posts the differences. With four eyes a paper with differences
/// waits until another person enters the same.
///
/// # Errors
/// 404; 409 `invalid_state`, `duplicate`; 422; 403 `approval_required` for a second entry by the same person.
pub async fn confirm(
    connection: &mut AnyConnection,
    credit_note_id: &str,
    asked: &Confirm,
    writer: &Writer<'_>,
    (finance, set): (&Finance, &Purchasing),
) -> Result<CreditNote, Failure> {
    check_paper(&asked.credit_note_no, asked.date, writer)?;
    if !(0..=PRICE_MAX).contains(&asked.net) || !(0..=PRICE_MAX).contains(&asked.tax) {
        return Err(ApiError::field("net", "and tax must be 0 to 1000000000000").into());
    }
    let mut note = locked(connection, credit_note_id).await?;
    check_state(&note, CreditNoteState::Expected)?;
    let (before, expected_on) = (note.total, note.date);
    note.credit_note_no = Some(asked.credit_note_no.trim().to_owned());
    note.date = asked.date;
    check_number(connection, &note, set).await?;
    if finance.four_eyes && (asked.net, asked.tax) != (note.net, note.tax) {
        let paper = asked.paper(writer);
        let said = note.proposed.replace(paper.clone());
        if said.as_ref().is_none_or(|said| !said.says_as(&paper)) {
            note.credit_note_no = None;
            note.date = expected_on;
            save(connection, &note, set).await?;
            return Ok(note);
        }
        let (approval, by) =
            (Approval { limit: Money::ZERO, four_eyes: true }, said.as_ref().map(|said| said.by.as_str()));
        let approver = Approver { by: writer.by, role: writer.role };
        approval.check(approver, by, note.total).map_err(ApiError::from)?;
    }
    note.proposed = None;
    let posting = confirm_difference(&mut note, asked.net, asked.tax);
    note.state = CreditNoteState::Approved;
    note.settle();
    save(connection, &note, set).await?;
    let differs = Move {
        document_id: note.credit_note_id.clone(),
        store_id: note.lines.first().map(|line| line.store_id.clone()).unwrap_or_default(),
        amount: before.saturating_sub(note.total),
    };
    let moves = [differs];
    let cause = Cause { date: note.date, ..cause(&note, "confirm", writer, &moves) };
    post(writer, connection, &posting, cause).await?;
    Ok(note)
}

/// A credit note settles invoices of its supplier.
///
/// # Errors
/// 404; 409 `invalid_state`; 422, `payment_mismatch`.
pub async fn apply(
    connection: &mut AnyConnection,
    credit_note_id: &str,
    asked: &Apply,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<CreditNote, Failure> {
    if asked.allocations.is_empty() {
        return Err(ApiError::field("allocations", "must name an invoice").into());
    }
    payment::check_count("allocations", asked.allocations.len())?;
    let mut documents = Documents::default();
    let at = |place: usize| format!("allocations[{place}].invoice_id");
    for (place, allocation) in asked.allocations.iter().enumerate() {
        let id = &allocation.invoice_id;
        let again = documents.invoices.insert(id.clone(), invoice::locked(connection, id).await?);
        if again.is_some() {
            return Err(ApiError::field(at(place), "appears twice").into());
        }
    }
    let mut note = locked(connection, credit_note_id).await?;
    check_state(&note, CreditNoteState::Approved)?;
    // An application may be undone, and made again.
    let step = ids::new("apply#");
    let (mut posting, mut parts) = (BookSums::default(), Vec::new());
    for (place, CreditAllocation { invoice_id, amount }) in asked.allocations.iter().enumerate() {
        let found = documents.invoices.get_mut(invoice_id);
        let found = found.filter(|invoice| invoice.supplier_id == note.supplier_id);
        let found = found.ok_or_else(|| ApiError::field(at(place), "is not an invoice of this supplier"))?;
        if !found.state.is_posted() {
            InvoiceStep::Pay.check(found).map_err(ApiError::from)?;
        }
        parts.extend(apply_credit(&mut posting, &mut note, found, *amount).map_err(ApiError::from)?);
    }
    let moves = payment::moves(&note.credit_note_id, &parts, &documents, Money::ZERO);
    payment::saved(connection, documents, set).await?;
    save(connection, &note, set).await?;
    let cause = cause(&note, &step, writer, &moves);
    post(writer, connection, &posting, cause).await?;
    Ok(note)
}

/// Cancels the note; its number is free again.
///
/// # Errors
/// 404; 409 `invalid_state` for one that is in the books.
pub async fn cancel(
    connection: &mut AnyConnection,
    credit_note_id: &str,
    set: &Purchasing,
) -> Result<CreditNote, Failure> {
    let mut note = locked(connection, credit_note_id).await?;
    check_state(&note, CreditNoteState::Draft)?;
    note.state = CreditNoteState::Cancelled;
    save(connection, &note, set).await?;
    Ok(note)
}

fn cause<'a>(note: &'a CreditNote, step: &'a str, writer: &Writer<'_>, moves: &'a [Move]) -> Cause<'a> {
    Cause {
        kind: Kind::CreditNote,
        id: &note.credit_note_id,
        step,
        date: writer.today,
        on_its_day: false,
        memo: &note.doc_no,
        payables: (&note.supplier_id, moves),
    }
}
