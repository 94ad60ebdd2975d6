//! Order suggestions: the quantity of a product to order, by its daily sales, the days to cover and the quantity on
//! its way.

use crate::model::base::figures::Quantity;
use crate::model::base::limits::FIGURE_MAX;
use crate::model::base::money::{half_up, product};

/// Demand for a product in a store, with the terms by which it is bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Need {
    /// Pieces sold within the days that are looked at.
    pub sold: Quantity,
    /// Pieces of them that came back.
    pub returned: Quantity,
    /// The days on which the store sold anything.
    pub days_open: i64,
    /// Days from order to delivery.
    pub lead_days: i64,
    /// Days that are kept beyond it.
    pub safety_days: i64,
    /// Days until the next order.
    pub review_days: i64,
    /// Level at or below which the product should be ordered in any case. 0 if there is no such level.
    pub reorder_level: Quantity,
    /// Pieces on hand; negative if they are owed.
    pub on_hand: Quantity,
    /// Pieces on approved or sent orders that are not received yet.
    pub on_order: Quantity,
    /// Pieces of orders that are not approved yet.
    pub in_draft: Quantity,
    /// Pieces on their way from another store.
    pub in_transit_in: Quantity,
    /// The least that is sold.
    pub min_qty: Quantity,
    /// Number of pieces in a pack.
    pub pack_qty: Quantity,
}

/// Suggested order quantity with its reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Suggested {
    /// Rate of sale in thousandths of a piece per day.
    pub rate_milli: i64,
    /// Quantity at or below which the product is ordered.
    pub reorder_point: Quantity,
    /// Pieces on hand and on their way.
    pub available: Quantity,
    /// Level up to which it is ordered; `None` if nothing is ordered.
    pub order_up_to: Option<Quantity>,
    /// Suggested order quantity in pieces.
    pub qty: Quantity,
}

/// Suggests an order quantity.
pub fn suggest(need: &Need) -> Suggested {
    let sold = need.sold.saturating_sub(need.returned).max(Quantity::ZERO);
    let rate_milli = match need.days_open {
        1.. => bounded(half_up(product(1000, sold), i128::from(need.days_open))),
        _ => 0,
    };
    let lasting = pieces(rate_milli, need.lead_days.saturating_add(need.safety_days));
    let reorder_point = need.reorder_level.max(Quantity::ZERO).max(lasting);
    let coming = [need.on_order, need.in_draft, need.in_transit_in];
    let available = coming.into_iter().fold(need.on_hand, Quantity::saturating_add);
    let known = Suggested { rate_milli, reorder_point, available, ..Suggested::default() };
    if available > reorder_point || (reorder_point == 0 && available >= 0) {
        return known;
    }
    let order_up_to = reorder_point.saturating_add(pieces(rate_milli, need.review_days));
    let least = order_up_to.saturating_sub(available).max(need.min_qty);
    Suggested { order_up_to: Some(order_up_to), qty: in_packs(least, need.pack_qty), ..known }
}

/// Whether the stock is sold out within this many days.
pub fn runs_out_before(on_hand: Quantity, rate_milli: i64, days: i64) -> bool {
    pieces(rate_milli, days) > on_hand
}

/// ⌈rate × days⌉
fn pieces(rate_milli: i64, days: i64) -> Quantity {
    let milli = product(rate_milli, days.max(0));
    bounded(milli.saturating_add(999).checked_div(1000).unwrap_or(0)).into()
}

/// The least multiple of a pack that is not below `qty`.
fn in_packs(qty: Quantity, pack_qty: Quantity) -> Quantity {
    let rest = qty.checked_rem(pack_qty.max(Quantity::new(1))).unwrap_or_default();
    if rest == 0 { qty } else { qty.saturating_add(pack_qty.saturating_sub(rest)) }
}

fn bounded(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(FIGURE_MAX).min(FIGURE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors R1 to R3, and cases between them.
    #[test]
    fn the_need_until_the_next_order_is_ordered_in_packs() {
        let r1 = Need {
            sold: Quantity::new(140),
            days_open: 28,
            lead_days: 7,
            safety_days: 3,
            review_days: 7,
            reorder_level: Quantity::new(20),
            on_hand: Quantity::new(30),
            min_qty: Quantity::new(1),
            pack_qty: Quantity::new(12),
            ..Need::default()
        };
        let r3 = Need {
            sold: Quantity::new(0),
            reorder_level: Quantity::new(0),
            on_hand: Quantity::new(-2),
            min_qty: Quantity::new(24),
            ..r1
        };
        for (note, need, rate_milli, reorder_point, available, order_up_to, qty) in [
            ("R1: 5 a day: up to 85, in dozens", r1, 5000, 50, 30, Some(85), 60),
            (
                "R2: what is on order counts",
                Need { on_order: Quantity::new(60), ..r1 },
                5000,
                50,
                90,
                None,
                0,
            ),
            ("so does what is in a draft", Need { in_draft: Quantity::new(21), ..r1 }, 5000, 50, 51, None, 0),
            (
                "and what is on its way",
                Need { in_transit_in: Quantity::new(20), ..r1 },
                5000,
                50,
                50,
                Some(85),
                36,
            ),
            ("R3: the least quantity covers the debt", r3, 0, 0, -2, Some(0), 24),
            ("nothing is sold and nothing owed", Need { on_hand: Quantity::new(0), ..r3 }, 0, 0, 0, None, 0),
            (
                "more came back than was sold",
                Need { returned: Quantity::new(150), reorder_level: Quantity::new(0), ..r1 },
                0,
                0,
                30,
                None,
                0,
            ),
            (
                "a level without sales",
                Need { sold: Quantity::new(0), on_hand: Quantity::new(20), ..r1 },
                0,
                20,
                20,
                Some(20),
                12,
            ),
            (
                "the store was never open",
                Need { days_open: 0, on_hand: Quantity::new(25), ..r1 },
                0,
                20,
                25,
                None,
                0,
            ),
        ] {
            let expected = Suggested {
                rate_milli,
                reorder_point: Quantity::new(reorder_point),
                available: Quantity::new(available),
                order_up_to: order_up_to.map(Quantity::new),
                qty: Quantity::new(qty),
            };
            assert_eq!(suggest(&need), expected, "{note}");
        }
    }

    #[test]
    fn figures_beyond_all_bounds_stop_at_the_largest() {
        let need = Need {
            sold: Quantity::new(i64::MAX),
            days_open: 1,
            lead_days: i64::MAX,
            on_hand: Quantity::new(i64::MIN),
            on_order: Quantity::new(i64::MIN),
            pack_qty: Quantity::new(i64::MAX),
            ..Need::default()
        };
        assert_eq!(suggest(&need).rate_milli, FIGURE_MAX);
        assert!(runs_out_before(Quantity::new(4), 1000, 5) && !runs_out_before(Quantity::new(5), 1000, 5));
        assert_eq!(in_packs(Quantity::new(7), Quantity::ZERO), 7);
    }
}
