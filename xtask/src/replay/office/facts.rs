//! Computes every figure of the reports and of the books once more, from the stores' records and head office's papers:
//! no code of the product takes part, and no table of the hub is read.

use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

mod deliveries;
mod sales;

/// Sums under a name each.
pub type Figures = BTreeMap<&'static str, i64>;

/// A store, and a day in its reports.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub store: &'a str,
    pub day: &'a str,
}

/// Expected results.
#[derive(Default)]
pub struct Facts {
    /// By report and group (`sales/day`), then by key.
    pub reports: BTreeMap<&'static str, BTreeMap<String, Figures>>,
    /// By book and account, debit positive.
    pub balances: BTreeMap<(String, &'static str), i64>,
    /// Documents that a row has counted: it counts each once.
    counted: BTreeSet<(&'static str, String, String)>,
}

pub use crate::rest::figure as int;

/// A text of a record; empty where it is null.
pub fn str_of(of: &Value, pointer: &str) -> String {
    of.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A list of a record.
pub fn list<'a>(of: &'a Value, pointer: &str) -> &'a [Value] {
    of.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl Facts {
    /// Adds to a row of each of these groups.
    pub fn add(&mut self, groups: &[(&'static str, &str)], figures: &[(&'static str, i64)]) {
        for (group, key) in groups {
            let row = self.reports.entry(group).or_default().entry((*key).to_owned()).or_default();
            for (name, more) in figures {
                *row.entry(name).or_default() += more;
            }
        }
    }

    /// Adds 1 to a row for each document once.
    pub fn count(&mut self, group: &'static str, key: &str, name: &'static str, document: &str) {
        let figures = &[(name, 1)];
        if self.counted.insert((group, key.to_owned(), format!("{name} {document}"))) {
            self.add(&[(group, key)], figures);
        }
    }

    /// An entry of a book: accounts with debit above 0.
    pub fn post(&mut self, book: &str, lines: &[(&'static str, i64)]) -> anyhow::Result<()> {
        let rest: i64 = lines.iter().map(|(_, amount)| amount).sum();
        if rest != 0 {
            bail!("an entry of {book} does not balance: {lines:?}");
        }
        for (account, amount) in lines {
            *self.balances.entry((book.to_owned(), account)).or_default() += amount;
        }
        Ok(())
    }

    /// Balance of an account of a book.
    pub fn balance(&self, book: &str, account: &'static str) -> i64 {
        self.balances.get(&(book.to_owned(), account)).copied().unwrap_or(0)
    }

    /// Adds a store's record, on its own day.
    pub fn read(&mut self, store: &str, record: &Value) -> anyhow::Result<()> {
        self.read_on(store, &str_of(record, "/payload/business_date"), record)
    }

    /// Adds a store's record, on the day that it has in the books.
    pub fn read_on(&mut self, store: &str, day: &str, record: &Value) -> anyhow::Result<()> {
        let (kind, at) = (str_of(record, "/type"), At { store, day });
        let payload = record.get("payload").context("no payload")?;
        match kind.as_str() {
            "transaction.paid" => self.sale(at, payload),
            "return.posted" => self.came_back(at, payload),
            "shift.opened" => self.shift_opened(at, payload),
            "shift.closed" => self.shift_closed(at, payload),
            "cash.moved" => self.cash(at, payload),
            "cash.deposited" => {
                let amount = int(payload, "/deposit/amount")?;
                self.add(&[("cash/store", store), ("cash/day", day)], &[("deposited", amount)]);
                self.post(store, &[("1030", amount), ("1020", -amount)])
            }
            "stock.moved" => self.first_stock(store, payload),
            "receiving.posted" => self.receipt(at, payload),
            "supplier_return.posted" => self.sent_back(at, payload),
            "adjustment.posted" => self.adjusted(at, payload),
            "day.sealed" => Ok(()),
            other => bail!("nobody computes {other}"),
        }
    }

    /// Sets points and their value to those at the end of each month.
    pub fn points_at_the_end(&mut self) {
        let (mut points, mut value) = (0, 0);
        for row in self.reports.entry("points-liability/month").or_default().values_mut() {
            for (name, so_far) in [("points", &mut points), ("value", &mut value)] {
                let figure = row.entry(name).or_default();
                *so_far += *figure;
                *figure = *so_far;
            }
        }
    }

    /// The report of profit, of the accounts.
    pub fn profit(&mut self) {
        let balances: Vec<((String, &str), i64)> = self
            .balances
            .iter()
            .map(|((book, account), amount)| ((book.clone(), *account), *amount))
            .collect();
        for ((book, account), amount) in balances {
            if !("4000".."8000").contains(&account) {
                continue;
            }
            let group = [("profit/store", book.as_str())];
            self.add(&group, &[("result", -amount)]);
            match account {
                "4010" => self.add(
                    &group,
                    &[("gross_sales", -amount), ("net_sales", -amount), ("gross_profit", -amount)],
                ),
                "4030" => self
                    .add(&group, &[("returns", amount), ("net_sales", -amount), ("gross_profit", -amount)]),
                "5010" => self.add(&group, &[("cost_of_goods", amount), ("gross_profit", -amount)]),
                "5020" => self.add(&group, &[("cost_corrections", amount), ("gross_profit", -amount)]),
                "5030" | "5040" => {
                    self.add(&group, &[("purchase_variance", amount), ("gross_profit", -amount)])
                }
                _ if account < "6000" => {
                    self.add(&group, &[("shrinkage", amount), ("gross_profit", -amount)])
                }
                _ => self.add(&group, &[("expenses", amount)]),
            }
        }
    }
}
