//! Products as a till needs them.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::{failed, stored};
use actors::StoreHandle;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::search;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::{Barcode, Product};
use domain::model::selling::price::PriceMoment;
use domain::rules::inventory::product::found_by;
use edge::page::{Cursor, Limit, cursor};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Products read from storage at once.
const CHUNK: usize = 500;
/// Products looked at for one page: few that are wanted give a short page and a cursor.
const SCANNED_MAX: usize = 20_000;

const EXAMPLE: &str = r#"{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "tax_rate_bp": 1100, "category": "Drinks", "barcode": "8991234567890", "pack_qty": 1, "barcodes": [{"code": "8991234567890", "pack_qty": 1}, {"code": "18991234567897", "pack_qty": 24}], "on_hand": 40, "updated_at": "2026-11-19T01:00:00.000Z", "as_of": "2026-11-20T02:06:00.000Z"}"#;

pub const LIST: Doc =
    Doc::of("Point of sale", "Search products that can be sold").query::<Query>().answers::<Products<'_>>(
        r#"{"items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "price": 15000, "tax_rate_bp": 1100, "category": "Drinks", "barcode": "18991234567897", "pack_qty": 24, "barcodes": [{"code": "8991234567890", "pack_qty": 1}, {"code": "18991234567897", "pack_qty": 24}], "on_hand": 40, "updated_at": "2026-11-19T01:00:00.000Z"}], "next_cursor": null, "as_of": "2026-11-20T02:06:00.000Z"}"#,
    );
pub const READ: Doc =
    Doc::of("Point of sale", "Retrieve a product that can be sold").answers::<OneProduct<'_>>(EXAMPLE);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Beginnings of words of the name, the category or the SKU, or at least four digits of a barcode.
    q: Option<String>,
    /// Code as a scanner sends it, including GS1 codes: only products that have it. More than one product has it if
    /// head office and the store each gave it to another product.
    barcode: Option<String>,
    /// Only products of this category.
    category: Option<String>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

impl Query {
    fn is_of(&self, product: &Product) -> bool {
        self.category.as_ref().is_none_or(|category| product.category.as_ref() == Some(category))
    }
}

/// A product as a till needs it.
#[derive(Serialize, JsonSchema)]
struct TillProduct<'a> {
    /// Product code (SKU).
    sku: &'a Sku,
    /// Name of the product.
    name: &'a str,
    /// Unit price in minor currency units.
    price: Money,
    /// Tax rate in basis points.
    tax_rate_bp: u32,
    /// Category of the product. Null for none.
    category: Option<&'a str>,
    /// The requested code, or else the code of a single piece. Null if the product has none.
    barcode: Option<&'a str>,
    /// Pieces that one scan of `barcode` sells.
    pack_qty: Quantity,
    /// All codes of the product.
    barcodes: &'a [Barcode],
    /// Pieces on hand.
    on_hand: Quantity,
    /// When the product was last changed.
    updated_at: UtcMs,
}

/// A page of products.
#[derive(Serialize, JsonSchema)]
struct Products<'a> {
    /// Items of this page.
    items: Vec<TillProduct<'a>>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
    /// The catalogue is up to date with head office as of this time, by head office's clock. Null if head office was
    /// never reached.
    as_of: Option<UtcMs>,
}

/// A product of the catalogue.
#[derive(Serialize, JsonSchema)]
struct OneProduct<'a> {
    #[serde(flatten)]
    product: TillProduct<'a>,
    /// The catalogue is up to date with head office as of this time, by head office's clock. Null if head office was
    /// never reached.
    as_of: Option<UtcMs>,
}

/// `GET /api/pos/products/:sku`
pub async fn read(request: Request) -> Answered {
    let store = &request.state.store;
    let caller = request.caller()?;
    let on = store.price_moment_of(&caller.user_id, request.register_id.as_ref()).map_err(failed)?;
    let found = store.sold_on(&Sku::from(request.param("sku")), on).map_err(failed)?;
    let product =
        found.filter(|product| product.is_active()).ok_or_else(|| ApiError::not_found("product"))?;
    let product = shown(store, &product, None)?;
    Ok(Reply::ok(&OneProduct { product, as_of: store.catalogue_as_of().map_err(failed)? }))
}

/// `GET /api/pos/products`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    let (store, caller) = (&request.state.store, request.caller()?);
    let on = store.price_moment_of(&caller.user_id, request.register_id.as_ref()).map_err(failed)?;
    let state = request.state;
    if let Some(code) = &query.barcode {
        // A few rows, mostly known: another thread would cost more than reading them.
        return scanned(&state.store, &query, (code, on), after.as_ref());
    }
    let scan = move || page(&state.store, &query, after, on);
    tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)?
}

/// The products that a code names.
fn scanned(
    store: &StoreHandle,
    query: &Query,
    (code, on): (&str, PriceMoment),
    after: Option<&Sku>,
) -> Answered {
    let words = search::words(query.q.as_deref());
    let fits = |product: &Arc<Product>| {
        found_by(product, &words) && query.is_of(product) && after.is_none_or(|after| product.sku > *after)
    };
    let found: Vec<_> = store.sold_by_barcode(code, on).map_err(failed)?.into_iter().filter(fits).collect();
    answer(store, &found, Some(code), None)
}

fn page(store: &StoreHandle, query: &Query, after: Option<Sku>, on: PriceMoment) -> Answered {
    let storage = store.storage();
    // Words of its name find the products of a category without a look at all of them.
    let words = search::words(query.q.as_deref().into_iter().chain(query.category.as_deref()));
    let is_sold = |product: &Product| product.is_active() && query.is_of(product);
    let (found, next) = if query.q.is_some() && search::words(query.q.as_deref()).is_empty() {
        (Vec::new(), None)
    } else {
        page_of(
            query.limit.0,
            after,
            |product| Ok(is_sold(product)),
            |after, limit| {
                let found = if words.is_empty() {
                    storage.products().products(after, limit)
                } else {
                    storage.products().search_products(&words, after, limit)
                };
                found.map_err(stored)
            },
        )?
    };
    let priced = found.iter().map(|product| store.sold_on(&product.sku, on).map_err(failed));
    let priced: Vec<_> = priced.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    answer(store, &priced, None, next.as_ref())
}

fn answer(
    store: &StoreHandle,
    found: &[Arc<Product>],
    scanned: Option<&str>,
    next: Option<&Sku>,
) -> Answered {
    let items = found.iter().map(|product| shown(store, product, scanned)).collect::<Result<_, _>>()?;
    let as_of = store.catalogue_as_of().map_err(failed)?;
    Ok(Reply::ok(&Products { items, next_cursor: next.map(cursor), as_of }))
}

/// A page of the wanted ones, and the sku after which the next one begins.
pub(super) fn page_of(
    limit: usize,
    mut after: Option<Sku>,
    wanted: impl Fn(&Product) -> Result<bool, ApiError>,
    read: impl Fn(Option<&Sku>, usize) -> Result<Vec<Product>, ApiError>,
) -> Result<(Vec<Product>, Option<Sku>), ApiError> {
    let (mut found, mut scanned) = (Vec::new(), 0_usize);
    // Mostly all are wanted, and one more than fits proves that there is more.
    let mut chunk_max = limit.saturating_add(1).min(CHUNK);
    while scanned < SCANNED_MAX {
        let chunk = read(after.as_ref(), chunk_max)?;
        let complete = chunk.len() < chunk_max;
        for product in chunk {
            if found.len() == limit {
                return Ok((found, after));
            }
            after = Some(product.sku.clone());
            scanned = scanned.saturating_add(1);
            if wanted(&product)? {
                found.push(product);
            }
        }
        if complete {
            return Ok((found, None));
        }
        chunk_max = CHUNK;
    }
    Ok((found, after))
}

fn shown<'a>(
    store: &StoreHandle,
    product: &'a Product,
    scanned: Option<&str>,
) -> Result<TillProduct<'a>, ApiError> {
    let stock = store.storage().stock().stock(&product.sku).map_err(stored)?;
    let barcode = scanned.and_then(|scan| product.code_of(scan)).or_else(|| product.barcode());
    Ok(TillProduct {
        sku: &product.sku,
        name: &product.name,
        price: product.price,
        tax_rate_bp: product.tax_rate_bp.unwrap_or(store.rules().default_rate_bp),
        category: product.category.as_deref(),
        barcode: barcode.map(|barcode| barcode.code.as_str()),
        pack_qty: barcode.map_or(Quantity::new(1), |barcode| barcode.pack_qty),
        barcodes: &product.barcodes,
        on_hand: stock.map_or(Quantity::ZERO, |stock| stock.qty),
        updated_at: product.updated_at,
    })
}
