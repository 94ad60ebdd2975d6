//! Transfers between stores, as far as they are known to be.

use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::office::documents::entries::{self, DocumentEntry};
use domain::model::inventory::transfer::{Transfer, TransferState};
use domain::rules::inventory::transfer::{TransferView, view};
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyPool;

/// Direction of the goods, as seen from a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TransferDirection")]
pub enum Direction {
    /// The goods come to the store.
    In,
    /// The goods leave the store.
    Out,
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransfersQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those from or to this store.
    pub store_id: Option<String>,
    /// Only those that come to that store, or only those that leave it. Without a store it has no effect.
    pub direction: Option<Direction>,
    /// Only those in this state.
    pub state: Option<TransferState>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
}

/// A transfer with its entries in the books of both stores.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TransferDetail")]
pub struct Detail {
    #[serde(flatten)]
    #[schemars(with = "TransferView")]
    transfer: Value,
    /// Entries in the books: first those of the sender, then those of the receiver.
    entries: Vec<DocumentEntry>,
}

/// Position of a page: the day and transfer of the last item before it.
pub type Bookmark = (Date, String);

/// A transfer, and its day in the list: that of the first reported step.
pub type Listed = (Date, Transfer);

/// The place of a transfer.
pub fn place((day, transfer): &Listed) -> Bookmark {
    (*day, transfer.transfer_id.0.clone())
}

/// The statement of a page, the newest first, with its parameters.
pub fn statement(ask: &TransfersQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, id)| [Bound::from(date.to_string().as_str()), Bound::from(id.as_str())]);
    let ends = match ask.direction {
        None => "(from_store = ? OR to_store = ?)",
        Some(Direction::In) => "to_store = ?",
        Some(Direction::Out) => "from_store = ?",
    };
    let conditions = Conditions::default()
        .text(ends, ask.store_id.as_deref())
        .text("state = ?", ask.state.map(TransferState::name))
        .text("business_date >= ?", date(ask.from).as_deref())
        .text("business_date <= ?", date(ask.to).as_deref())
        .below(["business_date", "transfer_id"], below);
    let sql = "SELECT business_date, document FROM transfers WHERE {} ORDER BY business_date DESC, transfer_id DESC";
    (conditions, format!("{sql} LIMIT {limit}"))
}

/// The newest first, after a place.
pub async fn list(
    pool: &AnyPool,
    ask: &TransfersQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Listed>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    let rows = conditions.query(&sql).fetch_all(pool).await?;
    rows.iter().map(|row| Ok((row.cell("business_date")?, row.json("document")?))).collect()
}

pub async fn read(pool: &AnyPool, id: &str) -> Result<Option<Detail>, sqlx::Error> {
    let conditions = Conditions::default().text("transfer_id = ?", Some(id));
    let query = conditions.query("SELECT document FROM transfers WHERE {}");
    let Some(row) = query.fetch_optional(pool).await? else { return Ok(None) };
    let transfer: Transfer = row.json("document")?;
    let mut entries = entries::of(pool, transfer.from_store_id.as_str(), id).await?;
    entries.extend(entries::of(pool, transfer.to_store_id.as_str(), id).await?);
    Ok(Some(Detail { transfer: view(&transfer), entries }))
}
