//! Applies records of the feed without a hub, in the stopped store, with the owners that apply them from the feed.

use domain::model::base::event::{Event, fact};
use domain::model::hub::sync::ConflictDown;
use domain::model::hub::sync::local::{Change, ParkedNote};
use domain::model::inventory::purchase::{PurchaseOrder, Supplier};
use domain::model::inventory::transfer::Transfer;
use domain::model::selling::promotion::Promotion;
use serde::Deserialize;
use serde_json::{Value, json};
use store_router::config::load::load;
use store_router::{folder, start};
use testkit::Store;

/// Records of the feed, by kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedRecords {
    supplier: Option<Supplier>,
    purchase_order: Option<PurchaseOrder>,
    transfer: Option<Transfer>,
    conflict: Option<ConflictDown>,
    parked: Option<ParkedNote>,
    #[serde(default)]
    promotions: Vec<Promotion>,
}

/// Stops the store, applies records of the feed (for example `{"supplier": …}`, `{"transfer": …}`) and starts it
/// again.
#[track_caller]
pub fn apply_feed(store: &mut Store, records: &Value) {
    let FeedRecords { supplier, purchase_order, transfer, conflict, parked, promotions } =
        FeedRecords::deserialize(records).expect("records of the feed");
    let supplier = supplier.map(|supplier| fact::SupplierChanged { supplier }.into());
    let order = purchase_order.map(|order| fact::PurchaseOrderChanged { order }.into());
    let conflict = conflict.map(|conflict| {
        let (id, conflict) = (conflict.conflict_id.clone(), json!(conflict));
        fact::SyncChanged { change: Change::Conflict { id, conflict } }.into()
    });
    let parked = parked.map(|note| fact::SyncChanged { change: Change::Parked { note } }.into());
    let promotions = promotions.into_iter().map(|promotion| fact::PromotionChanged { promotion }.into());
    let events: Vec<Event> =
        supplier.into_iter().chain(order).chain(conflict).chain(parked).chain(promotions).collect();
    store.stop();
    write_offline(store, events, transfer);
    store.start();
}

/// Writes to a stopped store, as a command of the program does.
fn write_offline(store: &Store, events: Vec<Event>, transfer: Option<Transfer>) {
    // The program makes new files private to their owner, so this process must do the same.
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
