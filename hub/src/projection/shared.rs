//! Records of more than one owner: transfers between stores, members, people, receipts for orders.

use crate::account::staff;
use crate::feed::Entry;
use crate::projection::announce::FeedUpdates;
use crate::projection::fields::{self, Writer};
use crate::projection::fold::Shared;
use crate::projection::orders;
use crate::table::exception::{self, Found};
use crate::table::{product, store, warehouse_rows};
use domain::model::base::time::UtcMs;
use domain::model::inventory::transfer::{Transfer, TransferState};
use domain::rules::inventory::transfer::{Precedence, precedence};
use domain::wire::feed::Kind;
use serde_json::json;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Writes them, kind by kind and in the order of their IDs; returns the events that reported a transfer between other
/// stores.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    shared: Shared,
    now: UtcMs,
    later: &mut FeedUpdates,
) -> Result<BTreeSet<String>, sqlx::Error> {
    let mut foreign = BTreeSet::new();
    let Shared { mut transfers, mut members, mut settings, users, mut orders } = shared;
    // Sorting keeps the order of the records of one id.
    transfers.sort_by(|(_, one), (_, other)| one.transfer_id.cmp(&other.transfer_id));
    members.sort_by(|(_, one), (_, other)| one.id.cmp(&other.id));
    settings.sort_by(|(_, one), (_, other)| one.id.cmp(&other.id));
    orders.sort_by(|one, other| one.po_id.cmp(&other.po_id));
    for ((event_id, stamp), changed) in &members {
        let writer = Writer { by: event_id, stamp, store_id, now };
        fields::write_member(connection, changed.id.as_str(), &changed.fields, &writer, later).await?;
    }
    for ((event_id, stamp), changed) in &settings {
        let writer = Writer { by: event_id, stamp, store_id, now };
        fields::write_settings(connection, changed.id.as_str(), &changed.fields, &writer, later).await?;
    }
    for (event_id, changed) in &users {
        let found = Found { store_id, event_id, now };
        later.entries.extend(staff::merge_store_user(connection, changed, found).await?);
    }
    for came in &orders {
        let found = Found { store_id, event_id: &came.event_id, now };
        later.entries.extend(orders::received(connection, came, found).await?);
    }
    for (event_id, transfer) in &transfers {
        if !self::transfer(connection, store_id, event_id, transfer, now, later).await? {
            foreign.insert(event_id.clone());
        }
    }
    Ok(foreign)
}

fn parse(document: &str) -> Result<Transfer, sqlx::Error> {
    serde_json::from_str(document).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Whether more arrived than was sent.
fn over(transfer: &Transfer) -> bool {
    transfer.lines.iter().any(|line| line.received_qty.is_some_and(|received| received > line.qty))
}

/// A store that sends goods may know less than head office, or something else: names in the transfer that do not exist
/// are shown to a person.
async fn unknown_references(
    connection: &mut AnyConnection,
    reported: &Transfer,
    found: Found<'_>,
) -> Result<(), sqlx::Error> {
    let (transfer_id, to) = (&reported.transfer_id, reported.to_store_id.as_str());
    if !store::is_known(connection, to).await? {
        let details = json!({"transfer_id": transfer_id, "to_store_id": to});
        exception::note(connection, found, exception::TRANSFER_NOWHERE, &details).await?;
    }
    let skus = product::unknown(connection, &reported.lines.iter().map(|line| &line.sku).collect()).await?;
    if !skus.is_empty() {
        let details = json!({"transfer_id": transfer_id, "to_store_id": to, "skus": skus});
        exception::note(connection, found, exception::TRANSFER_UNKNOWN, &details).await?;
    }
    Ok(())
}

/// Keeps the document that is further along, and sends it to the other store. Returns whether the transfer is between
/// these two stores.
async fn transfer(
    connection: &mut AnyConnection,
    store_id: &str,
    event_id: &str,
    reported: &Transfer,
    now: UtcMs,
    later: &mut FeedUpdates,
) -> Result<bool, sqlx::Error> {
    let by_sender = reported.from_store_id.as_str() == store_id;
    let document = serde_json::to_string(reported).map_err(|error| sqlx::Error::Encode(error.into()))?;
    // The first statement locks the row, or writes a new one.
    let sql = "INSERT INTO transfers (transfer_id, from_store, to_store, state, sent, document, business_date) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (transfer_id) DO UPDATE SET \
               sent = CASE WHEN transfers.from_store = excluded.from_store AND excluded.sent = 1 THEN 1 \
               ELSE transfers.sent END RETURNING document";
    let query =
        sqlx::query_scalar(sql).bind(reported.transfer_id.as_str()).bind(reported.from_store_id.as_str());
    let query =
        query.bind(reported.to_store_id.as_str()).bind(reported.state.name()).bind(i64::from(by_sender));
    let known: String =
        query.bind(&document).bind(reported.business_date.to_string()).fetch_one(&mut *connection).await?;
    let known = parse(&known)?;
    let (from, to) = (reported.from_store_id.as_str(), reported.to_store_id.as_str());
    let found = Found { store_id, event_id, now };
    let details = json!({"transfer_id": reported.transfer_id, "from_store_id": from, "to_store_id": to});
    if (&known.from_store_id, &known.to_store_id) != (&reported.from_store_id, &reported.to_store_id) {
        // The document of other stores is not changed; this store's movements stand.
        exception::note(connection, found, exception::TRANSFER_FOREIGN, &details).await?;
        return Ok(false);
    }
    let Precedence { stands, met, hear } = precedence(&known, reported, by_sender);
    if by_sender && reported.state == TransferState::InTransit {
        unknown_references(connection, reported, found).await?;
    }
    if stands {
        let sql = "UPDATE transfers SET state = $2, document = $3 WHERE transfer_id = $1";
        let query = sqlx::query(sql).bind(reported.transfer_id.as_str()).bind(reported.state.name());
        query.bind(&document).execute(&mut *connection).await?;
    }
    if met {
        let found = Found { store_id: from, ..found };
        exception::note(connection, found, exception::TRANSFER_MET, &details).await?;
    }
    // Reported once, by the first document that has it.
    if over(reported) && !over(&known) {
        let found = Found { store_id: from, ..found };
        exception::note(connection, found, exception::TRANSFER_OVER, &details).await?;
    }
    let payload = if stands { document } else { serde_json::to_string(&known).unwrap_or(document) };
    for store in &hear {
        let id = reported.transfer_id.as_str();
        if warehouse_rows::is_warehouse(connection, store.as_str()).await? {
            warehouse_rows::put_remote(connection, store.as_str(), id, &payload).await?;
            continue;
        }
        later.entries.push(Entry::for_store(Kind::Transfer, id, store.as_str(), payload.clone()));
    }
    Ok(true)
}
