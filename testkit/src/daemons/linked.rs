//! A shop with its head office: a running hub, an enrolled store, a till with an open shift.

use crate::ends;
use crate::hub::Hub;
use crate::{Client, Store, wait};
use serde_json::{Value, json};

pub struct Linked {
    pub hub: Hub,
    pub office: Client,
    pub store: Store,
    pub till: Client,
    pub manager: Client,
}

impl Linked {
    #[track_caller]
    pub fn open() -> Self {
        let hub = Hub::open();
        let mut store = Store::prepare("", 1);
        hub.enrol(&store);
        store.start();
        store.receive_all(100);
        let mut till = store.login("till-1").at_register("till-1");
        let (office, manager) = (hub.login(), store.login("manager"));
        till.post("/api/shifts/open", &json!({})).data(201);
        Self { hub, office, store, till, manager }
    }

    /// Creates something at head office.
    #[track_caller]
    pub fn made(&mut self, path: &str, body: &Value) -> Value {
        self.office.post(path, body).data(201)
    }

    /// Returns the store's answer once it is as expected.
    #[track_caller]
    pub fn seen(&mut self, what: &str, path: &str, expected: impl Fn(&Value) -> bool) -> Value {
        wait::until(what, || {
            let reply = self.manager.get(path);
            (reply.status == 200).then(|| reply.data(200)).filter(&expected)
        })
    }

    /// Waits until the till has this price of a product.
    #[track_caller]
    pub fn priced(&mut self, sku: &str, price: i64) {
        self.seen(&format!("{sku} costs {price}"), &format!("/api/pos/products/{sku}"), |product| {
            product["price"] == json!(price)
        });
    }

    /// Waits until head office has everything of the store and the feed is read to its end.
    #[track_caller]
    pub fn synced(&mut self) {
        ends::synced(&mut self.manager);
    }

    /// Stops the hub; returns once the store has noticed.
    #[track_caller]
    pub fn cut(&mut self) {
        self.hub.kill9();
        self.seen("the store sees it", "/api/sync/status", |status| status["hub"]["state"] != "online");
    }
}
