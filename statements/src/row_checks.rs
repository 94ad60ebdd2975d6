//! Reasons why a readable row is no line: its width, its statuses, the text of a balance.

use crate::balances::{is_balance, is_whole_balance};
use crate::format::FIGURES;
use crate::row::{LeftOut, Outcome, Rules};
use crate::set_aside::{Reason, SetAside};
use crate::statuses::{Status, status};
use edge::sheet::{Figure, Row, Written, plain};

impl Rules<'_> {
    /// Whether the day of a row can be read.
    pub fn has_day(&self, row: &Row<'_>) -> bool {
        let text = |field: &str| self.columns.text(row, field);
        self.days.day(text("date"), text("time"), text("zone")).is_ok()
    }

    /// The problem of a row with cells behind its last column: a separator within a cell has moved the others.
    pub fn too_wide(&self, row: &Row<'_>) -> Option<String> {
        let last = row.cells.iter().rposition(|cell| !cell.is_empty());
        let filled = last.and_then(|last| last.checked_add(1)).unwrap_or_default();
        let width = self.columns.width;
        let is_wide = width > 0 && filled > width && (self.has_day(row) || !self.is_behind(row));
        is_wide.then(|| {
            format!(
                "has {filled} cells, but the file has {width} columns: a separator within a cell may have moved the others"
            )
        })
    }

    /// Whether a row with a day is a balance or a sum. Without a column of descriptions any text may denote it.
    pub fn is_balance_row(&self, row: &Row<'_>) -> bool {
        if self.columns.has("description") {
            return is_balance(self.columns.text(row, "description"), true);
        }
        let is_figure =
            |place: &usize| FIGURES.iter().any(|field| self.columns.places(field).contains(place));
        let texts = row.cells.iter().enumerate().filter(|(place, _)| !is_figure(place));
        texts.into_iter().any(|(_, cell)| cell.contains(char::is_alphabetic) && is_whole_balance(plain(cell)))
    }

    /// The problem of a bank's fee beside an amount, which the source's columns don't take into account.
    pub fn bank_fee(&self, row: &Row<'_>) -> Option<String> {
        let cell = row.cell(self.columns.bank_fee?);
        let figure = |cell: &str| {
            let written = Written::of(cell, &self.format.sign_words).ok().flatten()?;
            self.survey.reading.figure(&written).ok()
        };
        let fee = figure(cell).filter(|fee| *fee != Figure::default())?.unsigned();
        let before = self.figures(row).ok()?.net_of(self.file.kind)?.plus(fee);
        // Another column has the amount without the fee: the fee is already included in the amount.
        let is_within = row.cells.iter().any(|cell| figure(cell) == Some(before));
        (!is_within).then(|| {
            format!("{cell:?} is a fee beside the amount, and csv.columns.fee does not name its column")
        })
    }

    /// Reason why the statuses of a row don't count: each of them has to state that money moved.
    pub fn by_status(&self, row: &Row<'_>) -> Option<LeftOut> {
        let places = self.columns.places("status").iter();
        let words = &self.format.status_words;
        let all: Vec<(&str, Option<Status>)> =
            places.map(|place| plain(row.cell(*place))).map(|said| (said, status(said, words))).collect();
        let of = |wanted: Option<Status>| all.iter().find(|(_, of)| *of == wanted).map(|(said, _)| *said);
        let out = |reason, problem| Some((reason, Some("status"), problem));
        let counts = of(Some(Status::Counts));
        if let Some(said) = of(Some(Status::Failed)) {
            return match counts {
                None => out(Reason::Status, format!("has the status {said:?}: no money moved")),
                Some(counts) => {
                    out(Reason::Invalid, format!("has the status {counts:?}, but also the status {said:?}"))
                }
            };
        }
        if let Some(said) = of(Some(Status::Pending)) {
            return out(Reason::Pending, format!("has the status {said:?}: it is not booked yet"));
        }
        if let Some(said) = of(Some(Status::Returned)) {
            let problem = format!("has the status {said:?}: its money may have been given back");
            return out(Reason::Invalid, problem);
        }
        // A sum or a balance has no status.
        let said = of(None).filter(|_| self.has_day(row))?;
        out(Reason::Invalid, format!("has the status {said:?}, which is not among csv.status_words"))
    }

    /// A row that a setting skips, if it reads as a payment all the same.
    pub fn skipped(&self, row: &Row<'_>, setting: &str) -> Option<SetAside> {
        let problem = format!("is skipped ({setting}), but has a day and an amount");
        match self.outcome(row) {
            Outcome::Line(line, _) => {
                let figures = self.figures(row).ok();
                let (reason, line) = (Reason::Invalid, Some(*line));
                Some(SetAside { reason, problem, line, ..self.blank(row, figures.as_ref()) })
            }
            Outcome::Aside(row) => {
                let is_payment = row.reason.is_open() && row.date.is_some() && row.amount.is_some();
                is_payment.then_some(*row)
            }
        }
    }
}
