//! Input of the rules for a warehouse: its stock, its sealed days, and the products of a document.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::office::warehouses::warehouse::Warehouse;
use crate::table::product;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::books::ledger::LedgerBook;
use domain::model::inventory::barcode::normal;
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::Stock;
use domain::rules::selling::sale::{Scanned, scan};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rows that are looked up at once.
pub const CHUNK: usize = 500;

/// Products by sku, as far as there are any.
pub type Products = BTreeMap<Sku, Product>;

/// Puts products and pieces where codes were scanned.
///
/// # Errors
/// `unknown_sku`, `duplicate`, `validation_failed`.
pub async fn scanned<L: Scanned>(connection: &mut AnyConnection, lines: &mut [L]) -> Result<(), Failure> {
    let scans: BTreeSet<String> = lines.iter().filter_map(Scanned::code).map(str::to_owned).collect();
    if scans.is_empty() {
        return Ok(());
    }
    let codes: BTreeSet<String> = scans.iter().map(|scan| normal(scan)).collect();
    let mut products: BTreeMap<String, Product> = BTreeMap::new();
    for chunk in Vec::from_iter(codes).chunks(CHUNK) {
        let sql = "SELECT b.code, p.document FROM product_barcodes b JOIN products p ON p.sku = b.sku WHERE b.code IN";
        for row in rows(connection, sql, &[], chunk).await? {
            products.insert(row.cell("code")?, product::document(&row)?);
        }
    }
    // The table also has skus: a scanned code has to be a barcode.
    let named = |scan: String| {
        let product = products.get(&normal(&scan)).filter(|product| product.has_code(&scan));
        (scan, product.into_iter().collect::<Vec<_>>())
    };
    let found: BTreeMap<String, Vec<&Product>> = scans.into_iter().map(named).collect();
    scan(lines, &found).map_err(edge::ApiError::from)?;
    Ok(())
}

/// The book of a warehouse, as far as documents of these products look at it, and the products.
///
/// # Errors
/// A database error.
pub async fn load(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    skus: impl Iterator<Item = &Sku>,
) -> Result<(Products, LedgerBook), sqlx::Error> {
    let (products, stock) = stock(connection, warehouse.store_id(), skus).await?;
    let mut book = LedgerBook { stock, ..LedgerBook::default() };
    sealed(connection, warehouse, &mut book).await?;
    Ok((products, book))
}

/// These products, and the warehouse's stock of them.
///
/// # Errors
/// A database error.
pub async fn stock(
    connection: &mut AnyConnection,
    store_id: &str,
    skus: impl Iterator<Item = &Sku>,
) -> Result<(Products, HashMap<Sku, Stock>), sqlx::Error> {
    let skus: Vec<String> = skus.map(|sku| sku.0.clone()).collect::<BTreeSet<String>>().into_iter().collect();
    let (mut products, mut all) = (Products::new(), HashMap::new());
    let store = [store_id.to_owned()];
    for chunk in skus.chunks(CHUNK) {
        for row in rows(connection, "SELECT document FROM products WHERE sku IN", &[], chunk).await? {
            let product = product::document(&row)?;
            // A product that never moved here has the catalogue's cost.
            all.insert(product.sku.clone(), Stock::seed(&product));
            products.insert(product.sku.clone(), product);
        }
        let sql = "SELECT sku, qty, value, last_cost, moved_at FROM stock WHERE store_id = $1 AND sku IN";
        for row in rows(connection, sql, &store, chunk).await? {
            let stock = on_hand(&row)?;
            all.insert(stock.sku.clone(), stock);
        }
        let sql = "SELECT sku, qty, value FROM damaged WHERE store_id = $1 AND sku IN";
        for row in rows(connection, sql, &store, chunk).await? {
            let (sku, damaged, value): (String, Quantity, Money) = columns!(row => (sku, qty, value));
            let stock: &mut Stock = all.entry(Sku(sku.clone())).or_default();
            (stock.sku, stock.damaged, stock.damaged_value) = (Sku(sku), damaged, value);
        }
    }
    Ok((products, all))
}

/// Puts into a book how often its products moved: only a count asks, and there may be many movements.
///
/// # Errors
/// A database error.
pub async fn load_moves(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    book: &mut LedgerBook,
) -> Result<(), sqlx::Error> {
    let store = [warehouse.store_id().to_owned()];
    let skus: Vec<String> = book.stock.keys().map(|sku| sku.0.clone()).collect();
    for chunk in skus.chunks(CHUNK) {
        let sql = "SELECT sku, COUNT(*) AS moves FROM movements WHERE store_id = $1 AND sku IN";
        for row in grouped(connection, sql, &store, chunk).await? {
            let (sku, moves): (String, u64) = columns!(row => (sku, moves));
            book.stock.entry(Sku(sku)).and_modify(|stock| stock.moves = moves);
        }
    }
    Ok(())
}

/// Days that are sealed and not over, where a clock was set back: nothing is dated into them.
async fn sealed(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    book: &mut LedgerBook,
) -> Result<(), sqlx::Error> {
    let sql =
        "SELECT business_date FROM store_days WHERE store_id = $1 AND sealed = 1 AND business_date >= $2";
    let query = sqlx::query(sql).bind(warehouse.store_id().to_owned()).bind(warehouse.today().to_string());
    for row in query.fetch_all(connection).await? {
        book.sealed.insert(row.cell("business_date")?, true);
    }
    Ok(())
}

fn on_hand(row: &AnyRow) -> Result<Stock, sqlx::Error> {
    let (sku, qty, value): (String, Quantity, Money) = columns!(row => (sku, qty, value));
    let (last_cost, updated_at): (Money, UtcMs) = columns!(row => (last_cost, moved_at));
    Ok(Stock { sku: Sku(sku), qty, value, last_cost, updated_at, ..Stock::default() })
}

/// Rows of a statement that ends in `IN`, for a list of keys; `first` are its other parameters.
///
/// # Errors
/// A database error.
pub async fn rows(
    connection: &mut AnyConnection,
    sql: &str,
    first: &[String],
    list: &[String],
) -> Result<Vec<AnyRow>, sqlx::Error> {
    of_list(connection, format!("{sql} ({})", places(first, list)), first, list).await
}

async fn grouped(
    connection: &mut AnyConnection,
    sql: &str,
    first: &[String],
    list: &[String],
) -> Result<Vec<AnyRow>, sqlx::Error> {
    of_list(connection, format!("{sql} ({}) GROUP BY sku", places(first, list)), first, list).await
}

fn places(first: &[String], list: &[String]) -> String {
    insert::list(first.len().saturating_add(1), list.len())
}

async fn of_list(
    connection: &mut AnyConnection,
    sql: String,
    first: &[String],
    list: &[String],
) -> Result<Vec<AnyRow>, sqlx::Error> {
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    for text in first.iter().chain(list) {
        query = query.bind(text.clone());
    }
    query.fetch_all(connection).await
}
