//! Transfers from and to warehouses.

use crate::columns;
use crate::db::document::{decode, encode};
use crate::db::failure::Failure;
use crate::db::insert;
use crate::office::warehouses::warehouse::Warehouse;
use crate::office::warehouses::warehouse_document::stores_own;
use crate::office::warehouses::{warehouse_book, warehouse_doubts, warehouse_inbox};
use crate::table::warehouse_rows;
use crate::{row, secret};
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::{StoreId, TransferId};
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::stock::Movement;
use domain::model::inventory::transfer::{Transfer, TransferState};
use domain::rules::inventory::transfer::{
    NewTransfer, ReceiveTransfer, Receiver, ResolveTransfer, cancel, check_destination, create, receive,
    resolve, send,
};
use domain::wire::feed::StoreDown;
use domain::wire::record;
use edge::ApiError;
use sqlx::AnyConnection;

/// Function that makes the record of a step.
type Record = fn(&Stamp, &Transfer, &[Movement]) -> String;

/// Step of an existing transfer.
#[derive(Debug, Clone)]
pub enum TransferStep {
    /// A draft's goods leave.
    Send,
    /// Cancels it.
    Cancel,
    /// Arrived goods are taken in.
    Receive(ReceiveTransfer),
    /// Missing pieces are resolved.
    Resolve(ResolveTransfer),
}

/// The warehouse that takes a step.
///
/// # Errors
/// 404; 409 `invalid_state` where the store at that end does it.
pub async fn place(connection: &mut AnyConnection, id: &str, step: &TransferStep) -> Result<String, Failure> {
    let sql = "SELECT from_store, to_store FROM transfers WHERE transfer_id = $1";
    let row = sqlx::query(sql).bind(id).fetch_optional(&mut *connection).await?;
    let row = row.ok_or_else(|| ApiError::not_found("the transfer"))?;
    let (from, to): (String, String) = columns!(row => (from_store, to_store));
    let place = if matches!(step, TransferStep::Receive(_)) { to } else { from };
    match warehouse_rows::is_warehouse(connection, &place).await? {
        true => Ok(place),
        false => Err(stores_own("that store records this itself").into()),
    }
}

/// Stores a transfer and, unless it is a draft, sends it.
///
/// # Errors
/// 422, also for a destination that is not a store or is switched off; 409 `insufficient_stock`.
pub async fn begin(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    mut command: NewTransfer,
) -> Result<Transfer, Failure> {
    command.check(&warehouse.rules.store_id).map_err(ApiError::from)?;
    warehouse_book::scanned(connection, &mut command.lines).await?;
    destination(connection, &command.to_store_id).await?;
    let skus = command.lines.iter().map(|line| &line.sku);
    let (products, book) = warehouse_book::load(connection, warehouse, skus).await?;
    let id = TransferId(format!("trf_{}", secret::mark()));
    let ids = warehouse.movement_ids(command.lines.len());
    let event = create(&command, Receiver::Listed, id, ids, &products, &warehouse.context(&book))
        .map_err(ApiError::from)?;
    if event.fact.transfer.state == TransferState::Draft {
        drafted(connection, &event.fact.transfer).await?;
    }
    reported(connection, warehouse, event, record::transfer_sent).await
}

/// Takes the next step of an existing transfer.
///
/// # Errors
/// 404; 422; 409 `invalid_state`, `insufficient_stock`, `over_receipt`.
pub async fn take_step(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    (id, step): (&str, &mut TransferStep),
) -> Result<Transfer, Failure> {
    let id = TransferId(id.to_owned());
    let own = warehouse_inbox::merged(connection, warehouse, &id).await?;
    let known = match own {
        Some(known) => known,
        None => stored(connection, &id).await?,
    };
    let skus = known.lines.iter().map(|line| &line.sku);
    let (_, book) = warehouse_book::load(connection, warehouse, skus).await?;
    let ids = warehouse.movement_ids(known.lines.len().saturating_add(parts(step)));
    let (event, tell): (_, Record) = match step {
        TransferStep::Send => {
            destination(connection, &known.to_store_id).await?;
            (send(&known, Receiver::Listed, ids, &warehouse.context(&book)), record::transfer_sent)
        }
        TransferStep::Cancel => (cancel(&known, ids, &warehouse.context(&book)), record::transfer_cancelled),
        TransferStep::Receive(command) => {
            command.check().map_err(ApiError::from)?;
            warehouse_book::scanned(connection, &mut command.lines).await?;
            (receive(command, &known, ids, &warehouse.context(&book)), record::transfer_received)
        }
        TransferStep::Resolve(command) => {
            (resolve(command, &known, ids, &warehouse.context(&book)), record::transfer_resolved)
        }
    };
    let mut event = event.map_err(ApiError::from)?;
    if let TransferStep::Receive(_) = step {
        let lines = &event.fact.transfer.lines;
        let came = lines.iter().filter(|line| line.received_qty.is_some_and(|qty| qty > 0));
        let warnings = warehouse_doubts::of_goods(connection, warehouse, came.map(|line| &line.sku)).await?;
        event.fact.transfer.warnings = warnings;
    }
    if known.state == TransferState::Draft {
        drafted(connection, &event.fact.transfer).await?;
    }
    // A draft does not concern other stores.
    if known.state == TransferState::Draft && event.fact.transfer.state == TransferState::Cancelled {
        warehouse_rows::put_transfer(connection, warehouse.store_id(), &event.fact.transfer).await?;
        return Ok(event.fact.transfer);
    }
    reported(connection, warehouse, event, tell).await
}

/// Parts that a step may move beside the lines.
fn parts(step: &TransferStep) -> usize {
    match step {
        TransferStep::Resolve(command) => command.lines.len(),
        _ => 0,
    }
}

async fn reported(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    event: Event<fact::TransferChanged>,
    tell: Record,
) -> Result<Transfer, Failure> {
    let transfer = &event.fact.transfer;
    if transfer.state != TransferState::Draft {
        let records = vec![tell(&warehouse.stamp(), transfer, &event.rows.movements)];
        warehouse.apply(connection, records, &event.rows.stock).await?;
    }
    warehouse_rows::put_transfer(connection, warehouse.store_id(), transfer).await?;
    Ok(event.fact.transfer)
}

/// Stores a transfer that has no record: a draft, or the state after it. It keeps its place in lists.
async fn drafted(connection: &mut AnyConnection, transfer: &Transfer) -> Result<(), sqlx::Error> {
    let row = row! {
        transfer_id: transfer.transfer_id.as_str(), from_store: transfer.from_store_id.as_str(),
        to_store: transfer.to_store_id.as_str(), state: transfer.state.name(), sent: 0_i64,
        business_date: transfer.business_date.to_string(), document: encode(transfer)?,
    };
    let tail = "ON CONFLICT (transfer_id) DO UPDATE SET state = excluded.state, document = excluded.document";
    insert::rows(connection, "transfers", tail, vec![row]).await
}

/// The transfer as head office knows it; its row is locked.
async fn stored(connection: &mut AnyConnection, id: &TransferId) -> Result<Transfer, Failure> {
    let sql = "SELECT document FROM transfers WHERE transfer_id = $1";
    let text: Option<String> = sqlx::query_scalar(sql).bind(id.as_str()).fetch_optional(connection).await?;
    Ok(decode(&text.ok_or_else(|| ApiError::not_found("the transfer"))?)?)
}

/// Whether goods may be sent to the store.
async fn destination(connection: &mut AnyConnection, to: &StoreId) -> Result<(), Failure> {
    let sql = "SELECT name, disabled FROM stores WHERE store_id = $1";
    let row = sqlx::query(sql).bind(to.as_str()).fetch_optional(connection).await?;
    let reported = match row {
        Some(row) => {
            let (name, disabled): (String, bool) = columns!(row => (name, disabled));
            Some(StoreDown { store_id: to.clone(), name, disabled })
        }
        None => None,
    };
    check_destination(reported.as_ref(), true).map_err(ApiError::from)?;
    Ok(())
}
