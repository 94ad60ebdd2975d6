//! Stock of all stores: on hand, in transit, and on order.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::db::{Engine, array};
use crate::office::products::product::found_by;
use crate::projection::fields::PRODUCT_SETTINGS;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::money::half_up;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::model::inventory::purchase::PurchaseOrder;
use domain::model::inventory::transfer::Transfer;
use edge::clock;
use edge::page::{Cursor, Limit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use std::collections::{BTreeSet, HashMap};

/// Rows that are looked through at once.
const LOOKED_AT: i64 = 500;

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StockQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only this product.
    pub sku: Option<String>,
    /// Text in the name, the beginning of the SKU, a barcode in any spelling, or at least four digits of one.
    pub q: Option<String>,
    /// Only products of this category.
    pub category: Option<String>,
    /// Only rows with a negative quantity.
    #[serde(default)]
    pub negative: bool,
    /// Only rows at or below their reorder level.
    #[serde(default)]
    pub below_reorder: bool,
    /// Only rows with damaged pieces.
    #[serde(default)]
    pub damaged: bool,
}

/// A product in a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreStock")]
pub struct View {
    /// Store of the movement.
    pub store_id: String,
    /// Product code (SKU).
    pub sku: String,
    /// Name of the product. Null if it is not in head office's catalogue.
    pub name: Option<String>,
    /// Pieces on hand. Negative if more pieces were sold than were recorded.
    pub on_hand: Quantity,
    /// Pieces that are damaged or are to go back to their supplier.
    pub damaged: Quantity,
    /// Pieces that may be sold. Baskets on hold are known to the store only and are not subtracted.
    pub available: Quantity,
    /// Pieces on their way to the store.
    pub in_transit_in: Quantity,
    /// Pieces on their way from the store.
    pub in_transit_out: Quantity,
    /// Pieces on orders that are not received yet.
    pub on_order: Quantity,
    /// Average cost of one piece, in minor currency units. Null without stock.
    pub average_cost: Option<Money>,
    /// Value of the pieces on hand, in minor currency units.
    pub value: Money,
    /// Value of the damaged pieces, in minor currency units.
    pub damaged_value: Money,
    /// On-hand quantity at or below which the product should be ordered: the store's level, or else the product's. Null
    /// if there is none.
    pub reorder_level: Option<Quantity>,
    /// When the stock last moved. Null if it never did.
    pub last_moved_at: Option<UtcMs>,
    /// When the store last connected; the figures are from this time. Null if it never did.
    pub as_of: Option<UtcMs>,
}

/// A product in all stores.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "StockTotals")]
pub struct Totals {
    /// Pieces on hand.
    on_hand: Quantity,
    /// Pieces that are damaged or are to go back to their supplier.
    damaged: Quantity,
    /// Pieces that may be sold.
    available: Quantity,
    /// Pieces on their way to the stores.
    in_transit_in: Quantity,
    /// Pieces on their way from the stores.
    in_transit_out: Quantity,
    /// Pieces on orders that are not received yet.
    on_order: Quantity,
    /// Value of the pieces on hand, in minor currency units.
    value: Money,
    /// Value of the damaged pieces, in minor currency units.
    damaged_value: Money,
}

impl Totals {
    /// Totals of these rows.
    pub fn of(rows: &[View]) -> Self {
        let pieces = |of: fn(&View) -> Quantity| rows.iter().map(of).sum();
        let sum = |of: fn(&View) -> Money| rows.iter().map(of).sum::<Money>();
        Self {
            on_hand: pieces(|row| row.on_hand),
            damaged: pieces(|row| row.damaged),
            available: pieces(|row| row.available),
            in_transit_in: pieces(|row| row.in_transit_in),
            in_transit_out: pieces(|row| row.in_transit_out),
            on_order: pieces(|row| row.on_order),
            value: sum(|row| row.value),
            damaged_value: sum(|row| row.damaged_value),
        }
    }
}

/// Position of a page: the product and store of the last item before it.
pub type Bookmark = (String, String);

/// The place of a row.
pub fn place(item: &View) -> Bookmark {
    (item.sku.clone(), item.store_id.clone())
}

/// The statement of a page, by product and store, with its parameters except the pairs with pending goods. Stock on
/// hand is read as far as the page goes; the other rows are few.
fn statement(engine: Engine, ask: &StockQuery, after: Option<&Bookmark>, limit: i64) -> (Conditions, String) {
    let after = after.map(|(sku, store_id)| [Bound::from(sku.as_str()), Bound::from(store_id.as_str())]);
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let conditions = Conditions::default()
        .text("s.store_id = ?", given(&ask.store_id).as_deref())
        .text("s.sku = ?", given(&ask.sku).as_deref())
        .text("p.category = ?", given(&ask.category).as_deref())
        .plain("s.qty < 0", ask.negative)
        .plain("d.qty <> 0", ask.damaged)
        .above(["s.sku", "s.store_id"], after);
    let conditions = found_by(conditions, "p", ask.q.as_deref().unwrap_or_default());
    let rows = |from: &str| {
        format!(
            "SELECT s.store_id, s.sku, s.qty, s.value, s.moved_at, COALESCE(d.qty, 0) AS damaged, \
             COALESCE(d.value, 0) AS damaged_value, p.document, f.value AS level, t.kind, t.last_seen_at, t.pending, \
             t.oldest_pending_at, (SELECT MIN(k.parked_at) FROM parked k WHERE k.store_id = s.store_id) AS parked_at \
             FROM {from} s LEFT JOIN damaged d ON d.store_id = s.store_id AND d.sku = s.sku \
             LEFT JOIN products p ON p.sku = s.sku \
             LEFT JOIN fields f ON f.resource = '{PRODUCT_SETTINGS}' AND f.id = s.store_id || ':' || s.sku \
             AND f.field = 'reorder_level' \
             LEFT JOIN stores t ON t.store_id = s.store_id WHERE {{}} ORDER BY s.sku, s.store_id LIMIT {limit}"
        )
    };
    let expected = array::pairs(engine, ["store_id", "sku"], conditions.next_place());
    let beside = format!(
        "(SELECT g.store_id, g.sku, 0 AS qty, 0 AS value, CAST(NULL AS BIGINT) AS moved_at FROM (\
         SELECT store_id, sku FROM damaged WHERE qty <> 0 OR value <> 0 UNION SELECT store_id, sku FROM {expected} e) g \
         WHERE NOT EXISTS (SELECT 1 FROM stock k WHERE k.store_id = g.store_id AND k.sku = g.sku))"
    );
    let (kept, beside) = (rows("stock"), rows(&beside));
    let sql = format!(
        "SELECT * FROM ({kept}) a UNION ALL SELECT * FROM ({beside}) b ORDER BY sku, store_id LIMIT {limit}"
    );
    (conditions, sql)
}

/// Stock by product and store, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &StockQuery,
    mut after: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let expected = Expected::read(&mut *connection).await?;
    let engine = Engine::of_connection(connection);
    let waiting = array::texts(engine, expected.pairs(ask).iter().map(String::as_str))?;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let looked_at = if ask.below_reorder { LOOKED_AT } else { limit };
    let mut found = Vec::new();
    loop {
        let (conditions, sql) = statement(engine, ask, after.as_ref(), looked_at);
        let rows = conditions.query(&sql).bind(waiting.clone()).fetch_all(&mut *connection).await?;
        let is_last = i64::try_from(rows.len()).unwrap_or(i64::MAX) < looked_at;
        for row in &rows {
            let view = expected.view(row)?;
            after = Some(place(&view));
            let is_low = view.reorder_level.is_some_and(|level| view.on_hand <= level);
            if is_low || !ask.below_reorder {
                found.push(view);
            }
        }
        if is_last || found.len() >= most {
            found.truncate(most);
            return Ok(found);
        }
    }
}

/// Pieces by store and product.
type Pieces = HashMap<(String, String), Quantity>;

/// Quantities that stores wait for.
#[derive(Default)]
struct Expected {
    coming: Pieces,
    leaving: Pieces,
    ordered: Pieces,
    now: UtcMs,
}

impl Expected {
    async fn read(connection: &mut AnyConnection) -> Result<Self, sqlx::Error> {
        let mut expected = Self { now: clock::now(), ..Self::default() };
        let sql = "SELECT document FROM transfers WHERE state = 'in_transit'";
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            let transfer: Transfer = row.json("document")?;
            for line in &transfer.lines {
                let of = |store: &str| (store.to_owned(), line.sku.0.clone());
                add(&mut expected.coming, of(transfer.to_store_id.as_str()), line.in_transit_qty());
                add(&mut expected.leaving, of(transfer.from_store_id.as_str()), line.in_transit_qty());
            }
        }
        let sql = "SELECT document FROM purchase_orders WHERE state IN ('sent', 'partially_received')";
        for row in sqlx::query(sql).fetch_all(connection).await? {
            let order: PurchaseOrder = row.json("document")?;
            for line in &order.lines {
                let of = (order.store_id.0.clone(), line.sku.0.clone());
                add(&mut expected.ordered, of, line.open_qty());
            }
        }
        Ok(expected)
    }

    /// Pairs of stores and products with goods in transit or on order, among the requested ones.
    fn pairs(&self, ask: &StockQuery) -> BTreeSet<String> {
        let is_asked = |given: &Option<String>, is: &str| {
            given.as_deref().is_none_or(|given| given.is_empty() || given == is)
        };
        let pieces = self.coming.iter().chain(&self.ordered).filter(|(_, pieces)| **pieces != 0);
        let asked = pieces
            .filter(|((store_id, sku), _)| is_asked(&ask.store_id, store_id) && is_asked(&ask.sku, sku));
        asked.map(|((store_id, sku), _)| array::pair(store_id, sku)).collect()
    }

    fn view(&self, row: &AnyRow) -> Result<View, sqlx::Error> {
        let (store_id, sku): (String, String) = columns!(row => (store_id, sku));
        let (on_hand, value): (Quantity, Money) = columns!(row => (qty, value));
        let (document, level): (Option<String>, Option<String>) = columns!(row => (document, level));
        let product: Option<Product> = document.and_then(|document| serde_json::from_str(&document).ok());
        // The store's own value, if it has one.
        let level: Option<Quantity> = level.and_then(|level| serde_json::from_str(&level).ok());
        let of = (store_id.clone(), sku.clone());
        let pieces = |pieces: &Pieces| pieces.get(&of).copied().unwrap_or_default();
        // A warehouse's stock is the present one.
        let is_here = row.cell::<Option<String>>("kind")?.as_deref() == Some("warehouse");
        let average = half_up(value.into(), on_hand.into());
        Ok(View {
            name: product.as_ref().map(|product| product.name.clone()),
            on_hand,
            damaged: row.cell("damaged")?,
            available: on_hand,
            in_transit_in: pieces(&self.coming),
            in_transit_out: pieces(&self.leaving),
            on_order: pieces(&self.ordered),
            average_cost: Money::try_from(average).ok().filter(|_| on_hand > 0),
            value,
            damaged_value: row.cell("damaged_value")?,
            reorder_level: level.or(product.and_then(|product| product.reorder_level)),
            last_moved_at: row.cell("moved_at")?,
            as_of: if is_here { Some(self.now) } else { applied_until(row)? },
            store_id,
            sku,
        })
    }
}

/// Time up to which a store's actions are included in its figures: its last contact, or the first record not sent by
/// then, or the first parked one.
fn applied_until(row: &AnyRow) -> Result<Option<UtcMs>, sqlx::Error> {
    let (last_seen, parked): (Option<UtcMs>, Option<UtcMs>) = columns!(row => (last_seen_at, parked_at));
    let (pending, oldest): (Option<i64>, Option<UtcMs>) = columns!(row => (pending, oldest_pending_at));
    let unsent = oldest.filter(|_| pending.is_some_and(|pending| pending > 0));
    Ok(last_seen.map(|seen| [unsent, parked].into_iter().flatten().fold(seen, UtcMs::min)))
}

fn add(pieces: &mut Pieces, of: (String, String), more: Quantity) {
    let sum = pieces.entry(of).or_default();
    *sum = sum.saturating_add(more);
}
