//! Price lists of suppliers.

use crate::db::document::decode;
use crate::db::filter::Conditions;
use crate::http::paged_list::page_query;
use crate::http::prelude::*;
use crate::office::suppliers::supplier::{self, Known};
use crate::office::suppliers::supplier_price::{self, Change, Imported, New};
use crate::office::suppliers::supplier_price_file::{self, PriceFile};
use crate::table;
use domain::model::inventory::supplier_price::SupplierPrice;
use edge::sheet::ImportFile;
use jiff::civil::Date;
use sqlx::Row;

const ROW: &str = r#"{"row_id": "spp_1", "supplier_id": "sup_1", "sku": "8991234567890", "supplier_sku": "GT-100",
    "unit_cost": 9000, "min_qty": 24, "pack_qty": 12, "from": "2026-11-15", "to": null, "lead_time_days": 7,
    "preferred": true, "state": "active", "updated_at": "2026-11-20T02:06:34.739Z"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/suppliers/:id/products", GOODS, "Purchasing")
        .summary("List a supplier's prices")
        .lists::<Search>(ROW),
    post("/api/suppliers/:id/products", PURCHASING, "Purchasing")
        .summary("Create a supplier price")
        .refuses(&[Code::Duplicate, Code::UnknownSku])
        .creates::<New>(r#"{"sku": "8991234567890", "unit_cost": 9000, "min_qty": 24, "pack_qty": 12}"#, ROW),
    post("/api/suppliers/:id/products/import", PURCHASING, "Purchasing")
        .summary("Import a supplier's price list (CSV); one bad row refuses the whole file")
        .query::<ImportFile>()
        .refuses(&[Code::UnknownSku])
        .imports::<Import>("sku,unit_cost,min_qty\n8991234567890,9000,24\n", r#"{"rows": 1, "changed": 1}"#),
    patch("/api/suppliers/:id/products/:row_id", PURCHASING, "Purchasing")
        .summary("Update a supplier price")
        .command::<Change>(r#"{"to": "2026-12-31"}"#, ROW),
    get("/api/products/:sku/suppliers", GOODS, "Purchasing")
        .summary("List suppliers of a product")
        .lists::<OfProduct>(ROW),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SupplierPriceSearch")]
pub struct Search {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Only those of this product.
    sku: Option<String>,
    /// Only prices that apply on this day.
    on: Option<Date>,
}
page_query!(Search);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProductSupplierSearch")]
pub struct OfProduct {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Only prices that apply on this day.
    on: Option<Date>,
}
page_query!(OfProduct);

/// Rows after an ID; rows that do not count on the day are left out.
async fn rows(
    request: &Request,
    conditions: Conditions,
    on: Option<Date>,
    limit: i64,
) -> Result<Vec<SupplierPrice>, sqlx::Error> {
    // The days are in the documents: a whole list is read where they are asked for.
    let most = if on.is_some() { i64::MAX } else { limit };
    let sql = format!("SELECT document FROM supplier_prices WHERE {{}} ORDER BY row_id LIMIT {most}");
    let mut found = Vec::new();
    for row in conditions.query(&sql).fetch_all(request.state.db.pool()).await? {
        let price: SupplierPrice = decode(row.try_get("document")?)?;
        if on.is_none_or(|on| price.counts_on(on)) {
            found.push(price);
        }
    }
    found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(found)
}

impl PagedList for Search {
    type Query = Self;
    type Item = SupplierPrice;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<SupplierPrice>, Failure> {
        let supplier_id = page.request.param("id");
        let known: Option<Known> = supplier::TABLE.read(page.pool, supplier_id).await?;
        known.ok_or_else(|| ApiError::not_found("the supplier"))?;
        let conditions = Conditions::default()
            .text("supplier_id = ?", Some(supplier_id))
            .text("sku = ?", page.query.sku.as_deref())
            .text("row_id > ?", page.after.as_deref());
        Ok(rows(page.request, conditions, page.query.on, page.limit).await?)
    }
    fn position(price: &SupplierPrice) -> String {
        price.row_id.clone()
    }
}

impl PagedList for OfProduct {
    type Query = Self;
    type Item = SupplierPrice;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<SupplierPrice>, Failure> {
        let sku = page.request.param("sku");
        table::product::read(page.pool, sku).await?;
        let conditions =
            Conditions::default().text("sku = ?", Some(sku)).text("row_id > ?", page.after.as_deref());
        Ok(rows(page.request, conditions, page.query.on, page.limit).await?)
    }
    fn position(price: &SupplierPrice) -> String {
        price.row_id.clone()
    }
}

impl Command for New {
    const ACTION: &'static str = "purchasing.price_created";
    type Answer = SupplierPrice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<SupplierPrice>, Failure> {
        let supplier_id = tx.path.get("id");
        let made = supplier_price::create(tx.connection, supplier_id, self, tx.now).await?;
        let location = format!("/api/suppliers/{supplier_id}/products/{}", made.row_id);
        Ok(Changed::created(location, &made, priced(&made)))
    }
}

impl Command for Change {
    const ACTION: &'static str = "purchasing.price_changed";
    type Answer = SupplierPrice;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<SupplierPrice>, Failure> {
        let key = (tx.path.get("id"), tx.path.get("row_id"));
        let [before, after] = supplier_price::change(tx.connection, key, self, tx.now).await?;
        Ok(Changed::document([&before, &after], priced(&after)))
    }
}

/// Imports all rows of a file or none.
pub struct Import {
    dry_run: bool,
    file: PriceFile,
}

impl FromRequest for Import {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        let (query, now): (ImportFile, _) = (request.query()?, clock::now());
        let (body, supplier_id) = (request.body.clone(), request.param("id").to_owned());
        let (encoding, columns, most) = (query.encoding(), query.columns(), request.state.limits.import_rows);
        let bounds = (most, request.state.currency().await?);
        let read =
            move || supplier_price_file::read(&body, encoding, columns.as_ref(), bounds, (&supplier_id, now));
        let file = tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)?;
        let file = file.map_err(|problems| ApiError::from(&problems))?;
        Ok(Self { dry_run: query.is_dry_run(), file })
    }
}

impl Command for Import {
    const ACTION: &'static str = "purchasing.prices_imported";
    type Answer = Imported;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Imported>, Failure> {
        let supplier_id = tx.path.get("id");
        let imported = supplier_price::import(tx.connection, supplier_id, &self.file).await?;
        if self.dry_run {
            return Ok(Changed::preview(&imported));
        }
        let Imported { rows, changed } = imported;
        let details = json!({"supplier_id": supplier_id, "rows": rows, "changed": changed});
        Ok(Changed::answer(&imported, details))
    }
}

/// Details of a row for the audit log.
fn priced(price: &SupplierPrice) -> Value {
    let SupplierPrice { row_id, supplier_id, sku, unit_cost, min_qty, .. } = price;
    json!({"row_id": row_id, "supplier_id": supplier_id, "sku": sku, "unit_cost": unit_cost, "min_qty": min_qty})
}
