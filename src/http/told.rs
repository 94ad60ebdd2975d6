//! For tests: a record of the hub's feed without a hub. A release build has no such route.

use super::auth::Nothing;
use super::failure::failed;
use super::{Answered, Request};
use domain::event::Event;
use domain::promotion::Promotion;
use domain::purchase::{PurchaseOrder, Supplier};
use domain::sync::ConflictDown;
use domain::sync::local::Change;
use domain::transfer::Transfer;
use edge::{Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// `POST /api/admin/told`
pub const TOLD: Doc = Doc::of("Operation", "Take in a record of the hub's feed")
    .body::<Told>(r#"{}"#)
    .answers::<Nothing>("{}")
    .unkeyed("a hub for tests")
    .hidden();

/// What head office says.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Told {
    supplier: Option<Supplier>,
    purchase_order: Option<PurchaseOrder>,
    transfer: Option<Transfer>,
    conflict: Option<ConflictDown>,
    promotion: Option<Promotion>,
}

/// `POST /api/admin/told`
pub async fn told(request: Request) -> Answered {
    let Told { supplier, purchase_order, transfer, conflict, promotion } = request.json()?;
    let store = &request.state.store;
    let supplier = supplier.map(|supplier| Event::SupplierChanged { supplier: Box::new(supplier) });
    let order = purchase_order.map(|order| Event::PurchaseOrderChanged { order: Box::new(order) });
    let conflict = conflict.map(|conflict| {
        let (id, conflict) = (conflict.conflict_id.clone(), json!(conflict));
        Event::Sync { change: Box::new(Change::Conflict { id, conflict }) }
    });
    let promotion = promotion.map(|promotion| Event::PromotionChanged { promotion: Box::new(promotion) });
    let events: Vec<Event> = supplier.into_iter().chain(order).chain(conflict).chain(promotion).collect();
    if !events.is_empty() {
        store.write_catalogue(events).await.map_err(failed)?;
    }
    if let Some(transfer) = transfer {
        store.merge_transfer(transfer).await.map_err(failed)?;
    }
    Ok(Reply::ok(&json!({})))
}
