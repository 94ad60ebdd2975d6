//! The store's rows, as records that come back find them.

use domain::model::base::ids::{
    AdjustmentId, MemberId, OpnameId, ReceivingId, RegisterId, ReturnId, ShiftId, Sku, TransactionId,
    TransferId, UserId,
};
use domain::model::base::time::UtcMs;
use domain::model::books::deposit::{Safe, SafeOpening};
use domain::model::books::register::{Counters, Register};
use domain::model::books::shift::Shift;
use domain::model::inventory::opname::OpnameState;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::stock::Stock;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::member::Member;
use domain::model::people::points::PointsAccount;
use domain::model::people::user::User;
use domain::model::people::user::costs::Costs;
use domain::model::selling::returns::{Return, SaleAfter};
use domain::model::selling::transaction::Transaction;
use domain::rules::hub::recovery::Rows;
use domain::wire::feed::{Kind, UserDown};
use jiff::civil::Date;
use storage::{Storage, StorageError};

type Read<T> = Result<T, StorageError>;

/// The rows, and the most that checking a password may cost.
pub(super) struct StoredRows<'a>(pub(super) &'a Storage, pub(super) Costs);

impl Rows for StoredRows<'_> {
    type Error = StorageError;

    fn stock(&self, sku: &Sku) -> Read<Stock> {
        if let Some(row) = self.0.stock().stock(sku)? {
            return Ok(row);
        }
        let empty = || Stock { sku: sku.clone(), ..Stock::default() };
        Ok(self.0.products().product(sku)?.as_ref().map_or_else(empty, Stock::seed))
    }

    fn account(&self, member: &MemberId) -> Read<Option<PointsAccount>> {
        self.0.members().points(member)
    }

    fn sale(&self, id: &TransactionId) -> Read<Option<Transaction>> {
        self.0.sales().transaction(id)
    }

    fn after(&self, id: &TransactionId) -> Read<Option<SaleAfter>> {
        self.0.sales().sale_after(id)
    }

    fn posted_return(&self, id: &ReturnId) -> Read<Option<Return>> {
        self.0.sales().posted_return(id)
    }

    fn shift(&self, id: &ShiftId) -> Read<Option<Shift>> {
        self.0.shifts().shift(id)
    }

    fn register(&self, id: &RegisterId) -> Read<Option<Register>> {
        self.0.shifts().register(id)
    }

    fn counters(&self, id: &RegisterId) -> Read<Counters> {
        self.0.shifts().counters(id)
    }

    fn receiving(&self, id: &ReceivingId) -> Read<Option<Receiving>> {
        self.0.purchasing().receiving(id)
    }

    fn transfer(&self, id: &TransferId) -> Read<Option<Transfer>> {
        self.0.stock_documents().transfer(id)
    }

    fn has_document(&self, id: &str) -> Read<bool> {
        self.0.stock_documents().has_step(id)
    }

    fn adjustment(&self, id: &AdjustmentId) -> Read<Option<&'static str>> {
        Ok(self.0.stock_documents().adjustment(id)?.map(|adjustment| adjustment.state.name()))
    }

    fn has_posted(&self, id: &OpnameId) -> Read<bool> {
        Ok(self.0.stock_documents().opname(id)?.is_some_and(|opname| opname.state == OpnameState::Posted))
    }

    fn known_member(&self, id: &MemberId) -> Read<Option<Member>> {
        self.0.members().member(id)
    }

    fn has_event(&self, event_id: &str) -> Read<bool> {
        self.0.outbox().has_record(event_id)
    }

    fn safe(&self) -> Read<Safe> {
        self.0.shifts().safe()
    }

    fn safe_opening(&self) -> Read<Option<SafeOpening>> {
        self.0.shifts().safe_opening()
    }

    fn last_day_change(&self, date: &Date) -> Read<Option<UtcMs>> {
        self.0.days().last_day_change(*date)
    }

    fn known_user(&self, id: &UserId) -> Read<Option<User>> {
        self.0.users().user(id)
    }

    fn office_record_of_user(&self, id: &UserId) -> Read<Option<UserDown>> {
        let said = self.0.sync().inbound(Kind::User.name(), id.as_str())?;
        Ok(said.and_then(|said| serde_json::from_value(said.payload).ok()))
    }

    fn costs_max(&self) -> Costs {
        self.1
    }
}
