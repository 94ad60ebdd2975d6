//! Returns, as the shift sees them: it knows its counters and the transaction that an exchange pays.

use super::{Running, guarded};
use crate::failure::Failure;
use crate::ledger::TillDraft;
use crate::who::Who;
use domain::ids::{PaymentId, ReturnId, Sku};
use domain::payment::EXCHANGE;
use domain::product::Product;
use domain::refusal::Refusal;
use domain::returns::{self, NewReturn, ReturnDraft, ReturnIds, TakenBack, Verification};
use domain::sale::{PAYMENTS_MAX, VoidSale};
use domain::transaction::Transaction;
use std::collections::BTreeMap;

/// A return with what it is decided by.
pub(crate) struct Returning {
    /// The document's id.
    pub(crate) id: ReturnId,
    /// What was asked for; a receipt number is another store's.
    pub(crate) command: NewReturn,
    /// The sale, as it was completed.
    pub(crate) sale: Option<Transaction>,
    /// The products, where there is no sale.
    pub(crate) products: BTreeMap<Sku, Product>,
    /// Of another store's receipt.
    pub(crate) verification: Option<Verification>,
    /// What the hub told of the sale's returns.
    pub(crate) taken: Option<Vec<TakenBack>>,
    /// It is only asked what would go back.
    pub(crate) quote: bool,
}

impl Running {
    pub(super) fn draft_return(&self, returning: Returning, who: &Who) -> Result<TillDraft, Failure> {
        let Returning { id, command, sale, products, verification, taken, quote } = returning;
        let ids = ReturnIds {
            return_id: id,
            movements: self.door.stamps.ids("mov_", self.movements(&command, sale.as_ref())),
            payments: self.door.stamps.ids::<PaymentId>("pay_", PAYMENTS_MAX),
        };
        let (now, rules) = (self.door.stamps.now(), &self.door.rules);
        let draft = |who: &Who| {
            let (ids, sale, mandate) = (ids.clone(), sale.as_ref(), who.mandate());
            guarded(|| {
                returns::draft(&command, ids, sale, &products, verification, now, &mandate, rules, &self.book)
            })
        };
        match draft(who) {
            Err(failure) if quote && failure.asks_for_approval() => {
                let draft = ReturnDraft { taken, ..draft(&who.as_if_approved())? };
                Ok(TillDraft::Quote { draft: Box::new(draft), approval_required: true })
            }
            drafted => {
                let draft = Box::new(ReturnDraft { taken, ..drafted? });
                let quoted = |draft| TillDraft::Quote { draft, approval_required: false };
                Ok(if quote { quoted(draft) } else { TillDraft::Return(draft) })
            }
        }
    }

    /// How many lines may move goods: each one of the command ends somewhere in the sale's lines; then those
    /// of the transaction that an exchange completes.
    fn movements(&self, command: &NewReturn, sale: Option<&Transaction>) -> usize {
        let exchange = command.refunds.iter().flatten().find(|refund| refund.method == EXCHANGE);
        let target = exchange.and_then(|refund| refund.transaction_id.as_ref());
        let target = target.and_then(|id| self.book.open.get(id)).map_or(0, |basket| basket.items.len());
        let sold = sale.map_or(0, |sale| sale.items.len());
        command.items.len().saturating_add(sold).saturating_add(target)
    }

    pub(super) fn draft_return_void(
        &self,
        id: &ReturnId,
        command: &VoidSale,
        who: &Who,
    ) -> Result<TillDraft, Failure> {
        let storage = &self.door.storage;
        let back = storage.posted_return(id)?.ok_or(Refusal::NotFound("return"))?;
        let sale = back.transaction_id.as_ref().map_or(Ok(None), |id| storage.transaction(id))?;
        let now = self.door.stamps.now();
        let draft = guarded(|| returns::draft_void(command, &back, now, &who.mandate(), &self.book))?;
        Ok(TillDraft::VoidReturn { draft: Box::new(draft), sale: sale.map(Box::new) })
    }
}
