//! The month of two stores: every other sale in each, returns in the store of the sale, and the other events of a shop.

use super::month_store::MonthStore;
use crate::trade::month::Month;
use crate::trade::plan::Step;
use anyhow::Context;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use std::collections::{BTreeMap, HashMap};

/// Products that lie in the shops from the beginning.
const STOCKED: usize = 400;
/// Products of the order, which come on one of the days.
pub const ORDERED: usize = 40;
const QTY_FIRST: i64 = 150;
/// Ordered, accepted, turned away at the door.
pub const ORDER: [i64; 3] = [100, 96, 4];
/// The days, from 0, on which goods come, and on which some of them go back.
const RECEIVED_ON: usize = 5;
const SENT_BACK_ON: usize = 7;
/// Fewest days of a month, so that goods come and go back in it.
pub const DAYS_MIN: usize = SENT_BACK_ON + 1;
/// Pieces of the first product that go back.
pub const SENT_BACK: i64 = 2;
const BAG: i64 = 1_000_000;
/// The month ends at least this many days before today: head office has statements of it.
const AGE_DAYS: i32 = 4;

/// Supplier's price of a piece.
pub fn cost_of(price: i64) -> i64 {
    price * 55 / 100
}

/// Products with a price, in the file's order.
pub fn goods(month: &Month) -> impl Iterator<Item = (&String, i64)> {
    month.products.iter().filter(|product| product.price > 1).map(|product| (&product.sku, product.price))
}

/// When each invoice was made, moved by whole weeks so that the month has just ended.
fn times(month: &Month, today: Date) -> anyhow::Result<HashMap<&str, DateTime>> {
    let mut found = HashMap::new();
    for invoice in &month.invoices {
        let at = invoice.at.replacen(' ', "T", 1);
        let at: DateTime = at.parse().with_context(|| format!("{} was made at {at}", invoice.name))?;
        found.insert(invoice.name.as_str(), at);
    }
    let last = found.values().max().context("the file has no invoice")?.date();
    let end = today.checked_sub(AGE_DAYS.days())?;
    let weeks = end.since(last)?.get_days().div_euclid(7);
    for at in found.values_mut() {
        *at = at.checked_add(jiff::Span::new().weeks(weeks))?;
    }
    Ok(found)
}

/// The order of each supplier that each shop receives.
pub type Orders = BTreeMap<String, String>;

/// Those orders and their supplier.
pub struct Ordered<'a> {
    pub supplier: &'a str,
    pub orders: &'a Orders,
}

/// Lives the month in these shops.
pub fn live(
    month: &Month,
    steps: &[Step],
    shops: &mut [MonthStore; 2],
    ordered: &Ordered<'_>,
    today: Date,
) -> anyhow::Result<()> {
    let times = times(month, today)?;
    let (mut day, mut number, mut sales) = (None, 0, 0);
    let mut of_sale: HashMap<usize, usize> = HashMap::new();
    for (place, step) in steps.iter().enumerate() {
        let name = step.name().rsplit_once('-').map_or(step.name(), |(name, _)| name);
        let at = *times.get(name).context("an invoice without a time")?;
        if day != Some(at.date()) {
            for (which, shop) in shops.iter_mut().enumerate() {
                if day.is_some() {
                    closes(shop, number + which)?;
                }
                shop.opens(at.date())?;
                begins(shop, month, ordered, number)?;
            }
            day = Some(at.date());
            number += 1;
        }
        let which = match step {
            Step::Sale(_) => {
                sales += 1;
                of_sale.insert(place, sales % 2);
                sales % 2
            }
            Step::Back(back) => back.sale.and_then(|sale| of_sale.get(&sale).copied()).unwrap_or(place % 2),
        };
        let shop = shops.get_mut(which).context("two shops")?;
        match step {
            Step::Sale(sale) => shop.sells(place, sale, at)?,
            Step::Back(back) => shop.takes_back(place, back, at)?,
        }
    }
    for shop in shops {
        closes(shop, number)?;
    }
    Ok(())
}

/// The drawer is short, right or over by turns.
fn closes(shop: &mut MonthStore, number: usize) -> anyhow::Result<()> {
    shop.pays_out("drop", 20_000)?;
    let variance = match number % 5 {
        1 => -300,
        3 => 50,
        _ => 0,
    };
    shop.closes(variance, BAG)
}

fn begins(
    shop: &mut MonthStore,
    month: &Month,
    Ordered { supplier, orders }: &Ordered<'_>,
    number: usize,
) -> anyhow::Result<()> {
    let first = goods(month).next().context("no product has a price")?.0;
    if number == 0 {
        let some = goods(month).take(STOCKED);
        let first: Vec<(String, i64, i64)> =
            some.map(|(sku, price)| (sku.clone(), QTY_FIRST, QTY_FIRST * (price / 2))).collect();
        return shop.starts_with(&first);
    }
    if number == RECEIVED_ON {
        let order = orders.get(&shop.id).context("no order")?;
        let [_, qty, rejected] = ORDER;
        let lines: Vec<(String, [i64; 3])> = goods(month)
            .take(ORDERED)
            .map(|(sku, price)| (sku.clone(), [qty, rejected, cost_of(price)]))
            .collect();
        shop.receives(supplier, order, &lines)?;
    }
    if number == SENT_BACK_ON {
        let (sku, price) = goods(month).next().context("no product has a price")?;
        shop.sends_back(supplier, sku, [SENT_BACK, cost_of(price)])?;
    }
    match number % 6 {
        1 => shop.pays_out("pay_out", 1_500),
        2 => shop.adjusts("loss", first, -1),
        3 => shop.adjusts("damaged", first, -2),
        4 => shop.adjusts("found", first, 1),
        _ => Ok(()),
    }
}
