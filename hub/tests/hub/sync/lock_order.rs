//! Batches lock shared rows in one order, so that no two of them wait for each other.

use crate::office::documents::filters::back;
use crate::office::finance::transfer;
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::{DAY, Sale};
use crate::sync::shared::tells;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn books_are_taken_after_sales_also_where_each_record_is_applied_alone() {
    if std::env::var("HUB_TEST_POSTGRES").is_err() {
        // SQLite has one writer at a time.
        return;
    }
    let server = Server::start().await;
    let mut one = Shop::sold(&server, "S001", 1).await;
    let mut two = Shop::open(&server, "S002").await;
    tells(&mut one, transfer("transfer.sent", "evt_sent", -10, &json!([]))).await;
    let pool = server.hub.db.pool();
    for sql in [
        "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = '22000'; END $$ \
         LANGUAGE plpgsql",
        "CREATE TRIGGER refuse BEFORE INSERT ON sale_lines FOR EACH ROW WHEN (NEW.sku = 'POISON') \
         EXECUTE FUNCTION refuse()",
    ] {
        sqlx::query(sql).execute(pool).await.unwrap();
    }
    let poison = Sale { store: "S002", number: 1, shift: "shf_1", sku: "POISON", qty: 1, price: 1000 };
    let text = back("evt_7", DAY, Value::Null, &["vendor"]).replace("S001-", "S002-");
    let mut elsewhere: Value = serde_json::from_str(&text).unwrap();
    elsewhere["payload"]["document"]["store_id"] = json!("S002");
    elsewhere["payload"]["document"]["origin_receipt_no"] = json!("S001-main-00000001");
    let arrived = transfer("transfer.received", "evt_arrived", 7, &json!([]));
    for record in [poison.record("evt_poison"), arrived, elsewhere.to_string()] {
        two.chain().append(record);
    }
    // Another batch has locked the sale, and needs the book of its store next.
    let mut other = pool.begin().await.unwrap();
    let sql = "UPDATE sales SET receipt_no = receipt_no WHERE store_id = 'S001'";
    assert_eq!(sqlx::query(sql).execute(&mut *other).await.unwrap().rows_affected(), 1);
    let batch = two.batch(1, 3);
    let watch = async {
        let waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
                     AND wait_event_type = 'Lock'";
        while server.figure(waits).await == 0 {
            tokio::task::yield_now().await;
        }
        let sql = "SELECT next_entry_no FROM books WHERE store_id = 'S001' FOR UPDATE NOWAIT";
        let book = sqlx::query(sql).fetch_one(&mut *other).await.map(drop);
        other.commit().await.unwrap();
        book
    };
    let (answer, book) = tokio::join!(two.push(&batch), watch);
    assert!(book.is_ok(), "a batch that waits for a sale must not hold a book: {book:?}");
    assert_eq!(answer.data()["parked"].as_array().unwrap().len(), 1, "{:?}", answer.data());
}
