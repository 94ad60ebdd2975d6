//! Entries that a person writes: balanced in total, and in each book through the account between stores
//! (docs/arithmetic.md#entries-by-hand).

use crate::model::base::figures::Money;
use crate::model::base::limits::{ACCOUNT_DIGITS, SHORT_ID_BYTES_MAX};
use crate::model::base::money::sum;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::rules::books::posting::plan::{BETWEEN_STORES, OPENING};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Fewest lines of an entry.
pub const LINES_MIN: usize = 2;
/// Most lines of an entry.
pub const LINES_MAX: usize = 500;
/// The largest amount of a line.
const AMOUNT_MAX: i64 = 1_000_000_000_000;

/// Line of an entry by hand. Exactly one of `debit` and `credit` is above 0.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JournalLineByHand")]
pub struct HandLine {
    /// Account number, four digits.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: String,
    /// Debit in minor currency units.
    #[serde(default)]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub debit: Money,
    /// Credit in minor currency units.
    #[serde(default)]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub credit: Money,
    /// Store whose book it is. Empty for head office's own book.
    #[serde(default)]
    #[schemars(length(max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
}

/// Line of an opening balance. Exactly one of `debit` and `credit` is above 0.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningLine {
    /// Account number, four digits.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: String,
    /// Debit in minor currency units.
    #[serde(default)]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub debit: Money,
    /// Credit in minor currency units.
    #[serde(default)]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub credit: Money,
}

/// A line of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLine {
    /// Account number, four digits.
    pub account: String,
    /// Debit in minor currency units.
    pub debit: Money,
    /// Credit in minor currency units.
    pub credit: Money,
}

impl EntryLine {
    /// Line for a signed amount, debit above 0.
    pub fn of(account: String, amount: Money) -> Self {
        Self { account, debit: amount.max(Money::ZERO), credit: amount.min(Money::ZERO).saturating_neg() }
    }

    fn amount(&self) -> Money {
        self.debit.saturating_sub(self.credit)
    }
}

/// The same lines with their sides changed over.
pub fn mirror(lines: Vec<EntryLine>) -> Vec<EntryLine> {
    lines
        .into_iter()
        .map(|line| EntryLine::of(line.account.clone(), line.amount().saturating_neg()))
        .collect()
}

/// Lines of a person's entry, book by book, each book balanced by a line between stores if there are several.
///
/// # Errors
/// `validation_failed` naming each line that is wrong; `unbalanced`.
pub fn by_book(lines: &[HandLine]) -> Result<BTreeMap<String, Vec<EntryLine>>, Refusal> {
    check(lines.iter().map(|line| (line.debit, line.credit)), LINES_MIN)?;
    let mut books: BTreeMap<String, Vec<EntryLine>> = BTreeMap::new();
    for HandLine { account, debit, credit, store_id } in lines {
        let line = EntryLine { account: account.clone(), debit: *debit, credit: *credit };
        books.entry(store_id.clone()).or_default().push(line);
    }
    let (debit, credit) = (total(lines, |line| line.debit)?, total(lines, |line| line.credit)?);
    if debit != credit {
        return Err(Refusal::Unbalanced { debit, credit });
    }
    for lines in books.values_mut() {
        balance(lines, String::from(BETWEEN_STORES))?;
    }
    Ok(books)
}

/// The lines of an opening balance, with the line that balances it.
///
/// # Errors
/// `validation_failed` naming each line that is wrong.
pub fn opening(lines: &[OpeningLine]) -> Result<Vec<EntryLine>, Refusal> {
    check(lines.iter().map(|line| (line.debit, line.credit)), 1)?;
    let line = |line: &OpeningLine| EntryLine {
        account: line.account.clone(),
        debit: line.debit,
        credit: line.credit,
    };
    let mut lines = lines.iter().map(line).collect();
    balance(&mut lines, String::from(OPENING))?;
    Ok(lines)
}

/// Adds the amount that is missing to a balance as a line on `account`.
fn balance(lines: &mut Vec<EntryLine>, account: String) -> Result<(), Refusal> {
    let excess = total(lines, EntryLine::amount)?;
    if excess != 0 {
        lines.push(EntryLine::of(account, excess.saturating_neg()));
    }
    Ok(())
}

fn total<T>(lines: &[T], of: impl Fn(&T) -> Money) -> Result<Money, Refusal> {
    sum("lines", lines.iter().map(of))
}

fn check(lines: impl ExactSizeIterator<Item = (Money, Money)>, least: usize) -> Result<(), Refusal> {
    if !(least..=LINES_MAX).contains(&lines.len()) {
        return Err(Refusal::field("lines", format!("must be {least} to {LINES_MAX}")));
    }
    let problem = |(place, (debit, credit)): (usize, (Money, Money))| {
        let figures = [debit, credit];
        let problem = if figures.iter().any(|figure| !(0..=AMOUNT_MAX).contains(figure)) {
            "debit and credit must be 0 to 1000000000000"
        } else if (debit == 0) == (credit == 0) {
            "must have exactly one of debit and credit above 0"
        } else {
            return None;
        };
        Some(FieldProblem { path: format!("lines[{place}]"), problem: problem.to_owned() })
    };
    let wrong: Vec<FieldProblem> = lines.enumerate().filter_map(problem).collect();
    if wrong.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(wrong)) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    fn line(store_id: &str, account: &str, amount: i64) -> HandLine {
        let EntryLine { account, debit, credit } = EntryLine::of(account.to_owned(), amount.into());
        HandLine { account, debit, credit, store_id: store_id.to_owned() }
    }

    #[test]
    fn each_book_is_balanced_by_what_moves_between_stores() {
        let lines = [line("", "1040", -700), line("S001", "6050", 500), line("S002", "6050", 200)];
        let books = by_book(&lines).unwrap();
        assert_eq!(books.len(), 3);
        for (book, amount) in [("", 700_i64), ("S001", -500), ("S002", -200)] {
            assert_eq!(books[book][1], EntryLine::of("1290".to_owned(), amount.into()), "{book}");
        }
        let one = by_book(&[line("S001", "1040", -5), line("S001", "6050", 5)]).unwrap();
        assert_eq!(one["S001"].len(), 2, "nothing moves between stores");
        assert_eq!(mirror(one["S001"].clone())[0], EntryLine::of("1040".to_owned(), 5.into()));
    }

    #[test]
    fn an_unbalanced_entry_is_refused_with_its_line() {
        let unbalanced = by_book(&[line("", "1040", 5), line("", "6050", -4)]);
        assert_eq!(unbalanced, Err(Refusal::Unbalanced { debit: Money::new(5), credit: Money::new(4) }));
        let both = HandLine { credit: 5.into(), ..line("", "6050", 5) };
        for (lines, path) in [
            (vec![line("", "1040", 5)], "lines"),
            (vec![line("", "1040", 5), both], "lines[1]"),
            (vec![line("", "1040", 0), line("", "6050", 0)], "lines[0]"),
            (vec![line("", "1040", AMOUNT_MAX + 1), line("", "6050", -5)], "lines[0]"),
        ] {
            let Err(Refusal::ValidationFailed(wrong)) = by_book(&lines) else { panic!("{lines:?}") };
            assert_eq!(wrong[0].path, path);
        }
    }

    #[test]
    fn an_opening_balance_is_balanced_by_its_own_account() {
        let line = |account: &str, debit: i64| OpeningLine {
            account: account.to_owned(),
            debit: debit.into(),
            credit: Money::ZERO,
        };
        let lines = opening(&[line("1040", 20_000_000)]).unwrap();
        assert_eq!(lines[1], EntryLine::of("3010".to_owned(), (-20_000_000).into()));
        assert!(opening(&[]).is_err());
    }
}
