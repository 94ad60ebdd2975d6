//! Promotions (docs/arithmetic.md#promotions): head office's discounts, evaluated the same way everywhere.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{Sku, StoreId};
use jiff::civil::{Date, Weekday};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Effect of a promotion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromotionKind {
    /// `value` basis points off the remaining amount of each line.
    LinePercent,
    /// `value` minor currency units off each piece.
    LineAmount,
    /// Of each `buy + get` pieces, the `get` cheapest are reduced by `value` basis points.
    BuyXGetY,
    /// `value` basis points off the remaining amount of all its lines.
    BasketPercent,
    /// `value` minor currency units off the remaining amount of all its lines.
    BasketAmount,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Day {
    #[serde(alias = "monday")]
    Mon,
    #[serde(alias = "tuesday")]
    Tue,
    #[serde(alias = "wednesday")]
    Wed,
    #[serde(alias = "thursday")]
    Thu,
    #[serde(alias = "friday")]
    Fri,
    #[serde(alias = "saturday")]
    Sat,
    #[serde(alias = "sunday")]
    Sun,
}

/// A promotion of head office.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Promotion {
    /// ID of the promotion. Promotions of equal priority are applied in order of their IDs.
    pub promotion_id: String,
    /// Name of the promotion on receipts.
    #[serde(default)]
    pub name: String,
    /// Kind of promotion.
    #[serde(rename = "type")]
    pub kind: PromotionKind,
    /// Value of the promotion: basis points or minor currency units, depending on `kind`.
    #[serde(default)]
    pub value: i64,
    /// Products that the promotion is limited to. Null for all products.
    #[serde(default)]
    pub skus: Option<Vec<Sku>>,
    /// Category that the promotion is limited to. Null for all categories.
    #[serde(default)]
    pub category: Option<String>,
    /// Minimum number of pieces in the lines that the promotion applies to. Null for no minimum.
    #[serde(default)]
    pub min_qty: Option<Quantity>,
    /// Minimum remaining amount of the lines that the promotion applies to, in minor currency units. Null for no
    /// minimum.
    #[serde(default)]
    pub min_total: Option<Money>,
    /// Number of pieces to buy, for `buy_x_get_y`. Null if it was not given.
    #[serde(default)]
    pub buy: Option<Quantity>,
    /// Number of pieces to get, for `buy_x_get_y`. Null if it was not given.
    #[serde(default)]
    pub get: Option<Quantity>,
    /// Tier of members that the promotion is limited to. Null for all customers.
    #[serde(default)]
    pub tier: Option<String>,
    /// Stores that the promotion is limited to. Null for all stores.
    #[serde(default)]
    pub store_ids: Option<Vec<StoreId>>,
    /// First business date of the promotion.
    pub from: Date,
    /// Last business date of the promotion.
    pub to: Date,
    /// Days of the week on which the promotion applies. Null for all days.
    #[serde(default)]
    pub days: Option<Vec<Day>>,
    /// Priority; 1 is applied first.
    pub priority: i64,
    /// Whether it may be combined with other promotions on a line.
    pub stackable: bool,
}

/// Occasion on which promotions are asked for: date, store and member.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    /// Business date of the occasion.
    pub date: Date,
    /// ID of the store.
    pub store_id: &'a StoreId,
    /// Tier of the member. Null for none.
    pub tier: Option<&'a str>,
}

/// Reason why a promotion gives no discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotGiven {
    /// The promotion has not begun.
    NotBegun,
    /// The promotion has ended.
    Ended,
    /// The promotion does not apply on this day of the week.
    OtherDay,
    /// The member has another tier, or there is no member.
    OtherTier,
    /// The promotion applies in other stores only.
    OtherStore,
    /// No item is a product of the promotion.
    NoItem,
    /// An earlier promotion on its lines can't be combined with others, or this one can't.
    NotStackable,
    /// The basket has fewer pieces than `min_qty`.
    MinQty,
    /// The remaining amount is below `min_total`.
    MinTotal,
    /// The discount is 0: the basket has too few pieces, or nothing is left of the price.
    Nothing,
}

impl PromotionKind {
    /// Whether it applies to the basket as a whole: after promotions of single lines.
    pub fn of_basket(self) -> bool {
        matches!(self, Self::BasketPercent | Self::BasketAmount)
    }
}

impl Day {
    pub(crate) fn of(weekday: Weekday) -> Self {
        match weekday {
            Weekday::Monday => Self::Mon,
            Weekday::Tuesday => Self::Tue,
            Weekday::Wednesday => Self::Wed,
            Weekday::Thursday => Self::Thu,
            Weekday::Friday => Self::Fri,
            Weekday::Saturday => Self::Sat,
            Weekday::Sunday => Self::Sun,
        }
    }
}

impl Promotion {
    /// Whether it counts on this occasion: one that has ended or not begun never does.
    pub fn in_force(&self, on: &Occasion<'_>) -> bool {
        self.not_in_force(on).is_none()
    }

    /// Reason why it does not count on this occasion. `None` if it counts.
    pub fn not_in_force(&self, on: &Occasion<'_>) -> Option<NotGiven> {
        let other_day = |days: &Vec<Day>| !days.contains(&Day::of(on.date.weekday()));
        let other_store = |stores: &Vec<StoreId>| !stores.contains(on.store_id);
        if on.date < self.from {
            Some(NotGiven::NotBegun)
        } else if on.date > self.to {
            Some(NotGiven::Ended)
        } else if self.days.as_ref().is_some_and(other_day) {
            Some(NotGiven::OtherDay)
        } else if self.tier.as_deref().is_some_and(|tier| on.tier != Some(tier)) {
            Some(NotGiven::OtherTier)
        } else {
            self.store_ids.as_ref().is_some_and(other_store).then_some(NotGiven::OtherStore)
        }
    }

    /// Whether it applies to this product.
    pub fn matches(&self, sku: &Sku, category: Option<&str>) -> bool {
        self.skus.as_ref().is_none_or(|skus| skus.contains(sku))
            && self.category.as_deref().is_none_or(|wanted| category == Some(wanted))
    }
}
