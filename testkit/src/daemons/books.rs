//! Books: sales, stock, points and cash according to a store's records, its own rows and its hub's sums. They are
//! computed here from JSON without the programs' own rules.

use crate::audit::items;
use crate::client::Client;
use crate::counter::{number as int, text};
use crate::hub::Hub;
use crate::store::Store;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The sums of one store.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Books {
    /// Figures of sales and returns, by the names that `status` has for them.
    pub sales: BTreeMap<String, i64>,
    /// Pieces and value by SKU.
    pub stock: BTreeMap<String, (i64, i64)>,
    /// Points by member.
    pub points: BTreeMap<String, i64>,
    /// Expected cash of each shift's drawer.
    pub cash: BTreeMap<String, i64>,
}

/// Records without a sum.
const SILENT: &[&str] = &[
    "shift.moved",
    "shift.closed",
    "shift.recounted",
    "cash.deposited",
    "member.changed",
    "product_settings.changed",
    "user.changed",
    "day.sealed",
    "day.reopened",
    "safe.opened",
    "receipts.skipped",
    "audit.recorded",
];

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

impl Books {
    /// Computes the sums from the distinct events of a store.
    #[track_caller]
    pub fn of_records<'a>(records: impl Iterator<Item = &'a str>) -> Self {
        let mut books = Self::default();
        for record in records {
            let record: Value = serde_json::from_str(record).unwrap();
            books.fold(record["type"].as_str().unwrap(), &record["payload"]);
        }
        books.whole()
    }

    #[track_caller]
    fn fold(&mut self, kind: &str, payload: &Value) {
        match kind {
            "transaction.paid" => {
                self.sale(&payload["transaction"], 1);
                self.effects(payload, &payload["transaction"]["items"]);
                let paid = list(&payload["transaction"]["payments"]);
                paid.filter(|p| p["state"] == "accepted")
                    .for_each(|p| self.cash(&payload["transaction"], p, 1));
                self.points(&payload["points"]);
            }
            "transaction.voided" if payload["transaction"]["receipt_no"].is_null() => {}
            "transaction.voided" => {
                let sale = &payload["transaction"];
                self.sale(sale, -1);
                self.add("voids_count", 1);
                self.add("voids_total", int(sale, "total"));
                self.effects(payload, &sale["items"]);
                list(&payload["refunds"]).for_each(|refund| self.cash(sale, refund, -1));
                self.points(&payload["points"]);
            }
            "return.posted" => self.returned(payload, 1),
            "return.voided" => self.returned(payload, -1),
            "tender.corrected" => {
                let sale = &payload["transaction"];
                for payment in list(&sale["payments"]) {
                    let wrong = payment["payment_id"] == payload["wrong"];
                    let right = list(&payload["right"]).any(|id| *id == payment["payment_id"]);
                    self.cash(sale, payment, i64::from(right) - i64::from(wrong));
                }
            }
            "shift.opened" => {
                let shift = &payload["shift"];
                *self.cash.entry(text(shift, "shift_id")).or_default() += int(shift, "opening_float");
            }
            "cash.moved" => {
                let movement = &payload["movement"];
                let sign = match movement["type"].as_str() {
                    Some("pay_in") => 1,
                    Some("pay_out" | "drop") => -1,
                    _ => 0,
                };
                *self.cash.entry(text(movement, "shift_id")).or_default() += sign * int(movement, "amount");
            }
            "receiving.posted" => {
                for line in list(&payload["receiving"]["lines"]).filter(|line| line["qty"] != 0) {
                    self.moved(line, int(line, "qty"), int(line, "cost") - int(line, "correction"));
                }
            }
            "receiving.reversed" => self.effects(payload, &payload["receiving"]["lines"]),
            "supplier_return.posted" => {
                for line in list(&payload["document"]["lines"]) {
                    self.moved(line, -int(line, "qty"), -int(line, "stock_cost"));
                }
            }
            "transfer.sent" | "transfer.received" | "transfer.cancelled" | "transfer.resolved" => {
                self.effects(payload, &payload["transfer"]["lines"]);
            }
            "adjustment.posted" => self.effects(payload, &payload["adjustment"]["lines"]),
            "opname.posted" => {
                for line in list(&payload["lines"]).filter(|line| !line["movement_id"].is_null()) {
                    let zones = line["zones"].as_object().unwrap().values();
                    let counted: i64 = zones.map(|zone| int(zone, "qty")).sum();
                    let value = int(line, "variance_value") - int(line, "correction");
                    self.moved(line, counted - int(line, "expected"), value);
                }
            }
            "stock.moved" => {
                for line in list(&payload["movements"]) {
                    self.moved(line, int(line, "qty"), int(line, "cost") - int(line, "correction"));
                }
            }
            "points.adjusted" => self.points(&serde_json::json!([payload["entry"]])),
            silent => assert!(SILENT.contains(&silent), "the effect of {silent} on the sums is unknown"),
        }
    }

    fn add(&mut self, name: &str, figure: i64) {
        *self.sales.entry(name.to_owned()).or_default() += figure;
    }

    fn sale(&mut self, sale: &Value, sign: i64) {
        self.add("sales_count", sign);
        let pieces: i64 = list(&sale["items"]).map(|line| int(line, "qty")).sum();
        self.add("items_count", sign * pieces);
        let figures = [("gross_sales", "subtotal"), ("discounts", "discount"), ("tax", "tax")];
        for (name, field) in figures.into_iter().chain([("rounding", "rounding"), ("total", "total")]) {
            self.add(name, sign * int(sale, field));
        }
    }

    fn returned(&mut self, payload: &Value, sign: i64) {
        let back = &payload["document"];
        self.add("returns_count", sign);
        self.add("returns_total", sign * int(back, "refund_total"));
        self.add("returns_tax", sign * int(back, "tax"));
        self.effects(payload, &back["items"]);
        list(&back["refunds"]).for_each(|refund| self.cash(back, refund, -sign));
        self.points(&payload["points"]);
    }

    /// Applies the effects of lines on stock.
    fn effects(&mut self, payload: &Value, lines: &Value) {
        for effect in list(&payload["lines"]) {
            let line = list(lines).find(|line| line["line_no"] == effect["line_no"]).unwrap();
            self.moved(line, int(effect, "qty"), int(effect, "cost") - int(effect, "correction"));
        }
    }

    fn moved(&mut self, line: &Value, pieces: i64, value: i64) {
        let sum = self.stock.entry(text(line, "sku")).or_default();
        *sum = (sum.0 + pieces, sum.1 + value);
    }

    fn cash(&mut self, document: &Value, paid: &Value, sign: i64) {
        if paid["method"] == "cash" {
            let amount = int(paid, "amount") + int(paid, "rounding");
            *self.cash.entry(text(document, "shift_id")).or_default() += sign * amount;
        }
    }

    fn points(&mut self, entries: &Value) {
        for entry in list(entries) {
            *self.points.entry(text(entry, "member_id")).or_default() += int(entry, "points");
        }
    }

    /// Reads the hub's sums.
    #[track_caller]
    pub fn of_hub(hub: &Hub, store_id: &str) -> Self {
        let mut client = hub.login();
        let status = client.get(&format!("/api/stores/{store_id}/status")).data(200);
        let sales = status["sums"].as_object().unwrap().iter();
        let sales = sales.map(|(name, figure)| (name.clone(), figure.as_i64().unwrap())).collect();
        let mut sums = |of: &str| items(&mut client, &format!("/api/stores/{store_id}/sums?of={of}"));
        let stock =
            sums("stock").into_iter().map(|s| (text(&s, "sku"), (int(&s, "on_hand"), int(&s, "value"))));
        let stock = stock.collect();
        let points = sums("points").into_iter().map(|s| (text(&s, "member_id"), int(&s, "points"))).collect();
        let cash = sums("cash").into_iter().map(|s| (text(&s, "shift_id"), int(&s, "expected"))).collect();
        Self { sales, stock, points, cash }.whole()
    }

    /// Reads the sums of the store's own rows; `of` names the members who ever had points.
    #[track_caller]
    pub fn of_rows(store: &Store, of: &Self) -> Self {
        let mut manager = store.login("manager");
        let mut books = Self::default();
        for row in items(&mut manager, "/api/stock") {
            books.moved(&row, int(&row, "on_hand"), int(&row, "value"));
        }
        let shifts: BTreeSet<String> =
            items(&mut manager, "/api/shifts").iter().map(|shift| text(shift, "shift_id")).collect();
        for shift_id in shifts {
            let summary = manager.get(&format!("/api/shifts/{shift_id}/summary")).data(200);
            for name in [
                "sales_count",
                "items_count",
                "gross_sales",
                "discounts",
                "tax",
                "returns_count",
                "returns_total",
            ] {
                books.add(name, int(&summary, name));
            }
            books.cash.insert(shift_id, int(&summary["cash"], "expected"));
        }
        for member_id in of.points.keys() {
            books.points.insert(member_id.clone(), points(&mut manager, member_id));
        }
        books.whole()
    }

    /// Returns the figures that a store's rows have, too.
    pub fn of_the_shop(&self) -> Self {
        let mut books = self.clone();
        let hubs_own = ["rounding", "total", "voids_count", "voids_total", "returns_tax"];
        books.sales.retain(|name, _| !hubs_own.contains(&name.as_str()));
        books
    }

    /// Returns the sums without zeros.
    fn whole(mut self) -> Self {
        self.sales.retain(|_, figure| *figure != 0);
        self.stock.retain(|_, sums| *sums != (0, 0));
        self.points.retain(|_, points| *points != 0);
        self.cash.retain(|_, cash| *cash != 0);
        self
    }
}

/// Returns the sum of a member's entries at a store.
fn points(manager: &mut Client, member_id: &str) -> i64 {
    let mut sum = 0;
    let mut cursor = String::new();
    loop {
        let page = manager.get(&format!("/api/members/{member_id}/points?limit=100{cursor}")).data(200);
        sum += list(&page["entries"]).map(|entry| int(entry, "points")).sum::<i64>();
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return sum,
        }
    }
}
