//! Entries of several books while they are made: signed sums, debit positive.

use crate::model::base::figures::Money;
use crate::model::base::money::{figure, sum};
use crate::model::base::refusal::Refusal;
use crate::rules::books::entry_by_hand::EntryLine;
use crate::rules::books::posting::plan::Account;
use std::collections::BTreeMap;

/// Sums by book and account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BookSums(BTreeMap<String, BTreeMap<Account, i128>>);

impl BookSums {
    /// Adds to the debit of an account.
    pub fn debit(&mut self, book: &str, account: Account, amount: Money) -> &mut Self {
        let sum = self.0.entry(book.to_owned()).or_default().entry(account).or_default();
        *sum = sum.saturating_add(i128::from(amount));
        self
    }

    /// Adds to the credit of an account.
    pub fn credit(&mut self, book: &str, account: Account, amount: Money) -> &mut Self {
        self.debit(book, account, amount.saturating_neg())
    }

    /// Balances each book by a line on an account.
    pub fn balance(&mut self, account: Account) -> &mut Self {
        for accounts in self.0.values_mut() {
            let excess = accounts.values().fold(0_i128, |sum, part| sum.saturating_add(*part));
            let sum = accounts.entry(account).or_default();
            *sum = sum.saturating_sub(excess);
        }
        self
    }

    /// The lines of each book's entry, by account; a book without a movement has no entry.
    ///
    /// # Errors
    /// `validation_failed` for a figure above the largest; `unbalanced`.
    pub fn entries(&self) -> Result<BTreeMap<String, Vec<EntryLine>>, Refusal> {
        let mut entries = BTreeMap::new();
        for (book, accounts) in &self.0 {
            let mut lines = Vec::new();
            for (account, sum) in accounts.iter().filter(|(_, sum)| **sum != 0) {
                lines.push(EntryLine::of(String::from(*account), figure("lines", *sum)?));
            }
            let side = |of: fn(&EntryLine) -> Money| sum("lines", lines.iter().map(of));
            let (debit, credit) = (side(|line| line.debit)?, side(|line| line.credit)?);
            if debit != credit {
                return Err(Refusal::Unbalanced { debit, credit });
            }
            if !lines.is_empty() {
                entries.insert(book.clone(), lines);
            }
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::rules::books::posting::plan::{BANK, BETWEEN_STORES, PAYABLES};

    #[test]
    fn each_book_is_balanced_on_its_own() {
        let mut sums = BookSums::default();
        sums.debit("S001", PAYABLES, 70.into())
            .debit("S001", PAYABLES, (-20).into())
            .credit("", BANK, 50.into())
            .debit("S002", BANK, Money::ZERO);
        assert_eq!(sums.entries(), Err(Refusal::Unbalanced { debit: Money::ZERO, credit: Money::new(50) }));
        let entries = sums.balance(BETWEEN_STORES).entries().unwrap();
        let line = |account: &str, amount: i64| EntryLine::of(account.to_owned(), amount.into());
        assert_eq!(entries.get("").unwrap(), &[line("1040", -50), line("1290", 50)]);
        assert_eq!(entries.get("S001").unwrap(), &[line("1290", -50), line("2010", 50)]);
        assert!(!entries.contains_key("S002"));
    }
}
