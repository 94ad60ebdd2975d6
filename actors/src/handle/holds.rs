//! Holds: put away by one till, recalled by any.

use super::{Ask, StoreHandle};
use crate::failure::{Done, Failure};
use crate::ledger::LedgerMessage;
use crate::pending::Pending;
use crate::shelf::Stocked;
use crate::shift::TillCommand;
use domain::hold::{HeldBasket, Hold, HoldSale, HoldState};
use domain::ids::{HoldId, ShiftId, TransactionId};
use domain::refusal::Refusal;
use domain::sale::VoidSale;

impl StoreHandle {
    /// Puts a basket away: one of a shift, or one that is made for it.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::hold::take`].
    pub async fn hold(&self, ask: &Ask, command: HoldSale) -> Result<Done, Failure> {
        let id: HoldId = self.door.stamps.id("hld_");
        let new_id: TransactionId = self.door.stamps.id("trx_");
        self.run(ask, |pending| {
            let (id, new_id, mut command) = (id.clone(), new_id.clone(), command.clone());
            async move {
                match self.holdable(ask, &mut command).await {
                    Ok((shift_id, stocked)) => {
                        let stocked = Box::new(stocked);
                        let command = TillCommand::Hold { id, new_id, command, stocked };
                        self.to_till(ask, &shift_id, command, pending).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        })
        .await
    }

    async fn holdable(&self, ask: &Ask, command: &mut HoldSale) -> Result<(ShiftId, Stocked), Failure> {
        match &mut command.basket {
            HeldBasket::Open(id) => {
                let basket = self.known(id)?;
                if !basket.state.payable() {
                    return Err(basket.state.refusal().into());
                }
                Ok((basket.shift_id, Stocked::default()))
            }
            HeldBasket::New(sale) => {
                let shift_id = self.shift_for(ask, sale.shift_id.as_ref()).await?;
                Stocked::scan(&self.door.storage, &mut sale.items)?;
                let skus = sale.items.iter().map(|item| &item.sku);
                let stocked =
                    Stocked::read(&self.door.storage, skus, sale.member_id.as_ref(), self.door.stamps.now())?;
                Ok((shift_id, stocked))
            }
        }
    }

    /// Takes a basket that waits into the caller's shift.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::hold::recall`], or without an open shift.
    pub async fn recall(&self, ask: &Ask, id: &HoldId) -> Result<Done, Failure> {
        self.run(ask, |pending| async move {
            let found = self.recallable(id);
            match (found, self.shift_for(ask, None).await) {
                (Ok(stocked), Ok(shift_id)) => {
                    let command = TillCommand::Recall { id: id.clone(), stocked: Box::new(stocked) };
                    self.to_till(ask, &shift_id, command, pending).await;
                }
                (Err(failure), _) | (_, Err(failure)) => pending.fail(failure),
            }
        })
        .await
    }

    /// What a waiting basket is priced with anew.
    fn recallable(&self, id: &HoldId) -> Result<Stocked, Failure> {
        let hold = self.read_hold(id)?;
        if hold.state != HoldState::Active {
            return Err(hold.state.refusal().into());
        }
        let basket = self.known(&hold.transaction_id)?;
        let skus = basket.items.iter().map(|line| &line.sku);
        Ok(Stocked::read(&self.door.storage, skus, basket.member_id.as_ref(), self.door.stamps.now())?)
    }

    /// A hold, as it is now.
    ///
    /// # Errors
    /// [`Refusal::NotFound`].
    pub fn read_hold(&self, id: &HoldId) -> Result<Hold, Failure> {
        let storage = &self.door.storage;
        let hold = match storage.hold(id)? {
            Some(hold) => Some(hold),
            None => storage.ended_hold(id)?,
        };
        Ok(hold.ok_or(Refusal::NotFound("hold"))?)
    }

    /// Voids the basket of a hold.
    pub(super) async fn void_held(&self, ask: &Ask, id: &TransactionId, command: VoidSale, pending: Pending) {
        let hold =
            self.door.storage.holds().map(|holds| holds.into_iter().find(|hold| hold.transaction_id == *id));
        match hold {
            Ok(Some(hold)) => {
                let (id, who) = (hold.hold_id, ask.who());
                self.to_ledger(LedgerMessage::VoidHold { id, command, who, pending }).await;
            }
            // Taken in this moment.
            Ok(None) => pending.fail(HoldState::Recalled.refusal().into()),
            Err(error) => pending.fail(error.into()),
        }
    }
}
