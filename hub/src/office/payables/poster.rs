//! Entries of head office's own documents, one in each book.

use crate::db::failure::Failure;
use crate::office::finance::writer::Writer;
use crate::table::day_lock;
use crate::table::journal::{self, Kind, NewEntry};
use crate::table::payables::payable_moves::{self, Move, Step};
use domain::model::base::refusal::Refusal;
use domain::rules::books::entry_by_hand::EntryLine;
use domain::rules::books::payables::BookSums;
use edge::{ApiError, ids};
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// Document that an entry comes from.
#[derive(Debug, Clone, Copy)]
pub struct Cause<'a> {
    /// Kind of the entry.
    pub kind: Kind,
    /// ID of the document.
    pub id: &'a str,
    /// Step of the document. Each step has one entry per book.
    pub step: &'a str,
    /// The day that it belongs to.
    pub date: Date,
    /// A locked day is refused; else the entry gets the first open one after it.
    pub on_its_day: bool,
    /// Text of the entry, for people.
    pub memo: &'a str,
    /// Supplier of the document, and its moves by document: their sum moves account 2010.
    pub payables: (&'a str, &'a [Move]),
}

/// Posts the movements of a document; books without a movement get no entry.
///
/// # Errors
/// 422 for figures that do not fit; 409 `day_locked`.
pub async fn post(
    writer: &Writer<'_>,
    connection: &mut AnyConnection,
    sums: &BookSums,
    cause: Cause<'_>,
) -> Result<(), Failure> {
    let mut books = sums.entries().map_err(ApiError::from)?;
    let (supplier_id, moves) = cause.payables;
    // If a credit note and an invoice of one book settle each other, nothing is posted, and both have moved.
    for moved in moves {
        books.entry(moved.store_id.clone()).or_default();
    }
    let cause_key = format!("{}:{}", cause.id, cause.step);
    let dates = write(writer, connection, books, cause, &cause_key).await?;
    let step = Step { supplier_id, cause_id: cause.id, cause_key: &cause_key };
    Ok(payable_moves::add(connection, step, moves, &dates).await?)
}

/// The entries, and the day that each book has for them.
async fn write(
    writer: &Writer<'_>,
    connection: &mut AnyConnection,
    books: BTreeMap<String, Vec<EntryLine>>,
    cause: Cause<'_>,
    cause_key: &str,
) -> Result<BTreeMap<String, Date>, Failure> {
    let posted = books.values().filter(|lines| !lines.is_empty()).count();
    let mut group_id: Option<String> = None;
    let (mut entries, mut dates) = (Vec::new(), BTreeMap::new());
    for (book, lines) in books {
        let entry_no = journal::numbers(connection, &book, usize::from(!lines.is_empty())).await?;
        let entry_date = day_lock::of_book(connection, &book, cause.date).await?.first_open(cause.date);
        if cause.on_its_day && entry_date != cause.date {
            let refused = Refusal::DayLocked { store_id: book, date: cause.date, next_open_date: entry_date };
            return Err(ApiError::from(refused).into());
        }
        dates.insert(book.clone(), entry_date);
        if lines.is_empty() {
            continue;
        }
        let entry_id = ids::new("jrn_");
        if posted > 1 {
            group_id.get_or_insert_with(|| entry_id.clone());
        }
        let named = NewEntry {
            cause_id: cause.id.to_owned(),
            cause_key: cause_key.to_owned(),
            group_id: group_id.clone(),
            memo: Some(cause.memo.to_owned()),
            lines,
            ..writer.entry(cause.kind)
        };
        let reference_date = (entry_date != cause.date).then_some(cause.date);
        entries.push(NewEntry { book, entry_no, entry_id, entry_date, reference_date, ..named });
    }
    writer.add(connection, entries).await?;
    Ok(dates)
}
