//! `GET /api/stock`: the catalogue, and stock without a product in it, in order of sku, with the stock on hand.

use super::transit::in_transit;
use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::search::{fold, matches, words};
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::Stock;
use domain::rules::inventory::product::{code_part, has_code_part, named};
use domain::rules::inventory::stock::{StockView, out_of_catalogue, view};
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use storage::Storage;

/// Products read from storage at once.
const CHUNK: usize = 500;
/// Products looked at for one page: a filter that few products pass gives a short page and a cursor.
const SCANNED_MAX: usize = 100_000;

pub const LIST: Doc = Doc::of("Stock", "List stock")
    .query::<Query>()
    .lists_as::<StockList>(include_str!("../examples/stock.json"), r#"{"total": 1}"#);

/// Order of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// By SKU.
    #[default]
    Sku,
    /// Products that are furthest below their reorder level first. A product without a level counts as having a level
    /// of 0.
    Worst,
    /// Fewest pieces on hand first.
    Fewest,
    /// Most pieces on hand first.
    Most,
    /// Highest value first.
    Value,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Beginning of the SKU, of the name or of a word of it.
    q: Option<String>,
    /// Only products of this category.
    category: Option<String>,
    /// Code as a scanner sends it: only products that have it.
    barcode: Option<String>,
    /// Only products with a barcode that another product has too. A scan of such a barcode sells neither.
    #[serde(default)]
    shared_barcode: bool,
    /// Only products at or below their reorder level.
    #[serde(default)]
    below_reorder: bool,
    /// Only products with stock below zero.
    #[serde(default)]
    negative: bool,
    #[serde(default)]
    sort: Sort,
    /// Whether to return `total`.
    #[serde(default)]
    with_total: bool,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// A page of stock.
#[derive(Serialize, JsonSchema)]
struct StockList {
    /// Items of this page.
    #[schemars(with = "Vec<Listed<'static>>")]
    items: Vec<Value>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
    /// Number of products on all pages. Omitted if it was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

/// Position of a product in an order that is not by SKU: lowest first.
type Place = (i64, Sku);

/// Stock of a product.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListedStock")]
struct Listed<'a> {
    #[serde(flatten)]
    stock: StockView<'a>,
    /// Pieces that one scan of `barcode` stands for, for example the pieces of a carton. Omitted if no barcode was
    /// requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack_qty: Option<Quantity>,
}

/// `GET /api/stock`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let by_place = query.sort != Sort::Sku;
    let of = |placed| query.cursor.as_ref().filter(|_| by_place == placed);
    let after = of(false).map(Cursor::read::<Sku>).transpose()?;
    let last = of(true).map(Cursor::read::<Place>).transpose()?;
    let state = request.state;
    let scan = move || {
        let (storage, own) = (state.store.storage(), &state.store.rules().store_id);
        let places = if by_place || query.with_total { ranked(storage, &query)? } else { Vec::new() };
        let total = query.with_total.then_some(places.len());
        let List { items, next_cursor } = match by_place {
            true => by_places(storage, own, &query, places, last)?,
            false => page(storage, own, &query, after)?,
        };
        Ok::<_, ApiError>(StockList { items, next_cursor, total })
    };
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
            // An extra item shows that there are more; the next page begins after the last shown one.
            if items.len() == query.limit.0 {
                return Ok(List { items, next_cursor: after.as_ref().map(cursor) });
            }
            let stock = storage.stock().stock(&product.sku).map_err(stored)?;
            if query.wants(storage, &product, stock.as_ref())? {
                let coming = coming.get(&product.sku).copied().unwrap_or_default();
                items.push(query.listed(storage, &product, in_catalogue, stock.as_ref(), coming)?);
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

/// Every product that is asked for, with its place, in order of sku.
fn ranked(storage: &Storage, query: &Query) -> Result<Vec<Place>, ApiError> {
    let (mut places, mut after) = (Vec::new(), None);
    loop {
        let chunk = storage.stock().products_and_stock(after.as_ref(), CHUNK).map_err(stored)?;
        let complete = chunk.len() < CHUNK;
        for (sku, product) in chunk {
            let product = product.unwrap_or_else(|| out_of_catalogue(sku));
            let stock = storage.stock().stock(&product.sku).map_err(stored)?;
            if query.wants(storage, &product, stock.as_ref())? {
                places.push((query.sort.place(&product, stock.as_ref()), product.sku.clone()));
            }
            after = Some(product.sku);
        }
        if complete {
            return Ok(places);
        }
    }
}

/// A page of these rows, lowest first. Rows that moved since the previous page are where they belong now.
fn by_places(
    storage: &Storage,
    own: &StoreId,
    query: &Query,
    mut places: Vec<Place>,
    last: Option<Place>,
) -> Result<List<Value>, ApiError> {
    let coming = in_transit(storage, own)?;
    places.sort_unstable();
    places.retain(|place| last.as_ref().is_none_or(|last| place > last));
    places.truncate(query.limit.one_more());
    let List { items: places, next_cursor } = List::cut(places, query.limit, Place::clone);
    let listed = |(_, sku): Place| {
        let stock = storage.stock().stock(&sku).map_err(stored)?;
        let product = storage.products().product(&sku).map_err(stored)?;
        let in_catalogue = product.is_some();
        let coming = coming.get(&sku).copied().unwrap_or_default();
        let product = product.unwrap_or_else(|| out_of_catalogue(sku));
        query.listed(storage, &product, in_catalogue, stock.as_ref(), coming)
    };
    Ok(List { items: places.into_iter().map(listed).collect::<Result<_, _>>()?, next_cursor })
}

impl Sort {
    /// The value that the products are ordered by, lowest first.
    fn place(self, product: &Product, stock: Option<&Stock>) -> i64 {
        let (on_hand, value) = stock.map_or((Quantity::ZERO, Money::ZERO), |stock| (stock.qty, stock.value));
        match self {
            Self::Sku => 0,
            Self::Worst => on_hand.saturating_sub(product.reorder_level.unwrap_or_default()).get(),
            Self::Fewest => on_hand.get(),
            Self::Most => on_hand.saturating_neg().get(),
            Self::Value => value.saturating_neg().get(),
        }
    }
}

impl Query {
    /// Whether a product is asked for.
    fn wants(&self, storage: &Storage, product: &Product, stock: Option<&Stock>) -> Result<bool, ApiError> {
        Ok(self.matches(product, stock) && (!self.shared_barcode || shared(storage, product)?))
    }

    fn listed(
        &self,
        storage: &Storage,
        product: &Product,
        in_catalogue: bool,
        stock: Option<&Stock>,
        coming: Quantity,
    ) -> Result<Value, ApiError> {
        let place = super::shelf_place(storage, &product.sku)?;
        let stock = view(product, in_catalogue, stock, coming, place);
        serde_json::to_value(Listed { stock, pack_qty: self.pack_of(product) }).map_err(ApiError::internal)
    }

    fn matches(&self, product: &Product, stock: Option<&Stock>) -> bool {
        let on_hand = stock.map_or(Quantity::ZERO, |stock| stock.qty);
        self.q.as_deref().is_none_or(|q| found_by(product, q))
            && self.category.as_ref().is_none_or(|category| product.category.as_ref() == Some(category))
            && self.barcode.as_ref().is_none_or(|code| product.has_code(code))
            && (!self.below_reorder || product.reorder_level.is_some_and(|level| on_hand <= level))
            && (!self.negative || on_hand < 0)
    }

    fn pack_of(&self, product: &Product) -> Option<Quantity> {
        let asked = self.barcode.as_ref()?;
        product.code_of(asked).map(|barcode| barcode.pack_qty)
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

/// Whether the sku, the name or a word of it begins with the text, ignoring case and accents, or a code contains the
/// digits.
fn found_by(product: &Product, q: &str) -> bool {
    // Only scripts without spaces have words inside of words.
    if !q.is_ascii() && matches(&words([q]), &named(product)) {
        return true;
    }
    let q = fold(q.trim());
    let name = fold(&product.name);
    fold(product.sku.as_str()).starts_with(&q)
        || name.starts_with(&q)
        || name.split_whitespace().any(|word| word.starts_with(&q))
        || code_part(&BTreeSet::from([q])).is_some_and(|part| has_code_part(product, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::model::base::figures::Money;

    fn product(sku: &str, name: &str) -> Product {
        Product {
            category: Some("Drinks".to_owned()),
            reorder_level: Some(Quantity::new(5)),
            ..Product::new(
                Sku::from(sku),
                name.to_owned(),
                Money::new(1),
                domain::model::base::time::UtcMs(0),
            )
        }
    }

    #[test]
    fn finds_by_the_beginning_of_sku_name_or_word() {
        let tea = product("85123A", "Green Tea 100 g");
        for q in ["851", "85123a", "green", "TEA", "gr\u{e9}en", "green tea", " te"] {
            assert!(found_by(&tea, q), "{q}");
        }
        for q in ["een", "123A", "coffee"] {
            assert!(!found_by(&tea, q), "{q}");
        }
        assert!(found_by(&product("1", "ข้าวผัดกุ้ง"), "กุ้ง"));
    }

    #[test]
    fn filters_hold_together() {
        let tea = product("1", "Tea");
        let row = |qty: i64| Stock { qty: qty.into(), ..Stock::seed(&tea) };
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
