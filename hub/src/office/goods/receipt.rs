//! Receipts of goods of all stores, with the billed pieces of each line.

use crate::columns;
use crate::db::insert::list;
use crate::office::documents::entries::{self, DocumentEntry, OfStore};
use crate::office::goods::goods_document::{self, Filter, Kind, LatestRecord};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::time::UtcMs;
use domain::model::inventory::receiving::{Receiving, ReceivingLine};
use domain::wire::record::ReceivingPosted;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::{AnyPool, AssertSqlSafe};
use std::collections::HashMap;

/// Whether a receipt is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReceivingState")]
pub enum State {
    /// The receipt is valid.
    Posted,
    /// The receipt was reversed.
    Reversed,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::Reversed => "reversed",
        }
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivingQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those of this supplier.
    pub supplier_id: Option<String>,
    /// Only receipts of this order.
    pub po_id: Option<String>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
    /// Only valid ones, or only reversed ones.
    pub state: Option<State>,
    /// Only those with this delivery note number of the supplier.
    pub delivery_note_no: Option<String>,
}

impl ReceivingQuery {
    /// Returns the filter for documents.
    pub fn filter(&self) -> Filter<'_> {
        Filter {
            store_id: self.store_id.as_deref(),
            supplier_id: self.supplier_id.as_deref(),
            po_id: self.po_id.as_deref(),
            delivery_note_no: self.delivery_note_no.as_deref(),
            state: self.state.map(State::name),
            from: self.from,
            to: self.to,
            ..Filter::all(Kind::Receiving)
        }
    }
}

/// A receipt as last reported by its store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreReceiving")]
pub struct View {
    /// ID of the receipt, `rcv_…`.
    receiving_id: String,
    /// State of the receipt.
    #[schemars(with = "State")]
    state: String,
    /// Store that received the goods.
    store_id: String,
    /// ID of the latest store event.
    event_id: String,
    /// Order of the goods. Null for goods without an order.
    po_id: Option<String>,
    /// Supplier of the goods. Null if it is not known.
    supplier_id: Option<String>,
    /// Number of the supplier's delivery note. Null for none.
    delivery_note_no: Option<String>,
    /// Reference in free text. Null for none.
    reference: Option<String>,
    /// Received lines.
    lines: Vec<Line>,
    /// Sum of the lines' costs, in minor currency units.
    total_cost: Money,
    /// Note in free text. Null for none.
    note: Option<String>,
    /// Receipt that this one corrects. Null if it corrects none.
    resubmits: Option<String>,
    /// Receipt that corrects this one. Null if none does.
    replaced_by: Option<String>,
    /// Business day on which the goods were received.
    business_date: Date,
    /// User who recorded the receipt.
    created_by: String,
    /// When the receipt was recorded.
    created_at: UtcMs,
}

/// A line of a receipt, with its invoicing at head office.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreReceivingLine")]
struct Line {
    #[serde(flatten)]
    line: ReceivingLine,
    /// Number of pieces that invoices bill.
    invoiced_qty: Quantity,
    /// Part of the balance of account 2020 that the line holds, in minor currency units.
    open_value: Money,
}

/// A receipt with its entries in the books.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreReceivingDetail")]
pub struct Detail {
    /// The receipt itself.
    #[serde(flatten)]
    pub receiving: View,
    /// Entries in the books: of the receipt and of its reversal.
    pub entries: Vec<DocumentEntry>,
}

/// Store, receipt and line.
type LineKey = (String, String, i64);

/// Receipts with their billed pieces.
pub async fn views(
    pool: &AnyPool,
    records: Vec<LatestRecord<ReceivingPosted>>,
) -> Result<Vec<View>, sqlx::Error> {
    let billed = billed_by_line(pool, &records).await?;
    Ok(records.into_iter().map(|record| view(record, &billed)).collect())
}

/// Billed pieces and open value, by line.
async fn billed_by_line(
    pool: &AnyPool,
    receipts: &[LatestRecord<ReceivingPosted>],
) -> Result<HashMap<LineKey, (Quantity, Money)>, sqlx::Error> {
    let mut billed = HashMap::new();
    if receipts.is_empty() {
        return Ok(billed);
    }
    let key = |receipt: usize| format!("({})", list(receipt.saturating_mul(2).saturating_add(1), 2));
    let keys = (0..receipts.len()).map(key).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "WITH receipts(store_id, receiving_id) AS (VALUES {keys}) \
         SELECT u.store_id, u.receiving_id, u.line_no, u.invoiced_qty, u.open_value FROM receipts r \
         CROSS JOIN uninvoiced u WHERE u.store_id = r.store_id AND u.receiving_id = r.receiving_id \
         AND u.kind = 'receipt'"
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    for receipt in receipts {
        let (_, _, receiving_id, store_id) = &receipt.place;
        query = query.bind(store_id.clone()).bind(receiving_id.clone());
    }
    for row in query.fetch_all(pool).await? {
        let key: LineKey = columns!(row => (store_id, receiving_id, line_no));
        let figures: (Quantity, Money) = columns!(row => (invoiced_qty, open_value));
        billed.insert(key, figures);
    }
    Ok(billed)
}

fn view(record: LatestRecord<ReceivingPosted>, billed: &HashMap<LineKey, (Quantity, Money)>) -> View {
    let LatestRecord { payload: ReceivingPosted { receiving, .. }, event_id, place: (listed, _, id, store) } =
        record;
    let Receiving { receiving_id, state, store_id, po_id, supplier_id, delivery_note_no, reference, .. } =
        receiving;
    let line = |line: ReceivingLine| {
        let key = (store.clone(), id.clone(), i64::from(line.line_no));
        let (invoiced_qty, open_value) = billed.get(&key).copied().unwrap_or_default();
        Line { line, invoiced_qty, open_value }
    };
    View {
        receiving_id: receiving_id.0,
        state,
        store_id: store_id.0,
        event_id,
        po_id,
        supplier_id,
        delivery_note_no,
        reference,
        lines: receiving.lines.into_iter().map(line).collect(),
        total_cost: receiving.total_cost,
        note: receiving.note,
        resubmits: receiving.resubmits.map(|id| id.0),
        replaced_by: receiving.replaced_by.map(|id| id.0),
        business_date: listed,
        created_by: receiving.created_by.0,
        created_at: receiving.created_at,
    }
}

/// One receipt, as its store last reported it.
pub async fn read(pool: &AnyPool, id: &str, of: &OfStore) -> Result<Option<Detail>, sqlx::Error> {
    let records: Vec<LatestRecord<ReceivingPosted>> =
        goods_document::read(pool, Kind::Receiving, id, of).await?;
    let mut views = views(pool, records).await?;
    let Some(receiving) = views.pop() else { return Ok(None) };
    let entries = entries::of(pool, &receiving.store_id, id).await?;
    Ok(Some(Detail { receiving, entries }))
}
