//! Prices, the last begun first.

use crate::error::StorageError;
use crate::rows::Rows;
use crate::rows::table::Table;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::selling::price::{Price, PriceMoment};
use jiff::civil::Date;

type Read<T> = Result<T, StorageError>;

/// Prices that are read at once, the last first: mostly the first of them counts.
const PRICES_AT_ONCE: usize = 4;

/// The last price that has begun at some time, and when it is that one: as long as no price is put or taken away.
#[derive(Debug, PartialEq)]
pub struct LastBegun {
    /// The price; `None` if none has begun.
    pub price: Option<Price>,
    /// Period in which the price counts.
    pub counts: Counts,
}

/// When a price counts, by the moment and by the business date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// First moment of the period.
    from: UtcMs,
    /// The first one behind it.
    until: UtcMs,
    /// The first business date.
    first: Date,
    /// The first business date after it; `None` if there is none.
    behind: Option<Date>,
}

impl Default for Counts {
    /// A period without bounds.
    fn default() -> Self {
        Self { from: UtcMs(i64::MIN), until: UtcMs(i64::MAX), first: Date::MIN, behind: None }
    }
}

impl Counts {
    /// Whether it does then.
    pub fn at(&self, on: PriceMoment) -> bool {
        self.from <= on.at
            && on.at < self.until
            && self.first <= on.date
            && self.behind.is_none_or(|behind| on.date < behind)
    }

    /// From the beginning of this price on.
    fn since(self, price: &Price) -> Self {
        match price.price.from {
            Some(first) => Self { first, ..self },
            None => Self { from: price.effective_at, ..self },
        }
    }

    /// Until this price begins.
    fn before(self, price: &Price) -> Self {
        match price.price.from {
            Some(day) => Self { behind: Some(self.behind.map_or(day, |behind| behind.min(day))), ..self },
            None => Self { until: self.until.min(price.effective_at), ..self },
        }
    }
}

impl Default for LastBegun {
    /// There are no prices.
    fn default() -> Self {
        Self { price: None, counts: Counts::default() }
    }
}

impl Rows {
    /// The last price set for a product that has begun by then. It reads the coming prices and that one, however many
    /// there were before.
    pub fn last_begun_price(&self, sku: &Sku, on: PriceMoment) -> Read<LastBegun> {
        let from = Table::Price.pair(sku.as_str(), "");
        // Behind all of the product's: their order is ASCII.
        let mut before = [from.as_slice(), &[u8::MAX]].concat();
        let mut found = LastBegun::default();
        loop {
            let rows = self.range_back(&from, &before, PRICES_AT_ONCE)?;
            let Some((last, _)) = rows.last() else { return Ok(found) };
            before.clone_from(last);
            for (_, bytes) in &rows {
                let price = self.decoded::<Price>(bytes)?;
                if price.price.withdrawn_at.is_some() {
                    continue;
                }
                if price.has_begun(on) {
                    let counts = found.counts.since(&price);
                    return Ok(LastBegun { price: Some(price), counts });
                }
                found.counts = found.counts.before(&price);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::rows::RowOp;
    use crate::rows::mark::Mark;
    use domain::model::base::figures::Money;
    use domain::model::hub::sync::local::Change;
    use domain::model::selling::price::PriceDown;

    fn on(day: i64) -> PriceMoment {
        let date = jiff::civil::date(2020, 1, 1).saturating_add(jiff::Span::new().days(day));
        PriceMoment { at: UtcMs(day), date }
    }

    fn price(day: i64, id: &str) -> Price {
        let from = on(day).date;
        let price = PriceDown {
            price_id: id.to_owned(),
            sku: "A".into(),
            store_id: "".into(),
            price: Money::new(day),
            from: Some(from),
            set_at: UtcMs(1),
            withdrawn_at: None,
        };
        Price { price, effective_at: UtcMs(day) }
    }

    /// Past prices exist and can't be read: a read of one of them fails.
    #[test]
    fn past_prices_are_not_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        let mut ops = Vec::new();
        for day in 0..1_020 {
            crate::rows::apply::sync_rows::ops(
                &Change::Price { price: price(day, &format!("prc_{day}")) },
                &mut ops,
            )
            .unwrap();
        }
        for RowOp { value, .. } in ops.iter_mut().take(1_000) {
            *value = Some(vec![0xff; 3].into());
        }
        rows.apply(&mut ops, Mark::default()).unwrap();
        let at = |now: i64| {
            rows.last_begun_price(&"A".into(), on(now)).map(|found| found.price.map(|it| it.price.price))
        };
        for now in [1_003, 1_010, 1_019] {
            assert_eq!(at(now).unwrap(), Some(now.into()));
        }
        assert_eq!(at(5_000).unwrap(), Some(1_019.into()));
        assert!(at(500).is_err(), "the rows of long ago can't be read");
        let gone = Change::PriceGone { price: price(1_019, "prc_1019") };
        crate::rows::apply::sync_rows::ops(&gone, &mut ops).unwrap();
        rows.apply(&mut ops, Mark::default()).unwrap();
        assert_eq!(at(5_000).unwrap(), Some(1_018.into()));
        assert_eq!(rows.last_begun_price(&"B".into(), on(5_000)).unwrap(), LastBegun::default());
    }
}
