//! Tax of one line (docs/arithmetic.md#price-discount-and-tax): rounded once, half up, per line and never per basket.

use crate::model::base::figures::{BasisPoints, Money};
use crate::model::base::money::{half_up, product};

/// Eleven twelfths of a base, half up: the base for 12 % if 11 % are owed.
pub fn eleven_twelfths(base: Money) -> Money {
    Money::try_from(half_up(product(base, 11), 12)).unwrap_or(base)
}

/// Tax on `net` at a rate: added to it, or contained in it.
///
/// Never above `net × rate`, so a legal net with a legal rate stays within 128 bits.
pub fn tax(net: Money, rate: BasisPoints, contained: bool) -> i128 {
    let whole = if contained { BasisPoints::WHOLE.saturating_add(rate) } else { BasisPoints::WHOLE };
    half_up(product(net, rate), whole.into())
}
