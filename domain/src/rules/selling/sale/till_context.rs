//! Who stands at a till, when, priced with what, by which rules and with which shift.

use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::ShiftBook;
use crate::model::people::authorization::Authorization;
use crate::rules::books::shift::may_sell;
use crate::rules::selling::sale::PricingContext;
use crate::rules::selling::sale::create::in_time;

/// What the rule of every basket that is made or changed is asked with.
#[derive(Debug, Clone, Copy)]
pub struct TillContext<'a> {
    /// When.
    pub now: UtcMs,
    /// Who.
    pub authorization: Authorization<'a>,
    /// What the basket is priced with.
    pub pricing: PricingContext<'a>,
    /// By which rules.
    pub rules: &'a Rules,
    /// The shift's book.
    pub book: &'a ShiftBook,
}

impl TillContext<'_> {
    /// Whether it sells.
    ///
    /// # Errors
    /// `insufficient_role`, `invalid_state`.
    pub(super) fn sells(&self) -> Result<(), Refusal> {
        may_sell(self.authorization.caller, &self.book.shift)?;
        in_time(&self.book.shift, self.now, self.rules)
    }
}
