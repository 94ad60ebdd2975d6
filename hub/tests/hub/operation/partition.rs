//! `cloud-hub partition`: a hub works with partitioned tables as before.

use crate::office::finance::{balanced, tells};
use crate::office::finance_story::{pots, tea};
use crate::office::settlement::matches::proved;
use crate::office::settlement::story::{approved, card_source, day, paid, sealed};
use crate::operation::backups::backup;
use crate::support::server::{PASSWORD, Place, Server, stderr, stdout};
use crate::support::shop::Shop;
use cloud_hub::config::Config;
use cloud_hub::db::Db;
use cloud_hub::table::storage_class::tables;
use edge::settings::load;
use sqlx::AssertSqlSafe;

const PARTED_SQL: &str = "SELECT COUNT(*) FROM pg_partitioned_table";
/// Columns, keys, checks and indexes of every table by name, without those of partitions.
const CATALOGUE_SQL: &str = "SELECT told FROM (\
     SELECT c.relname || ' ' || a.attnum || a.attname || format_type(a.atttypid, a.atttypmod) || a.attnotnull || \
         COALESCE(pg_get_expr(d.adbin, d.adrelid), '') AS told FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
         LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum \
         WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 \
     UNION ALL SELECT c.relname || ' ' || k.conname || pg_get_constraintdef(k.oid) FROM pg_constraint k \
         JOIN pg_class c ON c.oid = k.conrelid WHERE NOT c.relispartition \
     UNION ALL SELECT replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') FROM pg_class c \
         WHERE c.relkind IN ('i', 'I') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace \
     UNION ALL SELECT c.relname || ' ' || c.relacl::text FROM pg_class c WHERE c.relname = 'sales') t ORDER BY told";

async fn opened(place: &Place) -> Db {
    let config: Config = load::load(Some(&place.config), Vec::new()).unwrap().config;
    Db::connect(&config.database.url, 1, false).await.unwrap()
}

/// Returns what the catalogue has about the tables, and the number of rows of each table to be partitioned.
async fn looked(place: &Place) -> (Vec<String>, Vec<(&'static str, i64)>) {
    let db = opened(place).await;
    let catalogue = sqlx::query_scalar(CATALOGUE_SQL).fetch_all(db.pool()).await.unwrap();
    let mut rows = Vec::new();
    for table in tables('S') {
        let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        rows.push((table, sqlx::query_scalar(sql).fetch_one(db.pool()).await.unwrap()));
    }
    db.close().await;
    (catalogue, rows)
}

async fn does(place: &Place, sql: &'static str) {
    let db = opened(place).await;
    sqlx::query(sql).execute(db.pool()).await.unwrap();
    db.close().await;
}

fn verified(place: &Place, rebuilt: &[&str]) {
    let done = place.run(&[&["verify"], rebuilt].concat(), "");
    assert!(done.status.success(), "{}", stderr(&done));
}

/// Partitions the tables, with an interruption.
async fn moved(place: &Place) {
    // A table that can't be partitioned stays unchanged, and so do those after it. The next run continues there.
    does(place, "CREATE VIEW lies_here AS SELECT sku, qty FROM stock").await;
    let done = place.run(&["partition"], "");
    assert_eq!(done.status.code(), Some(1));
    let why = stderr(&done);
    assert!(
        why.contains("stock is unchanged: stop every process") && why.contains("objects depend on it"),
        "{why}"
    );
    does(place, "DROP VIEW lies_here").await;
    let all = tables('S').count();
    let first = stdout(&done).lines().count();
    assert!(stdout(&done).contains("sales: 6 rows in 16 partitions") && first < all, "{}", stdout(&done));
    let done = place.run(&["partition"], "");
    assert!(done.status.success(), "{}", stderr(&done));
    let reported = format!("{} tables were partitioned, {first} were partitioned before", all - first);
    assert!(stdout(&done).contains(&reported), "{}", stdout(&done));
    let again = |connections: &str| {
        let mut again = place.command(&["partition"]);
        stdout(&again.env("CLOUD_HUB__DATABASE__CONNECTIONS", connections).output().unwrap())
    };
    assert!(again("1000").contains("set max_locks_per_transaction of the server to "));
    let again = again("1");
    assert!(!again.contains("max_locks_per_transaction"), "there are enough locks: {again}");
    assert!(again.starts_with(&format!("0 tables were partitioned, {all} were")), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_continues_with_partitioned_tables() {
    let place = Place::empty().await;
    let done = place.run(&["init", "--admin", "Boss", "--password-stdin"], &format!("{PASSWORD}\n"));
    assert!(done.status.success(), "{}", stderr(&done));
    if std::env::var("HUB_TEST_POSTGRES").is_err() {
        let done = place.run(&["partition"], "");
        assert!(done.status.success() && stdout(&done).contains("nothing was changed"), "{}", stderr(&done));
        return;
    }
    let server = Server::on(place).await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let mut three = Shop::open(&server, "S003").await;
    tells(&mut one, tea()).await;
    tells(&mut three, vec![paid("S003", 18, 20, ("card", 155_400, "C-1001"))]).await;
    let place = server.stop().await;
    does(&place, "GRANT SELECT ON sales TO PUBLIC").await;
    let before = looked(&place).await;

    moved(&place).await;
    assert_eq!(looked(&place).await, before);
    verified(&place, &[]);

    let server = Server::on(place).await;
    (one.api, two.api, three.api) = (server.api(), server.api(), server.api());
    let admin = server.admin().await;
    let all = i64::try_from(tables('S').count()).unwrap();
    assert_eq!(server.figure(PARTED_SQL).await, all);
    // The same records are pushed again, together with new ones.
    let reported = one.chain().records.len();
    assert_eq!(one.push(&one.batch(1, reported)).await.data()["acked_seq"], reported);
    assert_eq!(tells(&mut three, vec![sealed("S003", 18)]).await["parked"], serde_json::json!([]));
    assert_eq!(tells(&mut two, pots()).await["parked"], serde_json::json!([]));
    let card = card_source(&admin).await;
    let file =
        format!("tanggal;referensi;bruto;biaya\r\n{};C-1001;155.400;2.331\r\n", day(20).strftime("%d/%m/%Y"));
    let reported = admin.csv(&format!("/api/statements?source_id={card}"), &file).await.data().clone();
    assert_eq!(reported["matched"], 1, "{reported}");
    assert_eq!(approved(&admin, "S003", 18).await["state"], "approved");
    proved(&admin).await;
    balanced(&server, &admin).await;
    let place = server.stop().await;
    verified(&place, &["--rebuild", "rollups"]);

    let to = tempfile::tempdir().unwrap();
    let (made, kept) = (backup(&place, to.path()), looked(&place).await);
    let place = Place::empty().await;
    let done = place.run(&["restore", made.to_str().unwrap()], "");
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(looked(&place).await, kept);
    let server = Server::on(place).await;
    assert_eq!(server.figure(PARTED_SQL).await, all);
    two.api = server.api();
    two.hello().await.data();
    assert_eq!(tells(&mut two, vec![sealed("S002", 18)]).await["parked"], serde_json::json!([]));
    verified(&server.place, &[]);
}
