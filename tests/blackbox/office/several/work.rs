//! The workers: stores that report their days, and two of each at head office that compete.

use super::pair::Caller;
use super::text;
use crate::office::reported::{Day, Line, by, cash};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use testkit::simulated::{Reported, Shop};
use testkit::wait;

pub const STORES: [&str; 3] = ["S001", "S003", "S004"];
/// Days in November that each store reports.
pub const DAYS: usize = 5;
const FIRST: usize = 20;
/// Sales of a day. Every other one is paid by card, and the first is returned.
const SALES: usize = 6;
pub const SALES_OF_A_STORE: usize = DAYS * SALES;
/// Number of invoices, each entered by both payers, and number of orders of each buyer.
pub const INVOICES: usize = 8;
pub const ORDERS: usize = 6;
/// Highest number of records in a batch.
const BATCH: u64 = 4;
/// Date on which invoices are entered and paid.
const TODAY: &str = "2026-12-04";
const PRICE: i64 = 16_650;
const COST: i64 = 9_000;
const STOCK: i64 = 1_000;
const RECEIVED: i64 = 10;
const FEE: i64 = 250;
const SOLD: Line = Line { sku: "A", qty: 1, gross: 15_000, discount: 0, tax: 1_650, cost: COST };
const STATE: &[&str] = &["409 invalid_state"];
const INVOICES_AT: &str = "/api/finance/invoices";

/// A worker: runs until its work is done.
pub type Does = fn(&Work, Caller<'_>);

/// State that all workers share.
pub struct Work {
    supplier: String,
    source: String,
    /// Number of days that each store has sealed.
    sealed: [AtomicUsize; STORES.len()],
    /// Orders that each store expects.
    orders: [Mutex<Vec<String>>; STORES.len()],
}

/// Returns the number of a store's sale.
fn number(place: usize, day: usize, sale: usize) -> u32 {
    u32::try_from((place + 1) * 1_000_000 + day * SALES + sale).unwrap()
}

fn date(day: usize) -> String {
    format!("2026-11-{}", FIRST + day)
}

/// Returns a provider's file about a day, dated one day later.
fn file(source: &str, day: usize) -> Value {
    let line = |reference: String, gross: i64, fee: i64| json!({"date": date(day + 1), "reference": reference, "gross": gross, "fee": fee});
    let of_store = |place: usize| {
        let sold = (0..SALES).step_by(2).map(move |sale| format!("C-{}", number(place, day, sale)));
        sold.map(move |slip| line(slip, PRICE, FEE)).chain([line(
            format!("R-{}", number(place, day, 0)),
            -PRICE,
            0,
        )])
    };
    let lines: Vec<Value> = (0..STORES.len()).flat_map(of_store).collect();
    json!({"source_id": source, "lines": lines})
}

impl Work {
    /// The workers at head office, two of each.
    pub const AT_THE_OFFICE: [(&str, Does); 4] =
        [("settles", Self::settles), ("locks", Self::locks), ("pays", Self::pays), ("buys", Self::buys)];

    /// Creates the catalogue, the supplier and the source.
    pub fn begun(office: &mut Caller<'_>) -> Self {
        office.did("/api/products", &json!({"sku": "A", "name": "Tea", "price": 15_000}));
        let supplier =
            text(&office.did("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})), "supplier_id");
        let source = json!({"name": "Cards", "kind": "provider", "methods": ["card"]});
        let source = text(&office.did("/api/statement-sources", &source), "source_id");
        Self { supplier, source, sealed: Default::default(), orders: Default::default() }
    }

    /// Reports a store's days in batches of random size.
    pub fn tells(&self, place: usize, mut shop: Shop, mut caller: Caller<'_>) {
        let mut on_hand = STOCK;
        for day in 0..DAYS {
            let order = self.orders[place].lock().unwrap().pop();
            let reported = self.day(place, (day, on_hand), order.as_deref());
            on_hand += 1 - i64::try_from(SALES).unwrap() + order.map_or(0, |_| RECEIVED);
            let mut left = reported.as_slice();
            while !left.is_empty() {
                let size = 1 + usize::try_from(caller.dice.below(BATCH)).unwrap();
                let (batch, later) = left.split_at(size.min(left.len()));
                let batch = shop.batch(batch);
                caller.pushes(&shop, &batch);
                left = later;
            }
            self.sealed[place].fetch_add(1, SeqCst);
        }
    }

    fn day(&self, place: usize, (day, on_hand): (usize, i64), order: Option<&str>) -> Vec<Reported> {
        let store = STORES[place];
        let mut made = Day::of(store, i8::try_from(FIRST + day).unwrap(), on_hand);
        if day == 0 {
            made = made.first_stock("A", STOCK, STOCK * COST);
        }
        if let Some(order) = order {
            made = made.receives(&format!("rcv_{store}_{day}"), (&self.supplier, order), [RECEIVED, 0, COST]);
        }
        made = made.opens();
        let mut drawer = 200_000;
        for sale in 0..SALES {
            let number = number(place, day, sale);
            let slip = format!("C-{number}");
            let paid = if sale % 2 == 0 { by("card", PRICE, slip) } else { cash(PRICE, 0) };
            drawer += if sale % 2 == 0 { 0 } else { PRICE };
            made = made.sells(number, &SOLD, &paid);
        }
        let first = number(place, day, 0);
        let back = (first + 500_000, first);
        let made = made.takes_back(back, "restock", &SOLD, &by("card", PRICE, format!("R-{first}")));
        made.closes(drawer, drawer).seals()
    }

    fn seen(&self, day: usize) -> impl Iterator<Item = bool> {
        self.sealed.iter().map(move |sealed| sealed.load(SeqCst) > day)
    }

    /// Imports the file of each day that all stores have sealed, and approves its settlements.
    fn settles(&self, mut caller: Caller<'_>) {
        for day in 0..DAYS {
            wait::until("all stores have sealed the day", || self.seen(day).all(|seen| seen).then_some(()));
            let read = caller.tries("/api/statements", &file(&self.source, day), &["409 duplicate"]);
            let statement = match read {
                Ok(read) => text(&read, "statement_id"),
                Err(known) => text(&known, "id"),
            };
            let filter = format!("&from={0}&to={0}", date(day));
            for settlement in caller.lists("/api/settlements", &filter) {
                let path = format!("/api/settlements/{}/approve", text(&settlement, "settlement_id"));
                let _ = caller.tries(&path, &json!({}), STATE);
            }
            let _ = caller.tries(&format!("/api/statements/{statement}/approve"), &json!({}), STATE);
        }
    }

    /// Locks days as soon as one store has reported them, reopens some of them, and locks the month before and the
    /// month itself.
    fn locks(&self, mut caller: Caller<'_>) {
        let force = json!({"force": true, "reason": "the rest is late"});
        let again = json!({"reason": "a bill"});
        let month = |month: &str, step: &str| format!("/api/finance/periods/{month}/{step}");
        let closed = &["409 duplicate", "409 invalid_state"];
        for day in 0..DAYS {
            wait::until("a store has sealed the day", || self.seen(day).any(|seen| seen).then_some(()));
            caller.did(&format!("/api/finance/days/{}/lock", date(day)), &force);
            let store = STORES[usize::try_from(caller.dice.below(3)).unwrap()];
            let unlock = json!({"store_id": store, "reason": "a bill"});
            let _ = caller.tries(&format!("/api/finance/days/{}/unlock", date(day)), &unlock, STATE);
            let _ = caller.tries(&month("2026-10", "close"), &force, closed);
            let _ = caller.tries(&month("2026-10", "reopen"), &again, STATE);
            caller.did(
                "/api/finance/journal",
                &json!({"date": TODAY, "memo": "by hand", "lines": [
                {"account": "6050", "debit": 5}, {"account": "1040", "credit": 5}]}),
            );
        }
        let _ = caller.tries(&month("2026-11", "close"), &force, closed);
    }

    /// Enters, matches, approves and pays the same invoices, each exactly once.
    fn pays(&self, mut caller: Caller<'_>) {
        for number in 0..INVOICES {
            let line = json!({"account": "6060", "store_id": "S001", "qty": 1, "unit_cost": 1_000 + number});
            let bill = json!({"supplier_id": self.supplier, "invoice_no": format!("T-{number}"), "invoice_date": TODAY,
                "lines": [line]});
            let id = match caller.tries(INVOICES_AT, &bill, &["409 duplicate"]) {
                Ok(made) => text(&made, "invoice_id"),
                Err(known) => text(&known, "id"),
            };
            for step in ["match", "approve"] {
                let _ = caller.tries(&format!("{INVOICES_AT}/{id}/{step}"), &json!({}), STATE);
            }
            let pay = json!({"supplier_id": self.supplier, "date": TODAY, "account": "1040", "amount": 1_000 + number,
                "allocations": [{"invoice_id": id, "amount": 1_000 + number}]});
            let _ =
                caller.tries("/api/finance/payments", &pay, &["422 payment_mismatch", "409 invalid_state"]);
        }
    }

    /// Makes the worker's own orders in pairs: one is sent to a store, the other is cancelled.
    fn buys(&self, mut caller: Caller<'_>) {
        for number in 0..ORDERS {
            let place = number % STORES.len();
            let order = json!({"supplier_id": self.supplier, "store_id": STORES[place],
                "lines": [{"sku": "A", "qty": RECEIVED, "unit_cost": COST}]});
            let id = text(&caller.did("/api/purchase-orders", &order), "po_id");
            for step in ["approve", "send"] {
                caller.did(&format!("/api/purchase-orders/{id}/{step}"), &json!({}));
            }
            if number % 2 == 0 {
                self.orders[place].lock().unwrap().push(id);
            } else {
                caller.did(&format!("/api/purchase-orders/{id}/cancel"), &json!({"reason": "no more"}));
            }
        }
    }
}
