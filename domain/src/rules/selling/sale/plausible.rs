//! Prices and cash that a user typed: prices set by hand, and figures that look like a bar code.

use crate::model::base::figures::Money;
use crate::model::base::ids::Sku;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::inventory::product::Product;
use crate::model::people::authorization::Authorization;
use crate::model::selling::payment::CASH;
use crate::model::selling::transaction::{Line, Transaction};
use crate::rules::selling::payment::NewPayment;
use crate::rules::selling::sale::NewItem;

/// A price or an amount of cash needs confirmation above this multiple of its expected amount, and of the largest note.
const PLAUSIBLE_TIMES: i64 = 100;

/// Large prices that a user types are multiples of this amount.
const ROUND: Money = Money::new(1_000);

/// The largest note if the shop names none.
const LARGEST_NOTE: Money = Money::new(100_000);

/// The lines with a price that was set by hand since `before`.
pub fn prices_by_hand<'a>(before: Option<&Transaction>, after: &'a Transaction) -> Vec<&'a Line> {
    let is_new = |line: &&Line| line.price_override && !is_set_before(before, &line.sku, line.price);
    after.items.iter().filter(is_new).collect()
}

/// Whether the basket already has a product at this price by hand: no second approval is needed.
pub(super) fn is_set_before(before: Option<&Transaction>, sku: &Sku, price: Money) -> bool {
    let mut lines = before.into_iter().flat_map(|basket| &basket.items);
    lines.any(|line| line.price_override && line.sku == *sku && line.price == price)
}

/// The largest price or cash amount that needs no confirmation: above it, and above a multiple of the expected amount,
/// it is a bar code, or has digits too many.
fn plausible(of: Money, rules: &Rules) -> Money {
    let note = rules.policy.denominations.iter().copied().max().unwrap_or(LARGEST_NOTE);
    of.saturating_mul(PLAUSIBLE_TIMES).max(note.saturating_mul(PLAUSIBLE_TIMES))
}

/// Cash that no customer hands over.
///
/// # Errors
/// `validation_failed`.
pub(super) fn plausible_cash(due: Money, offers: &[NewPayment], rules: &Rules) -> Result<(), Refusal> {
    let most = plausible(due, rules);
    for (place, offer) in offers.iter().enumerate() {
        if let Some(tendered) = offer.tendered.filter(|tendered| offer.method == CASH && *tendered > most) {
            let problem = format!(
                "is {tendered}, but {due} is due; at most {most} is accepted. It looks like a barcode, or has \
                 extra digits"
            );
            return Err(Refusal::field(format!("payments[{place}].tendered"), problem));
        }
    }
    Ok(())
}

/// A price far above the catalogue's that is not a round figure may be a scanned bar code. It needs a manager, even if
/// the store lets cashiers set prices.
pub(super) fn plausible_prices(
    items: &[NewItem],
    found: &[&Product],
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    for (place, (item, product)) in items.iter().zip(found).enumerate() {
        let most = plausible(product.price, rules);
        // An intended price of that size is a round one.
        if let Some(price) =
            item.price.filter(|price| *price > most && price.checked_rem(ROUND) != Some(Money::ZERO))
        {
            authorization.manager_for(|| NeedsApproval {
                value: Some(price.get()),
                limit: Some(most.get()),
                ..NeedsApproval::of("a price this far above the catalogue's")
                    .at(format!("items[{place}].price"))
            })?;
        }
    }
    Ok(())
}
