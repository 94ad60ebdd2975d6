//! The context of a till: user, time, prices, rules and shift.

use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::ShiftBook;
use crate::model::people::authorization::Authorization;
use crate::rules::books::shift::may_sell;
use crate::rules::selling::sale::PricingContext;
use crate::rules::selling::sale::create::in_time;

/// Context of the rule of every basket that is made or changed.
#[derive(Debug, Clone, Copy)]
pub struct TillContext<'a> {
    /// When the basket is made or changed.
    pub now: UtcMs,
    /// Authorization of the caller.
    pub authorization: Authorization<'a>,
    /// Data that the basket is priced with.
    pub pricing: PricingContext<'a>,
    pub rules: &'a Rules,
    pub book: &'a ShiftBook,
}

impl TillContext<'_> {
    /// Whether it sells.
    ///
    /// # Errors
    /// `insufficient_role`, `invalid_state`.
    pub(super) fn sells(&self) -> Result<(), Refusal> {
        may_sell(&self.authorization, &self.book.shift)?;
        in_time(&self.book.shift, self.now, self.rules)
    }
}
