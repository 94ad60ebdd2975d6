//! Records of more than one owner: transfers between stores, members, people, what came against an order.

use super::announce::Later;
use super::fields::{self, Writer};
use super::projection::Shared;
use crate::exception::{self, Found};
use crate::feed::Entry;
use crate::{product, purchase, staff, store};
use domain::sync::Kind;
use domain::time::UtcMs;
use domain::transfer::{Kept, Transfer, TransferState, kept};
use serde_json::json;
use sqlx::{AnyConnection, Row};

/// Writes them, kind by kind and in the order of their ids.
///
/// # Errors
/// The database's.
pub(super) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    shared: Shared,
    now: UtcMs,
    later: &mut Later,
) -> Result<(), sqlx::Error> {
    let Shared { mut transfers, mut members, mut settings, users, mut orders } = shared;
    // Sorting keeps the order of the records of one id.
    transfers.sort_by(|(_, one), (_, other)| one.transfer_id.cmp(&other.transfer_id));
    members.sort_by(|(_, _, one), (_, _, other)| one.id.cmp(&other.id));
    settings.sort_by(|(_, _, one), (_, _, other)| one.id.cmp(&other.id));
    orders.sort_by(|one, other| one.po_id.cmp(&other.po_id));
    for (event_id, stamp, changed) in &members {
        let writer = Writer { by: event_id, stamp, store_id, now };
        fields::write_member(connection, changed.id.as_str(), &changed.fields, &writer, later).await?;
    }
    for (event_id, stamp, changed) in &settings {
        let writer = Writer { by: event_id, stamp, store_id, now };
        fields::write_settings(connection, changed.id.as_str(), &changed.fields, &writer, later).await?;
    }
    for (event_id, changed) in &users {
        let found = Found { store_id, event_id, now };
        later.entries.extend(staff::told(connection, changed, found).await?);
    }
    for came in &orders {
        let found = Found { store_id, event_id: &came.event_id, now };
        later.entries.extend(purchase::received(connection, &came.po_id, &came.pieces, found).await?);
    }
    for (event_id, transfer) in &transfers {
        self::transfer(connection, store_id, event_id, transfer, now, later).await?;
    }
    Ok(())
}

fn parse(document: &str) -> Result<Transfer, sqlx::Error> {
    serde_json::from_str(document).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// More arrived than was sent.
fn over(transfer: &Transfer) -> bool {
    transfer.lines.iter().any(|line| line.received_qty.is_some_and(|received| received > line.qty))
}

/// Goods leave a store that may know less than head office, or other things: what they name that is not there is
/// for a person to see.
async fn unknown_references(
    connection: &mut AnyConnection,
    told: &Transfer,
    found: Found<'_>,
) -> Result<(), sqlx::Error> {
    let (transfer_id, to) = (&told.transfer_id, told.to_store_id.as_str());
    if !store::is_known(connection, to).await? {
        let details = json!({"transfer_id": transfer_id, "to_store_id": to});
        exception::note(connection, found, exception::TRANSFER_NOWHERE, &details).await?;
    }
    let skus = product::unknown(connection, &told.lines.iter().map(|line| &line.sku).collect()).await?;
    if !skus.is_empty() {
        let details = json!({"transfer_id": transfer_id, "to_store_id": to, "skus": skus});
        exception::note(connection, found, exception::TRANSFER_UNKNOWN, &details).await?;
    }
    Ok(())
}

/// Keeps the document that is further along, and tells the other store.
async fn transfer(
    connection: &mut AnyConnection,
    store_id: &str,
    event_id: &str,
    told: &Transfer,
    now: UtcMs,
    later: &mut Later,
) -> Result<(), sqlx::Error> {
    let by_sender = told.from_store_id.as_str() == store_id;
    let document = serde_json::to_string(told).map_err(|error| sqlx::Error::Encode(error.into()))?;
    // The first statement locks the row; of a new one it writes it.
    let sql = "INSERT INTO transfers (transfer_id, from_store, to_store, state, sent, document) \
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (transfer_id) DO UPDATE SET \
               sent = CASE WHEN transfers.from_store = excluded.from_store AND excluded.sent = 1 THEN 1 \
               ELSE transfers.sent END RETURNING document";
    let query = sqlx::query(sql).bind(told.transfer_id.as_str()).bind(told.from_store_id.as_str());
    let query = query.bind(told.to_store_id.as_str()).bind(told.state.name()).bind(i64::from(by_sender));
    let row = query.bind(&document).fetch_one(&mut *connection).await?;
    let known = parse(row.try_get(0)?)?;
    let (from, to) = (told.from_store_id.as_str(), told.to_store_id.as_str());
    let found = Found { store_id, event_id, now };
    let details = json!({"transfer_id": told.transfer_id, "from_store_id": from, "to_store_id": to});
    if (&known.from_store_id, &known.to_store_id) != (&told.from_store_id, &told.to_store_id) {
        // The document of others is theirs; what this store moved is moved.
        return exception::note(connection, found, exception::TRANSFER_FOREIGN, &details).await;
    }
    let Kept { stands, met, hear } = kept(&known, told, by_sender);
    if by_sender && told.state == TransferState::InTransit {
        unknown_references(connection, told, found).await?;
    }
    if stands {
        let sql = "UPDATE transfers SET state = $2, document = $3 WHERE transfer_id = $1";
        let query = sqlx::query(sql).bind(told.transfer_id.as_str()).bind(told.state.name());
        query.bind(&document).execute(&mut *connection).await?;
    }
    if met {
        let found = Found { store_id: from, ..found };
        exception::note(connection, found, exception::TRANSFER_MET, &details).await?;
    }
    // Told once, by the document that was the first to say so.
    if over(told) && !over(&known) {
        let found = Found { store_id: from, ..found };
        exception::note(connection, found, exception::TRANSFER_OVER, &details).await?;
    }
    let payload = if stands { document } else { serde_json::to_string(&known).unwrap_or(document) };
    for store in &hear {
        let id = told.transfer_id.as_str();
        later.entries.push(Entry::for_store(Kind::Transfer, id, store.as_str(), payload.clone()));
    }
    Ok(())
}
