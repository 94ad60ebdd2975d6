//! `credit_notes`: credits of suppliers, as documents.

use crate::db::column::Columns as _;
use crate::db::document::{Table, encode, table};
use crate::db::insert;
use crate::row;
use domain::model::books::payables::{CreditNote, CreditNoteState};
use sqlx::{AnyConnection, Error};

/// Table of the documents.
pub const TABLE: Table = table!("credit_notes", "credit_note_id");

/// Writes a credit note; `number_key` is the normalised number.
pub async fn put(
    connection: &mut AnyConnection,
    note: &CreditNote,
    number_key: Option<String>,
) -> Result<(), Error> {
    let open = if note.state == CreditNoteState::Expected { note.total } else { note.open };
    let row = row! {
        credit_note_id: note.credit_note_id.as_str(), supplier_id: note.supplier_id.as_str(), number_key,
        invoice_id: note.invoice_id.clone(), note_date: note.date.to_string(), state: note.state.name(), open, document: encode(note)?,
    };
    insert::replace(connection, "credit_notes", &["credit_note_id"], vec![row]).await
}

/// Credit notes of an invoice that count.
pub async fn of_invoice(connection: &mut AnyConnection, invoice_id: &str) -> Result<Vec<CreditNote>, Error> {
    let sql = "SELECT document FROM credit_notes WHERE invoice_id = $1 AND state <> 'cancelled'";
    let rows = sqlx::query(sql).bind(invoice_id.to_owned()).fetch_all(connection).await?;
    rows.iter().map(|row| row.json("document")).collect()
}

/// Another credit note of a supplier with that number that counts.
pub async fn of_number(
    connection: &mut AnyConnection,
    supplier_id: &str,
    number_key: &str,
    but: &str,
) -> Result<Option<String>, Error> {
    let sql = "SELECT credit_note_id FROM credit_notes WHERE supplier_id = $1 AND number_key = $2 \
               AND state <> 'cancelled' AND credit_note_id <> $3";
    let query = sqlx::query_scalar(sql).bind(supplier_id.to_owned()).bind(number_key.to_owned());
    query.bind(but.to_owned()).fetch_optional(connection).await
}
