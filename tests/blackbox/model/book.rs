//! The model: a shop as docs/arithmetic.md describes it, with sums that can be done by hand.

use super::sale::{Back, Pieces, Sale, SoldLine};
use super::step::TILLS;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::store::PRODUCTS;
use testkit::till::half_up;

/// Tax rate in basis points of every product of the harness, on top of the price.
const TAX_BP: i64 = 1_100;
/// Amount of money that earns one point.
pub const EARN_PER: i64 = 1_000;

/// State that the shop should have.
#[derive(Default)]
pub struct Book {
    pub stock: BTreeMap<&'static str, i64>,
    pub tills: [Till; TILLS],
    /// Baskets that are not fully paid.
    pub baskets: Vec<Basket>,
    /// Held baskets, which belong to no shift.
    pub holds: Vec<(String, Basket)>,
    pub sales: Vec<Sale>,
    pub backs: Vec<Back>,
    pub members: Vec<Member>,
}

/// A register: its counters never decrease; shifts open and close.
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
    /// Cash that moved without a sale, by kind.
    pub moved: BTreeMap<&'static str, i64>,
    pub returns: i64,
    pub returned: i64,
    pub voids: i64,
    pub voided: i64,
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
    pub sold: Vec<SoldLine>,
    pub gross: i64,
    pub discount: i64,
    pub tax: i64,
    pub total: i64,
    pub paid: i64,
    pub payments: Vec<Payment>,
    pub member: Option<usize>,
    /// Whether the member earned points when the basket was last priced.
    pub earns: bool,
}

pub struct Member {
    pub id: String,
    pub points: i64,
    pub blocked: bool,
}

/// A payment: method and amount.
pub type Payment = (&'static str, i64);

impl Basket {
    /// Prices lines of product, pieces and line discount, with a discount on the whole basket.
    pub fn priced(till: usize, lines: &[(usize, i64, i64)], discount: i64) -> Self {
        let gross = |&(product, qty, _): &(usize, i64, i64)| qty * PRODUCTS[product].1;
        let left: Vec<i64> = lines.iter().map(|line| gross(line) - line.2).collect();
        let shares = spread(discount, &left);
        let sold: Vec<SoldLine> = lines
            .iter()
            .zip(shares)
            .map(|(line, share)| {
                let (sku, price) = PRODUCTS[line.0];
                let (qty, discount) = (line.1, line.2 + share);
                let tax = half_up((gross(line) - discount) * TAX_BP, 10_000);
                SoldLine { sku, qty, price, discount, tax, back: vec![false; qty as usize] }
            })
            .collect();
        let gross: i64 = lines.iter().map(gross).sum();
        let tax = sold.iter().map(|line| line.tax).sum();
        let discount = sold.iter().map(|line| line.discount).sum();
        Self { till, sold, gross, discount, tax, total: gross - discount + tax, ..Self::default() }
    }

    pub fn due(&self) -> i64 {
        self.total - self.paid
    }

    /// Returns the part that was paid by points.
    pub fn by_points(&self) -> i64 {
        self.payments.iter().filter(|(method, _)| *method == "points").map(|(_, amount)| amount).sum()
    }

    /// Returns the points that completing the basket earns if `by_points` of it is paid by points.
    pub fn earning(&self, by_points: i64) -> i64 {
        if self.earns { (self.total - by_points) / EARN_PER } else { 0 }
    }
}

/// Splits an amount by weights into whole parts that add up to it. The largest remainders get the rest; of equal ones,
/// the first.
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
    fn cash(&self) -> i64 {
        self.by_method.get("cash").copied().unwrap_or(0)
    }

    fn moved(&self, kind: &str) -> i64 {
        self.moved.get(kind).copied().unwrap_or(0)
    }

    fn refunded(&self) -> i64 {
        self.refunds.get("cash").copied().unwrap_or(0)
    }

    pub fn expected(&self) -> i64 {
        self.float + self.cash() - self.refunded() + self.moved("pay_in")
            - self.moved("pay_out")
            - self.moved("drop")
    }

    /// Adds a sale, or removes it with a sign of −1.
    pub fn count(&mut self, basket: &Basket, sign: i64) {
        self.sales += sign;
        self.items += sign * basket.sold.iter().map(|line| line.qty).sum::<i64>();
        self.gross += sign * basket.gross;
        self.discounts += sign * basket.discount;
        self.tax += sign * basket.tax;
        self.total += sign * basket.total;
    }

    /// Counts a voided basket or sale.
    pub fn void(&mut self, basket: &Basket) {
        self.voids += 1;
        self.voided += basket.total;
    }

    /// Adds a return, or removes it with a sign of −1.
    fn refund(&mut self, total: i64, tenders: &[Payment], sign: i64) {
        self.returns += sign;
        self.returned += sign * total;
        for &(method, amount) in tenders {
            *self.refunds.entry(method).or_default() += sign * amount;
        }
    }

    /// Returns the figures of the shift's summary.
    pub fn summary(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("/sales_count", json!(self.sales)),
            ("/items_count", json!(self.items)),
            ("/gross_sales", json!(self.gross)),
            ("/discounts", json!(self.discounts)),
            ("/tax", json!(self.tax)),
            ("/net_sales", json!(self.total - self.tax)),
            ("/returns_count", json!(self.returns)),
            ("/returns_total", json!(self.returned)),
            ("/voids_count", json!(self.voids)),
            ("/voids_total", json!(self.voided)),
            ("/cash/opening_float", json!(self.float)),
            ("/cash/sales", json!(self.cash())),
            ("/cash/refunds", json!(self.refunded())),
            ("/cash/pay_in", json!(self.moved("pay_in"))),
            ("/cash/pay_out", json!(self.moved("pay_out"))),
            ("/cash/drops", json!(self.moved("drop"))),
            ("/cash/expected", json!(self.expected())),
            ("/first_receipt", json!(self.receipts.first())),
            ("/last_receipt", json!(self.receipts.last())),
        ]
    }
}

impl Book {
    fn shift(&mut self, till: usize) -> &mut Shift {
        self.tills[till].shift.as_mut().expect("an open shift")
    }

    /// Returns whether the till's open shift is this one.
    pub fn is_open(&self, till: usize, shift: &str) -> bool {
        self.tills[till].shift.as_ref().is_some_and(|open| open.id == shift)
    }

    fn receipt(&mut self, till: usize) -> String {
        self.tills[till].receipts += 1;
        let receipt = format!("S001-till-{}-{:08}", till + 1, self.tills[till].receipts);
        self.shift(till).receipts.push(receipt.clone());
        receipt
    }

    /// Returns whether a member earns and redeems points.
    pub fn active(&self, member: Option<usize>) -> bool {
        member.is_some_and(|member| !self.members[member].blocked)
    }

    /// Adds payments to a basket. Returns the receipt number and the points earned if the basket is now fully paid.
    pub fn pay(&mut self, place: usize, payments: &[Payment]) -> Option<(String, i64)> {
        let till = self.baskets[place].till;
        for &(method, amount) in payments {
            *self.shift(till).by_method.entry(method).or_default() += amount;
            self.baskets[place].paid += amount;
            self.baskets[place].payments.push((method, amount));
        }
        if self.baskets[place].due() > 0 {
            return None;
        }
        let basket = self.baskets.remove(place);
        let receipt = self.receipt(till);
        let earns = basket.earns && self.active(basket.member);
        let earned = if earns { basket.earning(basket.by_points()) } else { 0 };
        let shift = self.shift(till);
        shift.count(&basket, 1);
        let sale = Sale::new(basket, &shift.id, earned, earns);
        self.moves(&sale, 1);
        self.sales.push(sale);
        Some((receipt, earned))
    }

    /// Moves the goods and points of a sale, or moves them back with a sign of −1.
    fn moves(&mut self, sale: &Sale, sign: i64) {
        for line in &sale.lines {
            *self.stock.entry(line.sku).or_default() -= sign * line.qty;
        }
        if let Some(member) = sale.basket.member {
            self.members[member].points += sign * (sale.earned - sale.basket.by_points());
        }
    }

    /// Removes the payments of a voided basket.
    pub fn void_basket(&mut self, basket: &Basket) {
        let shift = self.shift(basket.till);
        for &(method, amount) in &basket.payments {
            *shift.by_method.entry(method).or_default() -= amount;
        }
        shift.void(basket);
    }

    /// Removes a sale of an open shift, except for its number.
    pub fn void(&mut self, place: usize) {
        let mut sale = self.sales.remove(place);
        self.void_basket(&sale.basket);
        self.shift(sale.basket.till).count(&sale.basket, -1);
        self.moves(&sale, -1);
        sale.voided = true;
        self.sales.insert(place, sale);
    }

    /// Brings pieces back at a till with an open shift. Returns the receipt number.
    pub fn bring_back(&mut self, place: usize, till: usize, pieces: Pieces) -> (String, Back) {
        let receipt = self.receipt(till);
        let (total, tenders, reversed, given) = self.sales[place].give_back(&pieces);
        let shift = self.shift(till);
        shift.refund(total, &tenders, 1);
        let (id, shift) = (String::new(), shift.id.clone());
        let back =
            Back { id, sale: place, till, shift, pieces, tenders, total, reversed, given, voided: false };
        self.move_back(&back, 1);
        (receipt, back)
    }

    /// Moves the goods and points of a return, or moves them back with a sign of −1.
    fn move_back(&mut self, back: &Back, sign: i64) {
        let sale = &self.sales[back.sale];
        for &(line, _) in &back.pieces {
            *self.stock.entry(sale.lines[line].sku).or_default() += sign;
        }
        if let Some(member) = sale.basket.member {
            self.members[member].points += sign * (back.given - back.reversed);
        }
    }

    /// Removes a return of an open shift, except for its number.
    pub fn void_back(&mut self, place: usize) {
        let back = self.backs[place].clone();
        self.shift(back.till).refund(back.total, &back.tenders, -1);
        self.move_back(&back, -1);
        self.sales[back.sale].forget(&back);
        self.backs[place].voided = true;
    }

    /// Returns the IDs of a till's unfinished baskets, and whether one of them has a payment.
    pub fn unfinished(&self, till: usize) -> (Vec<String>, bool) {
        let of_till = || self.baskets.iter().filter(move |basket| basket.till == till);
        (of_till().map(|basket| basket.id.clone()).collect(), of_till().any(|basket| basket.paid > 0))
    }
}
