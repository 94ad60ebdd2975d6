//! Who stands at a till, when, before which shelf, by which rules and with which shift.

use super::Shelf;
use super::create::in_time;
use crate::mandate::Mandate;
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::shift::{ShiftBook, may_sell};
use crate::time::UtcMs;

/// What the rule of every basket that is made or changed is asked with.
#[derive(Debug, Clone, Copy)]
pub struct Till<'a> {
    /// When.
    pub now: UtcMs,
    /// Who.
    pub mandate: Mandate<'a>,
    /// What the basket is priced with.
    pub shelf: Shelf<'a>,
    /// By which rules.
    pub rules: &'a Rules,
    /// The shift's book.
    pub book: &'a ShiftBook,
}

impl Till<'_> {
    /// Whether it sells.
    ///
    /// # Errors
    /// `insufficient_role`, `invalid_state`.
    pub(super) fn sells(&self) -> Result<(), Refusal> {
        may_sell(self.mandate.caller, &self.book.shift)?;
        in_time(&self.book.shift, self.now, self.rules)
    }
}
