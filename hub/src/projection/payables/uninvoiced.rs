//! Account 2020, line by line: receipts add; reversals, returns and suppliers paid from tills subtract.

use crate::db::insert::{self, NewRow};
use crate::projection::payables::credit_note;
use crate::projection::returns::places;
use crate::row;
use crate::table::exception::{self, Found};
use crate::table::payables::invoice;
use crate::table::payables::uninvoiced::{Cause, bound, note};
use crate::table::purchase_order;
use domain::model::base::figures::{BasisPoints, Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::money::spread;
use domain::model::base::time::UtcMs;
use domain::model::books::payables::{CreditNote, CreditNoteLine, ReceiptRef};
use domain::model::inventory::purchase::OrderLine;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::supplier_return::{SupplierReturn, SupplierReturnLine};
use domain::rules::books::payables::{Part, place_return};
use domain::rules::books::posting::Row;
use domain::rules::books::posting::plan::NOT_INVOICED;
use domain::wire::record::AnyPayload;
use serde_json::json;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// A report of a store that moves account 2020, with its event.
pub(crate) enum Moved<'a> {
    Received(&'a str, &'a Receiving),
    /// A receipt was taken back.
    Reversed(&'a str, &'a Receiving),
    Returned(&'a str, &'a SupplierReturn),
}

/// Writes the reports, in order.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    moved: Vec<Moved<'_>>,
    now: UtcMs,
) -> Result<Vec<CreditNote>, sqlx::Error> {
    let mut expected = Vec::new();
    for moved in moved {
        match moved {
            Moved::Received(event_id, receiving) => {
                received(connection, store_id, event_id, receiving).await?
            }
            Moved::Reversed(event_id, receiving) => {
                reversed(connection, receiving, Found { store_id, event_id, now }).await?;
            }
            Moved::Returned(event_id, document) => {
                let found = Found { store_id, event_id, now };
                let mut pieces: BTreeMap<&Sku, Quantity> = BTreeMap::new();
                for line in &document.lines {
                    let sum = pieces.entry(&line.sku).or_default();
                    *sum = sum.saturating_add(line.qty);
                }
                for (sku, qty) in pieces {
                    let of = (store_id, document.supplier_id.as_str());
                    places::release_held(connection, of, sku, qty).await?;
                }
                let mut lines = Vec::new();
                for line in &document.lines {
                    lines.extend(returned(connection, document, line, found).await?);
                }
                expected.extend(credit_note::expected(connection, document, lines, now).await?);
            }
        }
    }
    Ok(expected)
}

/// A receipt that is reported twice under one ID is shown to a person: the first counts.
const FIRST: &str = "ON CONFLICT (store_id, receiving_id, line_no) DO NOTHING";

async fn received(
    connection: &mut AnyConnection,
    store_id: &str,
    event_id: &str,
    receiving: &Receiving,
) -> Result<(), sqlx::Error> {
    let line = |line: &domain::model::inventory::receiving::ReceivingLine| {
        row! {
            store_id, receiving_id: receiving.receiving_id.as_str(), line_no: i64::from(line.line_no),
            kind: "receipt", event_id, supplier_id: receiving.supplier_id.clone(), po_id: receiving.po_id.clone(),
            sku: line.sku.as_str(), business_date: receiving.business_date.to_string(), qty: line.qty,
            unit_cost: line.unit_cost, cost_missing: i64::from(line.cost_missing), value: line.cost,
            open_value: line.cost,
        }
    };
    insert::rows(connection, "uninvoiced", FIRST, receiving.lines.iter().map(line).collect()).await
}

fn at(store_id: &str, receiving_id: &str, line_no: u32) -> ReceiptRef {
    ReceiptRef { store_id: store_id.to_owned(), receiving_id: receiving_id.to_owned(), line_no }
}

/// Takes a reversed receipt out. Pieces that are billed in the books stay billed: a negative value waits for a credit
/// note.
async fn reversed(
    connection: &mut AnyConnection,
    receiving: &Receiving,
    found: Found<'_>,
) -> Result<(), sqlx::Error> {
    let close = "UPDATE uninvoiced SET open_value = open_value - $4, closed = 1 WHERE store_id = $1 AND receiving_id = $2 \
                 AND line_no = $3 RETURNING invoiced_qty, qty - invoiced_qty - returned_qty AS open_qty";
    let free = "UPDATE uninvoiced SET returned_qty = qty - invoiced_qty \
                WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3";
    invoice::release_receipt(connection, found.store_id, receiving).await?;
    let mut billed = Quantity::ZERO;
    for line in &receiving.lines {
        let at = at(found.store_id, receiving.receiving_id.as_str(), line.line_no);
        let Some(row) = bound(close, &at).bind(line.cost.get()).fetch_optional(&mut *connection).await?
        else {
            continue;
        };
        let (invoiced, qty): (Quantity, Quantity) = crate::columns!(row => (invoiced_qty, open_qty));
        bound(free, &at).execute(&mut *connection).await?;
        let cause = Cause { key: found.event_id, day: receiving.business_date };
        note(connection, &at, cause, Part { qty, value: line.cost }).await?;
        billed = billed.saturating_add(invoiced);
    }
    if billed > 0 {
        let details = json!({"receiving_id": receiving.receiving_id, "qty": billed});
        exception::note(connection, found, exception::RECEIPT_REVERSED, &details).await?;
    }
    Ok(())
}

/// Allocates returned goods to the receipts of their supplier and product, and subtracts their claim from the
/// uninvoiced value. For billed pieces the supplier owes a credit note, whose parts are returned; pieces without a
/// receipt are a claim of their own.
async fn returned(
    connection: &mut AnyConnection,
    document: &SupplierReturn,
    line: &SupplierReturnLine,
    found: Found<'_>,
) -> Result<Vec<CreditNoteLine>, sqlx::Error> {
    let places = places::of(connection, found.store_id, &document.supplier_id, &line.sku).await?;
    let placed = place_return(line.qty, document.reference.as_deref(), &places);
    let open = placed.open.iter().map(|(.., part)| part.qty);
    let billed = placed.billed.iter().map(|(.., part)| part.qty);
    let pieces: Vec<Quantity> = open.chain(billed).chain([placed.left]).collect();
    let mut claims = spread(line.claim, &pieces).into_iter();
    let sql = "UPDATE uninvoiced SET returned_qty = returned_qty + $4, open_value = open_value - $5 \
               WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3 RETURNING po_id";
    for ((receiving_id, line_no, part), claim) in placed.open.into_iter().zip(claims.by_ref()) {
        let at = at(found.store_id, &receiving_id, line_no);
        let query = sqlx::query_scalar(sql).bind(found.store_id.to_owned()).bind(receiving_id);
        let query = query.bind(i64::from(line_no)).bind(part.qty.get()).bind(claim.get());
        let po_id: Option<String> = query.fetch_one(&mut *connection).await?;
        let cause = Cause { key: found.event_id, day: document.business_date };
        note(connection, &at, cause, Part { qty: part.qty, value: claim }).await?;
        sent_back(connection, po_id, line, part.qty).await?;
    }
    let sql = "UPDATE uninvoiced SET credited_qty = credited_qty + $4 \
               WHERE store_id = $1 AND receiving_id = $2 AND line_no = $3 RETURNING po_id";
    let mut lines = Vec::new();
    for ((receiving_id, line_no, part), net) in placed.billed.into_iter().zip(claims.by_ref()) {
        let query = sqlx::query_scalar(sql).bind(found.store_id.to_owned()).bind(receiving_id.clone());
        let query = query.bind(i64::from(line_no)).bind(part.qty.get());
        let po_id: Option<String> = query.fetch_one(&mut *connection).await?;
        sent_back(connection, po_id, line, part.qty).await?;
        let tax = BasisPoints::from(part.tax_rate_bp).of(net);
        lines.push(CreditNoteLine {
            invoice_line_no: Some(part.line_no),
            store_id: found.store_id.to_owned(),
            receiving_id: Some(receiving_id),
            receiving_line_no: Some(line_no),
            account: None,
            net,
            tax: Money::try_from(tax).unwrap_or(net),
        });
    }
    if placed.left > 0 {
        unallocated(connection, document, line, found, (placed.left, claims.next().unwrap_or(Money::ZERO)))
            .await?;
    }
    Ok(lines)
}

/// Counts returned pieces at the order that they came by.
async fn sent_back(
    connection: &mut AnyConnection,
    po_id: Option<String>,
    back: &SupplierReturnLine,
    qty: Quantity,
) -> Result<(), sqlx::Error> {
    let Some(po_id) = po_id else { return Ok(()) };
    let count = |line: &mut OrderLine| line.returned_qty = line.returned_qty.saturating_add(qty);
    purchase_order::at_line(connection, &po_id, |line| line.sku == back.sku, count).await
}

/// Makes a claim for pieces that no receipt has.
async fn unallocated(
    connection: &mut AnyConnection,
    document: &SupplierReturn,
    line: &SupplierReturnLine,
    found: Found<'_>,
    (qty, claim): (Quantity, Money),
) -> Result<(), sqlx::Error> {
    let details = json!({"supplier_return_id": document.supplier_return_id, "sku": line.sku, "qty": qty});
    exception::note(connection, found, exception::RETURN_UNALLOCATED, &details).await?;
    let cells = row! {
        store_id: found.store_id, receiving_id: document.supplier_return_id.as_str(),
        line_no: i64::from(line.line_no), kind: "claim", event_id: found.event_id,
        supplier_id: document.supplier_id.as_str(), sku: line.sku.as_str(),
        business_date: document.business_date.to_string(), qty, unit_cost: Money::ZERO, cost_missing: 0_i64,
        value: claim.saturating_neg(), open_value: claim.saturating_neg(),
    };
    insert::rows(connection, "uninvoiced", FIRST, vec![cells]).await
}

/// Cash that was posted to 2020, whatever reason the till gave: the account that the reason is mapped to decides.
/// `None` if it was posted elsewhere.
pub(crate) fn paid_out(
    (store_id, event_id): (&str, &str),
    payload: &AnyPayload,
    posted: &[Row],
) -> Option<NewRow> {
    let AnyPayload::CashMoved(reported) = payload else { return None };
    let movement = &reported.movement;
    let owed = posted.iter().find(|row| row.account == NOT_INVOICED)?;
    let value = owed.credit.saturating_sub(owed.debit);
    Some(row! {
        store_id, receiving_id: movement.cash_id.as_str(), line_no: 1_i64, kind: "pay_out", event_id,
        sku: "", business_date: movement.business_date.to_string(), qty: Quantity::ZERO, unit_cost: Money::ZERO,
        cost_missing: 0_i64, value, open_value: value,
    })
}

/// Adds the cash amount that was posted to 2020.
pub(crate) async fn add_paid_out(
    connection: &mut AnyConnection,
    rows: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    insert::rows(connection, "uninvoiced", FIRST, rows).await
}
