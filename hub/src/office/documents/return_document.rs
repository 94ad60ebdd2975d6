//! Returns as stores reported them.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::documents::entries::{self, DocumentEntry, OfStore};
use crate::office::settlement::item::{self, View as SettlementItem};
use crate::table::record;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use domain::model::selling::returns::{Disposition, Return, ReturnState};
use domain::rules::selling::returns::ReturnView;
use domain::wire::record::ReturnRecord;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};

/// Parts that are added to each return of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReturnInclude")]
pub enum Include {
    /// Lines of each return.
    Items,
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReturnsQuery {
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
    /// Only returns whose own receipt number is this one.
    pub receipt_no: Option<String>,
    /// Only returns of this sale, in any store.
    pub transaction_id: Option<String>,
    /// Only those with goods of this disposition.
    pub disposition: Option<Disposition>,
    /// `items`: each return with its lines.
    pub include: Option<Include>,
    /// Only those that changed at this time or later, by the hub's clock. The list then begins with the earliest change.
    pub updated_from: Option<UtcMs>,
}

/// A return without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreReturn")]
pub struct View {
    /// ID of the return, `ret_…`.
    return_id: String,
    /// Receipt number. Null if the number belongs to another store.
    receipt_no: Option<String>,
    /// State of the return.
    state: ReturnState,
    /// Sale that the goods are from. Null for a return without a receipt.
    transaction_id: Option<String>,
    /// Receipt number of the sale, if another store made it. Null otherwise.
    origin_receipt_no: Option<String>,
    /// Store that took the goods back.
    store_id: String,
    /// ID of the first store event.
    event_id: String,
    /// Shift of the return.
    shift_id: String,
    /// User who recorded the return.
    cashier_id: String,
    /// Member of the sale. Null if it has none.
    member_id: Option<String>,
    /// Business date of the return.
    business_date: Date,
    /// Sum of the refunds before cash rounding, in minor currency units.
    refund_total: Money,
    /// Sum of the cash rounding of the refunds, in minor currency units.
    rounding: Money,
    /// Tax of the returned lines, in minor currency units.
    tax: Money,
    /// When the return was recorded.
    created_at: UtcMs,
    /// When the hub last changed the return, by its own clock.
    updated_at: UtcMs,
}

impl View {
    /// Store and event by which the parts of the return are found.
    pub fn key(&self) -> (String, String) {
        (self.store_id.clone(), self.event_id.clone())
    }
}

/// A return as last reported by its store, with its entries in the books.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoreReturnDetail")]
pub struct Detail<'a> {
    #[serde(flatten)]
    document: ReturnView<'a>,
    /// ID of the latest store event.
    event_id: &'a str,
    /// Entries in the books: of the return and of its void.
    entries: &'a [DocumentEntry],
    /// Items of the return that third parties have to settle.
    settlement_items: &'a [SettlementItem],
    /// When the hub last changed the return, by its own clock.
    updated_at: UtcMs,
}

/// A return with the event that reported it last.
pub struct Found {
    document: Return,
    event_id: String,
    entries: Vec<DocumentEntry>,
    settlement_items: Vec<SettlementItem>,
    updated_at: UtcMs,
}

impl Found {
    /// The view of one.
    pub fn detail(&self) -> Detail<'_> {
        let document = ReturnView::new(&self.document, Role::Admin);
        Detail {
            document,
            event_id: &self.event_id,
            entries: &self.entries,
            settlement_items: &self.settlement_items,
            updated_at: self.updated_at,
        }
    }
}

/// Position of a page: the day, moment, return, store, event and change of the last item before it.
pub type Bookmark = (Date, i64, String, String, String, i64);

/// The place of a return.
pub fn place(item: &View) -> Bookmark {
    let View { business_date, created_at, return_id, store_id, event_id, updated_at, .. } = item;
    let [id, store_id, event_id] = [return_id, store_id, event_id].map(String::clone);
    (*business_date, created_at.0, id, store_id, event_id, updated_at.0)
}

const BY_LINES: &str =
    "l.store_id = r.store_id AND l.event_id = r.event_id AND l.is_first = 1 AND l.disposition = ?";
const HAS_LINES: &str = "EXISTS (SELECT 1 FROM return_lines l WHERE l.store_id = r.store_id \
                         AND l.event_id = r.event_id AND CAST(l.disposition AS TEXT) = ?)";
/// Also returns of another store, which may know only the receipt of the sale.
const OF_SALE: &str = "(r.store_id, r.event_id) IN (SELECT o.store_id, o.event_id FROM returns o WHERE o.transaction_id = ? \
                       UNION SELECT o.store_id, o.event_id FROM sales s JOIN returns o ON o.origin_receipt_no = s.receipt_no \
                       WHERE s.transaction_id = ? AND o.transaction_id IS NULL)";
/// Order of changes.
const CHANGED: [&str; 3] = ["r.updated_at", "r.store_id", "r.event_id"];
const COLUMNS: &str = "r.return_id, NULLIF(r.receipt_no, '') AS receipt_no, r.voided_event, r.transaction_id, \
                       r.origin_receipt_no, r.store_id, r.event_id, r.shift_id, r.cashier_id, r.member_id, \
                       r.business_date, r.refund_total, r.rounding, r.tax, r.created_at, r.updated_at";

/// The statement of a page with its parameters: the newest first, or by change.
pub fn statement(ask: &ReturnsQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let few = ask.receipt_no.is_some() || ask.transaction_id.is_some();
    // A disposition finds a return once, by the first of its lines; returns of a receipt or a sale are few. SQLite
    // considers all indexes equal: a condition that must not be used for the look-up is cast, which PostgreSQL ignores.
    let (from, day, store, lines) = match ask.disposition {
        _ if ask.updated_from.is_some() => {
            ("returns r", "CAST(r.business_date AS TEXT)", "CAST(r.store_id AS TEXT) = ?", HAS_LINES)
        }
        Some(_) if !few => (
            "return_lines l CROSS JOIN returns r",
            "l.business_date",
            "CAST(l.store_id AS TEXT) = ?",
            BY_LINES,
        ),
        _ if few => ("returns r", "r.business_date", "CAST(r.store_id AS TEXT) = ?", HAS_LINES),
        _ => ("returns r", "r.business_date", "r.store_id = ?", HAS_LINES),
    };
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let reached = before.as_ref().filter(|_| ask.updated_from.is_none()).map(|(date, ..)| *date);
    let last = ask.to.into_iter().chain(reached).min();
    let places = before.map(|(date, created_at, id, store_id, event_id, updated_at)| {
        let [id, store_id, event_id] = [id, store_id, event_id].map(|text| Bound::from(text.as_str()));
        let changed = [updated_at.into(), store_id.clone(), event_id.clone()];
        ([Bound::from(date.to_string().as_str()), created_at.into(), id, store_id, event_id], changed)
    });
    let (below, after) = places.unzip();
    let order = [day, "r.created_at", "r.return_id", "r.store_id", "r.event_id"];
    let conditions = Conditions::default()
        .text(store, ask.store_id.as_deref())
        .text("r.receipt_no = ?", ask.receipt_no.as_deref())
        .text(OF_SALE, ask.transaction_id.as_deref())
        .text(lines, ask.disposition.map(Disposition::name))
        .text(&format!("{day} >= ?"), date(ask.from).as_deref())
        .text(&format!("{day} <= ?"), date(last).as_deref());
    let (conditions, order) = match ask.updated_from {
        Some(from) => (conditions.changed(CHANGED, from, after), CHANGED.join(", ")),
        None => (conditions.below(order, below), order.map(|column| format!("{column} DESC")).join(", ")),
    };
    (conditions, format!("SELECT {COLUMNS} FROM {from} WHERE {{}} ORDER BY {order} LIMIT {limit}"))
}

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let voided: Option<String> = row.cell("voided_event")?;
    let state = if voided.is_some() { ReturnState::Voided } else { ReturnState::Posted };
    Ok(columns!(row => View {
        return_id, receipt_no, transaction_id, origin_receipt_no, store_id, event_id, shift_id, cashier_id, member_id,
        business_date, refund_total, rounding, tax, created_at, updated_at; state = state,
    }))
}

/// A page, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &ReturnsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}

/// One return, as its store last reported it.
pub async fn read(pool: &AnyPool, id: &str, of: &OfStore) -> Result<Option<Found>, sqlx::Error> {
    let conditions =
        Conditions::default().text("return_id = ?", Some(id)).text("store_id = ?", of.store_id.as_deref());
    let sql = "SELECT store_id, COALESCE(voided_event, event_id) AS event_id, updated_at FROM returns \
               WHERE {} ORDER BY returns.event_id LIMIT 1";
    let Some(row) = conditions.query(sql).fetch_optional(pool).await? else { return Ok(None) };
    let (store_id, event_id, updated_at): (String, String, UtcMs) =
        columns!(row => (store_id, event_id, updated_at));
    let ReturnRecord { document, .. } = record::payload(pool, &store_id, &event_id).await?;
    let entries = entries::of(pool, &store_id, id).await?;
    let settlement_items = item::of_document(pool, &store_id, id).await?;
    Ok(Some(Found { document, event_id, entries, settlement_items, updated_at }))
}
