//! `supplier_prices`: price lists as documents.

use crate::db::document::{Table, decode, encode, table};
use crate::db::insert;
use domain::model::base::ids::Sku;
use domain::model::inventory::supplier_price::SupplierPrice;
use sqlx::{AnyConnection, AssertSqlSafe, Error};
use std::collections::BTreeSet;

/// Table of the documents.
pub const TABLE: Table = table!("supplier_prices", "row_id");

/// Skus of one statement.
const CHUNK: usize = 500;

/// The rows for these products: of one supplier, or of all.
pub async fn of_skus(
    connection: &mut AnyConnection,
    supplier_id: Option<&str>,
    skus: &BTreeSet<&Sku>,
) -> Result<Vec<SupplierPrice>, Error> {
    let skus: Vec<&Sku> = skus.iter().copied().collect();
    let mut rows = Vec::new();
    for chunk in skus.chunks(CHUNK) {
        let list = insert::list(2, chunk.len());
        let sql = format!(
            "SELECT document FROM supplier_prices WHERE (supplier_id = $1 OR $1 = '') AND sku IN ({list}) \
             ORDER BY row_id"
        );
        let mut query = sqlx::query_scalar::<_, String>(AssertSqlSafe(sql)).persistent(false);
        query = query.bind(supplier_id.unwrap_or_default().to_owned());
        for sku in chunk {
            query = query.bind(sku.as_str().to_owned());
        }
        for text in query.fetch_all(&mut *connection).await? {
            rows.push(decode(&text)?);
        }
    }
    Ok(rows)
}

/// The row of a natural key; it is locked until the transaction ends.
pub async fn of_key(
    connection: &mut AnyConnection,
    price: &SupplierPrice,
) -> Result<Option<SupplierPrice>, Error> {
    let sql = "UPDATE supplier_prices SET row_id = row_id WHERE supplier_id = $1 AND sku = $2 \
               AND min_qty = $3 AND from_date = $4 RETURNING document";
    let query = sqlx::query_scalar(sql).bind(&price.supplier_id).bind(price.sku.as_str());
    let query = query.bind(price.min_qty.get()).bind(from_date(price));
    let text: Option<String> = query.fetch_optional(connection).await?;
    text.map(|text| decode(&text)).transpose()
}

/// Writes a row; one that is preferred takes that from the others of its product.
pub async fn put(connection: &mut AnyConnection, price: &SupplierPrice) -> Result<(), Error> {
    if price.preferred {
        let sql = "UPDATE supplier_prices SET preferred = 0 WHERE sku = $1 AND preferred = 1 \
                   AND supplier_id <> $2 RETURNING document";
        let query = sqlx::query_scalar(sql).bind(price.sku.as_str()).bind(&price.supplier_id);
        let others: Vec<String> = query.fetch_all(&mut *connection).await?;
        for text in others {
            let other: SupplierPrice = decode(&text)?;
            write(connection, &SupplierPrice { preferred: false, ..other }).await?;
        }
    }
    write(connection, price).await
}

async fn write(connection: &mut AnyConnection, price: &SupplierPrice) -> Result<(), Error> {
    let sql = "INSERT INTO supplier_prices (row_id, supplier_id, sku, min_qty, from_date, preferred, document) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (row_id) DO UPDATE SET \
               min_qty = excluded.min_qty, from_date = excluded.from_date, preferred = excluded.preferred, \
               document = excluded.document";
    let query = sqlx::query(sql).bind(&price.row_id).bind(&price.supplier_id).bind(price.sku.as_str());
    let query = query.bind(price.min_qty.get()).bind(from_date(price)).bind(i64::from(price.preferred));
    query.bind(encode(price)?).execute(connection).await?;
    Ok(())
}

fn from_date(price: &SupplierPrice) -> String {
    price.from.map(|from| from.to_string()).unwrap_or_default()
}
