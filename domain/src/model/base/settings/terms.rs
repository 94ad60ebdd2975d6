//! Terms that a shift begins with and keeps until it is closed.

use super::{RoundingMode, Rules};
use crate::model::base::figures::{Money, Points};
use serde::{Deserialize, Serialize};

/// Terms by which baskets are taxed and paid, and earn points. A change by head office counts from the next shift on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Tax rate in basis points for products without a rate of their own.
    pub default_rate_bp: u32,
    /// Whether prices contain tax.
    pub prices_include_tax: bool,
    pub methods: Vec<String>,
    /// Smallest cash step in minor currency units; 0 if cash is not rounded.
    pub cash_rounding: Money,
    /// Mode of cash rounding.
    pub cash_rounding_mode: RoundingMode,
    /// Amount for which one point is earned, in minor currency units.
    pub earn_per: Money,
    /// Most points of one member that may be redeemed while head office is away.
    pub points_offline_limit: Points,
    /// Days that points live; 0: for ever.
    pub points_expire_days: u32,
    /// Days that given-back points of an expired lot live again.
    pub points_restore_days: u32,
}

impl Rules {
    pub fn terms(&self) -> Terms {
        Terms {
            default_rate_bp: self.default_rate_bp,
            prices_include_tax: self.prices_include_tax,
            methods: self.methods.clone(),
            cash_rounding: self.cash_rounding,
            cash_rounding_mode: self.cash_rounding_mode,
            earn_per: self.earn_per,
            points_offline_limit: self.policy.points_offline_limit,
            points_expire_days: self.policy.points_expire_days,
            points_restore_days: self.policy.points_restore_days,
        }
    }

    /// The same under other terms.
    #[must_use]
    pub fn under(&self, terms: &Terms) -> Self {
        let mut rules = self.clone();
        rules.default_rate_bp = terms.default_rate_bp;
        rules.prices_include_tax = terms.prices_include_tax;
        rules.methods.clone_from(&terms.methods);
        rules.cash_rounding = terms.cash_rounding;
        rules.cash_rounding_mode = terms.cash_rounding_mode;
        rules.earn_per = terms.earn_per;
        rules.policy.points_offline_limit = terms.points_offline_limit;
        rules.policy.points_expire_days = terms.points_expire_days;
        rules.policy.points_restore_days = terms.points_restore_days;
        rules
    }

    /// The rules of a shift that is opened now.
    #[must_use]
    pub fn of_next_shift(&self) -> Self {
        self.next_terms.as_ref().map_or_else(|| self.clone(), |terms| self.under(terms))
    }
}
