//! Reads of history: sales, receipts, movements, answers.

use crate::body::Body;
use crate::commit::StoredAnswer;
use crate::error::StorageError;
use crate::handle::Storage;
use crate::index::{Kind, hash, printed};
use crate::segment::Segment;
use domain::event::Event;
use domain::ids::{MemberId, ShiftId, Sku, TransactionId};
use domain::stock::Movement;
use domain::transaction::Transaction;
use jiff::civil::Date;
use std::ops::ControlFlow;

type Read<T> = Result<T, StorageError>;

impl Storage {
    /// The answer that was kept under an idempotency key, if that is not more than `answers_days` (journal time)
    /// and a segment ago.
    pub fn answer(&self, key: &[u8; 32]) -> Read<Option<StoredAnswer>> {
        self.history().find_answer(hash(Kind::Answer, &[key]), |body| {
            let keyed = body.content.keyed.filter(|keyed| keyed.key == *key);
            Ok(keyed.map(|keyed| StoredAnswer { body: keyed.body, answer: keyed.answer() }))
        })
    }

    /// A transaction: its current row or, once paid or voided, from the journal, with what became of it.
    pub fn transaction(&self, id: &TransactionId) -> Read<Option<Transaction>> {
        if let Some(row) = self.current_transaction(id)? {
            return Ok(Some(row));
        }
        let wanted = |transaction: &Transaction| transaction.transaction_id == *id;
        let hash = hash(Kind::Transaction, &[id.as_str().as_bytes()]);
        let found = self.history().find(hash, |body| Ok(transactions(body)?.into_iter().find(wanted)))?;
        found.map(|sale| self.with_after(sale)).transpose()
    }

    /// A sale by its receipt number.
    pub fn transaction_by_receipt(&self, receipt_no: &str) -> Read<Option<Transaction>> {
        let wanted = |transaction: &Transaction| transaction.receipt_no.as_deref() == Some(receipt_no);
        let hash = hash(Kind::Receipt, &[receipt_no.as_bytes()]);
        let found = self.history().find(hash, |body| Ok(transactions(body)?.into_iter().find(wanted)))?;
        found.map(|sale| self.with_after(sale)).transpose()
    }

    /// Shows on a sale what was returned of it since.
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

    /// What was voided of a shift before it was paid, newest first: those before the lsn `before`. A commit
    /// is given whole, so there may be more than `limit`.
    pub fn voided_of_shift(
        &self,
        shift: &ShiftId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::ShiftVoid, &[shift.as_str().as_bytes()]);
        self.voided(hash, before, limit, |basket| basket.shift_id == *shift)
    }

    /// What was voided of a business date before it was paid, in the same way.
    pub fn voided_of_day(
        &self,
        day: Date,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::DayVoid, &[day.to_string().as_bytes()]);
        self.voided(hash, before, limit, |basket| basket.business_date == day)
    }

    /// What was voided of a member before it was paid, in the same way.
    pub fn voided_of_member(
        &self,
        member: &MemberId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Vec<(u64, Transaction)>> {
        let hash = hash(Kind::MemberVoid, &[member.as_str().as_bytes()]);
        self.voided(hash, before, limit, |basket| basket.member_id.as_ref() == Some(member))
    }

    fn voided(
        &self,
        hash: u64,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Transaction) -> bool,
    ) -> Read<Vec<(u64, Transaction)>> {
        self.newest(hash, before, limit, |event, found| match event {
            Event::TransactionVoided { transaction, .. } | Event::HoldVoided { transaction, .. } => {
                found.extend(Some(*transaction).filter(&wanted));
            }
            Event::ShiftClosed { voided, .. } => found.extend(voided.into_iter().filter(&wanted)),
            _ => {}
        })
    }

    /// Whether a receipt was printed before.
    pub fn receipt_printed(&self, receipt_no: &str) -> Read<bool> {
        let found = self.newest(hash(Kind::Print, &[receipt_no.as_bytes()]), None, 1, |event, found| {
            if matches!(&event, Event::Audited { entry } if printed(entry) == Some(receipt_no)) {
                found.push(());
            }
        })?;
        Ok(!found.is_empty())
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

    /// Sales under a hash as they are now: voided, returned, corrected since.
    fn sales(
        &self,
        hash: u64,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Transaction) -> bool,
    ) -> Read<Vec<(u64, Transaction)>> {
        let mut found = self.newest(hash, before, limit, |event, found| match event {
            Event::TransactionPaid { transaction, .. } if wanted(&transaction) => found.push(*transaction),
            _ => {}
        })?;
        for (_, sale) in &mut found {
            if self.sale_after(&sale.transaction_id)?.is_some()
                && let Some(now) = self.transaction(&sale.transaction_id)?
            {
                *sale = now;
            }
        }
        Ok(found)
    }

    /// Movements of a sku, newest first, with their lsn: those before `before`. A commit is given whole,
    /// so there may be a few more than `limit`; the last lsn is where the next page goes on.
    pub fn movements(&self, sku: &Sku, before: Option<u64>, limit: usize) -> Read<Vec<(u64, Movement)>> {
        let hash = hash(Kind::Movement, &[sku.as_str().as_bytes()]);
        self.newest(hash, before, limit, |event, found| {
            found.extend(event.movements().iter().filter(|movement| movement.sku == *sku).cloned());
        })
    }

    pub(super) fn newest<T>(
        &self,
        hash: u64,
        before: Option<u64>,
        limit: usize,
        pick: impl Fn(Event, &mut Vec<T>),
    ) -> Read<Vec<(u64, T)>> {
        let before = before.unwrap_or(u64::MAX);
        let mut found = Vec::new();
        self.history().search(hash, before, |(segment, offsets)| {
            for offset in before_lsn(&segment, &offsets, before)?.iter().rev().copied().map(u64::from) {
                if found.len() >= limit {
                    return Ok(ControlFlow::Break(()));
                }
                let (header, body) = segment.frame(offset)?;
                let events =
                    body.events().map_err(|what| StorageError::damaged(&segment.path, offset, what))?;
                let mut of_frame = Vec::new();
                events.into_iter().for_each(|event| pick(event, &mut of_frame));
                found.extend(of_frame.into_iter().rev().map(|item| (header.lsn, item)));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }
}

/// The offsets of frames before an lsn: lsns rise with offsets, so a few headers are enough.
fn before_lsn<'a>(segment: &Segment, offsets: &'a [u32], before: u64) -> Read<&'a [u32]> {
    let (mut low, mut high) = (0, offsets.len());
    if before == u64::MAX {
        return Ok(offsets);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        let offset = offsets.get(middle).copied().unwrap_or_default();
        if segment.lsn_at(u64::from(offset))? < before { low = middle + 1 } else { high = middle }
    }
    Ok(offsets.get(..low).unwrap_or_default())
}

fn transactions(body: Body) -> Result<Vec<Transaction>, String> {
    let of_event = |event| match event {
        Event::TransactionPaid { transaction, .. }
        | Event::TransactionVoided { transaction, .. }
        | Event::SaleVoided { transaction, .. }
        | Event::TenderCorrected { transaction, .. }
        | Event::HoldVoided { transaction, .. } => vec![*transaction],
        Event::ShiftClosed { voided, .. } => voided,
        _ => Vec::new(),
    };
    Ok(body.events()?.into_iter().flat_map(of_event).collect())
}
