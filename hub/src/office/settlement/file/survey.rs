//! What all rows of a file show together before any of them is read: the marks of its figures and the column of signs.

use crate::office::settlement::file::columns::{Columns, at, broken};
use crate::office::settlement::file::format::{FIGURES, Format};
use crate::office::settlement::file::line::{Bounds, SourceFile};
use domain::model::base::refusal::FieldProblem;
use edge::sheet::{
    COLUMNS_MAX, Decimal, Direction, FigureColumn, FigureReading, Row, RowError, Written, is_nothing, plain,
};

/// Pairs of columns that hold money from us and to us.
pub const PAIRS: [(&str, &str); 3] =
    [("debit", "credit"), ("gross_debit", "gross_credit"), ("net_debit", "net_credit")];

/// Common properties of the rows of a file.
#[derive(Debug)]
pub struct Survey {
    /// Number of rows that are not blank.
    pub rows: usize,
    /// Way in which figures are read.
    pub reading: FigureReading,
    /// Whether money from us is negative in its column, for each pair of columns.
    pub debits_are_negative: [bool; PAIRS.len()],
    /// Whether anything but the type of a row says which way its money goes: a sign, a word or a column.
    pub has_signs: bool,
}

/// A column that the source does not name, and whether it may hold signs.
#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    filled: usize,
    into: usize,
    out: usize,
    long: bool,
    /// Rows whose figure has the opposite sign of its own.
    opposed: usize,
}

/// State of the survey while rows are read.
struct Looking<'a> {
    format: &'a Format,
    columns: &'a Columns,
    figures: FigureColumn,
    /// Rows with a figure where one figure says all.
    with_amount: usize,
    signed: bool,
    candidates: Vec<Candidate>,
    negative: [usize; PAIRS.len()],
    positive: [usize; PAIRS.len()],
}

impl Survey {
    /// Looks at all rows. A column of signs that the source does not name is added to the columns.
    ///
    /// # Errors
    /// Too many rows, a row that can't be read, or figures of which nothing says how they are read.
    pub fn of<'a>(
        rows: impl Iterator<Item = Result<Row<'a>, RowError>>,
        columns: &mut Columns,
        (format, whose, bounds): (&Format, &SourceFile<'_>, &Bounds),
    ) -> Result<Self, Vec<FieldProblem>> {
        let mut looking = Looking {
            format,
            columns,
            figures: FigureColumn::default(),
            with_amount: 0,
            signed: false,
            candidates: Vec::new(),
            negative: [0; PAIRS.len()],
            positive: [0; PAIRS.len()],
        };
        let footer = usize::try_from(format.skip_footer).unwrap_or(usize::MAX);
        let mut count = 0_usize;
        for row in rows {
            let row = row.map_err(|error| vec![broken(&error)])?;
            count = count.saturating_add(1);
            let lines = count.saturating_sub(footer);
            bounds.limits.check_rows(lines).map_err(|problem| vec![at(columns.line, None, &problem)])?;
            looking.see(&row);
        }
        let found = looking.found(whose.separator)?;
        let (sign, reading, debits_are_negative, signed) = found;
        if let Some(place) = sign {
            columns.set("sign", place);
        }
        let in_pairs = PAIRS.iter().any(|(debit, credit)| columns.has(debit) || columns.has(credit));
        let has_signs = signed || in_pairs || columns.has("sign");
        Ok(Self { rows: count, reading, debits_are_negative, has_signs })
    }
}

/// The place of signs, how figures are read, which pairs have signs of their own, and whether any other figure has.
type Found = (Option<usize>, FigureReading, [bool; PAIRS.len()], bool);

impl Looking<'_> {
    fn see(&mut self, row: &Row<'_>) {
        let words = &self.format.sign_words;
        let (mut amounts, mut direction) = (false, None);
        for field in FIGURES {
            for place in self.columns.places(field) {
                let Ok(Some(written)) = Written::of(row.cell(*place), words) else { continue };
                self.figures.see(&written);
                if ["amount", "gross", "net"].contains(&field) {
                    amounts = true;
                    self.signed |= written.is_signed();
                    direction = direction.or(written.own_direction());
                }
                let pair = PAIRS.iter().position(|(debit, _)| *debit == field);
                if let Some(pair) = pair.filter(|_| written.has_value()) {
                    let counts = if written.is_signed() { &mut self.negative } else { &mut self.positive };
                    if let Some(count) = counts.get_mut(pair) {
                        *count = count.saturating_add(1);
                    }
                }
            }
        }
        // A row without a day is a sum or a balance: it has no sign beside its figure.
        let has_day = self.columns.text(row, "date").contains(|c: char| c.is_ascii_digit());
        if amounts && has_day {
            self.with_amount = self.with_amount.saturating_add(1);
            self.see_others(row, direction);
        }
    }

    /// Looks at the columns that the source does not name; `own` is the direction that the row's figure states itself.
    fn see_others(&mut self, row: &Row<'_>, own: Option<Direction>) {
        let words = &self.format.sign_words;
        for (place, cell) in row.cells.iter().enumerate().take(COLUMNS_MAX) {
            if is_nothing(cell) || (self.columns.is_taken(place) && !self.may_be_sign(place)) {
                continue;
            }
            if self.candidates.len() <= place {
                self.candidates.resize(place.saturating_add(1), Candidate::default());
            }
            let Some(candidate) = self.candidates.get_mut(place) else { continue };
            candidate.filled = candidate.filled.saturating_add(1);
            candidate.long |= plain(cell).len() > 1;
            let direction = words.direction(cell);
            if own.is_some() && direction.is_some() && own != direction {
                candidate.opposed = candidate.opposed.saturating_add(1);
            }
            match direction {
                Some(Direction::In) => candidate.into = candidate.into.saturating_add(1),
                Some(Direction::Out) => candidate.out = candidate.out.saturating_add(1),
                None => {}
            }
        }
    }

    /// Whether a column of types may hold signs: banks also call a column of `DEBIT` and `CREDIT` so. Types that the
    /// source lists are types.
    fn may_be_sign(&self, place: usize) -> bool {
        self.format.types.is_empty() && self.columns.places("type").contains(&place)
    }

    /// The column of signs among those that may be: one alone, or the first behind the figure. A balance may have one too.
    fn sign_of(&self, places: &[usize]) -> Option<usize> {
        if let [place] = places {
            return Some(*place);
        }
        let figures = ["amount", "gross", "net"].into_iter().flat_map(|field| self.columns.places(field));
        figures.into_iter().filter_map(|figure| figure.checked_add(1)).find(|next| places.contains(next))
    }

    /// Whether a header names both directions, for example `S/H` or `Dr / Cr`.
    fn names_both_ways(&self, name: &str) -> bool {
        let words = name.split(|c: char| !c.is_alphanumeric());
        let ways: Vec<_> = words.filter_map(|word| self.format.sign_words.direction(word)).collect();
        ways.contains(&Direction::In) && ways.contains(&Direction::Out)
    }

    fn found(self, separator: char) -> Result<Found, Vec<FieldProblem>> {
        let reading = self.figures.decide(self.format.decimal, separator);
        if self.format.decimal == Decimal::Auto
            && self.figures.is_undecided()
            && let Some(example) = self.figures.example(&reading)
        {
            let problem = format!(
                "must be set: the file does not show whether the mark in {example} groups digits or begins a \
                 fraction. Set \".\" or \",\" for the mark that begins a fraction, or \"none\" if both group digits"
            );
            return Err(vec![FieldProblem { path: "csv.decimal".to_owned(), problem }]);
        }
        let name = |place: usize| self.columns.names.get(place).map_or("", String::as_str);
        let is_sign = |place: usize, of: &Candidate| {
            let all = of.filled == self.with_amount && of.into.saturating_add(of.out) == of.filled;
            // One letter alone may be a code of another kind: it counts where both ways occur, or the header allows it.
            let both = of.into > 0 && of.out > 0;
            let by_name = || name(place).is_empty() || self.names_both_ways(name(place));
            all && of.filled > 0 && of.opposed == 0 && (of.long || both || by_name())
        };
        let signs: Vec<usize> = (self.candidates.iter().enumerate())
            .filter(|(place, candidate)| is_sign(*place, candidate))
            .map(|(place, _)| place)
            .collect();
        let sign = self.sign_of(&signs).filter(|_| !self.columns.has("sign"));
        let mut debits = [false; PAIRS.len()];
        for ((pair, negative), positive) in debits.iter_mut().zip(self.negative).zip(self.positive) {
            *pair = negative > 0 && positive == 0;
        }
        Ok((sign, reading, debits, self.signed))
    }
}
