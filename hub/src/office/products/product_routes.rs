//! The catalogue.

use crate::http::batch::Batch;
use crate::http::prelude::*;
use crate::http::{change, paged_list};
use crate::office::lists::category;
use crate::office::products::product_batch::ProductItem;
use crate::office::products::{edit, product};
use crate::table;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::CheckedProduct;
use edge::product_csv::{self, Catalogue};
use edge::sheet::{ImportFile, PROBLEMS_MAX};

/// Most products that are asked for by their codes at once.
const SKUS_MAX: usize = 100;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/products", EVERYONE, "Catalogue").summary("List products by SKU, or by change")
        .query::<Search>()
        .refuses(&[Code::ValidationFailed])
        .answers::<List<Product>>(
            r#"{"items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "price_set_at": "2026-11-20T02:06:34.739Z", "tax_rate_bp": null,
        "tax_code": null, "category": "Drinks", "barcodes": [{"code": "8991234567890", "pack_qty": 1}],
        "cost": 10000, "reorder_level": 24, "track_stock": true, "state": "active",
        "updated_at": "2026-11-20T02:06:34.739Z"}], "next_cursor": null}"#,
            paged_list::handler::<Search>(),
        ),
    post("/api/products", ADMIN, "Catalogue").summary("Create a product")
        .refuses(&[Code::Duplicate])
        .creates::<edit::New>(
            r#"{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "category": "Drinks"}"#,
            PRODUCT,
        ),
    get("/api/products/:sku", EVERYONE, "Catalogue").summary("Retrieve a product")
        .answers::<CheckedProduct>(PRODUCT, answers!(read)),
    patch("/api/products/:sku", ADMIN, "Catalogue").summary("Update a product; a new price applies at once in every store without a price of its own")
    .refuses(&[Code::Duplicate])
    .command::<edit::Change>(r#"{"price": 15500}"#, PRODUCT),
    post("/api/products/batch", ADMIN, "Catalogue").summary("Create or update up to 500 products; each item has its own result")
        .command::<Batch<ProductItem>>(
            r#"{"items": [{"sku": "8991234567890", "price": 15500}, {"sku": "8991234567999", "price": 9000}]}"#,
            RESULTS,
        ),
    post("/api/products/import", ADMIN, "Catalogue").summary("Import a catalogue (CSV); one bad row refuses the whole file. Barcodes are added to a product, `-` removes all of them")
    .query::<ImportFile>()
    .refuses(&[Code::Duplicate])
    .imports::<ImportProducts>(
        "sku,name,price,category,barcode,reorder_level\n8991234567890,Green Tea 100 g,15000,Drinks,,24\n",
        r#"{"rows": 1, "changed": 1, "warnings": [{"line": 2,
        "problem": "barcode 8991234500165 has a wrong check digit: the last digit should be 4. Compare it with the package"}]}"#,
    ),
];

const RESULTS: &str = r#"{"items": [{"index": 0, "http_status": 200, "data": {"sku": "8991234567890", "name": "Green Tea 100 g",
    "price": 15500, "price_set_at": "2026-11-20T02:06:34.739Z", "tax_rate_bp": null, "tax_code": null, "category": "Drinks",
    "barcodes": [], "cost": null, "reorder_level": null, "track_stock": true, "state": "active",
    "updated_at": "2026-11-20T02:06:34.739Z"}},
    {"index": 1, "http_status": 422, "error": {"code": "validation_failed", "message": "the request has 1 problem: name is missing",
    "details": {"fields": [{"path": "name", "problem": "is missing"}]}}}], "done": 1, "refused": 1}"#;

const PRODUCT: &str = r#"{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "price_set_at": "2026-11-20T02:06:34.739Z", "tax_rate_bp": null,
            "tax_code": null, "category": "Drinks", "barcodes": [], "cost": null, "reorder_level": null,
            "track_stock": true, "state": "active", "updated_at": "2026-11-20T02:06:34.739Z"}"#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProductSearch")]
pub struct Search {
    /// Text in the name, the beginning of the SKU, a barcode in any spelling, or at least four digits of one.
    q: Option<String>,
    /// Only those of this category.
    category: Option<String>,
    /// Code as a scanner sends it: only the product that has it.
    barcode: Option<String>,
    /// Only the products with these SKUs: at most 100, separated by commas.
    skus: Option<String>,
    /// Only those that changed at this time or later, by the hub's clock. The list then begins with the earliest change.
    updated_from: Option<UtcMs>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

page_query!(Search);

impl Command for edit::New {
    const ACTION: &'static str = "product.created";
    type Answer = CheckedProduct;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<CheckedProduct>, Failure> {
        let (checked, details) = edit::create(tx.hub, tx.connection, self, tx.now).await?;
        let location = format!("/api/products/{}", checked.product.sku);
        Ok(Changed::created(location, &checked, details))
    }
}

async fn read(request: Request) -> Answered {
    let product = table::product::read(request.state.db.pool(), request.param("sku")).await?;
    Ok(Reply::ok(&CheckedProduct::from(product)))
}

impl Command for edit::Change {
    const ACTION: &'static str = "product.changed";
    type Answer = CheckedProduct;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<CheckedProduct>, Failure> {
        let sku = tx.path.get("sku");
        let (checked, details) = edit::change(tx.hub, tx.connection, sku, self, tx.now).await?;
        Ok(Changed::answer(&checked, details))
    }
}

impl PagedList for Search {
    type Query = Self;
    type Item = Product;
    type Position = product::Bookmark;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Product>, Failure> {
        change::check_q(page.query.q.as_deref())?;
        let skus = page.query.skus.as_deref().map(listed).transpose()?;
        let wanted = product::Wanted {
            q: page.query.q.as_deref().unwrap_or_default(),
            category: page.query.category.as_deref().unwrap_or_default(),
            barcode: page.query.barcode.as_deref(),
            skus: skus.as_deref(),
            updated_from: page.query.updated_from,
        };
        Ok(product::list(page.pool, &wanted, page.after, page.limit).await?)
    }
    fn position(product: &Product) -> product::Bookmark {
        (product.sku.0.clone(), product.updated_at.0)
    }
}

/// Codes that are asked for together.
fn listed(skus: &str) -> Result<Vec<String>, ApiError> {
    let skus: Vec<String> = skus.split(',').map(|sku| sku.trim().to_owned()).collect();
    if skus.len() > SKUS_MAX {
        return Err(ApiError::field("skus", format!("must be at most {SKUS_MAX}")));
    }
    Ok(skus)
}

/// Imports all of a file or nothing.
pub struct ImportProducts {
    catalogue: Catalogue,
    dry_run: bool,
}

impl FromRequest for ImportProducts {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let (file, now): (ImportFile, _) = (request.query()?, clock::now());
        let body = request.body.clone();
        let (encoding, most) = (file.encoding(), request.state.limits.import_rows);
        let columns = file.columns();
        let currency = request.state.currency().await?;
        let read = move || {
            let read = product_csv::read(&body, encoding, columns.as_ref(), (most, currency), now)?;
            read.check_currency(currency.code()).map(|()| read)
        };
        // A large file takes long to read: not on the threads that serve.
        let read = tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)?;
        let catalogue = read.map_err(|problems| ApiError::from(&problems))?;
        Ok(Self { catalogue, dry_run: file.is_dry_run() })
    }
}

impl Command for ImportProducts {
    const ACTION: &'static str = "products.imported";
    type Answer = product::ImportedFile;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<product::ImportedFile>, Failure> {
        let Catalogue { rows, mut warnings, .. } = self.catalogue;
        warnings.extend(product::doubts_beside_stored(tx.connection, &rows).await?);
        warnings.sort_by_key(|warning| warning.line);
        warnings.truncate(PROBLEMS_MAX);
        let named = rows.iter().filter_map(|row| row.product.category.as_ref());
        category::check_allowed(tx.hub, tx.connection, named).await?;
        let imported = product::import(tx.connection, rows, tx.now).await?;
        let details = json!(imported);
        let imported =
            product::ImportedFile { imported, warnings: warnings.into_iter().map(Into::into).collect() };
        Ok(if self.dry_run { Changed::preview(&imported) } else { Changed::answer(&imported, details) })
    }
}
