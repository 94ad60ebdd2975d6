//! A basket is made.

use super::ShiftOwner;
use crate::owners::pricing::PricingInputs;
use crate::prelude::*;
use domain::model::base::ids::ShiftId;
use domain::rules::selling::sale;
use domain::rules::selling::transaction;
use domain::wire::sale_text::SaleText;

/// Creates a transaction in the named shift, else in the caller's own, by the rules of
/// [`domain::rules::selling::sale::create`]; with payments, a whole sale by [`domain::rules::selling::sale::sell`].
pub struct CreateSale(pub sale::CreateSale);

/// A requested basket, with the data for pricing it.
#[derive(Default)]
pub struct NewBasket {
    pub(super) shift_id: ShiftId,
    /// The command with products and pieces in place of scanned codes; `None` if there were no codes.
    pub(super) scanned: Option<sale::CreateSale>,
    pub(super) inputs: PricingInputs,
}

impl NewBasket {
    /// Reads the inputs of a basket.
    pub(super) fn load(
        context: &Context,
        request: &RequestContext,
        command: &sale::CreateSale,
    ) -> Result<Self, Failure> {
        let shift_id = context.shift_for(request, command.shift_id.as_ref())?;
        let on = context.price_moment_of(&shift_id)?;
        let mut scanned = None;
        if command.items.iter().any(|item| item.code.is_some()) {
            let copy = scanned.insert(command.clone());
            PricingInputs::scan(&context.storage, &mut copy.items, on)?;
        }
        let items = scanned.as_ref().map_or(&command.items, |scanned| &scanned.items);
        let skus = items.iter().map(|item| &item.sku);
        let inputs = PricingInputs::read(&context.storage, skus, command.member_id.as_ref(), on)?;
        Ok(Self { shift_id, scanned, inputs })
    }
}

impl Dispatch for CreateSale {
    async fn load(&self, context: &Context, request: &RequestContext) -> Result<NewBasket, Failure> {
        NewBasket::load(context, request, &self.0)
    }

    fn address(&self, basket: &mut NewBasket) -> ShiftId {
        std::mem::take(&mut basket.shift_id)
    }
}

impl Command for CreateSale {
    type Book = ShiftBook;
    type Rows = NewBasket;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        basket: NewBasket,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let id = shift.stamps.id("trx_");
        let till = shift.at_till(shift.stamps.now(), &basket.inputs, request);
        let command = basket.scanned.as_ref().unwrap_or(&self.0);
        if let Some(payments) = &command.payments {
            let draft = sale::sell(command, payments, id, shift.stamps.ids("pay_", payments.len()), &till)?;
            let entries = shift.overridden(None, &draft.transaction, request, till.now);
            return Ok(ShiftDecision::Draft(ShiftDraft::Sale { draft, created: true, entries }));
        }
        let event = sale::create(command, id, &till)?;
        let transaction = &event.fact.transaction;
        let (stamp, date) = (shift.stamps.stamp(), Some(transaction.business_date));
        let entries = shift.overridden(None, transaction, request, stamp.now);
        let text = SaleText::of(transaction);
        let answer = transaction::answer(true, transaction, &text, request.caller.role);
        let outcome = Outcome::of(stamp, event, Vec::new(), answer).written(text);
        Ok(ShiftDecision::Own(outcome.audited_all(&shift.stamps, date, entries)))
    }
}
