//! Every refusal of the error table that this version can give: its status, its code and its shape, and that nothing
//! changed.

mod access;
mod bodies;
mod business;
mod headers;
mod limits;

use serde_json::{Value, json};
use testkit::store::PRODUCTS;
use testkit::{Client, Store, audit};

/// A store with an open shift at a till, and the two clients that most refusals need.
struct Bench {
    store: Store,
    till: Client,
    manager: Client,
    shift_id: String,
}

impl Bench {
    #[track_caller]
    fn open() -> Self {
        Self::open_with("")
    }

    #[track_caller]
    fn open_with(extra: &str) -> Self {
        let store = Store::open_with(extra, 2);
        let mut till = store.login("till-1").at_register("till-1");
        let manager = store.login("manager");
        store.receive_all(10);
        let shift = till.post("/api/shifts/open", &json!({})).data(201);
        let shift_id = shift["shift_id"].as_str().unwrap().to_owned();
        Self { store, till, manager, shift_id }
    }

    /// Creates a transaction of 2,220 without payments.
    #[track_caller]
    fn open_transaction(&mut self) -> String {
        let created = self.till.post("/api/pos/transactions", &one_line()).data(201);
        created["transaction_id"].as_str().unwrap().to_owned()
    }

    /// Returns all state that a refusal must not change.
    #[track_caller]
    fn state(&mut self) -> Value {
        let outbox = self.manager.get("/api/sync/status").data(200)["outbox"].clone();
        let stock: Vec<_> = PRODUCTS
            .iter()
            .map(|(sku, _)| self.manager.get(&format!("/api/stock/{sku}")).data(200)["on_hand"].clone())
            .collect();
        let path = format!("/api/pos/transactions?shift_id={}", self.shift_id);
        let transactions = audit::items(&mut self.manager, &path);
        let open = audit::items(&mut self.manager, &format!("{path}&state=open"));
        let shift = self.till.get("/api/shifts/current").data(200);
        json!([outbox["last_seq"], outbox["head_hash"], stock, transactions, open, shift])
    }

    /// Runs `refusals` and asserts that the state is the same afterwards.
    #[track_caller]
    fn unchanged_by(&mut self, refusals: impl FnOnce(&mut Self)) {
        let before = self.state();
        refusals(self);
        assert_eq!(self.state(), before, "a refusal changed something");
        assert!(self.store.daemon().ended().is_none(), "the daemon died");
    }
}

/// One line worth 2,220.
fn one_line() -> Value {
    json!({"items": [{"sku": "8990001", "qty": 1, "price": 2000}]})
}
