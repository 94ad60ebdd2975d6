//! Returned receipts, known or unknown: each piece is reserved for only one return, and an excess of returns during an
//! outage makes an exception.

use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::kinds::{STAMP, raw, returned};
use crate::sync::records::{DAY, NOON, Sale};
use serde_json::{Value, json};

const RESERVE: &str = "/api/sync/receipts/reserve";
const RELEASE: &str = "/api/sync/receipts/release";

fn ask(return_id: &str, receipt_no: &str, qty: i64) -> Value {
    json!({"return_id": return_id, "receipt_no": receipt_no, "items": [{"sku": "A", "qty": qty}]})
}

const SALE: Sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 2, price: 1000 };

/// Opens a store that sold two pieces, and returns the receipt.
async fn sold(server: &Server) -> (Shop, String) {
    let mut seller = Shop::open(server, "S001").await;
    let text = SALE.record("evt_s");
    let record: Value = serde_json::from_str(&text).unwrap();
    let receipt = record["payload"]["transaction"]["receipt_no"].as_str().unwrap().to_owned();
    seller.chain().append(text);
    let batch = seller.batch(1, 1);
    seller.push(&batch).await.data();
    (seller, receipt)
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_of_another_stores_sale_are_reserved_once() {
    let server = Server::start().await;
    let (seller, receipt) = sold(&server).await;
    let buyer = Shop::open(&server, "S002").await;
    let third = Shop::open(&server, "S003").await;
    let of = |shop: &Shop, body: Value| {
        let speaker = shop.speak();
        async move { speaker.post(RESERVE, &body).await }
    };
    assert_eq!(of(&buyer, ask("ret_1", "S001-none-00000001", 1)).await.refusal(), "422 validation_failed");
    assert_eq!(of(&buyer, ask("ret_1", &receipt, 3)).await.refusal(), "422 return_exceeds_sold");
    let first = of(&buyer, ask("ret_1", &receipt, 1)).await;
    let line = &first.data()["transaction"]["items"][0];
    assert_eq!((&line["qty"], &line["returned_qty"]), (&json!(2), &json!(0)));
    // The same return again is not a second one, and another return sees the reserved piece.
    let again = of(&buyer, ask("ret_1", &receipt, 1)).await;
    assert_eq!(again.data()["transaction"], first.data()["transaction"]);
    let other = of(&third, ask("ret_2", &receipt, 1)).await;
    assert_eq!(other.data()["transaction"]["items"][0]["returned_qty"], json!(1));
    assert_eq!(of(&third, ask("ret_3", &receipt, 2)).await.refusal(), "422 return_exceeds_sold");
    third.speak().post(RELEASE, &json!({"return_id": "ret_2"})).await.data();
    // The seller may ask as well, and can't get a piece that another store has reserved. It checks its own returns
    // itself.
    let own = of(&seller, ask("ret_4", &receipt, 1)).await;
    let (lines, shop) = (json!([{"line_no": 1, "pieces": [{"start": 0, "end": 1}]}]), json!("S002"));
    let taken = &own.data()["taken"];
    assert_eq!(
        (&taken[0]["store_id"], &taken[0]["lines"], &taken[0]["refunded"]),
        (&shop, &lines, &json!(0))
    );
    assert_eq!(of(&seller, ask("ret_5", &receipt, 2)).await.refusal(), "422 return_exceeds_sold");
    of(&seller, ask("ret_5", &receipt, 1)).await.data();
    assert_eq!(of(&third, ask("ret_3", &receipt, 1)).await.refusal(), "422 return_exceeds_sold");
    // Released pieces are available again.
    for (shop, return_id) in [(&buyer, "ret_1"), (&seller, "ret_4"), (&seller, "ret_5")] {
        shop.speak().post(RELEASE, &json!({"return_id": return_id})).await.data();
    }
    of(&third, ask("ret_3", &receipt, 2)).await.data();
}

/// Returns a store's record of a return of one piece.
fn back(store: &str, id: &str, transaction_id: Option<&str>, receipt_no: Option<&str>) -> String {
    let mut document = returned(&format!("ret_{id}"), "", "posted");
    document["store_id"] = json!(store);
    document["receipt_no"] = json!(format!("{store}-main-{id}"));
    document["transaction_id"] = json!(transaction_id);
    document["origin_receipt_no"] = json!(receipt_no);
    let lines = json!([{"line_no": 1, "balance_after": 0, "cost": 10, "correction": 0, "qty": 1}]);
    let payload = json!({"business_date": DAY, "document": document, "lines": lines, "points": []});
    raw("return.posted", &format!("evt_{id}"), STAMP, &payload)
}

async fn tells(shop: &mut Shop, record: String) {
    shop.chain().append(record);
    let at = shop.chain().records.len();
    assert_eq!(shop.push(&shop.batch(at, at)).await.data()["parked"], json!([]));
}

async fn exceptions(server: &Server, store: &str) -> Vec<Value> {
    let answer = server.admin().await.get(&format!("/api/exceptions?store_id={store}")).await;
    answer.data()["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn money_is_reported_by_method_and_a_corrected_method_counts() {
    let server = Server::start().await;
    let (mut seller, receipt) = sold(&server).await;
    let mut other = Shop::open(&server, "S002").await;
    tells(&mut other, back("S002", "far", Some("trx_S001_1"), Some(&receipt))).await;
    let mut corrected = serde_json::to_value(SALE.transaction()).unwrap();
    let right = json!({"payment_id": "pay_right", "method": "card", "amount": 2220, "tendered": 2220, "change": 0,
        "rounding": 0, "reference": null, "state": "accepted", "origin": null, "paid_at": NOON});
    corrected["payments"][0]["state"] = json!("reversed");
    corrected["payments"].as_array_mut().unwrap().push(right);
    let payload = json!({"business_date": DAY, "transaction": corrected, "wrong": "pay_1", "right": ["pay_right"],
        "reason": "button"});
    tells(&mut seller, raw("tender.corrected", "evt_right", STAMP, &payload)).await;

    let asked = seller.speak().post(RESERVE, &ask("ret_own", &receipt, 1)).await;
    let expected = json!([{"store_id": "S002", "lines": [{"line_no": 1, "pieces": [{"start": 0, "end": 1}]}],
        "refunds": [{"method": "cash", "amount": 1110, "rounding": 0}], "refunded": 1110, "points_reversed": 1, "points_back": 0}]);
    assert_eq!(asked.data()["taken"], expected);
    let payments = asked.data()["transaction"]["payments"].as_array().unwrap();
    let reported: Vec<_> = payments.iter().map(|paid| (&paid["method"], &paid["state"])).collect();
    assert_eq!(reported, [(&json!("cash"), &json!("reversed")), (&json!("card"), &json!("accepted"))]);
    assert_eq!(exceptions(&server, "").await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn more_returned_than_sold_is_an_exception_in_either_order() {
    // Two pieces were sold. The reports after the sale, and the store of the exception.
    type Reported<'a> = (&'a str, &'a str, Option<&'a str>, Option<&'a str>);
    let (trx, receipt) = (Some("trx_S001_1"), Some("S001-main-00000001"));
    type Found<'a> = Option<(&'a str, &'a str)>;
    let cases: [(&[Reported], Found); 4] = [
        (&[("S001", "a", trx, None), ("S002", "b", trx, receipt)], None),
        (
            &[("S001", "a", trx, None), ("S001", "b", trx, None), ("S002", "c", trx, receipt)],
            Some(("S002", "evt_c")),
        ),
        (
            &[("S002", "a", trx, receipt), ("S001", "b", trx, None), ("S001", "c", trx, None)],
            Some(("S001", "evt_c")),
        ),
        // Without head office the store knows only the receipt.
        (
            &[("S002", "a", None, receipt), ("S001", "b", trx, None), ("S001", "c", trx, None)],
            Some(("S001", "evt_c")),
        ),
    ];
    for (reported, expected) in cases {
        let server = Server::start().await;
        let (seller, _) = sold(&server).await;
        let mut shops = [seller, Shop::open(&server, "S002").await];
        for (store, id, transaction_id, receipt_no) in reported {
            let shop = shops.iter_mut().find(|shop| shop.id == *store).unwrap();
            tells(shop, back(store, id, *transaction_id, *receipt_no)).await;
        }
        let found = exceptions(&server, "").await;
        let named =
            found.first().map(|it| (it["store_id"].as_str().unwrap(), it["event_id"].as_str().unwrap()));
        assert_eq!(named, expected, "{reported:?}: {found:?}");
        if let Some(it) = found.first() {
            let details = json!({"transaction_id": "trx_S001_1", "receipt_no": receipt,
                "items": [{"sku": "A", "sold": 2, "returned": 3}]});
            assert_eq!((&it["code"], &it["details"]), (&json!("return_exceeds_sold"), &details));
        }
        // Every return is applied nevertheless.
        assert_eq!(
            server.figure("SELECT COUNT(*) FROM returns").await,
            i64::try_from(reported.len()).unwrap()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_product_too_many_is_not_reported_again_by_a_return_of_another() {
    let server = Server::start().await;
    let (_seller, receipt) = sold(&server).await;
    let mut other = Shop::open(&server, "S002").await;
    let of = |id: &str, sku: &str| {
        let mut record: Value =
            serde_json::from_str(&back("S002", id, Some("trx_S001_1"), Some(&receipt))).unwrap();
        record["payload"]["document"]["items"][0]["sku"] = json!(sku);
        record.to_string()
    };
    // No pieces of B and C were sold, and two of A.
    for (id, sku) in [("a", "B"), ("b", "A"), ("c", "C"), ("d", "B")] {
        tells(&mut other, of(id, sku)).await;
    }
    let sql =
        "SELECT event_id || details FROM exceptions WHERE code = 'return_exceeds_sold' ORDER BY event_id";
    let rows: Vec<String> = sqlx::query_scalar(sql).fetch_all(server.hub.db.pool()).await.unwrap();
    let reported: Vec<(String, Value)> = rows
        .iter()
        .map(|row| (row[..5].to_owned(), serde_json::from_str::<Value>(&row[5..]).unwrap()["items"].clone()))
        .collect();
    let item = |sku: &str, returned: i64| json!([{"sku": sku, "sold": 0, "returned": returned}]);
    let expected = [("evt_a", item("B", 1)), ("evt_c", item("C", 1)), ("evt_d", item("B", 2))];
    assert_eq!(reported, expected.map(|(event_id, items)| (event_id.to_owned(), items)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_that_comes_after_its_returns_is_held_against_them() {
    let server = Server::start().await;
    let mut other = Shop::open(&server, "S002").await;
    for id in ["a", "b", "c"] {
        tells(&mut other, back("S002", id, None, Some("S001-main-00000001"))).await;
    }
    assert_eq!(exceptions(&server, "").await, Vec::<Value>::new(), "the sale is unknown");
    let (_seller, receipt) = sold(&server).await;
    let found = exceptions(&server, "S001").await;
    assert_eq!((found.len(), &found[0]["details"]["receipt_no"]), (1, &json!(receipt)));
    assert_eq!(exceptions(&server, "S002").await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_stores_that_want_the_last_pieces_exactly_one_wins() {
    let server = Server::start().await;
    let (_seller, receipt) = sold(&server).await;
    let (one, two) = (Shop::open(&server, "S002").await, Shop::open(&server, "S003").await);
    for round in 0..20 {
        let id = format!("ret_{round}");
        let body = ask(&id, &receipt, 2);
        let (first, second) = (one.speak(), two.speak());
        let (a, b) = tokio::join!(first.post(RESERVE, &body), second.post(RESERVE, &body));
        let mut seen = [a.status, b.status];
        seen.sort_unstable();
        assert_eq!(seen.map(|status| status.as_u16()), [200, 422], "round {round}");
        for shop in [&one, &two] {
            shop.speak().post(RELEASE, &json!({"return_id": id})).await.data();
        }
    }
}

/// Returns a store's sale with a receipt number of another store.
fn numbered(store: &str, receipt_no: &str, event_id: &str) -> String {
    let sale = Sale { store, number: 7, shift: "shf_x", sku: "A", qty: 1, price: 1000 };
    let mut record: Value = serde_json::from_str(&sale.record(event_id)).unwrap();
    record["payload"]["transaction"]["receipt_no"] = json!(receipt_no);
    record.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_of_another_store_spoils_none_of_its_receipts() {
    for before in [true, false] {
        let server = Server::start().await;
        let receipt = "S001-main-00000001";
        let mut thief = Shop::open(&server, "S002").await;
        let mut back: Value = serde_json::from_str(&back("S002", "b", Some("trx_S002_7"), None)).unwrap();
        back["payload"]["document"]["receipt_no"] = json!(receipt);
        let records = [numbered("S002", receipt, "evt_1"), back.to_string()];
        let mut seller = None;
        for record in records {
            if !before && seller.is_none() {
                seller = Some(sold(&server).await);
            }
            tells(&mut thief, record).await;
        }
        let (seller, _) = match seller {
            Some(sold) => sold,
            None => sold(&server).await,
        };
        let third = Shop::open(&server, "S003").await;
        for shop in [&third, &seller] {
            let answer = shop.speak().post(RESERVE, &ask("ret_1", receipt, 1)).await;
            assert_eq!(answer.data()["transaction"]["transaction_id"], "trx_S001_1", "before: {before}");
        }
        // The sale was applied nevertheless, and its store got an exception.
        let found = exceptions(&server, "S002").await;
        let codes: Vec<_> = found.iter().map(|it| it["code"].as_str().unwrap()).collect();
        assert_eq!(codes, ["receipt_number_of_another_store"; 2]);
        assert_eq!(found[0]["details"], json!({"receipt_no": receipt}));
        assert_eq!(exceptions(&server, "S001").await, Vec::<Value>::new());
        assert_eq!(server.figure("SELECT COUNT(*) FROM sales").await, 2);
        assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S002'").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_reserves_for_so_many_returns_and_for_minutes() {
    const RETURNS: i64 = 64;
    let server = Server::start().await;
    let mut seller = Shop::open(&server, "S001").await;
    let sale = Sale { qty: 2 * RETURNS, ..SALE };
    tells(&mut seller, sale.record("evt_s")).await;
    let receipt = "S001-main-00000001";
    let (greedy, other) = (Shop::open(&server, "S002").await, Shop::open(&server, "S003").await);
    let reserve = |shop: &Shop, id: i64, qty: i64| {
        let (speaker, body) = (shop.speak(), ask(&format!("ret_{id}"), receipt, qty));
        async move { speaker.post(RESERVE, &body).await }
    };
    for id in 0..RETURNS {
        reserve(&greedy, id, 1).await.data();
    }
    let refused = reserve(&greedy, RETURNS, 1).await;
    assert_eq!((refused.refusal().as_str(), refused.retry_after), ("429 rate_limited", Some(60)));
    // The store may repeat one of its reservations, and a released one makes room.
    reserve(&greedy, 0, 1).await.data();
    greedy.speak().post(RELEASE, &json!({"return_id": "ret_0"})).await.data();
    reserve(&greedy, RETURNS, 1).await.data();
    // A reservation blocks other stores for ten minutes.
    assert_eq!(reserve(&other, 0, RETURNS + 1).await.refusal(), "422 return_exceeds_sold");
    let sql = "UPDATE reservations SET made_at = made_at - 600000";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    reserve(&other, 0, RETURNS + 1).await.data();
    reserve(&greedy, RETURNS + 1, 1).await.data();
    assert_eq!(server.figure("SELECT COUNT(*) FROM reservations WHERE store_id = 'S002'").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_store_gets_the_lines_and_the_payments_of_a_sale_and_nothing_else() {
    let server = Server::start().await;
    let mut seller = Shop::open(&server, "S001").await;
    let mut record: Value = serde_json::from_str(&SALE.record("evt_s")).unwrap();
    let sale = &mut record["payload"]["transaction"];
    let private = [("note", "gift"), ("cashier_id", "usr_ani"), ("member_id", "mem_1")];
    for (field, value) in private {
        sale[field] = json!(value);
    }
    sale["payments"][0]["reference"] = json!("4711");
    tells(&mut seller, record.to_string()).await;
    let receipt = record["payload"]["transaction"]["receipt_no"].as_str().unwrap();
    let other = Shop::open(&server, "S002").await;
    for (shop, own) in [(&seller, true), (&other, false)] {
        let answer = shop.speak().post(RESERVE, &ask("ret_1", receipt, 1)).await;
        let sale = &answer.data()["transaction"];
        let kept = |value: &Value, is: Value| assert_eq!(*value == is, own, "{}: {sale}", shop.id);
        kept(&sale["items"][0]["cost"], json!(SALE.qty * 10));
        kept(&sale["payments"][0]["reference"], json!("4711"));
        for (field, value) in private {
            kept(&sale[field], json!(value));
        }
        let paid = &sale["payments"][0];
        assert_eq!((&sale["items"][0]["qty"], &paid["amount"]), (&json!(SALE.qty), &json!(2220)), "{sale}");
    }
}
