//! Cash that left stores for the bank.

use crate::columns;
use crate::db::filter::{Bound, Conditions};
use crate::http::bound_page::asks;
use domain::model::base::time::UtcMs;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyPool;
use sqlx::any::AnyRow;

/// Where a deposit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DepositState")]
pub enum State {
    /// It left the store, and was not taken back.
    OnTheWay,
}

/// Which are asked for.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DepositsQuery {
    /// Items on a page.
    #[serde(default, skip_serializing)]
    pub limit: Limit,
    /// Where the last page stopped.
    #[serde(skip_serializing)]
    pub cursor: Option<Cursor>,
    /// Of one store.
    pub store_id: Option<String>,
    /// Of this business day or later.
    pub from: Option<Date>,
    /// Of this business day or earlier.
    pub to: Option<Date>,
    /// Without those that were taken back, and what took them back.
    pub state: Option<State>,
}
asks!(DepositsQuery, "deposits");

/// Cash that left for the bank.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreDeposit")]
pub struct View {
    deposit_id: String,
    store_id: String,
    /// The event that told of it.
    event_id: String,
    /// Below 0: it takes another deposit back.
    amount: i64,
    /// The deposit that it takes back.
    reverses: Option<String>,
    bag_no: String,
    bank_account: String,
    deposited_at: UtcMs,
    business_date: Date,
}

/// Where a page begins: after this day, moment, deposit, store and event.
pub type Bookmark = (Date, i64, String, String, String);

/// The place of a deposit.
pub fn place(item: &View) -> Bookmark {
    let View { business_date, deposited_at, deposit_id, store_id, event_id, .. } = item;
    (*business_date, deposited_at.0, deposit_id.clone(), store_id.clone(), event_id.clone())
}

/// The statement of a page, the newest first, and what is bound to it.
pub fn statement(ask: &DepositsQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, at, id, store_id, event_id)| {
        let [id, store_id, event_id] = [id, store_id, event_id].map(|text| Bound::from(text.as_str()));
        [Bound::from(date.to_string().as_str()), at.into(), id, store_id, event_id]
    });
    let order = ["d.business_date", "d.deposited_at", "d.deposit_id", "d.store_id", "d.event_id"];
    let conditions = Conditions::default()
        .text("d.store_id = ?", ask.store_id.as_deref())
        .text("d.business_date >= ?", date(ask.from).as_deref())
        .text("d.business_date <= ?", date(ask.to).as_deref())
        .plain(
            "d.reverses IS NULL AND NOT EXISTS (SELECT 1 FROM deposits b WHERE b.store_id = d.store_id \
             AND b.reverses = d.deposit_id)",
            ask.state == Some(State::OnTheWay),
        )
        .below(order, below);
    let order = order.map(|column| format!("{column} DESC")).join(", ");
    let columns = "d.deposit_id, d.store_id, d.event_id, d.amount, d.reverses, d.bag_no, d.bank_account, \
                   d.deposited_at, d.business_date";
    (conditions, format!("SELECT {columns} FROM deposits d WHERE {{}} ORDER BY {order} LIMIT {limit}"))
}

/// The newest first, after a place.
pub async fn list(
    pool: &AnyPool,
    ask: &DepositsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    let view = |row: &AnyRow| {
        Ok(columns!(row => View {
            deposit_id, store_id, event_id, amount, reverses, bag_no, bank_account, deposited_at, business_date,
        }))
    };
    conditions.query(&sql).fetch_all(pool).await?.iter().map(view).collect()
}
