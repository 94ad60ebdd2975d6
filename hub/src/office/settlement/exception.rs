//! Lists exceptions.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions};
use crate::http::paged_list::page_query;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::ItemRef;
use domain::rules::books::settlement::exception::ExceptionKind;
use edge::ApiError;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool};

/// Whether the exception needs a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SettlementExceptionState")]
pub enum State {
    /// The exception needs a decision.
    Open,
    /// The exception is resolved.
    Resolved,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
        }
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExceptionsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this type.
    #[serde(rename = "type")]
    pub kind: Option<ExceptionKind>,
    /// Only open or only resolved ones.
    pub state: Option<State>,
    /// Only those of this store.
    pub store_id: Option<String>,
    /// Only those of this source.
    pub source_id: Option<String>,
    /// Only those of this payment method.
    pub method: Option<String>,
    /// Only exceptions that prevent, or prevented, the approval of this settlement.
    pub settlement_id: Option<String>,
    /// Only those of this business day or later.
    pub from: Option<Date>,
    /// Only those of this business day or earlier.
    pub to: Option<Date>,
}
page_query!(ExceptionsQuery);

/// An exception of the settlement.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementException")]
pub struct View {
    /// ID of the exception, `sxc_…`.
    pub exception_id: String,
    /// Type of the disagreement.
    #[serde(rename = "type")]
    pub kind: ExceptionKind,
    /// Source of the payments. Null if there is none.
    pub source_id: Option<String>,
    /// Statement of the line. Null for none.
    pub statement_id: Option<String>,
    /// Store whose settlement can't be approved before the exception is resolved. Null for none.
    pub store_id: Option<String>,
    /// Business day of the settlement. Null for none.
    pub business_date: Option<Date>,
    /// ID of the settlement. Null if it does not exist yet, or there is none.
    pub settlement_id: Option<String>,
    /// Payment method of its items. Null if it has none, or they were paid by several methods.
    pub method: Option<String>,
    /// Amount of the difference, or of the lines and items, in minor currency units.
    pub amount: Money,
    /// Store and ID of each item that it is about.
    #[serde(skip)]
    pub items: Vec<ItemRef>,
    /// IDs of the items.
    pub item_ids: Vec<String>,
    /// IDs of the lines.
    pub line_ids: Vec<String>,
    /// Groups of item IDs that fit equally well.
    pub candidates: Vec<Vec<String>>,
    /// Whether the exception needs a decision.
    pub state: State,
    /// Chosen resolution. Null while the exception is open, and if another exception replaced it.
    pub resolution: Option<String>,
    /// Account that the resolution posts to. Null if it posts nothing.
    pub account: Option<String>,
    /// Reason given for the resolution. Null if there is none.
    pub reason: Option<String>,
    /// User who resolved the exception. Null while it is open, and if no user resolved it.
    pub resolved_by: Option<String>,
    /// When the exception was resolved. Null while it is open.
    pub resolved_at: Option<UtcMs>,
    /// ID of the entry that the resolution posted. Null if it posted none.
    pub entry_id: Option<String>,
    /// When the exception was found.
    pub found_at: UtcMs,
    /// Description of the problem, for people.
    pub message: &'static str,
    /// Suggested action.
    pub action: &'static str,
}

/// Position of a page: the moment and exception of the last item before it.
pub type Bookmark = (i64, String);

/// The place of an exception.
pub fn place(item: &View) -> Bookmark {
    (item.found_at.0, item.exception_id.clone())
}

const COLUMNS: &str = "exception_id, kind, source_id, statement_id, store_id, business_date, amount, items, lines, \
                       candidates, state, resolution, account, reason, resolved_by, resolved_at, entry_id, found_at, method, \
                       (SELECT t.settlement_id FROM settlements t WHERE t.store_id = settlement_exceptions.store_id \
                       AND t.business_date = settlement_exceptions.business_date) AS settlement_id";

/// The day that an exception is listed by: for one that holds up no settlement, the day of its line, else of its
/// statement.
const DAY: &str = "COALESCE(business_date, (SELECT l.line_date FROM statement_lines l \
                   WHERE l.line_id = settlement_exceptions.first_line), (SELECT s.to_date FROM statements s \
                   WHERE s.statement_id = settlement_exceptions.statement_id))";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let (kind, state): (String, String) = columns!(row => (kind, state));
    let unknown = || sqlx::Error::Decode(format!("unknown exception {kind}").into());
    let known = ExceptionKind::parse(&kind).ok_or_else(unknown)?;
    let state = if state == State::Open.name() { State::Open } else { State::Resolved };
    let (items, line_ids): (Vec<ItemRef>, _) = (row.json("items")?, row.json("lines")?);
    let groups: Vec<Vec<ItemRef>> = row.json("candidates")?;
    let ids = |items: Vec<ItemRef>| items.into_iter().map(|(_, item_id)| item_id).collect::<Vec<String>>();
    let (item_ids, candidates) = (ids(items.clone()), groups.into_iter().map(ids).collect());
    let (message, action) = known.words();
    Ok(columns!(row => View {
        exception_id, source_id, statement_id, store_id, business_date, amount, resolution, account, reason,
        resolved_by, resolved_at, entry_id, found_at, method, settlement_id;
        kind = known, items = items, item_ids = item_ids, line_ids = line_ids, candidates = candidates, state = state, message = message,
        action = action,
    }))
}

/// The newest first, after a place.
pub async fn list(
    pool: &AnyPool,
    ask: &ExceptionsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(at, id)| [Bound::from(at), Bound::from(id.as_str())]);
    let conditions = Conditions::default()
        .text("kind = ?", ask.kind.map(ExceptionKind::name))
        .text("state = ?", ask.state.map(State::name))
        .text("store_id = ?", ask.store_id.as_deref())
        .text("source_id = ?", ask.source_id.as_deref())
        .text("method = ?", ask.method.as_deref())
        .text(
            "(store_id, business_date) IN (SELECT t.store_id, t.business_date FROM settlements t WHERE t.settlement_id = ?)",
            ask.settlement_id.as_deref(),
        )
        .text(&format!("{DAY} >= ?"), date(ask.from).as_deref())
        .text(&format!("{DAY} <= ?"), date(ask.to).as_deref())
        .below(["found_at", "exception_id"], below);
    let sql = format!(
        "SELECT {COLUMNS} FROM settlement_exceptions WHERE {{}} ORDER BY found_at DESC, exception_id DESC LIMIT {limit}"
    );
    conditions.query(&sql).fetch_all(pool).await?.iter().map(view).collect()
}

/// One of them.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, exception_id: &str) -> Result<View, Failure> {
    let conditions = Conditions::default().text("exception_id = ?", Some(exception_id));
    let query = conditions.query(&format!("SELECT {COLUMNS} FROM settlement_exceptions WHERE {{}}"));
    let row = query.fetch_optional(connection).await?.ok_or_else(|| ApiError::not_found("the exception"))?;
    Ok(view(&row)?)
}
