//! Statements: what a source reported, imported once.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions};
use crate::db::insert;
use crate::db::{Engine, array};
use crate::http::bound_page::asks;
use crate::office::settlement::file::new_line::NewLines;
use crate::office::settlement::{exceptions::raised, matching, source};
use crate::row;
use crate::table::counter;
use crate::table::store::is_known;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::import::{LineFingerprint, TextLine, new_lines, occurrences};
use domain::rules::books::settlement::state::StatementState;
use edge::page::{Cursor, Limit};
use edge::{ApiError, ids};
use futures_util::TryStreamExt as _;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeSet;

/// Fingerprints that are looked up at once.
const CHUNK: usize = 5_000;
/// The largest balance and sum.
const FIGURE_MAX: i64 = domain::model::base::limits::FIGURE_MAX;

/// A statement without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Statement")]
pub struct View {
    /// `stm_…`
    pub statement_id: String,
    /// Its human number.
    pub doc_no: String,
    /// Who reported.
    pub source_id: String,
    /// Where it stands.
    pub state: StatementState,
    /// The day of its first line.
    pub from: Date,
    /// The day that it goes to.
    pub to: Date,
    /// Lines of the file.
    pub lines_total: i64,
    /// Those that were not known.
    pub lines_new: i64,
    /// Those that were.
    pub lines_known: i64,
    /// New lines that are matched.
    pub matched: i64,
    /// Exceptions of it that are open.
    pub exceptions: i64,
    /// Σ of its new lines.
    pub gross: i64,
    /// Σ of its new lines.
    pub fee: i64,
    /// Σ of its new lines.
    pub net: i64,
    /// What it begins with.
    pub opening_balance: Option<i64>,
    /// What it ends with.
    pub closing_balance: Option<i64>,
}

/// What is imported, whatever it came in.
pub struct Import {
    /// Who reports.
    pub source_id: String,
    /// For whose settlement.
    pub store_id: Option<String>,
    /// Of which day, where it is one settlement's own.
    pub settlement_date: Option<Date>,
    /// What it begins with.
    pub opening_balance: Option<i64>,
    /// What it ends with.
    pub closing_balance: Option<i64>,
    /// From and to, where the lines don't say it.
    pub span: (Option<Date>, Option<Date>),
    /// Checked.
    pub lines: Vec<TextLine>,
}

/// Imports a statement and matches its source; gives back its id.
///
/// # Errors
/// 404, 422; 409 `duplicate` where none of its lines is new.
pub async fn import(
    connection: &mut AnyConnection,
    import: Import,
    (by, now, today): (&str, UtcMs, Date),
) -> Result<String, Failure> {
    let source = source::lock(connection, &import.source_id).await?;
    if let Some(store_id) = &import.store_id
        && !is_known(connection, store_id).await?
    {
        return Err(ApiError::field("store_id", "is no store").into());
    }
    if source.state == source::State::Inactive {
        let (state, allowed) = ("inactive".to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    let told = occurrences(import.lines.iter().map(|line| line.fingerprint(&source.source_id)));
    let known = known(connection, &source.source_id, &import.lines, &told).await?;
    let new: BTreeSet<usize> = new_lines(&told, &known).into_iter().collect();
    if new.is_empty() {
        let id = first_import(connection, &source.source_id, told.first()).await?;
        return Err(ApiError::from(Refusal::Duplicate { what: "statement", id }).into());
    }
    let sum = |of: fn(&TextLine) -> Option<i64>, all: bool| {
        let lines = import.lines.iter().enumerate().filter(|(place, _)| all || new.contains(place));
        lines.fold(0_i64, |sum, (_, line)| sum.saturating_add(of(line).unwrap_or(0)))
    };
    let (gross, fee, net) =
        (sum(|line| line.gross, false), sum(|line| line.fee, false), sum(|line| line.net, false));
    check_balances(&import, sum(|line| line.net, true))?;
    if [gross, fee, net].into_iter().any(|figure| !(-FIGURE_MAX..=FIGURE_MAX).contains(&figure)) {
        return Err(ApiError::field("lines", format!("lead to a sum above {FIGURE_MAX}")).into());
    }
    let dates = || import.lines.iter().map(|line| line.date);
    let from = import.span.0.into_iter().chain(dates()).min().unwrap_or(today);
    let to = import.span.1.into_iter().chain(dates()).max().unwrap_or(today);
    let before = last_closing(connection, &source.source_id).await?;
    let statement_id = ids::new("stm_");
    let doc_no = counter::next(connection, "ST", today.year()).await?;
    let total = i64::try_from(told.len()).unwrap_or(i64::MAX);
    let statement = row! {
        statement_id: statement_id.as_str(), doc_no, source_id: source.source_id.as_str(),
        state: StatementState::Imported.name(), from_date: from.to_string(), to_date: to.to_string(),
        lines_total: total, lines_new: i64::try_from(new.len()).unwrap_or(i64::MAX), gross, fee, net,
        opening_balance: import.opening_balance, closing_balance: import.closing_balance,
        store_id: import.store_id.clone(), settlement_date: import.settlement_date.map(|day| day.to_string()), imported_at: now.0, imported_by: by,
    };
    insert::rows(connection, "statements", "", vec![statement]).await?;
    let lines = NewLines::of(&statement_id, &source, (import.lines, told), &new);
    drop(new);
    if let (Some(opening), Some(before)) = (import.opening_balance, before)
        && opening != before
    {
        let amount = opening.saturating_sub(before);
        raised::of_statement(
            connection,
            ExceptionKind::BalanceDiffers,
            (source.source_id.as_str(), statement_id.as_str()),
            amount,
            now,
        )
        .await?;
    }
    matching::run(connection, &source, lines, (now, today)).await?;
    Ok(statement_id)
}

/// What a statement says of the account has to agree with its lines.
fn check_balances(import: &Import, net: i64) -> Result<(), ApiError> {
    let figures = [import.opening_balance, import.closing_balance].into_iter().flatten();
    if figures.into_iter().any(|figure| !(-FIGURE_MAX..=FIGURE_MAX).contains(&figure)) {
        return Err(ApiError::field("closing_balance", "is beyond the largest figure"));
    }
    match (import.opening_balance, import.closing_balance) {
        (Some(opening), Some(closing)) if opening.saturating_add(net) != closing => {
            let right = opening.saturating_add(net);
            Err(ApiError::field(
                "closing_balance",
                format!("must be {right}, opening balance and lines together"),
            ))
        }
        _ => Ok(()),
    }
}

/// Which of the lines a source has told before. A line is known by its day too: none is where no statement has been of
/// these days.
async fn known(
    connection: &mut AnyConnection,
    source_id: &str,
    lines: &[TextLine],
    told: &[LineFingerprint],
) -> Result<BTreeSet<LineFingerprint>, sqlx::Error> {
    let (mut known, engine) = (BTreeSet::new(), Engine::of_connection(connection));
    let dates = || lines.iter().map(|line| line.date);
    let Some((from, to)) = dates().min().zip(dates().max()) else { return Ok(known) };
    let sql = "SELECT 1 FROM statements WHERE source_id = $1 AND to_date >= $2 AND from_date <= $3 LIMIT 1";
    let query = sqlx::query(sql).bind(source_id).bind(from.to_string()).bind(to.to_string());
    if query.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(known);
    }
    for chunk in told.chunks(CHUNK) {
        let sql = format!(
            "SELECT fingerprint, occurrence FROM statement_lines WHERE source_id = $1 AND {}",
            array::among(engine, "fingerprint", 2)
        );
        let fingerprints = array::texts(engine, chunk.iter().map(|(fingerprint, _)| fingerprint.as_str()))?;
        let query =
            sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(source_id.to_owned()).bind(fingerprints);
        let mut rows = query.fetch(&mut *connection);
        while let Some(row) = rows.try_next().await? {
            known.insert(columns!(row => (fingerprint, occurrence)));
        }
    }
    Ok(known)
}

/// The statement that told of a line first.
async fn first_import(
    connection: &mut AnyConnection,
    source_id: &str,
    told: Option<&LineFingerprint>,
) -> Result<String, sqlx::Error> {
    let Some((fingerprint, occurrence)) = told else { return Ok(String::new()) };
    let sql = "SELECT statement_id FROM statement_lines WHERE source_id = $1 AND fingerprint = $2 \
               AND occurrence = $3";
    let query = sqlx::query_scalar(sql).bind(source_id).bind(fingerprint).bind(*occurrence);
    Ok(query.fetch_optional(connection).await?.unwrap_or_default())
}

/// What the last statement of a source ended with.
async fn last_closing(connection: &mut AnyConnection, source_id: &str) -> Result<Option<i64>, sqlx::Error> {
    let sql = "SELECT closing_balance FROM statements WHERE source_id = $1 AND closing_balance IS NOT NULL \
               ORDER BY to_date DESC, imported_at DESC LIMIT 1";
    let row = sqlx::query(sql).bind(source_id).fetch_optional(connection).await?;
    row.map(|row| row.cell("closing_balance")).transpose()
}

/// Sets where a statement stands by its lines and exceptions; an approved one stays so, unless a line of it is
/// open again, or one that was carried is matched now and has to be posted with it.
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

/// Which are asked for.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementsQuery {
    /// Items on a page.
    #[serde(default, skip_serializing)]
    pub limit: Limit,
    /// Where the last page stopped.
    #[serde(skip_serializing)]
    pub cursor: Option<Cursor>,
    /// Of one source.
    pub source_id: Option<String>,
    /// That go to this day or later.
    pub from: Option<Date>,
    /// That go to this day or earlier.
    pub to: Option<Date>,
    /// That stand there.
    pub state: Option<StatementState>,
}
asks!(StatementsQuery, "statements");

/// Where a page begins: after this day and statement.
pub type Bookmark = (Date, String);

/// The place of a statement.
pub fn place(item: &View) -> Bookmark {
    (item.to, item.statement_id.clone())
}

const COLUMNS: &str = "s.statement_id, s.doc_no, s.source_id, s.state, s.from_date, s.to_date, s.lines_total, \
    s.lines_new, s.gross, s.fee, s.net, s.opening_balance, s.closing_balance, \
    (SELECT COUNT(*) FROM statement_lines l WHERE l.statement_id = s.statement_id AND l.state = 'matched') AS matched, \
    (SELECT COUNT(*) FROM settlement_exceptions e WHERE e.statement_id = s.statement_id AND e.state = 'open') \
    AS exceptions";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let state: String = row.cell("state")?;
    let state = StatementState::ALL.into_iter().find(|known| known.name() == state);
    let (total, new): (i64, i64) = columns!(row => (lines_total, lines_new));
    Ok(columns!(row => View {
        statement_id, doc_no, source_id, from: "from_date", to: "to_date", lines_total, lines_new, matched,
        exceptions, gross, fee, net, opening_balance, closing_balance;
        state = state.unwrap_or(StatementState::Imported), lines_known = total.saturating_sub(new),
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
