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
    /// Those that wait, in no shift.
    pub holds: Vec<(String, Basket)>,
    pub sales: Vec<Sale>,
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
    pub refunds: BTreeMap<&'static str, i64>,
    pub returns: i64,
    pub returned: i64,
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
    pub payments: Vec<Payment>,
    pub member: Option<usize>,
}

/// A completed sale.
pub struct Sale {
    pub basket: Basket,
    /// The shift that it counts in.
    pub shift: String,
    pub earned: i64,
    pub state: SaleState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SaleState {
    Paid,
    Voided,
    Returned,
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

    /// The part that points paid.
    fn by_points(&self) -> i64 {
        self.payments.iter().filter(|(method, _)| *method == "points").map(|(_, amount)| amount).sum()
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
        self.float + self.cash() - self.refunds.get("cash").copied().unwrap_or(0)
    }

    /// Counts a sale, or with −1 takes it out again.
    fn count(&mut self, basket: &Basket, sign: i64) {
        self.sales += sign;
        self.items += sign * basket.lines.iter().map(|(_, qty)| qty).sum::<i64>();
        self.gross += sign * basket.gross;
        self.discounts += sign * basket.discount;
        self.tax += sign * basket.tax;
        self.total += sign * basket.total;
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
            ("/returns_count", json!(self.returns)),
            ("/returns_total", json!(self.returned)),
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
            self.baskets[place].payments.push((method, amount));
        }
        if self.baskets[place].due() > 0 {
            return None;
        }
        let basket = self.baskets.remove(place);
        till.receipts += 1;
        let receipt = format!("S001-till-{}-{:08}", basket.till + 1, till.receipts);
        shift.receipts.push(receipt.clone());
        shift.count(&basket, 1);
        let earned = basket.earns(basket.by_points());
        let (shift, state) = (shift.id.clone(), SaleState::Paid);
        let sale = Sale { basket, shift, earned, state };
        self.moves(&sale, 1);
        self.sales.push(sale);
        Some((receipt, earned))
    }

    /// Goods and points of a sale; with −1 all the way back.
    fn moves(&mut self, sale: &Sale, sign: i64) {
        for &(sku, qty) in &sale.basket.lines {
            *self.stock.entry(sku).or_default() -= sign * qty;
        }
        if let Some(member) = sale.basket.member {
            self.members[member].points += sign * (sale.earned - sale.basket.by_points());
        }
    }

    /// The money of a basket was never there.
    pub fn untake(&mut self, basket: &Basket) {
        let shift = self.tills[basket.till].shift.as_mut().expect("a basket has an open shift");
        for &(method, amount) in &basket.payments {
            *shift.by_method.entry(method).or_default() -= amount;
        }
    }

    /// A sale of a shift that is still open never was, but for its number.
    pub fn void(&mut self, place: usize) {
        let mut sale = self.sales.remove(place);
        self.untake(&sale.basket);
        let shift = self.tills[sale.basket.till].shift.as_mut().expect("a void has an open shift");
        shift.count(&sale.basket, -1);
        self.moves(&sale, -1);
        sale.state = SaleState::Voided;
        self.sales.insert(place, sale);
    }

    /// A whole sale comes back at a till with an open shift; its receipt number.
    pub fn bring_back(&mut self, place: usize, till: usize) -> String {
        let mut sale = self.sales.remove(place);
        self.tills[till].receipts += 1;
        let receipt = format!("S001-till-{}-{:08}", till + 1, self.tills[till].receipts);
        let shift = self.tills[till].shift.as_mut().expect("a return has an open shift");
        shift.receipts.push(receipt.clone());
        for &(method, amount) in &sale.basket.payments {
            *shift.refunds.entry(method).or_default() += amount;
        }
        shift.returns += 1;
        shift.returned += sale.basket.total;
        self.moves(&sale, -1);
        sale.state = SaleState::Returned;
        self.sales.insert(place, sale);
        receipt
    }

    /// The unfinished baskets of a till: ids, and whether money was taken for one of them.
    pub fn unfinished(&self, till: usize) -> (Vec<String>, bool) {
        let of_till = || self.baskets.iter().filter(move |basket| basket.till == till);
        (of_till().map(|basket| basket.id.clone()).collect(), of_till().any(|basket| basket.paid > 0))
    }
}
