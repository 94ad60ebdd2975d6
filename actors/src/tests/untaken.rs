//! Records of the feed that an earlier version of the program could only store: the next version applies them without
//! receiving them again.

use crate::tests::support::hub::{FakeHub, OnPull, OnPush};
use crate::tests::support::shop::{Shop, config, rules, shop_of};
use domain::model::base::event::fact;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::{Change, Inbound, LinkRow, OwnWrite, Unsupported};
use domain::model::inventory::product_settings::ProductSettings;
use domain::model::people::member::FieldMark;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use storage::Commit;

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
    }
}

/// Returns a record as stored by a program that could not apply it.
fn noted(kind: &str, id: &str, payload: Value) -> [Change; 2] {
    let (kind, id, version) = (kind.to_owned(), id.to_owned(), "v1".to_owned());
    let record =
        Inbound { kind: kind.clone(), id: id.clone(), version: version.clone(), effective_at: None, payload };
    let problem = "this version does not know the kind".to_owned();
    let note = Unsupported { kind, id, version, problem, at: UtcMs(1) };
    [Change::Pulled { record }, Change::Untaken { note }]
}

async fn kept(shop: &Shop, changes: Vec<Change>) {
    let events = changes.into_iter().map(|change| fact::SyncChanged { change }.into()).collect();
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
    shop.handle.storage().commit(commit).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_program_uses_what_an_older_one_noted() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage();
    until("the version is stored", || storage.sync().standing().unwrap().taken_by == "test").await;
    let product = json!({"sku": "B", "name": "Banana", "price": 100, "tax_rate_bp": null, "tax_code": null,
        "category": null, "barcodes": [], "cost": null, "reorder_level": null, "track_stock": true,
        "state": "active", "price_set_at": UtcMs(0), "updated_at": UtcMs(0)});
    // More records than are applied at once.
    let mut changes: Vec<Change> = noted("product", "B", product.clone()).into();
    for number in 0..700 {
        let mut product = product.clone();
        (product["sku"], product["name"]) = (json!(format!("B-{number}")), json!("Banana"));
        changes.extend(noted("product", &format!("B-{number}"), product));
    }
    changes.extend(noted("product", "C", json!({"sku": "C"})));
    changes.extend(noted("hologram", "holo_1", json!({"colour": "blue"})));
    for chunk in changes.chunks(200) {
        kept(&shop, chunk.to_vec()).await;
    }
    let of = |storage: &storage::Storage| -> Vec<String> {
        let ids = storage.sync().untaken(1_000).unwrap().into_iter().map(|note| note.id);
        ids.collect()
    };
    shop.handle.force_sync(false).await.unwrap();
    assert_eq!(of(storage).len(), 703, "the same program does not try again");
    let older = LinkRow { taken_by: "0.0.1".to_owned(), ..storage.sync().standing().unwrap() };
    kept(&shop, vec![Change::Standing { standing: older }]).await;
    shop.handle.force_sync(false).await.unwrap();
    until("the program's own version is stored", || storage.sync().standing().unwrap().taken_by == "test")
        .await;
    assert_eq!(of(storage), ["holo_1", "C"], "records that still can't be applied stay stored");
    assert_eq!(storage.sync().inbound("hologram", "holo_1").unwrap().unwrap().payload["colour"], "blue");
    for sku in ["B", "B-0", "B-699"] {
        assert_eq!(storage.products().product(&Sku::from(sku)).unwrap().unwrap().name, "Banana", "{sku}");
        assert_eq!(storage.sync().inbound("product", sku).unwrap(), None, "a product is not stored twice");
    }
}

/// Returns a product's shelf place in the store, an older or newer one in the feed, and a write of it that was decided
/// on.
fn written(sku: &str, (here, there): (&str, String), (kept, write): (&str, &str)) -> Vec<Change> {
    let id = format!("product:{sku}:shelf_place");
    let mark = FieldMark { at: "5".to_owned(), event_id: "evt_first".to_owned(), open: false };
    let settings = ProductSettings {
        sku: Sku::from(sku),
        shelf_place: Some(here.to_owned()),
        marks: [("shelf_place".to_owned(), mark)].into(),
        ..ProductSettings::default()
    };
    let payload = json!({"name": id, "value": there, "at": "4", "by": "evt_there"});
    let (kind, version) = ("settings".to_owned(), kept.to_owned());
    let record = Inbound { kind: kind.clone(), id: id.clone(), version, effective_at: None, payload };
    let write = OwnWrite { kind, id, event_id: format!("evt_{sku}"), version: write.to_owned() };
    vec![Change::ProductSettings { settings }, Change::Pulled { record }, Change::Decided { write }]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_writes_that_wait_for_their_outcome_are_settled_in_pages_and_left_alone_before() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage();
    until("the stored record is not applied again", || storage.sync().standing().unwrap().taken_by == "test")
        .await;
    let place = |sku: &str| {
        storage.products().product_settings(&Sku::from(sku)).unwrap().unwrap().shelf_place.unwrap()
    };
    // The feed has the former value, to which a value that was sent back would change.
    kept(&shop, written("A", ("here", "old".to_owned()), ("6", "7"))).await;
    // More writes than are settled at once.
    let value = "x".repeat(64);
    let one = |number: usize| written(&format!("B-{number}"), ("here", value.clone()), ("7", "7"));
    for first in (0..1_200).step_by(100) {
        kept(&shop, (first..first + 100).flat_map(one).collect()).await;
    }
    shop.handle.force_sync(false).await.unwrap();
    let left = || storage.sync().own_writes_after("settings", None, 9_999).unwrap();
    until("all known outcomes are settled", || left().len() == 1).await;
    assert_eq!(left().first().unwrap().event_id, "evt_A", "its outcome has not arrived");
    assert_eq!((place("A").as_str(), place("B-1199").len()), ("here", 64));
}
