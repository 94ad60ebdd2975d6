//! The catalogue at head office.

use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions, escaped, folded};
use crate::db::insert::{self, NewRow};
use crate::office::products::barcode;
use crate::table::price;
use crate::table::product::{self, CHUNK, document};
use crate::{feed, row};
use domain::model::base::ids::Sku;
use domain::model::base::search::words;
use domain::model::base::time::UtcMs;
use domain::model::inventory::barcode::normal;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::{CatalogueRow, code_part, codes_fit, doubts_beside};
use domain::wire::feed::{Kind, lane};
use edge::ApiError;
use edge::sheet::{PROBLEMS_MAX, RowProblem};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{AnyConnection, AnyPool};
use std::collections::HashMap;

/// Condition for the product of a code.
const NAMED_BY: &str = "sku IN (SELECT sku FROM product_barcodes WHERE code = ?)";

/// A point to check about a row of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ImportWarning")]
pub struct Warning {
    /// Line of the file at which the row begins, from 1.
    pub line: u64,
    /// Description of the problem, such as a wrong check digit.
    pub problem: String,
}

impl From<RowProblem> for Warning {
    fn from(RowProblem { line, problem }: RowProblem) -> Self {
        Self { line, problem }
    }
}

/// Result of an import of a catalogue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportedProducts")]
pub struct ImportedFile {
    /// Counts of the import.
    #[serde(flatten)]
    pub imported: Imported,
    /// Points to check about imported rows, at most 1,000. Omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// Result of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Imported {
    /// Number of rows in the file.
    pub rows: usize,
    /// Number of new or changed products.
    pub changed: usize,
}

/// Doubts about the skus of a file compared with stored ones that are not in it.
pub async fn doubts_beside_stored(
    connection: &mut AnyConnection,
    rows: &[CatalogueRow],
) -> Result<Vec<RowProblem>, sqlx::Error> {
    let skus: Vec<&Sku> = rows.iter().map(|row| &row.product.sku).collect();
    let stored = product::same_numbers(connection, skus.iter().copied()).await?;
    let lines: HashMap<&Sku, u64> = rows.iter().map(|row| (&row.product.sku, row.line)).collect();
    let doubts = doubts_beside(&skus, &stored).into_iter().take(PROBLEMS_MAX);
    Ok(doubts
        .map(|(sku, problem)| RowProblem { line: lines.get(sku).copied().unwrap_or_default(), problem })
        .collect())
}

/// Imports a catalogue: unchanged products make no change in the feed, and fields without a column stay as they are
/// ([`domain::rules::inventory::product::CatalogueRow::over`]). A changed price sets the price, as a `PATCH` does; an
/// unchanged one leaves the price that counts.
///
/// # Errors
/// 409 `duplicate` for barcodes of other products, 422 for too many codes of one, a database error; nothing is imported
/// then.
pub async fn import(
    connection: &mut AnyConnection,
    rows: Vec<CatalogueRow>,
    now: UtcMs,
) -> Result<Imported, Failure> {
    // The lane's lock first: two imports at once are one after the other.
    feed::take(connection, lane::REST, 0, now).await?;
    let mut products: Vec<Product> = Vec::with_capacity(rows.len());
    let lines = rows.iter().map(|row| (row.product.sku.clone(), row.line)).collect();
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let rows: Vec<CatalogueRow> = rows.by_ref().take(CHUNK).collect();
        let said: Vec<Product> = rows.iter().map(|row| row.product.clone()).collect();
        let known = product::documents(connection, &said).await?;
        let next = price::next_moments(connection, &said, now).await?;
        for row in rows {
            let before = known.get(row.product.sku.as_str());
            let mut product = row.over(before);
            codes_fit(&product).map_err(ApiError::from)?;
            // The file was read before the transaction.
            product.updated_at = now;
            product.price_set_at = match before {
                Some(before) if before.price == product.price => before.price_set_at,
                _ => next.get(product.sku.as_str()).copied().unwrap_or(now),
            };
            products.push(product);
        }
    }
    put(connection, products, &lines, now).await
}

/// Writes products as they are; the lane's lock is held. Unchanged ones make no change in the feed. `lines` has their
/// places in a file.
pub async fn put(
    connection: &mut AnyConnection,
    products: Vec<Product>,
    lines: &HashMap<Sku, u64>,
    now: UtcMs,
) -> Result<Imported, Failure> {
    let rows = products.len();
    let mut changed = Vec::new();
    for chunk in products.chunks(CHUNK) {
        let known = product::documents(connection, chunk).await?;
        changed.extend(chunk.iter().filter(|product| differs(product, &known)).cloned());
    }
    barcode::claim(connection, &changed, lines).await?;
    let imported = Imported { rows, changed: changed.len() };
    let ticket = feed::take(connection, lane::REST, changed.len(), now).await?;
    let mut entries = Vec::with_capacity(changed.len());
    for chunk in changed.chunks(CHUNK) {
        let mut cells: Vec<NewRow> = Vec::with_capacity(chunk.len());
        for product in chunk {
            let payload =
                serde_json::to_string(product).map_err(|error| sqlx::Error::Encode(error.into()))?;
            let (sku, name) = (product.sku.0.as_str(), product.name.as_str());
            cells.push(row! {
                sku, name, category: product.category.clone(), version: ticket.version.as_str(),
                document: payload.as_str(), folded: folded(&[sku, name]), updated_at: product.updated_at.0,
            });
            entries.push(feed::Entry::for_all(Kind::Product, sku, payload));
        }
        insert::replace(connection, "products", &["sku"], cells).await?;
    }
    feed::append(connection, &ticket, entries).await?;
    Ok(imported)
}

/// Whether anything except the time of the change differs.
fn differs(product: &Product, known: &HashMap<String, Product>) -> bool {
    known.get(product.sku.as_str()).is_none_or(|before| {
        let mut before = before.clone();
        before.updated_at = product.updated_at;
        before != *product
    })
}

/// Filters of the list of products.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// A part of the name, the beginning of the sku, a code in any spelling, or digits of one.
    pub q: &'a str,
    pub category: &'a str,
    /// A scan that names one.
    pub barcode: Option<&'a str>,
    /// Only products with these codes.
    pub skus: Option<&'a [String]>,
    /// Only those that changed then or later, by change.
    pub updated_from: Option<UtcMs>,
}

/// Adds the conditions on `products`, which the statement names `table`, by which the typed text finds a product: its
/// sku begins with it, its name contains it, it is one of its codes in any spelling, or digits of one of them.
pub fn found_by(conditions: Conditions, table: &str, typed: &str) -> Conditions {
    let typed = typed.trim();
    if typed.is_empty() {
        return conditions;
    }
    // Sku and name are a line each of `folded`.
    let text = format!(
        "{table}.folded LIKE ?1 || '%' ESCAPE '!' OR {table}.folded LIKE '%\n%' || ?1 || '%' ESCAPE '!'"
    );
    let code = if code_part(&words([typed])).is_some() {
        "code = ?2 OR code LIKE '%' || ?1 || '%'"
    } else {
        "code = ?2"
    };
    let condition = format!("({text} OR {table}.sku IN (SELECT sku FROM product_barcodes WHERE {code}))");
    conditions.texts(&condition, &[&escaped(typed), &normal(typed)])
}

/// Position of a page: the product and change of the last item before it.
pub type Bookmark = (String, i64);

/// Order of changes.
const CHANGED: [&str; 2] = ["updated_at", "sku"];

/// A page of products, after a place.
pub async fn list(
    pool: &AnyPool,
    wanted: &Wanted<'_>,
    after: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Product>, sqlx::Error> {
    let (conditions, sql) = statement(wanted, after, limit);
    let rows = conditions.query(&sql).fetch_all(pool).await?;
    let mut products = rows.iter().map(document).collect::<Result<Vec<_>, _>>()?;
    // The table also has skus: a scanned code has to be a barcode.
    products.retain(|product| wanted.barcode.is_none_or(|scan| product.has_code(scan)));
    Ok(products)
}

/// The statement of a page with its parameters: by sku, or by change.
pub fn statement(wanted: &Wanted<'_>, after: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let Wanted { q, category, barcode, skus, updated_from } = *wanted;
    let after = after.map(|(sku, at)| (Bound::from(sku.as_str()), Bound::from(at)));
    let conditions = match updated_from {
        Some(from) => Conditions::default().changed(CHANGED, from, after.map(|(sku, at)| [at, sku])),
        None => Conditions::default().above(["sku"], after.map(|(sku, _)| [sku])),
    };
    let order = if updated_from.is_some() { CHANGED.join(", ") } else { "sku".to_owned() };
    let conditions = conditions
        .among("sku", skus)
        .text("category = ?", Some(category).filter(|category| !category.is_empty()))
        .text(NAMED_BY, barcode.map(normal).as_deref());
    let conditions = found_by(conditions, "products", q);
    (conditions, format!("SELECT document FROM products WHERE {{}} ORDER BY {order} LIMIT {limit}"))
}
