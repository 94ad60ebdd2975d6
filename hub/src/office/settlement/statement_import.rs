//! Importing a statement: known lines are skipped, the others are kept and matched.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::db::{Engine, array};
use crate::office::settlement::lines::new_line::NewLines;
use crate::office::settlement::source::View as Source;
use crate::office::settlement::{exceptions::raised, matching, repeats, set_aside_row, source};
use crate::row;
use crate::table::counter;
use crate::table::store::is_known;
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::import::{LineFingerprint, TextLine, new_lines, occurrences};
use domain::rules::books::settlement::state::StatementState;
use domain::rules::books::settlement::{LineKind, SourceKind};
use edge::{ApiError, ids};
use futures_util::TryStreamExt as _;
use jiff::civil::Date;
use sqlx::{AnyConnection, AssertSqlSafe};
use statements::camt::AccountName;
use statements::line::{LineRow, ROUNDING};
use statements::set_aside::{Reason, RowsSetAside, SetAside, TooMany};
use std::collections::BTreeSet;

/// Fingerprints that are looked up at once.
const CHUNK: usize = 5_000;
/// The largest balance and sum.
const FIGURE_MAX: i64 = domain::model::base::limits::FIGURE_MAX;
/// Parts of a whole unit.
const MILLION: i64 = 1_000_000;

/// An import in any format.
pub struct Import {
    /// Source of the statement.
    pub source_id: String,
    /// Store of the settlement that the statement is for.
    pub store_id: Option<String>,
    /// Day of that settlement. `None` if the statement is not for one settlement.
    pub settlement_date: Option<Date>,
    pub opening_balance: Option<Money>,
    pub closing_balance: Option<Money>,
    /// First and last day, if the lines do not state them.
    pub span: (Option<Date>, Option<Date>),
    /// The account that the file names.
    pub account: Option<AccountName>,
    /// Lines that passed all checks.
    pub lines: Vec<TextLine>,
    /// Row of the file that each line came from. Empty if the lines are numbered from 1.
    pub rows: Vec<LineRow>,
    /// Rows that are no lines.
    pub aside: RowsSetAside,
    /// Whether lines that report known money in other words are imported all the same.
    pub accept_repeats: bool,
}

impl Import {
    /// Whether rounding took anything from its lines.
    fn lost_any(&self) -> bool {
        self.rows.iter().any(|row| row.lost != 0)
    }
}

/// Imports a statement and matches its source; returns its ID.
///
/// # Errors
/// 404, 422; 409 `duplicate` if none of its lines is new.
pub async fn import(
    connection: &mut AnyConnection,
    mut import: Import,
    (by, now, today): (&str, UtcMs, Date),
) -> Result<String, Failure> {
    let source = source::lock(connection, &import.source_id).await?;
    if let Some(store_id) = &import.store_id
        && !is_known(connection, store_id).await?
    {
        return Err(ApiError::field("store_id", "is not a store").into());
    }
    if source.state == source::State::Inactive {
        let (state, allowed) = ("inactive".to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    let mut reported = occurrences(import.lines.iter().map(|line| line.fingerprint(&source.source_id)));
    let known = known(connection, &source.source_id, &import.lines, &reported).await?;
    let mut new: BTreeSet<usize> = new_lines(&reported, &known).into_iter().collect();
    if let Some(account) = &import.account {
        source::take_account(connection, &source, account).await?;
    }
    let from =
        import.span.0.into_iter().chain(import.lines.iter().map(|line| line.date)).min().unwrap_or(today);
    let to =
        import.span.1.into_iter().chain(import.lines.iter().map(|line| line.date)).max().unwrap_or(today);
    if import.lines.is_empty() && import.closing_balance.is_some() {
        // It reports the balance of the account once.
        if let Some(id) = balance_known(connection, &import, to).await? {
            return Err(ApiError::from(Refusal::Duplicate { what: "statement", id }).into());
        }
    } else if new.is_empty() {
        let id = first_import(connection, &source.source_id, reported.first()).await?;
        return Err(ApiError::from(Refusal::Duplicate { what: "statement", id }).into());
    }
    if !import.accept_repeats {
        set_repeats_aside(connection, &source, &mut import, (&reported, &mut new)).await?;
    }
    let statement_id = ids::new("stm_");
    if source.kind == SourceKind::Bank {
        add_rest(&mut import, &statement_id, (&source.source_id, &mut reported, &mut new));
    }
    let sum = |of: fn(&TextLine) -> Option<Money>, all: bool| {
        let lines = import.lines.iter().enumerate().filter(|(place, _)| all || new.contains(place));
        lines.filter_map(|(_, line)| of(line)).sum::<Money>()
    };
    // A line of one figure has it as its gross amount.
    let net_of = |line: &TextLine| line.net.or(line.gross);
    let (gross, fee, net) = (sum(|line| line.gross, false), sum(|line| line.fee, false), sum(net_of, false));
    let difference = balance_difference(&import, sum(net_of, true))?;
    if [gross, fee, net].into_iter().any(|figure| !figure.is_sound()) {
        return Err(ApiError::field("lines", format!("add up to more than {FIGURE_MAX}")).into());
    }
    let before = last_closing(connection, &source.source_id).await?;
    let doc_no = counter::next(connection, "ST", today.year()).await?;
    let total = i64::try_from(reported.len()).unwrap_or(i64::MAX);
    let statement = row! {
        statement_id: statement_id.as_str(), doc_no, source_id: source.source_id.as_str(),
        state: StatementState::Imported.name(), from_date: from.to_string(), to_date: to.to_string(),
        lines_total: total, lines_new: i64::try_from(new.len()).unwrap_or(i64::MAX), gross, fee, net,
        opening_balance: import.opening_balance, closing_balance: import.closing_balance, balance_difference: difference,
        set_aside: counts(&import.aside)?, store_id: import.store_id.clone(), settlement_date: import.settlement_date.map(|day| day.to_string()),
        imported_at: now.0, imported_by: by,
    };
    insert::rows(connection, "statements", "", vec![statement]).await?;
    set_aside_row::keep(connection, &statement_id, &source.source_id, &import.aside).await?;
    let lines = NewLines::of(&statement_id, &source, (import.lines, reported), &new);
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

/// Sets lines aside that describe known money in other words.
async fn set_repeats_aside(
    connection: &mut AnyConnection,
    source: &Source,
    import: &mut Import,
    (reported, new): (&[LineFingerprint], &mut BTreeSet<usize>),
) -> Result<(), Failure> {
    let repeats =
        repeats::find(connection, &source.source_id, (&import.lines, reported), (&*new, source.kind)).await?;
    let Some(first) = repeats.values().next() else { return Ok(()) };
    let refused = |id: &str| {
        let (what, id) =
            ("statement with different descriptions (accept_repeats=true imports it anyway)", id.to_owned());
        Failure::from(ApiError::from(Refusal::Duplicate { what, id }))
    };
    let statement_id = first.statement_id.clone();
    for (place, repeat) in repeats {
        let Some(line) = import.lines.get(place).filter(|_| new.remove(&place)) else { continue };
        let row_no = import.rows.get(place).map_or_else(|| row_no(place), |row| row.row_no);
        let row = SetAside {
            date: Some(line.date),
            reference: line.reference.clone(),
            description: line.description.clone(),
            amount: line.net.or(line.gross),
            line: Some(line.clone()),
            repeats: Some(repeat.line_id),
            ..SetAside::new(row_no, Reason::Repeat, repeat.problem)
        };
        import.aside.push(row).map_err(|TooMany| refused(&statement_id))?;
    }
    if new.is_empty() { Err(refused(&statement_id)) } else { Ok(()) }
}

/// The number of a row that came by itself: from 1.
fn row_no(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX).saturating_add(1)
}

/// Adds a line for the rounding differences of the new lines, so that lines and balances agree.
fn add_rest(
    import: &mut Import,
    statement_id: &str,
    (source_id, reported, new): (&str, &mut Vec<LineFingerprint>, &mut BTreeSet<usize>),
) {
    let lost = |all: bool| {
        let rows = import.rows.iter().enumerate().filter(|(place, _)| all || new.contains(place));
        rows.fold(0_i64, |sum, (_, row)| sum.saturating_add(row.lost))
    };
    let net = import.lines.iter().filter_map(|line| line.net).sum::<Money>();
    let by_balances = import
        .opening_balance
        .zip(import.closing_balance)
        .map(|(opening, closing)| closing.saturating_sub(opening).saturating_sub(net));
    let all_new = new.len() == import.lines.len();
    let is_near = |rest: &Money| {
        let lost = lost(true);
        lost != 0 && rest.saturating_mul(MILLION).get().saturating_sub(lost).saturating_abs() <= MILLION
    };
    let rest = by_balances.filter(|rest| all_new && is_near(rest)).unwrap_or_else(|| rounded(lost(false)));
    let Some(date) = import.lines.iter().map(|line| line.date).max().filter(|_| rest != 0) else { return };
    let line = TextLine {
        date,
        // No other statement has a line of this reference.
        reference: statement_id.to_owned(),
        other_references: Vec::new(),
        description: ROUNDING.to_owned(),
        kind: LineKind::Other,
        batch: None,
        store_ref: None,
        gross: None,
        fee: None,
        net: Some(rest),
    };
    new.insert(import.lines.len());
    reported.push((line.fingerprint(source_id), 1));
    import.lines.push(line);
}

/// The nearest whole figure to one in millionths.
fn rounded(millionths: i64) -> Money {
    let half = if millionths < 0 { -MILLION / 2 } else { MILLION / 2 };
    Money::new(millionths.saturating_add(half).checked_div(MILLION).unwrap_or_default())
}

/// Number of rows that are set aside, by reason, as JSON.
fn counts(aside: &RowsSetAside) -> Result<String, sqlx::Error> {
    serde_json::to_string(&aside.counts).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Difference between a statement's balances and its lines. They have to agree; while rows wait for a
/// decision they may differ, and the difference is reported.
fn balance_difference(import: &Import, net: Money) -> Result<Option<Money>, ApiError> {
    let figures = [import.opening_balance, import.closing_balance].into_iter().flatten();
    if figures.into_iter().any(|figure| !figure.is_sound()) {
        return Err(ApiError::field("closing_balance", "is too large"));
    }
    let Some((opening, closing)) = import.opening_balance.zip(import.closing_balance) else {
        return Ok(None);
    };
    let right = opening.saturating_add(net);
    let waits = import.aside.rows.iter().any(|row| row.reason.is_open() && row.reason != Reason::Repeat);
    match closing.saturating_sub(right) {
        Money::ZERO => Ok(None),
        difference if waits => Ok(Some(difference)),
        _ if import.lost_any() => Err(ApiError::field(
            "closing_balance",
            format!("must be {right} (the opening balance plus the lines), or differ from it by less than 1"),
        )),
        _ => Err(ApiError::field(
            "closing_balance",
            format!("must be {right}, the opening balance plus the lines"),
        )),
    }
}

/// Lines that a source has reported before. The day is part of a line's identity: without an earlier statement of these
/// days no line is known.
async fn known(
    connection: &mut AnyConnection,
    source_id: &str,
    lines: &[TextLine],
    reported: &[LineFingerprint],
) -> Result<BTreeSet<LineFingerprint>, sqlx::Error> {
    let (mut known, engine) = (BTreeSet::new(), Engine::of_connection(connection));
    let dates = || lines.iter().map(|line| line.date);
    let Some((from, to)) = dates().min().zip(dates().max()) else { return Ok(known) };
    let sql = "SELECT 1 FROM statements WHERE source_id = $1 AND to_date >= $2 AND from_date <= $3 LIMIT 1";
    let query = sqlx::query(sql).bind(source_id).bind(from.to_string()).bind(to.to_string());
    if query.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(known);
    }
    for chunk in reported.chunks(CHUNK) {
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

/// The statement without lines that has reported the same balance.
async fn balance_known(
    connection: &mut AnyConnection,
    import: &Import,
    to: Date,
) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT statement_id FROM statements WHERE source_id = $1 AND lines_total = 0 AND to_date = $2 \
               AND closing_balance = $3 LIMIT 1";
    let query = sqlx::query_scalar(sql).bind(&import.source_id).bind(to.to_string());
    query.bind(import.closing_balance.map(Money::get)).fetch_optional(connection).await
}

/// The statement that reported a line first.
async fn first_import(
    connection: &mut AnyConnection,
    source_id: &str,
    reported: Option<&LineFingerprint>,
) -> Result<String, sqlx::Error> {
    let Some((fingerprint, occurrence)) = reported else { return Ok(String::new()) };
    let sql = "SELECT statement_id FROM statement_lines WHERE source_id = $1 AND fingerprint = $2 \
               AND occurrence = $3";
    let query = sqlx::query_scalar(sql).bind(source_id).bind(fingerprint).bind(*occurrence);
    Ok(query.fetch_optional(connection).await?.unwrap_or_default())
}

/// Closing balance of a source's last statement.
async fn last_closing(connection: &mut AnyConnection, source_id: &str) -> Result<Option<Money>, sqlx::Error> {
    let sql = "SELECT closing_balance FROM statements WHERE source_id = $1 AND closing_balance IS NOT NULL \
               ORDER BY to_date DESC, imported_at DESC LIMIT 1";
    let row = sqlx::query(sql).bind(source_id).fetch_optional(connection).await?;
    row.map(|row| row.cell("closing_balance")).transpose()
}

/// Adds a line to a statement, and matches its source, which is locked; returns the line's ID.
///
/// # Errors
/// 409 `duplicate` where the source has reported the same line.
pub async fn take_in(
    connection: &mut AnyConnection,
    source: &Source,
    (statement_id, row_no): (&str, i64),
    line: TextLine,
    (now, today): (UtcMs, Date),
) -> Result<String, Failure> {
    let fingerprint = line.fingerprint(&source.source_id);
    let sql = "SELECT line_id, statement_id, occurrence FROM statement_lines WHERE source_id = $1 AND fingerprint = $2";
    let query = sqlx::query(sql).bind(&source.source_id).bind(&fingerprint);
    let mut occurrence = 1_i64;
    for row in query.fetch_all(&mut *connection).await? {
        let (id, of, before): (String, String, i64) = columns!(&row => (line_id, statement_id, occurrence));
        if of != statement_id {
            return Err(ApiError::from(Refusal::Duplicate { what: "line of a statement", id }).into());
        }
        // Two equal lines of one file are two.
        occurrence = occurrence.max(before.saturating_add(1));
    }
    let sql = "UPDATE statements SET lines_total = lines_total + 1, lines_new = lines_new + 1, gross = gross + $2, \
               fee = fee + $3, net = net + $4, balance_difference = NULLIF(balance_difference - $4, 0), \
               from_date = CASE WHEN from_date > $5 THEN $5 ELSE from_date END, \
               to_date = CASE WHEN to_date < $5 THEN $5 ELSE to_date END WHERE statement_id = $1";
    let query = sqlx::query(sql)
        .bind(statement_id)
        .bind(line.gross.unwrap_or_default().get())
        .bind(line.fee.unwrap_or_default().get());
    query
        .bind(line.net.or(line.gross).unwrap_or_default().get())
        .bind(line.date.to_string())
        .execute(&mut *connection)
        .await?;
    let one = BTreeSet::from([0]);
    let mut new = NewLines::of(statement_id, source, (vec![line], vec![(fingerprint, occurrence)]), &one);
    let mut line_id = String::new();
    for open in &mut new.open {
        open.line_no = row_no;
        line_id.clone_from(&open.line_id);
    }
    matching::run(connection, source, new, (now, today)).await?;
    Ok(line_id)
}
