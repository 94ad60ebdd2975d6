//! The catalogue at head office.

use crate::db::insert::{self, Cell};
use crate::failure::Failure;
use crate::feed;
use crate::price;
use crate::row;
use domain::ids::Sku;
use domain::product::Product;
use domain::refusal::{FieldProblem, Refusal};
use domain::sync::{Kind, lane};
use domain::time::UtcMs;
use edge::ApiError;
use edge::product_csv::{self, RowProblem};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Row};
use std::collections::{BTreeSet, HashMap, HashSet};

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

/// Puts a catalogue in: products that are the same as before make no change in the feed. A price that is another
/// than before is a word on the price, as a `PATCH` of it is; one that is the same leaves what counts as it is.
///
/// # Errors
/// 409 `duplicate` for barcodes of other products, the database's; nothing is imported then.
pub async fn import(
    connection: &mut AnyConnection,
    mut products: Vec<Product>,
    now: UtcMs,
) -> Result<Imported, Failure> {
    // The lane's lock first: two imports at once are one after the other.
    feed::take(connection, lane::REST, 0, now).await?;
    for chunk in products.chunks_mut(CHUNK) {
        let known = documents(connection, chunk).await?;
        let next = price::next_moments(connection, chunk, now).await?;
        for product in chunk {
            product.price_set_at = match known.get(product.sku.as_str()) {
                Some(before) if before.price == product.price => before.price_set_at,
                _ => next.get(product.sku.as_str()).copied().unwrap_or(now),
            };
        }
    }
    put(connection, products, now).await
}

/// Writes products as they are; the lane's lock is taken. Those that are the same as before make no change in the
/// feed.
async fn put(
    connection: &mut AnyConnection,
    products: Vec<Product>,
    now: UtcMs,
) -> Result<Imported, Failure> {
    let rows = products.len();
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

/// Refuses references to products that are not there.
///
/// # Errors
/// `unknown_sku` with all of them.
pub async fn check_known(connection: &mut AnyConnection, skus: &BTreeSet<&Sku>) -> Result<(), Failure> {
    let unknown = unknown(connection, skus).await?;
    if unknown.is_empty() { Ok(()) } else { Err(ApiError::from(Refusal::UnknownSku(unknown)).into()) }
}

/// Those of the skus that no product has.
///
/// # Errors
/// The database's.
pub async fn unknown(
    connection: &mut AnyConnection,
    skus: &BTreeSet<&Sku>,
) -> Result<Vec<String>, sqlx::Error> {
    let skus: Vec<&str> = skus.iter().map(|sku| sku.as_str()).collect();
    let mut unknown = Vec::new();
    for chunk in skus.chunks(CHUNK) {
        let sql = format!("SELECT sku FROM products WHERE sku IN ({})", insert::list(1, chunk.len()));
        let mut query = sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(sql)).persistent(false);
        for sku in chunk {
            query = query.bind((*sku).to_owned());
        }
        let known: HashSet<String> = query.fetch_all(&mut *connection).await?.into_iter().collect();
        unknown.extend(chunk.iter().filter(|sku| !known.contains(**sku)).map(|sku| (*sku).to_owned()));
    }
    Ok(unknown)
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
pub async fn list(
    pool: &AnyPool,
    (q, category): (&str, &str),
    after: &str,
    limit: i64,
) -> Result<Vec<Product>, sqlx::Error> {
    let sql = "SELECT document FROM products WHERE sku > $1 AND ($3 = '' OR category = $3) \
               AND ($4 = '' OR LOWER(name) LIKE '%' || $4 || '%' ESCAPE '!' OR LOWER(sku) LIKE $4 || '%' ESCAPE '!') \
               ORDER BY sku LIMIT $2";
    let typed: String = q.to_lowercase().chars().filter(|c| *c != '\0').collect();
    let typed = typed.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    let query = sqlx::query(sql).bind(after).bind(limit).bind(category.replace('\0', "")).bind(typed);
    let rows = query.fetch_all(pool).await?;
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
