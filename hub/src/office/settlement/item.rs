//! Lists the items that providers and banks have to settle.

use crate::columns;
use crate::db::filter::{Bound, Conditions};
use crate::http::csv_rows::Table;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use edge::csv::Separator;
use edge::page::{Cursor, Limit};
use jiff::Span;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe};

/// Greatest age in days that can be asked for.
const DAYS_MAX: u32 = 3_650;

/// State of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SettlementItemState")]
pub enum State {
    /// No line was found for the item.
    Open,
    /// A line was found for the item.
    Matched,
    /// The match of the item was approved.
    Posted,
    /// Written off: the money is no longer expected.
    WrittenOff,
}

/// Kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SettlementItemKind")]
enum Kind {
    /// A customer's payment.
    Payment,
    /// A refund to a customer.
    Refund,
    /// Cash that was handed to the bank.
    Deposit,
    /// A payment to a supplier.
    SupplierPayment,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Matched => "matched",
            Self::Posted => "posted",
            Self::WrittenOff => "written_off",
        }
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those paid by this method.
    pub method: Option<String>,
    /// Only those in this state.
    pub state: Option<State>,
    /// Only open or matched items, without payments to suppliers: the amounts on clearing accounts and on the way to
    /// the bank.
    pub unposted: Option<bool>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
    /// Only items of the settlement of this day.
    pub settlement_date: Option<Date>,
    /// Only items whose business day is more than this number of days ago.
    pub older_than_days: Option<u32>,
    /// Delimiter of the cells of a CSV answer.
    #[serde(default)]
    pub separator: Separator,
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettlementItemsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those paid by this method.
    pub method: Option<String>,
    /// Only those in this state.
    pub state: Option<State>,
}

impl SettlementItemsQuery {
    /// The items of this settlement.
    pub fn of_day(&self, store_id: String, day: Date) -> ItemsQuery {
        let (method, state) = (self.method.clone(), self.state);
        ItemsQuery {
            store_id: Some(store_id),
            settlement_date: Some(day),
            method,
            state,
            ..ItemsQuery::default()
        }
    }
}

/// A payment, refund, deposit or payment to a supplier that is to be settled.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementItem")]
pub struct View {
    /// ID of the item.
    item_id: String,
    /// Store of the item. Empty for head office.
    store_id: String,
    /// Kind of the item.
    kind: Kind,
    /// Payment method.
    method: String,
    /// Account that holds the amount until it is settled.
    account: String,
    /// Business day of the item.
    business_date: Date,
    /// Day of the settlement that the item belongs to.
    settlement_date: Date,
    /// Day of its entry in the books. Null if it is not posted yet.
    entry_date: Option<Date>,
    /// Amount of the item in minor currency units, positive for incoming money.
    amount: Money,
    /// Slip number or other reference. Null for none.
    reference: Option<String>,
    /// ID of the sale, the return, the deposit or the payment.
    document_id: String,
    /// Receipt number. Null for none.
    receipt_no: Option<String>,
    /// Register of the payment. Null for none.
    register_id: Option<String>,
    /// When the money was paid or handed over.
    occurred_at: UtcMs,
    /// ID of the item that it reverses. Null for none.
    contra_of: Option<String>,
    /// State of the item.
    state: State,
    /// ID of the item's match. Null if it has none.
    match_id: Option<String>,
    /// Whether the item was reported after the settlement of its day was approved.
    late: bool,
    /// Day until which the item is carried. Null if it is not carried.
    carried_until: Option<Date>,
}

/// Columns of the CSV answer.
pub const TABLE: Table = Table {
    names: &[
        "item_id",
        "store_id",
        "kind",
        "method",
        "account",
        "business_date",
        "settlement_date",
        "entry_date",
        "amount",
        "reference",
        "document_id",
        "receipt_no",
        "register_id",
        "occurred_at",
        "contra_of",
        "state",
        "match_id",
        "late",
        "carried_until",
    ],
    numbers: &[],
};

/// Position of a page: the day, store and item of the last item before it.
pub type Bookmark = (Date, String, String);

/// The place of an item.
pub fn place(item: &View) -> Bookmark {
    (item.business_date, item.store_id.clone(), item.item_id.clone())
}

/// The items of a store's document, in the order in which they were reported.
///
/// # Errors
/// A database error.
pub async fn of_document(
    pool: &AnyPool,
    store_id: &str,
    document_id: &str,
) -> Result<Vec<View>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM settlement_items WHERE store_id = $1 AND document_id = $2 \
         ORDER BY occurred_at, item_id"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id.to_owned()).bind(document_id.to_owned());
    query.fetch_all(pool).await?.iter().map(view).collect()
}

const COLUMNS: &str = "item_id, store_id, kind, method, account, business_date, settlement_date, amount, reference, \
                       document_id, receipt_no, register_id, occurred_at, contra_of, state, match_id, late, \
                       carried_until, \
                       CASE WHEN event_id <> '' THEN (SELECT j.entry_date FROM journal j \
                       WHERE j.store_id = settlement_items.store_id AND j.cause_key = settlement_items.event_id) \
                       WHEN kind = 'supplier_payment' THEN (SELECT MIN(j.entry_date) FROM journal j \
                       WHERE j.cause_id = settlement_items.document_id) \
                       ELSE (SELECT MIN(j.entry_date) FROM journal j \
                       WHERE j.entry_id = settlement_items.document_id \
                       AND j.store_id = settlement_items.store_id) END AS entry_date";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    Ok(columns!(row => View {
        item_id, store_id, method, account, business_date, settlement_date, amount, reference, document_id, receipt_no,
        register_id, occurred_at, contra_of, match_id, late, carried_until, entry_date;
        kind = row.named("kind")?, state = row.named("state")?,
    }))
}

/// The newest first, after a place; `today` is head office's.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &ItemsQuery,
    today: Date,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let old = ask
        .older_than_days
        .map(|days| today.checked_sub(Span::new().days(days.min(DAYS_MAX))).unwrap_or(today));
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, store_id, item_id)| {
        [date.to_string(), store_id, item_id].map(|text| Bound::from(text.as_str()))
    });
    let conditions = Conditions::default()
        .text("store_id = ?", ask.store_id.as_deref())
        .text("method = ?", ask.method.as_deref())
        .text("state = ?", ask.state.map(State::name))
        .plain("state IN ('open', 'matched') AND kind <> 'supplier_payment'", ask.unposted == Some(true))
        .plain("(state NOT IN ('open', 'matched') OR kind = 'supplier_payment')", ask.unposted == Some(false))
        .text("business_date >= ?", date(ask.from).as_deref())
        .text("business_date <= ?", date(ask.to).as_deref())
        .text("settlement_date = ?", date(ask.settlement_date).as_deref())
        .text("business_date < ?", date(old).as_deref())
        .below(["business_date", "store_id", "item_id"], below);
    let sql = format!(
        "SELECT {COLUMNS} FROM settlement_items WHERE {{}} \
         ORDER BY business_date DESC, store_id DESC, item_id DESC LIMIT {limit}"
    );
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}
