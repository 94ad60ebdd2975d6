//! Prices that begin on a day.

use crate::model::base::figures::Money;
use crate::model::base::ids::{Sku, StoreId};
use crate::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A price, and the moment from which on it counts in this store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// As head office set it.
    pub price: PriceDown,
    /// When the price begins to count in this store.
    pub effective_at: UtcMs,
}

/// Moment for which a price is asked. A price from a day counts by the business date, as promotions do; one that was
/// set at once counts by the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceMoment {
    pub at: UtcMs,
    /// Business date: of a basket its shift's, whatever the clock shows.
    pub date: Date,
}

impl Price {
    /// Whether it has begun.
    pub fn has_begun(&self, on: PriceMoment) -> bool {
        match self.price.from {
            Some(day) => day <= on.date,
            None => self.effective_at <= on.at,
        }
    }

    /// Time from which it takes precedence over other prices.
    pub fn since(&self) -> UtcMs {
        self.effective_at.max(self.price.set_at)
    }

    pub(crate) fn is_the_stores_own(&self) -> bool {
        !self.price.store_id.as_str().is_empty()
    }
}

/// Kind `price` of the feed: a price of a product that applies at once or from a business day. If several prices have
/// begun, a store's own price takes precedence over a price for all stores; among prices of the same kind, the one that
/// began last applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PriceDown {
    /// ID of the price.
    pub price_id: String,
    /// SKU of the product.
    pub sku: Sku,
    /// Store of the price. Empty for all stores. A store's own price takes precedence over a price for all stores.
    pub store_id: StoreId,
    /// Unit price in minor currency units.
    pub price: Money,
    /// First business day of the price. Null if the price applies from the time at which it was set.
    pub from: Option<Date>,
    /// When head office set the price. It does not apply earlier.
    pub set_at: UtcMs,
    /// When head office withdrew the price. A withdrawn price no longer applies. Null if it was not withdrawn.
    pub withdrawn_at: Option<UtcMs>,
}
