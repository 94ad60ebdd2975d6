//! Statements of CAMT.053: their accounts, their balances, and several of one account combined.

use crate::account_no::is_same_account;
use crate::camt::entry::{Booked, BookedLine};
use crate::camt::money::{Ccy, Money, is_credit, shown, signed};
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money as Amount;
use edge::sheet::Figure;
use jiff::civil::Date;

/// Account and currency of a statement. Empty if they are not stated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountName {
    /// The number as the bank writes it.
    pub number: String,
    /// Currency code, three letters.
    pub currency: String,
}

impl AccountName {
    /// Letters and digits of a number, in upper case: equal for every grouping.
    pub fn key(number: &str) -> String {
        let plain = number.chars().filter(char::is_ascii_alphanumeric);
        plain.map(|letter| letter.to_ascii_uppercase()).collect()
    }

    /// Whether it is this account in this currency; a missing value on either side is no difference.
    pub fn is(&self, number: Option<&str>, currency: Option<&str>) -> bool {
        let same_number =
            number.is_none_or(|number| self.number.is_empty() || is_same_account(number, &self.number));
        let same_currency = currency
            .is_none_or(|currency| self.currency.is_empty() || self.currency.eq_ignore_ascii_case(currency));
        same_number && same_currency
    }
}

impl std::fmt::Display for AccountName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.number.as_str(), self.currency.as_str()) {
            ("", "") => write!(formatter, "an account without a number"),
            (number, "") => write!(formatter, "{number}"),
            ("", currency) => write!(formatter, "an account without a number in {currency}"),
            (number, currency) => write!(formatter, "{number} in {currency}"),
        }
    }
}

/// A balance (`Bal`) that is being read.
#[derive(Debug, Default)]
pub(super) struct Balance {
    code: String,
    amount: Option<Money>,
    credit: Option<bool>,
    date: Option<String>,
}

impl Balance {
    /// An element below it is over.
    pub(super) fn take(&mut self, below: &[&str], text: &str, currency: Ccy) {
        match below {
            ["Tp", "CdOrPrtry", "Cd" | "Prtry"] => self.code = text.get(..4).unwrap_or_default().to_owned(),
            ["Amt"] => self.amount = Some(Money::new(text, currency)),
            ["CdtDbtInd"] => self.credit = is_credit(text),
            ["Dt", "Dt" | "DtTm"] => self.date = text.get(..10).map(str::to_owned),
            _ => {}
        }
    }
}

/// A statement (`Stmt`) of the account that is read.
#[derive(Debug, Default)]
pub(super) struct Statement {
    /// The bank's ID of it.
    pub id: String,
    /// Account of the statement.
    pub account: AccountName,
    /// The first day that it names.
    pub from: Option<Date>,
    /// Opening balances in millionths, the most reliable first: a page's first or last one counts only if the day's
    /// balance is missing.
    opening: [Option<i64>; 3],
    closing: [Option<i64>; 2],
    /// The day of its closing balance.
    pub to: Option<Date>,
    /// Lines of its booked entries.
    pub lines: Vec<BookedLine>,
    /// Whether the entry of each line takes back another one in a direction that no balance has proved yet.
    reversals: Vec<bool>,
    /// Whether an entry or a balance of it can't be read: then its balances need not hold.
    pub gaps: bool,
    /// The sum of the entries that are set aside, as far as it is known, in millionths.
    waiting: i64,
}

impl Statement {
    /// Handles the end of a balance; `currency` is its required currency, or empty.
    ///
    /// # Errors
    /// Problems by field.
    pub(super) fn balance(
        &mut self,
        balance: &Balance,
        currency: &str,
    ) -> Result<(), (&'static str, String)> {
        const OPENING: &str = "opening_balance";
        const CLOSING: &str = "closing_balance";
        let date = balance.date.as_deref().and_then(|date| date.parse().ok());
        let field = match balance.code.as_str() {
            "OPBD" | "PRCD" => OPENING,
            "CLBD" | "ITBD" => CLOSING,
            _ => return Ok(()),
        };
        let problem = |problem: &str| (field, problem.to_owned());
        let money = balance.amount.as_ref().ok_or_else(|| problem("must have an Amt"))?;
        let figure = money.figure().map_err(|why| problem(&why))?;
        let credit = balance.credit.ok_or_else(|| problem("must have CdtDbtInd CRDT or DBIT"))?;
        if !money.is_in(currency) {
            let named = money.currency.clone().unwrap_or_default();
            return Err(problem(&format!("is in {named}; the account is in {currency}")));
        }
        let figure = Some(signed(figure, credit));
        let ([booked, previous, first], [closed, last]) = (&mut self.opening, &mut self.closing);
        match balance.code.as_str() {
            "OPBD" => *booked = booked.or(figure),
            "PRCD" => *previous = previous.or(figure),
            "CLBD" => (*closed, self.to) = (figure, date),
            // Between two pages: the first of them may be the opening balance of this page.
            _ if booked.is_none() && previous.is_none() && first.is_none() => *first = figure,
            _ => *last = figure,
        }
        Ok(())
    }

    /// Adds a booked entry to the statement.
    pub(super) fn book(&mut self, booked: Booked) {
        self.reversals.extend(booked.lines.iter().map(|_| booked.reversal));
        self.lines.extend(booked.lines);
    }

    /// Counts an entry that is set aside and may become a line.
    pub(super) fn wait(&mut self, booked: &Booked) {
        // The direction of a reversal is unknown.
        let lines = booked.lines.iter().filter(|_| !booked.reversal);
        self.waiting = lines.fold(self.waiting, |sum, line| sum.saturating_add(exact(line)));
    }

    pub(super) fn opening(&self) -> Option<i64> {
        let [booked, previous, first] = self.opening;
        let alone = self.closing == [None, None];
        booked.or(previous).or(first.filter(|_| !alone))
    }

    pub(super) fn closing(&self) -> Option<i64> {
        let [closed, last] = self.closing;
        closed.or(last)
    }

    /// The day that it is put in order by.
    fn day(&self) -> Option<Date> {
        self.from.or(self.to).or_else(|| self.lines.iter().map(|booked| booked.line.date).min())
    }

    /// The sum of its lines, in millionths.
    fn net(&self) -> i64 {
        self.lines.iter().fold(0, |sum, booked| sum.saturating_add(exact(booked)))
    }

    /// Compares its lines with its balances. Some banks keep the original direction for a reversal: if the other
    /// direction fits the balance, it counts. Entries with a fraction that are set aside count with their expected
    /// amounts; with gaps the balances may not hold.
    ///
    /// # Errors
    /// Description of the problem, for people.
    fn settle(&mut self, office: Currency) -> Result<(), String> {
        let (Some(opening), Some(closing)) = (self.opening(), self.closing()) else { return Ok(()) };
        let waiting = self.waiting;
        let holds = |net: i64| opening.saturating_add(net).saturating_add(waiting) == closing;
        let net = self.net();
        let reversed = self.lines.iter().zip(&self.reversals).filter(|(_, reversal)| **reversal);
        let reversed = reversed.fold(0_i64, |sum, (booked, _)| sum.saturating_add(exact(booked)));
        if !holds(net) && holds(net.saturating_sub(reversed).saturating_sub(reversed)) {
            let lines = self.lines.iter_mut().zip(&self.reversals).filter(|(_, reversal)| **reversal);
            lines.for_each(|(booked, _)| turn(booked));
        } else if !self.gaps && !holds(net) {
            let (closing, right) = (shown(closing, office), shown(opening.saturating_add(net), office));
            let (id, opening) = (&self.id, shown(opening, office));
            return Err(format!(
                "of statement {id} is {closing}, but its opening balance {opening} and its entries add up to {right}"
            ));
        }
        self.reversals.fill(false);
        Ok(())
    }
}

/// The net of a line before it was rounded, in millionths.
fn exact(booked: &BookedLine) -> i64 {
    let net = Figure::from_whole(booked.line.net.unwrap_or_default().get());
    net.plus(Figure::from_millionths(booked.lost)).millionths()
}

/// The other direction; charges stay.
fn turn(booked: &mut BookedLine) {
    booked.lost = booked.lost.saturating_neg();
    let line = &mut booked.line;
    line.net = line.net.map(Amount::saturating_neg);
    line.gross = line.gross.and(line.net).map(|net| net.saturating_add(line.fee.unwrap_or_default()));
}

/// Combines statements of one account: the opening of the first, the closing of the last. Each is compared with its own
/// balances, and all together with these two, since a statement between them may have none.
///
/// # Errors
/// Description of the problem, for people.
pub(super) fn joined(mut statements: Vec<Statement>, office: Currency) -> Result<Option<Statement>, String> {
    for statement in &mut statements {
        statement.settle(office)?;
    }
    // Some banks write the newest first.
    statements.sort_by_key(Statement::day);
    let mut all = statements.into_iter();
    let Some(mut joined) = all.next() else { return Ok(None) };
    for next in all {
        if let (Some(closing), Some(opening)) = (joined.closing(), next.opening())
            && closing != opening
        {
            let (before, after) = (&joined.id, &next.id);
            let (closing, opening) = (shown(closing, office), shown(opening, office));
            return Err(format!(
                "of statement {before} is {closing}, but statement {after} begins with {opening}: a statement \
                 between them is missing"
            ));
        }
        // A balance is valid for the whole only if no line is outside of it.
        let opening = joined.opening().or_else(|| next.opening().filter(|_| joined.lines.is_empty()));
        let closing = next.closing().or_else(|| joined.closing().filter(|_| next.lines.is_empty()));
        (joined.opening, joined.closing) = ([opening, None, None], [closing, None]);
        joined.id = next.id;
        joined.to = next.to.or(joined.to);
        joined.lines.extend(next.lines);
        joined.reversals.extend(next.reversals);
        joined.waiting = joined.waiting.saturating_add(next.waiting);
        joined.gaps |= next.gaps;
    }
    joined.settle(office)?;
    Ok(Some(joined))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_known_by_its_iban_and_by_its_number() {
        for (number, own, same) in [
            ("NL02ABNA0123456789", "0123456789", true),
            ("0001234567890", "1234567890", true),
            ("NL02ABNA0123456789", "NL02 ABNA 0123 4567 89", true),
            ("NL02ABNA0123456789", "0123456788", false),
        ] {
            let account = AccountName { number: number.to_owned(), currency: String::new() };
            assert_eq!(account.is(Some(own), None), same, "{number} {own}");
        }
    }
}
