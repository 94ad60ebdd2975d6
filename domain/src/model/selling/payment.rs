//! Payments and their refunds.

use crate::model::base::figures::Money;
use crate::model::base::ids::PaymentId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The one method that gives change and is rounded.
pub const CASH: &str = "cash";

/// The method that spends a member's points.
pub const POINTS: &str = "points";

/// The method by which a return pays a new sale; its origin is the method that paid the old one.
pub const EXCHANGE: &str = "exchange";

/// Amount that one method paid of a sale, and the amount that went back by it so far. In the order of use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Paid {
    /// `cash`, `card`, …; for an `exchange` the method of the sale that it came from.
    pub method: String,
    /// Sum of the accepted amounts.
    pub amount: Money,
    /// Sum of the refunds.
    pub refunded: Money,
    /// Cash rounding of what was paid: the sale brought amount + rounding.
    pub rounding: Money,
    /// Cash rounding of what went back: refunded + refunded_rounding was paid out.
    pub refunded_rounding: Money,
}

impl Paid {
    /// A method that paid nothing.
    pub fn nothing(method: String) -> Self {
        Self {
            method,
            amount: Money::ZERO,
            refunded: Money::ZERO,
            rounding: Money::ZERO,
            refunded_rounding: Money::ZERO,
        }
    }

    /// Counts a refund by this method; a negative amount takes a refund back.
    pub(crate) fn count_refund(&mut self, amount: Money, rounding: Money) {
        self.refunded = self.refunded.saturating_add(amount);
        self.refunded_rounding = self.refunded_rounding.saturating_add(rounding);
    }

    /// Amount that may still go back by this method without an approval.
    pub fn left(&self) -> Money {
        self.amount.saturating_sub(self.refunded).max(Money::ZERO)
    }
}

/// A reversed payment that the cashier hands back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GivenBack")]
pub struct ReversedPayment {
    /// Payment that is reversed.
    pub payment_id: PaymentId,
    /// Payment method of the money to hand back. For an exchange, the payment method of the returned sale.
    pub method: String,
    /// Amount before cash rounding, in minor currency units.
    pub amount: Money,
    /// Cash rounding, in minor currency units.
    pub rounding: Money,
    /// Whether the payment came from an exchange.
    pub exchange: bool,
}
