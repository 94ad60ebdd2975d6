//! Prices a basket for its lines: catalogue, promotions in force, the cashier's discounts.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::settings::Rules;
use crate::model::inventory::product::Product;
use crate::model::people::member::Member;
use crate::model::selling::promotion::{Occasion, Promotion};
use crate::model::selling::transaction::{
    DiscountSource, Line, LineDiscount, PRICE_OVERRIDE, PriceReason, Scan, Transaction,
};
use crate::rules::selling::basket;
use crate::rules::selling::basket::{BasketLine, PricedLine};
use crate::rules::selling::payment::cash_due;
use crate::rules::selling::promotion::{PromoLine, Shared, evaluate};
use crate::rules::selling::sale::NewItem;
use crate::wire::record;
use jiff::civil::Date;
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Rows of the catalogue, which may be shared.
pub trait Products: std::fmt::Debug + Sync {
    /// The product of a sku.
    fn product(&self, sku: &Sku) -> Option<&Product>;
}

impl<P: Borrow<Product> + std::fmt::Debug + Sync> Products for BTreeMap<Sku, P> {
    fn product(&self, sku: &Sku) -> Option<&Product> {
        self.get(sku).map(Borrow::borrow)
    }
}

/// Data that a basket is priced with.
#[derive(Debug, Clone, Copy)]
pub struct PricingContext<'a> {
    /// At least the catalogue's rows of the basket's skus.
    pub products: &'a dyn Products,
    /// Every promotion that may be in force.
    pub promotions: &'a [Promotion],
    /// The command's member, as it is now.
    pub member: Option<&'a Member>,
}

/// Request of a cashier.
pub(super) struct Asked<'a> {
    pub(super) items: &'a [NewItem],
    pub(super) discount: Money,
    pub(super) discount_reason: Option<&'a str>,
}

/// The product of each line. `kept` has products that are not sold any more, and may be in the basket all the same.
///
/// # Errors
/// `unknown_sku` with all of them, `validation_failed` for products that are not sold any more.
pub(super) fn catalogue<'a>(
    items: &[NewItem],
    products: &'a dyn Products,
    kept: &'a BTreeMap<Sku, Product>,
) -> Result<Vec<&'a Product>, Refusal> {
    let mut unknown: Vec<String> = Vec::new();
    let mut idle = Vec::new();
    let mut found = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        match kept.get(&item.sku).or_else(|| products.product(&item.sku)) {
            Some(product) if kept.contains_key(&item.sku) => found.push(product),
            None if unknown.contains(&item.sku.0) => {}
            None => unknown.push(item.sku.0.clone()),
            Some(product) if !product.is_active() => idle.push(FieldProblem {
                path: format!("items[{place}].sku"),
                problem: "is not sold any more".to_owned(),
            }),
            Some(product) => found.push(product),
        }
    }
    match (unknown.is_empty(), idle.is_empty()) {
        (true, true) => Ok(found),
        (true, false) => Err(Refusal::ValidationFailed(idle)),
        (false, _) => Err(Refusal::UnknownSku(unknown)),
    }
}

/// Sets the lines and sums of `sale` for the request; everything else of it stays.
///
/// # Errors
/// `validation_failed` for a discount above the remaining amount, a figure above the largest, or a basket too large for
/// one record.
pub(super) fn reprice(
    sale: &mut Transaction,
    asked: &Asked<'_>,
    found: &[&Product],
    pricing: &PricingContext<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let gifts = promotions(sale.business_date, asked.items, found, pricing, rules);
    let lines: Vec<BasketLine> = asked
        .items
        .iter()
        .zip(found.iter().zip(&gifts))
        .map(|(item, (product, gifts))| BasketLine {
            qty: item.qty,
            price: item.price_of(product),
            discount: sum(gifts).saturating_add(item.discount.unwrap_or(Money::ZERO)),
            rate_bp: product.tax_rate_bp.unwrap_or(rules.default_rate_bp),
        })
        .collect();
    let basket = basket::price(&lines, asked.discount, sale.prices_include_tax)?;
    sale.items = (1_u32..)
        .zip(asked.items.iter().zip(found))
        .zip(lines.iter().zip(&basket.lines).zip(gifts))
        .map(|((line_no, (item, product)), ((line, priced), gifts))| {
            let discounts = discounts(gifts, item, priced, asked.discount_reason);
            crate::rules::selling::sale::price::line(line_no, product, line, priced, discounts)
        })
        .collect();
    let scan = |(line_no, item): (u32, &NewItem)| {
        let (code, pack_qty) = (item.code.clone()?, item.pack_qty?);
        Some(Scan { line_no, code, pack_qty })
    };
    sale.scans = (1_u32..).zip(asked.items).filter_map(scan).collect();
    let reason = |(line, item): (&Line, &NewItem)| {
        let reason =
            item.price_reason.as_deref().or(asked.discount_reason).filter(|_| line.price_override)?;
        Some(PriceReason { line_no: line.line_no, reason: reason.to_owned() })
    };
    sale.price_reasons = sale.items.iter().zip(asked.items).filter_map(reason).collect();
    (sale.subtotal, sale.discount) = (basket.subtotal, basket.discount);
    (sale.tax, sale.total) = (basket.tax, basket.total);
    sale.amount_due = basket.total.saturating_sub(sale.amount_paid);
    sale.cash_due = cash_due(sale.amount_due, rules)?;
    sale.points_earned = sale.earning();
    sale.flags.retain(|flag| flag != PRICE_OVERRIDE);
    if sale.items.iter().any(|line| line.price_override) {
        sale.flags.push(PRICE_OVERRIDE.to_owned());
    }
    record::basket_fits(sale)
}

/// Discounts that promotions give to each line.
pub(super) fn promotions(
    date: Date,
    items: &[NewItem],
    found: &[&Product],
    pricing: &PricingContext<'_>,
    rules: &Rules,
) -> Vec<Vec<Shared>> {
    let tier = pricing.member.and_then(|member| member.tier.as_deref());
    let on = Occasion { date, store_id: &rules.store_id, tier };
    let lines: Vec<PromoLine<'_>> = items
        .iter()
        .zip(found)
        .map(|(item, product)| PromoLine {
            sku: &product.sku,
            category: product.category.as_deref(),
            qty: item.qty,
            price: item.price_of(product),
        })
        .collect();
    evaluate(&lines, pricing.promotions, &on)
}

/// Sum of the gifts of a line: never above its price.
pub(super) fn sum(gifts: &[Shared]) -> Money {
    gifts.iter().fold(Money::ZERO, |sum, gift| sum.saturating_add(gift.amount))
}

fn discounts(
    gifts: Vec<Shared>,
    item: &NewItem,
    priced: &PricedLine,
    reason: Option<&str>,
) -> Vec<LineDiscount> {
    let promoted = gifts.into_iter().map(|gift| LineDiscount {
        source: DiscountSource::Promotion,
        promotion_id: Some(gift.promotion_id),
        amount: gift.amount,
        reason: Some(gift.name).filter(|name| !name.is_empty()),
    });
    let own = item.discount_reason(reason).map(str::to_owned);
    let manual = (DiscountSource::Manual, item.discount.unwrap_or(Money::ZERO), own);
    let basket = (DiscountSource::Basket, priced.share, reason.map(str::to_owned));
    let own = [manual, basket].into_iter().filter(|(_, amount, _)| *amount > 0);
    promoted
        .chain(own.map(|(source, amount, reason)| LineDiscount {
            source,
            promotion_id: None,
            amount,
            reason,
        }))
        .collect()
}

fn line(
    line_no: u32,
    product: &Product,
    asked: &BasketLine,
    priced: &PricedLine,
    discounts: Vec<LineDiscount>,
) -> Line {
    Line {
        line_no,
        sku: product.sku.clone(),
        name: product.name.clone(),
        qty: asked.qty,
        price: asked.price,
        list_price: product.price,
        discounts,
        discount: priced.discount,
        tax_rate_bp: asked.rate_bp,
        tax_code: product.tax_code.clone(),
        tax: priced.tax,
        total: priced.total,
        price_override: asked.price != product.price,
        returned_qty: Quantity::ZERO,
        track_stock: product.track_stock,
        cost: None,
    }
}
