//! Input tax document by document: each invoice and credit note of a supplier with the numbers of its tax invoice.

use crate::columns;
use crate::db::document::decode;
use crate::db::filter::{Bound, Conditions};
use crate::http::csv_rows::Table;
use crate::office::finance::taxes::tax::GroupBy;
use domain::model::base::figures::Money;
use domain::model::books::payables::{CreditNote, Invoice};
use edge::csv::Separator;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// Query parameters of the tax report.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaxQuery {
    /// Only tax of this day in the books or later.
    pub from: Date,
    /// Only tax of this day in the books or earlier; at most 366 days.
    pub to: Date,
    /// Store. Defaults to all stores.
    pub store_id: Option<String>,
    /// Grouping of the rows.
    #[serde(default)]
    pub group_by: GroupBy,
    /// Documents on a page. Only with `group_by=document`.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page. Only with `group_by=document`.
    pub cursor: Option<Cursor>,
    /// Delimiter of the cells of a CSV answer.
    #[serde(default)]
    pub separator: Separator,
}

/// Type of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaxDocumentType {
    /// An invoice: a supplier bills tax.
    Invoice,
    /// A credit note: a supplier gives tax back.
    CreditNote,
}

/// Input tax of a supplier's document in one book.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaxDocument {
    /// Type of the document.
    #[serde(rename = "type")]
    pub kind: TaxDocumentType,
    /// ID of the document, `inv_…` or `crn_…`.
    pub document_id: String,
    /// Number of the document, such as `IN-2026-000001`.
    pub doc_no: String,
    /// Supplier that issued the document.
    pub supplier_id: String,
    /// The supplier's number of the document. Null for a credit note whose document has not arrived.
    pub supplier_doc_no: Option<String>,
    /// Date of the document.
    pub document_date: Date,
    /// Number of the tax invoice. Null if none was recorded.
    pub tax_invoice_no: Option<String>,
    /// Date of the tax invoice. Null if none was recorded.
    pub tax_invoice_date: Option<Date>,
    /// Store that the book belongs to. Empty for head office's own book.
    pub store_id: String,
    /// ID of the entry that posted the document.
    pub entry_id: String,
    /// Number of the entry in the book.
    pub entry_no: i64,
    /// The day in the books.
    pub entry_date: Date,
    /// Day that the document belongs to. Null if it is the day in the books.
    pub reference_date: Option<Date>,
    /// Amount without tax, in minor currency units. Negative for a credit note.
    pub base: Money,
    /// Amount of tax, in minor currency units. Negative for a credit note.
    pub tax: Money,
}

/// Columns of the CSV answer.
pub const TABLE: Table = Table {
    names: &[
        "type",
        "document_id",
        "doc_no",
        "supplier_id",
        "supplier_doc_no",
        "document_date",
        "tax_invoice_no",
        "tax_invoice_date",
        "store_id",
        "entry_id",
        "entry_no",
        "entry_date",
        "reference_date",
        "base",
        "tax",
    ],
    numbers: &["entry_no"],
};

/// Position of a page: the day, book and entry of the last item before it.
pub type Bookmark = (Date, String, i64);

/// The place of a document.
pub fn place(item: &TaxDocument) -> Bookmark {
    (item.entry_date, item.store_id.clone(), item.entry_no)
}

/// Entries of invoices and credit notes. A credit note that settles an invoice of another book moves 2010 once more,
/// without tax; the closing of an uninvoiced receipt has the kind `invoice` and no document.
const SELECT: &str = "\
    SELECT j.entry_id, j.entry_no, j.store_id, j.entry_date, j.reference_date, \
    COALESCE(i.document, 'null') AS invoice, COALESCE(c.document, 'null') AS note, \
    CAST(CASE WHEN j.kind = 'invoice' THEN (SELECT COALESCE(SUM(l.net), 0) FROM invoice_lines l \
    WHERE l.invoice_id = j.cause_id AND l.store_id = j.store_id) ELSE (SELECT COALESCE(SUM(l.credit - l.debit), 0) \
    FROM journal_lines l WHERE l.store_id = j.store_id AND l.entry_no = j.entry_no AND l.account IN ('2010', '1310')) \
    END AS BIGINT) AS base, \
    CAST(CASE WHEN j.kind = 'invoice' THEN (SELECT COALESCE(SUM(l.tax), 0) FROM invoice_lines l \
    WHERE l.invoice_id = j.cause_id AND l.store_id = j.store_id) ELSE (SELECT COALESCE(SUM(l.debit - l.credit), 0) \
    FROM journal_lines l WHERE l.store_id = j.store_id AND l.entry_no = j.entry_no AND l.account = '1310') \
    END AS BIGINT) AS tax \
    FROM journal j LEFT JOIN invoices i ON j.kind = 'invoice' AND i.invoice_id = j.cause_id \
    LEFT JOIN credit_notes c ON j.kind = 'credit_note' AND c.credit_note_id = j.cause_id \
    WHERE j.kind IN ('invoice', 'credit_note') AND j.cause_key NOT LIKE '%:apply#%' \
    AND (i.invoice_id IS NOT NULL OR c.credit_note_id IS NOT NULL) AND {}";

/// The newest first, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    conditions: Conditions,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<TaxDocument>, sqlx::Error> {
    let below = before.map(|(day, book, entry_no)| {
        [Bound::from(day.to_string().as_str()), Bound::from(book.as_str()), Bound::from(entry_no)]
    });
    let conditions = conditions.below(["j.entry_date", "j.store_id", "j.entry_no"], below);
    let sql = format!("{SELECT} ORDER BY j.entry_date DESC, j.store_id DESC, j.entry_no DESC LIMIT {limit}");
    conditions.query(&sql).fetch_all(connection).await?.iter().map(document).collect()
}

fn document(row: &AnyRow) -> Result<TaxDocument, sqlx::Error> {
    let (invoice, note): (String, String) = columns!(row => (invoice, note));
    if let Some(it) = decode::<Option<Invoice>>(&invoice)? {
        return Ok(columns!(row => TaxDocument {
            store_id, entry_id, entry_no, entry_date, reference_date, base, tax;
            kind = TaxDocumentType::Invoice, document_id = it.invoice_id, doc_no = it.doc_no,
            supplier_id = it.supplier_id, supplier_doc_no = Some(it.invoice_no), document_date = it.invoice_date,
            tax_invoice_no = it.tax_invoice_no, tax_invoice_date = it.tax_invoice_date,
        }));
    }
    let missing = || sqlx::Error::Decode("an entry has no document".into());
    let it = decode::<Option<CreditNote>>(&note)?.ok_or_else(missing)?;
    Ok(columns!(row => TaxDocument {
        store_id, entry_id, entry_no, entry_date, reference_date, base, tax;
        kind = TaxDocumentType::CreditNote, document_id = it.credit_note_id, doc_no = it.doc_no,
        supplier_id = it.supplier_id, supplier_doc_no = it.credit_note_no, document_date = it.date,
        tax_invoice_no = None, tax_invoice_date = None,
    }))
}
