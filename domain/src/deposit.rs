//! Deposits: cash from the safe on its way to the bank.

use crate::day::dated;
use crate::event::Event;
use crate::fields::{Fields, REFERENCE_BYTES_MAX, TEXT_BYTES_MAX};
use crate::ids::{CashId, UserId};
use crate::ledger::LedgerBook;
use crate::mandate::{Mandate, allow};
use crate::money::{FIGURE_MAX, sum};
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod opening;
mod safe;

pub use opening::{OpenSafe, SafeOpening, open_safe};
pub use safe::Safe;

/// `POST /cash-deposits`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDeposit {
    /// Whole currency units, above 0.
    pub amount: i64,
    /// The bag.
    pub bag_no: String,
    /// Where it goes.
    pub bank_account: String,
    /// When it left; none: now.
    pub deposited_at: Option<UtcMs>,
}

/// `POST /cash-deposits/:id/reverse`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReverseDeposit {
    /// Why.
    pub reason: String,
}

/// Cash that left for the bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deposit {
    /// `csh_…`
    pub deposit_id: CashId,
    /// Whole currency units; below 0: it takes another deposit back.
    pub amount: i64,
    /// The deposit that it takes back.
    pub reverses: Option<CashId>,
    /// Why it does.
    pub reason: Option<String>,
    /// The bag.
    pub bag_no: String,
    /// Where it goes.
    pub bank_account: String,
    /// When it left.
    pub deposited_at: UtcMs,
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// Who wrote it down.
    pub user_id: UserId,
    /// When.
    pub at: UtcMs,
}

/// Writes a deposit down; `before` is Σ the deposits so far, `came` what came into the safe but for them.
///
/// # Errors
/// `validation_failed` (also for more than lies in the safe), `insufficient_role`.
#[expect(clippy::too_many_arguments, reason = "a rule gets all that it may know as arguments")]
pub fn deposit(
    cmd: &NewDeposit,
    id: CashId,
    before: i64,
    came: i64,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    let mut fields = Fields::default();
    fields.range("amount", cmd.amount, 1..=FIGURE_MAX);
    fields.name("bag_no", cmd.bag_no.trim(), REFERENCE_BYTES_MAX);
    fields.name("bank_account", cmd.bank_account.trim(), REFERENCE_BYTES_MAX);
    if cmd.deposited_at.is_some_and(|at| at > now) {
        fields.wrong("deposited_at", "has not come yet");
    }
    fields.done()?;
    allow(mandate.caller.role.manages())?;
    let there = came.saturating_sub(before);
    if cmd.amount > there {
        let problem = format!("{} is more than the {there} that lie in the safe by the books", cmd.amount);
        return Err(Refusal::field("amount", problem));
    }
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
        user_id: mandate.caller.user_id.clone(),
        at: now,
    };
    let total = sum("amount", [before, deposit.amount])?;
    Ok(Event::CashDeposited { deposit, total: Some(total) })
}

/// Takes a wrong deposit back by one of its own; `reversed`: that was done before, `before`: Σ the deposits so far.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state` (taken back before, or takes one back itself).
#[expect(clippy::too_many_arguments, reason = "a rule gets all that it may know as arguments")]
pub fn reverse(
    cmd: &ReverseDeposit,
    wrong: &Deposit,
    reversed: bool,
    id: CashId,
    before: i64,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    let mut fields = Fields::default();
    fields.name("reason", cmd.reason.trim(), TEXT_BYTES_MAX);
    fields.done()?;
    allow(mandate.caller.role.manages())?;
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
        user_id: mandate.caller.user_id.clone(),
        at: now,
        ..wrong.clone()
    };
    let total = sum("amount", [before, deposit.amount])?;
    Ok(Event::CashDeposited { deposit, total: Some(total) })
}
