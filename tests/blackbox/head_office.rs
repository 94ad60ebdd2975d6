//! Head office's word without a hub: the owners that take it from the feed take it in on the stopped store.

use domain::model::base::event::{Event, fact};
use domain::model::hub::sync::ConflictDown;
use domain::model::hub::sync::local::Change;
use domain::model::inventory::purchase::{PurchaseOrder, Supplier};
use domain::model::inventory::transfer::Transfer;
use domain::model::selling::promotion::Promotion;
use serde::Deserialize;
use serde_json::{Value, json};
use store_router::config::load::load;
use store_router::{folder, start};
use testkit::Store;

/// What head office says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    supplier: Option<Supplier>,
    purchase_order: Option<PurchaseOrder>,
    transfer: Option<Transfer>,
    conflict: Option<ConflictDown>,
    #[serde(default)]
    promotions: Vec<Promotion>,
}

/// Head office says something: `{"supplier": …}`, `{"purchase_order": …}`, `{"transfer": …}`. The store is stopped for
/// it, and serves again.
#[track_caller]
pub fn told(store: &mut Store, what: &Value) {
    let Told { supplier, purchase_order, transfer, conflict, promotions } =
        Told::deserialize(what).expect("what head office says");
    let supplier = supplier.map(|supplier| fact::SupplierChanged { supplier }.into());
    let order = purchase_order.map(|order| fact::PurchaseOrderChanged { order }.into());
    let conflict = conflict.map(|conflict| {
        let (id, conflict) = (conflict.conflict_id.clone(), json!(conflict));
        fact::SyncChanged { change: Change::Conflict { id, conflict } }.into()
    });
    let promotions = promotions.into_iter().map(|promotion| fact::PromotionChanged { promotion }.into());
    let events: Vec<Event> = supplier.into_iter().chain(order).chain(conflict).chain(promotions).collect();
    store.stop();
    take_in(store, events, transfer);
    store.start();
}

/// As a command beside no daemon does.
fn take_in(store: &Store, events: Vec<Event>, transfer: Option<Transfer>) {
    // This process stands in for the store's: what it makes is for its owner alone.
    edge::private::new_files_only_for_owner();
    let config = load(Some(&store.folder().join("config.toml")), Vec::new()).unwrap().config;
    let storage = folder::open(&config).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (owners, supervision) = start::offline(&config, storage.clone()).await.unwrap();
        if !events.is_empty() {
            owners.write_catalogue(events).await.unwrap();
        }
        if let Some(transfer) = transfer {
            owners.merge_transfer(transfer).await.unwrap();
        }
        supervision.stop().await;
    });
    drop(runtime);
    folder::close(storage).unwrap();
}
