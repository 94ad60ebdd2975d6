//! Goods received and never billed, line by line: together account 2020.

use crate::columns;
use crate::db::filter::{Bound, Conditions};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use edge::page::{Cursor, Limit};
use jiff::Span;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UninvoicedQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Day in the books. Defaults to now.
    pub as_of: Option<Date>,
    /// Only those of this supplier.
    pub supplier_id: Option<String>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only lines that are older than this number of days.
    pub older_than_days: Option<u32>,
}

/// Kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "UninvoicedKind")]
enum Kind {
    /// Received goods.
    Receipt,
    /// Goods that were returned to the supplier.
    Claim,
    /// Cash that a till paid out for received goods.
    PayOut,
}

/// A line with an open amount on account 2020.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Uninvoiced")]
pub struct View {
    /// Store that the book belongs to.
    store_id: String,
    /// ID of the receipt, of the supplier return, or of the cash movement.
    receiving_id: String,
    /// Line number of the receipt or supplier return.
    line_no: u32,
    /// Order of the goods. Null for none.
    po_id: Option<String>,
    /// Supplier of the goods. Null if it is not known.
    supplier_id: Option<String>,
    /// Code of the product. Empty for cash.
    sku: Sku,
    /// Business day of the document.
    business_date: Date,
    /// Pieces that are neither billed nor returned to the supplier.
    open_qty: Quantity,
    /// Cost of one piece at the receipt, in minor currency units. 0 for a claim, for cash, and for goods received
    /// without a cost.
    unit_cost: Money,
    /// Part of the balance of account 2020 that the line holds, in minor currency units. Negative for a claim or a
    /// pay-out in cash.
    open_value: Money,
    /// Kind of line.
    kind: Kind,
}

/// Position of a page: the day, store, document and line of the last item before it.
pub type Bookmark = (Date, String, String, i64);

/// The place of a line.
pub fn place(item: &View) -> Bookmark {
    (item.business_date, item.store_id.clone(), item.receiving_id.clone(), i64::from(item.line_no))
}

/// Lines as they are.
const NOW: &str = "SELECT store_id, receiving_id, line_no, po_id, supplier_id, sku, business_date, open_value, kind, unit_cost, \
                   CASE WHEN closed = 0 OR open_value <> 0 THEN qty - invoiced_qty - returned_qty ELSE 0 END AS open_qty \
                   FROM uninvoiced";

/// Lines at the end of a day in the books: with all amounts taken out of them until then. For goods that came later,
/// only the amounts billed until then.
fn lines_as_of(day: Date) -> String {
    format!(
        "SELECT l.store_id, l.receiving_id, l.line_no, l.po_id, l.supplier_id, l.sku, l.business_date, l.kind, l.unit_cost, \
         CASE WHEN COALESCE(b.entry_date, l.business_date) <= '{day}' THEN l.qty ELSE 0 END + COALESCE(m.qty, 0) \
         AS open_qty, CASE WHEN COALESCE(b.entry_date, l.business_date) <= '{day}' THEN l.value ELSE 0 END \
         + COALESCE(m.value, 0) AS open_value FROM uninvoiced l \
         LEFT JOIN journal b ON b.store_id = l.store_id AND b.cause_key = l.event_id \
         LEFT JOIN (SELECT x.store_id, x.receiving_id, x.line_no, CAST(SUM(x.qty) AS BIGINT) AS qty, \
         CAST(SUM(x.value) AS BIGINT) AS value FROM uninvoiced_moves x \
         LEFT JOIN journal j ON j.store_id = x.store_id AND j.cause_key = x.cause_key \
         WHERE COALESCE(j.entry_date, x.day) <= '{day}' GROUP BY x.store_id, x.receiving_id, x.line_no) m \
         ON m.store_id = l.store_id AND m.receiving_id = l.receiving_id AND m.line_no = l.line_no \
         WHERE COALESCE(b.entry_date, l.business_date) <= '{day}' OR m.value IS NOT NULL"
    )
}

/// The newest first, before a place.
pub async fn uninvoiced(
    connection: &mut AnyConnection,
    ask: &UninvoicedQuery,
    before: Option<Bookmark>,
    today: Date,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let last = ask.older_than_days.map(|days| {
        let span = Span::new().try_days(i64::from(days));
        let until = ask.as_of.unwrap_or(today);
        span.and_then(|span| until.checked_sub(span)).unwrap_or(Date::MIN).to_string()
    });
    let below = before.map(|(day, store_id, receiving_id, line_no)| {
        let [day, store_id, receiving_id] =
            [day.to_string(), store_id, receiving_id].map(|text| Bound::from(text.as_str()));
        [day, store_id, receiving_id, line_no.into()]
    });
    let order = ["business_date", "store_id", "receiving_id", "line_no"];
    let conditions = Conditions::default()
        .plain("(open_value <> 0 OR open_qty > 0)", true)
        .text("supplier_id = ?", ask.supplier_id.as_deref())
        .text("store_id = ?", ask.store_id.as_deref())
        .text("business_date < ?", last.as_deref())
        .below(order, below);
    let order = order.map(|column| format!("{column} DESC")).join(", ");
    let sql = format!(
        "SELECT store_id, receiving_id, line_no, po_id, supplier_id, sku, business_date, \
         open_qty, unit_cost, open_value, kind FROM ({}) u WHERE {{}} \
         ORDER BY {order} LIMIT {limit}",
        ask.as_of.map_or_else(|| NOW.to_owned(), lines_as_of)
    );
    let view = |row: &AnyRow| {
        Ok(columns!(row => View {
            store_id, receiving_id, line_no, po_id, supplier_id, sku, business_date, open_qty, unit_cost, open_value;
            kind = row.named("kind")?,
        }))
    };
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}
