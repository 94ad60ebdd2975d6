//! Contents of the safe when the store's books begin.

use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::limits::{CASH_MAX, TEXT_CHARS_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::deposit::SafeOpening;
use crate::model::books::ledger::LedgerBook;
use crate::model::people::authorization::{Authorization, allow};
use crate::rules::books::day::dated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/safe/opening`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSafe {
    /// Amount in the safe before the first shift, in minor currency units.
    #[schemars(range(min = 0, max = CASH_MAX))]
    pub amount: Money,
    /// Reason for the opening amount, or the person who counted it.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Records the amount in the safe when the books begin, also to correct an earlier one.
///
/// # Errors
/// `validation_failed`, `insufficient_role`.
pub fn open_safe(
    cmd: &OpenSafe,
    before: Option<&SafeOpening>,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<SafeOpening, Refusal> {
    let mut fields = Fields::default();
    fields.cash("amount", cmd.amount, 0);
    fields.trimmed("reason", &cmd.reason, TEXT_CHARS_MAX);
    fields.done()?;
    allow(authorization.caller.role.manages())?;
    Ok(SafeOpening {
        amount: cmd.amount,
        before: before.map(|before| before.amount),
        reason: cmd.reason.trim().to_owned(),
        business_date: dated(now, rules, book),
        user_id: authorization.caller.user_id.clone(),
        // The latest entry counts, even if the clock was set back.
        at: before.map_or(now, |before| now.max(UtcMs(before.at.0.saturating_add(1)))),
    })
}

/// Whether `one` counts, not `other`: the later one; of two in the same millisecond, the greater one, so that every
/// copy of the store chooses the same.
pub fn is_later(one: &SafeOpening, other: &SafeOpening) -> bool {
    let word =
        |opening: &SafeOpening| (opening.at, opening.amount, opening.user_id.clone(), opening.reason.clone());
    word(one) > word(other)
}
