//! What is ordered and what is on its way: suppliers, orders, transfers; stores and tills.

use super::{Page, Untaken};
use domain::model::base::event::fact;
use domain::model::inventory::purchase::{OrderState, PurchaseOrder, Supplier, SupplierState};
use domain::model::inventory::transfer::Transfer;
use domain::wire::feed::{Change, RegisterDown, StoreDown, check};

impl Page<'_> {
    /// It is stored as it came: sending a transfer reads it.
    pub(super) fn store(&mut self, change: &Change) -> Result<(), Untaken> {
        let store: StoreDown = self.payload(change)?;
        Ok(check::store(change, &store)?)
    }

    /// Takes a change of a register: the ledger decides. A register that head office forgot stays as it is.
    pub(super) fn register(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let down: RegisterDown = self.payload(change)?;
            check::register(change, &down)?;
            self.registers.push((change.clone(), down));
        }
        Ok(())
    }

    pub(super) fn supplier(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut supplier: Supplier = self.payload(change)?;
        check::supplier(change, &supplier)?;
        if change.deleted {
            supplier.state = SupplierState::Inactive;
        }
        self.events.push(fact::SupplierChanged { supplier }.into());
        Ok(())
    }

    pub(super) fn order(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut order: PurchaseOrder = self.payload(change)?;
        check::order(change, &order, &self.own())?;
        if change.deleted {
            order.state = OrderState::Cancelled;
        }
        self.events.push(fact::PurchaseOrderChanged { order }.into());
        Ok(())
    }

    /// Goods may move: the ledger decides what it means. One that head office forgot moves nothing.
    pub(super) fn transfer(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let transfer: Transfer = self.payload(change)?;
            check::transfer(change, &transfer, &self.own())?;
            self.transfers.push((change.clone(), transfer));
        }
        Ok(())
    }
}
