//! Selects the price of a product: the same rule at head office and in every store, with or without a connection.
//!
//! A store's own price takes precedence over prices for all stores, which are the prices without a store and the
//! product's own price. Among those that have begun, the one that began last counts. No price begins before it was
//! entered, and withdrawn prices don't count.

use crate::model::base::business_date::business_date;
use crate::model::base::figures::Money;
use crate::model::base::ids::{Sku, StoreId};
use crate::model::base::time::UtcMs;
use crate::model::inventory::product::Product;
use crate::model::selling::price::{Price, PriceDown, PriceMoment};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

impl Price {
    /// A price in a store, received there at `now`. `begins` returns when a business day begins there. A price without
    /// a first day has begun, even if the store's clock is behind head office's. `None` if its day does not exist
    /// there.
    pub fn here(price: PriceDown, begins: impl FnOnce(Date) -> Option<UtcMs>, now: UtcMs) -> Option<Self> {
        let effective_at = match price.from {
            None => price.set_at.min(now),
            Some(day) => begins(day)?,
        };
        Some(Self { price, effective_at })
    }
}

/// When a business day begins in a time zone. `None` if the day does not exist there.
pub fn day_begins(day: Date, zone: &TimeZone, day_start: Time) -> Option<UtcMs> {
    let begins = day.to_datetime(day_start).to_zoned(zone.clone()).ok()?;
    Some(UtcMs(begins.timestamp().as_millisecond()))
}

/// Text by which the prices of a product sort, the one that counts last: a store's own behind those for all, then
/// by when it began.
pub fn order(price: &Price) -> String {
    let own = u8::from(price.is_the_stores_own());
    let (since, set_at) = (price.since().0.max(0), price.price.set_at.0.max(0));
    format!("{own} {since:020} {set_at:020} {}", price.price.price_id)
}

/// The last price that has begun then, of prices in the reverse of their [`order`].
pub fn last_begun(mut last_first: impl Iterator<Item = Price>, on: PriceMoment) -> Option<Price> {
    last_first.find(|price| price.has_begun(on) && price.price.withdrawn_at.is_none())
}

/// Moment of a price that no basket is priced by: the business date of that moment.
pub fn moment(at: UtcMs, zone: &TimeZone, day_start: Time) -> PriceMoment {
    PriceMoment { at, date: business_date(at, zone, day_start) }
}

/// Price that counts, of the product's own and the last one that has begun. `None` if it is the product's own.
pub fn counting(product: &Product, last_begun: Option<Price>) -> Option<Price> {
    last_begun.filter(|price| price.is_the_stores_own() || price.since() >= product.price_set_at)
}

/// The product at the price that counts.
pub fn priced(product: Product, last_begun: Option<Price>) -> Product {
    let price = counting(&product, last_begun).map_or(product.price, |price| price.price.price);
    Product { price, ..product }
}

/// Source of a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PriceSource {
    /// Price of the product itself.
    Product,
    /// Price set for all stores.
    AllStores,
    /// Price set for this store.
    Store,
}

/// The price that applies, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EffectivePrice {
    /// SKU of the product.
    pub sku: Sku,
    /// Store that the price is for.
    pub store_id: StoreId,
    /// Point in time that the price is for.
    pub at: UtcMs,
    /// Unit price in minor currency units.
    pub price: Money,
    /// Source of the price.
    pub source: PriceSource,
    /// The price that was set for the product. Null if the product's own price applies.
    pub price_row: Option<PriceDown>,
    /// When the price began to apply.
    pub since: UtcMs,
    /// Explanation, in a sentence, why this price applies.
    pub why: String,
}

/// The price of a product that counts in a store at `at`, and why; `last_begun` is the last one that has begun.
pub fn effective(
    product: &Product,
    store_id: &StoreId,
    last_begun: Option<Price>,
    at: UtcMs,
) -> EffectivePrice {
    let overtaken = last_begun.is_some();
    let (price, source, since, why, price_row) = match counting(product, last_begun) {
        Some(row) if row.is_the_stores_own() => {
            let why = "it was set for this store; a store's own price takes precedence over prices for all stores and the product's own price";
            (row.price.price, PriceSource::Store, row.since(), why, Some(row.price))
        }
        Some(row) => {
            let why = "it began last among the prices for all stores and the product's own price";
            (row.price.price, PriceSource::AllStores, row.since(), why, Some(row.price))
        }
        None => {
            let why = match overtaken {
                true => "the product's own price was set after the last price for all stores began",
                false => "no price that was set for the product has started in this store",
            };
            (product.price, PriceSource::Product, product.price_set_at, why, None)
        }
    };
    let (sku, store_id, why) = (product.sku.clone(), store_id.clone(), why.to_owned());
    EffectivePrice { sku, store_id, at, price, source, price_row, since, why }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn day(number: i64) -> Date {
        jiff::civil::date(1970, 1, 1).saturating_add(jiff::Span::new().days(number))
    }

    /// A price that begins and was set then; day 0: no day, at once.
    fn price(begins: i64, store: &str, amount: i64, set_at: i64) -> Price {
        let from = (begins > 0).then(|| day(begins));
        let price = PriceDown {
            price_id: format!("prc_{amount}"),
            sku: "A".into(),
            store_id: store.into(),
            price: Money::new(amount),
            from,
            set_at: UtcMs(set_at),
            withdrawn_at: None,
        };
        Price::here(price, |_| Some(UtcMs(begins)), UtcMs(i64::MAX)).unwrap()
    }

    /// Price and source that count at `now` for a product that costs 1 since `product_set_at`.
    fn at(prices: &[Price], product_set_at: i64, now: i64) -> (i64, PriceSource) {
        let mut prices = prices.to_vec();
        prices.sort_by_key(|price| std::cmp::Reverse(order(price)));
        let product = Product::new("A".into(), "A".to_owned(), Money::new(1), UtcMs(product_set_at));
        let last = last_begun(prices.into_iter(), PriceMoment { at: UtcMs(now), date: day(now) });
        let found = effective(&product, &"S001".into(), last.clone(), UtcMs(now));
        assert_eq!(priced(product, last).price, found.price);
        (found.price.get(), found.source)
    }

    #[test]
    fn a_price_counts_from_its_moment_until_one_that_begins_later() {
        let prices = [price(300, "", 30, 5), price(100, "", 10, 9), price(200, "", 20, 3)];
        let seen: Vec<_> = [99, 100, 199, 200, 299, 300, 9_999].map(|now| at(&prices, 0, now).0).into();
        assert_eq!(seen, [1, 10, 10, 20, 20, 30, 30]);
    }

    #[test]
    fn a_price_starts_when_it_was_set_and_of_two_the_later_one_counts() {
        // Set on day 350 for a day that was over: it counts from 350 on.
        let prices = [price(300, "", 30, 5), price(200, "", 20, 350)];
        assert_eq!((at(&prices, 0, 340).0, at(&prices, 0, 400).0), (20, 20), "as known now");
        let prices = [price(300, "", 30, 5), price(0, "", 20, 250)];
        assert_eq!((at(&prices, 0, 260).0, at(&prices, 0, 400).0), (20, 30));
        let same = [price(100, "", 5, 2), price(100, "", 7, 3), price(100, "", 6, 1)];
        assert_eq!(at(&same, 0, 100).0, 7);
    }

    #[test]
    fn the_products_own_price_is_one_for_all_stores() {
        let prices = [price(300, "", 30, 5), price(0, "", 20, 100)];
        assert_eq!(at(&prices, 50, 200), (20, PriceSource::AllStores));
        assert_eq!(at(&prices, 150, 200), (1, PriceSource::Product), "said later");
        assert_eq!(at(&prices, 150, 300), (30, PriceSource::AllStores), "began later");
    }

    #[test]
    fn the_stores_own_price_beats_all_others() {
        let prices = [price(300, "", 30, 5), price(0, "S001", 11, 10)];
        assert_eq!(at(&prices, 900, 999), (11, PriceSource::Store));
        let withdrawn = prices.map(|mut price| {
            price.price.withdrawn_at = (!price.price.store_id.as_str().is_empty()).then_some(UtcMs(20));
            price
        });
        assert_eq!(at(&withdrawn, 0, 999), (30, PriceSource::AllStores));
        assert_eq!(at(&withdrawn, 900, 999), (1, PriceSource::Product));
    }

    /// 5,000 up to the 28th, 4,000 from the 29th: a shift of the 28th sells at the price of the 28th, even after
    /// midnight.
    #[test]
    fn a_price_of_a_day_counts_by_the_business_date_and_one_at_once_by_the_moment() {
        let zone = TimeZone::get("Asia/Jakarta").unwrap();
        let start = jiff::civil::time(4, 0, 0, 0);
        let on = |date: Date, hour: i8, minute: i8| {
            let at = date.at(hour, minute, 0, 0).to_zoned(zone.clone()).unwrap().timestamp();
            UtcMs(at.as_millisecond())
        };
        let (old, new) = (jiff::civil::date(2026, 11, 28), jiff::civil::date(2026, 11, 29));
        let down = |amount: Money, from: Option<Date>, set_at: UtcMs| PriceDown {
            price_id: format!("prc_{amount}"),
            sku: "A".into(),
            store_id: "".into(),
            price: amount,
            from,
            set_at,
            withdrawn_at: None,
        };
        let here = |down: PriceDown| {
            Price::here(down, |day| day_begins(day, &zone, start), UtcMs(i64::MAX)).unwrap()
        };
        let mut prices = vec![
            here(down(Money::new(5_000), Some(old), UtcMs(1))),
            here(down(Money::new(4_000), Some(new), UtcMs(2))),
        ];
        let counts = |prices: &[Price], on: PriceMoment| {
            let mut prices = prices.to_vec();
            prices.sort_by_key(|price| std::cmp::Reverse(order(price)));
            last_begun(prices.into_iter(), on).unwrap().price.price
        };
        for (date, at, expected) in [
            (old, on(old, 23, 55), 5_000),
            (old, on(new, 0, 5), 5_000),
            (old, on(new, 4, 30), 5_000),
            (new, on(new, 4, 30), 4_000),
            // A clock that was set back.
            (new, on(new, 3, 59), 4_000),
        ] {
            assert_eq!(counts(&prices, PriceMoment { at, date }), expected, "{date} {at}");
        }
        assert_eq!(counts(&prices, moment(on(new, 3, 59), &zone, start)), 5_000, "the day begins at four");
        assert_eq!(counts(&prices, moment(on(new, 4, 0), &zone, start)), 4_000);
        prices.push(here(down(Money::new(4_500), None, on(new, 0, 10))));
        assert_eq!(counts(&prices, PriceMoment { at: on(new, 0, 9), date: old }), 5_000);
        assert_eq!(counts(&prices, PriceMoment { at: on(new, 0, 10), date: old }), 4_500, "said for at once");
    }

    #[test]
    fn one_without_a_day_has_begun_where_the_clock_is_behind() {
        let set = price(0, "", 20, 500).price;
        let here = Price::here(set, |_| None, UtcMs(400)).unwrap();
        assert_eq!((here.effective_at, here.since()), (UtcMs(400), UtcMs(500)));
    }
}
