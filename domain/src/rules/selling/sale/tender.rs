//! Corrects a wrong button after completion: both payments stay on the sale.

use crate::model::base::fields::Fields;
use crate::model::base::ids::PaymentId;
use crate::model::base::limits::{PAYMENTS_MAX, TEXT_CHARS_MAX};
use crate::model::base::money::sum;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::people::authorization::Authorization;
use crate::model::selling::payment::{EXCHANGE, POINTS};
use crate::model::selling::transaction::{Payment, PaymentState, Transaction, TransactionState};
use crate::rules::books::shift::may_sell;
use crate::rules::selling::payment::NewPayment;
use crate::rules::selling::payment::accept;
use crate::rules::selling::sale::add_payments;
use crate::rules::selling::sale::sale_commands::check_payments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/pos/transactions/:id/correct-tender`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectTender {
    /// Payment that was recorded with the wrong method.
    pub payment_id: PaymentId,
    /// Payments with the right methods. They must add up to the same amount.
    #[schemars(length(min = 1, max = PAYMENTS_MAX))]
    pub payments: Vec<NewPayment>,
    /// Reason for the correction.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// A corrected sale, before the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenderDraft {
    /// With the old payment reversed and the new ones accepted.
    pub transaction: Transaction,
    /// The payment that was wrong.
    pub wrong: PaymentId,
    /// Payments before those that take its place.
    pub known: usize,
    /// The shift with this correction applied.
    pub shift: Shift,
}

impl CorrectTender {
    fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("payments", self.payments.len(), 1..=PAYMENTS_MAX);
        check_payments(&self.payments, &mut fields);
        for (place, payment) in self.payments.iter().take(PAYMENTS_MAX).enumerate() {
            if [POINTS, EXCHANGE].contains(&payment.method.as_str()) {
                fields
                    .wrong(format!("payments[{place}].method"), "can't be used after the sale is completed");
            }
        }
        fields.trimmed("reason", &self.reason, TEXT_CHARS_MAX);
        fields.done()
    }
}

/// Drafts the correction of a paid `sale` in its own shift. `payment_ids` has one ID per payment.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `approval_required`, `invalid_state` (not paid, not
/// in this shift, the payment was reversed before), `not_found`, `payment_mismatch`.
pub fn draft_correction(
    cmd: &CorrectTender,
    sale: &Transaction,
    payment_ids: Vec<PaymentId>,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<TenderDraft, Refusal> {
    cmd.check()?;
    if sale.state != TransactionState::Paid || sale.shift_id != book.shift.shift_id {
        return Err(sale.state.refusal());
    }
    may_sell(authorization, &book.shift)?;
    authorization.manager_for(|| NeedsApproval::of("correcting the payment method of a sale"))?;
    if sale.payments.len().saturating_add(cmd.payments.len()) > PAYMENTS_MAX
        || payment_ids.len() != cmd.payments.len()
    {
        return Err(Refusal::field("payments", format!("must be at most {PAYMENTS_MAX} in a transaction")));
    }
    let mut transaction = sale.clone();
    let wrong = wrong(&mut transaction, &cmd.payment_id)?;
    let due = wrong.amount;
    let mut shift = book.shift.clone();
    shift.totals.untake(wrong);
    wrong.state = PaymentState::Reversed;
    let offered = sum("payments", cmd.payments.iter().map(|payment| payment.amount))?;
    if offered != due {
        let problem = format!("the payments add up to {offered}, but the payment that they replace is {due}");
        return Err(Refusal::PaymentMismatch { problem, amount_due: due });
    }
    let accepted = accept(due, &cmd.payments, rules)?;
    let right: Vec<Payment> = payment_ids
        .into_iter()
        .zip(cmd.payments.iter().zip(accepted))
        .map(|(id, (offer, accepted))| {
            crate::rules::selling::sale::pay::accepted_payment(id, offer, accepted, now)
        })
        .collect();
    shift.totals.take(&right)?;
    let mut transaction = add_payments(transaction, right, rules)?;
    transaction.state = TransactionState::Paid;
    Ok(TenderDraft { transaction, wrong: cmd.payment_id.clone(), known: sale.payments.len(), shift })
}

/// The payment, if it counts and is neither points nor an exchange: those moved more than money.
fn wrong<'a>(sale: &'a mut Transaction, id: &PaymentId) -> Result<&'a mut Payment, Refusal> {
    let found = sale.payments.iter_mut().find(|payment| payment.payment_id == *id);
    let payment = found.ok_or(Refusal::NotFound("payment"))?;
    if !payment.counts() {
        return Err(Refusal::InvalidState { state: "reversed".to_owned(), allowed: Vec::new() });
    }
    if [POINTS, EXCHANGE].contains(&payment.method.as_str()) {
        return Err(Refusal::field(
            "payment_id",
            "is a payment with points or an exchange, which can't be corrected",
        ));
    }
    Ok(payment)
}
