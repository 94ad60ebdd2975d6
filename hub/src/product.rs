//! The catalogue at head office.

use crate::db::insert::{self, Cell};
use crate::failure::Failure;
use crate::feed;
use crate::row;
use domain::product::Product;
use domain::refusal::FieldProblem;
use domain::sync::{Kind, lane};
use domain::time::UtcMs;
use edge::ApiError;
use edge::product_csv::{self, RowProblem};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Row};
use std::collections::HashMap;

mod barcode;
pub mod edit;
pub mod settings;

/// Products that are looked up or written at once.
const CHUNK: usize = 500;
/// Bad rows that an answer names.
const PROBLEMS_MAX: usize = 1000;

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Imported {
    /// Rows of the file.
    pub rows: usize,
    /// Products that are new or different.
    pub changed: usize,
}

/// Puts a catalogue in: products that are the same as before make no change in the feed.
///
/// # Errors
/// 409 `duplicate` for barcodes of other products, the database's; nothing is imported then.
pub async fn import(
    connection: &mut AnyConnection,
    products: Vec<Product>,
    now: UtcMs,
) -> Result<Imported, Failure> {
    let rows = products.len();
    // The lane's lock first: two imports at once are one after the other.
    feed::take(connection, lane::REST, 0, now).await?;
    let mut changed = Vec::new();
    for chunk in products.chunks(CHUNK) {
        let known = documents(connection, chunk).await?;
        changed.extend(chunk.iter().filter(|product| differs(product, &known)).cloned());
    }
    barcode::claim(connection, &changed).await?;
    let imported = Imported { rows, changed: changed.len() };
    let ticket = feed::take(connection, lane::REST, changed.len(), now).await?;
    let mut entries = Vec::with_capacity(changed.len());
    for chunk in changed.chunks(CHUNK) {
        let mut cells: Vec<Vec<Cell>> = Vec::with_capacity(chunk.len());
        for product in chunk {
            let payload =
                serde_json::to_string(product).map_err(|error| sqlx::Error::Encode(error.into()))?;
            let (sku, name) = (product.sku.0.as_str(), product.name.as_str());
            cells.push(row![sku, name, product.category.clone(), ticket.version.as_str(), payload.as_str()]);
            entries.push(feed::Entry::for_all(Kind::Product, sku, payload));
        }
        let head = "INSERT INTO products (sku, name, category, version, document)";
        let tail = "ON CONFLICT (sku) DO UPDATE SET name = excluded.name, category = excluded.category, \
                    version = excluded.version, document = excluded.document";
        insert::rows(connection, head, tail, cells).await?;
    }
    feed::append(connection, &ticket, entries).await?;
    Ok(imported)
}

async fn documents(
    connection: &mut AnyConnection,
    products: &[Product],
) -> Result<HashMap<String, Product>, sqlx::Error> {
    let sql = format!("SELECT document FROM products WHERE sku IN ({})", insert::list(1, products.len()));
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    for product in products {
        query = query.bind(product.sku.0.clone());
    }
    let rows = query.fetch_all(connection).await?;
    let known =
        rows.iter().map(document).map(|product| product.map(|product| (product.sku.0.clone(), product)));
    known.collect()
}

/// Whether anything but the time of the change is another.
fn differs(product: &Product, known: &HashMap<String, Product>) -> bool {
    known.get(product.sku.as_str()).is_none_or(|before| {
        let mut before = before.clone();
        before.updated_at = product.updated_at;
        before != *product
    })
}

fn document(row: &AnyRow) -> Result<Product, sqlx::Error> {
    serde_json::from_str(row.try_get(0)?).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Products after `after`, by sku.
///
/// # Errors
/// The database's.
pub async fn list(pool: &AnyPool, after: &str, limit: i64) -> Result<Vec<Product>, sqlx::Error> {
    let sql = "SELECT document FROM products WHERE sku > $1 ORDER BY sku LIMIT $2";
    let rows = sqlx::query(sql).bind(after).bind(limit).fetch_all(pool).await?;
    rows.iter().map(document).collect()
}

/// A catalogue from CSV text.
///
/// # Errors
/// Every bad row with its line.
pub fn parse(csv: &[u8], now: UtcMs) -> Result<Vec<Product>, Vec<RowProblem>> {
    product_csv::read(csv, now)
}

/// 422 with the bad rows.
pub fn refused(problems: &[RowProblem]) -> Failure {
    let field =
        |row: &RowProblem| FieldProblem { path: format!("line {}", row.line), problem: row.problem.clone() };
    let fields: Vec<FieldProblem> = problems.iter().take(PROBLEMS_MAX).map(field).collect();
    let mut error = ApiError::validation(&fields);
    error.message = format!("{} rows are wrong; nothing was imported", problems.len());
    error.into()
}
