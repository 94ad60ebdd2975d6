//! Prices and promotions: tills use them as soon as the store has them, from their start date on, with or without a
//! hub.

use edge::clock;
use jiff::{ToSpan, civil::Date, tz::TimeZone};
use serde_json::{Value, json};
use testkit::counter::{SALES, number};
use testkit::linked::Linked;
use testkit::process;
use testkit::store::catalogue;

const SKU: &str = "8990001";
const LISTED: i64 = 2_000;

/// Returns the store's date in `later` days.
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
    // A price for this store has precedence over a price for all stores, although it starts earlier.
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

/// Returns the price according to head office and the store, once both agree.
#[track_caller]
fn counts(shop: &mut Linked, price: i64, source: &str) -> Value {
    let path = format!("/api/prices/effective?sku={SKU}");
    let here = shop.seen(&format!("{price} by {source}"), &path, |found| {
        (&found["price"], &found["source"]) == (&json!(price), &json!(source))
    });
    let there = shop.office.get(&format!("{path}&store_id=S001")).data(200);
    for field in ["price", "source", "price_row", "since", "why", "store_id"] {
        assert_eq!(here[field], there[field], "{field}: {here} {there}");
    }
    shop.priced(SKU, price);
    here
}

#[track_caller]
fn withdrawn(shop: &mut Linked, price: &Value) -> Value {
    let path = format!("/api/prices/{}/withdraw", price["price_id"].as_str().unwrap());
    shop.office.post(&path, &json!({})).data(200)
}

#[track_caller]
fn listed(shop: &mut Linked, price: i64) {
    let body = json!({"price": price}).to_string();
    shop.office.send("PATCH", &format!("/api/products/{SKU}"), &[], body.as_bytes()).data(200);
}

#[test]
fn the_last_word_on_a_price_counts_at_every_till_and_can_be_taken_back() {
    let mut shop = Linked::open();
    shop.synced();
    assert_eq!(counts(&mut shop, LISTED, "product")["price_row"], Value::Null);
    let all = shop.made("/api/prices", &json!({"sku": SKU, "price": 1_500}));
    assert_eq!(
        (&all["from"], &all["store_id"]),
        (&Value::Null, &json!("")),
        "the price starts at once: {all}"
    );
    let found = counts(&mut shop, 1_500, "all_stores");
    assert_eq!((&found["price_row"], &found["since"]), (&all, &all["set_at"]));
    // The product's own price, set later, even to its previous value.
    listed(&mut shop, 1_800);
    counts(&mut shop, 1_800, "product");
    shop.made("/api/prices", &json!({"sku": SKU, "price": 1_600}));
    counts(&mut shop, 1_600, "all_stores");
    listed(&mut shop, 1_800);
    counts(&mut shop, 1_800, "product");
    // A file with another price is a change of the price; one with the same price is not.
    let file = |price: i64| {
        format!(
            "sku,name,price,category,barcode,reorder_level\n{SKU},Product {SKU},{price},grocery,{SKU}0,5\n"
        )
    };
    let csv = [("Content-Type", "text/csv")];
    let newer = shop.made("/api/prices", &json!({"sku": SKU, "price": 1_650}));
    shop.office.send("POST", "/api/products/import", &csv, file(1_800).as_bytes()).data(200);
    counts(&mut shop, 1_650, "all_stores");
    shop.office.send("POST", "/api/products/import", &csv, file(1_900).as_bytes()).data(200);
    counts(&mut shop, 1_900, "product");

    let own = shop.made("/api/prices", &json!({"sku": SKU, "price": 1_700, "store_id": "S001"}));
    counts(&mut shop, 1_700, "store");
    listed(&mut shop, 2_100);
    shop.synced();
    counts(&mut shop, 1_700, "store");
    let taken = withdrawn(&mut shop, &own);
    assert!(taken["withdrawn_at"].is_string(), "{taken}");
    counts(&mut shop, 2_100, "product");
    assert_eq!(withdrawn(&mut shop, &own), taken, "a second withdrawal changes nothing");
    let kept = shop.office.get("/api/prices").data(200);
    assert!(kept["items"].as_array().unwrap().contains(&taken), "{kept}");
    shop.office.post("/api/prices/prc_none/withdraw", &json!({})).refused(404, "not_found");

    // A future price is known in advance and can be withdrawn in time.
    let coming = shop.made("/api/prices", &json!({"sku": SKU, "price": 2_500, "from": day(2)}));
    shop.synced();
    let at = format!("/api/prices/effective?sku={SKU}&at={}T20:00:00.000Z", day(2));
    let path = format!("{at}&store_id=S001");
    assert_eq!(shop.office.get(&path).data(200)["price_row"], coming);
    assert_eq!(shop.manager.get(&at).data(200)["price_row"], coming);
    counts(&mut shop, 2_100, "product");
    withdrawn(&mut shop, &coming);
    shop.synced();
    assert_eq!(shop.manager.get(&at).data(200)["price"], json!(2_100));
    assert_eq!(shop.office.get(&path).data(200)["price"], json!(2_100));
    withdrawn(&mut shop, &newer);
    // A store that reads the whole feed again gets the same price.
    shop.manager.post("/api/sync/force", &json!({"full": true})).data(200);
    counts(&mut shop, 2_100, "product");
    let over = format!("/api/prices/effective?sku={SKU}&at=2020-01-01T00:00:00.000Z");
    shop.manager.get(&over).refused(400, "invalid_query");
    shop.manager.get("/api/prices/effective?sku=none").refused(404, "not_found");
    let elsewhere = format!("/api/prices/effective?sku={SKU}&store_id=S999");
    shop.office.get(&elsewhere).refused(404, "not_found");
}

#[test]
fn a_joined_stores_own_file_does_not_override_head_office() {
    let mut shop = Linked::open();
    shop.priced(SKU, LISTED);
    shop.synced();
    let same = shop.store.write_file("same.csv", &catalogue());
    process::succeed(shop.store.command(&["import", "products", same.to_str().unwrap()]), "");
    let other = catalogue().replace(&format!("{SKU},Product {SKU},2000"), &format!("{SKU},Product {SKU},1"));
    let other = format!("{other}NEW,Of this store,1,grocery,,,1100,1\n");
    let other = shop.store.write_file("other.csv", &other);
    let output = shop.store.run(&["import", "products", other.to_str().unwrap()]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains(&format!("sku {SKU}: ")) && said.contains("sku NEW: "),
        "the output names each row:\n{said}"
    );
    assert!(said.contains("2 bad rows: nothing was imported") && said.contains("head office"), "{said}");
    shop.priced(SKU, LISTED);
    shop.manager.get("/api/stock/NEW").refused(404, "not_found");
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
