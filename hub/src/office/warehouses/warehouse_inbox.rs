//! A warehouse's part of a transfer that the other end changed, and the end of its days: a Store Router does both by
//! itself.

use crate::db::again::Again;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::warehouses::warehouse::Warehouse;
use crate::office::warehouses::warehouse_book;
use crate::state::hub::Hub;
use crate::table::warehouse_rows;
use domain::model::base::ids::TransferId;
use domain::model::base::time::UtcMs;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::user::{Principal, Role};
use domain::rules::inventory::transfer::merge_remote;
use domain::wire::record;
use edge::clock;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Principal of automatic actions.
fn nobody() -> Principal {
    Principal {
        user_id: "".into(),
        name: String::new(),
        role: Role::Admin,
        store_id: "".into(),
        session_id: "".into(),
    }
}

/// Applies records of transfers to warehouses, of these aggregates; failed ones are tried again.
pub async fn take_in(hub: &Hub, moved: &BTreeSet<String>) {
    let ids = moved.iter().filter_map(|aggregate| aggregate.strip_prefix("transfer:")).map(str::to_owned);
    let ids: Vec<String> = ids.collect();
    match warehouse_rows::unmerged_of(hub.db.pool(), &ids).await {
        Ok(reported) => {
            each(hub, &reported).await;
        }
        Err(error) => tracing::warn!(%error, "a document for a warehouse could not be applied yet"),
    }
}

/// Applies all records for warehouses, warehouse by warehouse; a failure does not hold up the others.
async fn all(hub: &Hub) -> Result<(), sqlx::Error> {
    loop {
        let (mut taken, mut after) = (0, (String::new(), String::new()));
        loop {
            let reported = warehouse_rows::unmerged_transfers(hub.db.pool(), &after).await?;
            let Some(last) = reported.last().cloned() else { break };
            taken += each(hub, &reported).await;
            after = last;
        }
        // An applied record may concern another warehouse too; failed ones are tried next time.
        if taken == 0 {
            return Ok(());
        }
    }
}

/// Says how many of them were taken in.
async fn each(hub: &Hub, reported: &[(String, String)]) -> usize {
    let mut taken = 0;
    for (store_id, transfer_id) in reported {
        let mut again = Again::default();
        let done = loop {
            match one(hub, store_id, transfer_id).await {
                Err(failure) if again.after(&failure).await => {}
                done => break done,
            }
        };
        match done {
            Ok(done) => taken += usize::from(done),
            Err(error) => {
                tracing::warn!(store_id, transfer_id, %error, "a document for a warehouse could not be applied yet");
            }
        }
    }
    taken
}

/// Whether it was taken in.
async fn one(hub: &Hub, store_id: &str, transfer_id: &str) -> Result<bool, Failure> {
    let mut write = hub.db.write().await?;
    let mut warehouse = match Warehouse::open(hub, &mut write, store_id, nobody(), clock::now()).await {
        // One that is switched off takes it in when it is switched on again.
        Err(Failure::Refused(refused)) => {
            tracing::debug!(store_id, refused.message, "a warehouse can't apply the document now");
            return Ok(false);
        }
        warehouse => warehouse?,
    };
    merged(&mut write, &mut warehouse, &TransferId(transfer_id.to_owned())).await?;
    let written = warehouse.written(&mut write).await?;
    write.commit().await?;
    hub.wake_stores().await;
    written.note(hub).await?;
    Ok(true)
}

/// The transfer as the warehouse has it, with all reports of the other end. `None` if it does not know the
/// transfer. The transfer's row is locked until the transaction ends.
///
/// # Errors
/// A database error.
pub async fn merged(
    connection: &mut AnyConnection,
    warehouse: &mut Warehouse<'_>,
    id: &TransferId,
) -> Result<Option<Transfer>, Failure> {
    let sql = "UPDATE transfers SET state = state WHERE transfer_id = $1";
    sqlx::query(sql).bind(id.as_str()).execute(&mut *connection).await?;
    let store_id = warehouse.store_id().to_owned();
    let own = warehouse_rows::transfer(connection, &store_id, id.as_str()).await?;
    let Some(reported) = own.remote else { return Ok(own.document) };
    let skus = reported.lines.iter().map(|line| &line.sku);
    let (_, book) = warehouse_book::load(connection, warehouse, skus).await?;
    let parts = reported.lines.iter().map(|line| line.resolved.len().saturating_add(1)).sum();
    let ids = warehouse.movement_ids(parts);
    let event = match merge_remote(&reported, own.document.as_ref(), ids, &warehouse.context(&book)) {
        Ok(Some(event)) => event,
        Ok(None) => {
            warehouse_rows::forget_remote(connection, &store_id, id.as_str()).await?;
            return Ok(own.document);
        }
        Err(refusal) => {
            tracing::warn!(store_id, %id, words = refusal.words(), "a transfer's document is not valid");
            warehouse_rows::forget_remote(connection, &store_id, id.as_str()).await?;
            return Ok(own.document);
        }
    };
    let (transfer, movements) = (&event.fact.transfer, &event.rows.movements);
    if !movements.is_empty() {
        let tell = match transfer.from_store_id == warehouse.rules.store_id {
            true => record::transfer_sent,
            false => record::transfer_resolved,
        };
        let records = vec![tell(&warehouse.stamp(), transfer, movements)];
        warehouse.apply(connection, records, &event.rows.stock).await?;
    }
    warehouse_rows::put_transfer(connection, &store_id, transfer).await?;
    Ok(Some(event.fact.transfer))
}

/// Applies reported records, and seals days of warehouses that are over; several processes may do so safely.
pub async fn keep(hub: &Hub, now: UtcMs) {
    if let Err(error) = all(hub).await {
        tracing::warn!(%error, "documents for warehouses could not be applied yet");
    }
    if let Err(error) = seal(hub, now).await {
        tracing::warn!(%error, "days of warehouses could not be sealed yet");
    }
}

async fn seal(hub: &Hub, now: UtcMs) -> Result<(), sqlx::Error> {
    // A warehouse's own zone determines its day; before head office's day is over none is read.
    let sql = "SELECT DISTINCT d.store_id FROM store_days d JOIN stores s ON s.store_id = d.store_id \
               AND s.kind = 'warehouse' AND s.disabled = 0 WHERE d.sealed = 0 AND d.business_date < $1 \
               ORDER BY d.store_id";
    let today = hub.today(now).to_string();
    for row in sqlx::query(sql).bind(today).fetch_all(hub.db.pool()).await? {
        let store_id: String = row.cell("store_id")?;
        if let Err(error) = sealed(hub, &store_id, now).await {
            tracing::warn!(store_id, %error, "days of a warehouse could not be sealed yet");
        }
    }
    Ok(())
}

async fn sealed(hub: &Hub, store_id: &str, now: UtcMs) -> Result<(), Failure> {
    let mut write = hub.db.write().await?;
    let warehouse = Warehouse::open(hub, &mut write, store_id, nobody(), now).await?;
    let written = warehouse.written(&mut write).await?;
    write.commit().await?;
    written.note(hub).await.map(drop)
}
