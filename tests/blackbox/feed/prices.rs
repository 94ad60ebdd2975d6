//! Prices and promotions: at the till as soon as they are known, from their day on, with or without a hub.

use crate::support::counter::{SALES, number};
use crate::support::linked::Linked;
use edge::clock;
use jiff::{ToSpan, civil::Date, tz::TimeZone};
use serde_json::{Value, json};

const SKU: &str = "8990001";
const LISTED: i64 = 2_000;

/// Today at the store, and so many days later.
fn day(later: i64) -> String {
    let today: Date = clock::now().timestamp().to_zoned(TimeZone::get("Asia/Jakarta").unwrap()).date();
    today.saturating_add(later.days()).to_string()
}

fn basket(price: i64, qty: i64) -> Value {
    json!({"items": [{"sku": SKU, "qty": qty, "price": price}]})
}

#[test]
fn a_price_of_head_office_counts_at_the_till_from_its_day_on_and_while_the_hub_is_away() {
    let mut shop = Linked::open();
    shop.priced(SKU, LISTED);
    let tomorrow = json!({"sku": SKU, "price": 9_999, "store_id": "S001", "from": day(1)});
    shop.made("/api/prices", &tomorrow);
    let general = json!({"sku": SKU, "price": 1_500, "from": day(-3)});
    shop.made("/api/prices", &general);
    shop.priced(SKU, 1_500);
    shop.made("/api/prices", &json!({"sku": SKU, "price": 1_700, "store_id": "S001", "from": day(-10)}));
    // The store's own beats one for all, although its day is earlier.
    shop.priced(SKU, 1_700);

    shop.cut();
    let sale = shop.till.post(SALES, &basket(1_700, 1)).data(201);
    assert_eq!(sale["items"][0]["list_price"], json!(1_700), "{sale}");
    assert_eq!(sale["items"][0]["price_override"], json!(false), "{sale}");
    let old = shop.till.post(SALES, &basket(LISTED, 1)).data(201);
    assert_eq!(old["items"][0]["price_override"], json!(true), "{old}");
    let labels = shop.manager.get(&format!("/api/pos/labels?skus={SKU}"));
    assert_eq!(labels.status, 200);
    assert!(labels.text().contains("1,700"), "{}", labels.text());
    shop.store.kill9();
    shop.store.start();
    shop.priced(SKU, 1_700);
}

#[test]
fn a_promotion_of_head_office_is_priced_in_until_it_ends() {
    let mut shop = Linked::open();
    let promotion = json!({"name": "Tea week", "type": "line_percent", "value": 1_000, "skus": [SKU],
        "from": day(-1), "to": day(1), "priority": 1});
    let made = shop.made("/api/promotions", &promotion);
    let next = json!({"name": "Next week", "type": "line_percent", "value": 5_000, "skus": [SKU],
        "from": day(2), "to": day(3), "priority": 1, "stackable": true});
    shop.made("/api/promotions", &next);
    shop.synced();
    let sale = shop.till.post(SALES, &basket(LISTED, 2)).data(201);
    assert_eq!((number(&sale, "subtotal"), number(&sale, "discount")), (4_000, 400), "{sale}");
    let discount = &sale["items"][0]["discounts"][0];
    assert_eq!(
        (&discount["source"], &discount["promotion_id"]),
        (&json!("promotion"), &made["promotion_id"])
    );

    let path = format!("/api/promotions/{}", made["promotion_id"].as_str().unwrap());
    let ended = json!({"from": day(-3), "to": day(-2)}).to_string();
    shop.office.send("PATCH", &path, &[], ended.as_bytes()).data(200);
    shop.synced();
    let sale = shop.till.post(SALES, &basket(LISTED, 2)).data(201);
    assert_eq!(number(&sale, "discount"), 0, "{sale}");
}
