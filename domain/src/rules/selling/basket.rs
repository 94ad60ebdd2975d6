//! Prices a basket (docs/arithmetic.md#price-discount-and-tax): line discounts, the basket's discount spread, tax
//! per line.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::money::{figure, figure_at, product, spread, sum};
use crate::model::base::refusal::Refusal;
use crate::rules::selling::tax::tax;

/// Data of a line that pricing needs.
#[derive(Debug, Clone, Copy)]
pub struct BasketLine {
    pub qty: Quantity,
    /// Unit price in minor currency units.
    pub price: Money,
    /// The line's own discount.
    pub discount: Money,
    /// Basis points.
    pub rate_bp: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PricedLine {
    /// qty × price.
    pub gross: Money,
    /// The line's share of the basket's discount.
    pub share: Money,
    /// Own discount and share.
    pub discount: Money,
    /// gross − discount.
    pub net: Money,
    /// Tax on, or contained in, the net.
    pub tax: Money,
    /// net + tax (on top) or net (contained).
    pub total: Money,
}

/// A priced basket; each figure of the header is the sum of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basket {
    /// The lines, in order; never merged or split.
    pub lines: Vec<PricedLine>,
    /// Sum of the gross.
    pub subtotal: Money,
    /// Sum of the discounts, in minor currency units.
    pub discount: Money,
    /// Sum of the tax of the sales, in minor currency units.
    pub tax: Money,
    /// Sum of the totals.
    pub total: Money,
}

/// Prices `lines` with a `discount` on the whole basket.
///
/// # Errors
/// `validation_failed` for a discount above the remaining amount, or a figure above the largest.
pub fn price(lines: &[BasketLine], discount: Money, contained: bool) -> Result<Basket, Refusal> {
    let left = lines.iter().enumerate().map(left_of_line).collect::<Result<Vec<Money>, Refusal>>()?;
    if discount < 0 || discount > sum("items", left.iter().copied())? {
        return Err(Refusal::field("discount", "must be at most the total of the lines"));
    }
    let shares = spread(discount, &left);
    let lines = lines
        .iter()
        .zip(left.iter().zip(shares))
        .map(|(line, (left, share))| priced(line, *left, share, contained))
        .collect::<Result<Vec<_>, Refusal>>()?;
    Ok(Basket {
        subtotal: sum("items", lines.iter().map(|line| line.gross))?,
        discount: sum("items", lines.iter().map(|line| line.discount))?,
        tax: sum("items", lines.iter().map(|line| line.tax))?,
        total: sum("items", lines.iter().map(|line| line.total))?,
        lines,
    })
}

/// gross − own discount.
fn left_of_line((place, line): (usize, &BasketLine)) -> Result<Money, Refusal> {
    let gross: Money = figure_at(|| format!("items[{place}]"), product(line.qty, line.price))?;
    if line.discount < 0 || line.discount > gross {
        return Err(Refusal::field(format!("items[{place}].discount"), "must be at most the line's price"));
    }
    Ok(gross.saturating_sub(line.discount))
}

fn priced(line: &BasketLine, left: Money, share: Money, contained: bool) -> Result<PricedLine, Refusal> {
    let net = left.saturating_sub(share);
    let tax = figure("items", tax(net, line.rate_bp.into(), contained))?;
    Ok(PricedLine {
        gross: left.saturating_add(line.discount),
        share,
        discount: line.discount.saturating_add(share),
        net,
        tax,
        total: if contained { net } else { sum("items", [net, tax])? },
    })
}
