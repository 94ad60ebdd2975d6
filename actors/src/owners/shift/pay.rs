//! Pays a basket in part or in full, and reverses payments before it is complete.

use super::ShiftOwner;
use crate::owners::pricing;
use crate::owners::transaction::audit_entry;
use crate::prelude::*;
use domain::model::base::figures::Money;
use domain::model::base::ids::{PaymentId, ShiftId, TransactionId};
use domain::model::people::member::Member;
use domain::model::selling::transaction::TransactionHead;
use domain::rules::selling::sale;
use domain::rules::selling::sale::{PayOutcome, PaymentReversed, VoidSale, VoidedView};
use serde_json::json;
use std::sync::Arc;

/// Pays a transaction, in part or in full, by the rules of [`domain::rules::selling::sale::pay`] and [`domain::rules::books::ledger::settle`].
pub struct PaySale(pub TransactionId, pub sale::PaySale);

/// Reverses one payment before completion, by the rules of [`domain::rules::selling::sale::reverse_payment`].
pub struct ReversePayment(pub TransactionId, pub PaymentId, pub VoidSale);

impl Dispatch for PaySale {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        let basket = payable(context, &self.0)?;
        let member = basket.member_id.as_ref();
        let member = member.map_or(Ok(None), |id| pricing::member(&context.storage, id))?;
        Ok((basket.shift_id, member))
    }

    fn address(&self, (shift_id, _): &mut Self::Rows) -> ShiftId {
        std::mem::take(shift_id)
    }
}

/// Head of an unpaid transaction, which names the shift that owns it.
fn payable(context: &Context, id: &TransactionId) -> Result<TransactionHead, Failure> {
    let basket = match context.storage.sales().current_head(id)? {
        Some(basket) => basket,
        // It was paid or voided meanwhile, or never existed.
        None => context.transaction(id)?.into(),
    };
    if basket.state.payable() { Ok(basket) } else { Err(basket.state.refusal().into()) }
}

impl Command for PaySale {
    type Book = ShiftBook;
    type Rows = (ShiftId, Option<Arc<Member>>);

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn decide(
        &self,
        (_, member): Self::Rows,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let Self(id, command) = self;
        let payment_ids: Vec<PaymentId> = shift.stamps.ids("pay_", command.payments.len());
        let (now, rules, authorization) = (shift.stamps.now(), &*shift.rules, request.authorization());
        match sale::pay(command, id, payment_ids, now, &authorization, member.as_deref(), rules, &shift.book)?
        {
            PayOutcome::Partial(event) => Ok(ShiftDecision::Draft(ShiftDraft::PartlyPaid { event })),
            PayOutcome::Complete(draft) => {
                Ok(ShiftDecision::Draft(ShiftDraft::Sale { draft, created: false, entries: Vec::new() }))
            }
        }
    }
}

impl Dispatch for ReversePayment {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<ShiftId, Failure> {
        Ok(payable(context, &self.0)?.shift_id)
    }

    fn address(&self, shift_id: &mut ShiftId) -> ShiftId {
        std::mem::take(shift_id)
    }
}

impl Command for ReversePayment {
    type Book = ShiftBook;
    type Rows = ShiftId;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.2.check()
    }

    fn decide(
        &self,
        _shift_id: ShiftId,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let Self(id, payment_id, command) = self;
        let (stamp, rules, authorization) = (shift.stamps.stamp(), &*shift.rules, request.authorization());
        let PaymentReversed { event, refunds } =
            sale::reverse_payment(command, id, payment_id, &authorization, rules, &shift.book)?;
        let transaction = &event.fact.transaction;
        let answer = Answer::ok(&VoidedView::new(transaction, &refunds, request.caller.role));
        let amount: Money = refunds.iter().map(|refund| refund.amount).sum();
        let details = json!({"payment_id": payment_id, "amount": amount, "reason": command.reason});
        let entry = audit_entry(request, "payment.reversed", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        let outcome = Outcome::of(stamp, event, Vec::new(), answer);
        Ok(shift.released(outcome.audited(&shift.stamps, date, entry), id))
    }
}
