//! Settlements: the amounts that a store's day expects from providers and banks, and how much was paid.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions};
use crate::office::reports::completeness::{self, Completeness};
use crate::office::settlement::by_method::{self, ByMethod};
use crate::office::settlement::drawer::{self, Cash};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::state::SettlementState;
use edge::page::{Cursor, Limit};
use edge::{ApiError, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// Number of exceptions by state.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementExceptionCounts")]
pub struct Counts {
    /// Number of exceptions that need a decision.
    open: i64,
    /// Number of exceptions that are resolved.
    resolved: i64,
}

/// Settlement of a store's day.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Settlement")]
pub struct View {
    /// ID of the settlement, `stl_…`.
    pub settlement_id: String,
    /// ID of the store.
    pub store_id: String,
    /// Business day of the settlement.
    pub business_date: Date,
    /// State of the settlement.
    pub state: SettlementState,
    /// Whether it was created before its day was sealed.
    pub forced: bool,
    /// Note of the approver. Null if there is none.
    pub note: Option<String>,
    /// User who approved the document. Null until it is approved.
    pub approved_by: Option<String>,
    /// When the settlement was approved. Null until then.
    pub approved_at: Option<UtcMs>,
}

/// A settlement in a list, with its figures.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedSettlement")]
pub struct Listed {
    /// The settlement itself.
    #[serde(flatten)]
    pub settlement: View,
    /// Sum of the payments and refunds that third parties settle, in minor currency units. Fixed once the settlement is
    /// approved.
    pub expected: Money,
    /// Amount without a match, in minor currency units.
    pub open: Money,
    /// Fee that the provider keeps, in minor currency units.
    pub fee: Money,
    /// Net amount that reaches the account, in minor currency units.
    pub net: Money,
    /// Number of exceptions that need a decision.
    pub exceptions_open: i64,
}

/// A settlement with its figures.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementDetail")]
pub struct Detail {
    /// The settlement itself.
    #[serde(flatten)]
    pub settlement: View,
    /// Figures by payment method.
    pub by_method: Vec<ByMethod>,
    /// Sum of the provider's fees of the matched items, in minor currency units.
    pub fee: Money,
    /// Missing amount of the matched items, not counting the fees, in minor currency units.
    pub difference: Money,
    /// Net amount that reaches the account, in minor currency units.
    pub net: Money,
    /// Cash in the drawers of the day.
    pub cash: Cash,
    /// Number of exceptions of the settlement.
    pub exceptions: Counts,
    /// Whether the store has reported all records of the day.
    pub completeness: Completeness,
    /// IDs of the posted entries.
    pub entries: Vec<String>,
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettlementsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those of this day or later.
    pub from: Option<Date>,
    /// Only those of this day or earlier.
    pub to: Option<Date>,
    /// Only those in this state.
    pub state: Option<SettlementState>,
}

/// Position of a page: the day and store of the last item before it.
pub type Bookmark = (Date, String);

/// The place of a settlement.
pub fn place(Listed { settlement, .. }: &Listed) -> Bookmark {
    (settlement.business_date, settlement.store_id.clone())
}

const COLUMNS: &str = "settlement_id, store_id, business_date, state, forced, note, approved_by, approved_at";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let known = |word: &str| SettlementState::ALL.into_iter().find(|known| known.name() == word);
    let state = row.word("state", known)?;
    Ok(columns!(row => View {
        settlement_id, store_id, business_date, forced, note, approved_by, approved_at; state = state,
    }))
}

/// The newest first, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &SettlementsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Listed>, sqlx::Error> {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below =
        before.map(|(date, store)| [Bound::from(date.to_string().as_str()), Bound::from(store.as_str())]);
    let conditions = Conditions::default()
        .text("store_id = ?", ask.store_id.as_deref())
        .text("business_date >= ?", date(ask.from).as_deref())
        .text("business_date <= ?", date(ask.to).as_deref())
        .text("state = ?", ask.state.map(SettlementState::name))
        .below(["business_date", "store_id"], below);
    let items = |condition: &str| {
        format!(
            "(SELECT CAST(COALESCE(SUM(CASE WHEN {condition} THEN i.amount ELSE 0 END), 0) AS BIGINT) \
             FROM settlement_items i WHERE i.store_id = s.store_id AND i.settlement_date = s.business_date \
             AND i.kind IN ('payment', 'refund') AND s.figures IS NULL)"
        )
    };
    let slices = |figure: &str| {
        format!(
            "(SELECT CAST(COALESCE(SUM(m.{figure}), 0) AS BIGINT) FROM match_slices m \
             WHERE m.store_id = s.store_id AND m.settlement_date = s.business_date)"
        )
    };
    let sql = format!(
        "SELECT {COLUMNS}, COALESCE(figures, '[]') AS figures, {} AS expected, {} AS open_sum, {} AS fee, {} AS net, \
         (SELECT COUNT(*) FROM settlement_exceptions e WHERE e.store_id = s.store_id \
         AND e.business_date = s.business_date AND e.state = 'open') AS exceptions_open \
         FROM settlements s WHERE {{}} ORDER BY business_date DESC, store_id DESC LIMIT {limit}",
        items("1 = 1"),
        items("i.state = 'open'"),
        slices("fee"),
        slices("net"),
    );
    conditions.query(&sql).fetch_all(connection).await?.iter().map(listed).collect()
}

fn listed(row: &AnyRow) -> Result<Listed, sqlx::Error> {
    let approved = by_method::sums(&row.json::<Vec<ByMethod>>("figures")?);
    let mut listed = columns!(row => Listed {
        expected, open: "open_sum", fee, net, exceptions_open; settlement = view(row)?,
    });
    listed.expected = listed.expected.saturating_add(approved.0);
    listed.open = listed.open.saturating_add(approved.1);
    Ok(listed)
}

/// One of them.
///
/// # Errors
/// 404.
pub async fn find(connection: &mut AnyConnection, settlement_id: &str) -> Result<View, Failure> {
    let conditions = Conditions::default().text("settlement_id = ?", Some(settlement_id));
    let query = conditions.query(&format!("SELECT {COLUMNS} FROM settlements WHERE {{}}"));
    let row = query.fetch_optional(connection).await?.ok_or_else(|| ApiError::not_found("the settlement"))?;
    Ok(view(&row)?)
}

/// One of them, with its figures.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, settlement_id: &str) -> Result<Detail, Failure> {
    let settlement = find(connection, settlement_id).await?;
    let (store_id, day) = (settlement.store_id.clone(), settlement.business_date.to_string());
    let by_method = by_method::of(connection, &store_id, settlement.business_date).await?;
    let sql = "SELECT CAST(COALESCE(SUM(fee), 0) AS BIGINT) AS fee, \
               CAST(COALESCE(SUM(difference), 0) AS BIGINT) AS difference, \
               CAST(COALESCE(SUM(net), 0) AS BIGINT) AS net FROM match_slices \
               WHERE store_id = $1 AND settlement_date = $2";
    let row = sqlx::query(sql).bind(&store_id).bind(&day).fetch_one(&mut *connection).await?;
    let (fee, difference, net): (Money, Money, Money) = columns!(row => (fee, difference, net));
    let sql = "SELECT CAST(COALESCE(SUM(CASE WHEN state = 'open' THEN 1 ELSE 0 END), 0) AS BIGINT) AS open_count, \
               CAST(COALESCE(SUM(CASE WHEN state = 'open' THEN 0 ELSE 1 END), 0) AS BIGINT) AS resolved \
               FROM settlement_exceptions WHERE store_id = $1 AND business_date = $2";
    let row = sqlx::query(sql).bind(&store_id).bind(&day).fetch_one(&mut *connection).await?;
    let exceptions = columns!(row => Counts { open: "open_count", resolved });
    let sql = "SELECT entry_id FROM journal WHERE cause_id = $1 AND store_id = $2 ORDER BY entry_no";
    let rows = sqlx::query(sql).bind(settlement_id).bind(&store_id).fetch_all(&mut *connection).await?;
    let entries = rows.iter().map(|row| row.cell("entry_id")).collect::<Result<_, _>>()?;
    let cash = drawer::of(connection, &store_id, settlement.business_date).await?;
    let span = (settlement.business_date, settlement.business_date);
    let completeness = completeness::of(connection, Some(&store_id), span, clock::now()).await?;
    Ok(Detail { settlement, by_method, fee, difference, net, cash, exceptions, completeness, entries })
}
