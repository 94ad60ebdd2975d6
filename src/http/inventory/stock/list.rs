//! `GET /api/stock`: the catalogue, and what has stock without being in it, in order of sku, with what is on hand.

use super::transit::in_transit;
use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::ids::{Sku, StoreId};
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::Stock;
use domain::rules::inventory::stock::{StockView, out_of_catalogue, view};
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::Storage;

/// Products read from storage at once.
const CHUNK: usize = 500;
/// Products looked at for one page: a filter that few products pass gives a short page and a cursor.
const SCANNED_MAX: usize = 100_000;

/// `GET /api/stock`
pub const LIST: Doc =
    Doc::of("Stock", "List stock").query::<Query>().lists::<Listed>(include_str!("../examples/stock.json"));

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// The beginning of the sku, of the name or of a word of it.
    q: Option<String>,
    category: Option<String>,
    barcode: Option<String>,
    /// Only products of which a barcode also is on another one: scanned, it sells neither.
    #[serde(default)]
    shared_barcode: bool,
    /// Only what should be ordered.
    #[serde(default)]
    below_reorder: bool,
    /// Only what is below zero.
    #[serde(default)]
    negative: bool,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// A product, and how many pieces of it the code stands for that was asked for.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListedStock")]
struct Listed<'a> {
    #[serde(flatten)]
    stock: StockView<'a>,
    /// Pieces that one scan of `barcode` is: of a carton's code, its pieces. Left out where no barcode was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack_qty: Option<i64>,
}

/// `GET /api/stock`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    let state = request.state;
    let scan = move || page(state.store.storage(), &state.store.rules().store_id, &query, after);
    let list = tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)??;
    Ok(Reply::ok(&list))
}

fn page(
    storage: &Storage,
    own: &StoreId,
    query: &Query,
    mut after: Option<Sku>,
) -> Result<List<Value>, ApiError> {
    let coming = in_transit(storage, own)?;
    let mut items = Vec::new();
    let mut scanned = 0_usize;
    while scanned < SCANNED_MAX {
        let chunk = storage.stock().products_and_stock(after.as_ref(), CHUNK).map_err(stored)?;
        let complete = chunk.len() < CHUNK;
        for (sku, product) in chunk {
            let in_catalogue = product.is_some();
            let product = product.unwrap_or_else(|| out_of_catalogue(sku));
            // One more than fits proves that there is more; the next page begins after what is shown.
            if items.len() == query.limit.0 {
                return Ok(List { items, next_cursor: after.as_ref().map(cursor) });
            }
            let stock = storage.stock().stock(&product.sku).map_err(stored)?;
            if query.matches(&product, stock.as_ref())
                && (!query.shared_barcode || shared(storage, &product)?)
            {
                let coming = coming.get(&product.sku).copied().unwrap_or(0);
                let place = super::shelf_place(storage, &product.sku)?;
                let listed = Listed {
                    stock: view(&product, in_catalogue, stock.as_ref(), coming, place),
                    pack_qty: query.pack_of(&product),
                };
                items.push(serde_json::to_value(listed).map_err(ApiError::internal)?);
            }
            after = Some(product.sku);
            scanned = scanned.saturating_add(1);
        }
        if complete {
            return Ok(List { items, next_cursor: None });
        }
    }
    Ok(List { items, next_cursor: after.as_ref().map(cursor) })
}

impl Query {
    fn matches(&self, product: &Product, stock: Option<&Stock>) -> bool {
        let on_hand = stock.map_or(0, |stock| stock.qty);
        self.q.as_deref().is_none_or(|q| found_by(product, q))
            && self.category.as_ref().is_none_or(|category| product.category.as_ref() == Some(category))
            && self.barcode.as_ref().is_none_or(|code| product.has_code(code))
            && (!self.below_reorder || product.reorder_level.is_some_and(|level| on_hand <= level))
            && (!self.negative || on_hand < 0)
    }

    fn pack_of(&self, product: &Product) -> Option<i64> {
        let asked = self.barcode.as_ref()?;
        product.barcodes.iter().find(|barcode| barcode.code == *asked).map(|barcode| barcode.pack_qty)
    }
}

/// Whether a barcode of a product that is sold also is on another one.
fn shared(storage: &Storage, product: &Product) -> Result<bool, ApiError> {
    for barcode in product.barcodes.iter().filter(|_| product.is_active()) {
        let found = storage.products().products_by_barcode(&barcode.code).map_err(stored)?;
        if found.iter().any(|other| other.sku != product.sku) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the sku, the name or a word of it begins so, whatever the case.
fn found_by(product: &Product, q: &str) -> bool {
    let q = q.trim().to_lowercase();
    let name = product.name.to_lowercase();
    product.sku.as_str().to_lowercase().starts_with(&q)
        || name.starts_with(&q)
        || name.split_whitespace().any(|word| word.starts_with(&q))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(sku: &str, name: &str) -> Product {
        Product {
            category: Some("Drinks".to_owned()),
            reorder_level: Some(5),
            ..Product::new(Sku::from(sku), name.to_owned(), 1, domain::model::base::time::UtcMs(0))
        }
    }

    #[test]
    fn finds_by_the_beginning_of_sku_name_or_word() {
        let tea = product("85123A", "Green Tea 100 g");
        for q in ["851", "85123a", "green", "TEA", "green tea", " te"] {
            assert!(found_by(&tea, q), "{q}");
        }
        for q in ["een", "123A", "coffee"] {
            assert!(!found_by(&tea, q), "{q}");
        }
    }

    #[test]
    fn filters_hold_together() {
        let tea = product("1", "Tea");
        let row = |qty| Stock { qty, ..Stock::seed(&tea) };
        let low = Query { below_reorder: true, ..Query::default() };
        assert!(
            low.matches(&tea, None) && low.matches(&tea, Some(&row(5))) && !low.matches(&tea, Some(&row(6)))
        );
        let negative = Query { negative: true, ..Query::default() };
        assert!(negative.matches(&tea, Some(&row(-1))) && !negative.matches(&tea, None));
        let other = Query { category: Some("Food".to_owned()), ..Query::default() };
        assert!(!other.matches(&tea, None));
    }
}
