//! Moves the tables that are stored by store into partitions, each in a transaction of its own: PostgreSQL only
//! (docs/scaling.md#tables-in-parts).

use crate::db::Db;
use crate::table::storage_class::tables;
use anyhow::{Context, bail};
use sqlx::{AnyConnection, AssertSqlSafe, Error};

/// Parts of a table.
pub const PARTS: u32 = 16;

/// Longest wait for a table that another user reads or writes.
const LOCK_SQL: &str = "SET LOCAL lock_timeout = '10s'";
/// `r` whole, `p` in parts.
const KIND_SQL: &str = "SELECT CAST(relkind AS TEXT) FROM pg_class WHERE oid = to_regclass($1)";
/// Statements for the parts of a table that are not made with its columns: keys, indexes, triggers, rights.
const BESIDE_SQL: &str = "SELECT statement FROM (\
     SELECT 1 AS place, CAST(conname AS TEXT) AS name, \
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS statement \
         FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype IN ('p', 'u', 'f', 'x') \
     UNION ALL SELECT 2, '', pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = to_regclass($1) \
         AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conrelid = i.indrelid AND c.conindid = i.indexrelid) \
     UNION ALL SELECT 3, '', pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = to_regclass($1) AND NOT tgisinternal \
     UNION ALL SELECT 4, '', format('GRANT %s ON %s TO %s', g.privilege_type, c.oid::regclass, \
         CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END) \
         FROM pg_class c, aclexplode(c.relacl) g WHERE c.oid = to_regclass($1) AND g.grantee <> c.relowner\
     ) s ORDER BY place, name, statement";
/// Locks that the server has room for in each transaction, and those it should have: for `$1` locks beside
/// one of every relation, as a restore takes them.
const LOCKS_SQL: &str = "SELECT CAST(current_setting('max_locks_per_transaction') AS BIGINT), (COUNT(*) + $1) / \
     (CAST(current_setting('max_connections') AS BIGINT) + \
     CAST(current_setting('max_prepared_transactions') AS BIGINT)) + 1 \
     FROM pg_class WHERE relkind IN ('r', 'p', 'i', 'I', 't') AND oid >= 16384";

/// Result of the partitioning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partitioned {
    /// Tables that were whole and are in parts now.
    pub moved: usize,
    /// Tables that were in parts before.
    pub left: usize,
    /// Least value of the server's `max_locks_per_transaction`. `None` if the present one is enough.
    pub locks_wanted: Option<i64>,
}

/// Moves every table that is whole; `progress` receives each one with its rows. `connections` may use the database at
/// once.
///
/// # Errors
/// The database's error, with the table that is left as it was; the tables reported to `progress` are done.
pub async fn partition(
    db: &Db,
    connections: u32,
    progress: &mut dyn FnMut(&str, u64),
) -> anyhow::Result<Partitioned> {
    let (mut moved, mut left, mut locks) = (0_usize, 0_usize, 0_i64);
    for table in tables('S') {
        let hint = || {
            format!(
                "{table} is unchanged: stop every process that uses the database, drop your own views and \
                 foreign keys on the table, and run the command again"
            )
        };
        let mut write = db.write().await?;
        sqlx::query(LOCK_SQL).execute(&mut **write).await?;
        let kind: Option<String> =
            sqlx::query_scalar(KIND_SQL).bind(table).fetch_optional(&mut **write).await?;
        match kind.as_deref() {
            Some("p") => left = left.saturating_add(1),
            Some("r") => {
                let rows = split(&mut write, table).await.with_context(hint)?;
                write.commit().await.with_context(hint)?;
                moved = moved.saturating_add(1);
                progress(table, rows);
            }
            _ => bail!("{table} is not a table of this database"),
        }
        locks = locks.saturating_add(i64::from(PARTS.saturating_add(1).saturating_mul(connections)));
    }
    let (there, wanted): (i64, i64) = sqlx::query_as(LOCKS_SQL).bind(locks).fetch_one(db.pool()).await?;
    Ok(Partitioned { moved, left, locks_wanted: (wanted > there).then_some(wanted) })
}

/// Makes the table again in parts, with its rows, indexes and constraints. The rows come before the indexes, which are
/// then made at once, and get their own names once those of the old table are free. Returns the number of rows.
async fn split(connection: &mut AnyConnection, table: &str) -> Result<u64, Error> {
    let whole = format!("{table}_whole");
    run(connection, format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")).await?;
    let beside: Vec<String> = sqlx::query_scalar(BESIDE_SQL).bind(table).fetch_all(&mut *connection).await?;
    run(connection, format!("ALTER TABLE {table} RENAME TO {whole}")).await?;
    let like = format!("LIKE {whole} INCLUDING ALL EXCLUDING INDEXES");
    run(connection, format!("CREATE TABLE {table} ({like}) PARTITION BY HASH (store_id)")).await?;
    for part in 0..PARTS {
        let values = format!("FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part})");
        run(connection, format!("CREATE TABLE {table}_p{part:02} PARTITION OF {table} {values}")).await?;
    }
    let rows = run(connection, format!("INSERT INTO {table} SELECT * FROM {whole}")).await?;
    run(connection, format!("DROP TABLE {whole}")).await?;
    for statement in beside {
        run(connection, statement).await?;
    }
    run(connection, format!("ANALYZE {table}")).await?;
    Ok(rows)
}

/// Runs a statement; returns the rows that it wrote.
async fn run(connection: &mut AnyConnection, sql: String) -> Result<u64, Error> {
    let done = sqlx::query(AssertSqlSafe(sql)).persistent(false).execute(connection).await?;
    Ok(done.rows_affected())
}
