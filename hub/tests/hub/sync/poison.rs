//! Records that can't be understood are parked and acknowledged; all others are applied.

use crate::support::server::Server;
use crate::support::shop::{Shop, sums};
use crate::sync::records::{NOON, Sale, stamp};
use domain::model::base::ids::{StoreId, UserId};
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{FieldTimes, Role, User};
use domain::wire::record;
use serde_json::{Value, json};

fn sale(number: u64) -> Sale<'static> {
    Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 }
}

fn foreign(kind: &str, event_id: &str, schema: u32, aggregate: Option<&str>) -> String {
    let at = stamp(event_id).at;
    json!({"event_id": event_id, "type": kind, "schema": schema, "at": at, "occurred_at": "2026-11-20T02:06:34.739Z",
        "about": {"aggregate": aggregate}, "payload": {"transaction": 7}})
    .to_string()
}

fn codes(parked: &Value) -> Vec<(u64, String)> {
    let one = |row: &Value| (row["seq"].as_u64().unwrap(), row["code"].as_str().unwrap().to_owned());
    parked.as_array().unwrap().iter().map(one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn poison_in_the_middle_is_parked_and_the_rest_flows() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let other = Sale { store: "S002", ..sale(9) };
    let records = [
        sale(1).record("evt_1"),
        "no JSON at all".to_owned(),
        "with a \0 in it".to_owned(),
        foreign("moon.landed", "evt_4", 1, None),
        foreign("transaction.paid", "evt_5", 2, Some("transaction:trx_x")),
        foreign("transaction.paid", "evt_6", 1, None),
        other.record("evt_7"),
        foreign("transaction.voided", "evt_8", 1, Some("transaction:trx_x")),
        sale(10).record("evt_1"),
        sale(2).record("evt_2"),
    ];
    for record in records {
        shop.chain().append(record);
    }
    let answer = shop.push(&shop.batch(1, 10)).await;
    assert_eq!(answer.data()["acked_seq"], 10);
    let expected = [
        (2, "invalid_envelope"),
        (3, "invalid_envelope"),
        (4, "unknown_type"),
        (5, "unknown_schema"),
        (6, "invalid_payload"),
        (7, "invalid_payload"),
        (8, "waits_for_parked"),
        (9, "event_id_reused"),
    ];
    let expected: Vec<(u64, String)> = expected.map(|(seq, code)| (seq, code.to_owned())).into();
    assert_eq!(codes(&answer.data()["parked"]), expected);
    assert_eq!(sums(&server, "S001").await["sales_count"], 2);
    let status = server.admin().await.get("/api/stores/S001/status").await;
    assert_eq!(status.data()["parked_count"], 8);
    // Acknowledged is the sum of applied and parked, and every byte is stored.
    assert_eq!(server.figure("SELECT COUNT(*) FROM records WHERE state = 'applied'").await, 2);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records WHERE state = 'parked'").await, 8);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records WHERE record = 'no JSON at all'").await, 1);
    let again = shop.push(&shop.batch(1, 10)).await;
    // The first answer may not have arrived.
    assert_eq!(
        (&again.data()["duplicates"], &again.data()["parked"]),
        (&json!(10), &answer.data()["parked"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn later_records_of_a_parked_aggregate_wait_in_later_batches_too() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let trx = sale(5).transaction();
    let of = format!("transaction:{}", trx.transaction_id.0);
    shop.chain().append(foreign("transaction.paid", "evt_new", 2, Some(&of)));
    shop.push(&shop.batch(1, 1)).await.data();
    shop.chain().append(sale(5).record("evt_5"));
    shop.chain().append(sale(6).record("evt_6"));
    let answer = shop.push(&shop.batch(2, 3)).await;
    assert_eq!(codes(&answer.data()["parked"]), [(2, "waits_for_parked".to_owned())]);
    assert_eq!(sums(&server, "S001").await["sales_count"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_the_database_refuses_is_parked_alone() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append(sale(1).record("evt_1"));
    // Each figure is in range, but the store's sum of them exceeds the limit of the table.
    for number in [2, 3] {
        let huge = Sale { qty: 1_000_000, price: 6_000_000_000, ..sale(number) };
        let text = huge.record(&format!("evt_{number}"));
        shop.chain().append(text);
    }
    shop.chain().append(sale(4).record("evt_4"));
    let answer = shop.push(&shop.batch(1, 4)).await;
    assert_eq!(answer.data()["acked_seq"], 4);
    assert_eq!(codes(&answer.data()["parked"]), [(3, "effects_failed".to_owned())]);
    assert_eq!(sums(&server, "S001").await["sales_count"], 3);
    assert_eq!(server.figure("SELECT COUNT(*) FROM sale_lines").await, 3, "nothing of the third one is left");
}

/// Makes each sale of the product fail in the database, for a reason that is neither a limit nor a constraint.
async fn break_sales(server: &Server) {
    let statements: &[&str] = if std::env::var("HUB_TEST_POSTGRES").is_ok() {
        &[
            "CREATE FUNCTION broken() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'not supported here' \
             USING ERRCODE = '0A000'; END $$ LANGUAGE plpgsql",
            "CREATE TRIGGER broken BEFORE INSERT ON sale_lines FOR EACH ROW WHEN (NEW.sku = 'POISON') \
             EXECUTE FUNCTION broken()",
        ]
    } else {
        &["CREATE TRIGGER broken BEFORE INSERT ON sale_lines WHEN NEW.sku = 'POISON' \
           BEGIN SELECT json('no JSON'); END"]
    };
    for statement in statements {
        sqlx::query(*statement).execute(server.hub.db.pool()).await.unwrap();
    }
}

/// Removes the cause.
async fn mend_sales(server: &Server) {
    let on = if std::env::var("HUB_TEST_POSTGRES").is_ok() { " ON sale_lines" } else { "" };
    let sql = sqlx::AssertSqlSafe(format!("DROP TRIGGER broken{on}"));
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_fails_parks_its_record_and_stops_no_queue() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    break_sales(&server).await;
    for number in 1..=3 {
        let sku = if number == 2 { "POISON" } else { "A" };
        let text = Sale { sku, ..sale(number) }.record(&format!("evt_{number}"));
        shop.chain().append(text);
    }
    let answer = shop.push(&shop.batch(1, 3)).await;
    assert_eq!(answer.data()["acked_seq"], 3);
    assert_eq!(codes(&answer.data()["parked"]), [(2, "effects_failed".to_owned())]);
    shop.chain().append(sale(4).record("evt_4"));
    assert_eq!(shop.push(&shop.batch(4, 4)).await.data()["parked"], json!([]));
    assert_eq!(sums(&server, "S001").await["sales_count"], 3);
    let admin = server.admin().await;
    let parked = admin.get("/api/parked").await.data()["items"][0].clone();
    let reason = parked["message"].as_str().unwrap();
    assert!(reason.contains("not supported here") || reason.contains("malformed JSON"), "{reason}");
    let path = format!("/api/parked/{}/replay", parked["parked_id"].as_str().unwrap());
    let replay = async || admin.post(&path, &json!({})).await.data().clone();
    assert_eq!(replay().await, json!({"applied": 0, "duplicates": 0, "parked": 1}), "the record still fails");
    mend_sales(&server).await;
    assert_eq!(replay().await, json!({"applied": 1, "duplicates": 0, "parked": 0}));
    assert_eq!(sums(&server, "S001").await["sales_count"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn users_and_audit_are_kept_and_move_nothing() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let user = |store: &str| User {
        user_id: UserId("usr_1".into()),
        username: "ani".into(),
        name: "Ani".into(),
        role: Role::Cashier,
        store_id: StoreId(store.into()),
        password_hash: Some("$argon2id$secret".into()),
        times: FieldTimes::default(),
        token_version: 2,
        disabled: true,
        created_at: NOON,
        updated_at: NOON,
    };
    let details = json!({"user_id": "usr_1"});
    let entry = AuditEntry::unapproved(&UserId::default(), "user.changed", NOON, details);
    let changed = record::user_changed(&stamp("evt_1"), &user("S001"));
    assert!(changed.contains("$argon2id$secret"), "a refilled store has it again: {changed}");
    shop.chain().append(changed);
    shop.chain().append(record::audit_recorded(&stamp("evt_2"), None, &entry));
    shop.chain().append(record::user_changed(&stamp("evt_3"), &user("S002")));
    let answer = shop.push(&shop.batch(1, 3)).await;
    assert_eq!(answer.data()["acked_seq"], 3);
    assert_eq!(codes(&answer.data()["parked"]), [(3, "invalid_payload".to_owned())]);
    assert_eq!(sums(&server, "S001").await["sales_count"], 0);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records WHERE state = 'applied'").await, 2);
}
