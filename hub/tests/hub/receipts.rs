//! Another store's receipt: known or not, and each piece reserved for one return only.

use crate::records::Sale;
use crate::server::Server;
use crate::shop::Shop;
use serde_json::{Value, json};

const RESERVE: &str = "/api/sync/receipts/reserve";
const RELEASE: &str = "/api/sync/receipts/release";

fn ask(return_id: &str, receipt_no: &str, qty: i64) -> Value {
    json!({"return_id": return_id, "receipt_no": receipt_no, "items": [{"sku": "A", "qty": qty}]})
}

/// A store that sold two pieces, and the receipt.
async fn sold(server: &Server) -> (Shop, String) {
    let mut seller = Shop::open(server, "S001").await;
    let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 2, price: 1000 };
    let text = sale.record("evt_s");
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
    assert_eq!(of(&seller, ask("ret_1", &receipt, 1)).await.refusal(), "422 validation_failed", "its own");
    assert_eq!(of(&buyer, ask("ret_1", &receipt, 3)).await.refusal(), "422 return_exceeds_sold");
    let first = of(&buyer, ask("ret_1", &receipt, 1)).await;
    let line = &first.data()["transaction"]["items"][0];
    assert_eq!((&line["qty"], &line["returned_qty"]), (&json!(2), &json!(0)));
    // The same return again is no second one; another sees what is gone.
    let again = of(&buyer, ask("ret_1", &receipt, 1)).await;
    assert_eq!(again.data()["transaction"], first.data()["transaction"]);
    let other = of(&third, ask("ret_2", &receipt, 1)).await;
    assert_eq!(other.data()["transaction"]["items"][0]["returned_qty"], json!(1));
    assert_eq!(of(&third, ask("ret_3", &receipt, 1)).await.refusal(), "422 return_exceeds_sold");
    // Given free, it can be had.
    buyer.speak().post(RELEASE, &json!({"return_id": "ret_1"})).await.data();
    of(&third, ask("ret_3", &receipt, 1)).await.data();
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
