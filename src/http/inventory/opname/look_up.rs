//! `GET /api/opname/:id/lookup`: the product of a scanned or typed code, as the person who counts may see it.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use crate::http::inventory::stock::shelf_place;
use domain::model::base::figures::Quantity;
use domain::model::base::ids::Sku;
use domain::model::base::search;
use domain::model::inventory::opname::{Opname, OpnameState};
use domain::model::inventory::product::Product;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::Storage;

pub const LIST: Doc = Doc::of(
    "Opname",
    "Find products of a stock count by a scanned code or by words, ordered by SKU; a blind count hides the expected quantity",
)
.query::<Query>()
.answers::<List<Counted>>(
    r#"{"items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "shelf_place": "B-04", "pack_qty": 24, "here": true, "counted": 93, "expected": null}], "next_cursor": null}"#,
);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Code as a scanner reads it.
    barcode: Option<String>,
    /// A whole SKU, or the beginnings of words of name, category or SKU. A whole SKU also finds a product that is not
    /// sold any more.
    q: Option<String>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// Product, as it is shown to a person who counts stock.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountedProduct")]
pub struct Counted {
    /// Product code (SKU).
    sku: Sku,
    /// Name of the product.
    name: String,
    /// Place in the store where the product is kept. Null if none is recorded.
    shelf_place: Option<String>,
    /// Number of pieces that one scan of the code stands for.
    pack_qty: Quantity,
    /// Whether the product can be counted now.
    here: bool,
    /// Quantity counted so far in all zones. Null if nothing was counted.
    counted: Option<Quantity>,
    /// Current pieces on hand. Null while a blind count hides them.
    expected: Option<Quantity>,
}

/// `GET /api/opname/:id/lookup`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    let opname = super::read_count(&request)?;
    let hidden = opname.hides_from(request.caller()?.role);
    let storage = request.state.store.storage();
    let found = named(storage, &query, after.as_ref())?;
    let List { items, next_cursor } = List::cut(found, query.limit, |product: &Product| product.sku.clone());
    let shown = |product| counted(storage, &opname, product, query.barcode.as_deref(), hidden);
    let items = items.into_iter().map(shown).collect::<Result<Vec<_>, _>>()?;
    Ok(Reply::ok(&List { items, next_cursor }))
}

/// Products that the code, the whole SKU or the words name, one more than fits.
fn named(storage: &Storage, query: &Query, after: Option<&Sku>) -> Result<Vec<Product>, ApiError> {
    let (products, limit) = (storage.products(), query.limit.one_more());
    let (barcode, q) = (query.barcode.as_deref(), query.q.as_deref());
    let exact = match (barcode, q) {
        (Some(code), _) => products.products_by_barcode(code).map_err(stored)?,
        (None, Some(q)) => products.product(&Sku::from(q)).map_err(stored)?.into_iter().collect(),
        (None, None) => return products.products(after, limit).map_err(stored),
    };
    let words = search::words(q);
    if barcode.is_some() || !exact.is_empty() || words.is_empty() {
        return Ok(exact.into_iter().filter(|one| after.is_none_or(|after| one.sku > *after)).collect());
    }
    products.search_products(&words, after, limit).map_err(stored)
}

fn counted(
    storage: &Storage,
    opname: &Opname,
    product: Product,
    code: Option<&str>,
    hidden: bool,
) -> Result<Counted, ApiError> {
    let line = storage.stock_documents().opname_line(&opname.opname_id, &product.sku).map_err(stored)?;
    let on_hand =
        storage.stock().stock(&product.sku).map_err(stored)?.map_or(Quantity::ZERO, |stock| stock.qty);
    let scanned = code.and_then(|scan| product.code_of(scan));
    Ok(Counted {
        shelf_place: shelf_place(storage, &product.sku)?,
        pack_qty: scanned.map_or(Quantity::new(1), |barcode| barcode.pack_qty),
        here: opname.state == OpnameState::Counting && opname.accepts(&product),
        counted: line.filter(|line| !line.zones.is_empty()).map(|line| line.counted()),
        expected: (!hidden).then_some(on_hand),
        sku: product.sku,
        name: product.name,
    })
}
