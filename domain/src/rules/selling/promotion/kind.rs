//! The discount of each kind of promotion for the lines that it applies to.

use crate::model::base::figures::{BasisPoints, Money, Quantity};
use crate::model::base::money::{product, share, spread};
use crate::model::selling::promotion::{Promotion, PromotionKind};
use crate::rules::selling::promotion::evaluate::Seen;
use std::cmp::Ordering;

/// One amount per line, in their order.
pub(super) fn amounts(promotion: &Promotion, lines: &[&mut Seen]) -> Vec<Money> {
    let value = promotion.value.max(0);
    match promotion.kind {
        PromotionKind::LinePercent => {
            lines.iter().map(|line| percent(line.left.into(), value.into())).collect()
        }
        PromotionKind::LineAmount => {
            lines.iter().map(|line| fits(product(value, line.qty)).min(line.left)).collect()
        }
        PromotionKind::BasketPercent => shared(percent(whole(lines), value.into()), lines),
        PromotionKind::BasketAmount => shared(fits(whole(lines)).min(value.into()), lines),
        PromotionKind::BuyXGetY => shared(cheapest(promotion, lines, value.into()), lines),
    }
}

/// Spreads an amount over all lines by their remaining amounts, so that a customer who returns the paid pieces does not
/// keep the free one.
fn shared(amount: Money, lines: &[&mut Seen]) -> Vec<Money> {
    let left: Vec<Money> = lines.iter().map(|line| line.left).collect();
    spread(amount, &left)
}

/// Sum of the remaining amounts of the lines.
fn whole(lines: &[&mut Seen]) -> i128 {
    lines.iter().fold(0_i128, |sum, line| sum.saturating_add(i128::from(line.left)))
}

/// A percentage of a remaining amount, at most all of it.
fn percent(left: i128, rate: BasisPoints) -> Money {
    fits(rate.min(BasisPoints::WHOLE).of(left))
}

fn fits(amount: i128) -> Money {
    Money::saturating_from(amount)
}

/// The percentage of the `⌊pieces / (buy + get)⌋ × get` cheapest pieces, by their remaining amounts.
fn cheapest(promotion: &Promotion, lines: &[&mut Seen], rate: BasisPoints) -> Money {
    let [buy, get] =
        [promotion.buy, promotion.get].map(|pieces| pieces.unwrap_or_default().max(Quantity::ZERO));
    let pieces: Quantity = lines.iter().map(|line| line.qty).sum();
    let groups = pieces.get().checked_div(buy.saturating_add(get).get()).unwrap_or(0);
    let mut reduced = get.saturating_mul(groups);
    let mut order: Vec<&Seen> = lines.iter().map(|line| &**line).collect();
    order.sort_by(|a, b| by_piece(a, b));
    let mut sum = 0_i128;
    for line in order {
        let part = line.qty.min(reduced);
        reduced = reduced.saturating_sub(part);
        sum = sum.saturating_add(share(line.left, part, line.qty.max(Quantity::new(1))));
    }
    percent(sum, rate)
}

/// Compares the remaining amounts per piece: left / qty, without dividing.
fn by_piece(a: &Seen, b: &Seen) -> Ordering {
    product(a.left, b.qty).cmp(&product(b.left, a.qty))
}
