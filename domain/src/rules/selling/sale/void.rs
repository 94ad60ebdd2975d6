//! Voids: a basket that nothing was paid of, one that is partly paid, a sale in its own shift.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::ids::TransactionId;
use crate::model::base::limits::TEXT_CHARS_MAX;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::people::authorization::Authorization;
use crate::model::selling::payment::{EXCHANGE, ReversedPayment};
use crate::model::selling::reasons::Why;
use crate::model::selling::transaction::{Payment, PaymentState, Transaction, TransactionState};
use crate::rules::books::shift::{may_sell, may_work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/pos/transactions/:id/void`, and of reversing a payment and voiding a return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VoidSale {
    /// Reason for the void.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// A voided sale, before the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoidDraft {
    /// Voided, its payments reversed.
    pub transaction: Transaction,
    /// The shift with this void applied.
    pub shift: Shift,
    /// One per payment.
    pub refunds: Vec<ReversedPayment>,
}

impl VoidSale {
    /// Checks that need no data of the sale.
    ///
    /// # Errors
    /// `validation_failed`.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.trimmed("reason", &self.reason, TEXT_CHARS_MAX);
        fields.done()
    }
}

/// Voids a basket of the book's shift that is not complete.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state`, `approval_required` (something is, or was, paid).
pub fn void_open(
    cmd: &VoidSale,
    id: &TransactionId,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Event<fact::TransactionVoided>, Refusal> {
    cmd.check()?;
    rules.policy.reasons.check(Why::Void, "reason", Some(&cmd.reason))?;
    may_work(authorization, &book.shift)?;
    let basket = book.open.get(id).ok_or_else(|| TransactionState::Paid.refusal())?;
    may_drop(basket, authorization)?;
    let (transaction, mut shift, refunds) = reversed(cmd, basket, now, &book.shift)?;
    shift.totals.void(&transaction);
    Ok(Event::new(fact::TransactionVoided { transaction, refunds }, Rows::of_shift(shift)))
}

/// Whether a basket may be dropped, lessened or put away: nothing was ever paid, or a manager approves it.
/// That its payments were taken back one by one before makes no difference: the money has gone back, and no goods were
/// sold.
///
/// # Errors
/// `approval_required`.
pub(crate) fn may_drop(basket: &Transaction, authorization: &Authorization<'_>) -> Result<(), Refusal> {
    if basket.payments.is_empty() {
        return Ok(());
    }
    authorization.manager_for(|| NeedsApproval::of("voiding, reducing or holding a partly paid sale"))
}

/// Drafts the void of a paid `sale` in its own shift.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `approval_required`, `invalid_state` (not paid, or
/// not in this shift: it can be returned).
pub fn draft_void(
    cmd: &VoidSale,
    sale: &Transaction,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<VoidDraft, Refusal> {
    cmd.check()?;
    rules.policy.reasons.check(Why::Void, "reason", Some(&cmd.reason))?;
    if sale.state != TransactionState::Paid {
        return Err(sale.state.refusal());
    }
    if sale.shift_id != book.shift.shift_id {
        return Err(only_return());
    }
    may_sell(authorization, &book.shift)?;
    authorization.manager_for(|| NeedsApproval::of("voiding a paid sale"))?;
    let (transaction, mut shift, refunds) = reversed(cmd, sale, now, &book.shift)?;
    shift.totals.uncomplete(sale);
    Ok(VoidDraft { transaction, shift, refunds })
}

/// A sale whose shift is over, or that has returned pieces, can only be returned.
pub fn only_return() -> Refusal {
    let (state, allowed) = (TransactionState::Paid.name().to_owned(), vec!["return".to_owned()]);
    Refusal::InvalidState { state, allowed }
}

fn reversed(
    cmd: &VoidSale,
    before: &Transaction,
    now: UtcMs,
    shift: &Shift,
) -> Result<(Transaction, Shift, Vec<ReversedPayment>), Refusal> {
    let mut shift = shift.clone();
    let mut after = before.clone();
    let refunds = take_back(&mut after.payments, &mut shift)?;
    after.state = TransactionState::Voided;
    after.voided_at = Some(now);
    after.void_reason = Some(cmd.reason.trim().to_owned());
    Ok((after, shift, refunds))
}

/// Reverses the payments that count; an exchange goes back by its original method.
///
/// # Errors
/// `validation_failed` when a sum leaves the range of figures.
pub(super) fn take_back(
    payments: &mut [Payment],
    shift: &mut Shift,
) -> Result<Vec<ReversedPayment>, Refusal> {
    let mut refunds = Vec::new();
    for payment in payments.iter_mut().filter(|payment| payment.counts()) {
        shift.totals.untake(payment);
        let exchange = payment.method == EXCHANGE;
        let rounding = payment.rounding.saturating_add(payment.origin_rounding);
        let method = payment.settled_method().to_owned();
        if exchange {
            // The return's amount for the exchange is refunded by the true method instead.
            shift.totals.add_refund(EXCHANGE, payment.amount.saturating_neg(), Money::ZERO)?;
            shift.totals.add_refund(&method, payment.amount, rounding)?;
        }
        let (payment_id, amount) = (payment.payment_id.clone(), payment.amount);
        refunds.push(ReversedPayment { payment_id, method, amount, rounding, exchange });
        payment.state = PaymentState::Reversed;
    }
    Ok(refunds)
}
