//! Sales reports: sums over sales that were paid and not voided, and over returns that count, by a key.
//!
//! The same figures that head office makes of the same records: both ends count a sale for its shift's
//! business date, and what comes back for the date of the return.

use crate::ids::{Sku, UserId};
use crate::money::sum;
use crate::refusal::Refusal;
use crate::returns::{Return, ReturnState};
use crate::shift::Shift;
use crate::time::UtcMs;
use crate::transaction::{Transaction, TransactionState};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Where figures are blamed that leave the range.
const PATH: &str = "report";
/// Most groups of a report.
pub const GROUPS_MAX: usize = 100_000;
/// The figures of a row, in order.
pub const FIGURES: [&str; 9] = [
    "sales_count",
    "items_count",
    "gross_sales",
    "discounts",
    "tax",
    "total",
    "returns_count",
    "returns_total",
    "net_total",
];

/// What the rows of a sales report are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Business date.
    #[default]
    Day,
    /// Local hour of payment, and of the return.
    Hour,
    /// Store.
    Store,
    /// Who sold, and who took goods back.
    Cashier,
    /// Product.
    Sku,
    /// Category that the product has now.
    Category,
    /// Payment method: counts and totals only.
    Method,
}

/// The schema of the rows of a report: the key of a group, and every figure.
pub fn rows(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {
        "type": "object",
        "properties": figures(),
        "required": FIGURES,
        "additionalProperties": {"type": "string"},
        "minProperties": FIGURES.len().saturating_add(1),
    }})
}

/// The schema of the sums of a report.
pub fn totals(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "properties": figures(), "required": FIGURES})
}

fn figures() -> Map<String, Value> {
    FIGURES.iter().map(|name| ((*name).to_owned(), json!({"type": "integer"}))).collect()
}

/// The figures of a group; of products, categories and methods, a document counts in each that it has a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Sums {
    /// Completed sales.
    pub sales_count: i64,
    /// Pieces in them.
    pub items_count: i64,
    /// Σ qty × price.
    pub gross_sales: i64,
    /// Σ discounts.
    pub discounts: i64,
    /// Σ tax.
    pub tax: i64,
    /// Σ totals, before returns.
    pub total: i64,
    /// Return documents.
    pub returns_count: i64,
    /// Σ their refunds.
    pub returns_total: i64,
}

/// A report in the making: its groups by their keys.
#[derive(Debug)]
pub struct SalesReport {
    group_by: GroupBy,
    timezone: TimeZone,
    groups: BTreeMap<String, Sums>,
}

impl GroupBy {
    /// The name of the key in a row.
    pub fn key(self) -> &'static str {
        match self {
            Self::Day => "business_date",
            Self::Hour => "hour",
            Self::Store => "store_id",
            Self::Cashier => "cashier_id",
            Self::Sku => "sku",
            Self::Category => "category",
            Self::Method => "method",
        }
    }

    /// Whether the running sums of shifts are enough: no sale has to be looked at.
    pub fn of_shifts(self) -> bool {
        matches!(self, Self::Day | Self::Store)
    }
}

impl Sums {
    /// The figures in the order of [`FIGURES`].
    pub fn figures(&self) -> [i64; 9] {
        let net = self.net_total();
        let Self { sales_count, items_count, gross_sales, discounts, tax, total, .. } = *self;
        let Self { returns_count, returns_total, .. } = *self;
        [sales_count, items_count, gross_sales, discounts, tax, total, returns_count, returns_total, net]
    }

    /// total − returns_total.
    pub fn net_total(&self) -> i64 {
        self.total.saturating_sub(self.returns_total)
    }

    /// Adds another's figures.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn add(&mut self, more: &Self) -> Result<(), Refusal> {
        for (so_far, more) in [
            (&mut self.sales_count, more.sales_count),
            (&mut self.items_count, more.items_count),
            (&mut self.gross_sales, more.gross_sales),
            (&mut self.discounts, more.discounts),
            (&mut self.tax, more.tax),
            (&mut self.total, more.total),
            (&mut self.returns_count, more.returns_count),
            (&mut self.returns_total, more.returns_total),
        ] {
            *so_far = sum(PATH, [*so_far, more])?;
        }
        Ok(())
    }

    fn of_sale(sale: &Transaction) -> Result<Self, Refusal> {
        Ok(Self {
            sales_count: 1,
            items_count: sum(PATH, sale.items.iter().map(|line| line.qty))?,
            gross_sales: sale.subtotal,
            discounts: sale.discount,
            tax: sale.tax,
            total: sale.total,
            ..Self::default()
        })
    }

    /// The running sums of a shift.
    pub(crate) fn of_shift(shift: &Shift) -> Self {
        let of = &shift.totals;
        Self {
            sales_count: of.sales_count,
            items_count: of.items_count,
            gross_sales: of.gross_sales,
            discounts: of.discounts,
            tax: of.tax,
            total: of.total,
            returns_count: of.returns_count,
            returns_total: of.returns_total,
        }
    }

    fn returned(returns_total: i64) -> Self {
        Self { returns_count: 1, returns_total, ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.sales_count == 0 && self.returns_count == 0
    }
}

impl SalesReport {
    /// Of nothing yet; hours are those of the store's time zone.
    pub fn new(group_by: GroupBy, timezone: TimeZone) -> Self {
        Self { group_by, timezone, groups: BTreeMap::new() }
    }

    /// Counts a shift by its running sums; for groupings that [`GroupBy::of_shifts`] says so.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn shift(&mut self, shift: &Shift) -> Result<(), Refusal> {
        let sums = Sums::of_shift(shift);
        if sums.is_empty() {
            return Ok(());
        }
        let key = match self.group_by {
            GroupBy::Store => shift.store_id.0.clone(),
            _ => shift.business_date.to_string(),
        };
        self.add(key, &sums)
    }

    /// Counts a sale, unless it was voided; `category` tells the category of a product.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures, or there are too many groups.
    pub fn sale(
        &mut self,
        sale: &Transaction,
        category: &mut dyn FnMut(&Sku) -> String,
    ) -> Result<(), Refusal> {
        if sale.state != TransactionState::Paid {
            return Ok(());
        }
        match self.group_by {
            GroupBy::Sku | GroupBy::Category => {
                let lines = sale.items.iter().map(|line| {
                    let sums = Sums {
                        items_count: line.qty,
                        gross_sales: line.qty.saturating_mul(line.price),
                        discounts: line.discount,
                        tax: line.tax,
                        total: line.total,
                        ..Sums::default()
                    };
                    (self.of_product(&line.sku, category), sums)
                });
                let parts: Vec<_> = lines.collect();
                self.parts(parts, |sums| sums.sales_count = 1)
            }
            GroupBy::Method => {
                let accepted = sale.payments.iter().filter(|payment| payment.counts());
                let parts = accepted.map(|payment| {
                    let total = payment.amount.saturating_add(payment.rounding);
                    (payment.method.clone(), Sums { total, ..Sums::default() })
                });
                self.parts(parts.collect(), |sums| sums.sales_count = 1)
            }
            _ => {
                let key = self.whole(
                    sale.business_date,
                    sale.paid_at.unwrap_or(sale.occurred_at),
                    &sale.store_id.0,
                    &sale.cashier_id,
                );
                self.add(key, &Sums::of_sale(sale)?)
            }
        }
    }

    /// Counts a return, unless it was voided.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures, or there are too many groups.
    pub fn returned(
        &mut self,
        back: &Return,
        category: &mut dyn FnMut(&Sku) -> String,
    ) -> Result<(), Refusal> {
        if back.state != ReturnState::Posted {
            return Ok(());
        }
        let part = |returns_total: i64| Sums { returns_total, ..Sums::default() };
        match self.group_by {
            GroupBy::Sku | GroupBy::Category => {
                let lines = back.items.iter();
                let parts: Vec<_> =
                    lines.map(|line| (self.of_product(&line.sku, category), part(line.refund))).collect();
                self.parts(parts, |sums| sums.returns_count = 1)
            }
            GroupBy::Method => {
                let refunds = back.refunds.iter();
                let parts = refunds.map(|refund| {
                    (refund.method.clone(), part(refund.amount.saturating_add(refund.rounding)))
                });
                self.parts(parts.collect(), |sums| sums.returns_count = 1)
            }
            _ => {
                let key = self.whole(back.business_date, back.created_at, &back.store_id.0, &back.cashier_id);
                self.add(key, &Sums::returned(back.refund_total))
            }
        }
    }

    /// The groups, in order of their keys.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (&str, &Sums)> {
        self.groups.iter().map(|(key, sums)| (key.as_str(), sums))
    }

    /// Σ all groups. Of products, categories and methods a sale counts in each that it has a part of.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn whole_of_it(&self) -> Result<Sums, Refusal> {
        let mut whole = Sums::default();
        self.groups.values().try_for_each(|sums| whole.add(sums))?;
        Ok(whole)
    }

    fn whole(&self, day: Date, at: UtcMs, store: &str, cashier: &UserId) -> String {
        match self.group_by {
            GroupBy::Hour => {
                let local = self.timezone.to_datetime(at.timestamp());
                local.strftime("%Y-%m-%dT%H:00").to_string()
            }
            GroupBy::Store => store.to_owned(),
            GroupBy::Cashier => cashier.0.clone(),
            _ => day.to_string(),
        }
    }

    fn of_product(&self, sku: &Sku, category: &mut dyn FnMut(&Sku) -> String) -> String {
        if self.group_by == GroupBy::Sku { sku.0.clone() } else { category(sku) }
    }

    /// Adds the parts of one document; `once` counts it in the first of each group.
    fn parts(&mut self, parts: Vec<(String, Sums)>, once: impl Fn(&mut Sums)) -> Result<(), Refusal> {
        let mut seen = BTreeSet::new();
        for (key, mut sums) in parts {
            if seen.insert(key.clone()) {
                once(&mut sums);
            }
            self.add(key, &sums)?;
        }
        Ok(())
    }

    fn add(&mut self, key: String, sums: &Sums) -> Result<(), Refusal> {
        if self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(&key) {
            return Err(Refusal::field(PATH, format!("has more than {GROUPS_MAX} rows: ask for less")));
        }
        self.groups.entry(key).or_default().add(sums)
    }
}
