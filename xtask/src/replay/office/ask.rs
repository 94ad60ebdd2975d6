//! Answers of the hub, compared with the expected ones.

use super::facts::{Facts, Figures};
use crate::rest::{Api, figure, text};
use anyhow::Context;
use jiff::civil::Date;
use serde_json::Value;
use std::collections::BTreeMap;

/// Most differences that are shown.
const SHOWN: usize = 12;

/// A report and group, and the fields that distinguish its rows.
const REPORTS: [(&str, &[&str]); 26] = [
    ("sales/day", &["business_date"]),
    ("sales/hour", &["hour"]),
    ("sales/store", &["store_id"]),
    ("sales/register", &["store_id", "register_id"]),
    ("sales/cashier", &["cashier_id"]),
    ("sales/sku", &["sku"]),
    ("sales/category", &["category"]),
    ("sales/method", &["method"]),
    ("sales/tax", &["tax_rate_bp"]),
    ("margin/day", &["business_date"]),
    ("margin/store", &["store_id"]),
    ("margin/sku", &["sku"]),
    ("members/day", &["business_date"]),
    ("members/store", &["store_id"]),
    ("payments/day", &["business_date"]),
    ("payments/store", &["store_id"]),
    ("payments/method", &["method"]),
    ("cash/day", &["business_date"]),
    ("cash/store", &["store_id"]),
    ("shrinkage/day", &["business_date"]),
    ("shrinkage/reason", &["reason"]),
    ("sell-through/sku", &["sku"]),
    ("purchases/supplier", &["supplier_id"]),
    ("purchases/sku", &["sku"]),
    ("settlements/store", &["store_id"]),
    ("profit/store", &["store_id"]),
];
/// Reports of the stock at the end of a day.
const STOCK: [(&str, &[&str]); 2] = [("stock/store", &["store_id"]), ("stock/sku", &["sku"])];

/// By the day that each record has in the books.
const BY_BOOKS: [(&str, &[&str]); 6] = [
    ("sales/day", &["entry_date"]),
    ("margin/day", &["entry_date"]),
    ("members/day", &["entry_date"]),
    ("payments/day", &["entry_date"]),
    ("cash/day", &["entry_date"]),
    ("shrinkage/day", &["entry_date"]),
];
/// Late entries, reported once for each day.
const LATE: [(&str, &[&str]); 3] = [
    ("exceptions/code", &["code"]),
    ("exceptions/store", &["store_id"]),
    ("exceptions/day", &["business_date"]),
];

/// Liability of points at the end of each month.
const POINTS: [(&str, &[&str]); 1] = [("points-liability/month", &["month"])];

/// Figures that were compared, and those that differ.
#[derive(Default)]
pub struct Compared {
    pub figures: usize,
    pub differing: Vec<String>,
}

impl Compared {
    pub fn one(&mut self, name: impl FnOnce() -> String, right: i64, found: i64) {
        self.figures += 1;
        if right != found {
            self.differing.push(format!("{}: {right} / {found}", name()));
        }
    }

    /// Says how it ended; true if all agree.
    pub fn tell(&self) -> bool {
        println!("\n{} figures of head office, each twice; {} differ", self.figures, self.differing.len());
        for one in self.differing.iter().take(SHOWN) {
            println!("  {one} (records / hub)");
        }
        self.differing.is_empty()
    }

    fn rows(&mut self, what: &str, right: &BTreeMap<String, Figures>, found: &BTreeMap<String, Value>) {
        let nothing = Figures::new();
        let names: Vec<&str> = right
            .values()
            .flat_map(|row| row.keys().copied())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let keys: std::collections::BTreeSet<&String> = right.keys().chain(found.keys()).collect();
        for key in keys {
            let row = right.get(key).unwrap_or(&nothing);
            for name in &names {
                let there = found.get(key).and_then(|found| found.get(*name)).and_then(Value::as_i64);
                self.one(
                    || format!("{what} {key} {name}"),
                    row.get(name).copied().unwrap_or(0),
                    there.unwrap_or(0),
                );
            }
        }
    }
}

fn key(row: &Value, names: &[&str]) -> String {
    let part = |name: &&str| match row.get(*name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    names.iter().map(part).collect::<Vec<_>>().join(" ")
}

async fn report(finance: &Api, path: &str, names: &[&str]) -> anyhow::Result<BTreeMap<String, Value>> {
    let reported = finance.get(&format!("/api/reports/{path}")).await.with_context(|| path.to_owned())?;
    let rows = reported.get("items").and_then(Value::as_array).context("a report without rows")?;
    Ok(rows.iter().map(|row| (key(row, names), row.clone())).collect())
}

/// A store, and the days that are asked for.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub store: &'a str,
    pub from: Date,
    pub to: Date,
}

impl Scope<'_> {
    /// Each of these reports in a range of days.
    async fn compare(
        self,
        compared: &mut Compared,
        finance: &Api,
        facts: &Facts,
        reports: &[(&'static str, &[&str])],
        range: &str,
    ) -> anyhow::Result<()> {
        let (store, nothing) = (self.store, BTreeMap::new());
        for (name, keys) in reports {
            let (report_name, group) = name.split_once('/').context("a report and a group")?;
            let path = format!("{report_name}?{range}&store_id={store}&group_by={group}");
            let found = report(finance, &path, keys).await?;
            let right = facts.reports.get(name).unwrap_or(&nothing);
            compared.rows(&format!("{store} {name} {range}"), right, &found);
        }
        Ok(())
    }

    /// Every report of a store.
    pub async fn reports(self, compared: &mut Compared, finance: &Api, facts: &Facts) -> anyhow::Result<()> {
        let Self { store, from, to } = self;
        self.compare(compared, finance, facts, &REPORTS, &format!("from={from}&to={to}")).await?;
        self.compare(compared, finance, facts, &STOCK, &format!("as_of={to}")).await?;
        let tax = finance.get(&format!("/api/finance/tax?from={from}&to={to}&store_id={store}")).await?;
        for (name, account, sign) in [("output_tax", "2030", -1), ("input_tax", "1310", 1)] {
            let right = sign * facts.balance(store, account);
            compared.one(|| format!("{store} {name}"), right, figure(&tax, &format!("/{name}"))?);
        }
        Ok(())
    }

    /// Compares the reports of a store by the books, its points liability by months, and the late entries after its day
    /// was locked.
    pub async fn reports_of_books(
        self,
        compared: &mut Compared,
        finance: &Api,
        books: &Facts,
    ) -> anyhow::Result<()> {
        let range = format!("from={}&to={}", self.from, self.to);
        self.compare(compared, finance, books, &BY_BOOKS, &format!("{range}&dates=books")).await?;
        self.compare(compared, finance, books, &LATE, &range).await?;
        self.compare(compared, finance, books, &POINTS, &format!("as_of={}", self.to)).await
    }

    /// Every account of a store at the end.
    pub async fn accounts(self, compared: &mut Compared, finance: &Api, facts: &Facts) -> anyhow::Result<()> {
        let store = self.store;
        let (mut found, _) = balance(finance, &format!("&store_id={store}"), self.to).await?;
        for ((_, account), right) in &facts.balances {
            let there = found.remove(*account).unwrap_or(0);
            compared.one(|| format!("{store} account {account}"), *right, there);
        }
        for (account, amount) in found {
            compared.one(|| format!("{store} account {account}"), 0, amount);
        }
        Ok(())
    }
}

/// Debit less credit by account, and both sides.
pub async fn balance(
    finance: &Api,
    book: &str,
    date: Date,
) -> anyhow::Result<(BTreeMap<String, i64>, [i64; 2])> {
    let reported = finance.get(&format!("/api/finance/trial-balance?date={date}{book}")).await?;
    let mut found = BTreeMap::new();
    for row in reported.get("items").and_then(Value::as_array).context("no accounts")? {
        found.insert(text(row, "account")?, figure(row, "/debit")? - figure(row, "/credit")?);
    }
    Ok((found, [figure(&reported, "/total_debit")?, figure(&reported, "/total_credit")?]))
}
