//! Supplier returns, adjustments and counts of all stores, as each was last reported.

use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::documents::entries::{self, DocumentEntry, OfStore};
use crate::office::goods::goods_document::{self, Bookmark, Filter, Kind, LatestRecord};
use crate::office::warehouses::warehouse_book;
use crate::table::warehouse_rows;
use domain::model::inventory::adjustment::{Adjustment, AdjustmentReason, AdjustmentState};
use domain::model::inventory::opname::{Opname, OpnameLine, OpnameState};
use domain::model::inventory::stock::Stock;
use domain::model::people::user::Role;
use domain::rules::inventory::opname::{OpnameLineView, line_view};
use domain::wire::record::OpnamePosted;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyPool;

/// A document as last reported by its store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Store{T}")]
pub struct View<T> {
    #[serde(flatten)]
    document: T,
    /// ID of the latest store event. Empty for a warehouse's count that is not posted.
    event_id: String,
}

impl<T> View<T> {
    /// Document of an event.
    pub fn new(document: T, event_id: String) -> Self {
        Self { document, event_id }
    }
}

/// The same document with its entries in the books.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Store{T}Detail")]
pub struct Detail<T> {
    #[serde(flatten)]
    document: T,
    /// ID of the latest store event.
    event_id: String,
    /// Entries in the books: of the document and of its reversal.
    entries: Vec<DocumentEntry>,
}

impl<T> Detail<T> {
    /// Document of a store's event, with its entries.
    pub async fn of<P>(
        pool: &AnyPool,
        reported: LatestRecord<P>,
        document: impl FnOnce(P, Date) -> T,
    ) -> Result<Self, sqlx::Error> {
        let entries = entries::of(pool, reported.store_id(), &reported.place.2).await?;
        Ok(Self {
            document: document(reported.payload, reported.place.0),
            event_id: reported.event_id,
            entries,
        })
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupplierReturnsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those to this supplier.
    pub supplier_id: Option<String>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
}

impl SupplierReturnsQuery {
    /// Returns the filter for documents.
    pub fn filter(&self) -> Filter<'_> {
        Filter {
            store_id: self.store_id.as_deref(),
            supplier_id: self.supplier_id.as_deref(),
            from: self.from,
            to: self.to,
            ..Filter::all(Kind::SupplierReturn)
        }
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdjustmentsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those in this state.
    pub state: Option<AdjustmentState>,
    /// Only those with this reason.
    pub reason: Option<AdjustmentReason>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
}

impl AdjustmentsQuery {
    /// Returns the filter for documents.
    pub fn filter(&self) -> Filter<'_> {
        Filter {
            store_id: self.store_id.as_deref(),
            state: self.state.map(AdjustmentState::name),
            reason: self.reason.map(AdjustmentReason::name),
            from: self.from,
            to: self.to,
            ..Filter::all(Kind::Adjustment)
        }
    }
}

/// Query parameters of the list: posted counts of stores, and counts of warehouses in any state.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpnamesQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those in this state; omitted: posted. Other states show counts of warehouses only.
    pub state: Option<OpnameState>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
}

impl OpnamesQuery {
    /// Returns the filter for documents.
    pub fn filter(&self) -> Filter<'_> {
        let (store_id, from, to) = (self.store_id.as_deref(), self.from, self.to);
        Filter { store_id, from, to, ..Filter::all(Kind::Opname) }
    }
}

/// A count with all its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Count")]
pub struct CountedOpname {
    #[serde(flatten)]
    opname: Opname,
    /// Lines in the order in which the store reported them.
    #[schemars(with = "Vec<OpnameLineView>")]
    lines: Vec<Value>,
}

/// One count, whose lines are reported in parts.
pub async fn opname(
    pool: &AnyPool,
    id: &str,
    of: &OfStore,
) -> Result<Option<Detail<CountedOpname>>, sqlx::Error> {
    let parts: Vec<LatestRecord<OpnamePosted>> = goods_document::read(pool, Kind::Opname, id, of).await?;
    let shown = |reported: &LatestRecord<OpnamePosted>| {
        let OpnamePosted { opname, lines, .. } = &reported.payload;
        let line = |line| line_view(opname, line, &Stock::default(), Role::Admin);
        lines.iter().map(line).collect::<Vec<_>>()
    };
    let lines = parts.iter().flat_map(shown).collect();
    let Some(first) = parts.into_iter().next() else { return under_way(pool, id).await };
    let document = |reported: OpnamePosted, _| CountedOpname { opname: reported.opname, lines };
    Detail::of(pool, first, document).await.map(Some)
}

/// A count of a warehouse that is not posted, with all that was counted.
async fn under_way(pool: &AnyPool, id: &str) -> Result<Option<Detail<CountedOpname>>, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let Some(opname) = warehouse_rows::count(&mut connection, id).await? else { return Ok(None) };
    let counted =
        warehouse_rows::count_lines(&mut connection, opname.store_id.as_str(), &opname.opname_id).await?;
    let skus = counted.iter().map(|line| &line.sku);
    let (_, stock) = warehouse_book::stock(&mut connection, opname.store_id.as_str(), skus).await?;
    let none = Stock::default();
    let row = |line: &OpnameLine| stock.get(&line.sku).unwrap_or(&none);
    let lines = counted.iter().map(|line| line_view(&opname, line, row(line), Role::Admin)).collect();
    let document = CountedOpname { opname, lines };
    Ok(Some(Detail { document, event_id: String::new(), entries: Vec::new() }))
}

/// Counts of warehouses in a state other than posted, the newest first, after a place.
pub async fn counts_under_way(
    pool: &AnyPool,
    ask: &OpnamesQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Opname>, sqlx::Error> {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, created_at, id, store_id)| {
        let [id, store_id] = [id, store_id].map(|text| Bound::from(text.as_str()));
        [Bound::from(date.to_string().as_str()), created_at.into(), id, store_id]
    });
    let order = ["business_date", "created_at", "opname_id", "store_id"];
    let conditions = Conditions::default()
        .text("state = ?", ask.state.map(OpnameState::name))
        .text("store_id = ?", ask.store_id.as_deref())
        .text("business_date >= ?", date(ask.from).as_deref())
        .text("business_date <= ?", date(ask.to).as_deref())
        .below(order, below);
    let order = order.map(|column| format!("{column} DESC")).join(", ");
    let sql = format!("SELECT document FROM warehouse_counts WHERE {{}} ORDER BY {order} LIMIT {limit}");
    conditions.query(&sql).fetch_all(pool).await?.iter().map(|row| row.json("document")).collect()
}

/// The place of a count in a list.
pub fn count_place(opname: &Opname) -> Bookmark {
    let (id, store_id) = (opname.opname_id.0.clone(), opname.store_id.0.clone());
    (opname.business_date, opname.created_at.0, id, store_id)
}

/// One document of a kind that has no parts.
pub async fn read<P, T>(
    pool: &AnyPool,
    (kind, id): (Kind, &str),
    of: &OfStore,
    document: impl FnOnce(P, Date) -> T,
) -> Result<Option<Detail<T>>, sqlx::Error>
where
    P: serde::de::DeserializeOwned,
{
    let parts: Vec<LatestRecord<P>> = goods_document::read(pool, kind, id, of).await?;
    match parts.into_iter().next() {
        Some(reported) => Detail::of(pool, reported, document).await.map(Some),
        None => Ok(None),
    }
}

/// An adjustment from its reports: one that was reversed stays on the day that it is listed by.
pub fn adjustment(reported: domain::wire::record::AdjustmentPosted, business_date: Date) -> Adjustment {
    Adjustment { business_date, ..reported.adjustment }
}
