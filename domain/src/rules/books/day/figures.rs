//! Sales and movements of a set of shifts: the sums of their sums.

use crate::model::base::figures::Money;
use crate::model::base::money::shown_sum;
use crate::model::books::shift::{MethodTotals, Shift};
use crate::rules::books::report::{Sums, hides};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Sums of sales and returns. Voided sales are included only in `voids_…`. A figure above 9,007,199,254,740,991 is
/// null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(transform = hides)]
pub struct Figures {
    /// Totals of sales and returns.
    #[serde(flatten)]
    pub sums: Sums,
    /// Net total: `total` − `returns_total`, in minor currency units.
    pub net_total: Money,
    /// Number of voided sales.
    pub voids_count: i64,
    /// Sum of the totals of the voided sales, in minor currency units.
    pub voids_total: Money,
    /// Number of lines sold at another price than the catalogue's.
    pub price_overrides: i64,
}

/// Payments and refunds by one payment method. A figure above 9,007,199,254,740,991 is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(transform = hides)]
pub struct MethodFigures {
    /// Payment method: `cash`, `card`, …
    pub method: String,
    /// Number of accepted payments.
    pub sales_count: i64,
    /// Sum of amount + rounding of the accepted payments, in minor currency units.
    pub sales: Money,
    /// Number of refunds.
    pub refunds_count: i64,
    /// Sum of amount + rounding of the refunds, in minor currency units.
    pub refunds: Money,
    /// Net amount: sales − refunds.
    pub net: Money,
}

impl Figures {
    pub fn add(&mut self, shift: &Shift) {
        let of = &shift.totals;
        self.sums.add(&Sums::of_shift(shift));
        self.voids_count = shown_sum([self.voids_count, of.voids_count]);
        self.voids_total = shown_sum([self.voids_total, of.voids_total]);
        self.price_overrides = shown_sum([self.price_overrides, of.price_overrides]);
        self.net_total = self.sums.net_total();
    }

    /// The sums of these shifts.
    pub fn of<'a>(shifts: impl IntoIterator<Item = &'a Shift>) -> Self {
        let mut figures = Self::default();
        shifts.into_iter().for_each(|shift| figures.add(shift));
        figures
    }
}

/// Payment methods of these shifts, in order of name.
pub fn by_method<'a>(shifts: impl IntoIterator<Item = &'a Shift>) -> Vec<MethodFigures> {
    let mut sums: BTreeMap<String, MethodTotals> = BTreeMap::new();
    for (method, more) in shifts.into_iter().flat_map(|shift| &shift.totals.by_method) {
        let so_far = sums.entry(method.clone()).or_default();
        so_far.sales = shown_sum([so_far.sales, more.sales]);
        so_far.refunds = shown_sum([so_far.refunds, more.refunds]);
        so_far.sales_count = shown_sum([so_far.sales_count, more.sales_count]);
        so_far.refunds_count = shown_sum([so_far.refunds_count, more.refunds_count]);
    }
    let figures = |(method, MethodTotals { sales, refunds, sales_count, refunds_count })| MethodFigures {
        method,
        sales_count,
        sales,
        refunds_count,
        refunds,
        net: shown_sum([sales, refunds.saturating_neg()]),
    };
    sums.into_iter().map(figures).collect()
}
