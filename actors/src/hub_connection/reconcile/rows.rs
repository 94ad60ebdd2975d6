//! The store's rows, as records that come back find them.

use domain::ids::{
    AdjustmentId, MemberId, OpnameId, ReceivingId, RegisterId, ReturnId, ShiftId, Sku, SupplierReturnId,
    TransactionId, TransferId, UserId,
};
use domain::member::Member;
use domain::opname::OpnameState;
use domain::points::PointsAccount;
use domain::receiving::Receiving;
use domain::refill::Rows;
use domain::register::{Counters, Register};
use domain::returns::{Return, SaleAfter};
use domain::shift::Shift;
use domain::stock::Stock;
use domain::sync::{Kind, UserDown};
use domain::transaction::Transaction;
use domain::transfer::Transfer;
use domain::user::User;
use domain::user::costs::Costs;
use storage::{Storage, StorageError};

type Read<T> = Result<T, StorageError>;

/// The rows, and the most that checking a password may cost.
pub(super) struct StoredRows<'a>(pub(super) &'a Storage, pub(super) Costs);

impl Rows for StoredRows<'_> {
    type Error = StorageError;

    fn stock(&self, sku: &Sku) -> Read<Stock> {
        if let Some(row) = self.0.stock(sku)? {
            return Ok(row);
        }
        let empty = || Stock { sku: sku.clone(), ..Stock::default() };
        Ok(self.0.product(sku)?.as_ref().map_or_else(empty, Stock::seed))
    }

    fn account(&self, member: &MemberId) -> Read<Option<PointsAccount>> {
        self.0.points(member)
    }

    fn sale(&self, id: &TransactionId) -> Read<Option<Transaction>> {
        self.0.transaction(id)
    }

    fn after(&self, id: &TransactionId) -> Read<Option<SaleAfter>> {
        self.0.sale_after(id)
    }

    fn posted_return(&self, id: &ReturnId) -> Read<Option<Return>> {
        self.0.posted_return(id)
    }

    fn shift(&self, id: &ShiftId) -> Read<Option<Shift>> {
        self.0.shift(id)
    }

    fn register(&self, id: &RegisterId) -> Read<Option<Register>> {
        self.0.register(id)
    }

    fn counters(&self, id: &RegisterId) -> Read<Counters> {
        self.0.counters(id)
    }

    fn receiving(&self, id: &ReceivingId) -> Read<Option<Receiving>> {
        self.0.receiving(id)
    }

    fn transfer(&self, id: &TransferId) -> Read<Option<Transfer>> {
        self.0.transfer(id)
    }

    fn has_supplier_return(&self, id: &SupplierReturnId) -> Read<bool> {
        Ok(self.0.supplier_return(id)?.is_some())
    }

    fn adjustment(&self, id: &AdjustmentId) -> Read<Option<&'static str>> {
        Ok(self.0.adjustment(id)?.map(|adjustment| adjustment.state.name()))
    }

    fn has_posted(&self, id: &OpnameId) -> Read<bool> {
        Ok(self.0.opname(id)?.is_some_and(|opname| opname.state == OpnameState::Posted))
    }

    fn known_member(&self, id: &MemberId) -> Read<Option<Member>> {
        self.0.member(id)
    }

    fn has_event(&self, event_id: &str) -> Read<bool> {
        self.0.has_record(event_id)
    }

    fn known_user(&self, id: &UserId) -> Read<Option<User>> {
        self.0.user(id)
    }

    fn said_of_user(&self, id: &UserId) -> Read<Option<UserDown>> {
        let said = self.0.inbound(Kind::User.name(), id.as_str())?;
        Ok(said.and_then(|said| serde_json::from_value(said.payload).ok()))
    }

    fn costs_max(&self) -> Costs {
        self.1
    }
}
