//! Which methods a refund goes back by: points in proportion, then the methods other than cash in
//! the order they were used, cash last.

use crate::model::base::figures::Money;
use crate::model::base::money::share;
use crate::model::selling::payment::{CASH, POINTS, Paid};

/// A part of a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tender {
    pub method: String,
    /// Minor currency units, before cash rounding.
    pub amount: Money,
}

/// Splits `amount` over the methods that paid a sale of `total`, of which the sum of `refunded` was refunded before.
///
/// The parts add up to `amount` if the methods have that much left. Methods that get nothing are
/// left out.
pub fn tenders(total: Money, amount: Money, paid: &[Paid]) -> Vec<Tender> {
    let before = paid.iter().fold(Money::ZERO, |sum, method| sum.saturating_add(method.refunded));
    let after = before.saturating_add(amount);
    let mut left = amount;
    let mut parts: Vec<Tender> = Vec::new();
    let mut refund_by = |method: &Paid, most: Money| {
        let part = most.min(left).max(Money::ZERO);
        left = left.saturating_sub(part);
        if part > 0 {
            parts.push(Tender { method: method.method.clone(), amount: part });
        }
    };
    for method in paid.iter().filter(|method| method.method == POINTS) {
        let so_far =
            Money::try_from(share(method.amount, after, total.max(Money::new(1)))).unwrap_or(method.amount);
        refund_by(method, so_far.saturating_sub(method.refunded).min(method.left()));
    }
    let plain = |method: &&Paid| method.method != POINTS && method.method != CASH;
    for method in paid.iter().filter(plain) {
        refund_by(method, method.left());
    }
    for method in paid.iter().filter(|method| method.method == CASH) {
        refund_by(method, method.left());
    }
    parts
}
