//! Head office's data of its warehouses beside their records: the list of warehouses, their transfers, and open counts.

use crate::columns;
use crate::db::column::Columns;
use crate::db::document::{decode, encode};
use crate::db::insert;
use crate::row;
use domain::model::base::ids::{OpnameId, Sku};
use domain::model::inventory::opname::{Opname, OpnameLine};
use domain::model::inventory::transfer::Transfer;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe};
use std::collections::BTreeSet;

/// Rows that are looked up at once.
const CHUNK: usize = 500;

/// Whether there is such a warehouse.
pub async fn is_warehouse(connection: &mut AnyConnection, store_id: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM stores WHERE store_id = $1 AND kind = 'warehouse'";
    Ok(sqlx::query_scalar::<_, i64>(sql).bind(store_id).fetch_one(connection).await? > 0)
}

/// A transfer as a warehouse has it, and later reports of the other end.
#[derive(Debug, Default)]
pub struct OwnTransfer {
    /// Its own document. `None` if it only heard of the transfer.
    pub document: Option<Transfer>,
    /// Report of the other end that it has not taken in.
    pub remote: Option<Transfer>,
}

/// A transfer of a warehouse.
pub async fn transfer(
    connection: &mut AnyConnection,
    store_id: &str,
    transfer_id: &str,
) -> Result<OwnTransfer, sqlx::Error> {
    let sql = "SELECT document, remote FROM warehouse_transfers WHERE store_id = $1 AND transfer_id = $2";
    let row = sqlx::query(sql).bind(store_id).bind(transfer_id).fetch_optional(connection).await?;
    let Some(row) = row else { return Ok(OwnTransfer::default()) };
    let (document, remote): (Option<String>, Option<String>) = columns!(row => (document, remote));
    let read = |text: Option<String>| text.map(|text| decode(&text)).transpose();
    Ok(OwnTransfer { document: read(document)?, remote: read(remote)? })
}

/// Keeps a warehouse's own document; it includes all changes of the other end.
pub async fn put_transfer(
    connection: &mut AnyConnection,
    store_id: &str,
    transfer: &Transfer,
) -> Result<(), sqlx::Error> {
    let remote: Option<String> = None;
    let row =
        row! { store_id, transfer_id: transfer.transfer_id.as_str(), document: encode(transfer)?, remote };
    insert::replace(connection, "warehouse_transfers", &["store_id", "transfer_id"], vec![row]).await
}

/// Keeps the other end's report of a transfer until the warehouse takes it in.
pub async fn put_remote(
    connection: &mut AnyConnection,
    store_id: &str,
    transfer_id: &str,
    remote: &str,
) -> Result<(), sqlx::Error> {
    let row = row! { store_id, transfer_id, remote };
    insert::replace(connection, "warehouse_transfers", &["store_id", "transfer_id"], vec![row]).await
}

/// Deletes the other end's report: it changes nothing.
pub async fn forget_remote(
    connection: &mut AnyConnection,
    store_id: &str,
    transfer_id: &str,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE warehouse_transfers SET remote = NULL WHERE store_id = $1 AND transfer_id = $2";
    sqlx::query(sql).bind(store_id).bind(transfer_id).execute(connection).await.map(drop)
}

/// Transfers that an active warehouse has to take in.
const UNMERGED: &str = "SELECT t.store_id, t.transfer_id FROM warehouse_transfers t \
                        JOIN stores s ON s.store_id = t.store_id AND s.disabled = 0 WHERE t.remote IS NOT NULL";

/// The first of them after one: warehouse and transfer.
pub async fn unmerged_transfers(
    pool: &AnyPool,
    (store_id, transfer_id): &(String, String),
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let sql = format!(
        "{UNMERGED} AND (t.store_id, t.transfer_id) > ($1, $2) ORDER BY t.store_id, t.transfer_id LIMIT 1000"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id.clone()).bind(transfer_id.clone());
    query.fetch_all(pool).await?.iter().map(|row| Ok(columns!(row => (store_id, transfer_id)))).collect()
}

/// The ones among these transfers.
pub async fn unmerged_of(pool: &AnyPool, ids: &[String]) -> Result<Vec<(String, String)>, sqlx::Error> {
    let mut found = Vec::new();
    for chunk in ids.chunks(CHUNK) {
        let sql = format!("{UNMERGED} AND t.transfer_id IN ({})", insert::list(1, chunk.len()));
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        for id in chunk {
            query = query.bind(id.clone());
        }
        for row in query.fetch_all(pool).await? {
            found.push(columns!(row => (store_id, transfer_id)));
        }
    }
    Ok(found)
}

/// Counts of a warehouse that are not over.
pub async fn open_counts(connection: &mut AnyConnection, store_id: &str) -> Result<Vec<Opname>, sqlx::Error> {
    let sql = "SELECT document FROM warehouse_counts WHERE store_id = $1 AND state IN ('counting', 'review') \
               ORDER BY opname_id";
    let rows = sqlx::query(sql).bind(store_id).fetch_all(connection).await?;
    rows.iter().map(|row| row.json("document")).collect()
}

/// A count that is under way or was given up, of whatever warehouse.
pub async fn count(connection: &mut AnyConnection, opname_id: &str) -> Result<Option<Opname>, sqlx::Error> {
    let sql = "SELECT document FROM warehouse_counts WHERE opname_id = $1";
    let row = sqlx::query(sql).bind(opname_id).fetch_optional(connection).await?;
    row.map(|row| row.json("document")).transpose()
}

/// Keeps a count as it is now.
pub async fn put_count(connection: &mut AnyConnection, opname: &Opname) -> Result<(), sqlx::Error> {
    let row = row! {
        store_id: opname.store_id.as_str(), opname_id: opname.opname_id.as_str(), state: opname.state.name(),
        business_date: opname.business_date.to_string(), created_at: opname.created_at.0, document: encode(opname)?,
    };
    insert::replace(connection, "warehouse_counts", &["store_id", "opname_id"], vec![row]).await
}

/// Keeps counted lines as they are now.
pub async fn put_count_lines(
    connection: &mut AnyConnection,
    store_id: &str,
    lines: &[OpnameLine],
) -> Result<(), sqlx::Error> {
    let row = |line: &OpnameLine| {
        Ok(row! {
            store_id, opname_id: line.opname_id.as_str(), sku: line.sku.as_str(), document: encode(line)?,
        })
    };
    let rows = lines.iter().map(row).collect::<Result<Vec<_>, sqlx::Error>>()?;
    insert::replace(connection, "warehouse_count_lines", &["store_id", "opname_id", "sku"], rows).await
}

/// Every counted line of a count, by product.
pub async fn count_lines(
    connection: &mut AnyConnection,
    store_id: &str,
    opname_id: &OpnameId,
) -> Result<Vec<OpnameLine>, sqlx::Error> {
    let sql =
        "SELECT document FROM warehouse_count_lines WHERE store_id = $1 AND opname_id = $2 ORDER BY sku";
    let query = sqlx::query(sql).bind(store_id).bind(opname_id.as_str());
    query.fetch_all(connection).await?.iter().map(|row| row.json("document")).collect()
}

/// The counted lines of these products.
pub async fn count_lines_of(
    connection: &mut AnyConnection,
    (store_id, opname_id): (&str, &OpnameId),
    skus: &BTreeSet<Sku>,
) -> Result<Vec<OpnameLine>, sqlx::Error> {
    let mut lines = Vec::new();
    for chunk in Vec::from_iter(skus).chunks(CHUNK) {
        let sql = format!(
            "SELECT document FROM warehouse_count_lines WHERE store_id = $1 AND opname_id = $2 AND sku IN ({})",
            insert::list(3, chunk.len())
        );
        let mut query =
            sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(store_id).bind(opname_id.as_str());
        for sku in chunk {
            query = query.bind(sku.as_str());
        }
        for row in query.fetch_all(&mut *connection).await? {
            lines.push(row.json("document")?);
        }
    }
    Ok(lines)
}

/// Removes a count that is posted: its record has the whole count.
pub async fn remove_count(
    connection: &mut AnyConnection,
    store_id: &str,
    opname_id: &OpnameId,
) -> Result<(), sqlx::Error> {
    for table in ["warehouse_counts", "warehouse_count_lines"] {
        let sql = format!("DELETE FROM {table} WHERE store_id = $1 AND opname_id = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id).bind(opname_id.as_str());
        query.execute(&mut *connection).await?;
    }
    Ok(())
}
