//! Changes an open basket, and renews the prices of a held one.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MemberId, Sku, TransactionId};
use crate::model::base::limits::{FIGURE_MAX, ID_BYTES_MAX, ITEMS_MAX, REFERENCE_CHARS_MAX, TEXT_CHARS_MAX};
use crate::model::base::money::product as times;
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::ShiftBook;
use crate::model::inventory::product::{Product, ProductState};
use crate::model::selling::transaction::{DiscountSource, Line, Transaction, TransactionState};
use crate::rules::selling::sale::create::{
    attribute, check_open_baskets, discount_reason, in_time, member, price_policy,
};
use crate::rules::selling::sale::discount_limit::discount_policy;
use crate::rules::selling::sale::price::{Asked, catalogue, promotions, reprice, sum};
use crate::rules::selling::sale::sale_commands::check_items;
use crate::rules::selling::sale::{NewItem, PricingContext, TillContext, may_drop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Request body of `PATCH /api/pos/transactions/:id`. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSale {
    /// All lines of the changed transaction; they replace the existing lines. The limits are those of a new
    /// transaction.
    #[serde(default, deserialize_with = "crate::model::base::patch::set")]
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub items: Option<Vec<NewItem>>,
    /// Member that the sale is attributed to. Empty to remove the member.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    pub member_id: Option<MemberId>,
    /// Discount on the whole basket, in minor currency units.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub discount: Option<Money>,
    /// Reason for the discount. Null for none.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub discount_reason: Option<String>,
    /// Note in free text. Null for none.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// A changed basket, and the lines that were taken off or lessened: for the audit log.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    pub event: Event<fact::TransactionOpen>,
    /// Lines as they were, with the pieces that are gone.
    pub removed: Vec<Line>,
}

impl ChangeSale {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        if let Some(items) = &self.items {
            fields.count("items", items.len(), 1..=ITEMS_MAX);
            check_items(items, &mut fields);
        }
        fields.code_if_any("member_id", self.member_id.as_ref().map(MemberId::as_str), ID_BYTES_MAX);
        fields.range_of("discount", self.discount, 0..=FIGURE_MAX);
        fields.text("discount_reason", self.discount_reason.as_deref(), REFERENCE_CHARS_MAX);
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.done()
    }
}

/// Changes an open basket of the book's shift; everything is priced again.
///
/// `pricing` has the products of the new lines, or else of the old ones, and the member of the
/// command, or else of the basket.
///
/// # Errors
/// The errors of [`crate::rules::selling::sale::create()`]; `invalid_state` for a basket that is not open.
pub fn change(cmd: &ChangeSale, id: &TransactionId, till: &TillContext<'_>) -> Result<Changed, Refusal> {
    cmd.check()?;
    till.sells()?;
    let before = till.book.open.get(id).ok_or_else(|| TransactionState::Paid.refusal())?;
    if before.state != TransactionState::Open {
        return Err(before.state.refusal());
    }
    let mut after = before.clone();
    let wanted = match &cmd.member_id {
        Some(id) => Some(id).filter(|id| !id.0.is_empty()),
        None => before.member_id.as_ref(),
    };
    let member = member(wanted, &till.pricing)?;
    let pricing = PricingContext { member, ..till.pricing };
    attribute(&mut after, member, till.rules);
    after.note = cmd.note.clone().or(after.note).filter(|note| !note.is_empty());
    let items = match &cmd.items {
        Some(items) => Cow::Borrowed(items.as_slice()),
        None => Cow::Owned(unchanged_items(before, cmd.discount_reason.is_some())),
    };
    check_open_baskets(items.len().saturating_sub(before.items.len()), till.book)?;
    let kept = not_sold_any_more(before, &items, &pricing);
    let found = catalogue(&items, pricing.products, &kept)?;
    if cmd.items.is_some() {
        price_policy(&items, &found, Some(before), &till.authorization, till.rules)?;
    }
    let reason = cmd.discount_reason.clone().or_else(|| reason(before)).filter(|reason| !reason.is_empty());
    let discount = cmd.discount.unwrap_or_else(|| by(before, DiscountSource::Basket));
    let asked = Asked { items: &items, discount, discount_reason: reason.as_deref() };
    // Before the policy: a manager is not asked for an impossible action.
    reprice(&mut after, &asked, &found, &pricing, till.rules)?;
    if cmd.items.is_some() || cmd.discount.is_some() {
        discount_policy((&items, discount), &found, Some(before), &till.authorization, till.rules)?;
        discount_reason((&items, discount), &found, reason.as_deref(), till.rules)?;
    }
    let removed = removed(before, &after);
    if !removed.is_empty() || after.total < before.total {
        may_drop(before, &till.authorization)?;
    }
    let event = Event::of(fact::TransactionOpen { transaction: after });
    Ok(Changed { event, removed })
}

/// Whether the shift may take one more basket now.
///
/// # Errors
/// `invalid_state`.
pub(crate) fn may_open(book: &ShiftBook, now: UtcMs, rules: &Rules) -> Result<(), Refusal> {
    in_time(&book.shift, now, rules)?;
    // Held lines are not known here: they are at most this many.
    check_open_baskets(ITEMS_MAX, book)
}

/// Prices a basket that waited as of now.
///
/// # Errors
/// `validation_failed` for a figure above the largest.
pub(crate) fn renew(
    basket: &mut Transaction,
    pricing: &PricingContext<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let known =
        |member: &&crate::model::people::member::Member| Some(&member.member_id) == basket.member_id.as_ref();
    let member = pricing.member.filter(known);
    let pricing = PricingContext { member, ..*pricing };
    if member.is_some() {
        attribute(basket, member, rules);
    }
    let rows: Vec<Product> = basket.items.iter().map(|line| as_now(line, &pricing)).collect();
    let found: Vec<&Product> = rows.iter().collect();
    let mut items = items_at_catalogue_prices(basket);
    let gifts = promotions(basket.business_date, &items, &found, &pricing, rules);
    let mut left = Money::ZERO;
    for ((item, product), gifts) in items.iter_mut().zip(&found).zip(gifts) {
        let gross = Money::saturating_from(times(item.qty, item.price_of(product)));
        let most = gross.saturating_sub(sum(&gifts));
        let own = item.discount.unwrap_or(Money::ZERO).min(most);
        item.discount = Some(own);
        left = left.saturating_add(most.saturating_sub(own));
    }
    let reason = reason(basket);
    let discount = by(basket, DiscountSource::Basket).min(left);
    let asked = Asked { items: &items, discount, discount_reason: reason.as_deref() };
    reprice(basket, &asked, &found, &pricing, rules)
}

/// Removes prices and discounts by hand from a basket, which must then be priced again.
pub(crate) fn drop_changes_by_hand(basket: &mut Transaction) {
    for line in &mut basket.items {
        line.price_override = false;
        line.discounts.retain(|part| part.source == DiscountSource::Promotion);
    }
}

/// Products of the basket that are not sold any more, as they were. Their pieces stay in the basket, and no further ones
/// are added.
fn not_sold_any_more(
    before: &Transaction,
    items: &[NewItem],
    pricing: &PricingContext<'_>,
) -> BTreeMap<Sku, Product> {
    let is_sold = |sku: &Sku| pricing.products.product(sku).is_some_and(Product::is_active);
    let asked =
        |sku: &Sku| -> Quantity { items.iter().filter(|item| item.sku == *sku).map(|item| item.qty).sum() };
    let held = |sku: &Sku| -> Quantity {
        before.items.iter().filter(|line| line.sku == *sku).map(|line| line.qty).sum()
    };
    let idle = before.items.iter().filter(|line| !is_sold(&line.sku) && asked(&line.sku) <= held(&line.sku));
    idle.map(|line| (line.sku.clone(), as_now(line, pricing))).collect()
}

/// The product of a line. If it was deleted or is no longer sold, the product as it was when the basket was created.
fn as_now(line: &Line, pricing: &PricingContext<'_>) -> Product {
    match pricing.products.product(&line.sku).filter(|product| product.is_active()) {
        Some(product) => product.clone(),
        None => Product {
            tax_rate_bp: Some(line.tax_rate_bp),
            tax_code: line.tax_code.clone(),
            track_stock: line.track_stock,
            state: ProductState::Inactive,
            ..Product::new(line.sku.clone(), line.name.clone(), line.list_price, UtcMs(0))
        },
    }
}

/// Discount of a line that was given by hand.
pub(super) fn by_hand(line: &Line) -> Money {
    let own = line.discounts.iter().filter(|part| part.source == DiscountSource::Manual);
    own.fold(Money::ZERO, |sum, part| sum.saturating_add(part.amount))
}

/// As [`asked_for`], but only with prices that a user has set. The other lines get the current prices of the
/// catalogue.
pub(super) fn items_at_catalogue_prices(basket: &Transaction) -> Vec<NewItem> {
    let mut items = asked_for(basket);
    for (item, line) in items.iter_mut().zip(&basket.items) {
        item.price = line.price_override.then_some(line.price);
    }
    items
}

/// The lines as they are. With `new_reason` their discounts get the reason that the change gives for the sale.
fn unchanged_items(basket: &Transaction, new_reason: bool) -> Vec<NewItem> {
    let mut items = items_at_catalogue_prices(basket);
    if new_reason {
        items.iter_mut().for_each(|item| item.discount_reason = None);
    }
    items
}

/// The lines as the cashier requested them: without the discounts of promotions and the basket.
fn asked_for(basket: &Transaction) -> Vec<NewItem> {
    basket
        .items
        .iter()
        .map(|line| NewItem {
            sku: line.sku.clone(),
            code: basket.scan(line.line_no).map(|scan| scan.code.clone()),
            pack_qty: basket.scan(line.line_no).map(|scan| scan.pack_qty),
            qty: line.qty,
            price: Some(line.price),
            price_reason: basket.price_reason(line.line_no).map(str::to_owned),
            discount: Some(by_hand(line)).filter(|amount| *amount > 0),
            discount_reason: line
                .discounts
                .iter()
                .find(|part| part.source == DiscountSource::Manual)
                .map(|part| part.reason.clone().unwrap_or_default()),
        })
        .collect()
}

fn by(basket: &Transaction, source: DiscountSource) -> Money {
    let parts = basket.items.iter().flat_map(|line| &line.discounts).filter(|part| part.source == source);
    parts.fold(Money::ZERO, |sum, part| sum.saturating_add(part.amount))
}

fn reason(basket: &Transaction) -> Option<String> {
    let of = |source| {
        let mut parts = basket.items.iter().flat_map(|line| &line.discounts);
        parts.find(|part| part.source == source).and_then(|part| part.reason.clone())
    };
    of(DiscountSource::Basket).or_else(|| of(DiscountSource::Manual))
}

/// Removed pieces, SKU by SKU, as lines.
fn removed(before: &Transaction, after: &Transaction) -> Vec<Line> {
    let pieces = |basket: &Transaction, line: &Line| {
        let same = basket.items.iter().filter(|other| other.sku == line.sku);
        same.map(|line| line.qty).sum::<Quantity>()
    };
    let mut gone: Vec<Line> = Vec::new();
    for line in &before.items {
        let missing = pieces(before, line).saturating_sub(pieces(after, line));
        if missing > 0 && !gone.iter().any(|other| other.sku == line.sku) {
            gone.push(Line { qty: missing, ..line.clone() });
        }
    }
    gone
}
