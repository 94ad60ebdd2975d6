//! Goods between two disconnected stores: one cancels the transfer, the other receives it.

use super::QUICK;
use serde_json::{Value, json};
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::ends::{same, synced};
use testkit::goods::{COST, SKU, stock, text};
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::wait;

const PATH: &str = "/api/transfers";

/// A store with its own connection to the hub, and with goods.
struct End {
    store: Store,
    line: Proxy,
}

impl End {
    #[track_caller]
    fn open(hub: &Hub, id: &str) -> Self {
        let mut store = Store::prepare_other(id, QUICK, 1);
        let line = Proxy::before(hub.address());
        hub.enrol_at(&store, &line.url());
        store.start();
        store.receive_all(10);
        Self { store, line }
    }

    #[track_caller]
    fn read(&self, id: &str) -> Option<Value> {
        let reply = self.store.login("warehouse").get(&format!("{PATH}/{id}"));
        (reply.status == 200).then(|| reply.data(200))
    }

    /// Waits until the transfer is in this state at the store.
    #[track_caller]
    fn has(&self, id: &str, state: &str) -> Value {
        let what = format!("{} has {id} as {state}", self.store.id());
        wait::until(&what, || self.read(id).filter(|transfer| transfer["state"] == state))
    }

    #[track_caller]
    fn stock(&self) -> (i64, i64) {
        stock(&mut self.store.login("warehouse"), SKU)
    }
}

/// Sends five pieces. Both ends know of the transfer, and then both are disconnected.
#[track_caller]
fn on_its_way() -> (Hub, End, End, String) {
    let hub = Hub::open();
    let (from, to) = (End::open(&hub, "S001"), End::open(&hub, "S002"));
    // The sender joined before the receiver existed, and goods can only be sent to a known store.
    synced(&mut from.store.login("manager"));
    let body = json!({"to_store_id": "S002", "lines": [{"sku": SKU, "qty": 5}]});
    let id = text(&from.store.login("warehouse").post(PATH, &body).data(201), "transfer_id");
    to.has(&id, "in_transit");
    for end in [&from, &to] {
        end.line.set(Chaos::Down, ALL);
    }
    from.store.login("warehouse").post(&format!("{PATH}/{id}/cancel"), &json!({})).data(200);
    let came = json!({"lines": [{"sku": SKU, "qty": 5}]});
    to.store.login("warehouse").post(&format!("{PATH}/{id}/receive"), &came).data(200);
    assert_eq!((from.stock().0, to.stock().0), (10, 15), "at first the goods are at both ends");
    (hub, from, to, id)
}

/// A receipt has precedence over a cancellation: the goods are where they were received, and the sender's manager gets
/// a conflict.
#[track_caller]
fn received_beats_cancelled(hub: &Hub, from: &End, to: &End, id: &str) {
    for end in [from, to] {
        end.has(id, "received");
    }
    let met = wait::until("the sender has applied the receipt", || {
        from.read(id).filter(|t| t["cancel_lost"] == json!(true))
    });
    assert_eq!(met["discrepancies"], json!([]), "{met}");
    for end in [from, to] {
        same(hub, &end.store);
    }
    assert_eq!((from.stock(), to.stock()), ((5, 5 * COST), (15, 15 * COST)));
    let status = super::status(hub);
    assert!(status["exceptions_count"].as_u64().is_some_and(|count| count > 0), "{status}");
}

#[test]
fn a_transfer_cancelled_by_one_and_received_by_the_other() {
    let (hub, from, to, id) = on_its_way();
    from.line.set(Chaos::Pass, ALL);
    wait::until("the hub has received the cancellation", || {
        (super::outbox(&from.store)["pending"] == 0).then_some(())
    });
    to.line.set(Chaos::Pass, ALL);
    received_beats_cancelled(&hub, &from, &to, &id);
}

#[test]
fn a_transfer_received_by_one_and_cancelled_by_the_other() {
    let (hub, from, to, id) = on_its_way();
    to.line.set(Chaos::Pass, ALL);
    wait::until("the hub has the receipt", || (super::outbox(&to.store)["pending"] == 0).then_some(()));
    from.line.set(Chaos::Pass, ALL);
    received_beats_cancelled(&hub, &from, &to, &id);
}
