//! Prices of head office with their first day: which one a product has now, with or without a hub.

use crate::product::Product;
use crate::sync::PriceDown;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A price, and the moment from which on it counts in this store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// As head office set it.
    pub price: PriceDown,
    /// When its first day begins here.
    pub effective_at: UtcMs,
}

/// Text by which the prices of a product sort, the one that counts last: a store's own beats one for all, then the
/// later day, then what was said later.
pub fn order(price: &PriceDown) -> String {
    let PriceDown { store_id, from, set_at, price_id, .. } = price;
    let own = u8::from(!store_id.as_str().is_empty());
    format!("{own} {from} {:020} {price_id}", set_at.0.max(0))
}

/// The price that counts at `now`, of prices in the reverse of their [`order`]; none: the product's own does.
pub fn in_force(mut last_first: impl Iterator<Item = Price>, now: UtcMs) -> Option<Price> {
    last_first.find(|price| price.effective_at <= now)
}

/// The product at the price that is in force.
pub fn priced(product: Product, in_force: Option<&Price>) -> Product {
    let price = in_force.map_or(product.price, |price| price.price.price);
    Product { price, ..product }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    /// A price by its first day in January, store, amount and when it was set.
    fn price(day: i8, store: &str, amount: i64, set_at: i64) -> Price {
        let from = jiff::civil::date(2026, 1, day);
        let price = PriceDown {
            price_id: format!("prc_{amount}"),
            sku: "A".into(),
            store_id: store.into(),
            price: amount,
            from,
            set_at: UtcMs(set_at),
        };
        Price { price, effective_at: UtcMs(i64::from(day).saturating_mul(100)) }
    }

    fn at(prices: &[Price], now: i64) -> Option<i64> {
        let mut prices = prices.to_vec();
        prices.sort_by_key(|price| std::cmp::Reverse(order(&price.price)));
        in_force(prices.into_iter(), UtcMs(now)).map(|price| price.price.price)
    }

    #[test]
    fn a_price_counts_from_its_moment_until_a_later_day_says_otherwise() {
        let prices = [price(3, "", 30, 0), price(1, "", 10, 9), price(2, "", 20, 0)];
        let seen: Vec<_> = [99, 100, 199, 200, 299, 300, 9_999].map(|now| at(&prices, now)).into();
        assert_eq!(seen, [None, Some(10), Some(10), Some(20), Some(20), Some(30), Some(30)]);
    }

    #[test]
    fn the_stores_own_price_beats_one_for_all_and_the_later_word_an_earlier_one() {
        let prices = [price(3, "", 30, 5), price(1, "S001", 11, 0), price(2, "S001", 12, 1)];
        assert_eq!((at(&prices, 150), at(&prices, 900)), (Some(11), Some(12)));
        let same_day = [price(1, "", 5, 2), price(1, "", 7, 3), price(1, "", 6, 1)];
        assert_eq!(at(&same_day, 100), Some(7));
    }
}
