//! Which methods a refund goes back by: points in proportion, then the methods other than cash in
//! the order they were used, cash last.

use crate::model::base::money::share;
use crate::model::selling::payment::{CASH, POINTS, Paid};

/// A part of a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tender {
    pub method: String,
    /// Whole currency units, before cash rounding.
    pub amount: i64,
}

/// Splits `amount` over the methods that paid a sale of `total`, of which Σ `refunded` went back.
///
/// The parts add up to `amount` where the methods have that much left. Methods that get nothing
/// are left out.
pub fn tenders(total: i64, amount: i64, paid: &[Paid]) -> Vec<Tender> {
    let before = paid.iter().fold(0_i64, |sum, method| sum.saturating_add(method.refunded));
    let after = before.saturating_add(amount);
    let mut left = amount;
    let mut parts: Vec<Tender> = Vec::new();
    let mut give = |method: &Paid, most: i64| {
        let part = most.min(left).max(0);
        left = left.saturating_sub(part);
        if part > 0 {
            parts.push(Tender { method: method.method.clone(), amount: part });
        }
    };
    for method in paid.iter().filter(|method| method.method == POINTS) {
        let so_far = i64::try_from(share(method.amount, after, total.max(1))).unwrap_or(method.amount);
        give(method, so_far.saturating_sub(method.refunded).min(method.left()));
    }
    let plain = |method: &&Paid| method.method != POINTS && method.method != CASH;
    for method in paid.iter().filter(plain) {
        give(method, method.left());
    }
    for method in paid.iter().filter(|method| method.method == CASH) {
        give(method, method.left());
    }
    parts
}
