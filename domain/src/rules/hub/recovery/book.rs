//! The rows during a recovery: the store's rows, with the changes of the records before the current one.

use crate::model::base::event;
use crate::model::base::event::{Event, Fact};
use crate::model::base::ids::{
    AdjustmentId, MemberId, OpnameId, ReceivingId, RegisterId, ReturnId, ShiftId, Sku, TransactionId,
    TransferId, UserId,
};
use crate::model::base::time::UtcMs;
use crate::model::books::deposit::{Safe, SafeOpening};
use crate::model::books::register::{Counters, Register};
use crate::model::books::shift::Shift;
use crate::model::inventory::receiving::Receiving;
use crate::model::inventory::stock::{Movement, Stock};
use crate::model::inventory::transfer::Transfer;
use crate::model::people::member::Member;
use crate::model::people::points::{PointsAccount, PointsEntry};
use crate::model::people::user::User;
use crate::model::people::user::costs::Costs;
use crate::model::selling::returns::{Return, SaleAfter};
use crate::model::selling::transaction::Transaction;
use crate::rules::books::deposit::Share;
use crate::wire::feed::UserDown;
use jiff::civil::Date;
use std::collections::{HashMap, HashSet};

/// The present rows of the store. Every function fails if its row can't be read.
pub trait Rows {
    /// Error if a row can't be read.
    type Error;
    /// A sku's stock, or its starting value.
    fn stock(&self, sku: &Sku) -> Result<Stock, Self::Error>;
    /// A member's points.
    fn account(&self, member: &MemberId) -> Result<Option<PointsAccount>, Self::Error>;
    /// A transaction, in its present state here.
    fn sale(&self, id: &TransactionId) -> Result<Option<Transaction>, Self::Error>;
    /// State of a sale after it was paid.
    fn after(&self, id: &TransactionId) -> Result<Option<SaleAfter>, Self::Error>;
    /// A return.
    fn posted_return(&self, id: &ReturnId) -> Result<Option<Return>, Self::Error>;
    /// A shift.
    fn shift(&self, id: &ShiftId) -> Result<Option<Shift>, Self::Error>;
    /// A till.
    fn register(&self, id: &RegisterId) -> Result<Option<Register>, Self::Error>;
    /// Balance of the safe.
    fn safe(&self) -> Result<Safe, Self::Error>;
    /// Opening of the safe.
    fn safe_opening(&self) -> Result<Option<SafeOpening>, Self::Error>;
    /// When a day was last sealed or reopened.
    fn last_day_change(&self, date: &Date) -> Result<Option<UtcMs>, Self::Error>;
    /// A till's counters, in the epoch that is written now.
    fn counters(&self, id: &RegisterId) -> Result<Counters, Self::Error>;
    /// A receipt of goods.
    fn receiving(&self, id: &ReceivingId) -> Result<Option<Receiving>, Self::Error>;
    /// A transfer.
    fn transfer(&self, id: &TransferId) -> Result<Option<Transfer>, Self::Error>;
    /// Whether a step of this document is here.
    fn has_document(&self, id: &str) -> Result<bool, Self::Error>;
    /// The state of an adjustment.
    fn adjustment(&self, id: &AdjustmentId) -> Result<Option<&'static str>, Self::Error>;
    /// Whether this count is here and was posted.
    fn has_posted(&self, id: &OpnameId) -> Result<bool, Self::Error>;
    /// A member.
    fn known_member(&self, id: &MemberId) -> Result<Option<Member>, Self::Error>;
    /// Whether a record of this event is in the journal, in any epoch.
    fn has_event(&self, event_id: &str) -> Result<bool, Self::Error>;
    /// A person.
    fn known_user(&self, id: &UserId) -> Result<Option<User>, Self::Error>;
    /// Head office's record of a person.
    fn office_record_of_user(&self, id: &UserId) -> Result<Option<UserDown>, Self::Error>;
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
    registers: HashMap<RegisterId, Register>,
    receivings: HashMap<ReceivingId, Receiving>,
    transfers: HashMap<TransferId, Transfer>,
    members: HashMap<MemberId, Member>,
    users: HashMap<UserId, User>,
    safe: Option<Safe>,
    pub(super) opening: Option<SafeOpening>,
    day_changes: HashMap<Date, UtcMs>,
}

/// Gives the kept value, else the row.
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
            registers: HashMap::new(),
            receivings: HashMap::new(),
            transfers: HashMap::new(),
            members: HashMap::new(),
            users: HashMap::new(),
            safe: None,
            opening: None,
            day_changes: HashMap::new(),
        }
    }

    kept!(sale, sales, TransactionId, Transaction);
    kept!(after, afters, TransactionId, SaleAfter);
    kept!(posted_return, returns, ReturnId, Return);
    kept!(receiving, receivings, ReceivingId, Receiving);
    kept!(transfer, transfers, TransferId, Transfer);
    kept!(shift, shifts, ShiftId, Shift);
    kept!(register, registers, RegisterId, Register);
    kept!(known_member, members, MemberId, Member);
    kept!(account, accounts, MemberId, PointsAccount);
    kept!(known_user, users, UserId, User);
    kept!(last_day_change, day_changes, Date, UtcMs);

    /// Records that a day was sealed or reopened. Returns false if the day was changed later on this box, before the
    /// record was recovered.
    pub(super) fn record_day_change(&mut self, date: Date, at: UtcMs) -> Result<bool, R::Error> {
        let counts = self.last_day_change(&date)?.is_none_or(|word| word <= at);
        if counts {
            self.day_changes.insert(date, at);
        }
        Ok(counts)
    }

    /// Whether the effects of this event are applied; marks them as applied.
    pub(super) fn knows(&mut self, event_id: &str) -> Result<bool, R::Error> {
        Ok(!self.events.insert(event_id.to_owned()) || self.rows.has_event(event_id)?)
    }

    /// A till's counters: numbers of an earlier epoch are no numbers of this one.
    pub(super) fn counters(&self, id: &RegisterId) -> Result<Counters, R::Error> {
        self.counters.get(id).cloned().map_or_else(|| self.rows.counters(id), Ok)
    }

    /// These movements, and the stock rows after them; `paid`: incoming pieces had a price of their own.
    pub(super) fn stocked(&self, movements: Vec<Movement>, paid: bool) -> Result<event::Rows, R::Error> {
        let mut rows: Vec<Stock> = Vec::new();
        for movement in &movements {
            let place = rows.iter().position(|row| row.sku == movement.sku);
            let mut row = match place {
                Some(place) => rows.swap_remove(place),
                None => self.row(&movement.sku)?,
            };
            row.replay(movement, paid);
            rows.push(row);
        }
        Ok(event::Rows::of_stock(movements, rows))
    }

    /// The safe after an event that is not folded yet; `None` if the event does not affect it. A figure beyond the
    /// range leaves it as it is.
    pub(super) fn safe_after(&self, event: &Event) -> Result<Option<Safe>, R::Error> {
        let there = self.safe.clone().map_or_else(|| self.rows.safe(), Ok)?;
        let before = event.shift().map(|shift| self.shift(&shift.shift_id)).transpose()?.flatten();
        Ok(there
            .after(event, before.as_ref().map(Share::of).unwrap_or_default())
            .ok()
            .filter(|safe| *safe != there))
    }

    pub(super) fn row(&self, sku: &Sku) -> Result<Stock, R::Error> {
        self.stock.get(sku).cloned().map_or_else(|| self.rows.stock(sku), Ok)
    }

    /// A member's points after these entries; `None` if there are no entries.
    pub(super) fn credited(&self, entries: &[PointsEntry]) -> Result<Option<Box<PointsAccount>>, R::Error> {
        let Some(first) = entries.first() else { return Ok(None) };
        let known = self.account(&first.member_id)?;
        let mut account = known.unwrap_or_else(|| PointsAccount::new(first.member_id.clone()));
        entries.iter().for_each(|entry| account.replay(entry));
        Ok(Some(Box::new(account)))
    }

    /// Folds an event, so that the next record continues from it.
    pub(super) fn evolve(&mut self, event: &Event) {
        let rows = &event.rows;
        self.stock.extend(rows.stock.iter().map(|row| (row.sku.clone(), row.clone())));
        self.accounts.extend(rows.account.iter().map(|row| (row.member_id.clone(), (**row).clone())));
        self.afters.extend(rows.after.iter().map(|row| (row.transaction_id.clone(), (**row).clone())));
        self.shifts.extend(event.shifts().map(|row| (row.shift_id.clone(), row.clone())));
        self.registers.extend(rows.register.iter().map(|row| (row.register_id.clone(), (**row).clone())));
        self.counters.extend(rows.counters.iter().map(|row| (row.register_id.clone(), row.clone())));
        self.safe = rows.safe.as_deref().cloned().or(self.safe.take());
        let finished = event.fact.finished().iter();
        self.sales.extend(finished.map(|sale| (sale.transaction_id.clone(), sale.clone())));
        match &event.fact {
            Fact::ReturnPosted(it) => {
                self.returns.insert(it.document.return_id.clone(), it.document.clone());
            }
            Fact::ReturnVoided(it) => {
                self.returns.insert(it.document.return_id.clone(), it.document.clone());
            }
            Fact::ReceivingPosted(it) => {
                self.receivings.insert(it.receiving.receiving_id.clone(), it.receiving.clone());
            }
            Fact::ReceivingReversed(it) => {
                self.receivings.insert(it.receiving.receiving_id.clone(), it.receiving.clone());
            }
            Fact::TransferChanged(it) => {
                self.transfers.insert(it.transfer.transfer_id.clone(), it.transfer.clone());
            }
            Fact::OpnameChanged(it) => {
                self.counts.insert(it.opname.opname_id.clone());
            }
            Fact::SafeOpened(it) => self.opening = Some(it.opening.clone()),
            Fact::UserChanged(it) => {
                self.users.insert(it.user.user_id.clone(), it.user.clone());
            }
            Fact::MemberChanged(it) => {
                self.members.insert(it.member.member_id.clone(), it.member.clone());
            }
            _ => {}
        }
    }
}
