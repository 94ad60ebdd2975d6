//! `GET /api/stock/valuation`: the stock on hand at the end of a business date, and its value.

use super::goods;
use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use crate::http::failure::stored;
use crate::http::operation::reports;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::settings::Rules;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::Stock;
use edge::page::{Cursor, Limit, cursor};
use edge::{ApiError, Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::Storage;

/// Movements of a sku read at once: memory does not grow with history.
const CHUNK: usize = 500;
/// Movements that a total reads at most: beyond it, pages add up to it.
const MOVEMENTS_MAX: usize = 200_000;
/// Number of attempts at a SKU that moves meanwhile.
const ATTEMPTS: u32 = 5;

pub const VALUATION: Doc =
    Doc::of("Stock", "Report quantity and value of stock at the end of a day, ordered by SKU")
        .query::<Query>()
        .answers::<Valuation>(
            r#"{"date": "2026-11-20", "items": [{"sku": "8991234567890", "name": "Green Tea 100 g",
            "category": "tea", "on_hand": 118, "value": 1180000}], "page_value": 1180000,
            "total_value": 1180000, "next_cursor": null}"#,
        );

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Day. Defaults to today. It ends by the clock, when the store's next day starts. A movement counts for the day on
    /// which the goods moved, even if its document has another business date: that day was sealed, or its shift began
    /// on the day before.
    date: Option<Date>,
    /// Category that the list is limited to.
    category: Option<String>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// A page of a stock valuation. The sum of `page_value` over all pages is `total_value`.
#[derive(Serialize, JsonSchema)]
struct Valuation {
    /// Day at whose end the stock is valued, by the clock.
    date: Date,
    /// Products of which stock is kept.
    items: Vec<Valued>,
    /// Sum of the values on this page, in minor currency units.
    page_value: Money,
    /// Sum of the values on all pages, in minor currency units. Null on all but the first page, and if too much stock
    /// moved since the date to compute it at once.
    total_value: Option<Money>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
}

/// Stock of a product at the end of a date.
#[derive(Serialize, JsonSchema)]
struct Valued {
    /// Product code (SKU).
    sku: Sku,
    /// Name of the product.
    name: String,
    /// Category of the product. Null for none.
    category: Option<String>,
    /// Pieces on hand; may be negative.
    on_hand: Quantity,
    /// Value of the stock on hand at that time, in minor currency units.
    value: Money,
}

/// `GET /api/stock/valuation`
pub async fn valuation(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    let state = request.state;
    let first = after.is_none();
    let scan = move |state: &AppState| {
        let rules = state.store.rules();
        let then = Then::of(query.date, state.store.storage(), &rules);
        page(&then, &query, after)
    };
    // The first page is a report on everything, the others read only the shown rows.
    let page = match first {
        true => reports::made(&state, scan).await?,
        false => tokio::task::spawn_blocking(move || scan(&state)).await.map_err(ApiError::internal)??,
    };
    Ok(Reply::ok(&page))
}

fn page(then: &Then<'_>, query: &Query, after: Option<Sku>) -> Result<Valuation, ApiError> {
    let first = after.is_none();
    let wanted = query.limit.one_more();
    let mut products = goods(then.storage, after.as_ref(), wanted)?;
    let more = products.len() > query.limit.0;
    products.truncate(query.limit.0);
    let next_cursor = products.last().filter(|_| more).map(|product| cursor(&product.sku));
    let mut items = Vec::new();
    for product in products.into_iter().filter(|product| query.wants(product)) {
        let (on_hand, value) = then.at_end(&product.sku, &mut usize::MAX.clone())?;
        items.push(Valued {
            sku: product.sku,
            name: product.name,
            category: product.category,
            on_hand,
            value,
        });
    }
    let page_value = items.iter().map(|item| item.value).sum();
    let total_value = if first { total(then, query)? } else { None };
    Ok(Valuation { date: then.date, items, page_value, total_value, next_cursor })
}

/// Sum of the values of all products. `None` if too much moved since.
fn total(then: &Then<'_>, query: &Query) -> Result<Option<Money>, ApiError> {
    let (mut sum, mut after, mut left) = (Money::ZERO, None, MOVEMENTS_MAX);
    loop {
        let chunk = goods(then.storage, after.as_ref(), CHUNK)?;
        let Some(last) = chunk.last() else { return Ok(Some(sum)) };
        after = Some(last.sku.clone());
        for product in chunk.iter().filter(|product| query.wants(product)) {
            let (_, value) = then.at_end(&product.sku, &mut left)?;
            if left == 0 {
                return Ok(None);
            }
            sum = sum.saturating_add(value);
        }
    }
}

impl Query {
    fn wants(&self, product: &Product) -> bool {
        product.track_stock && (self.category.is_none() || product.category == self.category)
    }
}

/// The end of a business date.
struct Then<'a> {
    date: Date,
    storage: &'a Storage,
    rules: &'a Rules,
}

impl<'a> Then<'a> {
    fn of(date: Option<Date>, storage: &'a Storage, rules: &'a Rules) -> Self {
        let today = rules.business_date(edge::clock::now());
        Self { date: date.unwrap_or(today), storage, rules }
    }

    /// Quantity and value then: the present ones less the movements since. Every movement that is read reduces `left`;
    /// once it is 0 the figures are not right.
    fn at_end(&self, sku: &Sku, left: &mut usize) -> Result<(Quantity, Money), ApiError> {
        for _ in 0..ATTEMPTS {
            let before = self.storage.stock().stock(sku).map_err(stored)?.unwrap_or_default();
            let then = self.less_what_moved_since(&before, sku, left)?;
            // One that moved meanwhile is looked at again: row and movements belong together.
            if self.storage.stock().stock(sku).map_err(stored)?.unwrap_or_default().moves == before.moves {
                return Ok(then);
            }
        }
        Err(ApiError::unavailable("the stock changed while it was read", 1))
    }

    fn by_then(&self, at: UtcMs) -> bool {
        self.rules.business_date(at) <= self.date
    }

    fn less_what_moved_since(
        &self,
        now: &Stock,
        sku: &Sku,
        left: &mut usize,
    ) -> Result<(Quantity, Money), ApiError> {
        let (mut qty, mut value, mut before) = (now.qty, now.value, None);
        // A product that last moved before that day, like most, needs no look into the journal.
        if self.by_then(now.updated_at) {
            return Ok((qty, value));
        }
        loop {
            let chunk = self.storage.stock().movements(sku, before, CHUNK).map_err(stored)?;
            for (_, movement) in &chunk {
                *left = left.saturating_sub(1);
                if self.by_then(movement.at) || *left == 0 {
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
}
