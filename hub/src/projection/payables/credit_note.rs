//! Credit notes that suppliers owe for billed goods that were returned: together with the entry of the return this is
//! M34 of docs/arithmetic.md#postings.

use crate::secret;
use crate::table::journal::{self, Kind, NewEntry};
use crate::table::payables::credit_note::put;
use crate::table::payables::payable_moves::{self, Move, Step};
use crate::table::{counter, day_lock, hub};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::books::payables::{CreditNote, CreditNoteKind, CreditNoteLine, CreditNoteState};
use domain::model::inventory::supplier_return::SupplierReturn;
use domain::rules::books::payables::{credit_books, credit_posting};
use sqlx::{AnyConnection, Error};
use std::collections::BTreeMap;

/// The ID of the note that a supplier return creates: the same if it is created again after a restore.
pub(crate) fn of_return(supplier_return_id: &str) -> String {
    let digest = secret::digest(&format!("credit {supplier_return_id}"));
    format!("crn_{}", digest.get(..32).unwrap_or(&digest))
}

/// The note that a return creates, if any of its pieces were billed; [`post`] makes its entry.
pub(super) async fn expected(
    connection: &mut AnyConnection,
    document: &SupplierReturn,
    lines: Vec<CreditNoteLine>,
    now: UtcMs,
) -> Result<Option<CreditNote>, Error> {
    if lines.is_empty() {
        return Ok(None);
    }
    let sum = |of: fn(&CreditNoteLine) -> Money| lines.iter().map(of).sum::<Money>();
    let (net, tax) = (sum(|line| line.net), sum(|line| line.tax));
    let today = now.timestamp().to_zoned(hub::zone(&mut *connection).await?);
    let mut note = CreditNote {
        credit_note_id: of_return(document.supplier_return_id.as_str()),
        doc_no: counter::next(connection, "CN", today.year()).await?,
        supplier_id: document.supplier_id.clone(),
        credit_note_no: None,
        date: document.business_date,
        kind: CreditNoteKind::Return,
        supplier_return_id: Some(document.supplier_return_id.as_str().to_owned()),
        invoice_id: None,
        lines,
        net,
        tax,
        total: net.saturating_add(tax),
        applied: Money::ZERO,
        open: Money::ZERO,
        books: Vec::new(),
        state: CreditNoteState::Expected,
        note: None,
        proposed: None,
        created_by: None,
        created_at: now,
    };
    note.books = credit_books(&note);
    put(connection, &note, None).await?;
    Ok(Some(note))
}

/// Makes the entries of expected notes in the store's book, which is locked here.
pub(crate) async fn post(
    connection: &mut AnyConnection,
    store_id: &str,
    notes: Vec<CreditNote>,
    now: UtcMs,
) -> Result<(), Error> {
    for note in notes {
        let books = credit_posting(&note).entries().map_err(|refusal| Error::Encode(refusal.into()))?;
        let Some(lines) = books.into_values().next() else { continue };
        let entry_no = journal::numbers(connection, store_id, 1).await?;
        let entry_date = day_lock::of_book(connection, store_id, note.date).await?.first_open(note.date);
        let cause_key = format!("{}:expected", note.credit_note_id);
        let digest = secret::digest(&format!("{store_id} {cause_key}"));
        let entry = NewEntry {
            book: store_id.to_owned(),
            entry_no,
            entry_id: format!("jrn_{}", digest.get(..32).unwrap_or(&digest)),
            entry_date,
            reference_date: (entry_date != note.date).then_some(note.date),
            kind: Kind::CreditNote,
            cause_type: "credit_note",
            cause_id: note.credit_note_id.clone(),
            cause_store_id: store_id.to_owned(),
            event_id: None,
            cause_key: cause_key.clone(),
            group_id: None,
            memo: Some(note.doc_no.clone()),
            reverses: None,
            created_by: None,
            lines,
        };
        journal::add(connection, vec![entry], now).await?;
        let step =
            Step { supplier_id: &note.supplier_id, cause_id: &note.credit_note_id, cause_key: &cause_key };
        let moves = [Move {
            document_id: note.credit_note_id.clone(),
            store_id: store_id.to_owned(),
            amount: note.total.saturating_neg(),
        }];
        let dates = BTreeMap::from([(store_id.to_owned(), entry_date)]);
        payable_moves::add(connection, step, &moves, &dates).await?;
    }
    Ok(())
}
