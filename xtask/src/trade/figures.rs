//! Totals of a sale, a return, a shift or a month.

use std::collections::BTreeMap;

/// `tax.default_rate_bp` of the stores that these commands start.
pub const TAX_RATE_BP: i64 = 1_100;
/// `points.earn_per` of the stores that these commands start.
pub const EARN_PER: i64 = 1_000;

/// Sums of sales and of returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    pub sales: i64,
    pub lines: i64,
    pub pieces: i64,
    /// Sum of quantity × price.
    pub subtotal: i64,
    /// Sum of the discounts.
    pub discount: i64,
    /// Sum of the tax.
    pub tax: i64,
    /// Sum of the totals.
    pub total: i64,
    /// Lines at another price than the catalogue's.
    pub overrides: i64,
    pub earned: i64,
    pub redeemed: i64,
    pub returns: i64,
    pub lines_back: i64,
    /// Pieces that came back.
    pub pieces_back: i64,
    /// Sum of the refunds.
    pub refunds: i64,
    /// Sum of the tax in the refunds.
    pub tax_back: i64,
    /// Earned points taken back.
    pub reversed: i64,
    /// Points that had paid, given back.
    pub given_back: i64,
}

impl Figures {
    pub fn each(&mut self) -> [(&'static str, &mut i64); 17] {
        [
            ("sales", &mut self.sales),
            ("lines", &mut self.lines),
            ("pieces", &mut self.pieces),
            ("subtotal", &mut self.subtotal),
            ("discount", &mut self.discount),
            ("tax", &mut self.tax),
            ("total", &mut self.total),
            ("price overrides", &mut self.overrides),
            ("points earned", &mut self.earned),
            ("points redeemed", &mut self.redeemed),
            ("returns", &mut self.returns),
            ("lines back", &mut self.lines_back),
            ("pieces back", &mut self.pieces_back),
            ("refunds", &mut self.refunds),
            ("tax in refunds", &mut self.tax_back),
            ("points taken back", &mut self.reversed),
            ("points given back", &mut self.given_back),
        ]
    }

    pub fn add(&mut self, other: &Self) {
        let mut other = other.clone();
        for ((_, sum), (_, more)) in self.each().into_iter().zip(other.each()) {
            *sum += *more;
        }
    }
}

/// Money of one method, cash without change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flow {
    /// Money from customers.
    pub came: i64,
    /// Money back to customers.
    pub went: i64,
}

/// Figures with the money behind them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    pub figures: Figures,
    /// Money by method.
    pub money: BTreeMap<String, Flow>,
}

impl Account {
    pub fn add(&mut self, other: &Self) {
        self.figures.add(&other.figures);
        for (method, flow) in &other.money {
            self.came(method, flow.came);
            self.went(method, flow.went);
        }
    }

    /// Money comes in; a method that has moved nothing is not there.
    pub fn came(&mut self, method: &str, amount: i64) {
        if amount != 0 {
            self.money.entry(method.to_owned()).or_default().came += amount;
        }
    }

    pub fn went(&mut self, method: &str, amount: i64) {
        if amount != 0 {
            self.money.entry(method.to_owned()).or_default().went += amount;
        }
    }

    /// Effect on the cash of a drawer.
    pub fn cash(&self) -> i64 {
        self.money.get("cash").map_or(0, |cash| cash.came - cash.went)
    }
}
