//! Reads statements in CSV. Each row becomes a line, or is set aside with the reason, independently of other rows.

use crate::camt::AccountName;
use crate::columns::{Columns, at};
use crate::fees::{FeeSignEvidence, GrossFeeNet};
use crate::format::{FeeSign, Format};
use crate::found_columns;
use crate::line::{Bounds, LineRow, SourceFile};
use crate::pattern::Pattern;
use crate::preamble::Preamble;
use crate::row::{Outcome, Rules};
use crate::running_balance::RunningBalances;
use crate::section::Section;
use crate::set_aside::{KEPT_MAX, Reason, RowsSetAside, SetAside, TooMany};
use crate::survey::Survey;
use crate::whose::{self, Named};
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::import::TextLine;
use edge::sheet::{DayReader, Row, RowError, Rows, decode};

/// Result of reading a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CsvStatement {
    /// Lines in the order of the file.
    pub lines: Vec<TextLine>,
    /// Rows that were set aside.
    pub aside: RowsSetAside,
    /// Row that each line came from.
    pub rows: Vec<LineRow>,
    /// Account and currency in the file, for a source without them.
    pub account: Option<AccountName>,
}

/// Reads the lines of a file.
///
/// # Errors
/// Problems of the file, or of its rows if none of them is a line.
pub fn read(
    bytes: &[u8],
    format: &Format,
    file: SourceFile<'_>,
    bounds: &Bounds,
) -> Result<CsvStatement, Vec<FieldProblem>> {
    let text =
        decode(bytes, format.encoding).map_err(|wrong| vec![at(wrong.line, None, &wrong.to_string())])?;
    let mut rows = Rows::new(&text, format.delimiter.character(), format.skip_rows);
    let file = SourceFile { separator: rows.separator(), ..file };
    let mut days = DayReader {
        format: &format.date_format,
        zone: file.zone.clone(),
        local: file.local.clone(),
        period: None,
        today: bounds.today,
    };
    let (mut columns, first) =
        Columns::find(&mut rows, format, file.kind, |cell| days.day(cell, "", "").is_ok())?;
    let before = usize::try_from(columns.line.saturating_sub(1)).unwrap_or(usize::MAX);
    let preamble = Preamble::of(text.lines().take(before), is_month_first(&format.date_format));
    whose::check(&preamble, &columns, &file)?;
    days.period = preamble.period;
    let all = || first.clone().map(Ok).into_iter().chain(rows.clone());
    // More rows than may be imported are refused by the survey.
    let first_rows = || all().map_while(Result::ok).take(bounds.import_rows.saturating_add(1));
    found_columns::add(first_rows(), &mut columns, format);
    if file.currency.is_none() {
        found_columns::check_currencies(first_rows(), &columns, format)?;
    }
    let survey = Survey::of(all(), &mut columns, (format, &file, bounds), &days)?;
    let pattern = format.pattern.as_deref().map(Pattern::parse).and_then(Result::ok);
    let mut rules = Rules {
        columns: &columns,
        format,
        file: &file,
        survey: &survey,
        days: &days,
        pattern: pattern.as_ref(),
        fee_sign: FeeSign::Positive,
        bounds,
    };
    if columns.has("fee") {
        let mut evidence = FeeSignEvidence::default();
        for row in all().flatten() {
            if let Ok(figures) = rules.figures(&row) {
                let (gross, net) = (figures.gross_of(file.kind), figures.net_of(file.kind));
                evidence.add(GrossFeeNet { gross, fee: figures.fee, net });
            }
        }
        rules.fee_sign = evidence.decide(format.fee_sign).map_err(|problem| vec![problem])?;
    }
    let footer = usize::try_from(format.skip_footer).unwrap_or(usize::MAX);
    let lines = survey.rows.saturating_sub(footer);
    let before = Rows::new(&text, Some(file.separator), 0).map_while(Result::ok);
    let before = before.take_while(|row| row.line < columns.line);
    let mut found = CsvStatement::default();
    for row in before.filter_map(|row| rules.skipped(&row, "csv.skip_rows")) {
        keep(&mut found, row)?;
    }
    let mut balances = RunningBalances::of(&columns, file.kind);
    let mut named = Named::of(&preamble, &columns, &file);
    let seen = (&mut balances, &mut named);
    let mut statement = lines_of(found, (all(), lines), Section::of(&preamble), &rules, seen)?;
    statement.account = named.account();
    let has_signs = survey.has_signs() || format.negate;
    balances.check(has_signs).map_err(|problem| vec![problem])?;
    Ok(statement)
}

/// Keeps a row that is set aside.
fn keep(found: &mut CsvStatement, row: SetAside) -> Result<(), Vec<FieldProblem>> {
    let line = u64::try_from(row.row_no).unwrap_or(0);
    found.aside.push(row).map_err(|TooMany| {
        let mut problems = problems(&found.aside);
        let most = format!("is one of more than {KEPT_MAX} rows that can't be read");
        problems.insert(0, at(line, None, &most));
        problems
    })
}

/// Reads the rows as lines, or sets them aside. The rows after the first `lines` are the footer.
fn lines_of<'a>(
    mut found: CsvStatement,
    (rows, lines): (impl Iterator<Item = Result<Row<'a>, RowError>>, usize),
    mut section: Section,
    rules: &Rules<'_>,
    (balances, named): (&mut RunningBalances, &mut Named),
) -> Result<CsvStatement, Vec<FieldProblem>> {
    for (place, row) in rows.flatten().enumerate() {
        section.see(&row, rules)?;
        let outcome = if place < lines {
            section.within(&row, rules.outcome(&row), rules)
        } else {
            let row = rules.skipped(&row, "csv.skip_footer").unwrap_or_else(|| footer(&row, rules));
            Outcome::Aside(Box::new(row))
        };
        match outcome {
            Outcome::Line(line, lost) => {
                let row_no = i64::try_from(row.line).unwrap_or(i64::MAX);
                balances.see(&row, line.net, rules);
                named.see(&row, rules.columns, || rules.currency_marks(&row))?;
                found.rows.push(LineRow { row_no, lost });
                found.lines.push(*line);
            }
            Outcome::Aside(row) => {
                balances.interrupt();
                keep(&mut found, *row)?;
            }
        }
    }
    match (found.lines.is_empty(), found.aside.count()) {
        (true, 0) => Err(vec![at(rules.columns.line, None, "is not followed by a line")]),
        (true, _) => Err(problems(&found.aside)),
        (false, _) => Ok(found),
    }
}

/// One of the last rows, which the source's settings leave out.
fn footer(row: &Row<'_>, rules: &Rules<'_>) -> SetAside {
    let problem = "is one of the last rows, which are skipped (csv.skip_footer)";
    let text = row.cells.join(&rules.file.separator.to_string());
    SetAside { text, ..SetAside::new(i64::try_from(row.line).unwrap_or(i64::MAX), Reason::Footer, problem) }
}

/// The rows of a file without a line, as problems.
fn problems(aside: &RowsSetAside) -> Vec<FieldProblem> {
    let all = |row: &SetAside| {
        let line = u64::try_from(row.row_no).unwrap_or(0);
        let also = row.also.iter().map(|(field, problem)| at(line, Some(field), problem)).collect::<Vec<_>>();
        std::iter::once(at(line, row.field, &row.problem)).chain(also).collect::<Vec<_>>()
    };
    aside.rows.iter().flat_map(all).collect()
}

fn is_month_first(format: &str) -> bool {
    format
        .find("%m")
        .zip(format.find("%d"))
        .is_some_and(|(month, day)| month < day && !format.starts_with("%Y"))
}

#[cfg(test)]
mod currency_tests;
#[cfg(test)]
mod shape_tests;
#[cfg(test)]
mod tests;
