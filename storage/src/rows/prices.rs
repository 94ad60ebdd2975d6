//! Prices, the last begun first.

use crate::error::StorageError;
use crate::rows::Rows;
use crate::rows::table::Table;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::selling::price::Price;
use domain::rules::selling::price;

type Read<T> = Result<T, StorageError>;

/// Prices that are read at once, the last first: mostly the first of them counts.
const PRICES_AT_ONCE: usize = 4;

/// The last price that has begun at some time, and from when until when it is that one: as long as no price is put or
/// taken away.
#[derive(Debug, PartialEq)]
pub struct LastBegun {
    /// The price; none: none has begun.
    pub price: Option<Price>,
    /// The first moment.
    pub from: UtcMs,
    /// The first one behind it.
    pub until: UtcMs,
}

impl Default for LastBegun {
    /// There are no prices.
    fn default() -> Self {
        Self { price: None, from: UtcMs(i64::MIN), until: UtcMs(i64::MAX) }
    }
}

impl Rows {
    /// The last price set for a product that has begun at `now`. What it reads are the coming prices and that one,
    /// however many there were before.
    pub fn last_begun_price(&self, sku: &Sku, now: UtcMs) -> Read<LastBegun> {
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
                let (begins, comes) = (price.effective_at, price.price.withdrawn_at.is_none());
                if let Some(price) = price::last_begun(std::iter::once(price), now) {
                    return Ok(LastBegun { price: Some(price), from: begins, ..found });
                }
                if comes {
                    found.until = found.until.min(begins);
                }
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
    use domain::model::hub::sync::local::Change;
    use domain::model::selling::price::PriceDown;

    fn price(day: i64, id: &str) -> Price {
        let from = jiff::civil::date(2020, 1, 1).saturating_add(jiff::Span::new().days(day));
        let price = PriceDown {
            price_id: id.to_owned(),
            sku: "A".into(),
            store_id: "".into(),
            price: day,
            from: Some(from),
            set_at: UtcMs(1),
            withdrawn_at: None,
        };
        Price { price, effective_at: UtcMs(day) }
    }

    /// Past prices are there and can't be read: whoever looks at one of them fails.
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
            rows.last_begun_price(&"A".into(), UtcMs(now)).map(|found| found.price.map(|it| it.price.price))
        };
        for now in [1_003, 1_010, 1_019] {
            assert_eq!(at(now).unwrap(), Some(now));
        }
        assert_eq!(at(5_000).unwrap(), Some(1_019));
        assert!(at(500).is_err(), "the rows of long ago can't be read");
        let gone = Change::PriceGone { price: price(1_019, "prc_1019") };
        crate::rows::apply::sync_rows::ops(&gone, &mut ops).unwrap();
        rows.apply(&mut ops, Mark::default()).unwrap();
        assert_eq!(at(5_000).unwrap(), Some(1_018));
        assert_eq!(rows.last_begun_price(&"B".into(), UtcMs(5_000)).unwrap(), LastBegun::default());
    }
}
