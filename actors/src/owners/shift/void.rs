//! A basket, or a sale of this shift, is voided.

use super::ShiftOwner;
use crate::owners::transaction::audit_entry;
use crate::prelude::*;
use domain::model::base::ids::{ShiftId, TransactionId};
use domain::model::books::shift::ShiftState;
use domain::model::selling::transaction::{Transaction, TransactionState};
use domain::rules::selling::sale;
use domain::rules::selling::sale::{VoidedView, only_return};
use serde_json::json;

/// Voids a basket, or a sale of a shift that is open, by the rules of [`domain::rules::selling::sale::void_open`] and
/// [`domain::rules::selling::sale::draft_void`].
pub(crate) struct VoidSale(pub(crate) TransactionId, pub(crate) sale::VoidSale);

impl Dispatch for VoidSale {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<ShiftId, Failure> {
        let transaction = context.transaction(&self.0)?;
        match transaction.state {
            TransactionState::Open | TransactionState::PartiallyPaid => Ok(transaction.shift_id),
            _ => of_open_shift(context, transaction),
        }
    }

    fn address(&self, shift_id: &mut ShiftId) -> ShiftId {
        std::mem::take(shift_id)
    }
}

/// The shift of a sale, which can be voided and put right while that is open.
pub(super) fn of_open_shift(context: &Context, sale: Transaction) -> Result<ShiftId, Failure> {
    if sale.state != TransactionState::Paid {
        return Err(sale.state.refusal().into());
    }
    let shift = context.storage.shifts().shift(&sale.shift_id)?;
    match shift.is_some_and(|shift| shift.state == ShiftState::Open) {
        true => Ok(sale.shift_id),
        false => Err(only_return().into()),
    }
}

impl Command for VoidSale {
    type Book = ShiftBook;
    type Rows = ShiftId;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn is_from_rows(&self, book: &ShiftBook) -> bool {
        !book.open.contains_key(&self.0)
    }

    fn decide(
        &self,
        _shift_id: ShiftId,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let Self(id, command) = self;
        let (authorization, rules) = (request.authorization(), &*shift.rules);
        if !shift.book.open.contains_key(id) {
            let (sale, now) = (shift.finished(id)?, shift.stamps.now());
            let draft = sale::draft_void(command, &sale, now, &authorization, rules, &shift.book)?;
            return Ok(ShiftDecision::Draft(ShiftDraft::Void(Box::new(draft))));
        }
        let stamp = shift.stamps.stamp();
        let event = sale::void_open(command, id, stamp.now, &authorization, rules, &shift.book)?;
        let fact::TransactionVoided { transaction, refunds } = &event.fact;
        let answer = Answer::ok(&VoidedView::new(transaction, refunds, request.caller.role));
        let records = vec![record::sale_voided(&stamp, transaction, &[], refunds, &[])];
        let details = json!({"reason": command.reason});
        let entry = audit_entry(request, "transaction.voided", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(shift.released(outcome.audited(&shift.stamps, date, entry), id))
    }
}
