//! Every table of a migrated database is in one storage class, and no key of a table that is stored with its store
//! spans stores.

use crate::support::server::Server;
use cloud_hub::db::Engine;
use cloud_hub::table::storage_class::tables;
use sqlx::AnyPool;
use std::collections::{BTreeMap, BTreeSet};

/// Queries of the tables, of the unique keys with their columns, and of the foreign keys with their columns.
const SQLITE: [&str; 3] = [
    "SELECT CAST(name AS TEXT) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "SELECT m.name || ' ' || i.name, CAST(c.name AS TEXT) FROM sqlite_master m JOIN pragma_index_list(m.name) i \
     JOIN pragma_index_info(i.name) c WHERE m.type = 'table' AND i.\"unique\" = 1 ORDER BY 1, c.seqno",
    "SELECT m.name || ' fk' || f.id, CAST(f.\"from\" AS TEXT) FROM sqlite_master m \
     JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY 1, f.seq",
];
const POSTGRES: [&str; 3] = [
    // A partitioned table counts as one table.
    "SELECT CAST(relname AS TEXT) FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition \
     AND relnamespace = current_schema()::regnamespace",
    "SELECT i.indrelid::regclass || ' ' || i.indexrelid::regclass, CAST(a.attname AS TEXT) FROM pg_index i \
     JOIN pg_attribute a ON a.attrelid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid \
     WHERE i.indisunique AND c.relnamespace = current_schema()::regnamespace ORDER BY 1, a.attnum",
    "SELECT f.conrelid::regclass || ' ' || f.conname, CAST(a.attname AS TEXT) FROM pg_constraint f \
     JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = ANY (f.conkey) WHERE f.contype = 'f' ORDER BY 1",
];

/// Returns the columns of each `table key`, in order.
async fn keys(pool: &AnyPool, sql: &'static str) -> BTreeMap<String, Vec<String>> {
    let rows: Vec<(String, String)> = sqlx::query_as(sql).fetch_all(pool).await.unwrap();
    let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, column) in rows {
        keys.entry(key).or_default().push(column);
    }
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn every_table_is_in_one_class_and_no_key_of_a_stores_rows_goes_over_stores() {
    let server = Server::start().await;
    let pool = server.hub.db.pool();
    let engine = Engine::of_connection(&pool.acquire().await.unwrap());
    let [names, unique, foreign] = if engine == Engine::Sqlite { SQLITE } else { POSTGRES };

    let there: Vec<String> = sqlx::query_scalar(names).fetch_all(pool).await.unwrap();
    let there: BTreeSet<&str> =
        there.iter().map(String::as_str).filter(|name| *name != "_sqlx_migrations").collect();
    let mine: BTreeSet<&str> = tables('S').collect();
    let all: Vec<&str> = tables('S').chain(tables('R')).collect();
    let listed: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(listed.len(), all.len(), "a table is listed twice");
    let differ: Vec<&&str> = there.symmetric_difference(&listed).collect();
    assert!(differ.is_empty(), "in no class of hub/src/table/storage_class.txt, or in no schema: {differ:?}");

    let (unique, foreign) = (keys(pool, unique).await, keys(pool, foreign).await);
    let keyed: BTreeSet<&str> = unique.keys().filter_map(|key| key.split(' ').next()).collect();
    assert!(mine.is_subset(&keyed), "every table has a key in the catalogue");
    for (key, columns) in unique {
        if mine.contains(key.split(' ').next().unwrap()) {
            assert_eq!(columns[0], "store_id", "{key} is unique across stores: {columns:?}");
        }
    }
    for (key, columns) in foreign {
        let crosses =
            mine.contains(key.split(' ').next().unwrap()) && !columns.contains(&"store_id".to_owned());
        assert!(!crosses, "{key} refers across stores: {columns:?}");
    }
}
