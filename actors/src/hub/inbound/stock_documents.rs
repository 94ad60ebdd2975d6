//! Feed records of stores, tills, suppliers, purchase orders and transfers.

use super::{Page, Untaken};
use domain::model::base::event::fact;
use domain::model::inventory::purchase::{OrderState, PurchaseOrder, Supplier, SupplierState};
use domain::model::inventory::transfer::Transfer;
use domain::wire::feed::{Change, RegisterDown, StoreDown, check};

impl Page<'_> {
    /// Checks a store. The record is stored unchanged and read when a transfer is sent.
    pub(super) fn store(&mut self, change: &Change) -> Result<(), Untaken> {
        let store: StoreDown = self.payload(change)?;
        Ok(check::store(change, &store)?)
    }

    /// Passes a till to the ledger, which applies it. A deletion changes nothing: the till stays as it is.
    pub(super) fn register(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let down: RegisterDown = self.payload(change)?;
            check::register(change, &down)?;
            self.registers.push((change.clone(), down));
        }
        Ok(())
    }

    /// A deleted supplier becomes inactive, since documents name it.
    pub(super) fn supplier(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut supplier: Supplier = self.payload(change)?;
        check::supplier(change, &supplier)?;
        if change.deleted {
            supplier.state = SupplierState::Inactive;
        }
        self.events.push(fact::SupplierChanged { supplier }.into());
        Ok(())
    }

    /// A deleted order is cancelled, since receipts may name it.
    pub(super) fn order(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut order: PurchaseOrder = self.payload(change)?;
        check::order(change, &order, &self.own())?;
        if change.deleted {
            order.state = OrderState::Cancelled;
        }
        self.events.push(fact::PurchaseOrderChanged { order }.into());
        Ok(())
    }

    /// Passes a transfer to the ledger, which decides whether goods move. A deletion changes nothing.
    pub(super) fn transfer(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let transfer: Transfer = self.payload(change)?;
            check::transfer(change, &transfer, &self.own())?;
            self.transfers.push((change.clone(), transfer));
        }
        Ok(())
    }
}
