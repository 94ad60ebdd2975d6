//! Which promotion gives what to which line: the same for any order of promotions given.

use super::{Occasion, Promotion, kind};
use crate::ids::Sku;
use crate::money::product;

/// A line as promotions see it.
#[derive(Debug, Clone, Copy)]
pub struct PromoLine<'a> {
    /// The product.
    pub sku: &'a Sku,
    /// Its category.
    pub category: Option<&'a str>,
    /// Pieces.
    pub qty: i64,
    /// Unit price.
    pub price: i64,
}

/// What a promotion gave to a line: above 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Which.
    pub promotion_id: String,
    /// Its name.
    pub name: String,
    /// Whole currency units.
    pub amount: i64,
}

/// A line while promotions go over it.
pub(super) struct Seen {
    /// Pieces.
    pub(super) qty: i64,
    /// What is left of its price.
    pub(super) left: i64,
    given: Vec<Shared>,
    closed: bool,
}

/// What each line gets, in the order of giving. A line's sum is never above its price.
///
/// Line promotions come first, then those of the basket; within each by priority, then by id.
pub fn evaluate(lines: &[PromoLine<'_>], promotions: &[Promotion], on: &Occasion<'_>) -> Vec<Vec<Shared>> {
    let mut order: Vec<&Promotion> = promotions.iter().filter(|promotion| promotion.in_force(on)).collect();
    order.sort_by_key(|promotion| (promotion.kind.of_basket(), promotion.priority, &promotion.promotion_id));
    let mut seen: Vec<Seen> = lines
        .iter()
        .map(|line| {
            let gross = i64::try_from(product(line.qty, line.price)).unwrap_or(i64::MAX);
            Seen { qty: line.qty, left: gross, given: Vec::new(), closed: false }
        })
        .collect();
    for promotion in order {
        apply(promotion, lines, &mut seen);
    }
    seen.into_iter().map(|line| line.given).collect()
}

fn apply(promotion: &Promotion, lines: &[PromoLine<'_>], seen: &mut [Seen]) {
    let mut sees: Vec<&mut Seen> = lines
        .iter()
        .zip(seen)
        .filter(|(line, _)| promotion.matches(line.sku, line.category))
        .map(|(_, seen)| seen)
        .filter(|line| !line.closed && (promotion.stackable || line.given.is_empty()))
        .collect();
    let sum =
        |of: fn(&Seen) -> i64| sees.iter().fold(0_i128, |sum, line| sum.saturating_add(i128::from(of(line))));
    let (pieces, left) = (sum(|line| line.qty), sum(|line| line.left));
    let enough = promotion.min_qty.is_none_or(|least| pieces >= i128::from(least))
        && promotion.min_total.is_none_or(|least| left >= i128::from(least));
    if sees.is_empty() || !enough {
        return;
    }
    let amounts = kind::amounts(promotion, &sees);
    for (line, amount) in sees.iter_mut().zip(amounts) {
        let amount = amount.min(line.left);
        if amount > 0 {
            line.left = line.left.saturating_sub(amount);
            line.closed = !promotion.stackable;
            let (promotion_id, name) = (promotion.promotion_id.clone(), promotion.name.clone());
            line.given.push(Shared { promotion_id, name, amount });
        }
    }
}
