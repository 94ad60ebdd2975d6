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

impl Price {
    /// A store's own price beats one for all; then the later day, then what was said later.
    fn rank(&self) -> impl Ord {
        let PriceDown { store_id, from, set_at, price_id, .. } = &self.price;
        (!store_id.as_str().is_empty(), *from, *set_at, price_id.clone())
    }
}

/// The price that counts at `now`; none: the product's own does.
pub fn in_force(prices: &[Price], now: UtcMs) -> Option<&Price> {
    prices.iter().filter(|price| price.effective_at <= now).max_by_key(|price| price.rank())
}

/// The product at the price that it has at `now`.
pub fn priced(product: Product, prices: &[Price], now: UtcMs) -> Product {
    let price = in_force(prices, now).map_or(product.price, |price| price.price.price);
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
        in_force(prices, UtcMs(now)).map(|price| price.price.price)
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
