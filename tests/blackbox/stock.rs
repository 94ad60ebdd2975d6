//! Stock as lists show it, and what it was worth.

use crate::support::Store;
use crate::support::audit::items;
use crate::support::goods::{COST, SKU};
use serde_json::{Value, json};

#[test]
fn stock_is_found_by_word_code_and_what_is_wrong_with_it() {
    let store = Store::open();
    let mut staff = store.login("warehouse");
    let body = json!({"reason": "loss", "lines": [{"sku": SKU, "qty": -1}]});
    staff.post("/api/adjustments", &body).data(201);
    let skus = |items: Vec<Value>| items.iter().map(|item| item["sku"].clone()).collect::<Vec<_>>();
    assert_eq!(skus(items(&mut staff, "/api/stock?negative=true")), [json!(SKU)]);
    assert_eq!(skus(items(&mut staff, "/api/stock?barcode=89900020")), [json!("8990002")]);
    assert_eq!(items(&mut staff, "/api/stock?category=grocery&below_reorder=true").len(), 12);
    assert_eq!(items(&mut staff, "/api/stock?category=tea").len(), 0);
}

#[test]
fn a_valuation_is_what_was_there_at_the_end_of_a_date() {
    let store = Store::open();
    store.receive_all(10);
    let mut staff = store.login("warehouse");
    let body = json!({"reason": "loss", "lines": [{"sku": SKU, "qty": -4}]});
    let made = staff.post("/api/adjustments", &body).data(201);
    let today: jiff::civil::Date = made["business_date"].as_str().unwrap().parse().unwrap();
    let mut on = |date: jiff::civil::Date| {
        let path = format!("/api/stock/valuation?date={date}&limit=5");
        let (mut found, mut cursor, mut sum) = (Vec::new(), String::new(), 0);
        let mut totals = Vec::new();
        loop {
            let page = staff.get(&format!("{path}{cursor}")).data(200);
            found.extend(page["items"].as_array().unwrap().iter().cloned());
            sum += page["page_value"].as_i64().unwrap();
            totals.push(page["total_value"].clone());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let item = found.iter().find(|item| item["sku"] == json!(SKU)).unwrap().clone();
        assert_eq!(found.len(), 12);
        assert_eq!(totals, [json!(sum), Value::Null, Value::Null], "the first page knows the whole");
        assert_eq!(sum, found.iter().map(|item| item["value"].as_i64().unwrap()).sum::<i64>());
        (item["on_hand"].as_i64().unwrap(), item["value"].as_i64().unwrap(), sum)
    };
    let (on_hand, value, sum) = on(today);
    assert_eq!((on_hand, value), (6, 6 * COST));
    assert!(sum > value);
    assert_eq!(on(today.yesterday().unwrap()), (0, 0, 0));
    assert_eq!(on(today.tomorrow().unwrap()), (on_hand, value, sum));
    staff.get("/api/stock/valuation?date=soon").refused(400, "invalid_query");
    staff.get("/api/stock/valuation?cursor=x").refused(400, "invalid_cursor");
}
