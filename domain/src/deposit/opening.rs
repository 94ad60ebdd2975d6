//! What lies in the safe when the store's books begin.

use crate::day::dated;
use crate::fields::{Fields, TEXT_BYTES_MAX};
use crate::ids::UserId;
use crate::ledger::LedgerBook;
use crate::mandate::{Mandate, allow};
use crate::money::FIGURE_MAX;
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `POST /safe/opening`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSafe {
    /// Whole currency units that lay there before the first shift.
    pub amount: i64,
    /// Why, or who counted it.
    pub reason: String,
}

/// The opening amount of the safe; the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SafeOpening {
    /// Whole currency units.
    pub amount: i64,
    /// What it was before; none: nobody had said.
    pub before: Option<i64>,
    /// Why, or who counted it.
    pub reason: String,
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// Who said it.
    pub user_id: UserId,
    /// When.
    pub at: UtcMs,
}

/// Says what lies in the safe when the books begin; again, where it was wrong.
///
/// # Errors
/// `validation_failed`, `insufficient_role`.
pub fn open_safe(
    cmd: &OpenSafe,
    before: Option<i64>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<SafeOpening, Refusal> {
    let mut fields = Fields::default();
    fields.range("amount", cmd.amount, 0..=FIGURE_MAX);
    fields.name("reason", cmd.reason.trim(), TEXT_BYTES_MAX);
    fields.done()?;
    allow(mandate.caller.role.manages())?;
    Ok(SafeOpening {
        amount: cmd.amount,
        before,
        reason: cmd.reason.trim().to_owned(),
        business_date: dated(now, rules, book),
        user_id: mandate.caller.user_id.clone(),
        at: now,
    })
}
