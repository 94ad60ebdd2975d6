//! Checks of promotions.

use crate::model::base::fields::Fields;
use crate::model::base::figures::BasisPoints;
use crate::model::base::limits::{ID_BYTES_MAX, PRODUCT_NAME_CHARS_MAX, SKU_BYTES_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::selling::promotion::{Promotion, PromotionKind};
use crate::wire::feed::Change;
use crate::wire::feed::check::{PRICE_MAX, WORDS_BYTES_MAX, id, loose, same};

/// Most products and stores that one names.
const NAMED_MAX: usize = 10_000;

/// Most pieces to buy and to get, and the last priority.
const COUNT_MAX: i64 = 1_000_000;

/// Days of a week.
const DAYS_MAX: usize = 7;

/// Checks a promotion, also one for other stores: its stores are checked when a basket is priced.
///
/// # Errors
/// `validation_failed`.
pub fn promotion(change: &Change, promotion: &Promotion) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "promotion_id", change, &promotion.promotion_id);
    id(&mut fields, "promotion_id", &promotion.promotion_id);
    loose(&mut fields, "name", &promotion.name, PRODUCT_NAME_CHARS_MAX);
    let percent = matches!(
        promotion.kind,
        PromotionKind::LinePercent | PromotionKind::BasketPercent | PromotionKind::BuyXGetY
    );
    fields.range("value", promotion.value, 0..=if percent { BasisPoints::WHOLE.get() } else { PRICE_MAX });
    fields.count("skus", promotion.skus.as_ref().map_or(0, Vec::len), 0..=NAMED_MAX);
    for sku in promotion.skus.iter().flatten().take(NAMED_MAX) {
        fields.code("skus", sku.as_str(), SKU_BYTES_MAX);
    }
    fields.count("store_ids", promotion.store_ids.as_ref().map_or(0, Vec::len), 0..=NAMED_MAX);
    for store in promotion.store_ids.iter().flatten().take(NAMED_MAX) {
        fields.code("store_ids", store.as_str(), ID_BYTES_MAX);
    }
    fields.text("category", promotion.category.as_deref(), WORDS_BYTES_MAX);
    fields.text("tier", promotion.tier.as_deref(), WORDS_BYTES_MAX);
    fields.range_of("min_qty", promotion.min_qty, 0..=PRICE_MAX);
    fields.range_of("min_total", promotion.min_total, 0..=PRICE_MAX);
    fields.range_of("buy", promotion.buy, 0..=COUNT_MAX);
    fields.range_of("get", promotion.get, 0..=COUNT_MAX);
    fields.count("days", promotion.days.as_ref().map_or(0, Vec::len), 0..=DAYS_MAX);
    fields.range("priority", promotion.priority, 0..=COUNT_MAX);
    if promotion.to < promotion.from {
        fields.wrong("to", "must not be before from");
    }
    fields.done()
}
