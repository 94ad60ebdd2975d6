//! Expected results, computed only from the file and the plan: no code of the product takes part.

use crate::trade::figures::{Account, Figures, TAX_RATE_BP};
use crate::trade::month::{Line, Month};
use crate::trade::office::half_up;
use crate::trade::plan::{Back, Sale, Step};
use std::collections::{BTreeMap, HashMap};

pub mod sold;

use sold::Sold;

/// Goods received: the same number of pieces of each of some products.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    pub receiving_id: String,
    /// Pieces of each product.
    pub qty: i64,
    /// Pence a piece, by sku.
    pub unit_costs: BTreeMap<String, i64>,
}

/// Pieces, gross, tax, total and refunds of a product.
pub type OfSku = [i64; 5];

/// The books of a month.
#[derive(Debug, Clone, Default)]
pub struct Books {
    /// Every sale and every return, by name.
    pub documents: BTreeMap<String, Account>,
    /// All of them together.
    pub whole: Account,
    /// Delivered less sold plus come back, by sku.
    pub stock: BTreeMap<String, i64>,
    /// Sold and come back, by sku.
    pub by_sku: BTreeMap<String, OfSku>,
    /// Points by customer.
    pub points: BTreeMap<String, i64>,
}

/// Gross and tax on top (docs/arithmetic.md#price-discount-and-tax).
pub fn priced(line: &Line) -> (i64, i64) {
    let gross = line.qty * line.price;
    (gross, half_up(gross, TAX_RATE_BP))
}

impl Books {
    /// The books of `steps`, made from `month`.
    pub fn of(month: &Month, steps: &[Step], deliveries: &[Delivery]) -> Self {
        let mut books = Self::default();
        for product in &month.products {
            let of_it = deliveries.iter().filter(|came| came.unit_costs.contains_key(&product.sku));
            books.stock.insert(product.sku.clone(), of_it.map(|came| came.qty).sum());
        }
        books.points = month.customers().into_iter().map(|customer| (customer, 0)).collect();
        let prices = month.list_prices();
        let mut sales = HashMap::new();
        for (place, step) in steps.iter().enumerate() {
            let account = match step {
                Step::Sale(sale) => {
                    let sold = Sold::of(sale);
                    let account = books.sell(sale, &sold, &prices);
                    sales.insert(place, sold);
                    account
                }
                Step::Back(back) => books.take_back(back, back.sale.and_then(|sale| sales.get_mut(&sale))),
            };
            books.whole.add(&account);
            books.documents.insert(step.name().to_owned(), account);
        }
        books
    }

    fn sell(&mut self, sale: &Sale, sold: &Sold, prices: &BTreeMap<String, i64>) -> Account {
        let (earned, redeemed) = (sold.earned, sold.by_points());
        let mut figures = Figures { sales: 1, earned, redeemed, ..Figures::default() };
        for line in &sale.lines {
            let (gross, tax) = priced(line);
            figures.add(&Figures {
                lines: 1,
                pieces: line.qty,
                subtotal: gross,
                tax,
                total: gross + tax,
                overrides: i64::from(prices.get(&line.sku) != Some(&line.price)),
                ..Figures::default()
            });
            self.of_sku(&line.sku, [line.qty, gross, tax, gross + tax, 0]);
            *self.stock.entry(line.sku.clone()).or_default() -= line.qty;
        }
        if let Some(customer) = &sale.customer {
            // The points that pay for it were given before the month.
            *self.points.entry(customer.clone()).or_default() += sale.points + earned - redeemed;
        }
        let mut account = Account { figures, ..Account::default() };
        for payment in sale.payments(sold.total) {
            account.came(payment.method, payment.amount);
        }
        account
    }

    fn take_back(&mut self, back: &Back, mut sold: Option<&mut Sold>) -> Account {
        let figures = Figures { returns: 1, lines_back: back.lines.len() as i64, ..Figures::default() };
        let mut account = Account { figures, ..Account::default() };
        for part in &back.lines {
            let (gross, tax) = match sold.as_mut().zip(part.sold_line) {
                Some((sold, sold_line)) => sold.part(sold_line, part.line.qty),
                None => priced(&part.line),
            };
            account.figures.pieces_back += part.line.qty;
            account.figures.refunds += gross + tax;
            account.figures.tax_back += tax;
            self.of_sku(&part.line.sku, [0, 0, 0, 0, gross + tax]);
            *self.stock.entry(part.line.sku.clone()).or_default() += part.line.qty;
        }
        let refund = account.figures.refunds;
        match sold {
            Some(sold) => {
                for (method, amount) in sold.refund(refund) {
                    account.went(method, amount);
                    // A point pays a penny.
                    account.figures.given_back += if method == "points" { amount } else { 0 };
                }
                account.figures.reversed = sold.reverse();
                if let Some(customer) = &sold.customer {
                    let back = account.figures.given_back - account.figures.reversed;
                    *self.points.entry(customer.clone()).or_default() += back;
                }
            }
            None => account.went("cash", refund),
        }
        account
    }

    fn of_sku(&mut self, sku: &str, more: OfSku) {
        let sums = self.by_sku.entry(sku.to_owned()).or_default();
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }

    /// The sum of the documents with those names.
    pub fn together<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Account {
        let mut sum = Account::default();
        names.into_iter().filter_map(|name| self.documents.get(name)).for_each(|account| sum.add(account));
        sum
    }
}

#[cfg(test)]
mod tests;
