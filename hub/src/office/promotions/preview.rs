//! Discounts for a basket by the existing promotions together with drafts. Nothing is stored.

use crate::db::failure::Failure;
use crate::office::prices::price;
use crate::office::promotions::promotion::{self, New, TABLE};
use crate::table::{product, store};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::limits::{ID_BYTES_MAX, ITEMS_MAX, PRICE_MAX, QTY_MAX, SKU_BYTES_MAX};
use domain::model::base::refusal::FieldProblem;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::model::selling::promotion::{NotGiven, Occasion, Promotion};
use domain::rules::selling::promotion::{Explained, PromoLine, Shared, explain};
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyPool;

/// Most drafts at once.
const DRAFTS_MAX: usize = 20;
/// Most existing promotions that are evaluated. With more, a till would be slow.
const PROMOTIONS_MAX: i64 = 10_000;

/// A basket on a day, and draft promotions, which are not stored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromotionPreviewRequest")]
pub struct Asked {
    /// Store of the basket.
    pub store_id: StoreId,
    /// Business day of the basket.
    pub date: Date,
    /// Tier of the member. Null for none.
    #[serde(default)]
    #[schemars(length(max = ID_BYTES_MAX))]
    pub tier: Option<String>,
    /// Items of the basket.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub items: Vec<Item>,
    /// Draft promotions, which are evaluated like stored ones; their IDs are `draft_1` and so on.
    #[serde(default)]
    #[schemars(length(max = DRAFTS_MAX))]
    pub promotions: Vec<New>,
}

/// An item of the basket.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromotionPreviewItem")]
pub struct Item {
    /// Product code (SKU).
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Number of pieces.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Price of one piece in minor currency units. Null for the store's price on `date`; if `date` is in the past, for
    /// the store's current price.
    #[serde(default)]
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub price: Option<Money>,
}

/// Discounts of each line, and the promotions that give no discount.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PromotionPreview")]
pub struct Preview {
    /// Lines in the order of the request.
    pub lines: Vec<PreviewLine>,
    /// Sum of the lines' discounts, in minor currency units.
    pub discount: Money,
    /// Sum of the lines after the discounts, in minor currency units.
    pub net: Money,
    /// Promotions of the day and draft promotions that give no discount.
    pub not_given: Vec<Idle>,
}

/// A line with its discounts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PreviewLine {
    /// Product code (SKU).
    pub sku: Sku,
    /// Number of pieces.
    pub qty: Quantity,
    /// Unit price in minor currency units.
    pub price: Money,
    /// Discounts of the line, in the order of application.
    pub discounts: Vec<PreviewDiscount>,
    /// Sum of the line's discounts, in minor currency units.
    pub discount: Money,
    /// `qty` × `price` − `discount`, in minor currency units.
    pub net: Money,
}

/// Discount that a promotion gives to a line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PreviewDiscount {
    /// ID of the promotion.
    pub promotion_id: String,
    /// Name of the promotion.
    pub name: String,
    /// Amount of the discount, in minor currency units.
    pub amount: Money,
}

/// A promotion that gives no discount.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PromotionNotGiven")]
pub struct Idle {
    /// ID of the promotion.
    pub promotion_id: String,
    /// Name of the promotion.
    pub name: String,
    /// Reason why it gives no discount.
    pub reason: NotGiven,
}

/// Evaluates promotions by the rule that tills use.
///
/// # Errors
/// 404 for a product or a store that does not exist; 422 with every field that is wrong.
pub async fn preview(pool: &AnyPool, asked: Asked, now: UtcMs) -> Result<Preview, Failure> {
    check(&asked)?;
    let Asked { store_id, date, tier, items, promotions } = asked;
    let known = store::credentials(pool, store_id.as_str()).await?;
    known.ok_or_else(|| ApiError::not_found("the store"))?;
    let mut basket: Vec<(Product, Item)> = Vec::with_capacity(items.len());
    for mut item in items {
        if item.price.is_none() {
            item.price = Some(
                price::effective(pool, item.sku.as_str(), &store_id, (now, Some(date)), now).await?.price,
            );
        }
        basket.push((product::read(pool, item.sku.as_str()).await?, item));
    }
    let promotions = with_drafts(pool, date, promotions).await?;
    let lines: Vec<PromoLine<'_>> = basket
        .iter()
        .map(|(product, item)| PromoLine {
            sku: &product.sku,
            category: product.category.as_deref(),
            qty: item.qty,
            price: item.price.unwrap_or_default(),
        })
        .collect();
    let on = Occasion { date, store_id: &store_id, tier: tier.as_deref() };
    Ok(view(&lines, explain(&lines, &promotions, &on), &promotions))
}

fn check(asked: &Asked) -> Result<(), ApiError> {
    let mut wrong = Vec::new();
    let mut problem = |path: String, problem: String| wrong.push(FieldProblem { path, problem });
    if !(1..=ITEMS_MAX).contains(&asked.items.len()) {
        problem("items".to_owned(), format!("must have 1 to {ITEMS_MAX} entries"));
    }
    if asked.tier.as_ref().is_some_and(|tier| tier.len() > ID_BYTES_MAX) {
        problem("tier".to_owned(), format!("must be at most {ID_BYTES_MAX} bytes"));
    }
    if asked.promotions.len() > DRAFTS_MAX {
        problem("promotions".to_owned(), format!("must have 0 to {DRAFTS_MAX} entries"));
    }
    for (place, item) in asked.items.iter().take(ITEMS_MAX).enumerate() {
        if !(1..=QTY_MAX).contains(&item.qty) {
            problem(format!("items[{place}].qty"), format!("must be 1 to {QTY_MAX}"));
        }
        if item.price.is_some_and(|price| !(0..=PRICE_MAX).contains(&price)) {
            problem(format!("items[{place}].price"), format!("must be 0 to {PRICE_MAX}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(ApiError::validation(&wrong)) }
}

/// Existing promotions that are valid on this day, and the drafts.
async fn with_drafts(pool: &AnyPool, date: Date, drafts: Vec<New>) -> Result<Vec<Promotion>, Failure> {
    let wanted = |one: &Promotion| (one.from..=one.to).contains(&date);
    let mut found = TABLE.list_where(pool, "", PROMOTIONS_MAX, |one| &one.promotion_id, wanted).await?;
    for (number, draft) in (1..).zip(drafts) {
        draft.check_request()?;
        let draft = Promotion { promotion_id: format!("draft_{number}"), ..draft.into() };
        promotion::check(&draft)?;
        found.push(draft);
    }
    Ok(found)
}

fn view(lines: &[PromoLine<'_>], explained: Explained, promotions: &[Promotion]) -> Preview {
    let lines: Vec<PreviewLine> =
        lines.iter().zip(explained.given).map(|(line, given)| line_view(line, given)).collect();
    let sum = |of: fn(&PreviewLine) -> Money| lines.iter().map(of).sum::<Money>();
    let name = |id: &str| {
        let one = promotions.iter().find(|one| one.promotion_id == id);
        one.map(|one| one.name.clone()).unwrap_or_default()
    };
    let idle =
        |(promotion_id, reason): (String, NotGiven)| Idle { name: name(&promotion_id), promotion_id, reason };
    let (discount, net) = (sum(|line| line.discount), sum(|line| line.net));
    Preview { discount, net, not_given: explained.not_given.into_iter().map(idle).collect(), lines }
}

fn line_view(line: &PromoLine<'_>, given: Vec<Shared>) -> PreviewLine {
    let discount = given.iter().map(|part| part.amount).sum::<Money>();
    let part = |Shared { promotion_id, name, amount }| PreviewDiscount { promotion_id, name, amount };
    PreviewLine {
        sku: line.sku.clone(),
        qty: line.qty,
        price: line.price,
        discounts: given.into_iter().map(part).collect(),
        discount,
        net: line.price.times(line.qty).saturating_sub(discount),
    }
}
