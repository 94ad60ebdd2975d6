//! Voids: a basket that nothing was paid of, one that is partly paid, a sale in its own shift.

use crate::event::Event;
use crate::fields::{Fields, TEXT_BYTES_MAX};
use crate::ids::{PaymentId, TransactionId};
use crate::mandate::Mandate;
use crate::payment::{CASH, Direction, EXCHANGE, cash_rounding};
use crate::reasons::Why;
use crate::refusal::{NeedsApproval, Refusal};
use crate::settings::Rules;
use crate::shift::{Shift, ShiftBook, may_sell};
use crate::time::UtcMs;
use crate::transaction::{Payment, PaymentState, Transaction, TransactionState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `POST /pos/transactions/:id/void`; also a payment's reversal and a return's void.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VoidSale {
    /// Why.
    pub reason: String,
}

/// Money that a cashier hands back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GivenBack {
    /// The payment that is reversed.
    pub payment_id: PaymentId,
    /// The method that it goes back by: of an exchange that of the sale before it.
    pub method: String,
    /// Before rounding.
    pub amount: i64,
    /// Cash rounding.
    pub rounding: i64,
    /// It came by an exchange.
    pub exchange: bool,
}

/// A voided basket, and what goes back.
#[derive(Debug, Clone, PartialEq)]
pub struct Voided {
    /// What happened.
    pub event: Event,
    /// One per payment.
    pub refunds: Vec<GivenBack>,
}

/// A voided sale, before the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoidDraft {
    /// Voided, its payments reversed.
    pub transaction: Transaction,
    /// Its shift afterwards.
    pub shift: Shift,
    /// One per payment.
    pub refunds: Vec<GivenBack>,
}

impl VoidSale {
    /// What can be told without looking at the sale.
    ///
    /// # Errors
    /// `validation_failed`.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.name("reason", self.reason.trim(), TEXT_BYTES_MAX);
        fields.done()
    }
}

/// Voids a basket of the book's shift that is not complete.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state`, `approval_required` (something is
/// paid).
pub fn void_open(
    cmd: &VoidSale,
    id: &TransactionId,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Voided, Refusal> {
    cmd.check()?;
    rules.policy.reasons.check(Why::Void, "reason", Some(&cmd.reason))?;
    crate::shift::may_run(mandate.caller, &book.shift)?;
    let basket = book.open.get(id).ok_or_else(|| TransactionState::Paid.refusal())?;
    if basket.state == TransactionState::PartiallyPaid {
        mandate.manager_for(|| NeedsApproval::of("voiding a sale that is partly paid"))?;
    }
    let (transaction, mut shift, refunds) = reversed(cmd, basket, now, rules, &book.shift)?;
    shift.totals.void(&transaction)?;
    let event = Event::TransactionVoided {
        transaction: Box::new(transaction),
        refunds: refunds.clone(),
        shift: Box::new(shift),
    };
    Ok(Voided { event, refunds })
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
    mandate: &Mandate<'_>,
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
    may_sell(mandate.caller, &book.shift)?;
    mandate.manager_for(|| NeedsApproval::of("voiding a paid sale"))?;
    let (transaction, mut shift, refunds) = reversed(cmd, sale, now, rules, &book.shift)?;
    shift.totals.uncomplete(sale)?;
    Ok(VoidDraft { transaction, shift, refunds })
}

/// A sale whose shift is over, or of which something came back, can only be returned.
pub fn only_return() -> Refusal {
    let (state, allowed) = (TransactionState::Paid.name().to_owned(), vec!["return".to_owned()]);
    Refusal::InvalidState { state, allowed }
}

fn reversed(
    cmd: &VoidSale,
    before: &Transaction,
    now: UtcMs,
    rules: &Rules,
    shift: &Shift,
) -> Result<(Transaction, Shift, Vec<GivenBack>), Refusal> {
    let mut shift = shift.clone();
    let mut after = before.clone();
    let refunds = take_back(&mut after.payments, &mut shift, rules)?;
    after.state = TransactionState::Voided;
    after.voided_at = Some(now);
    after.void_reason = Some(cmd.reason.trim().to_owned());
    Ok((after, shift, refunds))
}

/// Reverses the payments that count; an exchange goes back by the method of its origin.
///
/// # Errors
/// `validation_failed` when a sum leaves the range of figures.
pub(super) fn take_back(
    payments: &mut [Payment],
    shift: &mut Shift,
    rules: &Rules,
) -> Result<Vec<GivenBack>, Refusal> {
    let mut refunds = Vec::new();
    for payment in payments.iter_mut().filter(|payment| payment.counts()) {
        shift.totals.untake(payment)?;
        let exchange = payment.method == EXCHANGE;
        let rounding = if exchange && payment.really() == CASH {
            let (step, mode) = (rules.cash_rounding, rules.cash_rounding_mode);
            let rounding = cash_rounding(payment.amount, step, mode, Direction::Refund);
            crate::money::figure("payments", rounding)?
        } else {
            payment.rounding
        };
        let method = payment.really().to_owned();
        if exchange {
            // What the return gave to the exchange goes back by the true method instead.
            shift.totals.give_back(EXCHANGE, payment.amount.saturating_neg(), 0)?;
            shift.totals.give_back(&method, payment.amount, rounding)?;
        }
        let (payment_id, amount) = (payment.payment_id.clone(), payment.amount);
        refunds.push(GivenBack { payment_id, method, amount, rounding, exchange });
        payment.state = PaymentState::Reversed;
    }
    Ok(refunds)
}
