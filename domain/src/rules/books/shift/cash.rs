//! Cash that moves without a sale, and the steps after the close: blind end, recount.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::ids::CashId;
use crate::model::base::limits::{CASH_MAX, REFERENCE_CHARS_MAX, TEXT_CHARS_MAX};
use crate::model::base::money::sum;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Cash, CashKind, CashMovement, Shift, ShiftBook, ShiftState};
use crate::model::people::authorization::Authorization;
use crate::rules::books::shift::{may_run, register_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/shifts/:id/cash-movements`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveCash {
    /// Kind of cash movement.
    #[serde(rename = "type")]
    pub kind: CashKind,
    /// Amount in minor currency units, above 0; 0 for `no_sale`.
    #[serde(default)]
    #[schemars(range(min = 0, max = CASH_MAX))]
    pub amount: Money,
    /// Reason for the movement.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
    /// Reason code, from the shop's list of reasons. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub reason_code: Option<String>,
    /// Number of the bag of a drop. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub bag_no: Option<String>,
}

/// Request body of `POST /api/shifts/:id/cash-movements/:cash_id/reverse`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReverseCash {
    /// Reason for reversing the movement.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

impl MoveCash {
    /// Checks that need no data of the shift.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        match self.kind {
            CashKind::NoSale => fields.range("amount", self.amount, 0..=0),
            _ => fields.cash("amount", self.amount, 1),
        }
        fields.trimmed("reason", &self.reason, TEXT_CHARS_MAX);
        fields.text("reason_code", self.reason_code.as_deref(), REFERENCE_CHARS_MAX);
        fields.text("bag_no", self.bag_no.as_deref(), REFERENCE_CHARS_MAX);
        if self.bag_no.is_some() && self.kind != CashKind::Drop {
            fields.wrong("bag_no", "applies to a drop only");
        }
        fields.done()
    }
}

/// Moves cash in or out of the book's shift.
///
/// # Errors
/// `validation_failed` (also for more than the drawer holds), `insufficient_role`, `invalid_state` (closed),
/// `approval_required` (a pay-out above the limit).
pub fn move_cash(
    cmd: &MoveCash,
    id: CashId,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Event<fact::CashMoved>, Refusal> {
    cmd.check()?;
    may_run(authorization.caller, &book.shift)?;
    if !matches!(book.shift.state, ShiftState::Open | ShiftState::Ended) {
        return Err(book.shift.state.refusal());
    }
    let leaves = matches!(cmd.kind, CashKind::PayOut | CashKind::Drop);
    if leaves {
        may_try("amount", authorization, rules, book)?;
        is_in_drawer("amount", "is", cmd.amount, &book.shift, authorization, rules)?;
    }
    let limit = rules.policy.pay_out_value;
    // All of a shift count together: many small ones are no way round the limit.
    let paid_out = book.shift.totals.pay_out.saturating_add(cmd.amount);
    if cmd.kind == CashKind::PayOut && limit > 0 && paid_out > limit {
        authorization.manager_for(|| {
            NeedsApproval::of("paying out this much in one shift").at("amount").beyond(
                paid_out,
                limit,
                "approval.pay_out_value",
            )
        })?;
    }
    let mut shift = book.shift.clone();
    if let Some(so_far) = shift.totals.of_cash(cmd.kind) {
        *so_far = sum("amount", [*so_far, cmd.amount])?;
    }
    let movement = CashMovement {
        cash_id: id,
        shift_id: shift.shift_id.clone(),
        register_id: register_of(authorization, &shift).unwrap_or(&shift.register_id).clone(),
        business_date: shift.business_date,
        kind: cmd.kind,
        amount: cmd.amount,
        reverses: None,
        reason: cmd.reason.trim().to_owned(),
        reason_code: cmd.reason_code.clone(),
        bag_no: cmd.bag_no.clone(),
        user_id: authorization.caller.user_id.clone(),
        at: now,
    };
    Ok(Event::new(fact::CashMoved { movement }, Rows::of_shift(shift)))
}

/// Most drawer figures of a user who counts blind that may be refused, before a manager has to approve the next.
pub const BLIND_TRIES_MAX: u32 = 2;

/// Whether a refusal reveals something about a drawer that its cashier counts blind: such refusals are counted.
pub fn is_blind_try(refusal: &Refusal, authorization: &Authorization<'_>, rules: &Rules) -> bool {
    // A count that differs, or cash that the drawer does not hold. A pay-out above the limit reveals nothing about the
    // drawer.
    let about_the_drawer = match refusal {
        Refusal::ApprovalRequired(needs) => needs.path.as_deref() == Some("counted_cash"),
        Refusal::ValidationFailed(problems) => problems.iter().any(|at| at.path == "amount"),
        _ => false,
    };
    rules.policy.blind && !authorization.manages() && about_the_drawer
}

/// Requires a manager of a user who counts blind and was refused too often, whether the figures are right or wrong.
///
/// # Errors
/// `approval_required`.
pub(super) fn may_try(
    path: &'static str,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<(), Refusal> {
    if !rules.policy.blind || book.blind_tries < BLIND_TRIES_MAX {
        return Ok(());
    }
    authorization
        .manager_for(|| NeedsApproval::of("another attempt to count after several refused ones").at(path))
}

/// Whether the drawer holds the amount that is to leave it.
fn is_in_drawer(
    path: &str,
    verb: &str,
    amount: Money,
    shift: &Shift,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let there = Cash::of(shift).expected;
    if amount <= there {
        return Ok(());
    }
    // In a blind count the cashier must not learn the expected amount.
    let blind = rules.policy.blind && !authorization.caller.role.manages();
    let left = if blind { "the cash".to_owned() } else { format!("the {}", there.max(Money::ZERO)) };
    Err(Refusal::field(path, format!("{verb} more than {left} in the drawer according to the books")))
}

/// Checks that the drawer holds the cash that goes back to a customer, or that a manager approves it; given the shift
/// before and after.
///
/// Unlike a pay-out it may go beyond the books: a manager may have brought the notes from elsewhere.
///
/// # Errors
/// `approval_required`.
pub fn hands_back(
    before: &Shift,
    after: &Shift,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let (there, left) = (Cash::of(before).expected, Cash::of(after).expected);
    if left >= 0 || left >= there {
        return Ok(());
    }
    authorization.manager_for(|| {
        let needs =
            NeedsApproval::of("giving back more cash than the drawer contains according to the books");
        // In a blind count the cashier must not learn the expected amount.
        if rules.policy.blind {
            return needs;
        }
        NeedsApproval {
            value: Some(there.saturating_sub(left).get()),
            limit: Some(there.max(Money::ZERO).get()),
            ..needs
        }
    })
}

/// Reverses a wrong cash movement of the book's shift by another movement, before the drawer is counted.
///
/// # Errors
/// `validation_failed` (also a pay-in that is no longer in the drawer), `insufficient_role`, `approval_required` (a
/// cashier alone), `invalid_state` (counted; already reversed; nothing to reverse).
pub fn reverse_cash(
    cmd: &ReverseCash,
    wrong: &CashMovement,
    id: CashId,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Event<fact::CashMoved>, Refusal> {
    let mut fields = Fields::default();
    fields.trimmed("reason", &cmd.reason, TEXT_CHARS_MAX);
    fields.done()?;
    may_run(authorization.caller, &book.shift)?;
    if !matches!(book.shift.state, ShiftState::Open | ShiftState::Ended) {
        return Err(book.shift.state.refusal());
    }
    let refused = |state: &str| Refusal::InvalidState { state: state.to_owned(), allowed: Vec::new() };
    let mut shift = book.shift.clone();
    if !shift.reversed.insert(wrong.cash_id.clone()) {
        return Err(refused("reversed"));
    }
    let amount = wrong.amount.saturating_neg();
    match shift.totals.of_cash(wrong.kind).filter(|_| wrong.reverses.is_none()) {
        Some(so_far) => *so_far = sum("amount", [*so_far, amount])?,
        None => return Err(refused(if wrong.reverses.is_some() { "reversal" } else { "no_sale" })),
    }
    authorization.manager_for(|| NeedsApproval::of("reversing a cash movement"))?;
    if wrong.kind == CashKind::PayIn {
        is_in_drawer("cash_id", "reverses", wrong.amount, &book.shift, authorization, rules)?;
    }
    let movement = CashMovement {
        cash_id: id,
        amount,
        reverses: Some(wrong.cash_id.clone()),
        reason: cmd.reason.trim().to_owned(),
        user_id: authorization.caller.user_id.clone(),
        at: now,
        ..wrong.clone()
    };
    Ok(Event::new(fact::CashMoved { movement }, Rows::of_shift(shift)))
}

/// Ends the book's shift blind: no more sales, not yet counted.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `shift_has_open_transactions`.
pub fn end(
    now: UtcMs,
    authorization: &Authorization<'_>,
    book: &ShiftBook,
) -> Result<Event<fact::ShiftEnded>, Refusal> {
    may_run(authorization.caller, &book.shift)?;
    if book.shift.state != ShiftState::Open {
        return Err(book.shift.state.refusal());
    }
    if !book.open.is_empty() {
        let transactions = book.open.keys().map(|id| id.0.clone()).collect();
        return Err(Refusal::ShiftHasOpenTransactions { transactions });
    }
    let shift = Shift { state: ShiftState::Ended, ended_at: Some(now), ..book.shift.clone() };
    Ok(Event::of(fact::ShiftEnded { shift }))
}
