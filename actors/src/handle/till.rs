//! The till's commands besides selling: voids, changed baskets, payments put right.

use super::{Ask, StoreHandle};
use crate::failure::{Done, Failure};
use crate::pending::Pending;
use crate::shelf::Stocked;
use crate::shift::{ShiftMessage, TillCommand};
use domain::ids::{PaymentId, ShiftId, TransactionId};
use domain::refusal::Refusal;
use domain::sale::{ChangeSale, CorrectTender, VoidSale, only_return};
use domain::shift::ShiftState;
use domain::transaction::{Transaction, TransactionState};

impl StoreHandle {
    /// Voids a transaction: a basket, one that waits, or a sale of a shift that is open.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::sale::void_open`], [`domain::sale::draft_void`] and
    /// [`domain::hold::void`].
    pub async fn void(&self, ask: &Ask, id: &TransactionId, command: VoidSale) -> Result<Done, Failure> {
        command.check()?;
        self.run(ask, |pending| {
            let command = command.clone();
            async move {
                match self.void_of(id) {
                    Ok(None) => self.void_held(ask, id, command, pending).await,
                    Ok(Some(shift_id)) => {
                        let command = TillCommand::Void { id: id.clone(), command };
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        })
        .await
    }

    /// Changes an open basket.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::sale::change`].
    pub async fn change_sale(
        &self,
        ask: &Ask,
        id: &TransactionId,
        command: ChangeSale,
    ) -> Result<Done, Failure> {
        command.check()?;
        self.run(ask, |pending| {
            let mut command = command.clone();
            async move {
                match self.changeable(id, &mut command) {
                    Ok((shift_id, stocked)) => {
                        let command = TillCommand::Change { id: id.clone(), command, stocked };
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        })
        .await
    }

    /// Takes one payment back before completion.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::sale::reverse_payment`].
    pub async fn reverse_payment(
        &self,
        ask: &Ask,
        id: &TransactionId,
        payment_id: &PaymentId,
        command: VoidSale,
    ) -> Result<Done, Failure> {
        command.check()?;
        self.run(ask, |pending| {
            let command = command.clone();
            async move {
                match self.payable(id) {
                    Ok((shift_id, _)) => {
                        let (id, payment_id) = (id.clone(), payment_id.clone());
                        let command = TillCommand::ReversePayment { id, payment_id, command };
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        })
        .await
    }

    /// Puts a wrong method right after completion, in the sale's own shift.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::sale::draft_correction`].
    pub async fn correct_tender(
        &self,
        ask: &Ask,
        id: &TransactionId,
        command: CorrectTender,
    ) -> Result<Done, Failure> {
        self.run(ask, |pending| {
            let command = command.clone();
            async move {
                match self.known(id).and_then(|sale| self.of_open_shift(sale)) {
                    Ok(shift_id) => {
                        let command = TillCommand::CorrectTender { id: id.clone(), command };
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        })
        .await
    }

    pub(super) async fn to_till(
        &self,
        ask: &Ask,
        shift_id: &ShiftId,
        command: TillCommand,
        pending: Pending,
    ) {
        let who = ask.who();
        self.to_shift(shift_id, pending, |pending| ShiftMessage::Till { command, who, pending }).await;
    }

    pub(super) fn known(&self, id: &TransactionId) -> Result<Transaction, Failure> {
        Ok(self.door.storage.transaction(id)?.ok_or(Refusal::NotFound("transaction"))?)
    }

    /// The shift of a sale, which can be voided and put right while that is open.
    fn of_open_shift(&self, sale: Transaction) -> Result<ShiftId, Failure> {
        if sale.state != TransactionState::Paid {
            return Err(sale.state.refusal().into());
        }
        let shift = self.door.storage.shift(&sale.shift_id)?;
        match shift.is_some_and(|shift| shift.state == ShiftState::Open) {
            true => Ok(sale.shift_id),
            false => Err(only_return().into()),
        }
    }

    /// The shift that a transaction is voided in; one that waits belongs to none.
    fn void_of(&self, id: &TransactionId) -> Result<Option<ShiftId>, Failure> {
        let transaction = self.known(id)?;
        match transaction.state {
            TransactionState::Held => Ok(None),
            TransactionState::Open | TransactionState::PartiallyPaid => Ok(Some(transaction.shift_id)),
            _ => self.of_open_shift(transaction).map(Some),
        }
    }

    /// The shift of a basket, and what it is priced with anew.
    fn changeable(
        &self,
        id: &TransactionId,
        command: &mut ChangeSale,
    ) -> Result<(ShiftId, Box<Stocked>), Failure> {
        let basket = self.known(id)?;
        if basket.state != TransactionState::Open {
            return Err(basket.state.refusal().into());
        }
        Stocked::scan(&self.door.storage, command.items.as_deref_mut().unwrap_or_default())?;
        let old = basket.items.iter().map(|line| &line.sku);
        let new = command.items.iter().flatten().map(|item| &item.sku);
        let member = command.member_id.as_ref().filter(|id| !id.as_str().is_empty());
        let member = if command.member_id.is_some() { member } else { basket.member_id.as_ref() };
        let stocked = Stocked::read(&self.door.storage, old.chain(new), member, self.door.stamps.now())?;
        Ok((basket.shift_id, Box::new(stocked)))
    }
}
