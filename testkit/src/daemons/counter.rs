//! A counter: a store with goods, a till with an open shift, and a manager.

use crate::store::{PASSWORD, PRODUCTS};
use crate::{Client, Reply, Store};
use serde_json::{Value, json};

pub const SALES: &str = "/api/pos/transactions";

pub struct Counter {
    pub store: Store,
    pub till: Client,
    pub manager: Client,
    pub shift_id: String,
}

impl Counter {
    #[track_caller]
    pub fn open() -> Self {
        Self::open_with("")
    }

    /// Opens one with more settings.
    #[track_caller]
    pub fn open_with(extra: &str) -> Self {
        Self::at(Store::open_with(extra, 2))
    }

    /// Opens one at a running store.
    #[track_caller]
    pub fn at(store: Store) -> Self {
        store.receive_all(100);
        Self::at_empty(store)
    }

    /// Opens one in a shop without goods.
    #[track_caller]
    pub fn at_empty(store: Store) -> Self {
        let mut till = store.login("till-1").at_register("till-1");
        let manager = store.login("manager");
        let shift_id = open_shift(&mut till);
        Self { store, till, manager, shift_id }
    }

    /// Logs in the second till and opens its shift.
    #[track_caller]
    pub fn second(&self) -> (Client, String) {
        let mut till = self.store.login("till-2").at_register("till-2");
        let shift_id = open_shift(&mut till);
        (till, shift_id)
    }

    #[track_caller]
    pub fn basket(&mut self, items: &[(&str, i64)]) -> Value {
        self.till.post(SALES, &basket(items)).data(201)
    }

    /// Makes a completed sale, paid by these methods; the last one pays the rest.
    #[track_caller]
    pub fn sale(&mut self, items: &[(&str, i64)], paid: &[(&str, i64)], last: &str) -> Value {
        let made = self.basket(items);
        let mut rest = number(&made, "total");
        let mut payments = Vec::new();
        for (method, amount) in paid {
            payments.push(json!({"method": method, "amount": amount}));
            rest -= amount;
        }
        payments.push(json!({"method": last, "amount": rest}));
        let path = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
        self.till.post(&path, &json!({"payments": payments})).data(200)
    }

    #[track_caller]
    pub fn on_hand(&mut self, sku: &str) -> i64 {
        number(&self.manager.get(&format!("/api/stock/{sku}")).data(200), "on_hand")
    }

    /// Returns the value of the goods on hand.
    #[track_caller]
    pub fn value(&mut self, sku: &str) -> i64 {
        number(&self.manager.get(&format!("/api/stock/{sku}")).data(200), "value")
    }

    #[track_caller]
    pub fn summary(&mut self) -> Value {
        self.manager.get(&format!("/api/shifts/{}/summary", self.shift_id)).data(200)
    }

    /// Returns the sales and refunds of one payment method in the shift's summary.
    #[track_caller]
    pub fn method(&mut self, method: &str) -> (i64, i64) {
        let summary = self.summary();
        let rows = summary["by_method"].as_array().unwrap();
        let row = rows.iter().find(|row| row["method"] == json!(method));
        row.map_or((0, 0), |row| (number(row, "sales"), number(row, "refunds")))
    }

    /// Posts below a transaction.
    #[track_caller]
    pub fn act(&mut self, transaction: &Value, what: &str, body: &Value) -> Reply {
        self.till.post(&format!("{SALES}/{}/{what}", text(transaction, "transaction_id")), body)
    }

    #[track_caller]
    pub fn read(&mut self, transaction: &Value) -> Value {
        self.till.get(&format!("{SALES}/{}", text(transaction, "transaction_id"))).data(200)
    }

    #[track_caller]
    pub fn close(&mut self) {
        let path = format!("/api/shifts/{}/close", self.shift_id);
        self.till.post(&path, &json!({"counted_cash": 0})).data(200);
    }
}

#[track_caller]
fn open_shift(till: &mut Client) -> String {
    text(&till.post("/api/shifts/open", &json!({})).data(201), "shift_id")
}

/// A transaction's body, at the catalogue's prices.
pub fn basket(items: &[(&str, i64)]) -> Value {
    let line = |(sku, qty): &(&str, i64)| {
        let (_, price) = PRODUCTS.iter().find(|(known, _)| known == sku).unwrap();
        json!({"sku": sku, "qty": qty, "price": price})
    };
    json!({"items": items.iter().map(line).collect::<Vec<_>>()})
}

/// The body with a manager's approval.
pub fn approved(mut body: Value) -> Value {
    body["approval"] = json!({"username": "manager@s001.example", "password": PASSWORD});
    body
}

#[track_caller]
pub fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no {field}: {value}")).to_owned()
}

#[track_caller]
pub fn number(value: &Value, field: &str) -> i64 {
    value[field].as_i64().unwrap_or_else(|| panic!("no {field}: {value}"))
}
