//! What a whole snapshot of a lane does not have any more.

use super::Page;
use crate::door::Door;
use domain::event::Event;
use domain::product::Product;
use domain::sync::Change;
use domain::sync::lane::{self, Kind};
use domain::sync::local::Inbound;
use domain::time::UtcMs;
use std::collections::HashSet;
use storage::StorageError;

/// Records of one kind that are looked at together.
const LOOKED_AT: usize = 1_000;

/// What is here and not in a snapshot of a lane. Denials, revocations and members stay: no snapshot
/// removes them.
pub(crate) fn gone(
    door: &Door,
    lane: &str,
    seen: &HashSet<(String, String)>,
    now: UtcMs,
) -> Result<Vec<Event>, StorageError> {
    let storage = &door.storage;
    let mut page = Page::new(door);
    let is_seen = |kind: &str, id: &str| seen.contains(&(kind.to_owned(), id.to_owned()));
    for kind in kept_kinds(lane) {
        let mut after: Option<String> = None;
        loop {
            let records = storage.inbounds(kind, after.as_deref(), LOOKED_AT)?;
            let Some(last) = records.last().map(|record| record.id.clone()) else { break };
            for record in records.into_iter().filter(|record| !is_seen(kind, &record.id)) {
                page.take(&deleted(record))?;
            }
            after = Some(last);
        }
    }
    // What is gone moves no goods.
    let mut events = page.end().events;
    if lane == lane::REST {
        let mut after = None;
        loop {
            let products = storage.products(after.as_ref(), LOOKED_AT)?;
            let Some(last) = products.last().map(|product| product.sku.clone()) else { break };
            let lost =
                products.into_iter().filter(|product| product.active && !is_seen("product", &product.sku.0));
            events.extend(lost.map(|product| Event::ProductChanged {
                product: Product { active: false, updated_at: now, ..product },
            }));
            after = Some(last);
        }
    }
    Ok(events)
}

/// The end of a record, as the feed would tell it.
fn deleted(record: Inbound) -> Change {
    let Inbound { kind, id, version, effective_at, payload } = record;
    Change { cursor: String::new(), kind, id, version, deleted: true, effective_at, payload }
}

/// The kinds of a lane that may vanish.
fn kept_kinds(lane: &str) -> Vec<&'static str> {
    let kinds = [
        Kind::Settings,
        Kind::Price,
        Kind::Promotion,
        Kind::Points,
        Kind::Supplier,
        Kind::PurchaseOrder,
        Kind::Transfer,
    ];
    kinds.into_iter().filter(|kind| kind.lane() == lane).map(Kind::name).collect()
}
