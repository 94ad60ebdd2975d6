//! Deposits: cash from the safe on its way to the bank.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::ids::CashId;
use crate::model::base::limits::{CASH_MAX, REFERENCE_CHARS_MAX, TEXT_CHARS_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::deposit::Deposit;
use crate::model::books::ledger::LedgerBook;
use crate::model::people::authorization::{Authorization, allow};
use crate::rules::books::day::dated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod opening;
mod safe;
pub use opening::{OpenSafe, is_later, open_safe};
pub use safe::{Share, settle_safe};

/// Request body of `POST /api/deposits`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDeposit {
    /// Amount in minor currency units, above 0.
    #[schemars(range(min = 1, max = CASH_MAX))]
    pub amount: Money,
    /// Number of the deposit bag.
    #[schemars(length(min = 1, max = REFERENCE_CHARS_MAX))]
    pub bag_no: String,
    /// Bank account that the cash goes to.
    #[schemars(length(min = 1, max = REFERENCE_CHARS_MAX))]
    pub bank_account: String,
    /// When the cash left the store. Defaults to now.
    pub deposited_at: Option<UtcMs>,
}

/// Request body of `POST /api/deposits/:id/reverse`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReverseDeposit {
    /// Reason for reversing the deposit.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Most days between a deposit and its recording.
const LATE_DAYS_MAX: i64 = 31;
/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Records a deposit, which can't be more than the safe contains. The event has the safe's content afterwards.
///
/// # Errors
/// `validation_failed` (also for more than is in the safe), `insufficient_role`.
pub fn deposit(
    cmd: &NewDeposit,
    id: CashId,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::CashDeposited>, Refusal> {
    let mut fields = Fields::default();
    fields.cash("amount", cmd.amount, 1);
    fields.trimmed("bag_no", &cmd.bag_no, REFERENCE_CHARS_MAX);
    fields.trimmed("bank_account", &cmd.bank_account, REFERENCE_CHARS_MAX);
    if cmd.deposited_at.is_some_and(|at| at > now) {
        fields.wrong("deposited_at", "must not be in the future");
    }
    let earliest = UtcMs(now.0.saturating_sub(LATE_DAYS_MAX.saturating_mul(DAY_MS)));
    if cmd.deposited_at.is_some_and(|at| at < earliest) {
        fields.wrong("deposited_at", format!("must be within the last {LATE_DAYS_MAX} days"));
    }
    fields.done()?;
    allow(authorization.caller.role.manages())?;
    let deposited_at = cmd.deposited_at.unwrap_or(now);
    let deposit = Deposit {
        deposit_id: id,
        amount: cmd.amount,
        reverses: None,
        reason: None,
        bag_no: cmd.bag_no.trim().to_owned(),
        bank_account: cmd.bank_account.trim().to_owned(),
        deposited_at,
        business_date: dated(deposited_at, rules, book),
        user_id: authorization.caller.user_id.clone(),
        at: now,
    };
    settle_safe(Event::of(fact::CashDeposited { deposit }), None, authorization, book)
}

/// Reverses a wrong deposit by a deposit of the negative amount. `reversed`: whether this was done before.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state` (it was reversed before, or reverses another deposit).
#[expect(clippy::too_many_arguments, reason = "a rule gets all that it may know as arguments")]
pub fn reverse(
    cmd: &ReverseDeposit,
    wrong: &Deposit,
    reversed: bool,
    id: CashId,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event<fact::CashDeposited>, Refusal> {
    let mut fields = Fields::default();
    fields.trimmed("reason", &cmd.reason, TEXT_CHARS_MAX);
    fields.done()?;
    allow(authorization.caller.role.manages())?;
    if reversed || wrong.reverses.is_some() {
        let state = if reversed { "reversed" } else { "reversal" };
        return Err(Refusal::InvalidState { state: state.to_owned(), allowed: Vec::new() });
    }
    let deposit = Deposit {
        deposit_id: id,
        amount: wrong.amount.saturating_neg(),
        reverses: Some(wrong.deposit_id.clone()),
        reason: Some(cmd.reason.trim().to_owned()),
        business_date: dated(now, rules, book),
        user_id: authorization.caller.user_id.clone(),
        at: now,
        ..wrong.clone()
    };
    settle_safe(Event::of(fact::CashDeposited { deposit }), None, authorization, book)
}
