//! `GET /api/opname/:id/uncounted`: products that a count still lacks.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use crate::http::inventory::stock::shelf_place;
use domain::model::base::ids::Sku;
use domain::model::base::search;
use domain::model::inventory::opname::{Opname, OpnameLine};
use domain::model::inventory::product::Product;
use domain::rules::inventory::product;
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use storage::Storage;

/// Products read from storage at once.
const CHUNK: usize = 500;
/// Products looked at for one page: few that are missing give a short page and a cursor.
const SCANNED_MAX: usize = 20_000;

pub const LIST: Doc = Doc::of(
    "Opname",
    "List products of a count that still need counting, ordered by SKU: not counted yet, or to be recounted",
)
.query::<Query>()
.answers::<List<Uncounted>>(
    r#"{"items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "category": "Drinks", "shelf_place": "B-04"}], "next_cursor": null}"#,
);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Beginnings of words of the name, the category or the SKU.
    q: Option<String>,
    /// Only products that were not counted in this zone, whether they were counted elsewhere or not.
    zone: Option<String>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// Product that is still to be counted. Its expected quantity is not shown.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UncountedProduct")]
pub struct Uncounted {
    /// Product code (SKU).
    sku: Sku,
    /// Name of the product.
    name: String,
    /// Category of the product. Null for none.
    category: Option<String>,
    /// Place in the store where the product is kept. Null if none is recorded.
    shelf_place: Option<String>,
}

/// `GET /api/opname/:id/uncounted`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    let opname = super::read_count(&request)?;
    let state = request.state;
    let scan = move || page(state.store.storage(), &opname, after, &query);
    let page = tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)??;
    Ok(Reply::ok(&page))
}

fn page(
    storage: &Storage,
    opname: &Opname,
    mut after: Option<Sku>,
    query: &Query,
) -> Result<List<Uncounted>, ApiError> {
    let (mut items, mut scanned) = (Vec::new(), 0_usize);
    let words = search::words(query.q.as_deref());
    let list = |items, after: Option<Sku>| List { items, next_cursor: after.as_ref().map(cursor) };
    while scanned < SCANNED_MAX {
        let products = storage.products().products(after.as_ref(), CHUNK).map_err(stored)?;
        let complete = products.len() < CHUNK;
        let counted = counted(storage, opname, after.as_ref(), products.last(), query.zone.as_deref())?;
        for product in products {
            // An extra item shows that there are more; the next page begins after the last shown one.
            if items.len() == query.limit.0 {
                return Ok(list(items, after));
            }
            after = Some(product.sku.clone());
            scanned = scanned.saturating_add(1);
            let wanted = opname.accepts(&product) && !counted.contains(&product.sku);
            if wanted && found_by(&product, &words) {
                let shelf_place = shelf_place(storage, &product.sku)?;
                let Product { sku, name, category, .. } = product;
                items.push(Uncounted { sku, name, category, shelf_place });
            }
        }
        if complete {
            return Ok(list(items, None));
        }
    }
    Ok(list(items, after))
}

/// Whether words find a product, sold or not, or digits a code of it.
fn found_by(product: &Product, words: &BTreeSet<String>) -> bool {
    search::matches(words, &product::named(product))
        || product::code_part(words).is_some_and(|part| product::has_code_part(product, part))
}

/// Products that were counted, after one product up to another.
fn counted(
    storage: &Storage,
    opname: &Opname,
    after: Option<&Sku>,
    last: Option<&Product>,
    zone: Option<&str>,
) -> Result<BTreeSet<Sku>, ApiError> {
    let (mut counted, mut after) = (BTreeSet::new(), after.cloned());
    let Some(last) = last else { return Ok(counted) };
    let in_zone = |line: &OpnameLine, zone| line.zones.contains_key(&line.zone_name(zone));
    let here = |line: &OpnameLine| zone.map_or(!line.zones.is_empty(), |zone| in_zone(line, zone));
    loop {
        let lines = storage
            .stock_documents()
            .opname_lines(&opname.opname_id, after.as_ref(), CHUNK)
            .map_err(stored)?;
        let complete = lines.len() < CHUNK || lines.last().is_some_and(|line| line.sku >= last.sku);
        after = lines.last().map(|line| line.sku.clone());
        counted.extend(lines.into_iter().filter(here).map(|line| line.sku));
        if complete {
            return Ok(counted);
        }
    }
}
