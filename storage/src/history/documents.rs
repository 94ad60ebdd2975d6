//! Reads of documents: one by id, as it is now; a noun's list, last changed first.

use crate::error::StorageError;
use crate::handle::Storage;
use crate::index::{Kind, List, document, hash, list};
use domain::adjustment::Adjustment;
use domain::audit::AuditEntry;
use domain::deposit::Deposit;
use domain::event::Event;
use domain::hold::Hold;
use domain::ids::{
    AdjustmentId, HoldId, MemberId, OpnameId, ReceivingId, ReturnId, ShiftId, SupplierReturnId, TransferId,
    UserId,
};
use domain::member::Member;
use domain::opname::Opname;
use domain::points::PointsEntry;
use domain::receiving::Receiving;
use domain::returns::Return;
use domain::shift::CashMovement;
use domain::supplier_return::SupplierReturn;
use domain::transaction::Transaction;
use domain::transfer::Transfer;
use jiff::civil::Date;

/// Deposits read at once where their sum is not known.
const DEPOSITS_AT_ONCE: usize = 16;

type Read<T> = Result<T, StorageError>;

/// Things with their lsn, newest first; the last lsn is where the next page goes on.
pub type Listed<T> = Vec<(u64, T)>;

/// Lists of several as one, newest first: so many, and the last commit whole.
fn newest_of<T>(lists: Vec<Listed<T>>, limit: usize) -> Listed<T> {
    let mut all: Listed<T> = lists.into_iter().flatten().collect();
    all.sort_by_key(|(lsn, _)| std::cmp::Reverse(*lsn));
    if let Some(last) = all.get(limit.saturating_sub(1)).map(|(lsn, _)| *lsn) {
        all.retain(|(lsn, _)| *lsn >= last);
    }
    all
}

/// Which audit entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditOf {
    /// All.
    All,
    /// What a user did.
    User(UserId),
    /// One kind of action.
    Action(String),
}

macro_rules! document {
    ($one:ident, $many:ident, $noun:ident, $id:ident, $type:ident, $field:ident, $($event:ident { $name:ident })|+) => {
        /// A document of this noun, as it is now.
        pub fn $one(&self, id: &$id) -> Read<Option<$type>> {
            self.history().find(document(id.as_str()), |body| {
                Ok(body.events()?.into_iter().find_map(|event| match event {
                    $(Event::$event { $name, .. } if $name.$field == *id => Some(*$name),)+
                    _ => None,
                }))
            })
        }

        /// Documents of this noun, last changed first: those changed before the lsn `before`.
        pub fn $many(&self, before: Option<u64>, limit: usize) -> Read<Listed<$type>> {
            let steps = |before, limit| {
                self.newest(list(List::$noun), before, limit, |event, found| match event {
                    $(Event::$event { $name, .. } => found.push(*$name),)+
                    _ => {}
                })
            };
            self.as_they_are(before, limit, steps, |document| document.$field.as_str())
        }
    };
}

impl Storage {
    document!(
        posted_return,
        returns,
        Return,
        ReturnId,
        Return,
        return_id,
        ReturnPosted { document } | ReturnVoided { document }
    );
    document!(
        receiving,
        receivings,
        Receiving,
        ReceivingId,
        Receiving,
        receiving_id,
        ReceivingPosted { receiving } | ReceivingReversed { receiving }
    );
    document!(
        supplier_return,
        supplier_returns,
        SupplierReturn,
        SupplierReturnId,
        SupplierReturn,
        supplier_return_id,
        SupplierReturnPosted { document }
    );
    document!(
        adjustment,
        adjustments,
        Adjustment,
        AdjustmentId,
        Adjustment,
        adjustment_id,
        AdjustmentChanged { adjustment }
    );
    document!(transfer, transfers, Transfer, TransferId, Transfer, transfer_id, TransferChanged { transfer });
    document!(opname, opnames, Opname, OpnameId, Opname, opname_id, OpnameChanged { opname });

    /// A hold that is over.
    pub fn ended_hold(&self, id: &HoldId) -> Read<Option<Hold>> {
        self.history().find(document(id.as_str()), |body| {
            Ok(body.events()?.into_iter().find_map(|event| match event {
                Event::HoldRecalled { hold, .. } | Event::HoldVoided { hold, .. } if hold.hold_id == *id => {
                    Some(*hold)
                }
                _ => None,
            }))
        })
    }

    /// A return by its receipt number.
    pub fn return_by_receipt(&self, receipt_no: &str) -> Read<Option<Return>> {
        let id = self.history().find(hash(Kind::Receipt, &[receipt_no.as_bytes()]), |body| {
            Ok(body.events()?.into_iter().find_map(|event| match event {
                Event::ReturnPosted { document, .. } if document.receipt_no == receipt_no => {
                    Some(document.return_id)
                }
                _ => None,
            }))
        })?;
        id.map_or(Ok(None), |id| self.posted_return(&id))
    }

    /// Returns of a business date as they are now, newest first: those posted before the lsn `before`.
    pub fn returns_of_day(&self, day: Date, before: Option<u64>, limit: usize) -> Read<Listed<Return>> {
        let hash = hash(Kind::DayReturn, &[day.to_string().as_bytes()]);
        let mut found = self.newest(hash, before, limit, |event, found| match event {
            Event::ReturnPosted { document, .. } if document.business_date == day => found.push(*document),
            _ => {}
        })?;
        for (lsn, document) in &mut found {
            if self.last_step(document.return_id.as_str())? != Some(*lsn)
                && let Some(now) = self.posted_return(&document.return_id)?
            {
                *document = now;
            }
        }
        Ok(found)
    }

    /// A member's points entries, newest first. A commit is given whole.
    pub fn points_entries(
        &self,
        member: &MemberId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<PointsEntry>> {
        let hash = hash(Kind::Points, &[member.as_str().as_bytes()]);
        self.newest(hash, before, limit, |event, found| {
            found.extend(event.points().iter().filter(|entry| entry.member_id == *member).cloned());
        })
    }

    /// The same of a member and of those that go on as it.
    pub fn points_entries_of(
        &self,
        member: &Member,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<PointsEntry>> {
        let found = member.family().map(|id| self.points_entries(id, before, limit));
        Ok(newest_of(found.collect::<Read<Vec<_>>>()?, limit))
    }

    /// Transactions of a member and of those that go on as it, newest first. A commit is given whole.
    pub fn transactions_of_members(
        &self,
        members: &[MemberId],
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<Transaction>> {
        let found = members.iter().map(|id| self.transactions_of_member(id, before, limit));
        Ok(newest_of(found.collect::<Read<Vec<_>>>()?, limit))
    }

    /// What was voided of a member, and of those that go on as it, before it was paid, in the same way.
    pub fn voided_of_members(
        &self,
        members: &[MemberId],
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<Transaction>> {
        let found = members.iter().map(|id| self.voided_of_member(id, before, limit));
        Ok(newest_of(found.collect::<Read<Vec<_>>>()?, limit))
    }

    /// A shift's cash movements, newest first.
    pub fn cash_movements(
        &self,
        shift: &ShiftId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<CashMovement>> {
        let hash = hash(Kind::ShiftCash, &[shift.as_str().as_bytes()]);
        self.newest(hash, before, limit, |event, found| match event {
            Event::CashMoved { movement, .. } if movement.shift_id == *shift => found.push(movement),
            _ => {}
        })
    }

    /// Bank deposits, newest first.
    pub fn deposits(&self, before: Option<u64>, limit: usize) -> Read<Listed<Deposit>> {
        self.newest(list(List::Deposit), before, limit, |event, found| {
            if let Event::CashDeposited { deposit, .. } = event {
                found.push(deposit);
            }
        })
    }

    /// Σ all deposits: the newest carry it, so only those are read that came without it since.
    pub fn deposited(&self) -> Read<i64> {
        let (mut sum, mut before) = (0_i64, None);
        loop {
            let page = self.newest(list(List::Deposit), before, DEPOSITS_AT_ONCE, |event, found| {
                if let Event::CashDeposited { deposit, total } = event {
                    found.push((deposit.amount, total));
                }
            })?;
            let Some((last, _)) = page.last() else { return Ok(sum) };
            before = Some(*last);
            for (_, (amount, total)) in page {
                if let Some(total) = total {
                    return Ok(sum.saturating_add(total));
                }
                sum = sum.saturating_add(amount);
            }
        }
    }

    /// Audit entries, newest first. A commit is given whole.
    pub fn audit(&self, of: &AuditOf, before: Option<u64>, limit: usize) -> Read<Listed<AuditEntry>> {
        let hash = match of {
            AuditOf::All => list(List::Audit),
            AuditOf::User(user) => hash(Kind::AuditUser, &[user.as_str().as_bytes()]),
            AuditOf::Action(action) => hash(Kind::AuditAction, &[action.as_bytes()]),
        };
        let wanted = |entry: &AuditEntry| match of {
            AuditOf::All => true,
            AuditOf::User(user) => entry.user_id == *user,
            AuditOf::Action(action) => entry.action == *action,
        };
        self.newest(hash, before, limit, |event, found| match event {
            Event::Audited { entry } if wanted(&entry) => found.push(entry),
            _ => {}
        })
    }

    /// Of the steps of documents, newest first, the last one of each: a document stands where it was
    /// changed last.
    fn as_they_are<T>(
        &self,
        mut before: Option<u64>,
        limit: usize,
        steps: impl Fn(Option<u64>, usize) -> Read<Listed<T>>,
        id: impl Fn(&T) -> &str,
    ) -> Read<Listed<T>> {
        let mut found = Vec::new();
        while found.len() < limit {
            let page = steps(before, limit)?;
            let Some((last, _)) = page.last() else { break };
            before = Some(*last);
            for (lsn, step) in page {
                if found.len() < limit && self.last_step(id(&step))? == Some(lsn) {
                    found.push((lsn, step));
                }
            }
        }
        Ok(found)
    }

    /// The lsn at which a document was changed last.
    fn last_step(&self, id: &str) -> Read<Option<u64>> {
        let step = self.newest(document(id), None, 1, |event, found| {
            if event.document_id() == Some(id) {
                found.push(());
            }
        })?;
        Ok(step.first().map(|(lsn, ())| *lsn))
    }
}
