//! The audit: compares the answers that tills got with the store's data afterwards. Nothing lost, nothing
//! doubled, no gap, and every sum right.

use crate::client::Client;
use crate::store::{PRODUCTS, STORE_ID, Store};
use crate::till::{Sold, Till};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The audit's page size: small enough that paging is tried too.
const PAGE: usize = 200;

/// Checks everything that `tills` sold out of `received` pieces of every product.
#[track_caller]
pub fn audit(store: &Store, tills: &mut [Till], received: i64) {
    let mut manager = store.login("manager");
    for till in tills.iter_mut() {
        sales_of_till(&mut manager, till);
        summary_of_till(&mut manager, till);
        repeats_of_till(till);
    }
    let sold: Vec<&Sold> = tills.iter().flat_map(|till| &till.sold).collect();
    stock(&mut manager, &sold, received);
}

/// Asserts that the list of a shift's sales equals the till's answers, and that its receipts have no gap.
#[track_caller]
fn sales_of_till(manager: &mut Client, till: &Till) {
    let path = format!("/api/pos/transactions?shift_id={}&state=paid", till.shift_id);
    let listed = items(manager, &path);
    let known: BTreeMap<&str, &Sold> =
        till.sold.iter().map(|sale| (sale.transaction_id.as_str(), sale)).collect();
    assert_eq!(known.len(), till.sold.len(), "{}: one id for two sales", till.register);
    let found: BTreeSet<&str> = listed.iter().filter_map(|sale| sale["transaction_id"].as_str()).collect();
    assert_eq!(found.len(), listed.len(), "{}: a sale is listed twice", till.register);
    let reported: BTreeSet<&str> = known.keys().copied().collect();
    let lost: Vec<_> = reported.difference(&found).collect();
    let doubled: Vec<_> = found.difference(&reported).collect();
    assert!(lost.is_empty(), "{}: acknowledged and lost: {lost:?}", till.register);
    assert!(doubled.is_empty(), "{}: sold without a till knowing, so doubled: {doubled:?}", till.register);
    for sale in &listed {
        let sold = known[sale["transaction_id"].as_str().unwrap()];
        assert_eq!(sale["receipt_no"], json!(sold.receipt_no), "{sale}");
        assert_eq!(sale["total"], json!(sold.total), "{sale}");
        assert_eq!(sale["state"], json!("paid"), "{sale}");
    }
    let mut receipts: Vec<&str> = till.sold.iter().map(|sale| sale.receipt_no.as_str()).collect();
    receipts.sort_unstable();
    let expected: Vec<String> =
        (1..=receipts.len()).map(|n| format!("{STORE_ID}-{}-{n:08}", till.register)).collect();
    assert_eq!(receipts, expected, "{}: receipt numbers have no gap and no double", till.register);
}

/// Checks that the shift's running sums are the sums of its sales.
#[track_caller]
fn summary_of_till(manager: &mut Client, till: &Till) {
    let summary = manager.get(&format!("/api/shifts/{}/summary", till.shift_id)).data(200);
    let sum = |figure: fn(&Sold) -> i64| till.sold.iter().map(figure).sum::<i64>();
    let expect = |name: &str, value: i64| assert_eq!(summary[name], json!(value), "{name}: {summary}");
    expect("sales_count", till.sold.len() as i64);
    expect("items_count", sum(|sale| sale.pieces.values().sum()));
    expect("gross_sales", sum(|sale| sale.gross));
    expect("tax", sum(|sale| sale.tax));
    expect("net_sales", sum(|sale| sale.total - sale.tax));
    let cash = sum(|sale| sale.cash);
    assert_eq!(summary["cash"]["sales"], json!(cash), "{summary}");
    assert_eq!(summary["cash"]["expected"], json!(100_000 + cash), "{summary}");
}

/// Asserts that repeated payments return the stored bytes.
#[track_caller]
fn repeats_of_till(till: &mut Till) {
    let recent: Vec<Sold> = till.sold.iter().rev().take(3).cloned().collect();
    for sale in recent.into_iter().chain(till.sold.first().cloned()) {
        let again = till.pay_again(&sale);
        assert_eq!(
            again.header("idempotency-replayed"),
            Some("true"),
            "{}: {}",
            sale.receipt_no,
            again.text()
        );
        assert!(again.body == sale.pay_answer, "{}: a different answer: {}", sale.receipt_no, again.text());
    }
}

/// Checks that on hand = received − sold = Σ movements, and that each movement's balance follows from the one before.
#[track_caller]
fn stock(manager: &mut Client, sold: &[&Sold], received: i64) {
    for (sku, _) in PRODUCTS {
        let out: i64 = sold.iter().filter_map(|sale| sale.pieces.get(sku)).sum();
        let on_hand = manager.get(&format!("/api/stock/{sku}")).data(200)["on_hand"].clone();
        assert_eq!(on_hand, json!(received - out), "{sku}: received {received}, sold {out}");
        let mut movements = items(manager, &format!("/api/stock/{sku}/movements"));
        movements.reverse();
        let mut balance = 0;
        for movement in &movements {
            balance += movement["qty"].as_i64().unwrap();
            assert_eq!(movement["balance_after"], json!(balance), "{sku}: {movement}");
        }
        assert_eq!(balance, received - out, "{sku}: the sum of its movements");
    }
}

/// Returns every item of a list, page by page.
#[track_caller]
pub fn items(client: &mut Client, path: &str) -> Vec<Value> {
    let joint = if path.contains('?') { '&' } else { '?' };
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client.get(&format!("{path}{joint}limit={PAGE}{cursor}")).data(200);
        let items = page["items"].as_array().expect("items");
        assert!(items.len() <= PAGE, "a page of {} items", items.len());
        all.extend(items.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}
