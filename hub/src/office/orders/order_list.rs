//! Lists orders.

use crate::db::document::decode;
use crate::db::filter::{Bound, Conditions};
use domain::model::base::time::UtcMs;
use domain::model::inventory::purchase::{OrderState, PurchaseOrder};
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::{AnyPool, Row};

/// Filters of the list of orders; an omitted one lets all orders through.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PurchaseOrderSearch")]
pub struct Filter {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this supplier.
    pub supplier_id: Option<String>,
    /// Only those for this store.
    pub store_id: Option<String>,
    /// Only those in this state.
    pub state: Option<OrderState>,
    /// Only orders that were submitted for approval (true), or only the others (false).
    pub submitted: Option<bool>,
    /// Only orders with goods that were expected before today and have not been received.
    #[serde(default)]
    pub late: bool,
    /// Only orders created on this day or later.
    pub from: Option<Date>,
    /// Only orders created on this day or earlier.
    pub to: Option<Date>,
    /// Only those with a line of this product.
    pub sku: Option<String>,
    /// Only those that changed at this time or later, by the hub's clock. The list then begins with the earliest change.
    pub updated_from: Option<UtcMs>,
}

/// Position of a page: the day, order and change of the last item before it.
pub type Bookmark = (String, String, i64);

/// The place of an order that was made on a day.
pub fn place((made_on, order): &(String, PurchaseOrder)) -> Bookmark {
    (made_on.clone(), order.po_id.clone(), order.updated_at.0)
}

/// Order of changes.
const CHANGED: [&str; 2] = ["updated_at", "po_id"];

/// A page of orders; each with the day on which it was made.
pub async fn list(
    pool: &AnyPool,
    filter: &Filter,
    before: Option<Bookmark>,
    today: Date,
    limit: i64,
) -> Result<Vec<(String, PurchaseOrder)>, sqlx::Error> {
    let (conditions, sql) = statement(filter, before, today, limit);
    let rows = conditions.query(&sql).fetch_all(pool).await?;
    rows.iter().map(|row| Ok((row.try_get("made_on")?, decode(row.try_get("document")?)?))).collect()
}

/// The statement of a page with its parameters: the newest first, or by change.
pub fn statement(filter: &Filter, before: Option<Bookmark>, today: Date, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let today = filter.late.then(|| today.to_string());
    let places = before.map(|(made_on, po_id, updated_at)| {
        let [made_on, po_id] = [made_on, po_id].map(|text| Bound::from(text.as_str()));
        ([made_on, po_id.clone()], [updated_at.into(), po_id])
    });
    let (below, after) = places.unzip();
    // SQLite considers all indexes equal: a condition that must not be used for the look-up is cast.
    let [supplier, store] = match filter.updated_from {
        Some(_) => ["CAST(supplier_id AS TEXT) = ?", "CAST(store_id AS TEXT) = ?"],
        None => ["supplier_id = ?", "store_id = ?"],
    };
    let conditions = Conditions::default()
        .text(supplier, filter.supplier_id.as_deref())
        .text(store, filter.store_id.as_deref())
        .text("state = ?", filter.state.map(OrderState::name))
        .number("submitted = ?", filter.submitted.map(i64::from))
        .text("made_on >= ?", date(filter.from).as_deref())
        .text("made_on <= ?", date(filter.to).as_deref())
        .text("expected_at <> '' AND expected_at < ?", today.as_deref())
        .plain("state IN ('sent', 'partially_received')", filter.late)
        .text(
            "EXISTS (SELECT 1 FROM purchase_order_lines l WHERE l.po_id = purchase_orders.po_id AND l.sku = ?)",
            filter.sku.as_deref(),
        );
    let (conditions, order) = match filter.updated_from {
        Some(from) => (conditions.changed(CHANGED, from, after), CHANGED.join(", ")),
        None => (conditions.below(["made_on", "po_id"], below), "made_on DESC, po_id DESC".to_owned()),
    };
    (
        conditions,
        format!("SELECT made_on, document FROM purchase_orders WHERE {{}} ORDER BY {order} LIMIT {limit}"),
    )
}
