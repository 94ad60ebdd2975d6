//! Promotions: made here, evaluated by the stores.

use crate::db::document::{Table, encode, table};
use crate::db::failure::Failure;
use crate::feed::{self, Entry};
use crate::table::{product, store};
use domain::model::base::figures::{BasisPoints, Money, Quantity};
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::limits::{
    ID_BYTES_MAX, NAME_CHARS_MAX, QTY_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX,
};
use domain::model::base::search::fold;
use domain::model::base::text::is_blank;
use domain::model::base::time::UtcMs;
use domain::model::selling::promotion::{Day, Promotion, PromotionKind};
use domain::wire::feed::Kind;
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

/// All of a price, in basis points.
/// The highest amount off.
const AMOUNT_MAX: i64 = 1_000_000_000_000;
/// Most products and stores that one names.
const NAMED_MAX: usize = 10_000;
/// Most days of the week that one names.
const DAYS_MAX: usize = 7;
/// The last place in the order.
const PRIORITY_MAX: i64 = 1_000_000;

/// Table of the documents.
pub const TABLE: Table = table!("promotions", "promotion_id");

/// Filters of the list of promotions.
#[derive(Debug, Default)]
pub struct Filter {
    /// The name contains it; folded.
    pub q: Option<String>,
    /// It names this product, or no products at all.
    pub sku: Option<Sku>,
    /// It counts in this store.
    pub store_id: Option<StoreId>,
    /// It counts on this day or a later one.
    pub from: Option<Date>,
    /// It counts on this day or an earlier one.
    pub to: Option<Date>,
}

impl Filter {
    /// Whether a promotion is one of them.
    pub fn wants(&self, one: &Promotion) -> bool {
        let named = self.q.as_ref().is_none_or(|q| fold(&one.name).contains(q));
        let sku = |sku: &Sku| one.skus.as_ref().is_none_or(|skus| skus.contains(sku));
        let store = |store: &StoreId| one.store_ids.as_ref().is_none_or(|stores| stores.contains(store));
        named
            && self.sku.as_ref().is_none_or(sku)
            && self.store_id.as_ref().is_none_or(store)
            && self.from.is_none_or(|from| one.to >= from)
            && self.to.is_none_or(|to| one.from <= to)
    }
}

/// Request body of `POST /api/promotions`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewPromotion")]
pub struct New {
    /// Name of the promotion on a receipt.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// Kind of promotion.
    #[serde(rename = "type")]
    pub kind: PromotionKind,
    /// Value of the promotion: basis points or minor currency units, depending on `type`.
    #[schemars(range(min = 1, max = AMOUNT_MAX))]
    pub value: i64,
    /// Products that the promotion is limited to. Null for all products.
    #[schemars(length(min = 1, max = NAMED_MAX), inner(length(min = 1, max = SKU_BYTES_MAX)))]
    pub skus: Option<Vec<Sku>>,
    /// Category that the promotion is limited to. Null for all categories.
    #[schemars(length(min = 1, max = REFERENCE_CHARS_MAX))]
    pub category: Option<String>,
    /// Minimum number of pieces in the lines that the promotion applies to. Null for no minimum.
    #[schemars(range(min = 1, max = AMOUNT_MAX))]
    pub min_qty: Option<Quantity>,
    /// Minimum remaining amount of the lines that the promotion applies to, in minor currency units. Null for no
    /// minimum.
    #[schemars(range(min = 1, max = AMOUNT_MAX))]
    pub min_total: Option<Money>,
    /// Number of pieces to buy. Required for `buy_x_get_y`, and ignored otherwise.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub buy: Option<Quantity>,
    /// Number of pieces to get. Required for `buy_x_get_y`, and ignored otherwise.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub get: Option<Quantity>,
    /// Tier of members that the promotion is limited to. Null for all customers.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub tier: Option<String>,
    /// Stores that the promotion is limited to. Null for all stores.
    #[schemars(length(min = 1, max = NAMED_MAX))]
    pub store_ids: Option<Vec<StoreId>>,
    /// First business day of the promotion.
    pub from: Date,
    /// Last business day of the promotion.
    pub to: Date,
    /// Days of the week on which the promotion applies. Null for all days.
    #[schemars(length(min = 1, max = DAYS_MAX))]
    pub days: Option<Vec<Day>>,
    /// Order in which promotions are applied; 1 is applied first.
    #[schemars(range(min = 0, max = PRIORITY_MAX))]
    pub priority: i64,
    /// Whether it may be combined with other promotions on a line. Defaults to false.
    #[serde(default)]
    pub stackable: bool,
}

impl New {
    /// Whether its texts and lists fit, and figures that its type ignores could be such. [`check`] has the other rules.
    ///
    /// # Errors
    /// 422 with the field.
    pub fn check_request(&self) -> Result<(), ApiError> {
        let wrong = |path: &str, problem: String| Err(ApiError::field(path, problem));
        let mut skus = self.skus.iter().flatten().map(|sku| sku.as_str().len());
        if let Some(place) = skus.position(|bytes| !(1..=SKU_BYTES_MAX).contains(&bytes)) {
            return wrong(&format!("skus[{place}]"), format!("must be 1 to {SKU_BYTES_MAX} bytes"));
        }
        if self.category.as_ref().is_some_and(|category| category.chars().count() > REFERENCE_CHARS_MAX) {
            return wrong("category", format!("must be at most {REFERENCE_CHARS_MAX} characters"));
        }
        if self.tier.as_ref().is_some_and(|tier| tier.len() > ID_BYTES_MAX) {
            return wrong("tier", format!("must be at most {ID_BYTES_MAX} bytes"));
        }
        for (path, pieces) in [("buy", self.buy), ("get", self.get)] {
            if pieces.is_some_and(|pieces| !(1..=QTY_MAX).contains(&pieces)) {
                return wrong(path, format!("must be 1 to {QTY_MAX}"));
            }
        }
        if self.days.as_ref().is_some_and(|days| days.len() > DAYS_MAX) {
            return wrong("days", format!("must have at most {DAYS_MAX} entries"));
        }
        Ok(())
    }
}

impl From<New> for Promotion {
    fn from(new: New) -> Self {
        Self {
            promotion_id: ids::new("prm_"),
            name: new.name,
            kind: new.kind,
            value: new.value,
            skus: new.skus,
            category: new.category,
            min_qty: new.min_qty,
            min_total: new.min_total,
            buy: new.buy,
            get: new.get,
            tier: new.tier,
            store_ids: new.store_ids,
            from: new.from,
            to: new.to,
            days: new.days,
            priority: new.priority,
            stackable: new.stackable,
        }
    }
}

/// Request body of `PATCH /api/promotions/:id`. Omitted fields stay as they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangePromotion")]
pub struct Change {
    /// Name of the promotion on a receipt.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// First business day of the promotion.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub from: Option<Date>,
    /// Last business day of the promotion. A day before today ends the promotion.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub to: Option<Date>,
    /// Order in which promotions are applied; 1 is applied first.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = PRIORITY_MAX))]
    pub priority: Option<i64>,
}

/// Makes a promotion.
///
/// # Errors
/// 422 with the field that is wrong; `unknown_sku`.
pub async fn create(connection: &mut AnyConnection, new: New, now: UtcMs) -> Result<Promotion, Failure> {
    new.check_request()?;
    let promotion = Promotion::from(new);
    check(&promotion)?;
    known(connection, &promotion).await?;
    let sql = "INSERT INTO promotions (promotion_id, document) VALUES ($1, $2)";
    let query = sqlx::query(sql).bind(&promotion.promotion_id).bind(encode(&promotion)?);
    query.execute(&mut *connection).await?;
    tell(connection, &promotion, now).await?;
    Ok(promotion)
}

/// Changes when it counts, and how it is called: as it was, and as it is.
///
/// # Errors
/// 404; 422.
pub async fn change(
    connection: &mut AnyConnection,
    id: &str,
    change: Change,
    now: UtcMs,
) -> Result<[Promotion; 2], Failure> {
    let found: Option<Promotion> = TABLE.locked(connection, id).await?;
    let before = found.ok_or_else(|| ApiError::not_found("the promotion"))?;
    let mut promotion = before.clone();
    promotion.name = change.name.unwrap_or(promotion.name);
    promotion.from = change.from.unwrap_or(promotion.from);
    promotion.to = change.to.unwrap_or(promotion.to);
    promotion.priority = change.priority.unwrap_or(promotion.priority);
    check(&promotion)?;
    let sql = "UPDATE promotions SET document = $2 WHERE promotion_id = $1";
    sqlx::query(sql).bind(id).bind(encode(&promotion)?).execute(&mut *connection).await?;
    tell(connection, &promotion, now).await?;
    Ok([before, promotion])
}

/// Whether its figures can be.
///
/// # Errors
/// 422 with the field.
pub fn check(promotion: &Promotion) -> Result<(), ApiError> {
    let wrong = |path: &str, problem: &str| Err(ApiError::field(path, problem));
    let name = promotion.name.as_str();
    if is_blank(name) || name.chars().count() > NAME_CHARS_MAX || name.contains(char::is_control) {
        return wrong("name", "must have 1 to 255 characters on one line");
    }
    for (field, is_empty) in [
        ("skus", promotion.skus.as_ref().is_some_and(Vec::is_empty)),
        ("store_ids", promotion.store_ids.as_ref().is_some_and(Vec::is_empty)),
        ("days", promotion.days.as_ref().is_some_and(Vec::is_empty)),
        ("category", promotion.category.as_deref() == Some("")),
        ("tier", promotion.tier.as_deref() == Some("")),
    ] {
        if is_empty {
            return wrong(field, "must not be empty: omit it, or use null, for all");
        }
    }
    let percent = match promotion.kind {
        PromotionKind::LinePercent | PromotionKind::BasketPercent | PromotionKind::BuyXGetY => true,
        PromotionKind::LineAmount | PromotionKind::BasketAmount => false,
    };
    if percent && !(1..=BasisPoints::WHOLE.get()).contains(&promotion.value) {
        return wrong("value", "must be 1 to 10000 basis points");
    }
    if !percent && !(1..=AMOUNT_MAX).contains(&promotion.value) {
        return wrong("value", "must be 1 to 1000000000000");
    }
    let pieces = |pieces: Option<Quantity>| pieces.is_some_and(|pieces| (1..=QTY_MAX).contains(&pieces));
    if promotion.kind == PromotionKind::BuyXGetY && !(pieces(promotion.buy) && pieces(promotion.get)) {
        return wrong("buy", "buy and get must be 1 to 1000000");
    }
    let min_qty = promotion.min_qty.map(Quantity::get);
    for (path, least) in [("min_qty", min_qty), ("min_total", promotion.min_total.map(Money::get))] {
        if least.is_some_and(|least| !(1..=AMOUNT_MAX).contains(&least)) {
            return wrong(path, "must be 1 to 1000000000000: omit it, or use null, for no limit");
        }
    }
    if promotion.to < promotion.from {
        return wrong("to", "must not be before from");
    }
    if !(0..=PRIORITY_MAX).contains(&promotion.priority) {
        return wrong("priority", "must be 0 to 1000000");
    }
    let skus = promotion.skus.as_ref().map_or(0, Vec::len);
    let stores = promotion.store_ids.as_ref().map_or(0, Vec::len);
    if skus.max(stores) > NAMED_MAX {
        return wrong("skus", "must have at most 10000 entries");
    }
    Ok(())
}

/// The stores and products that it names have to be there.
async fn known(connection: &mut AnyConnection, promotion: &Promotion) -> Result<(), Failure> {
    for (place, store) in promotion.store_ids.iter().flatten().enumerate() {
        store::check_known(connection, &format!("store_ids[{place}]"), store.as_str()).await?;
    }
    product::check_known(connection, &promotion.skus.iter().flatten().collect()).await
}

async fn tell(connection: &mut AnyConnection, promotion: &Promotion, now: UtcMs) -> Result<(), sqlx::Error> {
    let entry = Entry::for_all(Kind::Promotion, &promotion.promotion_id, encode(promotion)?);
    feed::publish(connection, vec![entry], now).await
}
