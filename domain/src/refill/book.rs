//! What a refill knows of the rows: those of the store, and what the records before this one did to them.

use crate::event::Event;
use crate::ids::{
    AdjustmentId, MemberId, OpnameId, ReceivingId, RegisterId, ReturnId, ShiftId, Sku, SupplierReturnId,
    TransactionId, TransferId, UserId,
};
use crate::member::Member;
use crate::points::{PointsAccount, PointsEntry};
use crate::receiving::Receiving;
use crate::register::{Counters, Register};
use crate::returns::{Return, SaleAfter};
use crate::shift::{Shift, ShiftState};
use crate::stock::{Movement, Stock};
use crate::sync::UserDown;
use crate::transaction::Transaction;
use crate::transfer::Transfer;
use crate::user::User;
use crate::user::costs::Costs;
use std::collections::{HashMap, HashSet};

/// The rows of the store, as they are.
pub trait Rows {
    /// Why they can't be read.
    type Error;
    /// A sku's stock, or what it starts from.
    ///
    /// # Errors
    /// It can't be read; so all others.
    fn stock(&self, sku: &Sku) -> Result<Stock, Self::Error>;
    /// A member's points.
    ///
    /// # Errors
    /// As above.
    fn account(&self, member: &MemberId) -> Result<Option<PointsAccount>, Self::Error>;
    /// A transaction, in whatever state it is here.
    ///
    /// # Errors
    /// As above.
    fn sale(&self, id: &TransactionId) -> Result<Option<Transaction>, Self::Error>;
    /// What became of a sale.
    ///
    /// # Errors
    /// As above.
    fn after(&self, id: &TransactionId) -> Result<Option<SaleAfter>, Self::Error>;
    /// A return.
    ///
    /// # Errors
    /// As above.
    fn posted_return(&self, id: &ReturnId) -> Result<Option<Return>, Self::Error>;
    /// A shift.
    ///
    /// # Errors
    /// As above.
    fn shift(&self, id: &ShiftId) -> Result<Option<Shift>, Self::Error>;
    /// A till.
    ///
    /// # Errors
    /// As above.
    fn register(&self, id: &RegisterId) -> Result<Option<Register>, Self::Error>;
    /// A till's counters, in the epoch that is written now.
    ///
    /// # Errors
    /// As above.
    fn counters(&self, id: &RegisterId) -> Result<Counters, Self::Error>;
    /// A receipt of goods.
    ///
    /// # Errors
    /// As above.
    fn receiving(&self, id: &ReceivingId) -> Result<Option<Receiving>, Self::Error>;
    /// A transfer.
    ///
    /// # Errors
    /// As above.
    fn transfer(&self, id: &TransferId) -> Result<Option<Transfer>, Self::Error>;
    /// Whether this return to a supplier is here.
    ///
    /// # Errors
    /// As above.
    fn has_supplier_return(&self, id: &SupplierReturnId) -> Result<bool, Self::Error>;
    /// The state of an adjustment.
    ///
    /// # Errors
    /// As above.
    fn adjustment(&self, id: &AdjustmentId) -> Result<Option<&'static str>, Self::Error>;
    /// Whether this count is here and was posted.
    ///
    /// # Errors
    /// As above.
    fn has_posted(&self, id: &OpnameId) -> Result<bool, Self::Error>;
    /// A member.
    ///
    /// # Errors
    /// As above.
    fn known_member(&self, id: &MemberId) -> Result<Option<Member>, Self::Error>;
    /// Whether a record of this event is in the journal, in whatever epoch.
    ///
    /// # Errors
    /// As above.
    fn has_event(&self, event_id: &str) -> Result<bool, Self::Error>;
    /// A person.
    ///
    /// # Errors
    /// As above.
    fn known_user(&self, id: &UserId) -> Result<Option<User>, Self::Error>;
    /// What head office said of a person.
    ///
    /// # Errors
    /// As above.
    fn said_of_user(&self, id: &UserId) -> Result<Option<UserDown>, Self::Error>;
    /// The most that checking a password may cost.
    fn costs_max(&self) -> Costs;
}

/// The rows as the records before this one left them.
pub struct Book<'a, R> {
    pub(super) rows: &'a R,
    /// Counts that were posted by records before this one: they may have more parts.
    pub(super) counts: HashSet<OpnameId>,
    /// Events of the records before this one.
    events: HashSet<String>,
    stock: HashMap<Sku, Stock>,
    accounts: HashMap<MemberId, PointsAccount>,
    sales: HashMap<TransactionId, Transaction>,
    afters: HashMap<TransactionId, SaleAfter>,
    returns: HashMap<ReturnId, Return>,
    shifts: HashMap<ShiftId, Shift>,
    counters: HashMap<RegisterId, Counters>,
    receivings: HashMap<ReceivingId, Receiving>,
    transfers: HashMap<TransferId, Transfer>,
    members: HashMap<MemberId, Member>,
    users: HashMap<UserId, User>,
}

/// What was kept, else the row.
macro_rules! kept {
    ($name:ident, $map:ident, $id:ty, $row:ty) => {
        pub(super) fn $name(&self, id: &$id) -> Result<Option<$row>, R::Error> {
            self.$map.get(id).cloned().map_or_else(|| self.rows.$name(id), |row| Ok(Some(row)))
        }
    };
}

impl<'a, R: Rows> Book<'a, R> {
    /// A book over the rows as they are.
    pub fn new(rows: &'a R) -> Self {
        Self {
            rows,
            counts: HashSet::new(),
            events: HashSet::new(),
            stock: HashMap::new(),
            accounts: HashMap::new(),
            sales: HashMap::new(),
            afters: HashMap::new(),
            returns: HashMap::new(),
            shifts: HashMap::new(),
            counters: HashMap::new(),
            receivings: HashMap::new(),
            transfers: HashMap::new(),
            members: HashMap::new(),
            users: HashMap::new(),
        }
    }

    kept!(sale, sales, TransactionId, Transaction);
    kept!(after, afters, TransactionId, SaleAfter);
    kept!(posted_return, returns, ReturnId, Return);
    kept!(receiving, receivings, ReceivingId, Receiving);
    kept!(transfer, transfers, TransferId, Transfer);
    kept!(shift, shifts, ShiftId, Shift);
    kept!(known_member, members, MemberId, Member);
    kept!(account, accounts, MemberId, PointsAccount);
    kept!(known_user, users, UserId, User);

    /// Whether what this event did is done; from now on it is.
    pub(super) fn knows(&mut self, event_id: &str) -> Result<bool, R::Error> {
        Ok(!self.events.insert(event_id.to_owned()) || self.rows.has_event(event_id)?)
    }

    /// A till's counters: numbers of an earlier epoch are no numbers of this one, Z numbers go on.
    pub(super) fn counters(&self, id: &RegisterId, z: Option<u64>) -> Result<Counters, R::Error> {
        let known = self.counters.get(id).cloned();
        let counters = known.map_or_else(|| self.rows.counters(id), Ok)?;
        Ok(Counters { z: counters.z.max(z.unwrap_or_default()), ..counters })
    }

    /// A shift of an earlier epoch is over, whatever its last record says.
    pub(super) fn over(shift: Shift) -> Shift {
        match shift.state {
            ShiftState::Closed => shift,
            _ => Shift { state: ShiftState::Interrupted, ..shift },
        }
    }

    /// The stock rows after these movements; `paid`: what came in had a price of its own.
    pub(super) fn stocked(&self, movements: &[Movement], paid: bool) -> Result<Vec<Stock>, R::Error> {
        let mut rows: Vec<Stock> = Vec::new();
        for movement in movements {
            let place = rows.iter().position(|row| row.sku == movement.sku);
            let mut row = match place {
                Some(place) => rows.swap_remove(place),
                None => self.row(&movement.sku)?,
            };
            row.replay(movement, paid);
            rows.push(row);
        }
        Ok(rows)
    }

    /// A sku's stock.
    pub(super) fn row(&self, sku: &Sku) -> Result<Stock, R::Error> {
        self.stock.get(sku).cloned().map_or_else(|| self.rows.stock(sku), Ok)
    }

    /// A member's points after these entries; none: none.
    pub(super) fn credited(&self, entries: &[PointsEntry]) -> Result<Option<Box<PointsAccount>>, R::Error> {
        let Some(first) = entries.first() else { return Ok(None) };
        let known = self.account(&first.member_id)?;
        let mut account = known.unwrap_or_else(|| PointsAccount::new(first.member_id.clone()));
        entries.iter().for_each(|entry| account.replay(entry));
        Ok(Some(Box::new(account)))
    }

    /// Folds an event, so that the next record goes on from it.
    pub(super) fn evolve(&mut self, event: &Event) {
        let stock = event.stock().iter().map(|row| (row.sku.clone(), row.clone()));
        self.stock.extend(stock);
        self.accounts.extend(event.account().map(|row| (row.member_id.clone(), row.clone())));
        self.afters.extend(event.sale_after().map(|row| (row.transaction_id.clone(), row.clone())));
        self.shifts.extend(event.shift().map(|row| (row.shift_id.clone(), row.clone())));
        match event {
            Event::TransactionPaid { transaction, .. }
            | Event::TransactionVoided { transaction, .. }
            | Event::SaleVoided { transaction, .. }
            | Event::TenderCorrected { transaction, .. } => {
                self.sales.insert(transaction.transaction_id.clone(), (**transaction).clone());
            }
            Event::ReturnPosted { document, .. } | Event::ReturnVoided { document, .. } => {
                self.returns.insert(document.return_id.clone(), (**document).clone());
            }
            Event::ShiftClosed { counters, .. } => {
                self.counters.insert(counters.register_id.clone(), counters.clone());
            }
            Event::ReceivingPosted { receiving, .. } | Event::ReceivingReversed { receiving, .. } => {
                self.receivings.insert(receiving.receiving_id.clone(), (**receiving).clone());
            }
            Event::TransferChanged { transfer, .. } => {
                self.transfers.insert(transfer.transfer_id.clone(), (**transfer).clone());
            }
            Event::OpnameChanged { opname, .. } => {
                self.counts.insert(opname.opname_id.clone());
            }
            Event::UserChanged { user } => {
                self.users.insert(user.user_id.clone(), user.clone());
            }
            Event::MemberChanged { member, .. } => {
                self.members.insert(member.member_id.clone(), (**member).clone());
            }
            _ => {}
        }
    }
}
