//! A store gets its own records back, and permanent gaps are reported as holes.

use crate::support::server::Server;
use crate::support::shop::{Chain, FIRST, Shop, sums};
use serde_json::{Value, json};

async fn own(shop: &Shop, epoch: &str, after: usize) -> Value {
    shop.speak().get(&format!("/api/sync/own?epoch={epoch}&after={after}")).await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burnt_box_gets_every_record_back_as_it_was() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 450).await;
    shop.sell(250);
    shop.push(&shop.batch(451, 700)).await.data();
    let mut back = Chain::new(FIRST);
    loop {
        let page = own(&shop, FIRST, back.records.len()).await;
        assert_eq!(page["prev_hash"], back.hash_at(back.records.len()));
        for event in page["events"].as_array().unwrap() {
            back.append(event["record"].as_str().unwrap().to_owned());
            assert_eq!(
                (&event["seq"], &event["hash"]),
                (&json!(back.records.len()), &json!(back.hash_at(back.records.len())))
            );
        }
        assert_eq!(page["head"]["seq"], 700);
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(back.records, shop.chain().records);
    assert_eq!(own(&shop, FIRST, 700).await["events"], json!([]));
    let unknown = shop.speak().get("/api/sync/own?epoch=9-00000000000000aa&after=0").await;
    assert_eq!(unknown.refusal(), "404 not_found");
    // Another store's records can't be read.
    let other = Shop::open(&server, "S002").await;
    assert_eq!(own(&other, FIRST, 0).await["events"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_a_column_can_not_hold_comes_back_too() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append("{\"not\":\"a record\0\"}".to_owned());
    shop.push(&shop.batch(1, 1)).await.data();
    assert_eq!(own(&shop, FIRST, 0).await["events"][0]["record"], shop.chain().records[0].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_a_store_forgot_before_sending_them_are_a_named_hole() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 5).await;
    shop.sell(10);
    let mut body = shop.hello_body();
    body["lineage"][0]["min_kept_seq"] = json!(9);
    // Without the directive no records may be left out.
    assert_eq!(shop.push(&shop.batch(9, 15)).await.refusal(), "409 sequence_gap");
    assert_eq!(shop.say_hello(&body).await.data()["directive"], "resync");
    assert_eq!(
        shop.push(&shop.batch(10, 15)).await.refusal(),
        "409 sequence_gap",
        "only from the named record on"
    );
    let answer = shop.push(&shop.batch(9, 15)).await;
    assert_eq!(
        (&answer.data()["acked_seq"], &answer.data()["acked_hash"]),
        (&json!(15), &json!(shop.chain().hash_at(15)))
    );
    assert_eq!(shop.push(&shop.batch(9, 15)).await.data()["duplicates"], 7, "a repetition gives the same");
    let first = own(&shop, FIRST, 0).await;
    assert_eq!(first["events"].as_array().unwrap().len(), 5);
    let hole = json!({"from_seq": 6, "to_seq": 8, "hash": shop.chain().hash_at(8)});
    assert_eq!((&first["holes"], &first["more"]), (&json!([hole]), &json!(true)));
    let second = own(&shop, FIRST, 5).await;
    assert_eq!((&second["events"][0]["seq"], &second["prev_hash"]), (&json!(9), &hole["hash"]));
    assert_eq!(second["more"], false);
    assert_eq!(sums(&server, "S001").await["sales_count"], 12);
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    let status = server.admin().await.get("/api/stores/S001/status").await;
    let problems = status.data()["problems"].as_array().unwrap().clone();
    assert!(problems.iter().any(|problem| problem["code"] == "hole"), "{problems:?}");
}
