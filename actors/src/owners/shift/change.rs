//! An open basket is changed; a payment is put right after completion.

use super::ShiftOwner;
use super::void::of_open_shift;
use crate::owners::pricing::PricingInputs;
use crate::owners::transaction::audit_entry;
use crate::prelude::*;
use domain::model::base::ids::{PaymentId, ShiftId, TransactionId};
use domain::model::selling::price::PriceMoment;
use domain::model::selling::transaction::TransactionState;
use domain::rules::selling::sale;
use domain::rules::selling::sale::{BasketChange, Changed};
use domain::rules::selling::transaction;
use domain::wire::sale_text::SaleText;
use serde_json::json;

/// Changes an open basket, by the rules of [`domain::rules::selling::sale::change`].
pub struct ChangeSale {
    pub id: TransactionId,
    pub change: BasketChange,
    /// The version that the caller has read, where only that one is to be changed.
    pub read: Option<String>,
}

/// Puts a wrong method right after completion, in the sale's own shift, by the rules of
/// [`domain::rules::selling::sale::draft_correction`].
pub struct CorrectTender(pub TransactionId, pub sale::CorrectTender);

/// The shift of a basket, and the data for pricing it again.
#[derive(Default)]
pub struct ChangedBasket {
    shift_id: ShiftId,
    /// The command with products and pieces in place of scanned codes; `None` if there were no codes.
    scanned: Option<BasketChange>,
    inputs: PricingInputs,
}

impl Dispatch for ChangeSale {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<ChangedBasket, Failure> {
        let basket = context.transaction(&self.id)?;
        let on = context.price_moment_of(&basket.shift_id)?;
        let mut scanned = self.change.clone();
        let items = scanned.scanned();
        let scanned = if items.iter().any(|item| item.code.is_some()) {
            PricingInputs::scan(&context.storage, items, on)?;
            Some(scanned)
        } else {
            None
        };
        let command = scanned.as_ref().unwrap_or(&self.change).on(&basket, self.read.as_deref())?;
        let old = basket.items.iter().map(|line| &line.sku);
        let skus = old.chain(command.items.iter().flatten().map(|item| &item.sku));
        let member = command.member_id.as_ref().filter(|id| !id.as_str().is_empty());
        let member = if command.member_id.is_some() { member } else { basket.member_id.as_ref() };
        let inputs = PricingInputs::read(&context.storage, skus, member, on)?;
        Ok(ChangedBasket { shift_id: basket.shift_id, scanned, inputs })
    }

    fn address(&self, basket: &mut ChangedBasket) -> ShiftId {
        std::mem::take(&mut basket.shift_id)
    }
}

impl Command for ChangeSale {
    type Book = ShiftBook;
    type Rows = ChangedBasket;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.change.check()
    }

    fn decide(
        &self,
        mut basket: ChangedBasket,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let stamp = shift.stamps.stamp();
        let change = basket.scanned.as_ref().unwrap_or(&self.change);
        let before = shift.book.open.get(&self.id).ok_or_else(|| TransactionState::Paid.refusal())?;
        let command = change.on(before, self.read.as_deref())?;
        // Lines or a member may have been added since these were read.
        let lines = before.items.iter().map(|line| &line.sku);
        let on = PriceMoment { at: stamp.now, date: before.business_date };
        basket.inputs.add_missing(&shift.storage, lines, on)?;
        let member = command.member_id.as_ref().or(before.member_id.as_ref());
        basket.inputs.renew_member(&shift.storage, member.filter(|id| !id.as_str().is_empty()))?;
        let till = shift.at_till(stamp.now, &basket.inputs, request);
        let Changed { event, removed } = sale::change(&command, &self.id, &till)?;
        let transaction = &event.fact.transaction;
        let (now, date) = (stamp.now, Some(transaction.business_date));
        let entries: Vec<AuditEntry> = removed
            .iter()
            .map(|line| {
                let details =
                    json!({"sku": line.sku, "qty": line.qty, "name": line.name, "reason": change.reason()});
                audit_entry(request, "transaction.line_removed", transaction, now, details)
            })
            .chain(shift.overridden(Some(before), transaction, request, now))
            .collect();
        let text = SaleText::of(transaction);
        let answer = transaction::answer(false, transaction, &text, request.caller.role);
        let outcome = Outcome::of(stamp, event, Vec::new(), answer).written(text);
        Ok(ShiftDecision::Own(outcome.audited_all(&shift.stamps, date, entries)))
    }
}

impl Dispatch for CorrectTender {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<ShiftId, Failure> {
        of_open_shift(context, context.transaction(&self.0)?)
    }

    fn address(&self, shift_id: &mut ShiftId) -> ShiftId {
        std::mem::take(shift_id)
    }
}

impl Command for CorrectTender {
    type Book = ShiftBook;
    type Rows = ShiftId;

    fn is_from_rows(&self, _book: &ShiftBook) -> bool {
        true
    }

    fn decide(
        &self,
        _shift_id: ShiftId,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let Self(id, command) = self;
        let sale = shift.finished(id)?;
        let payment_ids: Vec<PaymentId> = shift.stamps.ids("pay_", command.payments.len());
        let (now, rules, authorization) = (shift.stamps.now(), &*shift.rules, request.authorization());
        let draft =
            sale::draft_correction(command, &sale, payment_ids, now, &authorization, rules, &shift.book)?;
        let (draft, reason) = (Box::new(draft), command.reason.clone());
        Ok(ShiftDecision::Draft(ShiftDraft::Correct { draft, reason }))
    }
}
