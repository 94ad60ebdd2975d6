//! Credit notes of suppliers: new ones, or the paper of an expected one for returned goods.

use crate::config::Purchasing;
use crate::db::failure::Failure;
use crate::office::finance::writer::{Writer, check_bytes, check_text};
use crate::office::payables::credit_note_lines::{NewLine, Of, check_price, lines};
use crate::office::suppliers::supplier::{self, Known};
use crate::table::counter;
use crate::table::payables::credit_note::{TABLE, of_number, put};
use domain::model::base::figures::Money;
use domain::model::base::limits::{ID_BYTES_MAX, PRICE_MAX, TEXT_CHARS_MAX};
use domain::model::base::money::sum;
use domain::model::base::refusal::Refusal;
use domain::model::books::payables::{CreditNote, CreditNoteKind, CreditNoteState};
use domain::rules::books::payables::number_key;
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

/// The longest number of a supplier's document, in bytes.
pub(super) const NUMBER_BYTES_MAX: usize = 64;
/// Most lines of a credit note.
const LINES_MAX: usize = 500;

/// A new credit note of a supplier.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewCreditNote")]
pub struct New {
    /// Supplier that issued the document.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: String,
    /// The supplier's number of the credit note.
    #[schemars(length(min = 1, max = NUMBER_BYTES_MAX))]
    pub credit_note_no: String,
    /// Date of the credit note, not after today.
    pub date: Date,
    /// Reason for the credit note. For returned goods, confirm the expected credit note instead.
    pub kind: CreditNoteKind,
    /// Invoice whose price was too high. Required for the kind `price`.
    #[schemars(length(max = ID_BYTES_MAX))]
    pub invoice_id: Option<String>,
    /// Lines of the credit note.
    #[schemars(length(min = 1, max = LINES_MAX))]
    pub lines: Vec<NewLine>,
    /// Note in free text. Null for none.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// Stores a credit note.
///
/// # Errors
/// 422; 404 for its invoice; 409 `duplicate` for a number of the supplier that counts.
pub async fn create(
    connection: &mut AnyConnection,
    new: New,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<CreditNote, Failure> {
    check(&new, writer)?;
    let known: Option<Known> = supplier::TABLE.locked(connection, &new.supplier_id).await?;
    known.ok_or_else(|| ApiError::field("supplier_id", "is not a supplier"))?;
    let of = Of { supplier_id: &new.supplier_id, kind: new.kind, invoice_id: new.invoice_id.as_deref() };
    let lines = lines(connection, of, &new.lines).await?;
    let net = sum("lines", lines.iter().map(|line| line.net)).map_err(ApiError::from)?;
    let tax = sum("lines", lines.iter().map(|line| line.tax)).map_err(ApiError::from)?;
    let mut note = CreditNote {
        credit_note_id: ids::new("crn_"),
        doc_no: String::new(),
        supplier_id: new.supplier_id,
        credit_note_no: Some(new.credit_note_no.trim().to_owned()),
        date: new.date,
        kind: new.kind,
        supplier_return_id: None,
        invoice_id: new.invoice_id,
        lines,
        net,
        tax,
        total: sum("lines", [net, tax]).map_err(ApiError::from)?,
        applied: Money::ZERO,
        open: Money::ZERO,
        books: Vec::new(),
        state: CreditNoteState::Draft,
        note: new.note,
        proposed: None,
        created_by: Some(writer.by.to_owned()),
        created_at: writer.now,
    };
    check_price(connection, &note).await?;
    check_number(connection, &note, set).await?;
    note.doc_no = counter::next(connection, "CN", writer.today.year()).await?;
    save(connection, &note, set).await?;
    Ok(note)
}

/// A credit note, locked until the transaction ends.
///
/// # Errors
/// 404.
pub async fn locked(connection: &mut AnyConnection, credit_note_id: &str) -> Result<CreditNote, Failure> {
    let found: Option<CreditNote> = TABLE.locked(connection, credit_note_id).await?;
    Ok(found.ok_or_else(|| ApiError::not_found("the credit note"))?)
}

/// Writes a credit note.
///
/// # Errors
/// A database error.
pub async fn save(
    connection: &mut AnyConnection,
    note: &CreditNote,
    set: &Purchasing,
) -> Result<(), Failure> {
    Ok(put(connection, note, key(note, set)).await?)
}

fn key(note: &CreditNote, set: &Purchasing) -> Option<String> {
    let number = note.credit_note_no.as_ref();
    number.map(|number| number_key(number, note.date, set.invoice_number_per_year))
}

/// 409 for a number that another credit note of the supplier has.
pub(super) async fn check_number(
    connection: &mut AnyConnection,
    note: &CreditNote,
    set: &Purchasing,
) -> Result<(), Failure> {
    let Some(key) = key(note, set) else { return Ok(()) };
    match of_number(connection, &note.supplier_id, &key, &note.credit_note_id).await? {
        Some(id) => Err(ApiError::from(Refusal::Duplicate { what: "credit_note", id }).into()),
        None => Ok(()),
    }
}

fn check(new: &New, writer: &Writer<'_>) -> Result<(), ApiError> {
    check_paper(&new.credit_note_no, new.date, writer)?;
    if new.kind == CreditNoteKind::Return {
        return Err(ApiError::field(
            "kind",
            "must not be return: confirm the expected credit note of the returned goods",
        ));
    }
    if !(1..=LINES_MAX).contains(&new.lines.len()) {
        return Err(ApiError::field("lines", "must be 1 to 500"));
    }
    check_bytes(|| "invoice_id".to_owned(), new.invoice_id.as_deref(), ID_BYTES_MAX)?;
    for (place, line) in new.lines.iter().enumerate() {
        let receiving_id = line.receiving_id.as_deref();
        check_bytes(|| format!("lines[{place}].receiving_id"), receiving_id, ID_BYTES_MAX)?;
        for (field, amount, least) in [("net", line.net, 1), ("tax", line.tax, 0)] {
            if !(least..=PRICE_MAX).contains(&amount) {
                let path = format!("lines[{place}].{field}");
                return Err(ApiError::field(path, format!("must be {least} to {PRICE_MAX}")));
            }
        }
    }
    match &new.note {
        Some(note) => check_text("note", note),
        None => Ok(()),
    }
}

/// 422 for a paper without a number, or of a day that has not come.
pub(super) fn check_paper(number: &str, date: Date, writer: &Writer<'_>) -> Result<(), ApiError> {
    writer.check_not_later("date", date)?;
    if number_key(number, date, false).is_empty() || number.len() > NUMBER_BYTES_MAX || number.contains('\0')
    {
        let problem = "must have 1 to 64 bytes with a letter or digit";
        return Err(ApiError::field("credit_note_no", problem));
    }
    Ok(())
}
