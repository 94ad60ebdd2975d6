//! Applies promotions to lines: the result does not depend on the order of the given promotions.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::money::product;
use crate::model::selling::promotion::{NotGiven, Occasion, Promotion};
use crate::rules::selling::promotion::kind;

/// A line as promotions see it.
#[derive(Debug, Clone, Copy)]
pub struct PromoLine<'a> {
    /// SKU of the product.
    pub sku: &'a Sku,
    pub category: Option<&'a str>,
    pub qty: Quantity,
    /// Unit price in minor currency units.
    pub price: Money,
}

/// Amount that a promotion gave to a line: above 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// ID of the promotion.
    pub promotion_id: String,
    /// Name of the promotion.
    pub name: String,
    /// Discount in minor currency units.
    pub amount: Money,
}

/// A line while promotions go over it.
pub(super) struct Seen {
    pub(super) qty: Quantity,
    /// Remaining amount of its price.
    pub(super) left: Money,
    given: Vec<Shared>,
    closed: bool,
}

/// Discounts of each line, in the order of giving. The sum of a line's discounts is never above its price.
///
/// Line promotions come first, then those of the basket; within each by priority, then by ID.
pub fn evaluate(lines: &[PromoLine<'_>], promotions: &[Promotion], on: &Occasion<'_>) -> Vec<Vec<Shared>> {
    let mut order: Vec<&Promotion> = promotions.iter().filter(|promotion| promotion.in_force(on)).collect();
    let mut seen = begun(lines);
    in_order(&mut order);
    for promotion in order {
        // The reason why one gives nothing is for the person who plans it, not for the till.
        let _ = apply(promotion, lines, &mut seen);
    }
    seen.into_iter().map(|line| line.given).collect()
}

/// Discounts of a basket by promotions, and the reasons why the others give none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Discounts of each line, as [`evaluate`] returns them.
    pub given: Vec<Vec<Shared>>,
    /// The IDs of the others, in the order in which they are looked at.
    pub not_given: Vec<(String, NotGiven)>,
}

/// As [`evaluate`], with the reason of each promotion that gives nothing.
pub fn explain(lines: &[PromoLine<'_>], promotions: &[Promotion], on: &Occasion<'_>) -> Explained {
    let mut order: Vec<&Promotion> = promotions.iter().collect();
    let mut seen = begun(lines);
    in_order(&mut order);
    let mut not_given = Vec::new();
    for promotion in order {
        let refused = promotion.not_in_force(on).map_or(Ok(()), Err);
        if let Err(why) = refused.and_then(|()| apply(promotion, lines, &mut seen)) {
            not_given.push((promotion.promotion_id.clone(), why));
        }
    }
    Explained { given: seen.into_iter().map(|line| line.given).collect(), not_given }
}

fn in_order(promotions: &mut [&Promotion]) {
    promotions
        .sort_by_key(|promotion| (promotion.kind.of_basket(), promotion.priority, &promotion.promotion_id));
}

fn begun(lines: &[PromoLine<'_>]) -> Vec<Seen> {
    let line = |line: &PromoLine<'_>| {
        let gross = Money::saturating_from(product(line.qty, line.price));
        Seen { qty: line.qty, left: gross, given: Vec::new(), closed: false }
    };
    lines.iter().map(line).collect()
}

fn apply(promotion: &Promotion, lines: &[PromoLine<'_>], seen: &mut [Seen]) -> Result<(), NotGiven> {
    let mut matched = false;
    let mut sees: Vec<&mut Seen> = lines
        .iter()
        .zip(seen)
        .filter(|(line, _)| promotion.matches(line.sku, line.category))
        .map(|(_, seen)| seen)
        .inspect(|_| matched = true)
        .filter(|line| !line.closed && (promotion.stackable || line.given.is_empty()))
        .collect();
    if sees.is_empty() {
        return Err(if matched { NotGiven::NotStackable } else { NotGiven::NoItem });
    }
    let sum = |of: fn(&Seen) -> i128| sees.iter().fold(0_i128, |sum, line| sum.saturating_add(of(line)));
    let (pieces, left) = (sum(|line| line.qty.into()), sum(|line| line.left.into()));
    if promotion.min_qty.is_some_and(|least| pieces < i128::from(least)) {
        return Err(NotGiven::MinQty);
    }
    if promotion.min_total.is_some_and(|least| left < i128::from(least)) {
        return Err(NotGiven::MinTotal);
    }
    let amounts = kind::amounts(promotion, &sees);
    let mut given = false;
    for (line, amount) in sees.iter_mut().zip(amounts) {
        let amount = amount.min(line.left);
        if amount > 0 {
            line.left = line.left.saturating_sub(amount);
            line.closed = !promotion.stackable;
            let (promotion_id, name) = (promotion.promotion_id.clone(), promotion.name.clone());
            line.given.push(Shared { promotion_id, name, amount });
            given = true;
        }
    }
    if given { Ok(()) } else { Err(NotGiven::Nothing) }
}
