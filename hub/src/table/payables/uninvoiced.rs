//! Table `uninvoiced`: the lines of receipts whose value is in account 2020 until an invoice takes it out.

use crate::columns;
use crate::db::insert;
use crate::row;
use crate::table::purchase_order;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::books::payables::{Invoice, InvoiceLine, ReceiptRef};
use domain::rules::books::payables::{LineTotal, OpenReceipt, Part, ReceiptLine, on_order_lines};
use jiff::civil::Date;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Error};
use std::collections::{BTreeMap, BTreeSet};

/// Selects open lines of receipts. The update changes nothing: it locks the rows.
const LINES: &str = "UPDATE uninvoiced SET closed = closed WHERE kind = 'receipt' AND closed = 0 AND";
/// Columns that [`line`] reads.
const RETURNING: &str = "RETURNING store_id, receiving_id, line_no, supplier_id, po_id, sku, business_date, \
                         qty - invoiced_qty - returned_qty AS open_qty, open_value, unit_cost, \
                         cost_missing, qty AS came, value AS came_value";

/// Lines of receipts by their business dates and keys, the oldest first.
type Found = BTreeMap<(String, ReceiptRef), ReceiptLine>;

/// Locks the lines of receipts that an invoice's lines name, by receipt or by order, and all other lines of these
/// orders. Returns them with the lines of the orders that they were received for, the oldest first.
pub async fn named(connection: &mut AnyConnection, lines: &[InvoiceLine]) -> Result<Vec<ReceiptLine>, Error> {
    let mut orders: BTreeSet<String> = lines.iter().filter_map(|line| line.po_id.clone()).collect();
    let receipts: BTreeSet<String> = lines.iter().filter_map(|line| line.receiving_id.clone()).collect();
    let mut found = Found::new();
    lock_lines(connection, "po_id", &orders, &mut found).await?;
    lock_lines(connection, "receiving_id", &receipts, &mut found).await?;
    let others: BTreeSet<String> = found.values().filter_map(|line| line.po_id.clone()).collect();
    let others = others.difference(&orders).cloned().collect();
    lock_lines(connection, "po_id", &others, &mut found).await?;
    orders.extend(others);
    let mut lines: Vec<ReceiptLine> = found.into_values().collect();
    for po_id in orders {
        let of_order = |line: &ReceiptLine| line.po_id.as_ref() == Some(&po_id);
        let Some(order) = purchase_order::unlocked(connection, &po_id).await? else { continue };
        let (own, rest): (Vec<ReceiptLine>, Vec<ReceiptLine>) = lines.into_iter().partition(of_order);
        lines = on_order_lines(own, &order.lines).into_iter().chain(rest).collect();
    }
    Ok(lines)
}

/// Locks the lines of receipts that have one of the IDs in `column`, and adds them to `found`.
async fn lock_lines(
    connection: &mut AnyConnection,
    column: &str,
    ids: &BTreeSet<String>,
    found: &mut Found,
) -> Result<(), Error> {
    for id in ids {
        let sql = format!("{LINES} {column} = $1 {RETURNING}");
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.clone());
        for row in query.fetch_all(&mut *connection).await? {
            let (day, line) = line(&row)?;
            found.insert((day, line.at.clone()), line);
        }
    }
    Ok(())
}

fn line(row: &AnyRow) -> Result<(String, ReceiptLine), Error> {
    let (store_id, receiving_id, line_no, sku): (String, String, u32, Sku) =
        columns!(row => (store_id, receiving_id, line_no, sku));
    let (supplier_id, po_id, day): (Option<String>, Option<String>, String) =
        columns!(row => (supplier_id, po_id, business_date));
    let (qty, value, unit_cost, cost_missing): (Quantity, Money, Money, bool) =
        columns!(row => (open_qty, open_value, unit_cost, cost_missing));
    let at = ReceiptRef { store_id, receiving_id, line_no };
    let open = OpenReceipt { qty, value };
    let (po_line_no, order_cost) = (None, None);
    let (came, came_value): (Quantity, Money) = columns!(row => (came, came_value));
    // A cost that was given as a total is compared as a total.
    let total = (came_value != unit_cost.saturating_mul(came.get()))
        .then_some(LineTotal { value: came_value, qty: came });
    Ok((
        day,
        ReceiptLine {
            at,
            supplier_id,
            po_id,
            po_line_no,
            sku,
            open,
            unit_cost,
            order_cost,
            total,
            cost_missing,
        },
    ))
}

/// Reserves pieces of a line for a matched invoice that is not posted yet. A negative quantity releases them.
pub async fn hold(connection: &mut AnyConnection, at: &ReceiptRef, qty: Quantity) -> Result<(), Error> {
    let sql = "UPDATE uninvoiced SET invoiced_qty = invoiced_qty + $4 \
               WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3";
    bound(sql, at).bind(qty.get()).execute(connection).await?;
    Ok(())
}

/// Pieces and value of a line that no posted invoice took out of 2020: the open ones, and those held by invoices that
/// are not posted.
pub async fn unposted(connection: &mut AnyConnection, at: &ReceiptRef) -> Result<Option<OpenReceipt>, Error> {
    let sql = "UPDATE uninvoiced SET closed = closed WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3 \
               RETURNING qty - invoiced_qty - returned_qty AS open_qty, open_value, \
               (SELECT CAST(COALESCE(SUM(l.held_qty), 0) AS BIGINT) FROM invoice_lines l WHERE l.store_id = uninvoiced.store_id \
               AND l.receiving_id = uninvoiced.receiving_id AND l.receiving_line_no = uninvoiced.line_no \
               AND l.posted = 0) AS all_held";
    let Some(row) = bound(sql, at).fetch_optional(connection).await? else { return Ok(None) };
    let (qty, value, all_held): (Quantity, Money, Quantity) =
        columns!(row => (open_qty, open_value, all_held));
    // The value still includes pieces that other matched invoices hold, so they are counted here too.
    Ok(Some(OpenReceipt { qty: qty.saturating_add(all_held), value }))
}

/// Cause of a withdrawal from a line: the key of its entries, and the day that it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Cause<'a> {
    /// Key of the cause. Each key has one entry per book.
    pub key: &'a str,
    /// Day of the cause.
    pub day: Date,
}

/// Records what a cause took out of a line; below 0, what it gave back. The open amount of any day is computed from
/// these rows.
pub async fn note(
    connection: &mut AnyConnection,
    at: &ReceiptRef,
    cause: Cause<'_>,
    taken: Part,
) -> Result<(), Error> {
    let cells = row! {
        store_id: at.store_id.as_str(), receiving_id: at.receiving_id.as_str(), line_no: i64::from(at.line_no),
        cause_key: cause.key, day: cause.day.to_string(), qty: taken.qty.saturating_neg(),
        value: taken.value.saturating_neg(),
    };
    let key = ["store_id", "receiving_id", "line_no", "cause_key", "day"];
    insert::sums(connection, "uninvoiced_moves", &key, vec![cells]).await
}

/// Takes the amount of an approved invoice out of a line.
pub async fn take(
    connection: &mut AnyConnection,
    at: &ReceiptRef,
    cause: Cause<'_>,
    part: Part,
) -> Result<(), Error> {
    let sql = "UPDATE uninvoiced SET open_value = open_value - $4 \
               WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3";
    bound(sql, at).bind(part.value.get()).execute(&mut *connection).await?;
    note(connection, at, cause, part).await
}

/// Store of a receipt's line for which the supplier owes a credit, because the line was reversed after it was billed.
pub async fn claimed_in(
    connection: &mut AnyConnection,
    supplier_id: &str,
    (receiving_id, line_no): (&str, u32),
) -> Result<Option<String>, Error> {
    let sql = "SELECT store_id FROM uninvoiced WHERE receiving_id = $1 AND line_no = $2 AND supplier_id = $3 \
               AND open_value < 0 AND kind <> 'pay_out' ORDER BY store_id LIMIT 1";
    let query = sqlx::query_scalar(sql).bind(receiving_id.to_owned()).bind(i64::from(line_no));
    query.bind(supplier_id.to_owned()).fetch_optional(connection).await
}

/// Settles a part of what the supplier owes for a line by a credit note. Returns false if less is owed.
pub async fn settle_claim(
    connection: &mut AnyConnection,
    at: &ReceiptRef,
    cause: Cause<'_>,
    net: Money,
) -> Result<bool, Error> {
    let sql = "UPDATE uninvoiced SET open_value = open_value + $4 WHERE store_id = $1 AND receiving_id = $2 \
               AND line_no = $3 AND open_value + $4 <= 0";
    let done = bound(sql, at).bind(net.get()).execute(&mut *connection).await?;
    note(connection, at, cause, Part { qty: Quantity::ZERO, value: net.saturating_neg() }).await?;
    Ok(done.rows_affected() == 1)
}

/// Whether there are received pieces that this line of an invoice may bill and that no invoice bills yet.
pub async fn has_open(pool: &AnyPool, supplier_id: &str, line: &InvoiceLine) -> Result<bool, Error> {
    let sql = "SELECT COUNT(*) FROM uninvoiced WHERE kind = 'receipt' AND closed = 0 \
               AND invoiced_qty + returned_qty < qty AND (supplier_id = $1 OR supplier_id IS NULL) \
               AND (po_id = $2 OR receiving_id = $3) AND ($4 = '' OR sku = $4)";
    let query = sqlx::query_scalar(sql).bind(supplier_id.to_owned());
    let query = query.bind(line.po_id.clone().unwrap_or_default());
    let query = query.bind(line.receiving_id.clone().unwrap_or_default());
    let sku = line.sku.as_ref().map(|sku| sku.as_str().to_owned()).unwrap_or_default();
    let count: i64 = query.bind(sku).fetch_one(pool).await?;
    Ok(count > 0)
}

/// A statement with its parameters.
pub type Query = sqlx::query::Query<'static, sqlx::Any, sqlx::any::AnyArguments>;

/// A statement whose parameters `$1` to `$3` are the key of a line.
pub fn bound(sql: &'static str, at: &ReceiptRef) -> Query {
    let query = sqlx::query(sql).bind(at.store_id.clone()).bind(at.receiving_id.clone());
    query.bind(i64::from(at.line_no))
}

/// Replaces the rows of an invoice's lines, by which they are found by store, receipt and order, with their input tax.
pub async fn write_lines(connection: &mut AnyConnection, invoice: &Invoice) -> Result<(), Error> {
    let sql = "DELETE FROM invoice_lines WHERE invoice_id = $1";
    sqlx::query(sql).bind(invoice.invoice_id.clone()).execute(&mut *connection).await?;
    let (holds, posted) = (invoice.state.holds_pieces(), invoice.state.is_posted());
    let cells = |line: &InvoiceLine| {
        // The tax of an invoice from before these books was claimed in the earlier ones.
        let (net, tax) = if invoice.opening { (Money::ZERO, Money::ZERO) } else { (line.net, line.tax) };
        row! {
            invoice_id: invoice.invoice_id.as_str(), line_no: i64::from(line.line_no),
            store_id: line.store_id.as_str(), receiving_id: line.receiving_id.clone(),
            receiving_line_no: line.receiving_line_no.map(i64::from), po_id: line.po_id.clone(),
            tax_rate_bp: i64::from(line.tax_rate_bp), net, tax,
            sku: line.sku.as_ref().map_or("", |sku| sku.as_str()), qty: line.qty,
            variance: line.variance.unwrap_or_default(),
            held_qty: if holds { line.matched_qty } else { Quantity::ZERO }, posted: i64::from(posted),
        }
    };
    insert::rows(connection, "invoice_lines", "", invoice.lines.iter().map(cells).collect()).await
}
