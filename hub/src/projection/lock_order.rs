//! Records that are applied one by one first lock the rows that they share with other batches, in the order of a whole
//! batch: sales, points, members, orders, transfers, books. In their own order two batches could wait for each other.

use crate::projection::envelope::Incoming;
use crate::projection::fold::Projection;
use crate::projection::returns::returned_from::AffectedSales;
use crate::projection::{journal, points};
use crate::table::purchase_order;
use jiff::tz::TimeZone;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Locks the rows that these events of a store will write to.
pub(crate) async fn lock<'a>(
    connection: &mut AnyConnection,
    store_id: &str,
    events: impl Iterator<Item = &'a Incoming> + Clone,
) -> Result<(), sqlx::Error> {
    let zone = TimeZone::UTC;
    let mut all = Projection::new(store_id, &zone);
    for event in events.clone() {
        if let (Some(event_id), Ok(understood)) = (&event.event_id, &event.understood) {
            all.fold(event_id, "", understood);
        }
    }
    AffectedSales::lock(connection, all.taken_back, &all.receipts).await?;
    points::lock(connection, events.clone()).await?;
    let orders: BTreeSet<String> = all.shared.orders.into_iter().map(|came| came.po_id).collect();
    for po_id in orders {
        purchase_order::locked(connection, &po_id).await?;
    }
    journal::lock(connection, store_id, events).await
}
