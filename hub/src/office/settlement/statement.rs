//! Statements of a source, listed and read.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions};
use domain::model::base::figures::Money;
use domain::rules::books::settlement::state::StatementState;
use edge::ApiError;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// A statement without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Statement")]
pub struct View {
    /// ID of the statement, `stm_…`.
    pub statement_id: String,
    /// Number of the statement at head office.
    pub doc_no: String,
    /// ID of the source.
    pub source_id: String,
    /// State of the statement.
    pub state: StatementState,
    /// First day of the statement.
    pub from: Date,
    /// Last day of the statement.
    pub to: Date,
    /// Number of lines in the file.
    pub lines_total: i64,
    /// Number of lines that were new.
    pub lines_new: i64,
    /// Number of lines that were known already.
    pub lines_known: i64,
    /// Number of new lines that are matched.
    pub matched: i64,
    /// Number of open exceptions.
    pub exceptions: i64,
    /// Gross sum of its new lines, in minor currency units.
    pub gross: Money,
    /// Sum of the fees of its new lines, in minor currency units.
    pub fee: Money,
    /// Net sum of its new lines, in minor currency units.
    pub net: Money,
    /// Opening balance in minor currency units. Null if it is not known.
    pub opening_balance: Option<Money>,
    /// Closing balance in minor currency units. Null if it is not known.
    pub closing_balance: Option<Money>,
    /// Closing balance − opening balance − sum of the lines, in minor currency units, while rows are set aside. Null if
    /// the difference is 0, or if a balance is not known.
    pub balance_difference: Option<Money>,
    /// Number of rows of the file that were set aside, by reason.
    pub set_aside: BTreeMap<String, i64>,
    /// Number of these rows that still need a decision.
    pub set_aside_open: i64,
}

/// Sets a statement's state from its lines and exceptions; an approved one stays approved, unless a line is open again,
/// or a carried one is matched now and has to be posted with it.
pub async fn evaluate(connection: &mut AnyConnection, source_id: &str) -> Result<(), sqlx::Error> {
    let sql = "UPDATE statements SET state = 'reconciled' WHERE source_id = $1 AND state = 'approved' \
               AND statement_id IN (SELECT l.statement_id FROM settlement_matches m \
               JOIN match_lines x ON x.match_id = m.match_id JOIN statement_lines l ON l.line_id = x.line_id \
               WHERE m.source_id = $1 AND m.state = 'matched' \
               AND m.rule IN ('contra', 'deposit', 'payout', 'supplier_payment', 'text') \
               UNION SELECT l.statement_id FROM statement_lines l WHERE l.source_id = $1 \
               AND l.state IN ('unmatched', 'excepted', 'carried') AND l.state <> 'carried')";
    sqlx::query(sql).bind(source_id).execute(&mut *connection).await?;
    let sql = "UPDATE statements SET state = CASE \
               WHEN EXISTS (SELECT 1 FROM settlement_exceptions e WHERE e.statement_id = statements.statement_id \
                   AND e.state = 'open') THEN 'discrepant' \
               WHEN statement_id IN (SELECT l.statement_id FROM statement_lines l WHERE l.source_id = $1 \
                   AND l.state IN ('unmatched', 'excepted', 'carried') AND l.state <> 'carried') THEN 'imported' \
               ELSE 'reconciled' END WHERE source_id = $1 AND state <> 'approved'";
    sqlx::query(sql).bind(source_id).execute(connection).await?;
    Ok(())
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this source.
    pub source_id: Option<String>,
    /// Only statements that end on this day or later.
    pub from: Option<Date>,
    /// Only statements that end on this day or earlier.
    pub to: Option<Date>,
    /// Only those in this state.
    pub state: Option<StatementState>,
}

/// Position of a page: the day and statement of the last item before it.
pub type Bookmark = (Date, String);

/// The place of a statement.
pub fn place(item: &View) -> Bookmark {
    (item.to, item.statement_id.clone())
}

const COLUMNS: &str = "s.statement_id, s.doc_no, s.source_id, s.state, s.from_date, s.to_date, s.lines_total, \
    s.lines_new, s.gross, s.fee, s.net, s.opening_balance, s.closing_balance, s.balance_difference, s.set_aside, \
    (SELECT COUNT(*) FROM statement_rows_set_aside r WHERE r.statement_id = s.statement_id AND r.state = 'open') \
    AS set_aside_open, \
    (SELECT COUNT(*) FROM statement_lines l WHERE l.statement_id = s.statement_id AND l.state = 'matched') AS matched, \
    (SELECT COUNT(*) FROM settlement_exceptions e WHERE e.statement_id = s.statement_id AND e.state = 'open') \
    AS exceptions";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let known = |word: &str| StatementState::ALL.into_iter().find(|known| known.name() == word);
    let state = row.word("state", known)?;
    let (total, new): (i64, i64) = columns!(row => (lines_total, lines_new));
    Ok(columns!(row => View {
        statement_id, doc_no, source_id, from: "from_date", to: "to_date", lines_total, lines_new, matched,
        exceptions, gross, fee, net, opening_balance, closing_balance, balance_difference, set_aside_open;
        set_aside = row.json("set_aside")?,
        state = state, lines_known = total.saturating_sub(new),
    }))
}

/// The newest first, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &StatementsQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(date, id)| [Bound::from(date.to_string().as_str()), Bound::from(id.as_str())]);
    let conditions = Conditions::default()
        .text("s.source_id = ?", ask.source_id.as_deref())
        .text("s.to_date >= ?", date(ask.from).as_deref())
        .text("s.to_date <= ?", date(ask.to).as_deref())
        .text("s.state = ?", ask.state.map(StatementState::name))
        .below(["s.to_date", "s.statement_id"], below);
    let sql = format!(
        "SELECT {COLUMNS} FROM statements s WHERE {{}} ORDER BY s.to_date DESC, s.statement_id DESC LIMIT {limit}"
    );
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}

/// One of them.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, statement_id: &str) -> Result<View, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM statements s WHERE s.statement_id = $1");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(statement_id.to_owned());
    let row = query.fetch_optional(connection).await?.ok_or_else(|| ApiError::not_found("the statement"))?;
    Ok(view(&row)?)
}
