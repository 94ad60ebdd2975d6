//! `GET /api/stock/valuation`: what was on hand at the end of a business date, and what it was worth.

use crate::http::failure::stored;
use crate::http::{Answered, Request};
use domain::business_date::business_date;
use domain::ids::Sku;
use domain::product::Product;
use domain::settings::Rules;
use domain::stock::Stock;
use edge::page::{Cursor, Limit, cursor};
use edge::{ApiError, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::Storage;

/// Movements of a sku read at once: memory does not grow with history.
const CHUNK: usize = 500;
/// How often a sku that moves meanwhile is looked at again.
const ATTEMPTS: u32 = 5;

/// `GET /api/stock/valuation`
pub const VALUATION: Doc = Doc::of("Stock", "Quantity and value at the end of a business date, in order of sku")
    .query::<Query>()
    .answers::<Valuation>(
        r#"{"date": "2026-11-20", "items": [{"sku": "8991234567890", "name": "Green Tea 100 g",
            "category": "tea", "on_hand": 118, "value": 1180000}], "page_value": 1180000, "next_cursor": null}"#,
    );

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// The business date; none: today.
    date: Option<Date>,
    /// Only this category.
    category: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// A page of a valuation; Σ `page_value` over all pages is the value of the stock.
#[derive(Serialize, JsonSchema)]
struct Valuation {
    /// The business date.
    date: Date,
    /// Products that stock is kept for.
    items: Vec<Valued>,
    /// Σ value of this page.
    page_value: i64,
    /// Where the next page starts; null: this was the last.
    next_cursor: Option<String>,
}

/// A product as it was at the end of a date.
#[derive(Serialize, JsonSchema)]
struct Valued {
    sku: Sku,
    name: String,
    category: Option<String>,
    /// Pieces; may be below zero.
    on_hand: i64,
    /// Of what was on hand, in whole currency units.
    value: i64,
}

/// `GET /api/stock/valuation`
pub async fn valuation(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    let state = request.state;
    let scan = move || page(state.store.storage(), state.store.rules(), &query, after);
    let page = tokio::task::spawn_blocking(scan).await.map_err(ApiError::internal)??;
    Ok(Reply::ok(&page))
}

fn page(storage: &Storage, rules: &Rules, query: &Query, after: Option<Sku>) -> Result<Valuation, ApiError> {
    let today = business_date(edge::clock::now(), &rules.timezone, rules.day_start);
    let date = query.date.unwrap_or(today);
    let wanted = query.limit.0.saturating_add(1);
    let mut products = storage.products(after.as_ref(), wanted).map_err(stored)?;
    let more = products.len() > query.limit.0;
    products.truncate(query.limit.0);
    let next_cursor = products.last().filter(|_| more).map(|product| cursor(&product.sku));
    let of_it = |product: &Product| {
        product.track_stock && (query.category.is_none() || product.category == query.category)
    };
    let mut items = Vec::new();
    for product in products.into_iter().filter(of_it) {
        let (on_hand, value) = at_end_of(date, storage, rules, &product.sku)?;
        items.push(Valued {
            sku: product.sku,
            name: product.name,
            category: product.category,
            on_hand,
            value,
        });
    }
    let page_value = items.iter().fold(0_i64, |sum, item| sum.saturating_add(item.value));
    Ok(Valuation { date, items, page_value, next_cursor })
}

/// Quantity and value at the end of a date: those of now less what moved since.
fn at_end_of(date: Date, storage: &Storage, rules: &Rules, sku: &Sku) -> Result<(i64, i64), ApiError> {
    for _ in 0..ATTEMPTS {
        let before = storage.stock(sku).map_err(stored)?.unwrap_or_default();
        let then = less_what_moved_since(date, &before, storage, rules, sku)?;
        // One that moved meanwhile is looked at again: row and movements belong together.
        if storage.stock(sku).map_err(stored)?.unwrap_or_default().moves == before.moves {
            return Ok(then);
        }
    }
    Err(ApiError::unavailable("the stock moves faster than it is read", 1))
}

fn less_what_moved_since(
    date: Date,
    now: &Stock,
    storage: &Storage,
    rules: &Rules,
    sku: &Sku,
) -> Result<(i64, i64), ApiError> {
    let (mut qty, mut value, mut before) = (now.qty, now.value, None);
    loop {
        let chunk = storage.movements(sku, before, CHUNK).map_err(stored)?;
        for (_, movement) in &chunk {
            if business_date(movement.at, &rules.timezone, rules.day_start) <= date {
                return Ok((qty, value));
            }
            qty = qty.saturating_sub(movement.qty);
            value = value.saturating_sub(movement.cost.saturating_sub(movement.correction));
        }
        match chunk.last() {
            Some((lsn, _)) if chunk.len() >= CHUNK => before = Some(*lsn),
            _ => return Ok((qty, value)),
        }
    }
}
