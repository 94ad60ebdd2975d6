//! Makes a basket: prices it, applies the price policy, and checks that it may be sold here.

use crate::basket::{self, BasketLine, PricedLine};
use crate::event::Event;
use crate::ids::{Sku, TransactionId};
use crate::payment::cash_due;
use crate::product::Product;
use crate::record;
use crate::refusal::{FieldProblem, Refusal};
use crate::sale::{CreateSale, NewItem};
use crate::settings::{PriceOverride, Rules};
use crate::shift::{ShiftBook, may_sell};
use crate::time::UtcMs;
use crate::transaction::{DiscountSource, Line, LineDiscount, PRICE_OVERRIDE, Transaction, TransactionState};
use crate::user::Caller;
use std::collections::BTreeMap;

/// Most unfinished transactions of one shift: they live in its owner's memory.
pub const OPEN_MAX: usize = 5_000;
/// Most lines in them: a close that voids them all is one commit, and has to be storable.
pub const OPEN_LINES_MAX: usize = 5_000;

/// Makes an open transaction in the caller's own shift; managers: in any.
///
/// `products` holds at least the catalogue's rows of the command's skus.
///
/// # Errors
/// `insufficient_role`, `invalid_state` (the shift does not sell, or has too many open), `unknown_member`, `unknown_sku`
/// (all of them), `validation_failed`, `approval_required` (price policy).
pub fn create(
    cmd: &CreateSale,
    id: TransactionId,
    now: UtcMs,
    caller: &Caller,
    products: &BTreeMap<Sku, Product>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Event, Refusal> {
    cmd.check()?;
    if cmd.shift_id.as_ref().is_some_and(|shift| *shift != book.shift.shift_id) {
        return Err(Refusal::NotFound("shift"));
    }
    may_sell(caller, &book.shift)?;
    let lines = book.open.values().map(|basket| basket.items.len()).sum::<usize>();
    if book.open.len() >= OPEN_MAX || lines.saturating_add(cmd.items.len()) > OPEN_LINES_MAX {
        let allowed = ["pay", "void"].map(str::to_owned).to_vec();
        return Err(Refusal::InvalidState { state: "full".to_owned(), allowed });
    }
    if let Some(member) = &cmd.member_id {
        // This version keeps no members.
        return Err(Refusal::UnknownMember(member.0.clone()));
    }
    let found = catalogue(&cmd.items, products)?;
    price_policy(&cmd.items, &found, caller, rules)?;
    let transaction = open(cmd, id, now, caller, &found, rules, book)?;
    record::basket_fits(&transaction)?;
    Ok(Event::TransactionOpen { transaction: Box::new(transaction), shift: None })
}

/// The product of each line.
fn catalogue<'a>(
    items: &[NewItem],
    products: &'a BTreeMap<Sku, Product>,
) -> Result<Vec<&'a Product>, Refusal> {
    let mut unknown: Vec<String> = Vec::new();
    let mut idle = Vec::new();
    let mut found = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        match products.get(&item.sku) {
            None if unknown.contains(&item.sku.0) => {}
            None => unknown.push(item.sku.0.clone()),
            Some(product) if !product.active => idle.push(FieldProblem {
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

/// A price other than the catalogue's: flagged, for managers only, or refused.
fn price_policy(
    items: &[NewItem],
    found: &[&Product],
    caller: &Caller,
    rules: &Rules,
) -> Result<(), Refusal> {
    let other = |(_, (item, product)): &(usize, (&NewItem, &&Product))| item.price != product.price;
    let mut overrides = items.iter().zip(found).enumerate().filter(other).peekable();
    if overrides.peek().is_none() {
        return Ok(());
    }
    match rules.price_override {
        PriceOverride::Flag => Ok(()),
        PriceOverride::Manager if caller.role.manages() => Ok(()),
        PriceOverride::Manager => Err(Refusal::ApprovalRequired),
        PriceOverride::Reject => Err(Refusal::ValidationFailed(
            overrides
                .map(|(place, (_, product))| FieldProblem {
                    path: format!("items[{place}].price"),
                    problem: format!("must be the catalogue's {}", product.price),
                })
                .collect(),
        )),
    }
}

fn open(
    cmd: &CreateSale,
    id: TransactionId,
    now: UtcMs,
    caller: &Caller,
    found: &[&Product],
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Transaction, Refusal> {
    let rates = found.iter().map(|product| product.tax_rate_bp.unwrap_or(rules.default_rate_bp));
    let asked: Vec<BasketLine> = cmd
        .items
        .iter()
        .zip(rates)
        .map(|(item, rate_bp)| BasketLine {
            qty: item.qty,
            price: item.price,
            discount: item.discount.unwrap_or(0),
            rate_bp,
        })
        .collect();
    let basket = basket::price(&asked, cmd.discount.unwrap_or(0), rules.prices_include_tax)?;
    let items: Vec<Line> = (1_u32..)
        .zip(found.iter().zip(asked.iter().zip(&basket.lines)))
        .map(|(line_no, (product, (asked, priced)))| {
            line(line_no, product, asked, priced, cmd.discount_reason.as_deref())
        })
        .collect();
    let overridden = items.iter().any(|line| line.price_override);
    Ok(Transaction {
        transaction_id: id,
        receipt_no: None,
        state: TransactionState::Open,
        business_date: book.shift.business_date,
        occurred_at: now,
        store_id: book.shift.store_id.clone(),
        register_id: book.shift.register_id.clone(),
        shift_id: book.shift.shift_id.clone(),
        cashier_id: caller.user_id.clone(),
        member_id: None,
        items,
        prices_include_tax: rules.prices_include_tax,
        subtotal: basket.subtotal,
        discount: basket.discount,
        tax: basket.tax,
        rounding: 0,
        total: basket.total,
        points_earned: 0,
        points_redeemed: 0,
        payments: Vec::new(),
        amount_paid: 0,
        amount_due: basket.total,
        cash_due: cash_due(basket.total, rules)?,
        change: 0,
        refunded: 0,
        flags: overridden.then(|| PRICE_OVERRIDE.to_owned()).into_iter().collect(),
        created_at: now,
        paid_at: None,
        voided_at: None,
        void_reason: None,
        note: cmd.note.clone(),
    })
}

fn line(
    line_no: u32,
    product: &Product,
    asked: &BasketLine,
    priced: &PricedLine,
    reason: Option<&str>,
) -> Line {
    let manual = (DiscountSource::Manual, asked.discount, None);
    let basket = (DiscountSource::Basket, priced.share, reason);
    let discounts = [manual, basket]
        .into_iter()
        .filter(|(_, amount, _)| *amount > 0)
        .map(|(source, amount, reason)| LineDiscount {
            source,
            promotion_id: None,
            amount,
            reason: reason.map(str::to_owned),
        })
        .collect();
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
        returned_qty: 0,
        track_stock: product.track_stock,
        cost: None,
    }
}
