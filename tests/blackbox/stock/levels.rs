//! Stock in lists, and its former value.

use serde_json::{Value, json};
use testkit::Store;
use testkit::audit::items;
use testkit::counter::{Counter, approved, number, text};
use testkit::goods::{COST, SKU};

#[test]
fn stock_is_found_by_word_code_and_what_is_wrong_with_it() {
    let mut counter = Counter::at_empty(Store::open_with("", 2));
    counter.sale(&[(SKU, 1)], &[], "card");
    let mut staff = counter.store.login("warehouse");
    let skus = |items: Vec<Value>| items.iter().map(|item| item["sku"].clone()).collect::<Vec<_>>();
    assert_eq!(skus(items(&mut staff, "/api/stock?negative=true")), [json!(SKU)]);
    assert_eq!(skus(items(&mut staff, "/api/stock?barcode=89900020")), [json!("8990002")]);
    let found = items(&mut staff, "/api/stock?barcode=89900020").remove(0);
    assert_eq!(found["pack_qty"], json!(1), "the pieces of the requested code");
    assert_eq!(items(&mut staff, "/api/stock?category=grocery&below_reorder=true").len(), 12);
    assert_eq!(items(&mut staff, "/api/stock?category=tea").len(), 0);
    let groups = items(&mut staff, "/api/categories");
    assert_eq!(groups, [json!({"category": "grocery", "products_count": 12})], "as in the catalogue");
}

#[test]
fn the_lowest_stock_comes_first_with_the_number_of_all() {
    let mut counter = Counter::at_empty(Store::open_with("", 2));
    for (sku, sold) in [("8990005", 3), ("8990003", 7), (SKU, 1)] {
        counter.sale(&[(sku, sold)], &[], "card");
    }
    let mut staff = counter.store.login("warehouse");
    let by_code = items(&mut staff, "/api/stock?below_reorder=true");
    let mut spare: Vec<(i64, String)> = by_code
        .iter()
        .map(|one| (number(one, "on_hand") - number(one, "reorder_level"), text(one, "sku")))
        .collect();
    spare.sort();
    assert_eq!(spare[0].1, "8990003");
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let query = format!("below_reorder=true&sort=worst&with_total=true&limit=5{cursor}");
        let page = staff.get(&format!("/api/stock?{query}")).data(200);
        assert_eq!(page["total"], json!(by_code.len()), "{page}");
        found.extend(page["items"].as_array().unwrap().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let worst: Vec<String> = found.iter().map(|one| text(one, "sku")).collect();
    assert_eq!(worst, spare.into_iter().map(|(_, sku)| sku).collect::<Vec<_>>());
    assert!(found.iter().all(|one| by_code.contains(one)), "the same rows in another order");
    let whole = staff.get("/api/stock?with_total=true&limit=1").data(200);
    assert_eq!(
        (&whole["total"], &whole["items"][0]["sku"]),
        (&json!(12), &json!(SKU)),
        "ordered by code: {whole}"
    );
    assert_eq!(staff.get("/api/stock?q=nothing&with_total=true").data(200)["total"], json!(0));
    assert!(staff.get("/api/stock").data(200).get("total").is_none());
    staff.get("/api/stock?sort=price").refused(400, "invalid_query");
    let code = text(&whole, "next_cursor");
    staff.get(&format!("/api/stock?sort=worst&cursor={code}")).refused(400, "invalid_cursor");
}

#[test]
fn every_movement_says_what_moved_why_and_by_which_document() {
    let mut counter = Counter::open();
    let sku = "8990003";
    let mut staff = counter.store.login("warehouse");
    let sale = counter.sale(&[(sku, 5)], &[], "card");
    let body = json!({"transaction_id": sale["transaction_id"], "items": [{"sku": sku, "qty": 2}]});
    let back = counter.till.post("/api/pos/returns", &body).data(201);
    let void = format!("/api/pos/returns/{}/void", text(&back, "return_id"));
    counter.manager.post(&void, &json!({"reason": "wrong"})).data(200);
    let undone = counter.sale(&[(sku, 1)], &[], "card");
    counter.act(&undone, "void", &approved(json!({"reason": "wrong"}))).data(200);
    let lost = json!({"reason": "theft", "lines": [{"sku": sku, "qty": -3}]});
    let lost = staff.post("/api/adjustments", &lost).data(201);
    let sent = json!({"to_store_id": "S002", "lines": [{"sku": sku, "qty": 4}]});
    let sent = staff.post("/api/transfers", &sent).data(201);
    let cancel = format!("/api/transfers/{}/cancel", text(&sent, "transfer_id"));
    staff.post(&cancel, &json!({})).data(200);
    let count = staff.post("/api/opname", &json!({"scope": "skus", "skus": [sku]})).data(201);
    let path = format!("/api/opname/{}", text(&count, "opname_id"));
    staff.post(&format!("{path}/counts"), &json!({"counts": [{"sku": sku, "qty": 93}]})).data(200);
    counter.manager.post(&format!("{path}/post"), &json!({})).data(200);
    let mut movements = items(&mut staff, &format!("/api/stock/{sku}/movements"));
    movements.reverse();
    let reported: Vec<Value> = movements
        .iter()
        .map(|movement| json!([movement["reason"], movement["qty"], movement["reference_id"]]))
        .collect();
    let (sale_id, return_id) = (&sale["transaction_id"], &back["return_id"]);
    let (undone_id, sent_id) = (&undone["transaction_id"], &sent["transfer_id"]);
    let expected = json!([
        ["receiving", 100, movements[0]["reference_id"]],
        ["sale", -5, sale_id],
        ["return", 2, return_id],
        ["return", -2, return_id],
        ["sale", -1, undone_id],
        ["sale_void", 1, undone_id],
        ["adjustment", -3, lost["adjustment_id"]],
        ["transfer_out", -4, sent_id],
        ["transfer_out", 4, sent_id],
        ["opname", 1, count["opname_id"]],
    ]);
    assert_eq!(json!(reported), expected);
    let (mut on_hand, mut value) = (0, 0);
    for movement in &movements {
        on_hand += number(movement, "qty");
        value += number(movement, "cost") - number(movement, "correction");
        assert_eq!(movement["balance_after"], json!(on_hand), "{movement}");
        assert!(movement["user_id"].is_string() && movement["reference_type"].is_string(), "{movement}");
    }
    assert_eq!((counter.on_hand(sku), counter.value(sku)), (on_hand, value), "the sum of its movements");
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn stock_is_there_for_every_product_and_for_nothing_else() {
    let store = Store::open();
    let mut staff = store.login("warehouse");
    let never = staff.get("/api/stock/8990005").data(200);
    assert_eq!((&never["on_hand"], &never["value"], &never["available"]), (&json!(0), &json!(0), &json!(0)));
    assert_eq!(items(&mut staff, "/api/stock/8990005/movements"), Vec::<Value>::new());
    for path in ["/api/stock/nope", "/api/stock/nope/movements"] {
        staff.get(path).refused(404, "not_found");
    }
    let skus = |query: &str| -> Vec<Value> {
        let found = items(&mut store.login("warehouse"), &format!("/api/stock?{query}"));
        found.iter().map(|item| item["sku"].clone()).collect()
    };
    assert_eq!(skus("q=8990003"), [json!("8990003")]);
    assert_eq!(skus("q=product%20899001").len(), 3, "8990010, 8990011, 8990012");
    assert_eq!(skus("q=PROD&category=grocery").len(), 12);
    assert!(skus("q=roduct").is_empty() && skus("barcode=nope").is_empty());
    for query in ["negative=maybe", "below_reorder=1", "colour=red", "limit=0"] {
        staff.get(&format!("/api/stock?{query}")).refused(400, "invalid_query");
    }
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
        assert_eq!(totals, [json!(sum), Value::Null, Value::Null], "the first page has the total");
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
