//! Returns: which sale they are of is found on the caller's task; the shift knows its counters and the transaction that
//! an exchange pays.

use super::ShiftOwner;
use crate::hub::receipt_check::Found;
use crate::prelude::*;
use crate::runtime::decide::guarded;
use domain::model::base::ids::{PaymentId, ReturnId, ShiftId};
use domain::model::base::limits::PAYMENTS_MAX;
use domain::model::books::shift::ShiftState;
use domain::model::selling::payment::EXCHANGE;
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::returns;
use domain::rules::selling::returns::{NewReturn, ReturnDraft, ReturnIds};
use domain::rules::selling::sale::VoidSale;
use std::sync::atomic::AtomicBool;

/// Posts a return against a sale of this store, another store's receipt or no sale; or previews it.
pub(crate) struct PostReturn {
    /// The document's ID, under which head office reserves pieces.
    pub(crate) id: ReturnId,
    pub(crate) command: NewReturn,
    /// Whether only the refund is computed.
    pub(crate) quote: bool,
    /// Whether head office may have reserved pieces.
    pub(crate) reserved: AtomicBool,
}

/// Voids a return of a shift that is open, by the rules of [`domain::rules::selling::returns::draft_void`].
pub struct VoidReturn(pub ReturnId, pub VoidSale);

/// Data that a return is decided by.
pub struct Returning {
    shift_id: ShiftId,
    /// The command; a receipt number is another store's.
    command: NewReturn,
    found: Found,
    /// The products, where there is no sale.
    products: Products,
}

/// Origin of the sale of a return.
enum Sold {
    /// Without a receipt.
    Unreceipted,
    Elsewhere,
    Here(Box<Transaction>),
}

impl Dispatch for PostReturn {
    async fn load(&self, context: &Context, request: &RequestContext) -> Result<Self::Rows, Failure> {
        let mut command = self.command.clone();
        let shift_id = context.shift_for(request, command.shift_id.as_ref())?;
        let found = match sold(context, &mut command)? {
            Sold::Unreceipted => Found { sale: None, verification: None, taken: None },
            Sold::Elsewhere => context.elsewhere(&self.id, &mut command, &self.reserved).await?,
            Sold::Here(sale) => {
                command.check()?;
                context.sold_here(&self.id, &command, *sale, &self.reserved).await?
            }
        };
        command.check()?;
        let skus = command.items.iter().filter(|_| found.sale.is_none()).map(|item| &item.sku);
        let mut products = context.products(skus)?;
        let moment = context.price_moment_of(&shift_id)?;
        for (sku, product) in &mut products {
            if let Some(sold) = context.storage.products().sold(sku, moment)? {
                product.price = sold.price;
            }
        }
        Ok(Some(Box::new(Returning { shift_id, command, found, products })))
    }

    fn address(&self, returning: &mut Self::Rows) -> ShiftId {
        returning.as_mut().map(|returning| std::mem::take(&mut returning.shift_id)).unwrap_or_default()
    }
}

/// The sale that a return is of; a receipt of this store is replaced by its transaction.
fn sold(context: &Context, command: &mut NewReturn) -> Result<Sold, Failure> {
    let rules = context.rules.now();
    let store = rules.store_id.as_str();
    let own = |number: &str| number.strip_prefix(store).is_some_and(|rest| rest.starts_with('-'));
    let sale = match (&command.transaction_id, &command.receipt_no) {
        (None, None) => return Ok(Sold::Unreceipted),
        (None, Some(number)) if !own(number) => return Ok(Sold::Elsewhere),
        (None, Some(number)) => {
            context.storage.sales().transaction_by_receipt(number)?.ok_or(Refusal::NotFound("receipt"))?
        }
        (Some(id), number) => {
            let sale = context.transaction(id)?;
            if number.is_some() && sale.receipt_no != *number {
                return Err(
                    Refusal::field("receipt_no", "is not the receipt number of the transaction").into()
                );
            }
            sale
        }
    };
    command.transaction_id = Some(sale.transaction_id.clone());
    command.receipt_no = None;
    Ok(Sold::Here(Box::new(sale)))
}

impl Command for PostReturn {
    type Book = ShiftBook;
    /// Rows that were found.
    type Rows = Option<Box<Returning>>;

    fn decide(
        &self,
        returning: Self::Rows,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let Returning { command, found, products, .. } = *returning.ok_or_else(not_loaded)?;
        let Found { sale, verification, taken } = found;
        let ids = ReturnIds {
            return_id: self.id.clone(),
            movements: shift.movement_ids(&command, sale.as_ref()),
            payments: shift.stamps.ids::<PaymentId>("pay_", PAYMENTS_MAX),
        };
        let (rules, book) = (&*shift.rules, &shift.book);
        let draft = |request: &RequestContext| {
            let (ids, sale, authorization) = (ids.clone(), sale.as_ref(), request.authorization());
            guarded(|| {
                returns::draft(&command, ids, sale, &products, verification, &authorization, rules, book)
            })
        };
        let (drafted, approval_required) = match draft(request) {
            Err(failure) if self.quote && failure.asks_for_approval() => {
                (draft(&request.as_if_approved())?, true)
            }
            drafted => (drafted?, false),
        };
        let draft = Box::new(ReturnDraft { taken, ..drafted });
        Ok(ShiftDecision::Draft(match self.quote {
            true => ShiftDraft::Quote { draft, approval_required },
            false => ShiftDraft::Return(draft),
        }))
    }
}

impl Dispatch for VoidReturn {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<ShiftId, Failure> {
        let storage = &context.storage;
        let back = storage.sales().posted_return(&self.0)?.ok_or(Refusal::NotFound("return"))?;
        match storage.shifts().shift(&back.shift_id)?.is_some_and(|shift| shift.state == ShiftState::Open) {
            true => Ok(back.shift_id),
            false => {
                let state = back.state.name().to_owned();
                Err(Refusal::InvalidState { state, allowed: Vec::new() }.into())
            }
        }
    }

    fn address(&self, shift_id: &mut ShiftId) -> ShiftId {
        std::mem::take(shift_id)
    }
}

impl Command for VoidReturn {
    type Book = ShiftBook;
    type Rows = ShiftId;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn is_from_rows(&self, _book: &ShiftBook) -> bool {
        true
    }

    fn decide(
        &self,
        _shift_id: ShiftId,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let storage = &shift.storage;
        let back = storage.sales().posted_return(&self.0)?.ok_or(Refusal::NotFound("return"))?;
        let sale = back.transaction_id.as_ref().map_or(Ok(None), |id| storage.sales().transaction(id))?;
        let (now, authorization) = (shift.stamps.now(), request.authorization());
        let draft = Box::new(returns::draft_void(&self.1, &back, now, &authorization, &shift.book)?);
        Ok(ShiftDecision::Draft(ShiftDraft::VoidReturn { draft, sale: sale.map(Box::new) }))
    }
}

impl ShiftOwner {
    /// IDs for the lines that may move goods: each line of the command ends in one of the sale's lines; then those of
    /// the transaction that an exchange completes.
    fn movement_ids(
        &self,
        command: &NewReturn,
        sale: Option<&Transaction>,
    ) -> Vec<domain::model::base::ids::MovementId> {
        let exchange = command.refunds.iter().flatten().find(|refund| refund.method == EXCHANGE);
        let target = exchange.and_then(|refund| refund.transaction_id.as_ref());
        let target = target.and_then(|id| self.book.open.get(id)).map_or(0, |basket| basket.items.len());
        let sold = sale.map_or(0, |sale| sale.items.len());
        self.stamps.ids("mov_", command.items.len().saturating_add(sold).saturating_add(target))
    }
}
