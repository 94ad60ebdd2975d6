//! `purchase_orders`, `purchase_order_lines` and `purchase_order_revisions`: orders as documents.

use crate::db::document::{Table, decode, encode, table};
use crate::db::insert;
use crate::row;
use crate::table::notice::{self, Kind};
use domain::model::base::time::UtcMs;
use domain::model::inventory::purchase::{OrderLine, OrderState, PurchaseOrder};
use edge::clock;
use jiff::civil::Date;
use sqlx::{AnyConnection, AnyPool};

/// Table of the documents.
pub const TABLE: Table = table!("purchase_orders", "po_id");

/// An order, locked until the transaction ends.
pub async fn locked(
    connection: &mut AnyConnection,
    po_id: &str,
) -> Result<Option<PurchaseOrder>, sqlx::Error> {
    TABLE.locked(connection, po_id).await
}

/// An order in its present state, without a lock.
pub async fn unlocked(
    connection: &mut AnyConnection,
    po_id: &str,
) -> Result<Option<PurchaseOrder>, sqlx::Error> {
    let text: Option<String> = sqlx::query_scalar(TABLE.read).bind(po_id).fetch_optional(connection).await?;
    text.map(|text| decode(&text)).transpose()
}

/// Adds an order that was made on a day at head office.
pub async fn add(
    connection: &mut AnyConnection,
    order: &PurchaseOrder,
    made_on: Date,
) -> Result<(), sqlx::Error> {
    let row = row! {
        po_id: order.po_id.as_str(), supplier_id: order.supplier_id.as_str(), store_id: order.store_id.as_str(),
        state: order.state.name(), submitted: i64::from(order.submitted_at.is_some()),
        made_on: made_on.to_string(), expected_at: expected_at(order), calling_off: calling_off(order),
        updated_at: order.updated_at.0, document: encode(order)?,
    };
    insert::rows(connection, "purchase_orders", "", vec![row]).await?;
    written(connection, order).await
}

/// Writes an existing order.
pub async fn put(connection: &mut AnyConnection, order: &PurchaseOrder) -> Result<(), sqlx::Error> {
    let sql = "UPDATE purchase_orders SET supplier_id = $2, store_id = $3, state = $4, submitted = $5, \
               expected_at = $6, document = $7, calling_off = $8, updated_at = $9 WHERE po_id = $1";
    let query = sqlx::query(sql).bind(&order.po_id).bind(&order.supplier_id).bind(order.store_id.as_str());
    let query = query.bind(order.state.name()).bind(i64::from(order.submitted_at.is_some()));
    let query = query.bind(expected_at(order)).bind(encode(order)?).bind(calling_off(order));
    let query = query.bind(order.updated_at.0);
    query.execute(&mut *connection).await?;
    written(connection, order).await
}

/// Writes the parts of an order: its lines, and a notice for screens.
async fn written(connection: &mut AnyConnection, order: &PurchaseOrder) -> Result<(), sqlx::Error> {
    lines(connection, order).await?;
    notice::tell(connection, Kind::Order, (&order.po_id, order.store_id.as_str())).await
}

/// Changes one line of an order, the first that fits; its expected date stays as it is.
pub async fn at_line(
    connection: &mut AnyConnection,
    po_id: &str,
    fits: impl Fn(&OrderLine) -> bool + Send,
    change: impl Fn(&mut OrderLine) + Send,
) -> Result<(), sqlx::Error> {
    let Some(mut order) = locked(connection, po_id).await? else { return Ok(()) };
    let Some(line) = order.lines.iter_mut().find(|line| fits(line)) else { return Ok(()) };
    change(line);
    order.updated_at = clock::now();
    put(connection, &order).await
}

/// Whether its store may still receive against an order that was called off.
fn calling_off(order: &PurchaseOrder) -> i64 {
    i64::from(order.state == OrderState::Cancelled && !order.cancel_final)
}

fn expected_at(order: &PurchaseOrder) -> String {
    order.expected_at.map(|day| day.to_string()).unwrap_or_default()
}

async fn lines(connection: &mut AnyConnection, order: &PurchaseOrder) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM purchase_order_lines WHERE po_id = $1";
    sqlx::query(sql).bind(&order.po_id).execute(&mut *connection).await?;
    let row = |line: &OrderLine| {
        row! {
            po_id: order.po_id.as_str(), line_no: i64::from(line.line_no), sku: line.sku.as_str(),
            qty: line.qty, received_qty: line.received_qty, open_qty: line.open_qty(), unit_cost: line.unit_cost,
        }
    };
    insert::rows(connection, "purchase_order_lines", "", order.lines.iter().map(row).collect()).await
}

/// Keeps an order as it was before a revision.
pub async fn keep(
    connection: &mut AnyConnection,
    before: &PurchaseOrder,
    (at, by, reason): (UtcMs, &str, &str),
) -> Result<(), sqlx::Error> {
    let row = row! {
        po_id: before.po_id.as_str(), revision: i64::from(before.revision), replaced_at: at.0, replaced_by: by,
        reason, document: encode(before)?,
    };
    insert::rows(connection, "purchase_order_revisions", "", vec![row]).await
}

/// Earlier revisions of an order, the latest first: when each was replaced, by whom and why.
pub async fn revisions(
    pool: &AnyPool,
    po_id: &str,
) -> Result<Vec<(UtcMs, String, String, PurchaseOrder)>, sqlx::Error> {
    let sql = "SELECT replaced_at, replaced_by, reason, document FROM purchase_order_revisions WHERE po_id = $1 \
               ORDER BY revision DESC";
    let mut kept = Vec::new();
    for row in sqlx::query(sql).bind(po_id).fetch_all(pool).await? {
        let (at, by, reason, document): (UtcMs, String, String, String) =
            crate::columns!(row => (replaced_at, replaced_by, reason, document));
        kept.push((at, by, reason, decode(&document)?));
    }
    Ok(kept)
}
