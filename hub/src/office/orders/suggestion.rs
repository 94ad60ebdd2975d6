//! Order suggestions for a store: sales of its products, their stock and pending orders, and their suppliers.

use crate::columns;
use crate::config::Purchasing;
use crate::db::document::decode;
use crate::db::filter::Conditions;
use crate::office::finance::writer::check_bytes;
use crate::office::suppliers::supplier::Known;
use crate::projection::fields::PRODUCT_SETTINGS;
use crate::table::supplier_price;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{ID_BYTES_MAX, REFERENCE_CHARS_MAX, SHORT_ID_BYTES_MAX};
use domain::model::inventory::product::{Product, ProductState};
use domain::model::inventory::purchase::{PurchaseOrder, SupplierState};
use domain::model::inventory::supplier_price::SupplierPrice;
use domain::rules::inventory::purchase::{Need, Suggested, cheapest_supplier, runs_out_before, suggest};
use edge::ApiError;
use jiff::Span;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Query parameters of the suggestions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SuggestionSearch")]
pub struct SuggestionsQuery {
    /// Store that the goods are for.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Only products that this supplier sells.
    #[schemars(length(max = ID_BYTES_MAX))]
    pub supplier_id: Option<String>,
    /// Only products of this category.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub category: Option<String>,
}

impl SuggestionsQuery {
    /// 422 for a filter that is too long to be one.
    pub fn checked(&self) -> Result<(), ApiError> {
        check_bytes(|| "supplier_id".to_owned(), self.supplier_id.as_deref(), ID_BYTES_MAX)?;
        if self.category.as_ref().is_some_and(|category| category.chars().count() > REFERENCE_CHARS_MAX) {
            let problem = format!("must be at most {REFERENCE_CHARS_MAX} characters");
            return Err(ApiError::field("category", problem));
        }
        Ok(())
    }
}

/// Suggested order of a product.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OrderSuggestion")]
pub struct Suggestion {
    /// ID of the supplier. Null if no supplier sells the product.
    pub supplier_id: Option<String>,
    /// Product code (SKU).
    pub sku: Sku,
    /// Name of the product.
    pub name: String,
    /// Pieces on hand. Negative if more pieces were sold than were recorded.
    pub on_hand: Quantity,
    /// Pieces on approved or sent orders that are not received yet.
    pub on_order: Quantity,
    /// Pieces in draft orders.
    pub in_draft: Quantity,
    /// Pieces on their way from other stores.
    pub in_transit_in: Quantity,
    /// Rate of sale, in thousandths of a piece per day.
    pub rate_milli: i64,
    /// Days from order to delivery that the suggestion is based on.
    pub lead_days: i64,
    /// Number of pieces at or below which the product is ordered.
    pub reorder_point: Quantity,
    /// Number of pieces up to which the product is ordered.
    pub order_up_to: Quantity,
    /// Number of pieces to order.
    pub qty: Quantity,
    /// Price per piece in minor currency units. Null if no supplier sells the product.
    pub unit_cost: Option<Money>,
    /// Cost of the pieces, in minor currency units. Null if no supplier sells the product.
    pub total: Option<Money>,
    /// Whether stock runs out before the next expected delivery.
    pub late_incoming: bool,
    /// Problem code. `no_supplier` if no supplier sells the product, null otherwise.
    pub problem: Option<&'static str>,
}

/// Figures of a store by product.
#[derive(Default)]
struct Figures {
    on_hand: BTreeMap<String, Quantity>,
    on_order: BTreeMap<String, Quantity>,
    in_draft: BTreeMap<String, Quantity>,
    in_transit_in: BTreeMap<String, Quantity>,
    /// The first day on which more is expected.
    expected: BTreeMap<String, Date>,
    sold: BTreeMap<String, Quantity>,
    returned: BTreeMap<String, Quantity>,
    /// The store's own reorder levels.
    reorder_level: BTreeMap<String, Quantity>,
    days_open: i64,
}

/// Suggested orders of a store by the figures of today, by supplier and sku.
///
/// # Errors
/// A database error.
pub async fn suggestions(
    connection: &mut AnyConnection,
    ask: &SuggestionsQuery,
    set: &Purchasing,
    today: Date,
) -> Result<Vec<Suggestion>, sqlx::Error> {
    let (from, _) = rate_days(set, today);
    let figures = Figures::read(connection, &ask.store_id, (from, today)).await?;
    let suppliers = suppliers(connection).await?;
    let products = products(connection, ask.category.as_deref()).await?;
    let skus: BTreeSet<&Sku> = products.iter().map(|product| &product.sku).collect();
    let mut lists: BTreeMap<Sku, Vec<SupplierPrice>> = BTreeMap::new();
    for row in supplier_price::of_skus(connection, None, &skus).await? {
        if suppliers.contains_key(&row.supplier_id) {
            lists.entry(row.sku.clone()).or_default().push(row);
        }
    }
    let rows = |product: &Product| lists.get(&product.sku).map_or(&[][..], Vec::as_slice);
    let one = |product: &Product| one(product, rows(product), &figures, &suppliers, set, today);
    let mut found: Vec<Suggestion> = products.iter().filter_map(one).collect();
    if let Some(supplier_id) = &ask.supplier_id {
        found.retain(|suggestion| suggestion.supplier_id.as_ref() == Some(supplier_id));
    }
    found.sort_by(|a, b| (&a.supplier_id, &a.sku).cmp(&(&b.supplier_id, &b.sku)));
    Ok(found)
}

/// The days that the rate of sale is taken from: the last full ones.
pub fn rate_days(set: &Purchasing, today: Date) -> (Date, Date) {
    let span = Span::new().try_days(i64::from(set.rate_days)).unwrap_or_default();
    (today.checked_sub(span).unwrap_or(today), today.yesterday().unwrap_or(today))
}

fn one(
    product: &Product,
    rows: &[SupplierPrice],
    figures: &Figures,
    suppliers: &BTreeMap<String, Known>,
    set: &Purchasing,
    today: Date,
) -> Option<Suggestion> {
    let of = |map: &BTreeMap<String, Quantity>| map.get(product.sku.as_str()).copied().unwrap_or_default();
    let piece = Quantity::new(1);
    let of_store = figures.reorder_level.get(product.sku.as_str()).copied();
    let need = |row: Option<&SupplierPrice>| {
        let supplier = row.and_then(|row| suppliers.get(&row.supplier_id));
        let lead = row.and_then(|row| row.lead_time_days);
        let lead = lead.or(supplier.and_then(|known| known.supplier.lead_time_days)).unwrap_or(set.lead_days);
        Need {
            sold: of(&figures.sold),
            returned: of(&figures.returned),
            days_open: figures.days_open,
            lead_days: lead.into(),
            safety_days: set.safety_days.into(),
            review_days: set.review_days.into(),
            reorder_level: of_store.or(product.reorder_level).unwrap_or_default(),
            on_hand: of(&figures.on_hand),
            on_order: of(&figures.on_order),
            in_draft: of(&figures.in_draft),
            in_transit_in: of(&figures.in_transit_in),
            min_qty: row.map_or(piece, |row| row.min_qty),
            pack_qty: row.map_or(piece, |row| row.pack_qty),
        }
    };
    // The quantity decides which supplier is the cheapest, and that supplier decides the pack size.
    let first = suggest(&need(cheapest_supplier(rows, piece, today)));
    let row = cheapest_supplier(rows, first.qty.max(piece), today);
    let asked = need(row);
    let Suggested { rate_milli, reorder_point, order_up_to, qty, .. } = suggest(&asked);
    let order_up_to = order_up_to?;
    let days = figures.expected.get(product.sku.as_str()).and_then(|day| today.until(*day).ok());
    let days = days.map(|span| i64::from(span.get_days()));
    Some(Suggestion {
        supplier_id: row.map(|row| row.supplier_id.clone()),
        sku: product.sku.clone(),
        name: product.name.clone(),
        on_hand: asked.on_hand,
        on_order: asked.on_order,
        in_draft: asked.in_draft,
        in_transit_in: asked.in_transit_in,
        rate_milli,
        lead_days: asked.lead_days,
        reorder_point,
        order_up_to,
        qty,
        unit_cost: row.map(|row| row.unit_cost),
        total: row.map(|row| row.unit_cost.times(qty)),
        late_incoming: days.is_some_and(|days| runs_out_before(asked.on_hand, rate_milli, days)),
        problem: row.is_none().then_some("no_supplier"),
    })
}

async fn suppliers(connection: &mut AnyConnection) -> Result<BTreeMap<String, Known>, sqlx::Error> {
    let rows = sqlx::query("SELECT document FROM suppliers").fetch_all(connection).await?;
    let mut known = BTreeMap::new();
    for row in rows {
        let one: Known = decode(row.try_get("document")?)?;
        if one.supplier.state == SupplierState::Active {
            known.insert(one.supplier.supplier_id.clone(), one);
        }
    }
    Ok(known)
}

async fn products(
    connection: &mut AnyConnection,
    category: Option<&str>,
) -> Result<Vec<Product>, sqlx::Error> {
    let conditions = Conditions::default().text("category = ?", category);
    let rows =
        conditions.query("SELECT document FROM products WHERE {} ORDER BY sku").fetch_all(connection).await?;
    let product = |row: &AnyRow| decode::<Product>(row.try_get("document")?);
    let products: Vec<Product> = rows.iter().map(product).collect::<Result<_, _>>()?;
    let wanted = |product: &Product| product.track_stock && product.state == ProductState::Active;
    Ok(products.into_iter().filter(wanted).collect())
}

impl Figures {
    async fn read(
        connection: &mut AnyConnection,
        store_id: &str,
        (from, today): (Date, Date),
    ) -> Result<Self, sqlx::Error> {
        let mut figures = Self::default();
        let sql = "SELECT sku, qty FROM stock WHERE store_id = $1";
        figures.on_hand = sums(connection, sql, &[store_id]).await?;
        let orders = "SELECT l.sku AS sku, CAST(SUM(l.open_qty) AS BIGINT) AS qty FROM purchase_order_lines l \
                      JOIN purchase_orders o ON o.po_id = l.po_id WHERE o.store_id = $1 AND";
        let sql = format!("{orders} o.state IN ('approved', 'sent', 'partially_received') GROUP BY l.sku");
        figures.on_order = sums(connection, &sql, &[store_id]).await?;
        figures.in_draft =
            sums(connection, &format!("{orders} o.state = 'draft' GROUP BY l.sku"), &[store_id]).await?;
        let days = [store_id, &from.to_string(), &today.to_string()].map(str::to_owned);
        let days = days.each_ref().map(String::as_str);
        let sql = "SELECT l.sku AS sku, CAST(SUM(l.qty) AS BIGINT) AS qty FROM sale_lines l \
                   JOIN sales s ON s.store_id = l.store_id AND s.event_id = l.event_id \
                   WHERE l.store_id = $1 AND l.business_date >= $2 AND l.business_date < $3 \
                   AND s.voided_event IS NULL GROUP BY l.sku";
        figures.sold = sums(connection, sql, &days).await?;
        let sql = "SELECT l.sku AS sku, CAST(SUM(l.qty) AS BIGINT) AS qty FROM return_lines l \
                   JOIN returns r ON r.store_id = l.store_id AND r.event_id = l.event_id \
                   WHERE l.store_id = $1 AND l.business_date >= $2 AND l.business_date < $3 \
                   AND r.voided_event IS NULL GROUP BY l.sku";
        figures.returned = sums(connection, sql, &days).await?;
        let sql = "SELECT COUNT(DISTINCT business_date) AS days FROM sales WHERE store_id = $1 \
                   AND business_date >= $2 AND business_date < $3 AND voided_event IS NULL";
        let query = sqlx::query(sql).bind(store_id.to_owned()).bind(from.to_string()).bind(today.to_string());
        figures.days_open = query.fetch_one(&mut *connection).await?.try_get("days")?;
        figures.reorder_level = reorder_levels(connection, store_id).await?;
        figures.expected = expected(connection, store_id).await?;
        figures.in_transit_in = in_transit(connection, store_id).await?;
        Ok(figures)
    }
}

async fn sums(
    connection: &mut AnyConnection,
    sql: &str,
    bound: &[&str],
) -> Result<BTreeMap<String, Quantity>, sqlx::Error> {
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned()));
    for text in bound {
        query = query.bind((*text).to_owned());
    }
    let pair = |row: &AnyRow| Ok(columns!(row => (sku, qty)));
    query.fetch_all(connection).await?.iter().map(pair).collect()
}

/// The store's own settings of products, which override the products' own.
async fn reorder_levels(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<BTreeMap<String, Quantity>, sqlx::Error> {
    let sql = "SELECT id, value FROM fields WHERE resource = $1 AND field = 'reorder_level' AND id LIKE $2";
    let query = sqlx::query(sql).bind(PRODUCT_SETTINGS).bind(format!("{store_id}:%"));
    let mut levels = BTreeMap::new();
    for row in query.fetch_all(connection).await? {
        let (id, value): (String, String) = columns!(row => (id, value));
        let own = id.split_once(':').filter(|(store, _)| *store == store_id);
        if let (Some((_, sku)), Ok(Some(level))) = (own, serde_json::from_str::<Option<Quantity>>(&value)) {
            levels.insert(sku.to_owned(), level);
        }
    }
    Ok(levels)
}

/// The first day on which more is expected: a line's own, else its order's.
async fn expected(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<BTreeMap<String, Date>, sqlx::Error> {
    let sql = "SELECT document FROM purchase_orders WHERE store_id = $1 \
               AND state IN ('approved', 'sent', 'partially_received')";
    let mut first: BTreeMap<String, Date> = BTreeMap::new();
    for row in sqlx::query(sql).bind(store_id.to_owned()).fetch_all(connection).await? {
        let order: PurchaseOrder = decode(row.try_get("document")?)?;
        for line in order.lines.iter().filter(|line| line.open_qty() > 0) {
            let Some(day) = line.expected_at.or(order.expected_at) else { continue };
            first.entry(line.sku.0.clone()).and_modify(|known| *known = day.min(*known)).or_insert(day);
        }
    }
    Ok(first)
}

/// Pieces of transfers that were sent to a store and did not come yet.
async fn in_transit(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<BTreeMap<String, Quantity>, sqlx::Error> {
    let sql = "SELECT document FROM transfers WHERE to_store = $1 AND state = 'in_transit'";
    let mut coming: BTreeMap<String, Quantity> = BTreeMap::new();
    for row in sqlx::query(sql).bind(store_id.to_owned()).fetch_all(connection).await? {
        let transfer: domain::model::inventory::transfer::Transfer = decode(row.try_get("document")?)?;
        for line in &transfer.lines {
            let sum = coming.entry(line.sku.0.clone()).or_default();
            *sum = sum.saturating_add(line.qty);
        }
    }
    Ok(coming)
}
