//! Facts about all rows of a file, found before any of them is read: the marks of its figures, and its signs.

use crate::balances::is_balance;
use crate::columns::{Columns, at, broken};
use crate::format::{FIGURES, Format};
use crate::kinds::RowKind;
use crate::line::{Bounds, SourceFile};
use crate::signs::{OutSigns, OwnSign, SignColumn, SignColumns};
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::LineKind;
use edge::sheet::{DayReader, Decimal, Direction, FigureColumn, FigureReading, Row, RowError, Written};

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
    /// How outgoing money is written in its column, for each pair of columns.
    pub debits: [OutSigns; PAIRS.len()],
    /// The column of signs.
    pub sign: SignColumn,
    /// Words beside amounts.
    pub beside: WordsBeside,
    /// Whether a pair of columns holds an amount.
    pub has_pairs: bool,
    /// Whether an amount has a sign or a word of its own.
    pub has_own_signs: bool,
    /// Kinds with a row that has a sign of its own.
    pub signed_kinds: Vec<LineKind>,
}

/// Words of direction beside the amounts of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct WordsBeside {
    into: usize,
    out: usize,
    out_with_sign: usize,
}

impl WordsBeside {
    fn see(&mut self, written: &Written) {
        match written.direction {
            Some(Direction::In) => self.into = self.into.saturating_add(1),
            Some(Direction::Out) => {
                self.out = self.out.saturating_add(1);
                self.out_with_sign = self.out_with_sign.saturating_add(usize::from(written.negative));
            }
            None => {}
        }
    }

    /// Whether amounts without a word are of an unknown direction. Words for money from us alone are as good as a minus.
    pub fn leave_others_open(self) -> bool {
        self.into > 0
    }

    /// How amounts that a word beside them marks as outgoing are written.
    pub fn out_signs(self) -> OutSigns {
        OutSigns::of(self.out_with_sign, self.out.saturating_sub(self.out_with_sign))
    }
}

impl Survey {
    /// Whether anything shows the direction of an amount: a sign, a word, or its column.
    pub fn has_signs(&self) -> bool {
        self.has_pairs || self.sign.place.is_some() || self.has_own_signs
    }
}

/// State of the survey while rows are read.
struct Looking<'a> {
    format: &'a Format,
    columns: &'a Columns,
    figures: FigureColumn,
    days: &'a DayReader<'a>,
    signs: SignColumns,
    beside: WordsBeside,
    has_pairs: bool,
    has_own_signs: bool,
    signed_kinds: Vec<LineKind>,
    negative: [usize; PAIRS.len()],
    positive: [usize; PAIRS.len()],
}

impl Survey {
    /// Looks at all rows. Columns of signs and of statuses that the source does not name are added to the columns.
    ///
    /// # Errors
    /// Too many rows, a row that can't be read, or ambiguous figures.
    pub fn of<'a>(
        rows: impl Iterator<Item = Result<Row<'a>, RowError>>,
        columns: &mut Columns,
        (format, whose, bounds): (&Format, &SourceFile<'_>, &Bounds),
        days: &DayReader<'_>,
    ) -> Result<Self, Vec<FieldProblem>> {
        let mut looking = Looking {
            format,
            columns,
            figures: FigureColumn::of_amounts(bounds.currency),
            days,
            signs: SignColumns::default(),
            beside: WordsBeside::default(),
            has_pairs: false,
            has_own_signs: false,
            signed_kinds: Vec::new(),
            negative: [0; PAIRS.len()],
            positive: [0; PAIRS.len()],
        };
        let footer = usize::try_from(format.skip_footer).unwrap_or(usize::MAX);
        let mut count = 0_usize;
        for row in rows {
            let row = row.map_err(|error| vec![broken(&error)])?;
            count = count.saturating_add(1);
            let lines = count.saturating_sub(footer);
            bounds.check_rows(lines).map_err(|problem| vec![at(columns.line, None, &problem)])?;
            looking.see(&row);
        }
        let reading = looking.reading(whose.separator)?;
        let is_decided = format.columns.contains_key("sign");
        let may_be_type = |place: usize| looking.may_be_sign(place);
        let sign = looking
            .signs
            .decide(looking.columns, (whose.kind, &format.sign_words, is_decided), may_be_type)
            .map_err(|problem| vec![problem])?;
        let mut debits = [OutSigns::default(); PAIRS.len()];
        for ((pair, negative), positive) in debits.iter_mut().zip(looking.negative).zip(looking.positive) {
            // With equal numbers, figures are read as written.
            *pair = if negative > positive { OutSigns::Signed } else { OutSigns::Unsigned };
        }
        let Looking { beside, has_pairs, has_own_signs, signed_kinds, .. } = looking;
        if let Some(place) = sign.place {
            columns.set("sign", place);
        }
        Ok(Self { rows: count, reading, debits, sign, beside, has_pairs, has_own_signs, signed_kinds })
    }
}

impl Looking<'_> {
    fn see(&mut self, row: &Row<'_>) {
        let words = &self.format.sign_words;
        let (mut has_amount, mut own) = (false, OwnSign::default());
        for field in FIGURES {
            for place in self.columns.places(field) {
                let Ok(Some(written)) = Written::of(row.cell(*place), words) else { continue };
                self.figures.see(&written);
                if !written.has_value() {
                    continue;
                }
                if ["amount", "gross", "net"].contains(&field) {
                    has_amount = true;
                    self.beside.see(&written);
                    own.direction = own.direction.or(written.own_direction());
                    own.negative |= written.negative;
                }
                let pair = PAIRS.iter().position(|(debit, _)| *debit == field);
                self.has_pairs |= PAIRS.iter().any(|(debit, credit)| [*debit, *credit].contains(&field));
                if let Some(pair) = pair {
                    let counts = if written.is_signed() { &mut self.negative } else { &mut self.positive };
                    if let Some(count) = counts.get_mut(pair) {
                        *count = count.saturating_add(1);
                    }
                }
            }
        }
        self.has_own_signs |= own.direction.is_some();
        if own.direction.is_some()
            && let Some(RowKind::Line(kind)) = self.format.kind_of(self.columns.text(row, "type"))
            && !self.signed_kinds.contains(&kind)
        {
            self.signed_kinds.push(kind);
        }
        // A row without a day is a sum, and neither it nor a balance has a sign beside its figure.
        let has_day = self.days.day(self.columns.text(row, "date"), "", "").is_ok();
        if has_amount && has_day && !is_balance(self.columns.text(row, "description"), true) {
            self.signs.see(row, self.columns, words, own);
        }
    }

    /// Whether a column of types may hold signs: banks also call a column of `DEBIT` and `CREDIT` so. Types that the
    /// source lists are types.
    fn may_be_sign(&self, place: usize) -> bool {
        self.format.types.is_empty() && self.columns.places("type").contains(&place)
    }

    fn reading(&self, separator: char) -> Result<FigureReading, Vec<FieldProblem>> {
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
        Ok(reading)
    }
}
