//! Payments with points: some customers get points before the month, and spend them on their first sales.

use super::{Sale, Step};
use std::collections::{BTreeMap, BTreeSet};

/// One in this many customers.
const EVERY: usize = 4;
/// A customer's sales that are paid with points in part. All of them together stay below what a store lets a
/// member redeem while the hub is away (`points.offline_limit`): the hub may be away for any of them.
const SALES_MAX: usize = 3;
/// Points for each of them; a sale of less than twice as much takes half of its total.
const POINTS: i64 = 300;

/// Marks the sales that are partly paid with points. No sale depends on points earned by another one: the order in
/// which tills sell is not known.
pub fn spend(steps: &mut [Step]) {
    let names = |step: &Step| match step {
        Step::Sale(sale) => sale.customer.clone(),
        Step::Back(_) => None,
    };
    let customers: BTreeSet<String> = steps.iter().filter_map(names).collect();
    let mut left: BTreeMap<String, usize> =
        customers.into_iter().step_by(EVERY).map(|customer| (customer, SALES_MAX)).collect();
    for step in steps {
        let Step::Sale(sale) = step else { continue };
        let Some(left) = sale.customer.as_ref().and_then(|customer| left.get_mut(customer)) else { continue };
        if *left > 0 {
            *left -= 1;
            sale.points = POINTS;
        }
    }
}

/// Points that each customer needs before the month.
pub fn given(steps: &[Step]) -> BTreeMap<String, i64> {
    let mut given = BTreeMap::new();
    for step in steps {
        if let Step::Sale(Sale { customer: Some(customer), points, .. }) = step
            && *points > 0
        {
            *given.entry(customer.clone()).or_default() += points;
        }
    }
    given
}
