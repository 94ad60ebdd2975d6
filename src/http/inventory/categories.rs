//! `GET /api/categories`: the categories of the catalogue with their numbers of products.

use crate::http::failure::stored;
use crate::http::{Answered, Request};
use edge::page::{Cursor, List, Page};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Bound;
use storage::Storage;

/// Products read from storage at a time.
const CHUNK: usize = 500;

pub const LIST: Doc =
    Doc::of("Stock", "List categories in display order, with the number of products in each")
        .query::<Page>()
        .lists::<Category>(r#"{"category": "Drinks", "products_count": 120}"#);

/// Category of products.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductCategory")]
pub struct Category {
    /// Code of the category.
    category: String,
    /// Number of products in the category.
    products_count: u64,
}

/// `GET /api/categories`
pub async fn list(request: Request) -> Answered {
    let Page { limit, cursor } = request.query()?;
    let after = cursor.as_ref().map(Cursor::read::<String>).transpose()?;
    let state = request.state;
    let count = move || count_products(state.store.storage());
    let counts = tokio::task::spawn_blocking(count).await.map_err(ApiError::internal)??;
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    let page = counts.range((from, Bound::Unbounded)).take(limit.one_more());
    let items = page.map(|(category, count)| Category { category: category.clone(), products_count: *count });
    Ok(Reply::ok(&List::cut(items.collect(), limit, |last: &Category| last.category.clone())))
}

/// Number of products by category. Products without a category are left out.
fn count_products(storage: &Storage) -> Result<BTreeMap<String, u64>, ApiError> {
    let (mut counts, mut after) = (BTreeMap::<String, u64>::new(), None);
    loop {
        let products = storage.products().products(after.as_ref(), CHUNK).map_err(stored)?;
        let is_last = products.len() < CHUNK;
        after = products.last().map(|product| product.sku.clone());
        for category in products.into_iter().filter_map(|product| product.category) {
            let count = counts.entry(category).or_default();
            *count = count.saturating_add(1);
        }
        if is_last {
            return Ok(counts);
        }
    }
}
