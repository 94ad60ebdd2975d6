//! Lines of receipts that differ from their order: too few or too many pieces, refused ones, or another price.

use crate::columns;
use crate::db::filter::{Bound, Conditions};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// Kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReceivingDiscrepancyKind")]
pub enum Kind {
    /// Less was received in total than was ordered, and no further receipts are expected. Reported at the last receipt
    /// of the product.
    Short,
    /// More was received in total than was ordered. Reported at the last receipt of the product.
    Over,
    /// Pieces were delivered and refused at the door.
    Rejected,
    /// The price differs from the order's.
    Price,
    /// The cost was not known.
    CostMissing,
    /// The goods have no order, or the order does not list the product.
    Unordered,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Over => "over",
            Self::Rejected => "rejected",
            Self::Price => "price",
            Self::CostMissing => "cost_missing",
            Self::Unordered => "unordered",
        }
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscrepanciesQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those of this supplier.
    pub supplier_id: Option<String>,
    /// Only those of this kind.
    pub kind: Option<Kind>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
}

/// A difference between a line of a receipt and its order.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReceivingDiscrepancy")]
pub struct View {
    /// Kind of difference.
    #[schemars(with = "Kind")]
    kind: String,
    /// ID of the receipt, `rcv_…`.
    receiving_id: String,
    /// Number of the line in the receipt.
    line_no: u32,
    /// Store that received the goods.
    store_id: String,
    /// Business day on which the goods were received.
    business_date: Date,
    /// Supplier of the goods. Null if it is not known.
    supplier_id: Option<String>,
    /// Order of the goods. Null for goods without an order.
    po_id: Option<String>,
    /// Product code (SKU).
    sku: Sku,
    /// Ordered pieces. Null if the order does not list the product.
    ordered_qty: Option<Quantity>,
    /// Pieces received by this receipt; for `short` and `over`, by all receipts of the order.
    received_qty: Quantity,
    /// Pieces refused at this receipt.
    rejected_qty: Quantity,
    /// Cost of one piece in the order, in minor currency units. Null if the order does not list the product.
    order_cost: Option<Money>,
    /// Cost of one piece in the receipt, in minor currency units.
    unit_cost: Money,
    /// Value of the difference, in minor currency units. Negative if less was received or the goods were cheaper.
    value: Money,
}

/// Position of a page: the day, receipt, store, line and kind of the last item before it.
pub type Bookmark = (Date, String, String, i64, String);

/// The position of an item.
pub fn place(item: &View) -> Bookmark {
    let View { business_date, receiving_id, store_id, line_no, kind, .. } = item;
    (*business_date, receiving_id.clone(), store_id.clone(), i64::from(*line_no), kind.clone())
}

/// Lines of receipts that are not reversed, each with its order's figures for the product, and once for each kind.
///
/// Too few or too many pieces concern all receipts of an order: they are reported at the last receipt of the product.
/// If lines of an order have several prices, a lower price is compared with the lowest, a higher one with the highest.
const FROM: &str = "goods_documents r \
    JOIN receiving_lines l ON l.store_id = r.store_id AND l.receiving_id = r.document_id \
    LEFT JOIN (SELECT po_id, sku, CAST(SUM(qty) AS BIGINT) AS ordered_qty, \
    CAST(SUM(received_qty) AS BIGINT) AS received_qty, CAST(SUM(open_qty) AS BIGINT) AS open_qty, \
    MIN(unit_cost) AS least_cost, MAX(unit_cost) AS unit_cost FROM purchase_order_lines GROUP BY po_id, sku) o \
    ON o.po_id = r.po_id AND o.sku = l.sku \
    LEFT JOIN purchase_orders p ON p.po_id = r.po_id \
    CROSS JOIN (SELECT 'short' AS kind UNION ALL SELECT 'over' UNION ALL SELECT 'rejected' UNION ALL SELECT 'price' \
    UNION ALL SELECT 'cost_missing' UNION ALL SELECT 'unordered') k";
/// Condition: no piece of the product was received for the order later.
const LAST: &str = "NOT EXISTS (SELECT 1 FROM goods_documents b JOIN receiving_lines c ON c.store_id = b.store_id \
    AND c.receiving_id = b.document_id WHERE b.po_id = r.po_id AND b.kind = 'receiving' AND b.state = 'posted' \
    AND c.sku = l.sku AND (b.created_at, b.document_id, c.line_no) > (r.created_at, r.document_id, l.line_no))";

/// The statement of a page, the newest first, with its parameters.
pub fn statement(ask: &DiscrepanciesQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, receiving_id, store_id, line_no, kind)| {
        let [date, receiving_id, store_id, kind] =
            [date.to_string(), receiving_id, store_id, kind].map(|text| Bound::from(text.as_str()));
        [date, receiving_id, store_id, line_no.into(), kind]
    });
    let order = ["r.business_date", "r.document_id", "r.store_id", "l.line_no", "k.kind"];
    let differs = format!(
        "((k.kind = 'short' AND o.ordered_qty > o.received_qty \
         AND (o.open_qty = 0 OR p.state IN ('closed', 'cancelled')) AND {LAST}) \
         OR (k.kind = 'over' AND o.ordered_qty < o.received_qty AND {LAST}) \
         OR (k.kind = 'rejected' AND l.rejected_qty > 0) \
         OR (k.kind = 'price' AND l.qty > 0 AND (l.unit_cost < o.least_cost OR l.unit_cost > o.unit_cost)) \
         OR (k.kind = 'cost_missing' AND l.cost_missing = 1) OR (k.kind = 'unordered' AND o.po_id IS NULL))"
    );
    let conditions = Conditions::default()
        .plain("r.kind = 'receiving' AND r.part = 1 AND r.state = 'posted'", true)
        .plain(&differs, true)
        .text("r.store_id = ?", ask.store_id.as_deref())
        .text("r.supplier_id = ?", ask.supplier_id.as_deref())
        .text("k.kind = ?", ask.kind.map(Kind::name))
        .text("r.business_date >= ?", date(ask.from).as_deref())
        .text("r.business_date <= ?", date(ask.to).as_deref())
        .below(order, below);
    let order = order.map(|column| format!("{column} DESC")).join(", ");
    let columns = "k.kind, r.document_id, l.line_no, r.store_id, r.business_date, r.supplier_id, r.po_id, l.sku, \
                   o.ordered_qty, CASE WHEN k.kind = 'price' AND l.unit_cost < o.least_cost THEN o.least_cost ELSE o.unit_cost END \
                   AS order_cost, l.unit_cost, l.rejected_qty, \
                   CASE WHEN k.kind IN ('short', 'over') THEN o.received_qty ELSE l.qty END AS received_qty, \
                   CASE k.kind WHEN 'rejected' THEN l.rejected_qty * l.unit_cost \
                   WHEN 'price' THEN l.qty * (l.unit_cost - CASE WHEN l.unit_cost < o.least_cost THEN o.least_cost \
                   ELSE o.unit_cost END) \
                   WHEN 'short' THEN (o.received_qty - o.ordered_qty) * o.unit_cost \
                   WHEN 'over' THEN (o.received_qty - o.ordered_qty) * o.unit_cost ELSE l.cost END AS value";
    (conditions, format!("SELECT {columns} FROM {FROM} WHERE {{}} ORDER BY {order} LIMIT {limit}"))
}

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    Ok(columns!(row => View {
        kind, receiving_id: "document_id", line_no, store_id, business_date, supplier_id, po_id, sku, ordered_qty,
        received_qty, rejected_qty, order_cost, unit_cost, value,
    }))
}

/// The items after a position, newest first.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &DiscrepanciesQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}
