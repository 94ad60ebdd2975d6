//! Walks the store's movements of each product again with a computation of its own: the cost of goods when they left,
//! and their return at the same cost.

use crate::rest::{Api, figure, text};
use crate::trade::books::Delivery;
use crate::trade::plan::{Back, Step};
use crate::trade::stock_value::{Coming, StockValue};
use crate::trade::till::Seen;
use anyhow::Context;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Products that are walked: the store reads each movement from its journal, about a thousand a second in a dev build.
const WALKED_MAX: usize = 50;

/// Result of the walk.
#[derive(Debug, Default)]
pub struct Costs {
    /// Value of the goods on hand, by sku; a product that was never delivered has no cost.
    pub value: BTreeMap<String, i64>,
    /// Delivered, and not walked.
    pub left_out: BTreeSet<String>,
    /// Movements with another cost, correction or balance than they have to have.
    pub amiss: Vec<String>,
}

/// Walks the movements of delivered products, those with returned pieces first.
pub async fn walk<'a>(
    manager: &Api,
    steps: &[Step],
    deliveries: &[Delivery],
    tills: impl IntoIterator<Item = &'a Seen>,
) -> anyhow::Result<Costs> {
    let places: HashMap<&str, usize> = steps.iter().enumerate().map(|(at, step)| (step.name(), at)).collect();
    let made = tills.into_iter().flat_map(|seen| &seen.made);
    let made_by: BTreeMap<String, usize> =
        made.filter_map(|(id, name)| Some((id.clone(), *places.get(name.as_str())?))).collect();
    let mut costs = Costs::default();
    let backs = steps.iter().filter_map(|step| if let Step::Back(back) = step { Some(back) } else { None });
    let back: BTreeSet<&str> =
        backs.flat_map(|back| &back.lines).map(|part| part.line.sku.as_str()).collect();
    let delivered: BTreeSet<&String> =
        deliveries.iter().flat_map(|delivery| delivery.unit_costs.keys()).collect();
    let mut skus: Vec<&String> = delivered.into_iter().collect();
    skus.sort_by_key(|sku| !back.contains(sku.as_str()));
    let left_out = skus.split_off(skus.len().min(WALKED_MAX));
    costs.left_out = left_out.into_iter().cloned().collect();
    for sku in skus {
        // A product code may hold a slash or a space.
        let path: String = sku.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let mut movements =
            manager.list(&format!("/api/stock/{path}/movements")).await.context("movements")?;
        movements.reverse();
        let (value, amiss) = Walk::new(sku, steps, &made_by, deliveries).go(&movements)?;
        costs.value.insert(sku.clone(), value);
        costs.amiss.extend(amiss);
    }
    Ok(costs)
}

/// A sold line that may come back.
struct Sold {
    qty: i64,
    cost: i64,
    back: i64,
}

/// Data for the movements of one product.
struct Walk<'a> {
    sku: &'a str,
    steps: &'a [Step],
    /// The step that made a document.
    made_by: &'a BTreeMap<String, usize>,
    deliveries: &'a [Delivery],
    stock: StockValue,
    /// By step and line.
    sold: HashMap<(usize, usize), Sold>,
}

impl<'a> Walk<'a> {
    fn new(
        sku: &'a str,
        steps: &'a [Step],
        made_by: &'a BTreeMap<String, usize>,
        deliveries: &'a [Delivery],
    ) -> Self {
        Self { sku, steps, made_by, deliveries, stock: StockValue::default(), sold: HashMap::new() }
    }

    /// Walks the movements, oldest first; returns the final value, and the problems.
    fn go(mut self, movements: &[Value]) -> anyhow::Result<(i64, Vec<String>)> {
        let mut amiss = Vec::new();
        for movement in movements {
            let (qty, id) = (figure(movement, "/qty")?, text(movement, "reference_id")?);
            let line_no = usize::try_from(figure(movement, "/line_no")?)?;
            let Some((cost, correction)) = self.moved(&id, line_no, qty) else {
                amiss.push(format!("{}: {id} moved {qty}", self.sku));
                continue;
            };
            let found = ["/cost", "/correction", "/balance_after"].map(|at| figure(movement, at));
            let [found_cost, found_correction, balance] = found;
            let (reported, own) =
                ((found_cost?, found_correction?, balance?), (cost, correction, self.stock.qty));
            if reported != own {
                amiss.push(format!("{}: {id} moved {qty}: {own:?} / {reported:?}", self.sku));
            }
        }
        Ok((self.stock.value, amiss))
    }

    /// Cost and correction of the movement of a document's line; `None` if it has no such movement.
    fn moved(&mut self, id: &str, line_no: usize, qty: i64) -> Option<(i64, i64)> {
        if let Some(delivery) = self.deliveries.iter().find(|delivery| delivery.receiving_id == id) {
            let unit_cost = delivery.unit_costs.get(self.sku)?;
            return (qty == delivery.qty).then(|| self.stock.come(qty, Coming::Bought(unit_cost * qty)));
        }
        let place = *self.made_by.get(id)?;
        match self.steps.get(place)? {
            Step::Sale(sale) => {
                let line = sale.lines.get(line_no.checked_sub(1)?)?;
                let fits = line.sku == self.sku && line.qty == -qty;
                let cost = fits.then(|| self.stock.leave(line.qty))?;
                self.sold.insert((place, line_no), Sold { qty: line.qty, cost, back: 0 });
                Some((-cost, 0))
            }
            Step::Back(back) => self.came_back(back, line_no, qty),
        }
    }

    fn came_back(&mut self, back: &Back, line_no: usize, qty: i64) -> Option<(i64, i64)> {
        let part = back.lines.get(line_no.checked_sub(1)?)?;
        if part.line.sku != self.sku || part.line.qty != qty {
            return None;
        }
        let Some((sale, sold_line)) = back.sale.zip(part.sold_line) else {
            return Some(self.stock.come(qty, Coming::Unpriced));
        };
        let sold = self.sold.get_mut(&(sale, sold_line))?;
        let so_far = |pieces: i64| i128::from(sold.cost) * i128::from(pieces) / i128::from(sold.qty);
        let cost = (so_far(sold.back + qty) - so_far(sold.back)) as i64;
        sold.back += qty;
        Some(self.stock.come(qty, Coming::Back(cost)))
    }
}
