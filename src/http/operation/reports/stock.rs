//! `GET /api/reports/stock`: every product with its stock, its value, and problems for a person.

use super::made;
use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use crate::http::failure::stored;
use crate::http::inventory::stock::{goods, in_transit};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::money::shown_sum;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::Stock;
use domain::rules::books::report::hides;
use edge::csv::{self, Cell, Separator};
use edge::page::{Cursor, Limit, cursor};
use edge::{ApiError, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

pub const STOCK: Doc = Doc::of(
    "Reports",
    "Report stock of every product, ordered by SKU; the totals are on the first page",
)
.query::<Query>()
.answers::<Report>(
    r#"{"as_of": "2026-11-20T02:06:34.739Z", "totals": {"products_count": 1, "on_hand": 118, "value": 1180000,
        "damaged": 2, "damaged_value": 20000, "negative_count": 0, "below_reorder_count": 0},
        "items": [{"sku": "8991234567890", "name": "Green Tea 100 g", "category": "tea", "on_hand": 118,
            "reserved": 0, "available": 118, "damaged": 2, "damaged_value": 20000, "in_transit_in": 0,
            "average_cost": 10000, "value": 1180000, "reorder_level": 24, "below_reorder": false}],
        "next_cursor": null}"#,
)
.also(&["text/csv"]);

/// Products read at once.
const CHUNK: usize = 500;
/// Most rows of a table.
const ROWS_MAX: usize = 200_000;
const COLUMNS: [&str; 13] = [
    "sku",
    "name",
    "category",
    "on_hand",
    "reserved",
    "available",
    "damaged",
    "damaged_value",
    "in_transit_in",
    "average_cost",
    "value",
    "reorder_level",
    "below_reorder",
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Delimiter of the CSV: `,`, `;` or `tab`. Defaults to a comma.
    #[serde(default)]
    separator: Separator,
    /// Category that the report is limited to.
    category: Option<String>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// A page of the report.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StockReport")]
struct Report {
    /// When the report was made.
    as_of: UtcMs,
    /// Sums over all pages. Null on all but the first page.
    totals: Option<Totals>,
    /// Products, ordered by SKU.
    items: Vec<Row>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
}

/// Sums of all products. A figure above 9,007,199,254,740,991 is null.
#[derive(Serialize, JsonSchema, Default)]
#[schemars(rename = "StockReportTotals", transform = hides)]
struct Totals {
    /// Number of products in the report.
    products_count: i64,
    /// Pieces on hand.
    on_hand: Quantity,
    /// Value of the stock on hand, in minor currency units.
    value: Money,
    /// Pieces that can't be sold; not in `on_hand`.
    damaged: Quantity,
    /// Value of the damaged pieces, in minor currency units.
    damaged_value: Money,
    /// Number of products with stock below zero.
    negative_count: i64,
    /// Number of products that should be ordered.
    below_reorder_count: i64,
}

/// Stock of one product.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StockReportRow")]
struct Row {
    /// Product code (SKU).
    sku: Sku,
    /// Name of the product.
    name: String,
    /// Category of the product. Null for none.
    category: Option<String>,
    /// Pieces on hand; may be negative.
    on_hand: Quantity,
    /// Pieces that are reserved and can't be sold.
    reserved: Quantity,
    /// Pieces that can be sold: `on_hand` − `reserved`.
    available: Quantity,
    /// Damaged pieces; not included in `on_hand`.
    damaged: Quantity,
    /// Value of the damaged pieces, in minor currency units.
    damaged_value: Money,
    /// Pieces in transit to this store.
    in_transit_in: Quantity,
    /// Average cost of one piece, in minor currency units: the unit cost that was last used.
    average_cost: Money,
    /// Value of the pieces on hand, in minor currency units.
    value: Money,
    /// On-hand quantity at or below which the product should be ordered. Null if there is no such level.
    reorder_level: Option<Quantity>,
    /// Whether the stock on hand is at or below the reorder level.
    below_reorder: bool,
}

impl Row {
    fn of(product: Product, stock: Option<Stock>, in_transit_in: Quantity) -> Self {
        let stock = stock.unwrap_or_else(|| Stock::seed(&product));
        Self {
            sku: product.sku,
            name: product.name,
            category: product.category,
            on_hand: stock.qty,
            reserved: stock.reserved,
            available: stock.qty.saturating_sub(stock.reserved),
            damaged: stock.damaged,
            damaged_value: stock.damaged_value,
            in_transit_in,
            average_cost: stock.last_cost,
            value: stock.value,
            reorder_level: product.reorder_level,
            below_reorder: product.reorder_level.is_some_and(|level| stock.qty <= level),
        }
    }

    fn line(&self, out: &mut csv::Table) {
        let cells: [Cell<'_>; COLUMNS.len()] = [
            Cell::Text(self.sku.as_str()),
            Cell::Text(&self.name),
            self.category.as_deref().into(),
            self.on_hand.into(),
            self.reserved.into(),
            self.available.into(),
            self.damaged.into(),
            self.damaged_value.into(),
            self.in_transit_in.into(),
            self.average_cost.into(),
            self.value.into(),
            self.reorder_level.into(),
            i64::from(self.below_reorder).into(),
        ];
        out.line(cells);
    }
}

impl Totals {
    fn add(&mut self, row: &Row) {
        for (so_far, more) in [
            (&mut self.products_count, 1),
            (&mut self.negative_count, i64::from(row.on_hand < 0)),
            (&mut self.below_reorder_count, i64::from(row.below_reorder)),
        ] {
            *so_far = shown_sum([*so_far, more]);
        }
        self.value = shown_sum([self.value, row.value]);
        self.damaged_value = shown_sum([self.damaged_value, row.damaged_value]);
        self.on_hand = shown_sum([self.on_hand, row.on_hand]);
        self.damaged = shown_sum([self.damaged, row.damaged]);
    }
}

/// `GET /api/reports/stock`
pub async fn stock(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<Sku>).transpose()?;
    if csv::wanted(&request.headers) {
        let body = made(&request.state, move |shop| table(shop, &query, after)).await?;
        return Ok(Reply::Text { content_type: csv::CONTENT_TYPE, body });
    }
    Ok(Reply::ok(&made(&request.state, move |shop| page(shop, &query, after)).await?))
}

fn page(shop: &AppState, query: &Query, after: Option<Sku>) -> Result<Report, ApiError> {
    let (as_of, first) = (clock::now(), after.is_none());
    let (mut totals, mut items, mut more) = (Totals::default(), Vec::new(), false);
    rows(shop, query, after, |row| {
        let full = items.len() >= query.limit.0;
        more |= full;
        if first {
            totals.add(&row);
        }
        if !full {
            items.push(row);
        }
        Ok(first || !full)
    })?;
    let next_cursor = items.last().filter(|_| more).map(|row: &Row| cursor(&row.sku));
    Ok(Report { as_of, totals: first.then_some(totals), items, next_cursor })
}

fn table(shop: &AppState, query: &Query, after: Option<Sku>) -> Result<String, ApiError> {
    let (mut text, mut lines) = (csv::Table::new(query.separator, shop.currency, COLUMNS), 0_usize);
    rows(shop, query, after, |row| {
        row.line(&mut text);
        lines = lines.saturating_add(1);
        let problem = || {
            format!("must be sent: the report has more than {ROWS_MAX} products. Or read it in pages as JSON")
        };
        if lines > ROWS_MAX { Err(ApiError::invalid_query("category", problem())) } else { Ok(true) }
    })?;
    Ok(text.finish())
}

/// Gives the products after a sku to `take`, until it has enough.
fn rows(
    shop: &AppState,
    query: &Query,
    mut after: Option<Sku>,
    mut take: impl FnMut(Row) -> Result<bool, ApiError>,
) -> Result<(), ApiError> {
    let storage = shop.store.storage();
    let coming: HashMap<Sku, Quantity> = in_transit(storage, &shop.store.rules().store_id)?;
    loop {
        let chunk = goods(storage, after.as_ref(), CHUNK)?;
        let Some(last) = chunk.last() else { return Ok(()) };
        after = Some(last.sku.clone());
        for product in chunk {
            if !product.track_stock || (query.category.is_some() && product.category != query.category) {
                continue;
            }
            let stock = storage.stock().stock(&product.sku).map_err(stored)?;
            let in_transit_in = coming.get(&product.sku).copied().unwrap_or_default();
            if !take(Row::of(product, stock, in_transit_in))? {
                return Ok(());
            }
        }
    }
}
