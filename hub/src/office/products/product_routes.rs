//! The catalogue.

use crate::db::failure::Failure;
use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::lists::category;
use crate::office::products::{edit, product};
use crate::state::idempotency::Keyed;
use crate::table;
use crate::table::audit;
use domain::model::base::answer::Answer;
use domain::model::inventory::product::Product;
use edge::page::{Cursor, Limit, List};
use edge::product_csv::{self, Catalogue};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Most products that are asked for by their codes at once.
const SKUS_MAX: usize = 100;

pub const LIST: Doc = Doc::of("Catalogue", "List products").query::<Search>().answers::<List<Product>>(
    r#"{"items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "price_set_at": "2026-11-20T02:06:34.739Z", "tax_rate_bp": null,
        "tax_code": null, "category": "Drinks", "barcodes": [{"code": "8991234567890", "pack_qty": 1}],
        "cost": 10000, "reorder_level": 24, "track_stock": true, "state": "active",
        "updated_at": "2026-11-20T02:06:34.739Z"}], "next_cursor": null}"#,
)
.refuses(&[Code::ValidationFailed]);
/// `POST /api/products/import`
pub const IMPORT: Doc = Doc::of(
    "Catalogue",
    "Import a catalogue (CSV); one bad row refuses the whole file. Barcodes are added to a product, `-` removes all of them",
)
    .query::<product::DryRun>()
    .csv("sku,name,price,category,barcode,reorder_level\n8991234567890,Green Tea 100 g,15000,Drinks,,24\n")
    .answers::<product::ImportedFile>(r#"{"rows": 1, "changed": 1, "warnings": [{"line": 2,
        "problem": "barcode 8991234500165 has a wrong check digit: the last digit should be 4. Compare it with the package"}]}"#)
    .refuses(&[Code::Duplicate]);

pub const CREATE: Doc = Doc::of("Catalogue", "Create a product")
    .body::<edit::New>(
        r#"{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "category": "Drinks"}"#,
    )
    .creates::<Checked>(PRODUCT)
    .refuses(&[Code::Duplicate]);
pub const READ: Doc = Doc::of("Catalogue", "Retrieve a product").answers::<Checked>(PRODUCT);
pub const CHANGE: Doc = Doc::of(
    "Catalogue",
    "Update a product; a new price applies at once in every store without a price of its own",
)
.body::<edit::Change>(r#"{"price": 15500}"#)
.answers::<Checked>(PRODUCT)
.refuses(&[Code::Duplicate]);
const PRODUCT: &str = r#"{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "price_set_at": "2026-11-20T02:06:34.739Z", "tax_rate_bp": null,
            "tax_code": null, "category": "Drinks", "barcodes": [], "cost": null, "reorder_level": null,
            "track_stock": true, "state": "active", "updated_at": "2026-11-20T02:06:34.739Z"}"#;

/// A product, with doubts about it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedProduct")]
struct Checked {
    #[serde(flatten)]
    product: Product,
    /// Doubts about its barcodes, such as a wrong check digit. Omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    doubts: Vec<String>,
}

impl From<Product> for Checked {
    fn from(product: Product) -> Self {
        let doubts = product.doubts();
        Self { product, doubts }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProductSearch")]
struct Search {
    /// A part of the name, the beginning of the sku, or at least four digits of a barcode.
    q: Option<String>,
    /// Only those of this category.
    category: Option<String>,
    /// A scan as the scanner sends it: the product that has the code.
    barcode: Option<String>,
    /// Only these, at most 100 codes with commas between them: the names on a document.
    skus: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `POST /api/products`
pub async fn create(request: Request) -> Answered {
    let new: edit::New = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    check_categories(&mut keyed, &request, new.rest.category.value().into_iter()).await?;
    let product = edit::create(&mut keyed.write, new, now).await?;
    let location = format!("/api/products/{}", product.sku);
    let done = ("product.created", json!({"sku": product.sku, "price": product.price}));
    change::finish_audited(&request, keyed, done, Answer::created(location, &Checked::from(product))).await
}

/// `GET /api/products/:sku`
pub async fn read(request: Request) -> Answered {
    let product = table::product::read(request.state.db.pool(), request.param("sku")).await?;
    Ok(Reply::ok(&Checked::from(product)))
}

/// `PATCH /api/products/:sku`
pub async fn change(request: Request) -> Answered {
    let change: edit::Change = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    check_categories(&mut keyed, &request, change.rest.category.value().into_iter()).await?;
    let [before, after] = edit::change(&mut keyed.write, request.param("sku"), change, now).await?;
    let details = audit::with_change(json!({"sku": after.sku}), [&before, &after]);
    change::finish_audited(&request, keyed, ("product.changed", details), Answer::ok(&Checked::from(after)))
        .await
}

/// Refuses categories that are not listed, where the list is closed.
async fn check_categories(
    keyed: &mut Keyed,
    request: &Request,
    named: impl Iterator<Item = &String>,
) -> Result<(), Failure> {
    if !request.state.closed_categories {
        return Ok(());
    }
    category::check_known(&mut keyed.write, named.cloned().collect()).await
}

/// `GET /api/products`
pub async fn list(request: Request) -> Answered {
    let ask: Search = request.query()?;
    let (after, limit) = (
        bound_page::after_in::<String>(&request, ask.cursor.as_ref())?.unwrap_or_default(),
        change::one_more(ask.limit),
    );
    let (q, category) = (ask.q.unwrap_or_default(), ask.category.unwrap_or_default());
    change::check_q(Some(&q))?;
    let skus = ask.skus.as_deref().map(listed).transpose()?;
    let wanted = product::Wanted {
        q: &q,
        category: &category,
        barcode: ask.barcode.as_deref(),
        skus: skus.as_deref(),
    };
    let products = product::list(request.state.db.pool(), wanted, &after, limit).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, products, ask.limit, |product| product.sku.clone())?))
}

/// Codes that are asked for together.
fn listed(skus: &str) -> Result<Vec<String>, ApiError> {
    let skus: Vec<String> = skus.split(',').map(|sku| sku.trim().to_owned()).collect();
    if skus.len() > SKUS_MAX {
        return Err(ApiError::field("skus", format!("must be at most {SKUS_MAX}")));
    }
    Ok(skus)
}

/// `POST /api/products/import`: all of the file or nothing.
pub async fn import(request: Request) -> Answered {
    let (ask, now): (product::DryRun, _) = (request.query()?, clock::now());
    let body = request.body.clone();
    let (encoding, most) = (ask.encoding.unwrap_or_default(), request.state.limits.import_rows);
    // A large file is minutes of a till's work to read: not on the threads that serve.
    let read = tokio::task::spawn_blocking(move || product_csv::read(&body, encoding, most, now)).await;
    let Catalogue { rows, warnings, .. } =
        read.map_err(ApiError::internal)?.map_err(|rows| product::refused(&rows))?;
    let mut keyed = begun!(request, now);
    let named = rows.iter().filter_map(|row| row.product.category.as_ref());
    check_categories(&mut keyed, &request, named).await?;
    let imported = product::import(&mut keyed.write, rows, now).await?;
    let details = json!(imported);
    let imported =
        product::ImportedFile { imported, warnings: warnings.into_iter().map(Into::into).collect() };
    if ask.dry_run == Some(true) {
        // Nothing is committed.
        return Ok(Reply::ok(&imported));
    }
    change::finish_audited(&request, keyed, ("products.imported", details), Answer::ok(&imported)).await
}
