//! Returns: which sale they are of is found here, before a shift is asked.

use super::receipts::Found;
use super::{Ask, StoreHandle};
use crate::failure::{Done, Failure};
use crate::shift::{Returning, TillCommand};
use domain::ids::{ReturnId, ShiftId};
use domain::refusal::Refusal;
use domain::returns::NewReturn;
use domain::sale::VoidSale;
use domain::shift::ShiftState;
use domain::transaction::Transaction;
use std::sync::atomic::{AtomicBool, Ordering};
use storage::NotWritable;

/// Whose sale a return is of.
enum Sold {
    /// Nobody's that can be shown.
    Unreceipted,
    /// Another store's.
    Elsewhere,
    /// This store's.
    Here(Box<Transaction>),
}

impl StoreHandle {
    /// Takes goods back, against a sale of this store, another store's receipt, or none.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::returns::draft`] and [`domain::returns::settle`].
    pub async fn post_return(&self, ask: &Ask, command: NewReturn) -> Result<Done, Failure> {
        self.take_back(ask, command, false).await
    }

    /// Says what a return would give back, and whether somebody has to approve it; nothing changes.
    ///
    /// # Errors
    /// As [`Self::post_return`], but for a missing approval.
    pub async fn quote_return(&self, ask: &Ask, command: NewReturn) -> Result<Done, Failure> {
        self.take_back(ask, command, true).await
    }

    async fn take_back(&self, ask: &Ask, command: NewReturn, quote: bool) -> Result<Done, Failure> {
        let id: ReturnId = self.door.stamps.id("ret_");
        let reserved = AtomicBool::new(false);
        let posting = self.run(ask, |pending| {
            let (id, command, reserved) = (id.clone(), command.clone(), &reserved);
            async move {
                match self.returning(ask, id, command, reserved).await {
                    Ok((shift_id, returning)) => {
                        let command = TillCommand::Return(Box::new(Returning { quote, ..returning }));
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        });
        let done = posting.await;
        // Where it may have been submitted all the same, the reservation stays until the hub hears of it.
        let failed = self.door.storage.writable() == Err(NotWritable::Failed);
        let never = done.as_ref().is_err_and(|failure| !matches!(failure, Failure::Unconfirmed(_)));
        if reserved.load(Ordering::Relaxed) && (quote || never) && !failed {
            self.release(id);
        }
        done
    }

    async fn returning(
        &self,
        ask: &Ask,
        id: ReturnId,
        mut command: NewReturn,
        reserved: &AtomicBool,
    ) -> Result<(ShiftId, Returning), Failure> {
        let shift_id = self.shift_for(ask, command.shift_id.as_ref()).await?;
        let found = match self.sold(&mut command)? {
            Sold::Unreceipted => Found { sale: None, verification: None, taken: None },
            Sold::Elsewhere => self.elsewhere(&id, &mut command, reserved).await?,
            Sold::Here(sale) => {
                command.check()?;
                self.sold_here(&id, &command, *sale, reserved).await?
            }
        };
        command.check()?;
        let Found { sale, verification, taken } = found;
        let skus = command.items.iter().filter(|_| sale.is_none()).map(|item| &item.sku);
        let products = self.products(skus)?;
        Ok((shift_id, Returning { id, command, sale, products, verification, taken, quote: false }))
    }

    /// The sale that a return is of; a receipt of this store is replaced by its transaction.
    fn sold(&self, command: &mut NewReturn) -> Result<Sold, Failure> {
        let storage = &self.door.storage;
        let sale = match (&command.transaction_id, &command.receipt_no) {
            (None, None) => return Ok(Sold::Unreceipted),
            (None, Some(number)) if !self.own_receipt(number) => return Ok(Sold::Elsewhere),
            (None, Some(number)) => {
                storage.transaction_by_receipt(number)?.ok_or(Refusal::NotFound("receipt"))?
            }
            (Some(id), number) => {
                let sale = self.known(id)?;
                if number.is_some() && sale.receipt_no != *number {
                    return Err(Refusal::field("receipt_no", "is not that of the transaction").into());
                }
                sale
            }
        };
        command.transaction_id = Some(sale.transaction_id.clone());
        command.receipt_no = None;
        Ok(Sold::Here(Box::new(sale)))
    }

    /// Whether a receipt number is one of this store's.
    fn own_receipt(&self, number: &str) -> bool {
        let store = self.door.rules.store_id.as_str();
        number.strip_prefix(store).is_some_and(|rest| rest.starts_with('-'))
    }

    /// Voids a return of a shift that is open.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::returns::draft_void`].
    pub async fn void_return(&self, ask: &Ask, id: &ReturnId, command: VoidSale) -> Result<Done, Failure> {
        command.check()?;
        self.run(ask, |pending| {
            let command = command.clone();
            async move {
                match self.returned_in(id) {
                    Ok(shift_id) => {
                        let command = TillCommand::VoidReturn { id: id.clone(), command };
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        })
        .await
    }

    /// The shift of a return, while it is open.
    fn returned_in(&self, id: &ReturnId) -> Result<ShiftId, Failure> {
        let storage = &self.door.storage;
        let back = storage.posted_return(id)?.ok_or(Refusal::NotFound("return"))?;
        match storage.shift(&back.shift_id)?.is_some_and(|shift| shift.state == ShiftState::Open) {
            true => Ok(back.shift_id),
            false => {
                let state = back.state.name().to_owned();
                Err(Refusal::InvalidState { state, allowed: Vec::new() }.into())
            }
        }
    }
}
