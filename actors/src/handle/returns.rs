//! Returns: which sale they are of is found here, before a shift is asked.

use super::{Ask, StoreHandle};
use crate::failure::{Done, Failure};
use crate::shift::{Returning, TillCommand};
use domain::ids::{ReturnId, ShiftId};
use domain::refusal::Refusal;
use domain::returns::{NewReturn, Verification};
use domain::sale::VoidSale;
use domain::shift::ShiftState;
use domain::transaction::Transaction;

impl StoreHandle {
    /// Takes goods back, against a sale of this store, another store's receipt, or none.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::returns::draft`] and [`domain::returns::settle`].
    pub async fn post_return(&self, ask: &Ask, command: NewReturn) -> Result<Done, Failure> {
        let id: ReturnId = self.door.stamps.id("ret_");
        let elsewhere = command.receipt_no.as_ref().is_some_and(|number| !self.own_receipt(number));
        let done = self.run(ask, |pending| {
            let (id, command) = (id.clone(), command.clone());
            async move {
                match self.returning(ask, id, command).await {
                    Ok((shift_id, returning)) => {
                        let command = TillCommand::Return(Box::new(returning));
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        });
        let done = done.await;
        if elsewhere && matches!(&done, Err(Failure::Refused(_))) {
            self.release(id);
        }
        done
    }

    async fn returning(
        &self,
        ask: &Ask,
        id: ReturnId,
        mut command: NewReturn,
    ) -> Result<(ShiftId, Returning), Failure> {
        let shift_id = self.shift_for(ask, command.shift_id.as_ref()).await?;
        let (sale, verification) = match self.sold(&mut command)? {
            (None, Some(_)) => self.elsewhere(&id, &mut command).await?,
            known => known,
        };
        command.check()?;
        let skus = command.items.iter().filter(|_| sale.is_none()).map(|item| &item.sku);
        let products = self.products(skus)?;
        Ok((shift_id, Returning { id, command, sale, products, verification }))
    }

    /// The sale that a return is of; a receipt of this store is replaced by its transaction.
    fn sold(&self, command: &mut NewReturn) -> Result<(Option<Transaction>, Option<Verification>), Failure> {
        let storage = &self.door.storage;
        let sale = match (&command.transaction_id, &command.receipt_no) {
            (None, None) => return Ok((None, None)),
            (None, Some(number)) if !self.own_receipt(number) => {
                // Until the hub was asked: a manager stands behind it, and the document says so.
                return Ok((None, Some(Verification::Pending)));
            }
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
        Ok((Some(sale), None))
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
