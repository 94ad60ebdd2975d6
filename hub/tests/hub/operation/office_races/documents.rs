//! Concurrent requests at two processes about orders, invoices, payments, entries and months.

use super::two::{Two, one_wins, tries};
use crate::office::finance_entries::{entry, text};
use crate::sync::records::{DAY, receiving};
use serde_json::{Value, json};

const INVOICES: &str = "/api/finance/invoices";
const ORDERS: &str = "/api/purchase-orders";
const STATE: &[&str] = &["409 invalid_state"];

fn expense(supplier: &str, invoice_no: &str, amount: i64) -> Value {
    json!({"supplier_id": supplier, "invoice_no": invoice_no, "invoice_date": DAY,
        "lines": [{"account": "6060", "store_id": "S001", "qty": 1, "unit_cost": amount}]})
}

/// Races each step of an invoice: its number, approval and payment, the reversal of the payment, and a credit note.
async fn an_invoice(two: &mut Two, supplier: &str, turn: usize) {
    let number = two.number();
    let asks =
        [format!("R-{number}"), format!("r {number}")].map(|no| (INVOICES, expense(supplier, &no, number)));
    let answers = two.race(turn, asks).await;
    let made = answers[one_wins(&answers, &["409 duplicate"])].data();
    let path = format!("{INVOICES}/{}", text(made, "invoice_id"));
    two.create(&format!("{path}/match"), &json!({})).await;
    two.succeeds_once(turn, (&format!("{path}/approve"), json!({})), STATE).await;
    let pay = json!({"supplier_id": supplier, "date": DAY, "account": "1040", "amount": number,
        "allocations": [{"invoice_id": made["invoice_id"], "amount": number}]});
    let refusals = ["422 payment_mismatch", "409 invalid_state"];
    let paid = two.succeeds_once(turn, ("/api/finance/payments", pay), &refusals).await;
    assert_eq!(two.first().get(&path).await.data()["state"], "paid");
    let back = format!("/api/finance/payments/{}/reverse", text(&paid, "payment_id"));
    two.succeeds_once(turn, (&back, json!({"reason": "the bank sent it back"})), STATE).await;
    let left = two.first().get(&path).await.data().clone();
    assert_eq!((&left["state"], &left["open"]), (&json!("approved"), &json!(number)));
    let note = json!({"supplier_id": supplier, "credit_note_no": format!("K-{number}"), "date": DAY, "kind": "price",
        "invoice_id": made["invoice_id"], "lines": [{"net": 10, "tax": 0}]});
    let note = two.succeeds_once(turn, ("/api/finance/credit-notes", note), &["409 duplicate"]).await;
    let approve = format!("/api/finance/credit-notes/{}/approve", text(&note, "credit_note_id"));
    two.succeeds_once(turn, (&approve, json!({})), STATE).await;
}

/// Races two invoices for the same pieces.
async fn pieces(two: &mut Two, supplier: &str, turn: usize) {
    let number = two.number();
    let mut came: Value =
        serde_json::from_str(&receiving("S001", "A", 10, &format!("evt_r{number}"))).unwrap();
    came["payload"]["receiving"]["supplier_id"] = json!(supplier);
    two.reported("S001", vec![came.to_string()]).await;
    let mut paths = Vec::new();
    for letter in ["A", "B"] {
        let bill = json!({"supplier_id": supplier, "invoice_no": format!("{letter}-{number}"), "invoice_date": DAY,
            "lines": [{"receiving_id": format!("rcv_evt_r{number}"), "receiving_line_no": 1, "qty": 10,
                "unit_cost": 10}]});
        let made = two.create(INVOICES, &bill).await;
        paths.push(format!("{INVOICES}/{}/match", text(&made, "invoice_id")));
    }
    let accept = json!({"accept": [{"type": "duplicate_suspect", "reason": "two bills"}]});
    let answers = two.race(turn, [(&paths[0], accept.clone()), (&paths[1], accept)]).await;
    let mut states: Vec<String> = answers.iter().map(|answer| text(answer.data(), "state")).collect();
    states.sort();
    assert_eq!(states, ["disputed", "matched"], "{answers:?}");
    // The invoice that lost is cancelled, so its pieces are free.
    let lost = answers.iter().position(|answer| answer.data()["state"] == "disputed").unwrap();
    let path = paths[lost].replace("/match", "/cancel");
    two.succeeds_once(turn, (&path, json!({"reason": "billed twice"})), STATE).await;
}

/// Races each step of an order, of which one succeeds, and two revisions of one version.
async fn an_order(two: &Two, supplier: &str, turn: usize) {
    let line = |qty: usize| json!([{"line_no": 1, "sku": "A", "qty": qty, "unit_cost": 9}]);
    let order = json!({"supplier_id": supplier, "store_id": "S001", "lines": [{"sku": "A", "qty": 10, "unit_cost": 9}]});
    let path = format!("{ORDERS}/{}", text(&two.create(ORDERS, &order).await, "po_id"));
    for step in ["approve", "send"] {
        two.succeeds_once(turn, (&format!("{path}/{step}"), json!({})), STATE).await;
    }
    let revise = format!("{path}/revise");
    let asks =
        [20, 30].map(|qty| (revise.as_str(), json!({"revision": 0, "lines": line(qty), "reason": "more"})));
    let answers = two.race(turn, asks).await;
    let won = one_wins(&answers, STATE);
    let now = two.first().get(&path).await.data().clone();
    assert_eq!((&now["revision"], &now["lines"]), (&json!(1), &answers[won].data()["lines"]));
    let why = json!({"reason": "no more"});
    let asks = [format!("{path}/cancel"), format!("{path}/close")];
    let answers = two.race(turn, [(&asks[0], why.clone()), (&asks[1], why)]).await;
    let state = ["cancelled", "closed"][one_wins(&answers, STATE)];
    assert_eq!(two.first().get(&path).await.data()["state"], state);
}

/// Races the reversal of an entry, and the closing and reopening of a month.
async fn books(two: &Two, turn: usize) {
    let made = two.create("/api/finance/journal", &entry(DAY, &[("", "6050", 5), ("", "1040", -5)])).await;
    let path = format!("/api/finance/journal/{}/reverse", text(&made, "entry_id"));
    two.succeeds_once(turn, (&path, json!({"reason": "a slip"})), &["409 duplicate"]).await;
    let month = "/api/finance/periods/2000-01";
    two.succeeds_once(turn, (&format!("{month}/close"), json!({})), &["409 duplicate"]).await;
    two.succeeds_once(turn, (&format!("{month}/reopen"), json!({"reason": "a bill"})), STATE).await;
}

/// Asserts that the numbers of one kind of document have no gap.
async fn has_no_gap(two: &Two, path: &str) {
    let (mut numbers, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = two.first().get(&format!("{path}?limit=500{cursor}")).await.data().clone();
        for one in page["items"].as_array().unwrap() {
            let number = text(one, "doc_no").rsplit_once('-').unwrap().1.parse::<usize>().unwrap();
            numbers.push(number);
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>(), "{path}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_one_makes_each_step_of_a_document() {
    let mut two = Two::open().await;
    two.create("/api/products", &json!({"sku": "A", "name": "Thing", "price": 20})).await;
    two.shop("S001").await;
    let supplier =
        text(&two.create("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await, "supplier_id");
    for turn in 0..tries() {
        an_invoice(&mut two, &supplier, turn).await;
        pieces(&mut two, &supplier, turn).await;
        an_order(&two, &supplier, turn).await;
        books(&two, turn).await;
    }
    for path in [INVOICES, "/api/finance/payments", "/api/finance/credit-notes"] {
        has_no_gap(&two, path).await;
    }
    two.assert_sound().await;
}
