//! The model: a shop as the specification describes it, in sums that a person could do by hand.

use super::step::TILLS;
use crate::support::store::PRODUCTS;
use crate::support::till::half_up;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Basis points of tax on every product of the harness, on top.
const TAX_BP: i64 = 1_100;
/// Money for one point.
const EARN_PER: i64 = 1_000;

/// Everything that the shop should know.
#[derive(Default)]
pub struct Book {
    pub stock: BTreeMap<&'static str, i64>,
    pub tills: [Till; TILLS],
    /// Baskets that are not paid up.
    pub baskets: Vec<Basket>,
    pub members: Vec<Member>,
}

/// A register: its counters never go back, its shift comes and goes.
#[derive(Default)]
pub struct Till {
    pub receipts: i64,
    pub closes: i64,
    pub shift: Option<Shift>,
}

#[derive(Default)]
pub struct Shift {
    pub id: String,
    pub float: i64,
    pub by_method: BTreeMap<&'static str, i64>,
    pub sales: i64,
    pub items: i64,
    pub gross: i64,
    pub discounts: i64,
    pub tax: i64,
    pub total: i64,
    pub receipts: Vec<String>,
}

#[derive(Clone, Default)]
pub struct Basket {
    pub id: String,
    pub till: usize,
    pub lines: Vec<(&'static str, i64)>,
    pub gross: i64,
    pub discount: i64,
    pub tax: i64,
    pub total: i64,
    pub paid: i64,
    pub member: Option<usize>,
}

pub struct Member {
    pub id: String,
    pub points: i64,
}

/// A payment: method and amount.
pub type Payment = (&'static str, i64);

impl Basket {
    /// Prices lines of product, pieces and own discount, with a discount on the whole.
    pub fn priced(till: usize, lines: &[(usize, i64, i64)], discount: i64) -> Self {
        let gross = |&(product, qty, _): &(usize, i64, i64)| qty * PRODUCTS[product].1;
        let left: Vec<i64> = lines.iter().map(|line| gross(line) - line.2).collect();
        let nets: Vec<i64> =
            left.iter().zip(spread(discount, &left)).map(|(left, share)| left - share).collect();
        let sum: i64 = lines.iter().map(gross).sum();
        let tax = nets.iter().map(|net| half_up(net * TAX_BP, 10_000)).sum();
        let discount = sum - nets.iter().sum::<i64>();
        let lines = lines.iter().map(|&(product, qty, _)| (PRODUCTS[product].0, qty)).collect();
        let total = sum - discount + tax;
        Self { till, lines, gross: sum, discount, tax, total, ..Self::default() }
    }

    pub fn due(&self) -> i64 {
        self.total - self.paid
    }

    /// What completing it earns, when points pay so much of it.
    pub fn earns(&self, by_points: i64) -> i64 {
        if self.member.is_some() { (self.total - by_points) / EARN_PER } else { 0 }
    }
}

/// Parts of an amount by weight, whole, with nothing left over: the largest remainders get the rest, the
/// first of equals first.
fn spread(amount: i64, weights: &[i64]) -> Vec<i64> {
    let whole = weights.iter().sum::<i64>().max(1);
    let mut parts: Vec<i64> = weights.iter().map(|weight| amount * weight / whole).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&line| -(amount * weights[line] % whole));
    let rest = amount - parts.iter().sum::<i64>();
    order.iter().take(rest as usize).for_each(|&line| parts[line] += 1);
    parts
}

impl Shift {
    pub fn cash(&self) -> i64 {
        self.by_method.get("cash").copied().unwrap_or(0)
    }

    pub fn expected(&self) -> i64 {
        self.float + self.cash()
    }

    /// The figures of its summary.
    pub fn summary(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("/sales_count", json!(self.sales)),
            ("/items_count", json!(self.items)),
            ("/gross_sales", json!(self.gross)),
            ("/discounts", json!(self.discounts)),
            ("/tax", json!(self.tax)),
            ("/net_sales", json!(self.total - self.tax)),
            ("/cash/opening_float", json!(self.float)),
            ("/cash/sales", json!(self.cash())),
            ("/cash/expected", json!(self.expected())),
            ("/first_receipt", json!(self.receipts.first())),
            ("/last_receipt", json!(self.receipts.last())),
        ]
    }
}

impl Book {
    /// Money for a basket; the receipt number and the points earned, where that paid it up.
    pub fn pay(&mut self, place: usize, payments: &[Payment]) -> Option<(String, i64)> {
        let till = &mut self.tills[self.baskets[place].till];
        let shift = till.shift.as_mut().expect("a basket has an open shift");
        for &(method, amount) in payments {
            *shift.by_method.entry(method).or_default() += amount;
            self.baskets[place].paid += amount;
        }
        if self.baskets[place].due() > 0 {
            return None;
        }
        let basket = self.baskets.remove(place);
        till.receipts += 1;
        let receipt = format!("S001-till-{}-{:08}", basket.till + 1, till.receipts);
        shift.receipts.push(receipt.clone());
        shift.sales += 1;
        shift.items += basket.lines.iter().map(|(_, qty)| qty).sum::<i64>();
        shift.gross += basket.gross;
        shift.discounts += basket.discount;
        shift.tax += basket.tax;
        shift.total += basket.total;
        for &(sku, qty) in &basket.lines {
            *self.stock.entry(sku).or_default() -= qty;
        }
        let by_points: i64 =
            payments.iter().filter(|(method, _)| *method == "points").map(|(_, amount)| amount).sum();
        let earned = basket.earns(by_points);
        if let Some(member) = basket.member {
            self.members[member].points += earned - by_points;
        }
        Some((receipt, earned))
    }

    /// The unfinished baskets of a till: ids, and whether money was taken for one of them.
    pub fn unfinished(&self, till: usize) -> (Vec<String>, bool) {
        let of_till = || self.baskets.iter().filter(move |basket| basket.till == till);
        (of_till().map(|basket| basket.id.clone()).collect(), of_till().any(|basket| basket.paid > 0))
    }
}
