//! Reads of sales and returns.

use super::{Listed, Read, Sales, document, newest_of};
use crate::journal::body::Body;
use crate::journal::history::pass_over;
use crate::journal::index::{Kind, document, hash, list, printed};
use crate::rows::table::{Table, shift_prefix};
use domain::model::base::event::Fact;
use domain::model::base::ids::{HoldId, MemberId, ReturnId, ShiftId, TransactionId};
use domain::model::selling::hold::Hold;
use domain::model::selling::returns::{Return, SaleAfter};
use domain::model::selling::transaction::{Transaction, TransactionHead};
use jiff::civil::Date;
use std::collections::BTreeSet;

impl Sales<'_> {
    /// A transaction: its current row or, once paid or voided, from the journal, with its returns and void.
    pub fn transaction(&self, id: &TransactionId) -> Read<Option<Transaction>> {
        if let Some(row) = self.current_transaction(id)? {
            return Ok(Some(row));
        }
        let wanted = |transaction: &Transaction| transaction.transaction_id == *id;
        let hash = hash(Kind::Transaction, &[id.as_str().as_bytes()]);
        let found = self.0.history.find(hash, |body| Ok(transactions(body)?.into_iter().find(wanted)))?;
        found.map(|sale| self.with_after(sale)).transpose()
    }

    /// A sale by its receipt number.
    pub fn transaction_by_receipt(&self, receipt_no: &str) -> Read<Option<Transaction>> {
        let wanted = |transaction: &Transaction| transaction.receipt_no.as_deref() == Some(receipt_no);
        let hash = hash(Kind::Receipt, &[receipt_no.as_bytes()]);
        let found = self.0.history.find(hash, |body| Ok(transactions(body)?.into_iter().find(wanted)))?;
        found.map(|sale| self.with_after(sale)).transpose()
    }

    /// Adds to a sale the pieces that were returned since.
    fn with_after(&self, mut sale: Transaction) -> Read<Transaction> {
        if let Some(after) = self.sale_after(&sale.transaction_id)? {
            after.show(&mut sale);
        }
        Ok(sale)
    }

    /// Sales that a shift completed, newest first, with their lsn: those before `before`, at most `limit`.
    pub fn transactions_of_shift(
        &self,
        shift: &ShiftId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::ShiftSale, &[shift.as_str().as_bytes()]);
        self.sales(hash, before, limit, |sale| sale.shift_id == *shift)
    }

    /// Sales of a business date, in the same way.
    pub fn transactions_of_day(
        &self,
        day: Date,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::DaySale, &[day.to_string().as_bytes()]);
        self.sales(hash, before, limit, |sale| sale.business_date == day)
    }

    /// Sales of a business date without damaged ones: `damaged` receives their problems. A sale whose later change
    /// can't be read is returned as it was paid.
    pub fn readable_transactions_of_day(
        &self,
        day: Date,
        before: Option<u64>,
        limit: usize,
        damaged: &mut BTreeSet<String>,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::DaySale, &[day.to_string().as_bytes()]);
        let page = (before, limit);
        let mut found =
            self.0.history.newest_readable(hash, page, damaged, |event, found| match event.fact {
                Fact::TransactionPaid(it) if it.transaction.business_date == day => {
                    found.push(it.transaction)
                }
                _ => {}
            })?;
        for (_, sale) in &mut found {
            match self.as_it_is(sale) {
                Ok(Some(now)) => *sale = now,
                Ok(None) => {}
                Err(error) => pass_over(error, damaged)?,
            }
        }
        Ok(found)
    }

    /// Sales to a member, in the same way.
    pub fn transactions_of_member(
        &self,
        member: &MemberId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::MemberSale, &[member.as_str().as_bytes()]);
        self.sales(hash, before, limit, |sale| sale.member_id.as_ref() == Some(member))
    }

    /// Transactions of a member and of those merged into it, newest first. A commit is returned whole.
    pub fn transactions_of_members(
        &self,
        members: &[MemberId],
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<Transaction>> {
        let found = members.iter().map(|id| self.transactions_of_member(id, before, limit));
        Ok(newest_of(found.collect::<Read<Vec<_>>>()?, limit))
    }

    /// Sales under a hash as they are now: voided, returned, corrected since.
    fn sales(
        &self,
        hash: u64,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Transaction) -> bool,
    ) -> Read<Vec<(u64, Transaction)>> {
        let mut found = self.0.history.newest(hash, before, limit, |event, found| match event.fact {
            Fact::TransactionPaid(it) if wanted(&it.transaction) => found.push(it.transaction),
            _ => {}
        })?;
        for (_, sale) in &mut found {
            if let Some(now) = self.as_it_is(sale)? {
                *sale = now;
            }
        }
        Ok(found)
    }

    /// A sale as it is now; `None` if nothing happened to it since it was paid.
    fn as_it_is(&self, sale: &Transaction) -> Read<Option<Transaction>> {
        if self.sale_after(&sale.transaction_id)?.is_none() {
            return Ok(None);
        }
        self.transaction(&sale.transaction_id)
    }

    /// Transactions of a shift voided before payment, newest first: those before the lsn `before`. A commit is returned
    /// whole, so there may be more than `limit`.
    pub fn voided_of_shift(
        &self,
        shift: &ShiftId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::ShiftVoid, &[shift.as_str().as_bytes()]);
        self.voided(hash, before, limit, |basket| basket.shift_id == *shift)
    }

    /// Transactions of a business date voided before payment, in the same way.
    pub fn voided_of_day(
        &self,
        day: Date,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::DayVoid, &[day.to_string().as_bytes()]);
        self.voided(hash, before, limit, |basket| basket.business_date == day)
    }

    /// Transactions of a member voided before payment, in the same way.
    pub fn voided_of_member(
        &self,
        member: &MemberId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::MemberVoid, &[member.as_str().as_bytes()]);
        self.voided(hash, before, limit, |basket| basket.member_id.as_ref() == Some(member))
    }

    /// Transactions of a member, and of those merged into it, voided before payment, in the same way.
    pub fn voided_of_members(
        &self,
        members: &[MemberId],
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<Transaction>> {
        let found = members.iter().map(|id| self.voided_of_member(id, before, limit));
        Ok(newest_of(found.collect::<Read<Vec<_>>>()?, limit))
    }

    fn voided(
        &self,
        hash: u64,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Transaction) -> bool,
    ) -> Read<Vec<(u64, Transaction)>> {
        self.0.history.newest(hash, before, limit, |event, found| {
            found.extend(event.fact.voided().iter().filter(|basket| wanted(basket)).cloned());
        })
    }

    /// Whether a receipt was printed before.
    pub fn receipt_printed(&self, receipt_no: &str) -> Read<bool> {
        let found =
            self.0.history.newest(hash(Kind::Print, &[receipt_no.as_bytes()]), None, 1, |event, found| {
                if matches!(&event.fact, Fact::Audited(it) if printed(&it.entry) == Some(receipt_no)) {
                    found.push(());
                }
            })?;
        Ok(!found.is_empty())
    }

    /// A transaction that is open, held or partially paid.
    pub fn current_transaction(&self, id: &TransactionId) -> Read<Option<Transaction>> {
        self.0.rows.row(Table::Transaction, id.as_str())
    }

    /// The part of it that identifies its owner: the rest of the row is not read.
    pub fn current_head(&self, id: &TransactionId) -> Read<Option<TransactionHead>> {
        self.0.rows.row(Table::Transaction, id.as_str())
    }

    /// The transactions of a shift that are not complete.
    pub fn open_transactions(&self, shift: &ShiftId) -> Read<Vec<Transaction>> {
        let prefix = shift_prefix(shift);
        let keys = self.0.rows.range(&prefix, None, usize::MAX)?;
        let ids =
            keys.iter().map(|(key, _)| String::from_utf8_lossy(key.get(prefix.len()..).unwrap_or_default()));
        ids.filter_map(|id| self.0.rows.row(Table::Transaction, &id).transpose()).collect()
    }

    /// Returns and void of a sale; `None` if it is as it was sold.
    pub fn sale_after(&self, sale: &TransactionId) -> Read<Option<SaleAfter>> {
        self.0.rows.row(Table::SaleAfter, sale.as_str())
    }

    /// A hold that waits.
    pub fn hold(&self, id: &HoldId) -> Read<Option<Hold>> {
        self.0.rows.row(Table::Hold, id.as_str())
    }

    /// The holds that wait, oldest first.
    pub fn holds(&self) -> Read<Vec<Hold>> {
        self.0.rows.page(Table::Hold, None, usize::MAX)
    }

    /// A hold that is over.
    pub fn ended_hold(&self, id: &HoldId) -> Read<Option<Hold>> {
        self.0.history.find(document(id.as_str()), |body| {
            Ok(body.events()?.into_iter().find_map(|event| match event.fact {
                Fact::HoldRecalled(it) if it.hold.hold_id == *id => Some(it.hold),
                Fact::HoldVoided(it) if it.hold.hold_id == *id => Some(it.hold),
                _ => None,
            }))
        })
    }

    document!(
        posted_return,
        returns,
        Return,
        ReturnId,
        return_id,
        ReturnPosted { document } | ReturnVoided { document }
    );

    /// A return by its receipt number.
    pub fn return_by_receipt(&self, receipt_no: &str) -> Read<Option<Return>> {
        let id = self.0.history.find(hash(Kind::Receipt, &[receipt_no.as_bytes()]), |body| {
            Ok(body.events()?.into_iter().find_map(|event| match event.fact {
                Fact::ReturnPosted(it) if it.document.receipt_no == receipt_no => Some(it.document.return_id),
                _ => None,
            }))
        })?;
        id.map_or(Ok(None), |id| self.posted_return(&id))
    }

    /// Returns of a business date without damaged ones: `damaged` receives their problems.
    pub fn readable_returns_of_day(
        &self,
        day: Date,
        before: Option<u64>,
        limit: usize,
        damaged: &mut BTreeSet<String>,
    ) -> Read<Listed<Return>> {
        let hash = hash(Kind::DayReturn, &[day.to_string().as_bytes()]);
        let page = (before, limit);
        let mut found =
            self.0.history.newest_readable(hash, page, damaged, |event, found| match event.fact {
                Fact::ReturnPosted(it) if it.document.business_date == day => found.push(it.document),
                _ => {}
            })?;
        for (_, document) in &mut found {
            match self.posted_return(&document.return_id) {
                Ok(Some(now)) => *document = now,
                Ok(None) => {}
                Err(error) => pass_over(error, damaged)?,
            }
        }
        Ok(found)
    }

    /// Returns of a business date as they are now, newest first: those posted before the lsn `before`.
    pub fn returns_of_day(&self, day: Date, before: Option<u64>, limit: usize) -> Read<Listed<Return>> {
        let hash = hash(Kind::DayReturn, &[day.to_string().as_bytes()]);
        let mut found = self.0.history.newest(hash, before, limit, |event, found| match event.fact {
            Fact::ReturnPosted(it) if it.document.business_date == day => found.push(it.document),
            _ => {}
        })?;
        for (lsn, document) in &mut found {
            if self.0.history.last_step(document.return_id.as_str())? != Some(*lsn)
                && let Some(now) = self.posted_return(&document.return_id)?
            {
                *document = now;
            }
        }
        Ok(found)
    }
}

fn transactions(body: Body) -> Result<Vec<Transaction>, String> {
    Ok(body.events()?.iter().flat_map(|event| event.fact.finished().to_vec()).collect())
}
