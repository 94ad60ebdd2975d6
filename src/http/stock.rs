//! Stock (api.md 6).

use super::failure::stored;
use super::{Answered, Request};
use domain::ids::Sku;
use domain::product::Product;
use domain::stock::view;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Reply};
use serde::Deserialize;

mod list;

pub use list::list;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageQuery {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/stock/:sku`
pub async fn read(request: Request) -> Answered {
    let product = product(&request)?;
    let stock = request.state.store.storage().stock(&product.sku).map_err(stored)?;
    Ok(Reply::ok(&view(&product, stock.as_ref())))
}

/// `GET /api/stock/:sku/movements`
pub async fn movements(request: Request) -> Answered {
    let PageQuery { limit, cursor } = request.query()?;
    let before = cursor.map(|cursor| cursor.read::<u64>()).transpose()?;
    let sku = product(&request)?.sku;
    let storage = request.state.store.storage();
    let found = storage.movements(&sku, before, limit.0.saturating_add(1)).map_err(stored)?;
    let List { items, next_cursor } = List::cut(found, limit, |(lsn, _)| *lsn);
    let items = items.into_iter().map(|(_, movement)| movement).collect::<Vec<_>>();
    Ok(Reply::ok(&List { items, next_cursor }))
}

fn product(request: &Request) -> Result<Product, ApiError> {
    let found = request.state.store.storage().product(&Sku::from(request.param("sku"))).map_err(stored)?;
    found.ok_or_else(|| ApiError::not_found("product"))
}
