//! Cash that left stores for the bank.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::documents::bag::Bags;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// State of a deposit's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DepositState")]
pub enum State {
    /// The deposit left the store, and the bank has not reported it yet.
    OnTheWay,
    /// The bank has reported the money.
    Banked,
    /// The bank should have reported the money by now, or the money was written off.
    Missing,
}

/// Another bag reverses it, or it reverses one: it is at no place.
const TAKEN_BACK: &str = "(d.reverses IS NOT NULL OR EXISTS (SELECT 1 FROM deposits b WHERE b.store_id = d.store_id \
                          AND b.reverses = d.deposit_id))";

impl State {
    /// Condition for deposits `d` in this state, by their items of settlement.
    fn condition(self) -> String {
        let item = |states: &str| {
            format!(
                "EXISTS (SELECT 1 FROM settlement_items i WHERE i.store_id = d.store_id AND i.item_id = d.deposit_id \
                 AND i.state {states})"
            )
        };
        let missed = "EXISTS (SELECT 1 FROM settlement_exceptions e WHERE e.store_id = d.store_id \
                      AND e.item_id = d.deposit_id AND e.kind = 'deposit_missing' AND e.state = 'open')";
        let stands = match self {
            Self::OnTheWay => format!("{} AND NOT {missed}", item("= 'open'")),
            Self::Banked => item("IN ('matched', 'posted')"),
            Self::Missing => format!("({} OR {missed})", item("= 'written_off'")),
        };
        format!("NOT {TAKEN_BACK} AND {stands}")
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DepositsQuery {
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
    /// Only those in this state. Deposits that were taken back, and those that took them back, are left out.
    pub state: Option<State>,
}

/// A bank deposit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreDeposit")]
pub struct View {
    /// ID of the deposit.
    deposit_id: String,
    /// Store that made the deposit.
    store_id: String,
    /// ID of the store's event.
    event_id: String,
    /// Amount of the deposit in minor currency units. Negative if it reverses another deposit.
    amount: Money,
    /// Deposit that this one reverses. Null for none.
    reverses: Option<String>,
    /// Number of the deposit bag.
    bag_no: String,
    /// Bank account that the cash goes to.
    bank_account: String,
    /// When the cash left the store.
    deposited_at: UtcMs,
    /// Business date of the deposit.
    business_date: Date,
    /// State of the deposit's money. Null if the deposit was reversed, or reverses another one.
    state: Option<State>,
    /// Amount counted by the bank, in minor currency units. Null until the bank reports it. If the bank reports several
    /// bags together, each has its share.
    banked: Option<Money>,
    /// `amount` − `banked`, in minor currency units. Null until the bank reports the deposit.
    difference: Option<Money>,
    /// Line of the bank's statement that reports the deposit, the first if there are several. Null until the bank
    /// reports it.
    statement_line: Option<String>,
}

/// Position of a page: the day, moment, deposit, store and event of the last item before it.
pub type Bookmark = (Date, i64, String, String, String);

/// The place of a deposit.
pub fn place(item: &View) -> Bookmark {
    let View { business_date, deposited_at, deposit_id, store_id, event_id, .. } = item;
    (*business_date, deposited_at.0, deposit_id.clone(), store_id.clone(), event_id.clone())
}

/// The statement of a page, the newest first, with its parameters.
pub fn statement(ask: &DepositsQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, at, id, store_id, event_id)| {
        let [id, store_id, event_id] = [id, store_id, event_id].map(|text| Bound::from(text.as_str()));
        [Bound::from(date.to_string().as_str()), at.into(), id, store_id, event_id]
    });
    let order = ["d.business_date", "d.deposited_at", "d.deposit_id", "d.store_id", "d.event_id"];
    let stands = ask.state.map(State::condition);
    let conditions = Conditions::default()
        .text("d.store_id = ?", ask.store_id.as_deref())
        .text("d.business_date >= ?", date(ask.from).as_deref())
        .text("d.business_date <= ?", date(ask.to).as_deref())
        .plain(stands.as_deref().unwrap_or_default(), stands.is_some())
        .below(order, below);
    let order = order.map(|column| format!("{column} DESC")).join(", ");
    let columns = format!(
        "d.deposit_id, d.store_id, d.event_id, d.amount, d.reverses, d.bag_no, d.bank_account, \
                   d.deposited_at, d.business_date, CASE WHEN {TAKEN_BACK} THEN 1 ELSE 0 END AS taken_back"
    );
    (conditions, format!("SELECT {columns} FROM deposits d WHERE {{}} ORDER BY {order} LIMIT {limit}"))
}

/// The newest first, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &DepositsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    let rows = conditions.query(&sql).fetch_all(&mut *connection).await?;
    let bags = Bags::of(connection, &rows).await?;
    rows.iter().map(|row| view(row, &bags)).collect()
}

fn view(row: &AnyRow, bags: &Bags) -> Result<View, sqlx::Error> {
    let (store_id, deposit_id, amount): (String, String, Money) =
        columns!(row => (store_id, deposit_id, amount));
    let taken_back: bool = row.cell("taken_back")?;
    let bag = bags.0.get(&(store_id.clone(), deposit_id.clone())).filter(|_| !taken_back);
    let at_bank = bag.and_then(|bag| bag.at_bank.as_ref());
    Ok(columns!(row => View {
        event_id, reverses, bag_no, bank_account, deposited_at, business_date;
        store_id = store_id, deposit_id = deposit_id, amount = amount, state = bag.map(|bag| bag.state),
        banked = at_bank.map(|bank| amount.saturating_sub(bank.difference)),
        difference = at_bank.map(|bank| bank.difference),
        statement_line = at_bank.and_then(|bank| bank.line_id.clone()),
    }))
}
