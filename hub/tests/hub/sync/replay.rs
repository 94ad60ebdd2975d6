//! Parked records after a fix: retried in order, checked again, never dropped.

use crate::support::server::Server;
use crate::support::shop::{Shop, sums};
use crate::sync::kinds::{STAMP, about};
use crate::sync::records::Sale;
use cloud_hub::ingest::replay;
use serde_json::{Value, json};
use sqlx::{AnyPool, AssertSqlSafe};

fn sale(number: u64) -> Sale<'static> {
    Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 }
}

async fn parked(server: &Server) -> Vec<Value> {
    server.admin().await.get("/api/parked?store_id=S001").await.data()["items"].as_array().unwrap().clone()
}

/// Tables into which sales are folded, without `store_sums`.
const FOLDED: [&str; 22] = [
    "sales",
    "sale_lines",
    "payments",
    "shift_methods",
    "stock",
    "books",
    "journal",
    "journal_lines",
    "ledger_days",
    "sales_days",
    "sales_hours",
    "sales_cashiers",
    "sales_skus",
    "sales_sku_months",
    "sales_categories",
    "sales_methods",
    "sales_taxes",
    "points_entries",
    "member_days",
    "cash_days",
    "stock_days",
    "stock_months",
];

/// Deletes what sales left in the tables, but not their records.
pub async fn forget_sales(pool: &AnyPool) {
    for table in FOLDED {
        sqlx::query(AssertSqlSafe(format!("DELETE FROM {table}"))).execute(pool).await.unwrap();
    }
}

/// Simulates a program that did not know sales when they arrived.
async fn forget(server: &Server) {
    forget_sales(server.hub.db.pool()).await;
    let undo = [
        "DELETE FROM store_sums",
        "UPDATE records SET state = 'parked'",
        "INSERT INTO parked (store_id, epoch, seq, event_id, kind, aggregate, code, message, parked_at, parked_id, \
         blocking) SELECT store_id, epoch, seq, event_id, kind, NULL, 'unknown_type', 'of an older hub', 0, \
         'prk_' || event_id, 1 FROM events",
        "UPDATE events SET business_date = NULL, total = NULL",
    ];
    for sql in undo {
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgraded_hub_applies_what_the_older_one_kept() {
    let server = Server::start().await;
    let shop = Shop::sold(&server, "S001", 3).await;
    let before = sums(&server, "S001").await;
    forget(&server).await;
    assert_eq!(parked(&server).await.len(), 3);
    let sql = "UPDATE hub SET version = '0.0.1'";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    let server = Server::on(server.stop().await).await;
    while server.figure("SELECT COUNT(*) FROM parked").await > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(sums(&server, "S001").await, before);
    assert_eq!(server.figure("SELECT qty FROM stock").await, -3);
    assert_eq!(shop.chains[0].records.len(), 3);
    let counted = "SELECT CAST(SUM(total) AS BIGINT) FROM events WHERE business_date = '2023-11-20'";
    assert_eq!(server.figure(counted).await, 3330, "the digest of its day counts them");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_keeps_no_other_from_being_tried_after_an_upgrade() {
    let server = Server::start().await;
    let _shop = Shop::sold(&server, "S001", 3).await;
    let before = sums(&server, "S001").await;
    forget(&server).await;
    let (pool, hub) = (server.hub.db.pool(), &server.hub);
    // The store does not exist in the list, so its row can't be locked.
    for sql in [
        "UPDATE hub SET version = '0.0.1'",
        "INSERT INTO parked (store_id, epoch, seq, event_id, kind, code, message, parked_at, parked_id, blocking) \
         VALUES ('S000', 'e', 1, 'evt_0', 'x', 'unknown_type', 'x', 0, 'prk_0', 1)",
    ] {
        sqlx::query(sql).execute(pool).await.unwrap();
    }
    assert!(replay::after_upgrade(hub).await.is_err());
    assert_eq!(sums(&server, "S001").await, before);
    let behind = "SELECT COUNT(*) FROM hub WHERE version = '0.0.1'";
    assert_eq!(server.figure(behind).await, 1, "the retry must run again");
    sqlx::query("DELETE FROM parked WHERE store_id = 'S000'").execute(pool).await.unwrap();
    replay::after_upgrade(hub).await.unwrap();
    assert_eq!(server.figure(behind).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_record_is_tried_on_demand_with_all_that_waits_behind_it() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    // A bad record at the head of an aggregate, a good one behind it, and another aggregate.
    let of = json!({"aggregate": "transaction:trx_S001_1"});
    shop.chain().append(about("transaction.paid", "evt_p", STAMP, &of, &json!({"transaction": 7})));
    shop.chain().append(sale(1).record("evt_1"));
    shop.chain().append(sale(2).record("evt_2"));
    shop.push(&shop.batch(1, 3)).await.data();
    let admin = server.admin().await;
    let found = parked(&server).await;
    assert_eq!(found.len(), 2);
    let head = found.iter().find(|item| item["event_id"] == "evt_p").unwrap();
    let path = format!("/api/parked/{}/replay", head["parked_id"].as_str().unwrap());
    let answer = admin.post(&path, &json!({})).await;
    assert_eq!(
        answer.data(),
        &json!({"applied": 0, "duplicates": 0, "parked": 2}),
        "the record is still bad"
    );
    assert_eq!(sums(&server, "S001").await["sales_count"], 1);
    // A fix: a person at the database corrects the head.
    let fixed = sale(3).record("evt_p");
    sqlx::query("UPDATE records SET record = $1 WHERE seq = 1")
        .bind(fixed)
        .execute(server.hub.db.pool())
        .await
        .unwrap();
    let answer = admin.post(&path, &json!({})).await;
    assert_eq!(answer.data(), &json!({"applied": 2, "duplicates": 0, "parked": 0}));
    assert_eq!(sums(&server, "S001").await["sales_count"], 3);
    assert_eq!(admin.post(&path, &json!({})).await.refusal(), "404 not_found");
    assert_eq!(server.figure("SELECT COUNT(*) FROM records WHERE state = 'applied'").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_one_cause_are_tried_at_every_store_and_nothing_else() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for store in ["S001", "S002"] {
        let mut shop = Shop::open(&server, store).await;
        shop.chain().append(Sale { store, ..sale(1) }.record(&format!("evt_{store}")));
        shop.chain().append("nothing that can be read".to_owned());
        shop.push(&shop.batch(1, 2)).await.data();
    }
    forget(&server).await;
    let of = async |code: &str| {
        let list = admin.get(&format!("/api/parked?code={code}")).await.data()["items"].clone();
        list.as_array().unwrap().len()
    };
    assert_eq!((of("unknown_type").await, of("invalid_envelope").await), (2, 2));
    let replay = |code: &str| format!("/api/parked/replay?code={code}");
    let none = admin.post(&replay("event_id_reused"), &json!({})).await;
    assert_eq!(none.data(), &json!({"applied": 0, "duplicates": 0, "parked": 0}));
    let done = admin.post(&replay("unknown_type"), &json!({})).await;
    assert_eq!(done.data(), &json!({"applied": 2, "duplicates": 0, "parked": 0}));
    assert_eq!((of("unknown_type").await, of("invalid_envelope").await), (0, 2));
    assert_eq!(admin.post("/api/parked/replay", &json!({})).await.refusal(), "400 invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_record_that_came_again_meanwhile_counts_once() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append("nothing that can be read".to_owned());
    shop.chain().append(sale(1).record("evt_1"));
    shop.push(&shop.batch(1, 2)).await.data();
    // The unreadable record turns out to be the same event, and later a different text of it.
    for (text, expected) in [
        (sale(7).record("evt_1"), json!({"applied": 0, "duplicates": 0, "parked": 1})),
        (sale(1).record("evt_1"), json!({"applied": 0, "duplicates": 1, "parked": 0})),
    ] {
        let pool = server.hub.db.pool();
        sqlx::query("UPDATE records SET record = $1 WHERE seq = 1").bind(text).execute(pool).await.unwrap();
        let id = parked(&server).await[0]["parked_id"].as_str().unwrap().to_owned();
        let answer = server.admin().await.post(&format!("/api/parked/{id}/replay"), &json!({})).await;
        assert_eq!(answer.data(), &expected);
    }
    assert_eq!(sums(&server, "S001").await["sales_count"], 1);
    assert!(parked(&server).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_that_the_database_rolls_back_is_tried_again_from_the_beginning() {
    if std::env::var("HUB_TEST_POSTGRES").is_err() {
        // SQLite has one writer at a time, so nothing is rolled back.
        return;
    }
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let of = json!({"aggregate": "transaction:trx_S001_1"});
    shop.chain().append(about("transaction.paid", "evt_p", STAMP, &of, &json!({"transaction": 7})));
    shop.chain().append(sale(1).record("evt_1"));
    shop.push(&shop.batch(1, 2)).await.data();
    let pool = server.hub.db.pool();
    for sql in [
        "CREATE SEQUENCE tries",
        "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN IF nextval('tries') <= 1 THEN \
         RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$ LANGUAGE plpgsql",
        "CREATE TRIGGER refuse BEFORE UPDATE ON parked FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
    ] {
        sqlx::query(sql).execute(pool).await.unwrap();
    }
    let admin = server.admin().await;
    let found = parked(&server).await;
    let path = format!("/api/parked/{}/replay", found[0]["parked_id"].as_str().unwrap());
    assert_eq!(
        admin.post(&path, &json!({})).await.data(),
        &json!({"applied": 0, "duplicates": 0, "parked": 2})
    );
    let code = |event_id: &str, found: &[Value]| {
        found.iter().find(|item| item["event_id"] == event_id).unwrap()["code"].clone()
    };
    let found = parked(&server).await;
    assert_eq!((code("evt_p", &found), code("evt_1", &found)), {
        (json!("invalid_payload"), json!("waits_for_parked"))
    });
    // Rolled back each time: four attempts in total, recorded once.
    sqlx::query("ALTER SEQUENCE tries MINVALUE -100 RESTART WITH -100").execute(pool).await.unwrap();
    let noted = "SELECT COUNT(*) FROM own_audit WHERE action = 'parked.replayed'";
    assert_eq!(server.figure(noted).await, 1);
    assert_eq!(admin.post(&path, &json!({})).await.refusal(), "503 unavailable");
    assert_eq!((server.figure("SELECT last_value FROM tries").await, server.figure(noted).await), (-97, 2));
}
