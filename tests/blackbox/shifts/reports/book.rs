//! A shop day with every kind of event, and its own sums, which are computed from prices and tax rates, not from the
//! store's answers.

use domain::model::base::time::UtcMs;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use testkit::Client;
use testkit::counter::{Counter, SALES, approved, number, text};
use testkit::store::PRODUCTS;
use testkit::till::half_up;

/// Figures of a row, with the names of the contract.
pub const FIGURES: [&str; 11] = [
    "sales_count",
    "items_count",
    "gross_sales",
    "discounts",
    "tax",
    "total",
    "rounding",
    "returns_count",
    "returns_total",
    "returns_rounding",
    "net_total",
];
/// The figures of a row, or `None` for a figure that does not apply to its group.
pub type Row = [Option<i64>; FIGURES.len()];
/// The cash rounding of the shops in these tests.
pub const ROUNDED: &str = "payments.cash_rounding = 50";
/// Offset of Jakarta from UTC, the same all year.
const AHEAD_MS: i64 = 7 * 3_600_000;

/// Contribution of one line of a document.
struct Line {
    sku: &'static str,
    /// Pieces, gross, discount, tax, total. A return counts only with its refund.
    figures: [i64; 5],
}

/// A sale or a return that is counted.
struct Document {
    back: bool,
    day: String,
    hour: String,
    cashier: String,
    lines: Vec<Line>,
    money: Vec<(&'static str, i64)>,
}

/// Sales and returns.
#[derive(Default)]
pub struct Book(Vec<Document>);

fn priced(sku: &'static str, qty: i64, discount: i64) -> Line {
    let (_, price) = PRODUCTS.iter().find(|(known, _)| *known == sku).unwrap();
    let gross = qty * price;
    let tax = half_up((gross - discount) * 1_100, 10_000);
    Line { sku, figures: [qty, gross, discount, tax, gross - discount + tax] }
}

fn hour(answer: &Value, field: &str) -> String {
    let at: UtcMs = serde_json::from_value(answer[field].clone()).unwrap();
    let local = serde_json::to_string(&UtcMs(at.0 + AHEAD_MS)).unwrap();
    format!("{}:00", &local[1..14])
}

impl Book {
    fn add(
        &mut self,
        answer: &Value,
        (back, at): (bool, &str),
        lines: Vec<Line>,
        money: &[(&'static str, i64)],
    ) {
        self.0.push(Document {
            back,
            day: text(answer, "business_date"),
            hour: hour(answer, at),
            cashier: text(answer, "cashier_id"),
            lines,
            money: money.to_vec(),
        });
    }

    pub fn sold(&mut self, sale: &Value, lines: &[(&'static str, i64, i64)], money: &[(&'static str, i64)]) {
        let lines = lines.iter().map(|(sku, qty, discount)| priced(sku, *qty, *discount)).collect();
        self.add(sale, (false, "paid_at"), lines, money);
    }

    pub fn returned(&mut self, back: &Value, sku: &'static str, qty: i64, money: &[(&'static str, i64)]) {
        let mut back = back.clone();
        // The answer to a cashier does not contain the cashier; the till's own sales do.
        if back["cashier_id"].is_null() {
            back["cashier_id"] = json!(self.0.last().unwrap().cashier);
        }
        self.add(&back, (true, "created_at"), vec![priced(sku, qty, 0)], money);
    }

    /// Returns the rows that a report must have.
    pub fn rows(&self, group_by: &str) -> Vec<(String, Row)> {
        let mut groups: BTreeMap<String, [i64; FIGURES.len()]> = BTreeMap::new();
        for document in &self.0 {
            let mut parts: Vec<(String, [i64; 6])> = Vec::new();
            for line in &document.lines {
                let key = match group_by {
                    "day" => document.day.clone(),
                    "hour" => document.hour.clone(),
                    "store" => "S001".to_owned(),
                    "cashier" => document.cashier.clone(),
                    "sku" => line.sku.to_owned(),
                    "category" => "grocery".to_owned(),
                    _ => continue,
                };
                let [pieces, gross, discount, tax, total] = line.figures;
                parts.push((key, [pieces, gross, discount, tax, total, 0]));
            }
            let money = |(method, amount): &(&str, i64)| {
                ((*method).to_owned(), [0, 0, 0, 0, *amount, rounding(method, *amount)])
            };
            match (group_by, parts.first()) {
                ("method", _) => parts = document.money.iter().map(money).collect(),
                ("sku" | "category", _) | (_, None) => {}
                (_, Some((key, _))) => {
                    let rounding =
                        document.money.iter().map(|(method, amount)| rounding(method, *amount)).sum();
                    parts.push((key.clone(), [0, 0, 0, 0, 0, rounding]));
                }
            }
            let counted: BTreeSet<&String> = parts.iter().map(|(key, _)| key).collect();
            for key in counted {
                groups.entry(key.clone()).or_default()[if document.back { 7 } else { 0 }] += 1;
            }
            for (key, figures) in &parts {
                let row = groups.entry(key.clone()).or_default();
                if document.back {
                    (8..10).for_each(|place| row[place] += figures[place - 4]);
                } else {
                    (1..7).for_each(|place| row[place] += figures[place - 1]);
                }
                row[10] = row[5] - row[8];
            }
        }
        let none: &[usize] = match group_by {
            "sku" | "category" => &[6, 9],
            "method" => &[1, 2, 3, 4],
            _ => &[],
        };
        let known = |row: [i64; FIGURES.len()]| {
            std::array::from_fn(|place| Some(row[place]).filter(|_| !none.contains(&place)))
        };
        groups.into_iter().map(|(key, row)| (key, known(row))).collect()
    }
}

/// Returns the difference that rounding to 50 makes to an amount paid or refunded in cash.
fn rounding(method: &str, amount: i64) -> i64 {
    if method == "cash" { (amount + 25) / 50 * 50 - amount } else { 0 }
}

#[track_caller]
fn give_back(till: &mut Client, sale: &Value, sku: &str, refunds: Option<Value>) -> Value {
    let mut body = json!({"transaction_id": sale["transaction_id"], "items": [{"sku": sku, "qty": 1, "reason": "torn"}]});
    if let Some(refunds) = refunds {
        body["refunds"] = refunds;
    }
    till.post("/api/pos/returns", &body).data(201)
}

/// Runs a day with every kind of event at two tills. Returns the second till with its shift.
#[track_caller]
pub fn live(counter: &mut Counter, book: &mut Book) -> (Client, String) {
    let sold = counter.sale(&[("8990001", 2), ("8990003", 1)], &[], "cash");
    book.sold(&sold, &[("8990001", 2, 0), ("8990003", 1, 0)], &[("cash", 18_315)]);
    let split = counter.sale(&[("8990002", 1), ("8990001", 1)], &[("card", 1_000)], "cash");
    book.sold(&split, &[("8990002", 1, 0), ("8990001", 1, 0)], &[("card", 1_000), ("cash", 4_550)]);
    let voided = counter.sale(&[("8990007", 3)], &[], "card");
    counter.act(&voided, "void", &approved(json!({"reason": "left"}))).data(200);
    let unpaid = counter.basket(&[("8990007", 1)]);
    counter.act(&unpaid, "void", &json!({"reason": "left"})).data(200);

    let line = json!({"sku": "8990010", "qty": 2, "price": 7_500, "discount": 500});
    let made = counter.till.post(SALES, &json!({"items": [line]})).data(201);
    let due = number(&made, "total");
    let cheap = counter.act(&made, "pay", &json!({"method": "qris", "amount": due})).data(200);
    book.sold(&cheap, &[("8990010", 2, 500)], &[("qris", due)]);

    let wrong = counter.sale(&[("8990012", 1)], &[], "cash");
    let due = number(&wrong, "total");
    let payments = json!([{"method": "card", "amount": due}]);
    let correct =
        json!({"payment_id": wrong["payments"][0]["payment_id"], "payments": payments, "reason": "slip"});
    let right = counter.act(&wrong, "correct-tender", &approved(correct)).data(200);
    book.sold(&right, &[("8990012", 1, 0)], &[("card", due)]);

    let back = give_back(&mut counter.till, &sold, "8990001", None);
    book.returned(&back, "8990001", 1, &[("cash", 2_220)]);
    let undone = give_back(&mut counter.till, &split, "8990002", None);
    let path = format!("/api/pos/returns/{}/void", text(&undone, "return_id"));
    counter.manager.post(&path, &json!({"reason": "wrong receipt"})).data(200);

    let (mut other, shift) = counter.second();
    let first = sell(&mut other, "8990003", "card", 13_875);
    book.sold(&first, &[("8990003", 1, 0)], &[("card", 13_875)]);
    let basket = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2_000}]});
    let small = other.post(SALES, &basket).data(201);
    let refunds = json!([
        {"method": "exchange", "transaction_id": small["transaction_id"], "amount": 2_220},
        {"method": "card", "amount": 11_655}
    ]);
    let exchanged = give_back(&mut other, &first, "8990003", Some(refunds));
    book.returned(&exchanged, "8990003", 1, &[("exchange", 2_220), ("card", 11_655)]);
    let bought = other.get(&format!("{SALES}/{}", text(&small, "transaction_id"))).data(200);
    book.sold(&bought, &[("8990001", 1, 0)], &[("exchange", 2_220)]);
    (other, shift)
}

/// Sells one piece with one payment.
#[track_caller]
pub fn sell(till: &mut Client, sku: &str, method: &str, amount: i64) -> Value {
    let (_, price) = PRODUCTS.iter().find(|(known, _)| *known == sku).unwrap();
    let made = till.post(SALES, &json!({"items": [{"sku": sku, "qty": 1, "price": price}]})).data(201);
    let path = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
    till.post(&path, &json!({"method": method, "amount": amount})).data(200)
}

/// Returns the figures of a row or of the totals.
pub fn figures(row: &Value) -> Row {
    FIGURES.map(|name| if row[name].is_null() { None } else { Some(number(row, name)) })
}

/// Returns the rows of a report in the form of the book.
pub fn shown(report: &Value, key: &str) -> Vec<(String, Row)> {
    let row = |row: &Value| (text(row, key), figures(row));
    report["items"].as_array().unwrap().iter().map(row).collect()
}
