//! Receipts, supplier returns, adjustments and counts of all stores: found by their list columns, and read from the
//! record that reported them last.

use crate::columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::documents::entries::OfStore;
use crate::table::record;
use domain::model::books::ledger::note_key;
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use sqlx::AnyPool;
use sqlx::any::AnyRow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Goods of a supplier came.
    Receiving,
    /// Goods went back to a supplier.
    SupplierReturn,
    /// Goods were written off, found or corrected.
    Adjustment,
    Opname,
}

impl Kind {
    /// The condition of its rows: a part of the statement, so that an index that has it first is taken.
    fn condition(self) -> &'static str {
        match self {
            Self::Receiving => "d.kind = 'receiving'",
            Self::SupplierReturn => "d.kind = 'supplier_return'",
            Self::Adjustment => "d.kind = 'adjustment'",
            Self::Opname => "d.kind = 'opname'",
        }
    }
}

/// Filters of the list of documents of one kind.
pub struct Filter<'a> {
    /// Kind of the documents.
    pub kind: Kind,
    /// Only those of this store.
    pub store_id: Option<&'a str>,
    /// Only those of this supplier.
    pub supplier_id: Option<&'a str>,
    /// Only receipts of this order.
    pub po_id: Option<&'a str>,
    /// With this delivery note.
    pub delivery_note_no: Option<&'a str>,
    /// Only those in this state.
    pub state: Option<&'a str>,
    /// Only those with this reason.
    pub reason: Option<&'a str>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
}

impl Filter<'_> {
    /// All of a kind.
    pub fn all(kind: Kind) -> Self {
        let (from, to, state, reason) = (None, None, None, None);
        let (store_id, supplier_id, po_id, delivery_note_no) = (None, None, None, None);
        Self { kind, store_id, supplier_id, po_id, delivery_note_no, state, reason, from, to }
    }
}

/// Position of a page: the day, moment, document and store of the last item before it.
pub type Bookmark = (Date, i64, String, String);

/// Last report of a store about a document.
pub struct LatestRecord<P> {
    /// The payload of its record.
    pub payload: P,
    /// ID of the event that reported it.
    pub event_id: String,
    /// Its place in a list.
    pub place: Bookmark,
}

impl<P> LatestRecord<P> {
    /// The store that reported it.
    pub fn store_id(&self) -> &str {
        &self.place.3
    }
}

const SELECT: &str = "SELECT d.store_id, d.event_id, d.document_id, d.business_date, d.created_at, r.record, r.encoding \
                      FROM goods_documents d \
                      JOIN events e ON e.store_id = d.store_id AND e.event_id = d.event_id \
                      JOIN records r ON r.store_id = e.store_id AND r.epoch = e.epoch AND r.seq = e.seq WHERE {}";

/// The statement of a page, the newest first, with its parameters.
pub fn statement(ask: &Filter<'_>, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, created_at, id, store_id)| {
        let [id, store_id] = [id, store_id].map(|text| Bound::from(text.as_str()));
        [Bound::from(date.to_string().as_str()), created_at.into(), id, store_id]
    });
    let order = ["d.business_date", "d.created_at", "d.document_id", "d.store_id"];
    // An order or a delivery note has few documents: a condition that must not be used for the look-up is cast, which
    // PostgreSQL ignores.
    let few = ask.po_id.is_some() || ask.delivery_note_no.is_some();
    let store = if few { "CAST(d.store_id AS TEXT) = ?" } else { "d.store_id = ?" };
    let note = ask.delivery_note_no.map(note_key);
    let conditions = Conditions::default()
        .plain("d.part = 1", true)
        .plain(ask.kind.condition(), true)
        .text(store, ask.store_id)
        .text("d.supplier_id = ?", ask.supplier_id)
        .text("d.po_id = ?", ask.po_id)
        .text("d.note_key = ?", note.as_deref())
        .text("d.state = ?", ask.state)
        .text("d.reason = ?", ask.reason)
        .text("d.business_date >= ?", date(ask.from).as_deref())
        .text("d.business_date <= ?", date(ask.to).as_deref())
        .below(order, below);
    let order = order.map(|column| format!("{column} DESC")).join(", ");
    (conditions, format!("{SELECT} ORDER BY {order} LIMIT {limit}"))
}

fn reported<P: DeserializeOwned>(row: &AnyRow) -> Result<LatestRecord<P>, sqlx::Error> {
    let (store_id, event_id, document_id): (String, String, String) =
        columns!(row => (store_id, event_id, document_id));
    let (business_date, created_at): (Date, i64) = columns!(row => (business_date, created_at));
    let place = (business_date, created_at, document_id, store_id);
    Ok(LatestRecord { payload: record::payload_of(row)?, event_id, place })
}

/// The newest first, after a place.
pub async fn list<P: DeserializeOwned>(
    pool: &AnyPool,
    ask: &Filter<'_>,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<LatestRecord<P>>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    conditions.query(&sql).fetch_all(pool).await?.iter().map(reported).collect()
}

/// One document: the reports of each of its parts, of the first store that has one with this ID.
pub async fn read<P: DeserializeOwned>(
    pool: &AnyPool,
    kind: Kind,
    id: &str,
    of: &OfStore,
) -> Result<Vec<LatestRecord<P>>, sqlx::Error> {
    let conditions = Conditions::default()
        .plain(kind.condition(), true)
        .text("d.document_id = ?", Some(id))
        .text("d.store_id = ?", of.store_id.as_deref());
    let sql = format!("{SELECT} ORDER BY d.store_id, d.part");
    let rows = conditions.query(&sql).fetch_all(pool).await?;
    let mut parts = Vec::with_capacity(rows.len());
    for row in &rows {
        parts.push(reported::<P>(row)?);
    }
    let first = parts.first().map(|part| part.store_id().to_owned());
    parts.retain(|part| Some(part.store_id()) == first.as_deref());
    Ok(parts)
}
