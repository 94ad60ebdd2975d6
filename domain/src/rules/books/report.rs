//! Sales reports: sums over sales that were paid and not voided, and over returns that count, by a key.
//!
//! The same figures that head office computes from the same records: both count a sale for its shift's business date,
//! and a return for its own date.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{Sku, UserId};
use crate::model::base::money::{shown, shown_sum};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::Shift;
use crate::model::selling::returns::{Return, ReturnState};
use crate::model::selling::transaction::{Transaction, TransactionState};
pub use crate::rules::books::hidden::hides;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Path reported when figures leave the range.
const PATH: &str = "report";

/// Most groups of a report.
pub const GROUPS_MAX: usize = 100_000;

/// The figures of a row, in order.
pub const FIGURES: [&str; 11] = [
    "sales_count",
    "items_count",
    "gross_sales",
    "discounts",
    "tax",
    "total",
    "rounding",
    "returns_count",
    "returns_total",
    "returns_rounding",
    "net_total",
];

/// Grouping of the rows of a sales report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Business date.
    #[default]
    Day,
    /// Local hour of the payment, or of the return.
    Hour,
    /// Store.
    Store,
    /// Cashier of the sale or the return.
    Cashier,
    /// Product.
    Sku,
    /// Category that the product has now.
    Category,
    /// Payment method. Rows have only counts, totals and rounding.
    Method,
}

/// A row of a report as it is shown: its key, null for no category, and every figure by its name.
pub fn row(group_by: GroupBy, key: &str, figures: [i64; FIGURES.len()]) -> Value {
    let key = (group_by.key().to_owned(), (!key.is_empty()).then_some(key).into());
    let figures = FIGURES.iter().zip(group_by.known(figures).map(Value::from));
    figures.map(|(name, figure)| ((*name).to_owned(), figure)).chain([key]).collect::<Map<_, _>>().into()
}

/// The sums of a report as they are shown.
pub fn sums(figures: [i64; FIGURES.len()]) -> Value {
    let named = FIGURES.iter().zip(figures);
    named.map(|(name, figure)| ((*name).to_owned(), Value::from(shown(figure)))).collect::<Map<_, _>>().into()
}

/// The figures of a group; of products, categories and methods, a document counts in each that it has a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(transform = hides)]
pub struct Sums {
    /// Number of completed sales.
    pub sales_count: i64,
    /// Number of pieces in the completed sales.
    pub items_count: Quantity,
    /// Sum of quantity × price of the sold lines, in minor currency units.
    pub gross_sales: Money,
    /// Sum of the discounts, in minor currency units.
    pub discounts: Money,
    /// Sum of the tax of the sales, in minor currency units.
    pub tax: Money,
    /// Sum of the totals of the sales, before returns and without cash rounding, in minor currency units.
    pub total: Money,
    /// Sum of the cash rounding of the sales, in minor currency units. The store took in `total` + `rounding`.
    pub rounding: Money,
    /// Number of returns.
    pub returns_count: i64,
    /// Sum of the refunds, without cash rounding, in minor currency units.
    pub returns_total: Money,
    /// Sum of the cash rounding of the refunds, in minor currency units. The customers got `returns_total` +
    /// `returns_rounding`.
    pub returns_rounding: Money,
}

/// A report in the making: its groups by their keys, and the sums in which each document counts once.
#[derive(Debug)]
pub struct SalesReport {
    group_by: GroupBy,
    timezone: TimeZone,
    groups: BTreeMap<String, Sums>,
    whole: Sums,
}

impl GroupBy {
    /// Every grouping.
    pub(super) const ALL: [Self; 7] =
        [Self::Day, Self::Hour, Self::Store, Self::Cashier, Self::Sku, Self::Category, Self::Method];

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

    /// The figures of a group; `None` if a group has no part of its own in them: goods have no cash rounding, and money
    /// has no pieces and no tax.
    pub fn known(self, figures: [i64; FIGURES.len()]) -> [Option<i64>; FIGURES.len()] {
        let unknown: &[&str] = match self {
            Self::Sku | Self::Category => &["rounding", "returns_rounding"],
            Self::Method => &["items_count", "gross_sales", "discounts", "tax"],
            _ => &[],
        };
        let mut names = FIGURES.iter();
        figures.map(|figure| names.next().filter(|name| !unknown.contains(name)).and_then(|_| shown(figure)))
    }
}

impl Sums {
    /// The figures in the order of [`FIGURES`].
    pub fn figures(&self) -> [i64; FIGURES.len()] {
        [
            self.sales_count,
            self.items_count.get(),
            self.gross_sales.get(),
            self.discounts.get(),
            self.tax.get(),
            self.total.get(),
            self.rounding.get(),
            self.returns_count,
            self.returns_total.get(),
            self.returns_rounding.get(),
            self.net_total().get(),
        ]
    }

    /// Net total: `total` − `returns_total`, in minor currency units.
    pub fn net_total(&self) -> Money {
        shown_sum([self.total, self.returns_total.saturating_neg()])
    }

    pub fn add(&mut self, more: &Self) {
        for (so_far, more) in [
            (&mut self.gross_sales, more.gross_sales),
            (&mut self.discounts, more.discounts),
            (&mut self.tax, more.tax),
            (&mut self.total, more.total),
            (&mut self.rounding, more.rounding),
            (&mut self.returns_total, more.returns_total),
            (&mut self.returns_rounding, more.returns_rounding),
        ] {
            *so_far = shown_sum([*so_far, more]);
        }
        self.items_count = shown_sum([self.items_count, more.items_count]);
        self.sales_count = shown_sum([self.sales_count, more.sales_count]);
        self.returns_count = shown_sum([self.returns_count, more.returns_count]);
    }

    fn of_sale(sale: &Transaction) -> Self {
        Self {
            sales_count: 1,
            items_count: shown_sum(sale.items.iter().map(|line| line.qty)),
            gross_sales: sale.subtotal,
            discounts: sale.discount,
            tax: sale.tax,
            total: sale.total,
            rounding: sale.rounding,
            ..Self::default()
        }
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
            rounding: of.rounding,
            returns_count: of.returns_count,
            returns_total: of.returns_total,
            returns_rounding: of.returns_rounding,
        }
    }

    fn of_return(back: &Return) -> Self {
        let (returns_total, returns_rounding) = (back.refund_total, back.rounding);
        Self { returns_count: 1, returns_total, returns_rounding, ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.sales_count == 0 && self.returns_count == 0
    }
}

impl SalesReport {
    /// Empty sums; hours are in the store's time zone.
    pub fn new(group_by: GroupBy, timezone: TimeZone) -> Self {
        Self { group_by, timezone, groups: BTreeMap::new(), whole: Sums::default() }
    }

    /// Counts a shift by its running sums; for groupings with [`GroupBy::of_shifts`].
    ///
    /// # Errors
    /// `validation_failed` where there are too many groups.
    pub fn shift(&mut self, shift: &Shift) -> Result<(), Refusal> {
        let sums = Sums::of_shift(shift);
        if sums.is_empty() {
            return Ok(());
        }
        self.whole.add(&sums);
        let key = match self.group_by {
            GroupBy::Store => shift.store_id.0.clone(),
            _ => shift.business_date.to_string(),
        };
        self.add(key, &sums)
    }

    /// Counts a sale, unless it was voided; `category` returns the category of a product.
    ///
    /// # Errors
    /// `validation_failed` where there are too many groups.
    pub fn sale(
        &mut self,
        sale: &Transaction,
        category: &mut dyn FnMut(&Sku) -> String,
    ) -> Result<(), Refusal> {
        if sale.state != TransactionState::Paid {
            return Ok(());
        }
        let whole = Sums::of_sale(sale);
        self.whole.add(&whole);
        match self.group_by {
            GroupBy::Sku | GroupBy::Category => {
                let lines = sale.items.iter().map(|line| {
                    let sums = Sums {
                        items_count: line.qty,
                        gross_sales: line.price.times(line.qty),
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
                    let (total, rounding) = (payment.amount, payment.rounding);
                    (payment.method.clone(), Sums { total, rounding, ..Sums::default() })
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
                self.add(key, &whole)
            }
        }
    }

    /// Counts a return, unless it was voided.
    ///
    /// # Errors
    /// `validation_failed` where there are too many groups.
    pub fn returned(
        &mut self,
        back: &Return,
        category: &mut dyn FnMut(&Sku) -> String,
    ) -> Result<(), Refusal> {
        if back.state != ReturnState::Posted {
            return Ok(());
        }
        let whole = Sums::of_return(back);
        self.whole.add(&whole);
        let part =
            |returns_total, returns_rounding| Sums { returns_total, returns_rounding, ..Sums::default() };
        match self.group_by {
            GroupBy::Sku | GroupBy::Category => {
                let lines = back.items.iter();
                let parts: Vec<_> = lines
                    .map(|line| (self.of_product(&line.sku, category), part(line.refund, Money::ZERO)))
                    .collect();
                self.parts(parts, |sums| sums.returns_count = 1)
            }
            GroupBy::Method => {
                let refunds = back.refunds.iter();
                let parts =
                    refunds.map(|refund| (refund.method.clone(), part(refund.amount, refund.rounding)));
                self.parts(parts.collect(), |sums| sums.returns_count = 1)
            }
            _ => {
                let key = self.whole(back.business_date, back.created_at, &back.store_id.0, &back.cashier_id);
                self.add(key, &whole)
            }
        }
    }

    /// The groups, in order of their keys.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (&str, &Sums)> {
        self.groups.iter().map(|(key, sums)| (key.as_str(), sums))
    }

    /// The sums of all documents, each counted once, whatever the rows are about.
    pub fn totals(&self) -> &Sums {
        &self.whole
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

    /// Adds the parts of one document; `once` counts the document in the first part of each group.
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
            return Err(Refusal::field(PATH, format!("has more than {GROUPS_MAX} rows: use fewer days")));
        }
        self.groups.entry(key).or_default().add(sums);
        Ok(())
    }
}
