//! Rows of statements' files that are no lines: kept, listed, taken in and dismissed.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions};
use crate::db::insert;
use crate::http::paged_list::page_query;
use crate::row;
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::import::TextLine;
use edge::page::{Cursor, Limit};
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use statements::set_aside::{Reason, RowsSetAside};

/// State of a row that was set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SetAsideState")]
pub enum State {
    /// The row may be money that moved. It needs a decision: add it as a line, or dismiss it.
    Open,
    /// The reason shows that the row is no money of this account. It can still be added as a line.
    Noted,
    /// The row was added as a line.
    Taken,
    /// A user decided that the row is not a line.
    Dismissed,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Noted => "noted",
            Self::Taken => "taken",
            Self::Dismissed => "dismissed",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Open, Self::Noted, Self::Taken, Self::Dismissed].into_iter().find(|state| state.name() == word)
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowsSetAsideQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those in this state.
    pub state: Option<State>,
    /// Only those with this reason.
    pub reason: Option<Reason>,
}
page_query!(RowsSetAsideQuery);

/// A row that is not a line.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RowSetAside")]
pub struct View {
    /// ID of the row, `row_…`.
    pub row_id: String,
    /// Position in the file, from 1: the line of a CSV file, the entry of a CAMT.053 file, the element of a JSON list.
    pub row_no: i64,
    /// Reason why the row is not a line.
    pub reason: Reason,
    /// Field that is wrong. Null if the whole row is.
    pub field: Option<String>,
    /// Description of the problem.
    pub problem: String,
    /// Date of the row. Null if it can't be read.
    pub date: Option<Date>,
    /// Reference of the row. Empty if there is none.
    pub reference: String,
    /// Description of the row. Empty if there is none.
    pub description: String,
    /// Amount in minor currency units. Null if it can't be read.
    pub amount: Option<Money>,
    /// Text of the row in the file, cut after 1000 bytes.
    pub text: String,
    /// ID of the line that the row repeats with a different description. Null for none.
    pub repeats_line_id: Option<String>,
    /// State of the row.
    pub state: State,
    /// ID of the line that the row became. Null for none.
    pub line_id: Option<String>,
    /// User who added the row as a line or dismissed it. Null until then.
    pub decided_by: Option<String>,
    /// When the row was added as a line or dismissed. Null until then.
    pub decided_at: Option<UtcMs>,
    /// Reason given for the decision. Null until then.
    pub decision: Option<String>,
}

/// The place of a row: its number in the file, and its ID.
pub fn place(item: &View) -> (i64, String) {
    (item.row_no, item.row_id.clone())
}

/// Keeps rows of a statement. A row that an earlier statement of the source has set aside stays there, with its
/// decision.
pub async fn keep(
    connection: &mut AnyConnection,
    statement_id: &str,
    source_id: &str,
    aside: &RowsSetAside,
) -> Result<(), sqlx::Error> {
    let keys = aside.keys();
    let mut rows = Vec::with_capacity(keys.len());
    for (row, row_key) in aside.rows.iter().zip(keys) {
        let line = row.line.as_ref().map(serde_json::to_string).transpose();
        let line = line.map_err(|error| sqlx::Error::Encode(error.into()))?;
        // Rows that need no decision are listed by each statement.
        let (state, row_key) = match row.reason.is_open() {
            true => (State::Open, row_key),
            false => (State::Noted, format!("{statement_id} {row_key}")),
        };
        // PostgreSQL knows no NUL.
        let stored = |text: &str| text.replace('\0', "");
        rows.push(row! {
            row_id: ids::new("row_"), statement_id, source_id, row_no: row.row_no, reason: row.reason.name(),
            field: row.field.map(str::to_owned), problem: stored(&row.problem),
            row_date: row.date.map(|date| date.to_string()), reference: stored(&row.reference),
            description: stored(&row.description), amount: row.amount, line: line.map(|line| stored(&line)),
            row_text: stored(&row.text), repeats_line_id: row.repeats.clone(), row_key, state: state.name(),
        });
    }
    let tail = "ON CONFLICT (source_id, row_key) DO NOTHING";
    insert::rows(connection, "statement_rows_set_aside", tail, rows).await
}

const COLUMNS: &str = "row_id, row_no, reason, field, problem, row_date, reference, description, amount, row_text, \
                       repeats_line_id, state, line_id, decided_by, decided_at, decision";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    Ok(columns!(row => View {
        row_id, row_no, field, problem, date: "row_date", reference, description, amount, text: "row_text", repeats_line_id,
        line_id, decided_by, decided_at, decision;
        reason = row.word("reason", Reason::parse)?, state = row.word("state", State::parse)?,
    }))
}

/// The rows of a statement after a place, in the order of the file.
pub async fn list(
    connection: &mut AnyConnection,
    statement_id: &str,
    ask: &RowsSetAsideQuery,
    after: Option<(i64, String)>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let above = after.map(|(row_no, row_id)| [Bound::from(row_no), Bound::from(row_id.as_str())]);
    let conditions = Conditions::default()
        .text("statement_id = ?", Some(statement_id))
        .text("state = ?", ask.state.map(State::name))
        .text("reason = ?", ask.reason.map(Reason::name))
        .above(["row_no", "row_id"], above);
    let sql = format!(
        "SELECT {COLUMNS} FROM statement_rows_set_aside WHERE {{}} ORDER BY row_no, row_id LIMIT {limit}"
    );
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}

/// One of them, with the line that it would be.
///
/// # Errors
/// 404.
pub async fn read(
    connection: &mut AnyConnection,
    statement_id: &str,
    row_id: &str,
) -> Result<(View, Option<TextLine>), Failure> {
    let sql = format!(
        "SELECT {COLUMNS}, line FROM statement_rows_set_aside WHERE statement_id = $1 AND row_id = $2"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(statement_id.to_owned()).bind(row_id.to_owned());
    let row = query.fetch_optional(connection).await?.ok_or_else(|| ApiError::not_found("the row"))?;
    let line: Option<String> = row.cell("line")?;
    let line = line.map(|line| serde_json::from_str(&line)).transpose();
    Ok((view(&row)?, line.map_err(|error| sqlx::Error::Decode(error.into()))?))
}

/// Decision of a user about a row.
pub struct Decision<'a> {
    /// New state of the row.
    pub state: State,
    /// The line that it became.
    pub line_id: Option<&'a str>,
    pub by: &'a str,
    /// Time of the decision.
    pub at: UtcMs,
    /// Reason for the decision.
    pub reason: &'a str,
}

/// Stores a person's decision.
///
/// # Errors
/// 409 `invalid_state` if it is already decided.
pub async fn decide(
    connection: &mut AnyConnection,
    row: &View,
    decision: &Decision<'_>,
) -> Result<(), Failure> {
    let sql = "UPDATE statement_rows_set_aside SET state = $2, line_id = $3, decided_by = $4, decided_at = $5, \
               decision = $6 WHERE row_id = $1 AND state IN ('open', 'noted')";
    let query = sqlx::query(sql).bind(&row.row_id).bind(decision.state.name());
    let query = query.bind(decision.line_id.map(str::to_owned)).bind(decision.by).bind(decision.at.0);
    if query.bind(decision.reason).execute(connection).await?.rows_affected() == 1 {
        return Ok(());
    }
    let (state, allowed) = (row.state.name().to_owned(), Vec::new());
    Err(ApiError::from(Refusal::InvalidState { state, allowed }).into())
}
