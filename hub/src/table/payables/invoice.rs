//! `invoices` and `invoice_lines`: invoices of suppliers as documents.

use crate::db::document::{Table, encode, table};
use crate::db::insert;
use crate::row;
use crate::table::payables::uninvoiced;
use crate::table::purchase_order;
use domain::model::base::figures::Money;
use domain::model::base::ids::Sku;
use domain::model::books::payables::{Invoice, InvoiceState, MatchException, MatchExceptionKind};
use domain::model::inventory::purchase::OrderLine;
use domain::model::inventory::receiving::Receiving;
use edge::clock;
use sqlx::{AnyConnection, Error};
use std::collections::BTreeSet;

/// Table of the documents.
pub const TABLE: Table = table!("invoices", "invoice_id");

/// Writes an invoice; `number_key` is the normalised number.
pub async fn put(connection: &mut AnyConnection, invoice: &Invoice, number_key: &str) -> Result<(), Error> {
    let row = row! {
        invoice_id: invoice.invoice_id.as_str(), supplier_id: invoice.supplier_id.as_str(), number_key,
        invoice_no: invoice.invoice_no.as_str(), invoice_date: invoice.invoice_date.to_string(),
        due_date: invoice.due_date.to_string(), state: invoice.state.name(), total: invoice.total,
        open: invoice.open, updated_at: clock::now().0,
        document: encode(invoice)?,
    };
    insert::replace(connection, "invoices", &["invoice_id"], vec![row]).await?;
    uninvoiced::write_lines(connection, invoice).await
}

/// Holds the pieces that an invoice bills (1), or lets them go (−1).
pub async fn hold_pieces(connection: &mut AnyConnection, invoice: &Invoice, sign: i64) -> Result<(), Error> {
    for line in invoice.lines.iter().filter(|line| line.matched_qty > 0) {
        if let Some(at) = line.receipt() {
            let qty = line.matched_qty.saturating_mul(sign);
            uninvoiced::hold(connection, &at, qty).await?;
            if let Some((po_id, line_no)) = line.po_id.as_deref().zip(line.po_line_no) {
                let bill = |line: &mut OrderLine| line.invoiced_qty = line.invoiced_qty.saturating_add(qty);
                purchase_order::at_line(connection, po_id, |line| line.line_no == line_no, bill).await?;
            }
        }
    }
    Ok(())
}

/// An invoice that is matched releases its pieces, and is disputed at its lines of these products: fewer pieces are left
/// than it bills.
pub async fn release_held(
    connection: &mut AnyConnection,
    invoice_id: &str,
    skus: &BTreeSet<&Sku>,
) -> Result<(), Error> {
    let found: Option<Invoice> = TABLE.locked(connection, invoice_id).await?;
    let Some(mut invoice) = found.filter(|invoice| invoice.state == InvoiceState::Matched) else {
        return Ok(());
    };
    hold_pieces(connection, &invoice, -1).await?;
    invoice.state = InvoiceState::Disputed;
    let lines = invoice
        .lines
        .iter()
        .filter(|line| line.matched_qty > 0 && line.sku.as_ref().is_some_and(|sku| skus.contains(sku)));
    let over = lines.map(|line| MatchException {
        line_no: Some(line.line_no),
        kind: MatchExceptionKind::QtyOver,
        stops: true,
        amount: Money::ZERO,
        expected: None,
        actual: Some(line.qty.get()),
        reason: None,
        accepted_by: None,
    });
    let over: Vec<_> = over.collect();
    invoice.exceptions.extend(over);
    let sql = "SELECT number_key FROM invoices WHERE invoice_id = $1";
    let key: String = sqlx::query_scalar(sql).bind(invoice_id.to_owned()).fetch_one(&mut *connection).await?;
    put(connection, &invoice, &key).await
}

/// Releases the pieces of a reversed receipt from invoices that are matched and not in the books: returned goods are
/// not to be paid. The invoices are locked before the lines of the receipt, as in an approval.
pub async fn release_receipt(
    connection: &mut AnyConnection,
    store_id: &str,
    receiving: &Receiving,
) -> Result<(), Error> {
    let held = "SELECT DISTINCT invoice_id FROM invoice_lines WHERE store_id = $1 AND receiving_id = $2 \
                AND posted = 0 AND held_qty > 0 ORDER BY invoice_id";
    let query = sqlx::query_scalar(held).bind(store_id.to_owned());
    let query = query.bind(receiving.receiving_id.as_str().to_owned());
    let invoices: Vec<String> = query.fetch_all(&mut *connection).await?;
    let skus: BTreeSet<&Sku> = receiving.lines.iter().map(|line| &line.sku).collect();
    for invoice_id in invoices {
        release_held(connection, &invoice_id, &skus).await?;
    }
    Ok(())
}

/// Another invoice of a supplier with that number that counts.
pub async fn of_number(
    connection: &mut AnyConnection,
    supplier_id: &str,
    number_key: &str,
    but: &str,
) -> Result<Option<String>, Error> {
    let sql = "SELECT invoice_id FROM invoices WHERE supplier_id = $1 AND number_key = $2 AND state <> 'cancelled' \
               AND invoice_id <> $3";
    let query = sqlx::query_scalar(sql).bind(supplier_id.to_owned()).bind(number_key.to_owned());
    query.bind(but.to_owned()).fetch_optional(connection).await
}

/// Whether a supplier has another invoice of the same total within some days.
pub async fn has_twin(
    connection: &mut AnyConnection,
    invoice: &Invoice,
    (from, to): (String, String),
) -> Result<bool, Error> {
    let sql = "SELECT COUNT(*) FROM invoices WHERE supplier_id = $1 AND total = $2 AND invoice_date >= $3 \
               AND invoice_date <= $4 AND invoice_id <> $5 AND state <> 'cancelled'";
    let query = sqlx::query_scalar(sql).bind(invoice.supplier_id.clone()).bind(invoice.total.get());
    let query = query.bind(from).bind(to).bind(invoice.invoice_id.clone());
    let count: i64 = query.fetch_one(connection).await?;
    Ok(count > 0)
}
