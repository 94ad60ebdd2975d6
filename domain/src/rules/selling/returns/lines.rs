//! Returned lines: pieces of sold lines, or goods without a receipt.

use crate::model::base::figures::Money;
use crate::model::base::ids::Sku;
use crate::model::base::limits::ITEMS_MAX;
use crate::model::base::money::{figure, product as times, sum};
use crate::model::base::refusal::{Refusal, ReturnLeft};
use crate::model::base::settings::Rules;
use crate::model::inventory::product::Product;
use crate::model::selling::returns::{ReturnLine, SaleAfter, Span, span};
use crate::model::selling::transaction::{Line, Transaction};
use crate::rules::selling::refund::{RefundPart, SoldLine, cost_back};
use crate::rules::selling::returns::{NewReturn, NewReturnItem};
use crate::rules::selling::tax::tax;
use std::collections::BTreeMap;

/// Lines of a receipted return; their pieces are added to `after`.
///
/// # Errors
/// `return_exceeds_sold`, also for a product that the sale does not have.
pub(super) fn receipted(
    cmd: &NewReturn,
    sale: &Transaction,
    after: &mut SaleAfter,
) -> Result<Vec<ReturnLine>, Refusal> {
    let (mut lines, mut exceeded) = (Vec::new(), Vec::new());
    for (place, item) in cmd.items.iter().enumerate() {
        let mut left = item.qty;
        let fits =
            |line: &&Line| line.sku == item.sku && item.line_no.is_none_or(|line_no| line_no == line.line_no);
        for sold in sale.items.iter().filter(fits) {
            let pieces = after.take(sold.line_no, sold.qty, left);
            if !pieces.is_empty() {
                left = left.saturating_sub(span::pieces(&pieces));
                lines.push(back(sold, pieces, item, sale.prices_include_tax)?);
            }
        }
        if left > 0 {
            // Pieces that other items of the request name are not left either.
            let sold = sale.items.iter().filter(fits).map(|line| line.qty).sum();
            let (path, sku) = (format!("items[{place}]"), item.sku.0.clone());
            let free = item.qty.saturating_sub(left);
            exceeded.push(ReturnLeft::new(path, sku, sold, free, item.qty));
        }
    }
    if !exceeded.is_empty() {
        return Err(Refusal::ReturnExceedsSold(exceeded));
    }
    numbered(lines)
}

/// The line of a return for `pieces` of a sold line.
fn back(
    sold: &Line,
    pieces: Vec<Span>,
    item: &NewReturnItem,
    contained: bool,
) -> Result<ReturnLine, Refusal> {
    let whole = SoldLine::of(sold, contained);
    let (mut part, mut cost) = (RefundPart::default(), Money::ZERO);
    for span in &pieces {
        part = part.plus(&whole.part(span.start.into(), span.qty())?);
        let back = cost_back(sold.cost.unwrap_or(Money::ZERO), sold.qty, span.start.into(), span.qty());
        cost = cost.saturating_add(back);
    }
    Ok(ReturnLine {
        line_no: 0,
        sold_line_no: Some(sold.line_no),
        sku: sold.sku.clone(),
        name: sold.name.clone(),
        qty: span::pieces(&pieces),
        pieces,
        price: sold.price,
        gross: part.gross,
        discount: part.discount,
        tax_rate_bp: sold.tax_rate_bp,
        tax: part.tax,
        refund: part.refund,
        cost,
        correction: Money::ZERO,
        disposition: item.disposition(),
        reason: item.reason.clone(),
        track_stock: sold.track_stock,
        balance_after: None,
    })
}

/// Lines of a return without a receipt, at the manager's price and the present tax rate.
///
/// # Errors
/// `unknown_sku` with all of them, `validation_failed`.
pub(super) fn unreceipted(
    cmd: &NewReturn,
    products: &BTreeMap<Sku, Product>,
    rules: &Rules,
) -> Result<Vec<ReturnLine>, Refusal> {
    let missing = |item: &&NewReturnItem| !products.contains_key(&item.sku);
    let mut unknown: Vec<String> = cmd.items.iter().filter(missing).map(|item| item.sku.0.clone()).collect();
    unknown.dedup();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownSku(unknown));
    }
    let found = cmd.items.iter().filter_map(|item| products.get(&item.sku).map(|product| (item, product)));
    numbered(found.map(|(item, product)| priced(item, product, rules)).collect::<Result<_, Refusal>>()?)
}

/// A line of a return without a receipt.
fn priced(item: &NewReturnItem, product: &Product, rules: &Rules) -> Result<ReturnLine, Refusal> {
    let price = item.price.unwrap_or(Money::ZERO);
    let gross = figure("items", times(item.qty, price))?;
    let rate_bp = product.tax_rate_bp.unwrap_or(rules.default_rate_bp);
    let tax = figure("items", tax(gross, rate_bp.into(), rules.prices_include_tax))?;
    Ok(ReturnLine {
        line_no: 0,
        sold_line_no: None,
        pieces: Vec::new(),
        sku: product.sku.clone(),
        name: product.name.clone(),
        qty: item.qty,
        price,
        gross,
        discount: Money::ZERO,
        tax_rate_bp: rate_bp,
        tax,
        refund: if rules.prices_include_tax { gross } else { sum("items", [gross, tax])? },
        cost: Money::ZERO,
        correction: Money::ZERO,
        disposition: item.disposition(),
        reason: item.reason.clone(),
        track_stock: product.track_stock,
        balance_after: None,
    })
}

/// Numbers the lines from 1.
fn numbered(mut lines: Vec<ReturnLine>) -> Result<Vec<ReturnLine>, Refusal> {
    if lines.len() > ITEMS_MAX {
        return Err(Refusal::field("items", format!("must not make more than {ITEMS_MAX} lines")));
    }
    for (line_no, line) in (1_u32..).zip(&mut lines) {
        line.line_no = line_no;
    }
    Ok(lines)
}
