//! Push: applied exactly once, and every refusal.

use crate::support::server::Server;
use crate::support::shop::{Chain, FIRST, Shop, sums};
use crate::sync::records::{DAY, Sale, receiving, shift_closed};
use cloud_hub::ingest::batch::Batch;
use cloud_hub::ingest::push::Intake;
use domain::model::hub::chain;
use domain::wire::sync::Push;
use serde_json::{Value, json};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use tokio::io::AsyncWriteExt;

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_stored_applied_and_acknowledged() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append(receiving("S001", "A", 100, "evt_r"));
    let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 3, price: 1000 };
    shop.chain().append(sale.record("evt_1"));
    shop.chain().append(shift_closed("S001", "shf_1", "evt_c"));
    let answer = shop.push(&shop.batch(1, 3)).await;
    let data = answer.data();
    assert_eq!(data["acked_seq"], 3);
    assert_eq!(data["acked_hash"], shop.chain().hash_at(3));
    assert_eq!((&data["duplicates"], &data["parked"]), (&json!(0), &json!([])));
    let expected = json!({"sales_count": 1, "items_count": 3, "gross_sales": 3000, "discounts": 0, "tax": 330,
        "rounding": 0, "total": 3330, "voids_count": 0, "voids_total": 0, "returns_count": 0, "returns_total": 0,
        "returns_tax": 0});
    assert_eq!(sums(&server, "S001").await, expected);
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, 97);
    assert_eq!(server.figure("SELECT value FROM stock WHERE sku = 'A'").await, 970);
    assert_eq!(server.figure("SELECT amount FROM shift_methods WHERE method = 'cash'").await, 3330);
    assert_eq!(server.figure("SELECT variance FROM shifts WHERE state = 'closed'").await, -110);
    assert_eq!(server.figure("SELECT pending FROM stores").await, 0, "a stored record is no longer pending");
    let hello = shop.hello().await;
    assert_eq!(hello.data()["heads"][0]["seq"], 3);
    assert_eq!(hello.data()["heads"][0]["hash"], shop.chain().hash_at(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_batch_may_come_twice_late_overlapping_and_at_once() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.sell(60);
    for from in (1..=60).step_by(10) {
        let body = shop.batch(from, from + 9);
        let at_once: Vec<_> = (0..6)
            .map(|_| {
                let (shop, body) = (shop.clone(), body.clone());
                tokio::spawn(async move { shop.push(&body).await })
            })
            .collect();
        for task in at_once {
            let answer = task.await.unwrap();
            assert_eq!(answer.data()["acked_seq"], from + 9);
        }
        let late = shop.push(&shop.batch(1, from + 9)).await;
        assert_eq!(late.data()["duplicates"], from + 9);
    }
    assert_eq!(sums(&server, "S001").await["sales_count"], 60);
    assert_eq!(server.figure("SELECT qty FROM stock").await, -60);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records").await, 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_lost_is_given_again() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.sell(30);
    for to in [10, 20, 30] {
        let body = shop.batch(1, to).to_string();
        let head = format!(
            "POST /api/sync/push HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            shop.token(),
            body.len()
        );
        let mut line = tokio::net::TcpStream::connect(server.address).await.unwrap();
        line.write_all(head.as_bytes()).await.unwrap();
        line.write_all(body.as_bytes()).await.unwrap();
        drop(line); // The client disconnects before the answer.
        let again = shop.push(&shop.batch(1, to)).await;
        assert_eq!(again.data()["acked_seq"], to);
        assert_eq!(again.data()["acked_hash"], shop.chain().hash_at(to));
    }
    assert_eq!(sums(&server, "S001").await["sales_count"], 30);
}

/// Polls a future until it has waited `waits` times, then drops it and returns `None`.
async fn up_to<F: Future>(future: F, waits: usize) -> Option<F::Output> {
    let (mut future, mut left) = (pin!(future), waits);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_ends_between_any_two_statements_is_whole_or_nothing() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let intake = Intake { db: &server.hub.db, identity: &server.hub.identity, clock: &server.hub.clock };
    // How often a push waits depends on the speed of the database, so rounds continue until enough pushes were cut.
    let (mut cut, mut rounds) = (0, (0..16).cycle());
    while cut < 30 {
        let waits = rounds.next().unwrap();
        let from = shop.chain().records.len() + 1;
        shop.sell(4);
        let push: Push = serde_json::from_value(shop.batch(from, from + 3)).unwrap();
        let batch = Batch::read(push, "S001").unwrap();
        let answer = up_to(intake.push("S001", &batch, edge::clock::now()), waits).await;
        let figures: (i64, i64, i64, i64) = sqlx::query_as(
            "SELECT (SELECT COUNT(*) FROM records), (SELECT COUNT(*) FROM sales), \
             (SELECT COALESCE(CAST(SUM(sales_count) AS BIGINT), 0) FROM store_sums), \
             (SELECT CAST(SUM(seq) AS BIGINT) FROM epochs)",
        )
        .fetch_one(server.hub.db.pool())
        .await
        .unwrap();
        let cursor = figures.3;
        assert_eq!(figures, (cursor, cursor, cursor, cursor), "cut after {waits} waits");
        assert!(cursor == from as i64 - 1 || cursor == from as i64 + 3, "half a batch was applied: {cursor}");
        let again = intake.push("S001", &batch, edge::clock::now()).await.unwrap();
        assert_eq!(again.answer.acked_seq, from as u64 + 3);
        cut += usize::from(answer.is_none());
    }
    let sold = shop.chain().records.len();
    assert_eq!(sums(&server, "S001").await["sales_count"], sold);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_does_not_continue_the_chain_is_refused_and_changes_nothing() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 5).await;
    shop.sell(5);
    let mut fork = Chain { epoch: FIRST.to_owned(), records: shop.chain().records[..3].to_vec(), acked: 0 };
    for number in 50..60 {
        let sale = Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
        fork.append(sale.record(&format!("evt_fork_{number}")));
    }
    let forked = |from: usize, to: usize| {
        json!({"store_id": "S001", "sender_epoch": FIRST, "epoch": FIRST, "prev_hash": fork.hash_at(from - 1),
            "events": fork.events(from, to), "backlog": {"pending": 0, "oldest_pending_at": null}})
    };
    let edited = |change: fn(&mut Value)| {
        let mut body = shop.batch(6, 10);
        change(&mut body);
        body
    };
    let table: Vec<(&str, Value)> = vec![
        ("409 sequence_gap", shop.batch(7, 10)),
        ("409 history_diverged", forked(4, 6)),
        ("409 history_diverged", forked(6, 8)),
        ("422 chain_broken", edited(|body| body["events"][2]["record"] = json!("{}"))),
        ("422 chain_broken", edited(|body| body["events"][2]["seq"] = json!(99))),
        ("422 chain_broken", edited(|body| body["prev_hash"] = json!("00"))),
        ("409 hello_first", edited(|body| body["sender_epoch"] = json!("2-00000000000000bb"))),
        ("409 hello_first", edited(|body| body["epoch"] = json!("1-00000000000000bb"))),
        ("422 validation_failed", edited(|body| body["store_id"] = json!("S002"))),
        ("422 validation_failed", edited(|body| body["epoch"] = json!("1"))),
        ("422 validation_failed", edited(|body| body["surprise"] = json!(1))),
    ];
    for (expected, body) in table {
        assert_eq!(shop.push(&body).await.refusal(), expected, "{}", body["prev_hash"]);
    }
    let gap = shop.push(&shop.batch(8, 9)).await;
    assert_eq!(gap.body["error"]["details"]["expected_seq"], 6);
    assert_eq!(sums(&server, "S001").await["sales_count"], 5);
    assert_eq!(shop.push(&shop.batch(6, 10)).await.data()["acked_seq"], 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_closed_epoch_is_stale_and_its_lineage_is_not() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    shop.sell(2);
    let old = shop.clone();
    shop.chains.push(Chain::new("2-00000000000000bb"));
    assert_eq!(shop.push(&shop.batch(1, 0)).await.refusal(), "409 hello_first");
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    assert_eq!(old.push(&old.batch(4, 5)).await.refusal(), "409 stale_epoch");
    // The current copy completes the old epoch under its own name, then writes its own.
    let mut rest = old.batch(4, 5);
    rest["sender_epoch"] = json!("2-00000000000000bb");
    assert_eq!(shop.push(&rest).await.data()["acked_seq"], 5);
    shop.sell(1);
    assert_eq!(shop.push(&shop.batch(1, 1)).await.data()["acked_seq"], 1);
    assert_eq!(sums(&server, "S001").await["sales_count"], 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_seen_in_an_older_epoch_counts_once() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    let again: Vec<String> = shop.chain().records.iter().map(|(_, record)| record.clone()).collect();
    shop.chains.push(Chain::new("2-00000000000000bb"));
    shop.hello().await.data();
    for record in again {
        shop.chain().append(record);
    }
    let answer = shop.push(&shop.batch(1, 3)).await;
    assert_eq!((&answer.data()["acked_seq"], &answer.data()["duplicates"]), (&json!(3), &json!(3)));
    assert_eq!(sums(&server, "S001").await["sales_count"], 3);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records").await, 6, "stored raw in both epochs");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_named() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let long = |bytes: usize| format!("{{\"x\":\"{}\"}}", "y".repeat(bytes));
    for _ in 0..501 {
        shop.chain().append(long(10));
    }
    let too_many = shop.push(&shop.batch(1, 501)).await;
    assert_eq!(too_many.refusal(), "413 body_too_large");
    assert_eq!(too_many.body["error"]["details"], json!({"limit": "batch_events", "max": 500}));
    let mut heavy = shop.clone();
    heavy.chains = vec![Chain::new(FIRST)];
    for _ in 0..5 {
        heavy.chain().append(long(250 * 1024));
    }
    let batch = heavy.push(&heavy.batch(1, 5)).await;
    assert_eq!(batch.body["error"]["details"]["limit"], "batch_bytes");
    // 1 MiB of records is accepted, however much longer its JSON is.
    heavy.chains = vec![Chain::new(FIRST)];
    for _ in 0..4 {
        heavy.chain().append(format!("{{\"x\":{:?}}}", "\"".repeat(130_000)));
    }
    assert_eq!(heavy.push(&heavy.batch(1, 4)).await.data()["acked_seq"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_above_the_limit_is_parked_and_those_behind_it_are_applied() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let sale = |number| Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let long =
        sale(1).record("evt_1").replacen('{', &format!("{{\"padding\":\"{}\",", "y".repeat(256 * 1024)), 1);
    shop.chain().append(long);
    shop.chain().append(sale(2).record("evt_2"));
    let answer = shop.push(&shop.batch(1, 2)).await.data().clone();
    assert_eq!(answer["acked_seq"], 2);
    assert_eq!(answer["parked"][0]["code"], "record_too_large");
    assert_eq!(sums(&server, "S001").await["sales_count"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_number_seen_twice_is_applied_and_flagged() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    shop.chain().append(sale.record("evt_1"));
    shop.chain().append(sale.record("evt_2"));
    assert_eq!(shop.push(&shop.batch(1, 2)).await.data()["parked"], json!([]));
    shop.chain().append(sale.record("evt_3"));
    shop.push(&shop.batch(3, 3)).await.data();
    assert_eq!(sums(&server, "S001").await["sales_count"], 3);
    assert_eq!(server.figure("SELECT COUNT(*) FROM exceptions").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn stamps_ahead_of_the_hub_are_kept_flagged_and_not_used() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let ahead = sale.record("evt_1").replace("\"at\":\"1700445994739-", "\"at\":\"4102444800000-");
    assert!(ahead.contains("4102444800000"));
    shop.chain().append(ahead);
    shop.chain().append(Sale { number: 2, ..sale }.record("evt_2"));
    shop.push(&shop.batch(1, 2)).await.data();
    assert_eq!(
        server
            .figure("SELECT COUNT(*) FROM records WHERE clock_skew = 1 AND effective_at LIKE '%-hub-%'")
            .await,
        1
    );
    assert_eq!(
        server
            .figure("SELECT COUNT(*) FROM records WHERE clock_skew = 0 AND effective_at LIKE '%-S001'")
            .await,
        1
    );
    assert_eq!(chain::next(chain::GENESIS, &shop.chain().records[0].1), shop.chain().hash_at(1));
    let day = format!("/api/reports/sales?from={DAY}&to={DAY}");
    assert_eq!(server.admin().await.get(&day).await.data()["items"][0]["sales_count"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_hub_asks_stores_to_come_back() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.sell(1);
    let all: Vec<_> = std::iter::from_fn(|| server.hub.batches.enter()).collect();
    assert_eq!((all.len(), server.hub.batches.in_progress()), (64, 64));
    let busy = shop.push(&shop.batch(1, 1)).await;
    assert_eq!(busy.refusal(), "503 unavailable");
    assert!((1..=10).contains(&busy.retry_after.unwrap()), "{busy:?}");
    drop(all);
    assert_eq!(shop.push(&shop.batch(1, 1)).await.data()["acked_seq"], 1);
}
