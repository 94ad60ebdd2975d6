//! Invoices of suppliers are created, changed and cancelled.

use crate::config::Purchasing;
use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::writer::{Writer, check_bytes, check_text};
use crate::office::payables::invoice_change::Change;
use crate::office::suppliers::supplier::{self, Known};
use crate::table::payables::invoice::{TABLE, of_number, put};
use crate::table::payables::uninvoiced;
use crate::table::purchase_order;
use crate::table::{counter, store};
use domain::model::base::figures::{BasisPoints, Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{
    ACCOUNT_DIGITS, FIGURE_MAX, ID_BYTES_MAX, ITEMS_MAX, PRICE_MAX, QTY_MAX, SHORT_ID_BYTES_MAX,
    SKU_BYTES_MAX, TEXT_CHARS_MAX,
};
use domain::model::base::refusal::Refusal;
use domain::model::base::text::is_blank;
use domain::model::books::payables::{DiscountTerms, Invoice, InvoiceLine, InvoiceState};
use domain::rules::books::payables::{FigureLimits, InvoiceStep, ReceiptLine, figures, number_key};
use domain::rules::inventory::purchase::note_writer;
use edge::{ApiError, ids};
use jiff::Span;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// The longest number of a supplier's document, in bytes.
pub(super) const NUMBER_BYTES_MAX: usize = 64;
/// The most days of terms.
const DAYS_MAX: u32 = 3650;

/// A new invoice of a supplier.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewInvoice")]
pub struct New {
    /// Supplier that issued the document.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: String,
    /// The supplier's number of the invoice.
    #[schemars(length(min = 1, max = NUMBER_BYTES_MAX))]
    pub invoice_no: String,
    /// Date of the invoice, not after today.
    pub invoice_date: Date,
    /// Due date; null to follow the supplier's terms.
    pub due_date: Option<Date>,
    /// Invoiced receipts and order lines.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<NewLine>,
    /// Tax in minor currency units. Null for the sum of the lines' tax.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub tax: Option<Money>,
    /// Rounding by the supplier, signed, in minor currency units.
    #[serde(default)]
    #[schemars(range(min = -FIGURE_MAX, max = FIGURE_MAX))]
    pub rounding: Money,
    /// Number of the tax invoice. Null for none.
    #[schemars(length(max = NUMBER_BYTES_MAX))]
    pub tax_invoice_no: Option<String>,
    /// Date of the tax invoice. Null for none.
    pub tax_invoice_date: Option<Date>,
    /// Early-payment discount; null to follow the supplier's terms.
    pub discount_terms: Option<DiscountTerms>,
    /// Whether the invoice was already owed when the books began.
    #[serde(default)]
    pub opening: bool,
    /// Note in free text. Null for none.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// A line of a new invoice.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewInvoiceLine")]
pub struct NewLine {
    /// ID of the receipt. Null for an expense.
    #[schemars(length(max = ID_BYTES_MAX))]
    pub receiving_id: Option<String>,
    /// Line number of the receipt. Null for none.
    pub receiving_line_no: Option<u32>,
    /// ID of the order. Null for none.
    #[schemars(length(max = ID_BYTES_MAX))]
    pub po_id: Option<String>,
    /// Line number of the order. Null for none.
    pub po_line_no: Option<u32>,
    /// Product code (SKU).
    #[schemars(length(max = SKU_BYTES_MAX))]
    pub sku: Option<Sku>,
    /// Account of an expense. Null for goods.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: Option<String>,
    /// Store that the book belongs to. Empty for head office's own book.
    #[serde(default)]
    #[schemars(length(max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Description of the line. Null for none.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub description: Option<String>,
    /// Number of pieces.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Price per piece in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub unit_cost: Money,
    /// Amount without tax, in minor currency units. Null for `qty` × `unit_cost`.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub net: Option<Money>,
    /// Tax rate in basis points. Null for the supplier's usual rate.
    #[schemars(range(min = 0, max = BasisPoints::WHOLE.get()))]
    pub tax_rate_bp: Option<u32>,
    /// Tax of the line, in minor currency units. Null to calculate it from the rate.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub tax: Option<Money>,
}

impl NewLine {
    fn line(self, line_no: u32, usual_bp: u32) -> InvoiceLine {
        let mut line = InvoiceLine {
            line_no,
            store_id: self.store_id,
            receiving_id: self.receiving_id,
            receiving_line_no: self.receiving_line_no,
            po_id: self.po_id,
            po_line_no: self.po_line_no,
            sku: self.sku,
            account: self.account,
            description: self.description,
            qty: self.qty,
            unit_cost: self.unit_cost,
            tax_rate_bp: self.tax_rate_bp.unwrap_or(usual_bp),
            ..InvoiceLine::default()
        };
        line.filled(self.net, self.tax);
        line
    }
}

/// Stores an invoice.
///
/// # Errors
/// 422; 409 `duplicate` for a number of the supplier that counts.
pub async fn create(
    connection: &mut AnyConnection,
    new: New,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<Invoice, Failure> {
    let invoice = Invoice {
        invoice_id: ids::new("inv_"),
        doc_no: String::new(),
        created_by: writer.by.to_owned(),
        created_at: writer.now,
        ..composed(connection, new, writer, set).await?
    };
    let key = number_key(&invoice.invoice_no, invoice.invoice_date, set.invoice_number_per_year);
    check_number(connection, &invoice, &key).await?;
    let doc_no = counter::next(connection, "IN", writer.today.year()).await?;
    let invoice = Invoice { doc_no, ..invoice };
    put(connection, &invoice, &key).await?;
    Ok(invoice)
}

/// Changes an invoice; a matched one keeps supplier and number.
///
/// # Errors
/// 404; 409 `invalid_state`; as [`create`].
pub async fn change(
    connection: &mut AnyConnection,
    invoice_id: &str,
    asked: Change,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<Invoice, Failure> {
    let before = locked(connection, invoice_id).await?;
    InvoiceStep::Change.check(&before).map_err(ApiError::from)?;
    let rewrites = asked.rewrites();
    let new = asked.of(&before);
    let same = new.supplier_id == before.supplier_id && new.invoice_no == before.invoice_no;
    if before.matched_at.is_some() && !same {
        return Err(ApiError::field(
            "invoice_no",
            "and supplier_id can't change after the invoice was matched",
        )
        .into());
    }
    let figures = [before.net, before.tax, before.total];
    let mut invoice = Invoice {
        invoice_id: before.invoice_id,
        doc_no: before.doc_no,
        created_by: before.created_by,
        created_at: before.created_at,
        writers: before.writers,
        matched_at: before.matched_at,
        ..composed(connection, new, writer, set).await?
    };
    if rewrites || figures != [invoice.net, invoice.tax, invoice.total] {
        note_writer(&mut invoice.writers, writer.by);
    }
    let key = number_key(&invoice.invoice_no, invoice.invoice_date, set.invoice_number_per_year);
    check_number(connection, &invoice, &key).await?;
    put(connection, &invoice, &key).await?;
    Ok(invoice)
}

/// An invoice, locked until the transaction ends.
///
/// # Errors
/// 404.
pub async fn locked(connection: &mut AnyConnection, invoice_id: &str) -> Result<Invoice, Failure> {
    let found: Option<Invoice> = TABLE.locked(connection, invoice_id).await?;
    Ok(found.ok_or_else(|| ApiError::not_found("the invoice"))?)
}

/// Writes an invoice whose number stays.
pub async fn save(
    connection: &mut AnyConnection,
    invoice: &Invoice,
    set: &Purchasing,
) -> Result<(), Failure> {
    let key = number_key(&invoice.invoice_no, invoice.invoice_date, set.invoice_number_per_year);
    Ok(put(connection, invoice, &key).await?)
}

async fn check_number(connection: &mut AnyConnection, invoice: &Invoice, key: &str) -> Result<(), Failure> {
    let found = of_number(connection, &invoice.supplier_id, key, &invoice.invoice_id).await?;
    match found {
        Some(id) => Err(ApiError::from(Refusal::Duplicate { what: "invoice", id }).into()),
        None => Ok(()),
    }
}

/// An invoice from a user's input, without author and time.
async fn composed(
    connection: &mut AnyConnection,
    new: New,
    writer: &Writer<'_>,
    set: &Purchasing,
) -> Result<Invoice, Failure> {
    check(&new, writer)?;
    let known: Option<Known> = supplier::TABLE.locked(connection, &new.supplier_id).await?;
    let known = known.ok_or_else(|| ApiError::field("supplier_id", "is not a supplier"))?;
    let usual = known.terms.default_tax_rate_bp.unwrap_or(0);
    let lines = (1_u32..).zip(new.lines).map(|(line_no, line)| line.line(line_no, usual)).collect();
    let terms = known.terms.discount_days.zip(known.terms.discount_bp);
    let days = Span::new().try_days(i64::from(known.supplier.payment_terms_days.unwrap_or(0)));
    let due = days.and_then(|days| new.invoice_date.checked_add(days)).unwrap_or(new.invoice_date);
    let mut invoice = Invoice {
        invoice_id: String::new(),
        doc_no: String::new(),
        supplier_id: new.supplier_id,
        invoice_no: new.invoice_no.trim().to_owned(),
        invoice_date: new.invoice_date,
        due_date: new.due_date.unwrap_or(due),
        state: InvoiceState::Draft,
        opening: new.opening,
        net: Money::ZERO,
        tax: Money::ZERO,
        rounding: new.rounding,
        total: Money::ZERO,
        tax_invoice_no: new.tax_invoice_no.filter(|number| !is_blank(number)),
        tax_invoice_date: new.tax_invoice_date,
        discount_terms: new.discount_terms.or(terms.map(|(days, bp)| DiscountTerms { days, bp })),
        lines,
        exceptions: Vec::new(),
        paid: Money::ZERO,
        discount: Money::ZERO,
        credited: Money::ZERO,
        open: Money::ZERO,
        books: Vec::new(),
        matched_at: None,
        approved_by: None,
        approved_at: None,
        note: new.note.filter(|note| !is_blank(note)),
        created_by: String::new(),
        created_at: writer.now,
        writers: Vec::new(),
    };
    figures(&mut invoice, new.tax, FigureLimits { rounding: set.invoice_rounding })
        .map_err(ApiError::from)?;
    let accounts = invoice.lines.iter().filter_map(|line| line.account.as_ref());
    Chart::read(connection).await?.check_by_hand(accounts)?;
    let stores: BTreeSet<&String> = invoice.lines.iter().map(|line| &line.store_id).collect();
    for store_id in stores.into_iter().filter(|store_id| !store_id.is_empty()) {
        store::check_known(connection, "lines", store_id).await?;
    }
    place(connection, &mut invoice.lines).await?;
    Ok(invoice)
}

/// Sets store, order and product of a line that names a receipt's line to those of the receipt.
async fn place(connection: &mut AnyConnection, lines: &mut [InvoiceLine]) -> Result<(), Failure> {
    let receipts = uninvoiced::named(connection, lines).await?;
    for (at, line) in lines.iter_mut().enumerate() {
        let (Some(receiving_id), Some(line_no)) = (&line.receiving_id, line.receiving_line_no) else {
            of_order(connection, line).await?;
            continue;
        };
        let named = |receipt: &&ReceiptLine| {
            receipt.at.receiving_id == *receiving_id
                && receipt.at.line_no == line_no
                && (line.store_id.is_empty() || line.store_id == receipt.at.store_id)
        };
        let parts: Vec<&ReceiptLine> = receipts.iter().filter(named).collect();
        let Some(found) = parts.first() else {
            let path = format!("lines[{at}].receiving_id");
            return Err(ApiError::field(path, "has no such line, or the receipt was reversed").into());
        };
        line.store_id.clone_from(&found.at.store_id);
        line.po_id.clone_from(&found.po_id);
        // Pieces for several lines of their order are allocated to them when the invoice is matched.
        line.po_line_no = match parts.as_slice() {
            [only] => only.po_line_no,
            several => {
                line.po_line_no.filter(|named| several.iter().any(|part| part.po_line_no == Some(*named)))
            }
        };
        line.sku = Some(found.sku.clone());
    }
    Ok(())
}

/// The book of a line that names only an order is that of the order's store, also for pieces that have not arrived.
async fn of_order(connection: &mut AnyConnection, line: &mut InvoiceLine) -> Result<(), Failure> {
    if let Some(po_id) = line.po_id.as_deref().filter(|_| line.store_id.is_empty())
        && let Some(order) = purchase_order::unlocked(connection, po_id).await?
    {
        line.store_id = order.store_id.0;
    }
    Ok(())
}

fn check(new: &New, writer: &Writer<'_>) -> Result<(), ApiError> {
    writer.check_not_later("invoice_date", new.invoice_date)?;
    if new.due_date.is_some_and(|due| due < new.invoice_date) {
        return Err(ApiError::field("due_date", "must not be before invoice_date"));
    }
    let bare = number_key(&new.invoice_no, new.invoice_date, false);
    let long = |text: &String| text.len() > NUMBER_BYTES_MAX || text.contains('\0');
    if bare.is_empty() || long(&new.invoice_no) {
        return Err(ApiError::field("invoice_no", "must have 1 to 64 bytes with a letter or digit"));
    }
    if new.tax_invoice_no.as_ref().is_some_and(long) {
        return Err(ApiError::field("tax_invoice_no", "must be at most 64 bytes, without NUL"));
    }
    if new.discount_terms.is_some_and(|terms| terms.days > DAYS_MAX || terms.bp > 10_000) {
        return Err(ApiError::field("discount_terms", "must be 0 to 3650 days and 0 to 10000 basis points"));
    }
    if let Some(note) = &new.note {
        check_text("note", note)?;
    }
    for (place, line) in new.lines.iter().enumerate() {
        if let Some(text) = &line.description {
            check_text(&format!("lines[{place}].description"), text)?;
        }
        for (field, key, most) in [
            ("receiving_id", line.receiving_id.as_deref(), ID_BYTES_MAX),
            ("po_id", line.po_id.as_deref(), ID_BYTES_MAX),
            ("sku", line.sku.as_ref().map(Sku::as_str), SKU_BYTES_MAX),
        ] {
            check_bytes(|| format!("lines[{place}].{field}"), key, most)?;
        }
    }
    Ok(())
}
