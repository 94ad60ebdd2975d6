//! Documents whose lines name scanned codes.

use crate::owners::pricing::PricingInputs;
use crate::runtime::context::Context;
use crate::runtime::dispatch::Products;
use crate::runtime::failure::Failure;
use domain::rules::selling::sale::Scanned;

/// A document with products and pieces where codes were scanned (`None` if it has no codes), and its products as
/// far as they are known.
pub(crate) fn scanned<C: Clone, L: Scanned>(
    context: &Context,
    command: &C,
    lines: impl FnOnce(&mut C) -> &mut Vec<L>,
) -> Result<(Option<C>, Products), Failure> {
    let mut copy = command.clone();
    let lines = lines(&mut copy);
    let has_codes = lines.iter().any(|line| line.code().is_some());
    if has_codes {
        PricingInputs::scan(&context.storage, lines, context.price_moment())?;
    }
    let products = context.products(lines.iter().map(|line| line.sku()))?;
    Ok((has_codes.then_some(copy), products))
}
