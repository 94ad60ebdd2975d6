//! Routes of the catalogue. Managers change it only in a store without a head office.

use super::products::page_of;
use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::{failed, stored};
use ::actors::commands;
use domain::model::base::ids::Sku;
use domain::model::base::search;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::{ChangeProduct, CheckedProduct, NewProduct};
use edge::page::{Cursor, Limit, List, cursor};
use edge::product_csv::{self, Catalogue};
use edge::sheet::ImportFile;
use edge::{ApiError, Code, Doc, Reply, clock, product_codes};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Most rows of a file that is imported by this route, in one commit. The command line imports larger files.
const ROWS_MAX: usize = 20_000;

const PRODUCT: &str = r#"{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "price_set_at": "2026-11-20T02:06:34.739Z", "tax_rate_bp": null, "tax_code": null, "category": "Drinks", "barcodes": [{"code": "8991234567890", "pack_qty": 1}], "cost": 10000, "reorder_level": 24, "track_stock": true, "state": "active", "updated_at": "2026-11-20T02:06:34.739Z"}"#;

pub const LIST: Doc =
    Doc::of("Catalogue", "List products, ordered by SKU").query::<Query>().lists::<Product>(PRODUCT);
pub const READ: Doc = Doc::of("Catalogue", "Retrieve a product").answers::<CheckedProduct>(PRODUCT);
pub const CREATE: Doc = Doc::of("Catalogue", "Create a product; only in a store without a head office")
    .body::<NewProduct>(
        r#"{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "category": "Drinks"}"#,
    )
    .creates::<CheckedProduct>(PRODUCT)
    .refuses(&[Code::Duplicate, Code::InvalidState]);
pub const CHANGE: Doc = Doc::of("Catalogue", "Update a product; only in a store without a head office")
    .body::<ChangeProduct>(r#"{"price": 15500}"#)
    .answers::<CheckedProduct>(PRODUCT)
    .refuses(&[Code::Duplicate, Code::InvalidState]);
pub const IMPORT: Doc = Doc::of(
    "Catalogue",
    "Import products (CSV); one bad row refuses the whole file; only in a store without a head office",
)
.csv("sku,name,price,category,barcode,reorder_level\n8991234567890,Green Tea 100 g,15000,Drinks,,24\n")
.query::<ImportFile>()
.answers::<ImportedProducts>(
    r#"{"rows": 1, "changed": 1, "warnings": [{"line": 2, "problem": "barcode 8991234500165 has a wrong check digit: the last digit should be 4. Compare it with the package"}]}"#,
)
.refuses(&[Code::Duplicate, Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProductSearch")]
struct Query {
    /// Beginnings of words of the name, the category or the SKU, or at least four digits of a barcode: only products
    /// that can be sold are searched.
    q: Option<String>,
    /// Only those of this category.
    category: Option<String>,
    /// Only those whose price began to apply on this business date or later.
    priced_since: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// A point to check about a row of a file.
#[derive(Serialize, JsonSchema)]
struct ImportWarning {
    /// Line of the file at which the row begins, from 1.
    line: u64,
    /// Description of the problem, such as a wrong check digit.
    problem: String,
}

/// Result of an import of products.
#[derive(Serialize, JsonSchema)]
struct ImportedProducts {
    /// Number of rows in the file.
    rows: usize,
    /// Number of new or changed products.
    changed: usize,
    /// Points to check about imported rows, at most 1,000. Omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<ImportWarning>,
}

/// `GET /api/products`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    let state = request.state;
    let read = move || {
        let (store, storage) = (&state.store, state.store.storage());
        let (words, now) = (search::words(query.q.as_deref()), clock::now());
        let wanted = |product: &Product| {
            let fits = query.category.is_none() || product.category == query.category;
            let Some(date) = query.priced_since.filter(|_| fits) else { return Ok(fits) };
            let price = store.effective_price(&product.sku, now).map_err(failed)?;
            Ok(store.rules().business_date(price.since) >= date)
        };
        let (found, next) = page_of(query.limit.0, after, wanted, |after, limit| {
            let found = if words.is_empty() {
                storage.products().products(after, limit)
            } else {
                storage.products().search_products(&words, after, limit)
            };
            found.map_err(stored)
        })?;
        // At the present prices.
        let items = found.iter().map(|product| store.sold(&product.sku).map_err(failed));
        let items: Vec<_> = items.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let items = items.iter().map(|product| Product::clone(product)).collect();
        Ok(Reply::ok(&List { items, next_cursor: next.as_ref().map(cursor) }))
    };
    tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)?
}

/// `GET /api/products/:sku`: with its present price.
pub async fn read(request: Request) -> Answered {
    let found = request.state.store.sold(&Sku::from(request.param("sku"))).map_err(failed)?;
    let product = found.ok_or_else(|| ApiError::not_found("product"))?;
    Ok(Reply::ok(&CheckedProduct::from(Product::clone(&product))))
}

/// `POST /api/products`
pub async fn create(request: Request) -> Answered {
    let mut new: NewProduct = request.json()?;
    let wrong = product_codes::of_new(&mut new);
    run(&request, commands::CreateProduct { new, wrong }).await
}

/// `PATCH /api/products/:sku`
pub async fn change(request: Request) -> Answered {
    let mut change: ChangeProduct = request.json()?;
    let wrong = product_codes::of_change(&mut change);
    let sku = Sku::from(request.param("sku"));
    run(&request, commands::ChangeProduct { sku, change, wrong }).await
}

/// `POST /api/products/import`
pub async fn import(request: Request) -> Answered {
    let (file, body, now): (ImportFile, _, _) = (request.query()?, request.body.clone(), clock::now());
    let currency = request.state.currency;
    let (encoding, columns) = (file.encoding(), file.columns());
    let read = move || {
        let read = product_csv::read(&body, encoding, columns.as_ref(), (ROWS_MAX, currency), now);
        read.and_then(|read| read.check_currency(currency.code()).map(|()| read))
    };
    // A large file takes long to read, so it is not read on a thread that serves requests.
    let read = tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)?;
    let Catalogue { rows, warnings, .. } = read.map_err(|problems| ApiError::from(&problems))?;
    let warnings = warnings.iter().map(|one| json!({"line": one.line, "problem": one.problem})).collect();
    run(&request, commands::ImportProducts { rows, warnings, dry_run: file.is_dry_run() }).await
}
