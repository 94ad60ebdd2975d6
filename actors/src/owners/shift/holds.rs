//! Holds, from the shift's side: it puts a basket away, and requests a held one.

use super::ShiftOwner;
use super::create::NewBasket;
use crate::owners::pricing::PricingInputs;
use crate::prelude::*;
use domain::model::base::ids::{HoldId, ShiftId};
use domain::model::selling::hold::{Hold, HoldState};
use domain::rules::selling::hold;
use domain::rules::selling::hold::HeldBasket;

/// Puts a basket away: one of a shift, or one that is made for it, by the rules of [`domain::rules::selling::hold::take`].
pub struct HoldSale(pub hold::HoldSale);

/// Recalls a basket on hold into the caller's shift, by the rules of [`domain::rules::selling::hold::recall`].
pub struct Recall(pub HoldId, pub hold::RecallHold);

/// Basket to put on hold, with the data that a new basket is priced by.
#[derive(Default)]
pub struct Held {
    shift_id: ShiftId,
    /// The command with products and pieces in place of scanned codes; `None` if there were no codes.
    scanned: Option<hold::HoldSale>,
    inputs: PricingInputs,
}

impl Dispatch for HoldSale {
    async fn load(&self, context: &Context, request: &RequestContext) -> Result<Held, Failure> {
        match &self.0.basket {
            HeldBasket::Open(id) => {
                let basket = context.transaction(id)?;
                if !basket.state.payable() {
                    return Err(basket.state.refusal().into());
                }
                Ok(Held { shift_id: basket.shift_id, scanned: None, inputs: PricingInputs::default() })
            }
            HeldBasket::New(sale) => {
                let NewBasket { shift_id, scanned, inputs } = NewBasket::load(context, request, sale)?;
                let scanned = scanned
                    .map(|sale| hold::HoldSale { basket: HeldBasket::New(sale.into()), ..self.0.clone() });
                Ok(Held { shift_id, scanned, inputs })
            }
        }
    }

    fn address(&self, held: &mut Held) -> ShiftId {
        std::mem::take(&mut held.shift_id)
    }
}

impl Command for HoldSale {
    type Book = ShiftBook;
    type Rows = Held;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        held: Held,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let (id, new_id) = (shift.stamps.id("hld_"), shift.stamps.id("trx_"));
        let now = shift.stamps.now();
        let till = shift.at_till(now, &held.inputs, request);
        let event = hold::take(held.scanned.as_ref().unwrap_or(&self.0), id, new_id, &till)?;
        let entries = {
            let held = &event.fact.transaction;
            shift.overridden(shift.book.open.get(&held.transaction_id), held, request, now)
        };
        Ok(ShiftDecision::Draft(ShiftDraft::Hold { event: Box::new(event), entries }))
    }
}

impl Dispatch for Recall {
    async fn load(&self, context: &Context, request: &RequestContext) -> Result<Self::Rows, Failure> {
        let hold = context.hold(&self.0)?;
        if hold.state != HoldState::Active {
            return Err(hold.state.refusal().into());
        }
        let basket = context.transaction(&hold.transaction_id)?;
        let skus = basket.items.iter().map(|line| &line.sku);
        let shift_id = context.shift_for(request, None)?;
        let on = context.price_moment_of(&shift_id)?;
        let inputs = PricingInputs::read(&context.storage, skus, basket.member_id.as_ref(), on)?;
        Ok((shift_id, inputs))
    }

    fn address(&self, (shift_id, _): &mut Self::Rows) -> ShiftId {
        std::mem::take(shift_id)
    }
}

impl Command for Recall {
    type Book = ShiftBook;
    type Rows = (ShiftId, PricingInputs);

    fn decide(
        &self,
        (_, inputs): Self::Rows,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let (now, rules, authorization) = (shift.stamps.now(), &*shift.rules, request.authorization());
        let draft =
            Box::new(hold::draft_recall(self.0.clone(), self.1, now, &authorization, rules, &shift.book)?);
        Ok(ShiftDecision::Draft(ShiftDraft::Recall { draft, inputs: Box::new(inputs) }))
    }
}

impl Context {
    /// A hold, as it is now.
    pub(crate) fn hold(&self, id: &HoldId) -> Result<Hold, Failure> {
        let hold = match self.storage.sales().hold(id)? {
            Some(hold) => Some(hold),
            None => self.storage.sales().ended_hold(id)?,
        };
        Ok(hold.ok_or(Refusal::NotFound("hold"))?)
    }
}
