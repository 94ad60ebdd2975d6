//! Sales as stores reported them.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::documents::entries::{self, DocumentEntry, OfStore};
use crate::office::settlement::item::{self, View as SettlementItem};
use crate::table::record;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::transaction::TransactionView;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};

/// State of a sale: paid or voided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SaleState")]
pub enum State {
    /// The sale is valid.
    Paid,
    /// The sale was voided.
    Voided,
}

/// Parts that are added to each sale of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SaleInclude")]
pub enum Include {
    /// Lines of each sale.
    #[serde(rename = "items")]
    Items,
    /// Payments of each sale.
    #[serde(rename = "payments")]
    Payments,
    /// Both.
    #[serde(rename = "items,payments", alias = "payments,items")]
    Both,
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionsQuery {
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
    /// Only those with this receipt number.
    pub receipt_no: Option<String>,
    /// Only those of this member.
    pub member_id: Option<String>,
    /// Only those of this shift.
    pub shift_id: Option<String>,
    /// Only those of this cashier.
    pub cashier_id: Option<String>,
    /// Only sales with a valid payment by this method.
    pub method: Option<String>,
    /// Only those with a line of this product.
    pub sku: Option<String>,
    /// Only those that count, or only those that were voided.
    pub state: Option<State>,
    /// Only documents posted on another day than their own (true), or only the others (false).
    pub late: Option<bool>,
    /// Only those that changed at this time or later, by the hub's clock. The list then begins with the earliest change.
    pub updated_from: Option<UtcMs>,
    /// `items`, `payments` or `items,payments`: each sale with its lines and payments.
    pub include: Option<Include>,
}

/// A sale without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreTransaction")]
pub struct View {
    /// ID of the transaction, `trx_…`.
    transaction_id: String,
    /// Receipt number. Null if the number belongs to another store.
    receipt_no: Option<String>,
    /// State of the sale.
    state: State,
    /// Business date of the sale.
    business_date: Date,
    /// Store of the sale.
    store_id: String,
    /// ID of the first store event.
    event_id: String,
    /// Register of the sale.
    register_id: String,
    /// Shift of the sale.
    shift_id: String,
    /// User who created the sale.
    cashier_id: String,
    /// Member that the sale is attributed to. Null for none.
    member_id: Option<String>,
    /// Number of pieces.
    items_count: Quantity,
    /// Sum of `qty` × `price` of the lines, in minor currency units.
    subtotal: Money,
    /// Sum of the discounts, in minor currency units.
    discount: Money,
    /// Sum of the tax, in minor currency units.
    tax: Money,
    /// Sum of the cash rounding of the payments, in minor currency units.
    rounding: Money,
    /// Total of the sale before cash rounding, in minor currency units.
    total: Money,
    /// When the sale was paid in full.
    paid_at: UtcMs,
    /// When the hub last changed the sale, or a return its `refunded`; by the hub's clock.
    updated_at: UtcMs,
}

impl View {
    /// Store and event by which the parts of the sale are found.
    pub fn key(&self) -> (String, String) {
        (self.store_id.clone(), self.event_id.clone())
    }
}

/// A sale as last reported by its store, with its entries in the books.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoreTransactionDetail")]
pub struct Detail<'a> {
    /// The sale; `refunded` sums up the returns of all stores.
    #[serde(flatten)]
    pub transaction: TransactionView<'a>,
    /// Whether prices contained tax.
    pub prices_include_tax: bool,
    /// ID of the latest store event.
    pub event_id: &'a str,
    /// Entries in the books: of the sale, of its void, and of a corrected payment.
    pub entries: &'a [DocumentEntry],
    /// Items of the sale that third parties have to settle.
    pub settlement_items: &'a [SettlementItem],
    /// When the hub last changed the sale, or a return its `refunded`; by the hub's clock.
    pub updated_at: UtcMs,
}

/// Fields of a record about a sale.
#[derive(Deserialize)]
struct Payload {
    transaction: Transaction,
}

/// A sale with the event that reported it last.
pub struct Found {
    transaction: Transaction,
    event_id: String,
    entries: Vec<DocumentEntry>,
    settlement_items: Vec<SettlementItem>,
    updated_at: UtcMs,
}

impl Found {
    /// The view of one.
    pub fn detail(&self) -> Detail<'_> {
        Detail {
            transaction: TransactionView::new(&self.transaction, Role::Admin),
            prices_include_tax: self.transaction.prices_include_tax,
            event_id: &self.event_id,
            entries: &self.entries,
            settlement_items: &self.settlement_items,
            updated_at: self.updated_at,
        }
    }
}

/// Position of a page: the day, moment, sale, store, event and change of the last item before it.
pub type Bookmark = (Date, i64, String, String, String, i64);

/// The place of a sale.
pub fn place(item: &View) -> Bookmark {
    let View { business_date, paid_at, transaction_id, store_id, event_id, updated_at, .. } = item;
    let [id, store_id, event_id] = [transaction_id, store_id, event_id].map(String::clone);
    (*business_date, paid_at.0, id, store_id, event_id, updated_at.0)
}

/// A product or a method leads to a sale once, by the first of its rows.
const BY_SKU: &str = "l.store_id = s.store_id AND l.event_id = s.event_id AND l.is_first = 1 AND l.sku = ?";
const HAS_SKU: &str = "EXISTS (SELECT 1 FROM sale_lines l WHERE l.store_id = s.store_id AND l.event_id = s.event_id \
                       AND CAST(l.sku AS TEXT) = ?)";
const BY_METHOD: &str =
    "p.store_id = s.store_id AND p.event_id = s.event_id AND p.is_first = 1 AND p.method = ?";
const HAS_METHOD: &str = "EXISTS (SELECT 1 FROM payments p WHERE p.store_id = s.store_id AND p.event_id = s.event_id \
                          AND CAST(p.method AS TEXT) = ?)";
const BY_LATE: &str = "j.reference_date IS NOT NULL AND j.store_id = s.store_id AND j.cause_key = s.event_id";
/// Order of changes.
const CHANGED: [&str; 3] = ["s.updated_at", "s.store_id", "s.event_id"];
const LATE: &str = "EXISTS (SELECT 1 FROM journal j WHERE j.reference_date IS NOT NULL \
                    AND j.store_id = s.store_id AND j.cause_key = s.event_id)";

/// The way to find the requested sales: its table beside them, the business day as its index has it, and the conditions
/// of each filter that an index may serve. SQLite considers all indexes equal: a condition that must not be used for
/// the look-up is cast, which PostgreSQL ignores.
struct Way {
    from: &'static str,
    day: &'static str,
    store: &'static str,
    cashier: &'static str,
    sku: &'static str,
    method: &'static str,
    late: &'static str,
}

const OF_SALES: Way = Way {
    from: "sales s",
    day: "s.business_date",
    store: "s.store_id = ?",
    cashier: "s.cashier_id = ?",
    sku: HAS_SKU,
    method: HAS_METHOD,
    late: LATE,
};
/// Way by a condition with few sales, or by a table beside them.
const OF_FEW: Way =
    Way { store: "CAST(s.store_id AS TEXT) = ?", cashier: "CAST(s.cashier_id AS TEXT) = ?", ..OF_SALES };

impl Way {
    /// Sales of a receipt, a member or a shift are few, and so are late and reversed ones; a product or a method has an
    /// index by days.
    fn of(ask: &TransactionsQuery) -> Self {
        if ask.updated_from.is_some() {
            Self { day: "CAST(s.business_date AS TEXT)", ..OF_FEW }
        } else if ask.receipt_no.is_some() || ask.member_id.is_some() || ask.shift_id.is_some() {
            OF_FEW
        } else if ask.late == Some(true) {
            Self { from: "journal j CROSS JOIN sales s", late: BY_LATE, ..OF_FEW }
        } else if ask.sku.is_some() {
            Self {
                from: "sale_lines l CROSS JOIN sales s",
                day: "l.business_date",
                store: "CAST(l.store_id AS TEXT) = ?",
                sku: BY_SKU,
                ..OF_FEW
            }
        } else if ask.method.is_some() {
            let (from, day) = ("payments p CROSS JOIN sales s", "p.business_date");
            Self { from, day, store: "CAST(p.store_id AS TEXT) = ?", method: BY_METHOD, ..OF_FEW }
        } else if ask.state == Some(State::Voided) {
            OF_FEW
        } else {
            OF_SALES
        }
    }
}

/// The statement of a page with its parameters: the newest first, or by change.
pub fn statement(ask: &TransactionsQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let Way { from, day, store, cashier, sku, method, late } = Way::of(ask);
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    // The day alone narrows an index that does not continue with the other columns of the order.
    let reached = before.as_ref().filter(|_| ask.updated_from.is_none()).map(|(date, ..)| *date);
    let last = ask.to.into_iter().chain(reached).min();
    let places = before.map(|(date, paid_at, id, store_id, event_id, updated_at)| {
        let texts = [id, store_id, event_id].map(|text| Bound::from(text.as_str()));
        let [id, store_id, event_id] = texts;
        let changed = [updated_at.into(), store_id.clone(), event_id.clone()];
        ([Bound::from(date.to_string().as_str()), paid_at.into(), id, store_id, event_id], changed)
    });
    let (below, after) = places.unzip();
    let order = [day, "s.paid_at", "s.transaction_id", "s.store_id", "s.event_id"];
    let conditions = Conditions::default()
        .text(store, ask.store_id.as_deref())
        .text("s.receipt_no = ?", ask.receipt_no.as_deref())
        .text("s.member_id = ?", ask.member_id.as_deref())
        .text("s.shift_id = ?", ask.shift_id.as_deref())
        .text(cashier, ask.cashier_id.as_deref())
        .text(sku, ask.sku.as_deref())
        .text(method, ask.method.as_deref())
        .plain("s.voided_event IS NULL", ask.state == Some(State::Paid))
        .plain("s.voided_event IS NOT NULL", ask.state == Some(State::Voided))
        .plain(late, ask.late == Some(true))
        .plain(&format!("NOT {LATE}"), ask.late == Some(false))
        .text(&format!("{day} >= ?"), date(ask.from).as_deref())
        .text(&format!("{day} <= ?"), date(last).as_deref());
    let (conditions, order) = match ask.updated_from {
        Some(from) => (conditions.changed(CHANGED, from, after), CHANGED.join(", ")),
        None => (conditions.below(order, below), order.map(|column| format!("{column} DESC")).join(", ")),
    };
    let sql = format!("SELECT {COLUMNS} FROM {from} WHERE {{}} ORDER BY {order} LIMIT {limit}");
    (conditions, sql)
}

const COLUMNS: &str = "s.transaction_id, s.receipt_no, s.voided_event, s.business_date, s.store_id, s.event_id, \
                       s.register_id, s.shift_id, s.cashier_id, s.member_id, s.items_count, s.gross, s.discount, \
                       s.tax, s.rounding, s.total, s.paid_at, s.updated_at";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let voided: Option<String> = row.cell("voided_event")?;
    let state = if voided.is_some() { State::Voided } else { State::Paid };
    Ok(columns!(row => View {
        transaction_id, receipt_no, business_date, store_id, event_id, register_id, shift_id, cashier_id, member_id,
        items_count, subtotal: "gross", discount, tax, rounding, total, paid_at, updated_at; state = state,
    }))
}

/// A page, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &TransactionsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}

/// One sale, as its store last reported it.
pub async fn read(pool: &AnyPool, id: &str, of: &OfStore) -> Result<Option<Found>, sqlx::Error> {
    let conditions = Conditions::default()
        .text("transaction_id = ?", Some(id))
        .text("store_id = ?", of.store_id.as_deref());
    let sql = "SELECT store_id, COALESCE(voided_event, corrected_event, event_id) AS event_id, updated_at FROM sales \
               WHERE {} ORDER BY sales.event_id LIMIT 1";
    let Some(row) = conditions.query(sql).fetch_optional(pool).await? else { return Ok(None) };
    let (store_id, event_id, updated_at): (String, String, UtcMs) =
        columns!(row => (store_id, event_id, updated_at));
    let Payload { mut transaction } = record::payload(pool, &store_id, &event_id).await?;
    let sql = "SELECT CAST(COALESCE(SUM(refund_total), 0) AS BIGINT) FROM returns \
               WHERE voided_event IS NULL \
               AND (transaction_id = $1 OR (transaction_id IS NULL AND origin_receipt_no = $2))";
    let query = sqlx::query_scalar(sql).bind(id).bind(&transaction.receipt_no);
    transaction.refunded = Money::new(query.fetch_one(pool).await?);
    let entries = entries::of(pool, &store_id, id).await?;
    let settlement_items = item::of_document(pool, &store_id, id).await?;
    Ok(Some(Found { transaction, event_id, entries, settlement_items, updated_at }))
}
