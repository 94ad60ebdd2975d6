//! Price lists of suppliers.

use crate::db::document::decode;
use crate::db::filter::Conditions;
use crate::http::bound_page::{self, asks};
use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::products::product;
use crate::office::suppliers::supplier::{self, Known};
use crate::office::suppliers::supplier_price::{self, Change, Imported, New};
use crate::office::suppliers::supplier_price_file;
use crate::table;
use domain::model::base::answer::Answer;
use domain::model::inventory::supplier_price::SupplierPrice;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row;

const ROW: &str = r#"{"row_id": "spp_1", "supplier_id": "sup_1", "sku": "8991234567890", "supplier_sku": "GT-100",
    "unit_cost": 9000, "min_qty": 24, "pack_qty": 12, "from": "2026-11-15", "to": null, "lead_time_days": 7,
    "preferred": true, "state": "active", "updated_at": "2026-11-20T02:06:34.739Z"}"#;

pub const LIST: Doc =
    Doc::of("Purchasing", "List a supplier's prices").query::<Search>().lists::<SupplierPrice>(ROW);
pub const ADD: Doc = Doc::of("Purchasing", "Create a supplier price")
    .body::<New>(r#"{"sku": "8991234567890", "unit_cost": 9000, "min_qty": 24, "pack_qty": 12}"#)
    .creates::<SupplierPrice>(ROW)
    .refuses(&[Code::Duplicate, Code::UnknownSku]);
pub const CHANGE: Doc = Doc::of("Purchasing", "Update a supplier price")
    .body::<Change>(r#"{"to": "2026-12-31"}"#)
    .answers::<SupplierPrice>(ROW);
/// `POST /api/suppliers/:id/products/import`
pub const IMPORT: Doc =
    Doc::of("Purchasing", "Import a supplier's price list (CSV); one bad row refuses the whole file")
        .query::<product::DryRun>()
        .csv("sku,unit_cost,min_qty\n8991234567890,9000,24\n")
        .answers::<Imported>(r#"{"rows": 1, "changed": 1}"#)
        .refuses(&[Code::UnknownSku]);
pub const OF_PRODUCT: Doc =
    Doc::of("Purchasing", "List suppliers of a product").query::<OfProduct>().lists::<SupplierPrice>(ROW);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SupplierPriceSearch")]
struct Search {
    /// Items on a page.
    #[serde(default, skip_serializing)]
    limit: Limit,
    #[serde(skip_serializing)]
    cursor: Option<Cursor>,
    /// Only those of this product.
    sku: Option<String>,
    /// Only prices that apply on this day.
    on: Option<Date>,
}
asks!(Search, "supplier-prices");

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProductSupplierSearch")]
struct OfProduct {
    /// Items on a page.
    #[serde(default, skip_serializing)]
    limit: Limit,
    #[serde(skip_serializing)]
    cursor: Option<Cursor>,
    /// Only prices that apply on this day.
    on: Option<Date>,
}
asks!(OfProduct, "product-suppliers");

/// Rows after an ID; those that do not count on the day are left out.
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

/// `GET /api/suppliers/:id/products`
pub async fn list(request: Request) -> Answered {
    let ask: Search = request.query()?;
    let after: Option<String> = bound_page::after(&ask)?;
    let known: Option<Known> = supplier::TABLE.read(request.state.db.pool(), request.param("id")).await?;
    known.ok_or_else(|| ApiError::not_found("the supplier"))?;
    let conditions = Conditions::default()
        .text("supplier_id = ?", Some(request.param("id")))
        .text("sku = ?", ask.sku.as_deref())
        .text("row_id > ?", after.as_deref());
    let items = rows(&request, conditions, ask.on, change::one_more(ask.limit)).await?;
    Ok(Reply::ok(&bound_page::cut(&ask, items, |row| row.row_id.clone())))
}

/// `GET /api/products/:sku/suppliers`
pub async fn of_product(request: Request) -> Answered {
    let ask: OfProduct = request.query()?;
    let after: Option<String> = bound_page::after(&ask)?;
    table::product::read(request.state.db.pool(), request.param("sku")).await?;
    let conditions = Conditions::default()
        .text("sku = ?", Some(request.param("sku")))
        .text("row_id > ?", after.as_deref());
    let items = rows(&request, conditions, ask.on, change::one_more(ask.limit)).await?;
    let page: List<SupplierPrice> = bound_page::cut(&ask, items, |row| row.row_id.clone());
    Ok(Reply::ok(&page))
}

/// `POST /api/suppliers/:id/products`
pub async fn add(request: Request) -> Answered {
    let new: New = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let supplier_id = request.param("id");
    let made = supplier_price::create(&mut keyed.write, supplier_id, new, now).await?;
    let location = format!("/api/suppliers/{supplier_id}/products/{}", made.row_id);
    let done = ("purchasing.price_created", priced(&made));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/suppliers/:id/products/:row_id`
pub async fn change(request: Request) -> Answered {
    let asked: Change = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let key = (request.param("id"), request.param("row_id"));
    let [before, after] = supplier_price::change(&mut keyed.write, key, asked, now).await?;
    let done = ("purchasing.price_changed", priced(&after));
    change::finish_changed(&request, keyed, done, [&before, &after]).await
}

/// `POST /api/suppliers/:id/products/import`: all of the file or nothing.
pub async fn import(request: Request) -> Answered {
    let (ask, now): (product::DryRun, _) = (request.query()?, clock::now());
    let (body, supplier_id) = (request.body.clone(), request.param("id").to_owned());
    let of = supplier_id.clone();
    let (encoding, most) = (ask.encoding.unwrap_or_default(), request.state.limits.import_rows);
    let read = move || supplier_price_file::read(&body, encoding, most, (&of, now));
    let read = tokio::task::spawn_blocking(read).await;
    let file = read.map_err(ApiError::internal)?.map_err(|rows| product::refused(&rows))?;
    let mut keyed = begun!(request, now);
    let imported = supplier_price::import(&mut keyed.write, &supplier_id, &file).await?;
    if ask.dry_run == Some(true) {
        // Nothing is committed.
        return Ok(Reply::ok(&imported));
    }
    let Imported { rows, changed } = imported;
    let details = json!({"supplier_id": supplier_id, "rows": rows, "changed": changed});
    change::finish_audited(&request, keyed, ("purchasing.prices_imported", details), Answer::ok(&imported))
        .await
}

/// Details of a row for the audit log.
fn priced(price: &SupplierPrice) -> Value {
    let SupplierPrice { row_id, supplier_id, sku, unit_cost, min_qty, .. } = price;
    json!({"row_id": row_id, "supplier_id": supplier_id, "sku": sku, "unit_cost": unit_cost, "min_qty": min_qty})
}
