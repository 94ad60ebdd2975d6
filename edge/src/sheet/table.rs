//! Files with a header row, read column by column name: catalogues, price lists, stock, members. Every bad row is named.

use super::{Columns, Encoding, FigureColumn, FigureReading, Row, Rows, SignWords, Written, decode};
use crate::sheet::code;
use domain::model::base::currency::Currency;
use domain::model::base::text::composed;
use std::fmt;

/// Most problems of a file that are kept; further ones are counted.
pub const PROBLEMS_MAX: usize = 1000;
/// Characters of a cell that are shown in an error.
const SHOWN_CHARS: usize = 40;
/// Rows in which the header is looked for: programs write their name and the day before it.
const PREAMBLE_ROWS_MAX: usize = 20;
/// The longest name of a column, in bytes, that is shown.
const UNKNOWN_NAMED_MAX: usize = 64;

/// A row that can't be read, or the header; or a doubt about a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    /// 1-based line of the file at which the row begins.
    pub line: u64,
    /// Description of the problem, for people.
    pub problem: String,
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Problems of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    /// The first problems, each with its row.
    pub named: Vec<RowProblem>,
    /// Number of all problems.
    pub count: usize,
}

impl Problems {
    /// Adds a problem.
    pub fn push(&mut self, line: u64, problem: String) {
        self.count = self.count.saturating_add(1);
        if self.named.len() < PROBLEMS_MAX {
            self.named.push(RowProblem { line, problem });
        }
    }

    /// A list of one problem.
    pub fn of(line: u64, problem: String) -> Self {
        Self { named: vec![RowProblem { line, problem }], count: 1 }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The columns of a kind of file. Names are in lower case.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Required columns.
    pub required: &'static [&'static str],
    /// Optional columns.
    pub optional: &'static [&'static str],
    /// Columns that hold figures.
    pub figures: &'static [&'static str],
    /// Columns with amounts of money.
    pub amounts: &'static [&'static str],
    /// The currency of the amounts.
    pub currency: Currency,
    /// Largest number of rows.
    pub rows_max: usize,
}

impl Layout {
    /// Reader of the figures of a column. `None` if it has texts.
    fn column(&self, name: &str) -> Option<FigureColumn> {
        let is_in = |names: &[&str]| names.contains(&name);
        let column = if is_in(self.amounts) {
            FigureColumn::of_amounts(self.currency)
        } else {
            FigureColumn::default()
        };
        is_in(self.figures).then_some(column)
    }

    fn expected(&self) -> String {
        let optional =
            if self.optional.is_empty() { String::new() } else { format!("[,{}]", self.optional.join(",")) };
        format!("{}{optional}", self.required.join(","))
    }

    /// Passes a header: all unknown columns are named at once.
    fn check(&self, names: &[String]) -> Result<(), String> {
        let expected = self.expected();
        let is_known = |name: &str| self.required.iter().chain(self.optional).any(|known| *known == name);
        let unknown: Vec<String> = names
            .iter()
            .filter(|name| !is_known(name))
            .take(UNKNOWN_NAMED_MAX)
            .map(|name| format!("\"{}\"", shortened(name)))
            .collect();
        if !unknown.is_empty() {
            let columns = if unknown.len() == 1 { "column" } else { "columns" };
            return Err(format!("unknown {columns} {} (expected {expected})", unknown.join(", ")));
        }
        if let Some(twice) = names
            .iter()
            .enumerate()
            .find(|(place, name)| names.iter().take(*place).any(|other| other == *name))
        {
            return Err(format!("column \"{}\" appears twice", twice.1));
        }
        match self.required.iter().find(|name| !names.iter().any(|known| known == *name)) {
            Some(missing) => Err(format!("column \"{missing}\" is missing (expected {expected})")),
            None => Ok(()),
        }
    }
}

/// The encoding of a name such as `windows-1252`.
///
/// # Errors
/// The list of valid names.
pub fn encoding(name: &str) -> Result<Encoding, String> {
    let of = || serde_json::from_value(serde_json::Value::from(name.to_lowercase()));
    of().map_err(|_| "must be utf-8, utf-16, windows-1252 or iso-8859-1".to_owned())
}

/// A file whose header is known, and how the figures of its columns are read.
#[derive(Debug)]
pub struct Table {
    text: String,
    layout: Layout,
    names: Vec<String>,
    /// Rows up to the header, with it.
    head: usize,
    /// By place of the column.
    readings: Vec<Option<FigureReading>>,
    /// The first currency that is written beside a figure, with its line.
    currency: Option<(u64, &'static str)>,
}

impl Table {
    /// Reads a header and looks at all figures: the whole column decides the meaning of a mark in them.
    ///
    /// # Errors
    /// Text in another encoding, and a header with other columns.
    pub fn open(bytes: &[u8], encoding: Encoding, layout: Layout) -> Result<Self, Problems> {
        Self::open_by(bytes, encoding, layout, None)
    }

    /// As `open`. With `columns` the file's own header is ignored.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub fn open_by(
        bytes: &[u8],
        encoding: Encoding,
        layout: Layout,
        columns: Option<&Columns>,
    ) -> Result<Self, Problems> {
        let text = decode(bytes, encoding).map_err(|wrong| Problems::of(wrong.line, wrong.to_string()))?;
        let (names, head) = match columns {
            Some(columns) => given(&text, layout, columns)?,
            None => header(&text, layout)?,
        };
        let mut rows = Rows::new(&text, None, 0);
        let separator = rows.separator();
        rows.by_ref().take(head).for_each(drop);
        let words = SignWords::default();
        let mut columns: Vec<Option<FigureColumn>> = names.iter().map(|name| layout.column(name)).collect();
        let mut currency = None;
        for row in rows.map_while(Result::ok) {
            for (column, cell) in columns.iter_mut().zip(&row.cells) {
                if let Some(column) = column
                    && let Ok(Some(written)) = Written::of(cell, &words)
                {
                    column.see(&written);
                    currency = currency.or(written.currency.map(|code| (row.line, code)));
                }
            }
        }
        let decide =
            |column: Option<FigureColumn>| column.map(|it| it.decide(super::Decimal::Auto, separator));
        let readings = columns.into_iter().map(decide).collect();
        Ok(Self { text, layout, names, head, readings, currency })
    }

    /// Whether the file has a column.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The currency that is written beside figures, with the line of the first.
    pub fn currency(&self) -> Option<(u64, &'static str)> {
        self.currency
    }

    /// The names of its columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Every row as `read` makes it of the cells, or every invalid row. Once a row is invalid no others are kept.
    ///
    /// # Errors
    /// Every bad row with its problem; a file without rows.
    pub fn read<T>(&self, mut read: impl FnMut(&Cells<'_>) -> Result<T, String>) -> Result<Vec<T>, Problems> {
        let (mut good, mut problems, mut count) = (Vec::new(), Problems::default(), 0_usize);
        for row in Rows::new(&self.text, None, 0).skip(self.head) {
            let row = match row {
                Ok(row) => row,
                Err(error) => {
                    problems.push(error.line, error.problem);
                    break;
                }
            };
            if count >= self.layout.rows_max {
                let most = self.layout.rows_max;
                problems.push(row.line, format!("more than {most} rows: split the file"));
                break;
            }
            count = count.saturating_add(1);
            let line = row.line;
            match self.cells(row).and_then(|cells| read(&cells)) {
                Ok(row) if problems.is_empty() => good.push(row),
                Ok(_) => {}
                Err(problem) => {
                    good = Vec::new();
                    problems.push(line, problem);
                }
            }
        }
        if good.is_empty() && problems.is_empty() {
            problems.push(1, "the file has a header but no rows to import".to_owned());
        }
        if problems.is_empty() { Ok(good) } else { Err(problems) }
    }

    fn cells<'a>(&'a self, row: Row<'a>) -> Result<Cells<'a>, String> {
        let width = self.names.len();
        if row.is_unclosed {
            return Err(
                "has a quote that is not closed: put text that contains a quote in quotes, and double that quote"
                    .to_owned(),
            );
        }
        if row.cells.len() >= width && row.cells.iter().skip(width).all(|cell| cell.is_empty()) {
            return Ok(Cells { table: self, row });
        }
        Err(format!(
            "has {} cells, the header has {width}: put text that contains a separator in quotes",
            row.cells.len()
        ))
    }
}

/// As [`header`], with names that a person gave.
fn given(text: &str, layout: Layout, columns: &Columns) -> Result<(Vec<String>, usize), Problems> {
    let Columns { header, names } = columns;
    let named: Vec<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    layout.check(&named).map_err(|problem| Problems::of(*header, problem))?;
    let head = Rows::new(text, None, 0).map_while(Result::ok).take_while(|row| row.line <= *header).count();
    Ok((names.clone(), head))
}

/// The names of the columns, and the number of rows up to them. If no row is a header, the error is about the first
/// row, or the one with most of its names.
fn header(text: &str, layout: Layout) -> Result<(Vec<String>, usize), Problems> {
    let mut best: Option<(usize, u64, String)> = None;
    for (head, row) in (1..=PREAMBLE_ROWS_MAX).zip(Rows::new(text, None, 0)) {
        let row = match row {
            Ok(row) => row,
            Err(error) if best.is_none() => return Err(Problems::of(error.line, error.problem)),
            Err(_) => break,
        };
        let names = column_names(&row);
        let Err(problem) = layout.check(&names) else { return Ok((names, head)) };
        let known = layout.required.iter().filter(|name| names.iter().any(|own| own == *name)).count();
        if best.as_ref().is_none_or(|(most, ..)| known > *most) {
            best = Some((known, row.line, problem));
        }
    }
    let (_, line, problem) =
        best.unwrap_or_else(|| (0, 1, format!("the file is empty (expected {})", layout.expected())));
    Err(Problems::of(line, problem))
}

/// Spreadsheets end lines with separators: a column at the end without a name is ignored.
fn column_names(header: &Row<'_>) -> Vec<String> {
    let mut names: Vec<String> = header.cells.iter().map(|cell| super::plain(cell).to_lowercase()).collect();
    while names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    names
}

/// The cells of one row, by the names of their columns.
#[derive(Debug)]
pub struct Cells<'a> {
    table: &'a Table,
    row: Row<'a>,
}

impl Cells<'_> {
    /// The line at which the row begins.
    pub fn line(&self) -> u64 {
        self.row.line
    }

    /// Text of the cell; empty if the file has no such column.
    pub fn raw(&self, name: &str) -> &str {
        self.table.names.iter().position(|known| known == name).map_or("", |place| self.row.cell(place))
    }

    /// A text as a person wrote it; `None` if the cell is empty.
    ///
    /// # Errors
    /// The problem, for a person.
    pub fn text(&self, name: &str, chars_max: usize) -> Result<Option<String>, String> {
        let cell = super::unmarked(self.raw(name));
        // A line that a person broke in its cell.
        let cell = cell.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
        if cell.chars().any(|c| c.is_control()) {
            return Err(format!("{name} contains control characters"));
        }
        let text = composed(&cell);
        let count = text.chars().count();
        if count > chars_max {
            return Err(format!("{name} has {count} characters, but at most {chars_max} are allowed"));
        }
        Ok(Some(text.into_owned()).filter(|text| !text.is_empty()))
    }

    /// A sku; `None` if the cell is empty.
    ///
    /// # Errors
    /// The problem, for a person.
    pub fn sku(&self, name: &str) -> Result<Option<String>, String> {
        code::sku(name, self.raw(name))
    }

    /// A code that scanners send; `None` if the cell is empty.
    ///
    /// # Errors
    /// The problem, for a person.
    pub fn barcode(&self, name: &str) -> Result<Option<String>, String> {
        code::barcode(name, self.raw(name))
    }
}

/// A cell as it is shown in a complaint.
fn shortened(cell: &str) -> String {
    cell.chars().take(SHOWN_CHARS).collect()
}

mod figures;
#[cfg(test)]
mod tests;
