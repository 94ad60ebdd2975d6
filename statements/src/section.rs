//! Rows between the lines of a file that qualify the rows below them: not booked yet, or of another account.

use crate::account_no::is_same_account;
use crate::balances::is_balance;
use crate::preamble::Preamble;
use crate::row::{LeftOut, Outcome, Rules};
use crate::set_aside::{Reason, SetAside};
use crate::statuses::is_pending_title;
use domain::model::base::refusal::FieldProblem;
use edge::sheet::{Row, may_be_currency, plain};

/// Most cells of a row that names an account or a currency.
const CELLS_MAX: usize = 3;

/// Properties of the rows that follow.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// Whether they are not booked yet.
    pending: bool,
    /// The accounts and the currency of the lines before the header.
    first: Preamble,
    /// Another account that was named since.
    account: Option<String>,
    /// Another currency that was named since.
    currency: Option<&'static str>,
    /// Whether the header was repeated since: the rows are of another statement.
    has_header: bool,
}

impl Section {
    /// The rows below the header.
    pub fn of(preamble: &Preamble) -> Self {
        Self { pending: preamble.pending, first: preamble.clone(), ..Self::default() }
    }

    /// Looks at a row.
    ///
    /// # Errors
    /// The file has two accounts or currencies, and the source does not name its own.
    pub fn see(&mut self, row: &Row<'_>, rules: &Rules<'_>) -> Result<(), Vec<FieldProblem>> {
        if rules.has_day(row) {
            return Ok(());
        }
        if rules.columns.is_header(row) {
            self.has_header = true;
            return self.check(rules);
        }
        let filled: Vec<&str> =
            row.cells.iter().map(|cell| plain(cell)).filter(|cell| !cell.is_empty()).collect();
        if filled.len() > CELLS_MAX {
            return Ok(());
        }
        let said = Preamble::of(std::iter::once(filled.join(";").as_str()), false);
        if let Some(named) = said.accounts.first() {
            let first = self.first.accounts.iter().map(String::as_str);
            let known: Vec<&str> = rules.file.account_no.into_iter().chain(first).collect();
            let is_own = known.is_empty() || known.iter().any(|known| is_same_account(named, known));
            self.account = Some(named.clone()).filter(|_| !is_own);
            (self.currency, self.has_header) = (None, false);
        } else if let Some(named) = said.currency {
            let own = rules.file.currency.or(self.first.currency);
            self.currency = own.filter(|own| !may_be_currency(named, own)).map(|_| named);
        } else if let [title] = filled.as_slice() {
            let is_title = !title.contains(|c: char| c.is_ascii_digit()) && !is_balance(title, false);
            if is_title {
                self.pending = is_pending_title(title);
            }
        }
        Ok(())
    }

    /// A source without an account has files of one.
    fn check(&self, rules: &Rules<'_>) -> Result<(), Vec<FieldProblem>> {
        let file = rules.file;
        let account = self.account.as_ref().filter(|_| file.account_no.is_none());
        let account = account.zip(self.first.accounts.first()).map(|(one, other)| {
            ("account_no", format!("must be set: the file is of account {other} and of account {one}"))
        });
        let currency = self.currency.filter(|_| file.currency.is_none()).zip(self.first.currency);
        let currency = currency
            .map(|(one, other)| ("currency", format!("must be set: the file is in {other} and in {one}")));
        match account.or(currency) {
            Some((path, problem)) => Err(vec![FieldProblem { path: path.to_owned(), problem }]),
            None => Ok(()),
        }
    }

    /// Result of a row that is read by itself, in its section.
    pub fn within(&self, row: &Row<'_>, outcome: Outcome, rules: &Rules<'_>) -> Outcome {
        let Some((reason, field, problem)) = self.left_out(rules) else { return outcome };
        match outcome {
            Outcome::Line(line, _) => {
                let figures = rules.figures(row).ok();
                let line = Some(*line).filter(|_| reason.is_open());
                let aside = SetAside { reason, field, problem, line, ..rules.blank(row, figures.as_ref()) };
                Outcome::Aside(Box::new(aside))
            }
            Outcome::Aside(aside) if aside.reason.is_open() && aside.date.is_some() => {
                Outcome::Aside(Box::new(SetAside { reason, field, problem, ..*aside }))
            }
            aside => aside,
        }
    }

    fn left_out(&self, rules: &Rules<'_>) -> Option<LeftOut> {
        // Without a header of its own it may be the text of a payment.
        let reason = |certain: Reason| if self.has_header { certain } else { Reason::Invalid };
        if let Some(named) = &self.account {
            let own = rules.file.account_no.or(self.first.accounts.first().map(String::as_str));
            let problem =
                format!("is below account {named}, but the source is of {}", own.unwrap_or_default());
            return Some((reason(Reason::Account), Some("account"), problem));
        }
        if let Some(named) = self.currency {
            let own = rules.file.currency.or(self.first.currency).unwrap_or_default();
            let problem = format!("is below the currency {named}, but the source is in {own}");
            return Some((reason(Reason::Currency), Some("currency"), problem));
        }
        let problem = || "is below a title of rows that are not booked yet".to_owned();
        self.pending.then(|| (Reason::Pending, None, problem()))
    }
}
