//! `products`: the catalogue as documents.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::db::{Engine, array};
use domain::model::base::ids::Sku;
use domain::model::base::refusal::Refusal;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::number_of;
use edge::ApiError;
use futures_util::TryStreamExt;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Products that are looked up or written at once.
pub const CHUNK: usize = 500;

/// Refuses references to products that are not there.
///
/// # Errors
/// `unknown_sku` with all of them.
pub async fn check_known(connection: &mut AnyConnection, skus: &BTreeSet<&Sku>) -> Result<(), Failure> {
    let unknown = unknown(connection, skus).await?;
    if unknown.is_empty() { Ok(()) } else { Err(ApiError::from(Refusal::UnknownSku(unknown)).into()) }
}

/// The skus that no product has.
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

/// Stored skus of digits alone that have the number of one of these, with more, fewer or equal zeros in front.
pub async fn same_numbers(
    connection: &mut AnyConnection,
    skus: impl Iterator<Item = &Sku>,
) -> Result<Vec<Sku>, sqlx::Error> {
    let numbers: BTreeSet<&str> = skus.filter_map(number_of).collect();
    let mut found = Vec::new();
    if numbers.is_empty() {
        return Ok(found);
    }
    // Of two that differ by leading zeros one begins with a zero. Few are looked for by the database; many here, so
    // that those with zeros are read once.
    let all: Vec<&str> = numbers.iter().copied().collect();
    let few = all.len() <= CHUNK;
    let places = || insert::list(1, all.len());
    let among = if few { format!(" AND LTRIM(sku, '0') IN ({})", places()) } else { String::new() };
    let sql = format!("SELECT sku FROM products WHERE sku LIKE '0%'{among}");
    let mut query = sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(sql)).persistent(false);
    for number in all.iter().filter(|_| few) {
        query = query.bind((*number).to_owned());
    }
    let mut rows = query.fetch(&mut *connection);
    while let Some(sku) = rows.try_next().await?.map(Sku) {
        found.extend(number_of(&sku).is_some_and(|number| numbers.contains(number)).then_some(sku));
    }
    drop(rows);
    for chunk in all.chunks(CHUNK) {
        let sql = format!("SELECT sku FROM products WHERE sku IN ({})", insert::list(1, chunk.len()));
        let mut query = sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(sql)).persistent(false);
        for number in chunk {
            query = query.bind((*number).to_owned());
        }
        found.extend(query.fetch_all(&mut *connection).await?.into_iter().map(Sku));
    }
    Ok(found)
}

/// Categories of these skus. Products without a category, and unknown ones, are left out.
pub async fn categories(
    connection: &mut AnyConnection,
    skus: BTreeSet<String>,
) -> Result<BTreeMap<String, String>, sqlx::Error> {
    let (mut known, engine) = (BTreeMap::new(), Engine::of_connection(connection));
    if skus.is_empty() {
        return Ok(known);
    }
    let among = array::among(engine, "sku", 1);
    let sql = format!("SELECT sku, category FROM products WHERE category IS NOT NULL AND {among}");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    let query = query.bind(array::texts(engine, skus.iter().map(String::as_str))?);
    for row in query.fetch_all(connection).await? {
        known.insert(row.cell("sku")?, row.cell("category")?);
    }
    Ok(known)
}

/// The names of these skus.
pub async fn names(
    connection: &mut AnyConnection,
    skus: &[&str],
) -> Result<HashMap<String, String>, sqlx::Error> {
    let (mut names, engine) = (HashMap::new(), Engine::of_connection(connection));
    for chunk in skus.chunks(CHUNK) {
        let among = array::among(engine, "sku", 1);
        let sql = format!("SELECT sku, name FROM products WHERE {among}");
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
        let query = query.bind(array::texts(engine, chunk.iter().copied())?);
        for row in query.fetch_all(&mut *connection).await? {
            names.insert(row.cell("sku")?, row.cell("name")?);
        }
    }
    Ok(names)
}

/// Products of these skus, by sku.
pub async fn documents(
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

/// A row: the product.
///
/// # Errors
/// The row is damaged.
pub fn document(row: &AnyRow) -> Result<Product, sqlx::Error> {
    row.json("document")
}

/// One product.
///
/// # Errors
/// 404.
pub async fn read(pool: &AnyPool, sku: &str) -> Result<Product, Failure> {
    let sql = "SELECT document FROM products WHERE sku = $1";
    let row = sqlx::query(sql).bind(sku).fetch_optional(pool).await?;
    Ok(document(&row.ok_or_else(|| ApiError::not_found("the product"))?)?)
}
