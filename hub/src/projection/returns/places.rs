//! The receipts from which goods returned to a supplier may have come.

use crate::columns;
use crate::db::column::Columns as _;
use crate::table::payables::invoice;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::rules::books::payables::{BilledPart, OpenReceipt, ReturnPlace};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error};
use std::collections::BTreeSet;

/// The lines of receipts of a supplier and a product in a store, locked, the newest first, with the uninvoiced pieces
/// of each, and the billed pieces that were not returned.
pub(crate) async fn of(
    connection: &mut AnyConnection,
    store_id: &str,
    supplier_id: &str,
    sku: &Sku,
) -> Result<Vec<ReturnPlace>, Error> {
    let sql = "UPDATE uninvoiced SET closed = closed WHERE store_id = $1 AND supplier_id = $2 AND sku = $3 \
               AND kind = 'receipt' AND ((closed = 0 AND invoiced_qty + returned_qty < qty) \
               OR credited_qty < invoiced_qty) RETURNING receiving_id, line_no, \
               CASE WHEN closed = 0 THEN qty - invoiced_qty - returned_qty ELSE 0 END AS open_qty, open_value, \
               business_date, credited_qty";
    let query = sqlx::query(sql).bind(store_id.to_owned()).bind(supplier_id.to_owned());
    let rows = query.bind(sku.as_str().to_owned()).fetch_all(&mut *connection).await?;
    let mut places = rows.iter().map(place).collect::<Result<Vec<_>, Error>>()?;
    places.sort_by(|(day, _, one), (other_day, _, other)| {
        (other_day, &other.receiving_id, one.line_no).cmp(&(day, &one.receiving_id, other.line_no))
    });
    let mut found = Vec::new();
    for (_, credited, mut place) in places {
        place.billed = billed(connection, store_id, &place, credited).await?;
        found.push(place);
    }
    Ok(found)
}

/// Releases returned pieces from matched invoices that are not in the books, if too few are left: returned goods are
/// not to be paid. The invoices are locked before any receipt of the return, as in an approval.
pub(crate) async fn release_held(
    connection: &mut AnyConnection,
    (store_id, supplier_id): (&str, &str),
    sku: &Sku,
    qty: Quantity,
) -> Result<(), Error> {
    let sql = "SELECT CAST(COALESCE(SUM(CASE WHEN u.closed = 0 THEN u.qty - u.returned_qty ELSE u.invoiced_qty END \
               - u.credited_qty), 0) AS BIGINT) AS pieces FROM uninvoiced u \
               WHERE u.store_id = $1 AND u.supplier_id = $2 AND u.sku = $3 AND u.kind = 'receipt'";
    let held = "SELECT l.invoice_id, CAST(SUM(l.held_qty) AS BIGINT) AS held, \
                CAST(SUM(CASE WHEN u.closed = 0 THEN l.held_qty ELSE 0 END) AS BIGINT) AS frees FROM uninvoiced u \
                JOIN invoice_lines l ON l.store_id = u.store_id AND l.receiving_id = u.receiving_id \
                AND l.receiving_line_no = u.line_no \
                WHERE u.store_id = $1 AND u.supplier_id = $2 AND u.sku = $3 AND u.kind = 'receipt' \
                AND l.posted = 0 AND l.held_qty > 0 GROUP BY l.invoice_id ORDER BY l.invoice_id";
    let of = |sql: &'static str| {
        let query = sqlx::query(sql).bind(store_id.to_owned()).bind(supplier_id.to_owned());
        query.bind(sku.as_str().to_owned())
    };
    let rows = of(held).fetch_all(&mut *connection).await?;
    let mut invoices: Vec<(String, Quantity, Quantity)> = Vec::new();
    for row in &rows {
        invoices.push(columns!(row => (invoice_id, held, frees)));
    }
    let pieces: Quantity = of(sql).fetch_one(&mut *connection).await?.cell("pieces")?;
    let all_held = invoices.iter().map(|(_, held, _)| *held).sum();
    let mut left = pieces.saturating_sub(all_held);
    // A reversed receipt has no free pieces, even for the document that holds it.
    for (invoice_id, _, frees) in invoices.into_iter().filter(|(.., frees)| *frees > 0) {
        if left >= qty {
            break;
        }
        invoice::release_held(connection, &invoice_id, &BTreeSet::from([sku])).await?;
        left = left.saturating_add(frees);
    }
    Ok(())
}

fn place(row: &AnyRow) -> Result<(String, Quantity, ReturnPlace), Error> {
    let (receiving_id, line_no, qty, value): (String, u32, Quantity, Money) =
        columns!(row => (receiving_id, line_no, open_qty, open_value));
    let (day, credited): (String, Quantity) = columns!(row => (business_date, credited_qty));
    let open = OpenReceipt { qty, value };
    Ok((day, credited, ReturnPlace { receiving_id, line_no, open, billed: Vec::new() }))
}

/// Pieces of a line that invoices in the books bill, without returned pieces.
async fn billed(
    connection: &mut AnyConnection,
    store_id: &str,
    place: &ReturnPlace,
    credited: Quantity,
) -> Result<Vec<BilledPart>, Error> {
    let sql = "SELECT invoice_id, line_no, held_qty, tax_rate_bp FROM invoice_lines WHERE store_id = $1 \
               AND receiving_id = $2 AND receiving_line_no = $3 AND posted = 1 ORDER BY invoice_id, line_no";
    let query = sqlx::query(sql).bind(store_id.to_owned()).bind(place.receiving_id.clone());
    let (mut gone, mut parts) = (credited, Vec::new());
    for row in query.bind(i64::from(place.line_no)).fetch_all(connection).await? {
        let (invoice_id, line_no, held, tax_rate_bp): (String, u32, Quantity, u32) =
            columns!(row => (invoice_id, line_no, held_qty, tax_rate_bp));
        let back = gone.min(held);
        gone = gone.saturating_sub(back);
        parts.push(BilledPart { invoice_id, line_no, qty: held.saturating_sub(back), tax_rate_bp });
    }
    Ok(parts)
}
