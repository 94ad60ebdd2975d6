//! Journal entries: balanced sums by account. Amounts have no sign: a negative amount changes sides, and a sum of 0 is
//! left out.

use crate::model::base::figures::Money;
use crate::model::base::money::figure;
use crate::model::base::refusal::Refusal;
use crate::rules::books::posting::plan::Account;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One row of an entry; exactly one side is above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The account of the row.
    pub account: Account,
    /// Debit in minor currency units.
    pub debit: Money,
    /// Credit in minor currency units.
    pub credit: Money,
}

/// A balanced entry, one row per account, by number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// Its rows; empty if nothing is to be posted.
    pub rows: Vec<Row>,
}

/// Entries of one fact: in its store, and in the other store for goods that arrive from there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Posted {
    /// In the store of the fact; for a transfer, the sender.
    pub here: Entry,
    /// At the receiver of a transfer.
    pub there: Option<Entry>,
}

/// An entry while it is made: signed sums, debit positive.
#[derive(Debug, Default)]
pub(super) struct Draft(BTreeMap<Account, i128>);

impl Draft {
    pub(super) fn debit(&mut self, account: Account, amount: Money) -> &mut Self {
        self.add(account, i128::from(amount))
    }

    pub(super) fn credit(&mut self, account: Account, amount: Money) -> &mut Self {
        self.add(account, i128::from(amount).saturating_neg())
    }

    /// One amount from one account to another.
    pub(super) fn transfer(&mut self, debit: Account, credit: Account, amount: Money) -> &mut Self {
        self.debit(debit, amount).credit(credit, amount)
    }

    pub(super) fn add(&mut self, account: Account, amount: i128) -> &mut Self {
        let sum = self.0.entry(account).or_default();
        *sum = sum.saturating_add(amount);
        self
    }

    /// Adds the amount that is missing to a balance to `account`.
    pub(super) fn rest(&mut self, account: Account) -> &mut Self {
        let sum = self.excess();
        self.add(account, sum.saturating_neg())
    }

    /// With another one's sums.
    pub(super) fn join(&mut self, other: &Self) {
        for (account, sum) in &other.0 {
            self.add(*account, *sum);
        }
    }

    /// Posts an account's amount to another one instead.
    pub(super) fn replace(&mut self, account: Account, by: Account) {
        if let Some(sum) = self.0.remove(&account) {
            self.add(by, sum);
        }
    }

    /// Amount of an account.
    pub(super) fn of(&self, account: Account) -> i128 {
        self.0.get(&account).copied().unwrap_or_default()
    }

    /// Σ debit − Σ credit.
    pub(super) fn excess(&self) -> i128 {
        self.0.values().fold(0_i128, |sum, part| sum.saturating_add(*part))
    }

    /// Its rows, whatever their sum; a figure beyond the largest one is limited to it.
    pub(super) fn rows(&self) -> Vec<Row> {
        let row = |(account, sum): (&Account, &i128)| {
            let amount = Money::saturating_from(sum.saturating_abs());
            let (debit, credit) = if *sum > 0 { (amount, Money::ZERO) } else { (Money::ZERO, amount) };
            Row { account: *account, debit, credit }
        };
        self.0.iter().filter(|(_, sum)| **sum != 0).map(row).collect()
    }

    /// The same with debit and credit changed over: a void.
    pub(super) fn mirrored(mut self) -> Self {
        for sum in self.0.values_mut() {
            *sum = sum.saturating_neg();
        }
        self
    }

    /// The entry.
    ///
    /// # Errors
    /// `validation_failed` for an entry that does not balance, or a figure above the largest.
    pub(super) fn entry(&self) -> Result<Entry, Refusal> {
        let sum = self.excess();
        if sum != 0 {
            return Err(Refusal::field("rows", format!("must balance: debit exceeds credit by {sum}")));
        }
        let row = |(account, sum): (&Account, &i128)| {
            let amount = figure("rows", sum.saturating_abs())?;
            let (debit, credit) = if *sum > 0 { (amount, Money::ZERO) } else { (Money::ZERO, amount) };
            Ok(Row { account: *account, debit, credit })
        };
        let rows = self.0.iter().filter(|(_, sum)| **sum != 0).map(row).collect::<Result<_, Refusal>>()?;
        Ok(Entry { rows })
    }
}

/// Balances by account, debit above 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrialBalance(BTreeMap<Account, i128>);

impl TrialBalance {
    pub fn add(&mut self, entry: &Entry) {
        for Row { account, debit, credit } in &entry.rows {
            let sum = self.0.entry(*account).or_default();
            *sum = sum.saturating_add(i128::from(*debit)).saturating_sub(i128::from(*credit));
        }
    }

    /// One row per account whose balance is not 0.
    ///
    /// # Errors
    /// `validation_failed` for a figure above the largest.
    pub fn rows(&self) -> Result<Vec<Row>, Refusal> {
        Draft(self.0.clone()).entry().map(|entry| entry.rows)
    }
}
