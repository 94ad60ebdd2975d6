//! Stock.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::{failed, stored};
use ::actors::commands;
use domain::model::base::ids::Sku;
use domain::model::base::limits::ITEMS_MAX;
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::Movement;
use domain::rules::inventory::product_settings::{ChangeProductSettings, SettingsView};
use domain::rules::inventory::stock::{StockView, out_of_catalogue, view};
use edge::page::{List, Page};
use edge::{ApiError, Doc, Reply};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use storage::Storage;

mod list;
pub mod opening;
mod transit;
mod valuation;

pub use list::{LIST, list};
pub use transit::in_transit;
pub use valuation::{VALUATION, valuation};

pub const READ: Doc =
    Doc::of("Stock", "Retrieve a product's stock").answers::<StockView>(include_str!("examples/stock.json"));
pub const CHANGE: Doc = Doc::of("Stock", "Update a product's reorder level and shelf place")
    .body::<ChangeProductSettings>(r#"{"reorder_level": 24, "shelf_place": "A-12"}"#)
    .answers::<SettingsView>(r#"{"sku": "8991234567890", "reorder_level": 24, "shelf_place": "A-12"}"#);
pub const MOVEMENTS: Doc = Doc::of("Stock", "List a product's stock movements, newest first")
    .query::<Page>()
    .lists::<Movement>(include_str!("examples/movement.json"));

/// `GET /api/stock/:sku`
pub async fn read(request: Request) -> Answered {
    let (product, in_catalogue) = product(&request)?;
    let stock = request.state.store.storage().stock().stock(&product.sku).map_err(stored)?;
    let store = &request.state.store;
    let coming = transit::in_transit(store.storage(), &store.rules().store_id)?;
    let coming = coming.get(&product.sku).copied().unwrap_or_default();
    let place = shelf_place(store.storage(), &product.sku)?;
    Ok(Reply::ok(&view(&product, in_catalogue, stock.as_ref(), coming, place)))
}

/// Place in the store where a product is kept.
pub fn shelf_place(storage: &Storage, sku: &Sku) -> Result<Option<String>, ApiError> {
    Ok(storage.products().product_settings(sku).map_err(stored)?.and_then(|settings| settings.shelf_place))
}

/// `PATCH /api/stock/:sku`
pub async fn change(request: Request) -> Answered {
    let command: ChangeProductSettings = request.json()?;
    let sku = Sku::from(request.param("sku"));
    run(&request, commands::ChangeProductSettings(sku, command)).await
}

/// `GET /api/stock/:sku/movements`
pub async fn movements(request: Request) -> Answered {
    let Page { limit, cursor } = request.query()?;
    let shown = cursor.map(|cursor| cursor.read::<Shown>()).transpose()?.unwrap_or_default();
    if shown.of_commit > ITEMS_MAX {
        return Err(ApiError::invalid_cursor());
    }
    let sku = product(&request)?.0.sku.clone();
    let storage = request.state.store.storage();
    // The commit that the last page ended in is read again, without its items that were already shown.
    let before = (shown.of_commit > 0).then(|| shown.lsn.saturating_add(1));
    let wanted = limit.one_more().saturating_add(shown.of_commit);
    let found = storage.stock().movements(&sku, before, wanted).map_err(stored)?;
    let found = numbered(found).skip(shown.of_commit).collect();
    let List { items, next_cursor } = List::cut(found, limit, |(shown, _)| *shown);
    let items = items.into_iter().map(|(_, movement)| movement).collect::<Vec<_>>();
    Ok(Reply::ok(&List { items, next_cursor }))
}

/// Position of a page of movements: one commit may hold several movements of a SKU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    /// The commit of the last one shown.
    lsn: u64,
    /// Number of movements of that commit that were shown.
    of_commit: usize,
}

/// Each movement with its place among those of its commit, from 1.
fn numbered(found: Vec<(u64, Movement)>) -> impl Iterator<Item = (Shown, Movement)> {
    let mut last = Shown::default();
    found.into_iter().map(move |(lsn, movement)| {
        let of_commit = if lsn == last.lsn { last.of_commit.saturating_add(1) } else { 1 };
        last = Shown { lsn, of_commit };
        (last, movement)
    })
}

/// Products after a sku, in order of sku; for stock without a product in the catalogue its code.
pub fn goods(storage: &Storage, after: Option<&Sku>, limit: usize) -> Result<Vec<Product>, ApiError> {
    let goods = storage.stock().products_and_stock(after, limit).map_err(stored)?;
    Ok(goods.into_iter().map(|(sku, product)| product.unwrap_or_else(|| out_of_catalogue(sku))).collect())
}

/// The product of the path, and whether it is in the catalogue; otherwise it has stock at least.
fn product(request: &Request) -> Result<(Arc<Product>, bool), ApiError> {
    let (store, sku) = (&request.state.store, Sku::from(request.param("sku")));
    if let Some(product) = store.sold(&sku).map_err(failed)? {
        return Ok((product, true));
    }
    let stock = store.storage().stock().stock(&sku).map_err(stored)?;
    stock
        .map(|stock| (Arc::new(out_of_catalogue(stock.sku)), false))
        .ok_or_else(|| ApiError::not_found("product"))
}
