//! A row of a file becomes a line of its statement, or is set aside with the reason.

use crate::account_no::is_same_account;
use crate::amount::fraction_problem;
use crate::balances::is_balance;
use crate::columns::Columns;
use crate::fees::{GrossFeeNet, cost_of_fee};
use crate::format::{FeeSign, Format, Fraction};
use crate::kinds::RowKind;
use crate::line::{Bounds, NAME_BYTES_MAX, REFERENCE_BYTES_MAX, SourceFile, TEXT_BYTES_MAX, check_line};
use crate::pattern::Pattern;
use crate::row_figures::{RowFigures, some};
use crate::set_aside::{Reason, SetAside, cut};
use crate::signs::OutSigns;
use crate::statuses::is_pending_word;
use crate::survey::{PAIRS, Survey};
use domain::model::base::figures::Money;
use domain::rules::books::settlement::import::{Figures, TextLine};
use domain::rules::books::settlement::{LineKind, SourceKind};
use edge::sheet::{DayReader, Direction, Figure, NoFigure, Row, Written, is_nothing, may_be_currency};

/// Rules for all rows of a file.
pub struct Rules<'a> {
    /// Positions of the fields.
    pub columns: &'a Columns,
    /// Format of the file.
    pub format: &'a Format,
    /// Source of the file.
    pub file: &'a SourceFile<'a>,
    /// Common properties of the rows.
    pub survey: &'a Survey,
    pub days: &'a DayReader<'a>,
    pub pattern: Option<&'a Pattern>,
    /// The sign of fees that cost.
    pub fee_sign: FeeSign,
    pub bounds: &'a Bounds,
}

/// Result of a row.
pub enum Outcome {
    /// A line, and the amount that rounding took from its net, in millionths.
    Line(Box<TextLine>, i64),
    /// A row that is not a line.
    Aside(Box<SetAside>),
}

/// The reason why a row is no line, the field concerned, and the words for people.
pub type LeftOut = (Reason, Option<&'static str>, String);
/// The wrong field, and its problem.
pub type Wrong = (&'static str, String);

impl Rules<'_> {
    /// Result of a row.
    pub fn outcome(&self, row: &Row<'_>) -> Outcome {
        let figures = self.figures(row);
        let mut aside = self.blank(row, figures.as_ref().ok());
        let mut set = |reason: Reason, field: Option<&'static str>, problem: String| {
            (aside.reason, aside.field, aside.problem) = (reason, field, problem);
            Outcome::Aside(Box::new(aside.clone()))
        };
        if let Some(problem) = self.too_wide(row) {
            return set(Reason::Invalid, None, problem);
        }
        if let Some((reason, field, problem)) = self.left_out(row) {
            return set(reason, field, problem);
        }
        let text = |field: &str| self.columns.text(row, field);
        let date = match self.days.day(text("date"), text("time"), text("zone")) {
            Ok(date) => date,
            Err(_) if is_pending_word(text("date")) => {
                return set(Reason::Pending, Some("date"), "is not booked yet".to_owned());
            }
            Err(_) if self.is_behind(row) => {
                let balance = row.cells.iter().find(|cell| !cell.is_empty());
                let is_sum = balance.is_some_and(|cell| is_balance(cell, false));
                let reason = if is_sum { Reason::Balance } else { Reason::Footer };
                return set(reason, None, "has no date: it is a balance, a sum or a note".to_owned());
            }
            Err(why) => {
                let outcome = set(Reason::Invalid, Some("date"), why.to_string());
                return with_also(outcome, figures.err());
            }
        };
        if self.is_balance_row(row) {
            return set(Reason::Balance, Some("description"), "is a balance".to_owned());
        }
        if let Some(problem) = self.bank_fee(row) {
            return set(Reason::Invalid, Some("fee"), problem);
        }
        let figures = match figures {
            Ok(figures) => figures,
            Err((field, problem)) => return set(Reason::Invalid, Some(field), problem),
        };
        if let Some(field) = self.lacks(row) {
            let problem = format!("is empty or 0, and the source requires it (csv.required: {field})");
            return set(Reason::Ignored, Some(field), problem);
        }
        let kind = match self.kind(text("type")) {
            Ok(RowKind::Line(kind)) => Some(kind),
            Ok(RowKind::Aside(reason)) => {
                return set(reason, Some("type"), format!("{:?} is not a payment", text("type")));
            }
            Err(Some(problem)) => return set(Reason::Invalid, Some("type"), problem),
            Err(None) => None,
        };
        let line = match self.line(row, (date, kind), figures) {
            Ok(line) => line,
            Err((field, problem)) => return set(Reason::Invalid, Some(field), problem),
        };
        let (line, exact, lost) = line;
        if let Some((field, problem)) = check_line(&line, self.bounds).into_iter().next() {
            return set(Reason::Invalid, Some(field), problem);
        }
        if !exact && self.format.fraction == Fraction::SetAside {
            let problem = fraction_problem(self.bounds.currency);
            let Outcome::Aside(mut row) = set(Reason::Fraction, Some("amount"), problem) else {
                return Outcome::Line(Box::new(line), lost);
            };
            row.line = Some(line);
            return Outcome::Aside(row);
        }
        Outcome::Line(Box::new(line), lost)
    }

    /// Known parts of a row, whatever is wrong with it.
    pub fn blank(&self, row: &Row<'_>, figures: Option<&RowFigures>) -> SetAside {
        let text = |field: &str| self.columns.text(row, field);
        let kind = self.file.kind;
        let amount = figures.and_then(|figures| match kind {
            SourceKind::Bank => figures.net_of(kind),
            SourceKind::Provider => figures.gross_of(kind).or(figures.net).or(figures.fee),
        });
        let date = self.days.day(text("date"), text("time"), text("zone")).ok();
        let row_no = i64::try_from(row.line).unwrap_or(i64::MAX);
        SetAside {
            date,
            reference: cut(text("reference"), REFERENCE_BYTES_MAX),
            description: cut(text("description"), TEXT_BYTES_MAX),
            amount: amount.map(rounded),
            text: row.cells.join(&self.file.separator.to_string()),
            ..SetAside::new(row_no, Reason::Invalid, "")
        }
    }

    /// Reason why a row is not money of this account that moved.
    fn left_out(&self, row: &Row<'_>) -> Option<LeftOut> {
        let text = |field: &str| self.columns.text(row, field);
        if let (Some(own), named) = (self.file.account_no, text("account"))
            && !named.is_empty()
            && !is_same_account(own, named)
        {
            let problem = format!("is of account {named}, but the source has {own}");
            return Some((Reason::Account, Some("account"), problem));
        }
        if let Some(own) = self.file.currency {
            let beside = self.columns.places("currency").iter().map(|place| row.cell(*place));
            let named = beside.filter(|cell| !is_nothing(cell)).map(str::to_owned);
            let marks = named.chain(self.currency_marks(row));
            if let Some(other) = marks.into_iter().find(|mark| !may_be_currency(mark, own)) {
                let problem = format!("is in {other}, but the source is in {own}");
                return Some((Reason::Currency, Some("currency"), problem));
            }
        }
        self.by_status(row)
    }

    /// Currencies beside the figures of a row.
    pub fn currency_marks(&self, row: &Row<'_>) -> Vec<String> {
        let fields = super::format::FIGURES.iter().flat_map(|field| self.columns.places(field));
        let written =
            fields.filter_map(|place| Written::of(row.cell(*place), &self.format.sign_words).ok().flatten());
        written.filter_map(|written| written.currency).map(str::to_owned).collect()
    }

    /// Whether a row without a day holds no payment: a text of a balance, the header again, or nothing where an amount is.
    pub fn is_behind(&self, row: &Row<'_>) -> bool {
        let first = row.cells.iter().find(|cell| !cell.is_empty());
        let fields = super::format::FIGURES.iter().flat_map(|field| self.columns.places(field));
        let figures = fields.filter(|place| !is_nothing(row.cell(**place))).count();
        let is_sum = first.is_some_and(|cell| is_balance(cell, false));
        figures == 0 || is_sum || self.columns.is_header(row)
    }

    /// The field that a row lacks and the source requires.
    fn lacks(&self, row: &Row<'_>) -> Option<&'static str> {
        let required = super::format::FIELDS
            .into_iter()
            .filter(|field| self.format.required.iter().any(|of| of == field));
        let is_empty = |field: &&'static str| {
            if super::format::FIGURES.contains(field) {
                return self
                    .sum(row, field)
                    .is_ok_and(|figure| figure.unwrap_or_default() == Figure::default());
            }
            is_nothing(self.columns.text(row, field))
        };
        required.into_iter().find(is_empty)
    }

    fn kind(&self, said: &str) -> Result<RowKind, Option<String>> {
        let is_sign = || self.format.types.is_empty() && self.format.sign_words.direction(said).is_some();
        if is_nothing(said) || is_sign() {
            return Err(None);
        }
        let kind = self.format.kind_of(said);
        // Banks write any word into a column of types: only the types that the source lists have a meaning.
        if kind.is_none() && self.file.kind == SourceKind::Bank && self.format.types.is_empty() {
            return Err(None);
        }
        kind.ok_or_else(|| {
            Some(format!("{said:?} is not a known type of line, and csv.types does not list it"))
        })
    }

    /// The figures of a row, with the sign that money to us is above 0.
    ///
    /// # Errors
    /// The field that is not a figure, and the reason.
    pub fn figures(&self, row: &Row<'_>) -> Result<RowFigures, Wrong> {
        let mut found = RowFigures {
            amount: self.sum(row, "amount")?,
            gross: self.sum(row, "gross")?,
            fee: self.sum(row, "fee")?,
            net: self.sum(row, "net")?,
        };
        let [amount, gross, net] = PAIRS.map(|(debit, credit)| self.pair(row, debit, credit));
        found.amount = found.amount.or(amount?);
        found.gross = found.gross.or(gross?);
        found.net = found.net.or(net?);
        for (figure, field) in
            [(&mut found.amount, "amount"), (&mut found.gross, "gross"), (&mut found.net, "net")]
        {
            let Some(value) = *figure else { continue };
            *figure = Some(if self.columns.has("sign") {
                self.signed(row, value)?
            } else if self.format.negate && !self.is_worded(row, field) {
                value.negated()
            } else {
                value
            });
        }
        Ok(found)
    }

    /// The figures of a field, added up.
    fn sum(&self, row: &Row<'_>, field: &'static str) -> Result<Option<Figure>, Wrong> {
        let mut sum: Option<Figure> = None;
        for place in self.columns.places(field) {
            let wrong = |why: NoFigure| (field, format!("{:?} {why}", row.cell(*place)));
            let Some(written) = Written::of(row.cell(*place), &self.format.sign_words).map_err(wrong)? else {
                continue;
            };
            if written.direction.is_some() && written.direction == opposite_of(field) {
                let problem =
                    format!("{:?} has a word for the opposite direction of its column", row.cell(*place));
                return Err((field, problem));
            }
            let figure = self.survey.reading.figure(&written).map_err(wrong)?;
            let figure = self
                .by_word(field, &written, figure)
                .map_err(|problem| (field, format!("{:?} {problem}", row.cell(*place))))?;
            sum = Some(sum.unwrap_or_default().plus(figure));
        }
        Ok(sum)
    }

    fn pair(
        &self,
        row: &Row<'_>,
        debit: &'static str,
        credit: &'static str,
    ) -> Result<Option<Figure>, Wrong> {
        let (from_us, to_us) = (self.sum(row, debit)?, self.sum(row, credit)?);
        if from_us.is_none() && to_us.is_none() {
            return Ok(None);
        }
        let pair = PAIRS.iter().position(|(name, _)| *name == debit);
        let from_us = from_us.unwrap_or_default();
        let from_us = match pair.and_then(|pair| self.survey.debits.get(pair)) {
            Some(OutSigns::Signed) => from_us.negated(),
            _ => from_us,
        };
        Ok(Some(to_us.unwrap_or_default().less(from_us)))
    }

    /// Whether a row is money that a provider deducts, in a file in which only the type shows it.
    fn is_unsigned_cost(&self, kind: Option<LineKind>) -> bool {
        let takes_away =
            matches!(kind, Some(LineKind::Refund | LineKind::Fee | LineKind::Chargeback | LineKind::Payout));
        let has_sign = kind.is_some_and(|kind| self.survey.signed_kinds.contains(&kind))
            || self.survey.has_pairs
            || self.columns.has("sign");
        let by_type = !has_sign && !self.format.negate;
        takes_away && by_type && self.file.kind == SourceKind::Provider
    }

    /// The line of a row; whether its figures are whole, and the amount that rounding removed from its net, in
    /// millionths.
    fn line(
        &self,
        row: &Row<'_>,
        (date, kind): (jiff::civil::Date, Option<LineKind>),
        figures: RowFigures,
    ) -> Result<(TextLine, bool, i64), Wrong> {
        let source = self.file.kind;
        let text = |field: &str| self.columns.text(row, field);
        let mut line = TextLine {
            date,
            reference: cut(text("reference"), REFERENCE_BYTES_MAX),
            other_references: Vec::new(),
            description: cut(text("description"), TEXT_BYTES_MAX),
            kind: kind.unwrap_or(LineKind::Other),
            batch: some(cut(text("batch"), NAME_BYTES_MAX)),
            store_ref: some(cut(text("store_ref"), NAME_BYTES_MAX)),
            gross: None,
            fee: None,
            net: None,
        };
        let parts = self.pattern.and_then(|pattern| pattern.parts(&line.description)).unwrap_or_default();
        let figures = figures.with_described(&mut line, parts, (source, self.bounds.currency));
        let figures = if self.is_unsigned_cost(kind) { figures.negated() } else { figures };
        let (gross, net) = (figures.gross_of(source), figures.net_of(source));
        let reported = GrossFeeNet { gross, fee: figures.fee, net };
        let cost = cost_of_fee(reported, self.fee_sign, self.format.fee_sign.is_some());
        let cost = cost.map_err(|problem| ("fee", problem.to_owned()))?;
        let all = [gross, cost, net];
        let exact = all.iter().flatten().all(|figure| figure.whole().is_some());
        let [gross_whole, mut fee_whole, net_whole] = all.map(|figure| figure.map(rounded));
        if let (Some(gross), Some(_), Some(net)) = (gross_whole, fee_whole, net_whole) {
            // Each rounded by itself they might not agree.
            fee_whole = Some(gross.saturating_sub(net));
        }
        let whole = Figures { amount: None, gross: gross_whole, fee: fee_whole, net: net_whole };
        let [gross, fee, net_of] =
            whole.of_kind(source, kind).map_err(|problem| ("amount", problem.to_owned()))?;
        (line.gross, line.fee, line.net) = (gross, fee, net_of);
        line.kind = kind.unwrap_or(LineKind::by_sign(source, gross.or(net_of).unwrap_or(Money::ZERO)));
        let lost = net.map_or(0, |net| net.less(Figure::from_whole(net.rounded())).millionths());
        Ok((line, exact, lost))
    }
}

/// The direction that a word beside a figure of this field must not have.
fn opposite_of(field: &str) -> Option<Direction> {
    let of_pair = |is: fn(&(&str, &str), &str) -> bool| PAIRS.iter().any(|pair| is(pair, field));
    if of_pair(|(debit, _), field| *debit == field) {
        Some(Direction::In)
    } else if of_pair(|(_, credit), field| *credit == field) {
        Some(Direction::Out)
    } else {
        None
    }
}

/// Adds another problem to a row that is set aside.
fn with_also(outcome: Outcome, also: Option<Wrong>) -> Outcome {
    match outcome {
        Outcome::Aside(mut row) => {
            row.also.extend(also);
            Outcome::Aside(row)
        }
        line => line,
    }
}

/// The nearest whole amount.
fn rounded(figure: Figure) -> Money {
    Money::new(figure.rounded())
}
