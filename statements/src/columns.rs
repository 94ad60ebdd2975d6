//! Columns of each field in the rows of a file: by a header, or by a number.

use crate::format::{ColumnName, FIELDS, FIGURES, Format, OneColumn};
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::SourceKind;
use edge::sheet::{Row, RowError, Rows, plain};
use std::collections::BTreeMap;

/// Number of rows that are searched for the header.
const HEADER_ROWS_MAX: usize = 50;
/// Fields that are found only under their own name: they change the meaning of others.
const NAMED_ONLY: [&str; 3] = ["time", "zone", "account"];

/// Result of `find`: the columns, and the row that it read last if that is a line.
pub type Begun<'a> = (Columns, Option<Row<'a>>);

/// Positions of the fields.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    places: BTreeMap<&'static str, Vec<usize>>,
    /// Header in lower case. Empty if the file has none.
    pub names: Vec<String>,
    /// The line of the header, or of the first row.
    pub line: u64,
    /// Number of columns of the rows. 0 if it is not known.
    pub width: usize,
    /// A bank's column of fees that the source does not name.
    pub bank_fee: Option<usize>,
}

impl Columns {
    /// Whether the file has a field.
    pub fn has(&self, field: &str) -> bool {
        self.places.contains_key(field)
    }

    /// The places of a field.
    pub fn places(&self, field: &str) -> &[usize] {
        self.places.get(field).map(Vec::as_slice).unwrap_or_default()
    }

    /// Adds a place of a field.
    pub fn add(&mut self, field: &'static str, place: usize) {
        self.places.entry(field).or_default().push(place);
    }

    /// The names in the header over the columns of some fields.
    pub fn names_of<'c>(&'c self, fields: &'c [&'c str]) -> impl Iterator<Item = &'c str> {
        let places = fields.iter().flat_map(|field| self.places(field));
        places.filter_map(|place| self.names.get(*place)).map(String::as_str)
    }

    /// Whether a row is the header again.
    pub fn is_header(&self, row: &Row<'_>) -> bool {
        let same = |(name, cell): (&String, &std::borrow::Cow<'_, str>)| plain(cell).to_lowercase() == *name;
        !self.names.is_empty()
            && row.cells.len() == self.names.len()
            && self.names.iter().zip(&row.cells).all(same)
    }

    /// Says where a field is.
    pub fn set(&mut self, field: &'static str, place: usize) {
        self.places.insert(field, vec![place]);
    }

    /// Whether a field is at a place.
    pub fn is_taken(&self, place: usize) -> bool {
        self.places.values().flatten().any(|taken| *taken == place)
    }

    /// The first text of a field that is not empty.
    pub fn text<'r>(&self, row: &'r Row<'_>, field: &str) -> &'r str {
        let texts = self.places(field).iter().map(|place| plain(row.cell(*place)));
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Finds the header, or the first row of a file without one; `is_day` reports whether a cell is a day.
    ///
    /// # Errors
    /// The column that the file lacks.
    pub fn find<'a>(
        rows: &mut Rows<'a>,
        format: &Format,
        kind: SourceKind,
        is_day: impl Fn(&str) -> bool,
    ) -> Result<Begun<'a>, Vec<FieldProblem>> {
        if is_by_number(format) {
            return Self::by_number(rows, format, kind, is_day);
        }
        let mut lacks: Option<(usize, FieldProblem)> = None;
        for row in rows.by_ref().take(HEADER_ROWS_MAX) {
            let row = row.map_err(|error| vec![broken(&error)])?;
            match Self::of_header(&row, format, kind) {
                Ok(columns) => return Ok((columns, None)),
                Err(problem) => {
                    let cells = row.cells.iter().filter(|cell| !cell.is_empty()).count();
                    if lacks.as_ref().is_none_or(|(most, _)| cells > *most) {
                        lacks = Some((cells, at(row.line, None, &problem)));
                    }
                }
            }
        }
        let empty = || at(1, None, "is empty: a statement must have a header and lines");
        Err(vec![lacks.map_or_else(empty, |(_, problem)| problem)])
    }

    fn by_number<'a>(
        rows: &mut Rows<'a>,
        format: &Format,
        kind: SourceKind,
        is_day: impl Fn(&str) -> bool,
    ) -> Result<Begun<'a>, Vec<FieldProblem>> {
        let mut columns = Self::default();
        for (field, column) in &format.columns {
            let known = FIELDS.into_iter().find(|known| known == field);
            let number = |one: &OneColumn| match one {
                OneColumn::Number(number) => usize::try_from(*number).ok()?.checked_sub(1),
                OneColumn::Header(_) => None,
            };
            let places: Option<Vec<usize>> = column.each().iter().map(number).collect();
            if let Some((field, places)) = known.zip(places).filter(|(_, places)| !places.is_empty()) {
                columns.places.insert(field, places);
            }
        }
        columns.check(kind).map_err(|problem| vec![at(1, None, &problem)])?;
        for row in rows.by_ref() {
            let row = row.map_err(|error| vec![broken(&error)])?;
            columns.line = row.line;
            if columns.is_line(&row, &is_day) {
                return Ok((columns, Some(row)));
            }
            // A header names its columns; it is recognised by words in place of figures.
            columns.names = row.cells.iter().map(|name| plain(name).to_lowercase()).collect();
        }
        Err(vec![at(columns.line.max(1), None, "is not followed by a line")])
    }

    /// Whether a row may be a line: it has a day, or a digit where a figure is.
    fn is_line(&self, row: &Row<'_>, is_day: &impl Fn(&str) -> bool) -> bool {
        let figures = FIGURES.iter().flat_map(|field| self.places(field));
        let digits = figures.into_iter().any(|place| row.cell(*place).contains(|c: char| c.is_ascii_digit()));
        digits || is_day(self.text(row, "date"))
    }

    /// Positions of the fields under a header.
    fn of_header(header: &Row<'_>, format: &Format, kind: SourceKind) -> Result<Self, String> {
        let names: Vec<String> = header.cells.iter().map(|name| plain(name).to_lowercase()).collect();
        let width = names.len();
        let mut columns = Self { names, line: header.line, width, ..Self::default() };
        for field in FIELDS {
            let places = match format.columns.get(field) {
                Some(column) => columns.named(field, column)?,
                None if NAMED_ONLY.contains(&field) => continue,
                None => columns.names.iter().position(|name| name == field).into_iter().collect(),
            };
            if !places.is_empty() {
                columns.places.insert(field, places);
            }
        }
        // A bank charges its fees beside the amount, which is the net already.
        let own_fee =
            kind == SourceKind::Bank && !format.columns.contains_key("fee") && !columns.has("gross");
        if own_fee && let Some(places) = columns.places.remove("fee") {
            columns.bank_fee = places.first().copied();
        }
        columns.check(kind)?;
        Ok(columns)
    }

    fn named(&self, field: &str, column: &ColumnName) -> Result<Vec<usize>, String> {
        let place = |one: &OneColumn| match one {
            OneColumn::Number(number) => {
                let place = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
                place
                    .filter(|place| *place < self.names.len())
                    .ok_or_else(|| format!("has no column {number}, which the source uses for {field}"))
            }
            OneColumn::Header(name) => {
                let wanted = plain(name).to_lowercase();
                let place = self.names.iter().position(|name| *name == wanted);
                place.ok_or_else(|| format!("has no column \"{name}\", which the source uses for {field}"))
            }
        };
        column.each().iter().map(place).collect()
    }

    fn check(&self, kind: SourceKind) -> Result<(), String> {
        if !self.has("date") {
            return Err("has no column date".to_owned());
        }
        let pair = |debit: &str, credit: &str| self.has(debit) && self.has(credit);
        let net = self.has("amount")
            || self.has("net")
            || pair("debit", "credit")
            || pair("net_debit", "net_credit");
        let gross = self.has("gross") || pair("gross_debit", "gross_credit");
        if net || (kind == SourceKind::Provider && gross) {
            Ok(())
        } else {
            Err("has no column with an amount".to_owned())
        }
    }
}

/// Whether every column that the source names is a number, the day and an amount among them: such a file needs no header.
fn is_by_number(format: &Format) -> bool {
    let mut columns = format.columns.values().flat_map(ColumnName::each);
    let numbers = columns.all(|one| matches!(one, OneColumn::Number(_)));
    let has = |field: &str| format.columns.contains_key(field);
    numbers && has("date") && FIGURES.into_iter().any(has)
}

/// Problem of a row.
pub fn at(row: u64, field: Option<&str>, problem: &str) -> FieldProblem {
    let path = match field {
        Some(field) => format!("row {row}.{field}"),
        None => format!("row {row}"),
    };
    FieldProblem { path, problem: problem.to_owned() }
}

/// Reason why a file can't be read on.
pub fn broken(error: &RowError) -> FieldProblem {
    at(error.line, None, &error.problem)
}
