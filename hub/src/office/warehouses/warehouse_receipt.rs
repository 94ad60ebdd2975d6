//! Goods of suppliers that come into a warehouse, or leave it for them.

use crate::db::failure::Failure;
use crate::office::warehouses::warehouse::Warehouse;
use crate::office::warehouses::{warehouse_book, warehouse_document, warehouse_doubts};
use crate::secret;
use crate::table::purchase_order;
use domain::model::base::ids::ReceivingId;
use domain::model::base::ids::SupplierReturnId;
use domain::model::books::ledger::{DeliveryNote, LedgerBook};
use domain::model::inventory::purchase::PurchaseOrder;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::supplier_return::SupplierReturn;
use domain::rules::inventory::receiving::{self, NewReceiving};
use domain::rules::inventory::supplier_return::{NewSupplierReturn, return_to_supplier};
use domain::wire::record::{self, ReceivingPosted};
use edge::ApiError;
use sqlx::AnyConnection;

/// Takes a supplier's goods in, against an order where the command names one.
///
/// # Errors
/// 422, also for an order of another place or an unknown supplier; 409 `duplicate` for a supplier's delivery note that
/// any place has received; `over_receipt`.
pub async fn receive(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    mut command: NewReceiving,
) -> Result<Receiving, Failure> {
    command.check().map_err(ApiError::from)?;
    warehouse_book::scanned(connection, &mut command.lines).await?;
    let of_order = supplier_of(connection, command.po_id.as_deref()).await?;
    let supplier = command.supplier_id.clone().or(of_order);
    lock_supplier(connection, command.supplier_id.as_deref(), supplier.as_deref()).await?;
    let order = order(connection, command.po_id.as_deref()).await?;
    let skus = command.lines.iter().map(|line| &line.sku);
    let (products, mut book) = warehouse_book::load(connection, warehouse, skus).await?;
    let note = DeliveryNote::new(supplier.as_deref(), command.delivery_note_no.as_deref());
    find_note(connection, note, &mut book).await?;
    let id = ReceivingId(format!("rcv_{}", secret::mark()));
    let ids = warehouse.movement_ids(command.lines.len());
    let context = warehouse.context(&book);
    let event = receiving::receive_order(&command, order.as_ref(), id, ids, &products, &context);
    let mut event = event.map_err(ApiError::from)?;
    let warnings = warehouse_doubts::of_receipt(connection, warehouse, &event.fact.receiving).await?;
    event.fact.receiving.warnings = warnings;
    let records = vec![record::receiving_posted(&warehouse.stamp(), &event.fact.receiving)];
    warehouse.apply(connection, records, &event.rows.stock).await?;
    Ok(event.fact.receiving)
}

/// Takes a receipt back: its goods leave at the average.
///
/// # Errors
/// 404; 409 `invalid_state`, `insufficient_stock`.
pub async fn reverse(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    id: &str,
) -> Result<Receiving, Failure> {
    let store_id = warehouse.store_id().to_owned();
    let reported: ReceivingPosted =
        warehouse_document::latest(connection, &store_id, ("receiving", id), "the receipt").await?;
    let document = reported.receiving;
    let skus = document.lines.iter().map(|line| &line.sku);
    let (_, book) = warehouse_book::load(connection, warehouse, skus).await?;
    let ids = warehouse.movement_ids(document.lines.len());
    // Reversed pieces of its order are counted when the record is applied.
    let event = receiving::reverse(&document, None, ids, &warehouse.context(&book));
    let event = event.map_err(ApiError::from)?;
    let (receiving, movements) = (&event.fact.receiving, &event.rows.movements);
    let records = vec![record::receiving_reversed(&warehouse.stamp(), receiving, movements)];
    warehouse.apply(connection, records, &event.rows.stock).await?;
    Ok(event.fact.receiving)
}

/// Sends goods back to their supplier.
///
/// # Errors
/// 422; 409 `insufficient_stock`.
pub async fn send_back(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    mut command: NewSupplierReturn,
) -> Result<SupplierReturn, Failure> {
    command.check().map_err(ApiError::from)?;
    warehouse_book::scanned(connection, &mut command.lines).await?;
    let supplier = Some(command.supplier_id.as_str());
    lock_supplier(connection, supplier, supplier).await?;
    let skus = command.lines.iter().map(|line| &line.sku);
    let (products, book) = warehouse_book::load(connection, warehouse, skus).await?;
    let id = SupplierReturnId(format!("srt_{}", secret::mark()));
    let ids = warehouse.movement_ids(command.lines.len());
    let event = return_to_supplier(&command, id, ids, true, &products, &warehouse.context(&book));
    let event = event.map_err(ApiError::from)?;
    let records = vec![record::supplier_return_posted(&warehouse.stamp(), &event.fact.document)];
    warehouse.apply(connection, records, &event.rows.stock).await?;
    Ok(event.fact.document)
}

async fn supplier_of(
    connection: &mut AnyConnection,
    po_id: Option<&str>,
) -> Result<Option<String>, sqlx::Error> {
    let Some(po_id) = po_id else { return Ok(None) };
    let sql = "SELECT supplier_id FROM purchase_orders WHERE po_id = $1";
    sqlx::query_scalar(sql).bind(po_id).fetch_optional(connection).await
}

async fn order(
    connection: &mut AnyConnection,
    po_id: Option<&str>,
) -> Result<Option<PurchaseOrder>, sqlx::Error> {
    match po_id {
        Some(po_id) => purchase_order::locked(connection, po_id).await,
        None => Ok(None),
    }
}

/// Locks the supplier: if two places receive one delivery note, the second finds the first.
async fn lock_supplier(
    connection: &mut AnyConnection,
    named: Option<&str>,
    supplier: Option<&str>,
) -> Result<(), Failure> {
    let Some(supplier) = supplier else { return Ok(()) };
    let sql = "UPDATE suppliers SET code = code WHERE supplier_id = $1";
    let found = sqlx::query(sql).bind(supplier).execute(connection).await?.rows_affected() > 0;
    // The supplier of an order exists.
    receiving::check_supplier(found || named.is_none(), true).map_err(ApiError::from)?;
    Ok(())
}

/// Finds the receipt of a supplier's delivery note, in whatever place.
async fn find_note(
    connection: &mut AnyConnection,
    note: Option<DeliveryNote>,
    book: &mut LedgerBook,
) -> Result<(), sqlx::Error> {
    let Some(note) = note else { return Ok(()) };
    let sql = "SELECT document_id FROM goods_documents WHERE supplier_id = $1 AND note_key = $2 \
               AND kind = 'receiving' AND state = 'posted' ORDER BY created_at, store_id LIMIT 1";
    let query = sqlx::query_scalar(sql).bind(&note.supplier_id).bind(&note.number);
    if let Some(id) = query.fetch_optional(connection).await? {
        book.delivery_notes.insert(note, ReceivingId(id));
    }
    Ok(())
}
