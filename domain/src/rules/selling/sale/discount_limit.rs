//! How much a cashier may take off by hand, as discounts or as prices below the catalogue's.

use crate::model::base::figures::{BasisPoints, Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::money::product;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::inventory::product::Product;
use crate::model::people::authorization::Authorization;
use crate::model::selling::transaction::{DiscountSource, Line, Transaction};
use crate::rules::selling::sale::NewItem;
use std::collections::BTreeMap;

/// Requires a manager for amounts taken off by hand above the shop's limit, whether as a discount or as a price.
pub(super) fn discount_policy(
    (items, on_the_whole): (&[NewItem], Money),
    found: &[&Product],
    before: Option<&Transaction>,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let lines = items.iter().zip(found);
    let (gross, cut) =
        below_list(lines.map(|(item, product)| (item.qty, item.price_of(product), product.price)));
    let given = items.iter().fold(cut.saturating_add(i128::from(on_the_whole)), |sum, item| {
        sum.saturating_add(i128::from(item.discount.unwrap_or(Money::ZERO)))
    });
    if !above_limit(given, gross, rules) {
        return Ok(());
    }
    let is_no_more = |before| {
        let (gross_before, given_before) = taken_off(before);
        given <= given_before
            && given.saturating_mul(gross_before) <= given_before.saturating_mul(gross)
            && is_of_same_goods(items, found, before)
    };
    if before.is_some_and(is_no_more) {
        return Ok(());
    }
    authorization.manager_for(|| {
        let most = share_of(gross, rules.policy.discount_limit_bp);
        let (action, path) = if cut == given {
            ("a price this far below the catalogue's", "price")
        } else {
            ("a discount of this size", "discount")
        };
        let given = Money::saturating_from(given);
        NeedsApproval::of(action).beyond(given, most, "pricing.discount_limit_bp").at(path)
    })
}

/// Whether a manager has approved the manual discounts of a basket.
pub fn discounted_above_limit(basket: &Transaction, rules: &Rules) -> bool {
    let (gross, given) = taken_off(basket);
    above_limit(given, gross, rules)
}

/// Whether a return leaves a larger share of a sale taken off by hand than a cashier may give, and than before: a discount
/// on one line may be small only beside lines that come back. `before` and `after` have the pieces of a line that are
/// not back.
pub(crate) fn return_raises_discount(
    sale: &Transaction,
    before: impl Fn(&Line) -> Quantity,
    after: impl Fn(&Line) -> Quantity,
    rules: &Rules,
) -> bool {
    let (gross_before, given_before) = left_of(sale, before);
    let (gross, given) = left_of(sale, after);
    let grows = given.saturating_mul(gross_before) > given_before.saturating_mul(gross);
    grows && above_limit(given, gross, rules) && !discounted_above_limit(sale, rules)
}

/// [`taken_off`] for the pieces that are left of each line.
fn left_of(sale: &Transaction, left: impl Fn(&Line) -> Quantity) -> (i128, i128) {
    sale.items.iter().fold((0, 0), |(gross, given): (i128, i128), line| {
        let (worth, cut) = below_list([(line.qty, line.price, line.list_price)].into_iter());
        let part = |of: i128| {
            of.saturating_mul(left(line).get().into()).checked_div(line.qty.get().into()).unwrap_or(0)
        };
        let off = cut.saturating_add(by_hand(line));
        (gross.saturating_add(part(worth)), given.saturating_add(part(off)))
    })
}

/// Value of a basket at the catalogue's prices, and the amount that was taken off by hand.
fn taken_off(basket: &Transaction) -> (i128, i128) {
    let (gross, cut) = below_list(basket.items.iter().map(|line| (line.qty, line.price, line.list_price)));
    (gross, basket.items.iter().fold(cut, |sum, line| sum.saturating_add(by_hand(line))))
}

/// Discounts on a line that are not a promotion's.
fn by_hand(line: &Line) -> i128 {
    let parts = line.discounts.iter().filter(|part| part.source != DiscountSource::Promotion);
    parts.fold(0, |sum, part| sum.saturating_add(i128::from(part.amount)))
}

/// Whether no product has more taken off by hand on its lines than in the basket before: an approval is for the goods
/// that the manager saw.
fn is_of_same_goods(items: &[NewItem], found: &[&Product], before: &Transaction) -> bool {
    let mut more: BTreeMap<&Sku, i128> = BTreeMap::new();
    for (item, product) in items.iter().zip(found) {
        let (_, cut) = below_list([(item.qty, item.price_of(product), product.price)].into_iter());
        let own = cut.saturating_add(i128::from(item.discount.unwrap_or(Money::ZERO)));
        let sum = more.entry(&item.sku).or_default();
        *sum = sum.saturating_add(own);
    }
    for line in &before.items {
        let (_, cut) = below_list([(line.qty, line.price, line.list_price)].into_iter());
        let manual = line.discounts.iter().filter(|part| part.source == DiscountSource::Manual);
        let own = manual.fold(cut, |sum, part| sum.saturating_add(i128::from(part.amount)));
        if let Some(sum) = more.get_mut(&line.sku) {
            *sum = sum.saturating_sub(own);
        }
    }
    more.values().all(|sum| *sum <= 0)
}

/// Value of lines at the catalogue's prices (at their own, if the catalogue has none), and the amount by which less is
/// asked. A price above the catalogue's makes no room for discounts.
fn below_list(lines: impl Iterator<Item = (Quantity, Money, Money)>) -> (i128, i128) {
    lines.fold((0, 0), |(gross, cut): (i128, i128), (qty, price, list)| {
        let list = if list == 0 { price } else { list };
        let (worth, asked) = (product(qty, list), product(qty, price.min(list)));
        (gross.saturating_add(worth), cut.saturating_add(worth.saturating_sub(asked)))
    })
}

/// So many basis points of a sum.
fn share_of(sum: i128, bp: BasisPoints) -> Money {
    let part = sum.saturating_mul(bp.into()).checked_div(BasisPoints::WHOLE.into()).unwrap_or(0);
    Money::saturating_from(part)
}

fn above_limit(given: i128, gross: i128, rules: &Rules) -> bool {
    let limit = i128::from(rules.policy.discount_limit_bp);
    limit > 0 && given.saturating_mul(BasisPoints::WHOLE.into()) > gross.saturating_mul(limit)
}
