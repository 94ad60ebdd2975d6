//! Movements of a product in all stores: cause, reason and document of each change of stock.

use crate::columns;
use crate::db::filter::{Bound, Conditions};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::money::half_up;
use domain::model::base::time::UtcMs;
use domain::model::inventory::stock::MovementReason;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyPool;
use sqlx::any::AnyRow;

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovementsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
    /// Only those with this reason.
    pub reason: Option<MovementReason>,
}

/// A change of a product's stock in a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreMovement")]
pub struct View {
    /// ID of the movement, `mov_…`, derived from its event and its position in the event.
    movement_id: String,
    /// Store of the movement.
    store_id: String,
    /// Product code (SKU).
    sku: String,
    /// Number of pieces, signed.
    qty: Quantity,
    /// Signed cost of these pieces, in minor currency units.
    cost: Money,
    /// Correction of the estimated cost of pieces that were sold below zero stock, booked to cost of goods, in minor
    /// currency units.
    correction: Money,
    /// Pieces on hand after the movement, according to the store.
    balance_after: Quantity,
    /// Reason for the movement.
    reason: String,
    /// Type of the document: `transaction`, `receiving`, …
    reference_type: String,
    /// ID of the document.
    reference_id: String,
    /// Cost of one piece, for display, in minor currency units.
    unit_cost: Money,
    /// User who caused the movement.
    user_id: String,
    /// Time of the movement, by the store's clock.
    at: UtcMs,
    /// Business day of the movement.
    business_date: Date,
    /// ID of the store's event.
    event_id: String,
    /// Day of the entry in the books.
    entry_date: Date,
    /// ID of its entry in the store's book. Null if it posts nothing there.
    entry_id: Option<String>,
    #[serde(skip)]
    position: i64,
}

/// Position of an item in the list: business day, time, store, event, and position in the event.
pub type Bookmark = (Date, i64, String, String, i64);

/// Position of a movement, for the cursor of the next page.
pub fn bookmark(item: &View) -> Bookmark {
    let View { business_date, at, store_id, event_id, position, .. } = item;
    (*business_date, at.0, store_id.clone(), event_id.clone(), *position)
}

/// Columns that the list is sorted by.
const ORDER: [&str; 5] = ["m.business_date", "m.moved_at", "m.store_id", "m.event_id", "m.position"];
/// Movements that have rows of their own: all except those of sales and returns.
const OTHERS: &str = "SELECT store_id, event_id, position, business_date, sku, qty, cost, correction, balance_after, \
                      reason, reference_type, reference_id, user_id, moved_at FROM movements";
/// Movements of sales: each line is one. An index finds the first line of a product in a sale (`f`), from which the
/// sale's other lines of the product (`l`) are found.
const SALES: &str = "SELECT l.store_id, l.event_id, l.position, f.business_date, f.sku, -l.qty AS qty, l.cost, l.correction, \
                     l.balance_after, 'sale' AS reason, 'transaction' AS reference_type, \
                     s.transaction_id AS reference_id, s.cashier_id AS user_id, s.paid_at AS moved_at \
                     FROM sale_lines f CROSS JOIN sale_lines l CROSS JOIN sales s WHERE f.is_first = 1 \
                     AND l.store_id = f.store_id AND l.event_id = f.event_id AND l.sku = f.sku \
                     AND l.balance_after IS NOT NULL AND s.store_id = f.store_id AND s.event_id = f.event_id";
/// Movements of returns: each line whose goods went back to the shelf is one.
const RETURNS: &str = "SELECT l.store_id, l.event_id, l.position, l.business_date, l.sku, l.qty, l.cost, l.correction, \
                       l.balance_after, 'return' AS reason, 'return' AS reference_type, r.return_id AS reference_id, \
                       r.cashier_id AS user_id, r.created_at AS moved_at FROM return_lines l CROSS JOIN returns r \
                       WHERE l.balance_after IS NOT NULL AND r.store_id = l.store_id AND r.event_id = l.event_id";

/// The statement for a page of a product's movements, the newest first, with its parameters. It reads a page of each of
/// the three sources, so that an index limits each of them, and then the newest rows of these.
pub fn statement(
    sku: &str,
    ask: &MovementsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let last_shown = before.as_ref().map(|(date, ..)| *date);
    let to = ask.to.into_iter().chain(last_shown).min();
    let below = before.map(|(date, at, store_id, event_id, position)| {
        let [date, store_id, event_id] =
            [date.to_string(), store_id, event_id].map(|text| Bound::from(text.as_str()));
        [date, at.into(), store_id, event_id, position.into()]
    });
    let conditions = Conditions::default()
        .text("m.sku = ?", Some(sku))
        .text("CAST(m.store_id AS TEXT) = ?", ask.store_id.as_deref())
        .text("m.business_date >= ?", date(ask.from).as_deref())
        .text("m.business_date <= ?", date(to).as_deref())
        .text("m.reason = ?", ask.reason.map(MovementReason::name))
        .below(ORDER, below);
    let order = ORDER.map(|column| format!("{column} DESC")).join(", ");
    let newest = |source: &str, name: &str| {
        format!("SELECT * FROM (SELECT * FROM ({source}) m WHERE {{}} ORDER BY {order} LIMIT {limit}) {name}")
    };
    let all =
        [newest(OTHERS, "newest_others"), newest(SALES, "newest_sales"), newest(RETURNS, "newest_returns")]
            .join(" UNION ALL ");
    let sql = format!(
        "SELECT m.*, j.entry_id, COALESCE(j.entry_date, m.business_date) AS entry_date FROM ({all}) m \
         LEFT JOIN journal j ON j.store_id = m.store_id AND j.cause_key = m.event_id \
         ORDER BY {order} LIMIT {limit}"
    );
    (conditions, sql)
}

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let (event_id, position): (String, i64) = columns!(row => (event_id, position));
    let (qty, cost): (Quantity, Money) = columns!(row => (qty, cost));
    let unit_cost = half_up(cost.saturating_abs().into(), qty.saturating_abs().max(Quantity::new(1)).into());
    Ok(columns!(row => View {
        store_id, sku, correction, balance_after, reason, reference_type, reference_id, user_id, at: "moved_at",
        business_date, entry_date, entry_id;
        movement_id = format!("mov_{event_id}_{}", position.saturating_add(1)), qty = qty, cost = cost,
        unit_cost = Money::saturating_from(unit_cost), event_id = event_id, position = position,
    }))
}

/// Reads a page of a product's movements, the newest first.
pub async fn list(
    pool: &AnyPool,
    sku: &str,
    ask: &MovementsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let (conditions, sql) = statement(sku, ask, before, limit);
    conditions.query(&sql).fetch_all(pool).await?.iter().map(view).collect()
}
