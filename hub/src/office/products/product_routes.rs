//! The catalogue.

use crate::http::prelude::*;
use crate::http::{change, paged_list};
use crate::office::lists::category;
use crate::office::products::{edit, product};
use crate::table;
use crate::table::audit;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::{CheckedProduct, doubts_beside};
use edge::product_csv::{self, Catalogue};
use edge::sheet::{ImportFile, PROBLEMS_MAX};

/// Most products that are asked for by their codes at once.
const SKUS_MAX: usize = 100;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/products", EVERYONE, "Catalogue").summary("List products")
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
    post("/api/products/import", ADMIN, "Catalogue").summary("Import a catalogue (CSV); one bad row refuses the whole file. Barcodes are added to a product, `-` removes all of them")
    .query::<ImportFile>()
    .refuses(&[Code::Duplicate])
    .imports::<ImportProducts>(
        "sku,name,price,category,barcode,reorder_level\n8991234567890,Green Tea 100 g,15000,Drinks,,24\n",
        r#"{"rows": 1, "changed": 1, "warnings": [{"line": 2,
        "problem": "barcode 8991234500165 has a wrong check digit: the last digit should be 4. Compare it with the package"}]}"#,
    ),
];

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
        check_categories(tx, self.category.value().into_iter()).await?;
        let product = edit::create(tx.connection, self, tx.now).await?;
        let details = json!({"sku": product.sku, "price": product.price});
        let location = format!("/api/products/{}", product.sku);
        let sku = product.sku.clone();
        let mut checked = CheckedProduct::from(product);
        let stored = table::product::same_numbers(tx.connection, std::iter::once(&sku)).await?;
        checked.warnings.extend(doubts_beside(&[&sku], &stored).into_iter().map(|(_, doubt)| doubt));
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
        check_categories(tx, self.category.value().into_iter()).await?;
        let [before, after] = edit::change(tx.connection, tx.path.get("sku"), self, tx.now).await?;
        let details = audit::with_change(json!({"sku": after.sku}), [&before, &after]);
        Ok(Changed::answer(&CheckedProduct::from(after), details))
    }
}

/// Refuses categories that are not listed, where the list is closed.
async fn check_categories(tx: &mut Tx<'_>, named: impl Iterator<Item = &String>) -> Result<(), Failure> {
    if !tx.hub.closed_categories {
        return Ok(());
    }
    category::check_known(tx.connection, named.cloned().collect()).await
}

impl PagedList for Search {
    type Query = Self;
    type Item = Product;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Product>, Failure> {
        change::check_q(page.query.q.as_deref())?;
        let skus = page.query.skus.as_deref().map(listed).transpose()?;
        let wanted = product::Wanted {
            q: page.query.q.as_deref().unwrap_or_default(),
            category: page.query.category.as_deref().unwrap_or_default(),
            barcode: page.query.barcode.as_deref(),
            skus: skus.as_deref(),
        };
        Ok(product::list(page.pool, wanted, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(product: &Product) -> String {
        product.sku.0.clone()
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
        check_categories(tx, named).await?;
        let imported = product::import(tx.connection, rows, tx.now).await?;
        let details = json!(imported);
        let imported =
            product::ImportedFile { imported, warnings: warnings.into_iter().map(Into::into).collect() };
        Ok(if self.dry_run { Changed::preview(&imported) } else { Changed::answer(&imported, details) })
    }
}
