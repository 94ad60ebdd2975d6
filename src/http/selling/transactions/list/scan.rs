//! One page of transactions: phase after phase, until it is full or enough was looked at.

use super::Wanted;
use crate::http::failure::stored;
use domain::model::base::ids::{MemberId, ShiftId};
use domain::model::selling::transaction::Transaction;
use edge::ApiError;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use storage::Storage;

/// Transactions read from the journal at once.
const CHUNK: usize = 200;
/// Transactions looked at for one page: a filter that few pass gives a short page and a cursor.
const SCANNED_MAX: usize = 5_000;
/// Business dates looked at for one page.
pub const DAYS_MAX: u16 = 400;

/// Transactions that are looked through.
#[derive(Debug, Clone)]
pub enum Scope {
    /// Transactions of a shift.
    Shift(ShiftId),
    /// Transactions of a member, by all of its IDs.
    Member(Vec<MemberId>),
    /// Transactions of business dates.
    Days { from: Date, to: Date },
}

/// Phases of the scan, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Phase {
    /// Open, held and partially paid ones.
    Unfinished,
    /// Sales, including those that were voided since.
    Sales,
    /// Sales of one business date.
    Day(Date),
    /// Baskets that were voided before payment.
    Voided,
    /// Baskets of one business date that were voided before payment.
    VoidedOf(Date),
}

/// Position at which a page stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    phase: Phase,
    /// Before this place of the journal.
    before: Option<u64>,
    /// Number of items already shown: of one commit, or of the unfinished ones.
    skip: usize,
}

impl Position {
    fn start(phase: Phase) -> Self {
        Self { phase, before: None, skip: 0 }
    }

    /// Behind a transaction of this commit.
    fn behind(self, lsn: u64) -> Self {
        let before = lsn.saturating_add(1);
        let same = self.before == Some(before);
        Self { before: Some(before), skip: if same { self.skip.saturating_add(1) } else { 1 }, ..self }
    }
}

/// A page in the making.
pub struct Scan<'a> {
    storage: &'a Storage,
    scope: Scope,
    wanted: Wanted,
    limit: usize,
    found: Vec<(Transaction, Position)>,
}

type Page = (Vec<Transaction>, Option<Position>);

impl<'a> Scan<'a> {
    /// Scan of this scope, up to a limit.
    pub fn new(storage: &'a Storage, scope: Scope, wanted: Wanted, limit: usize) -> Self {
        Self { storage, scope, wanted, limit, found: Vec::new() }
    }

    /// The page that begins at a place, and where the next one does.
    pub fn page(mut self, start: Option<Position>) -> Result<Page, ApiError> {
        let mut at = start.unwrap_or_else(|| Position::start(Phase::Unfinished));
        let (mut scanned, mut days) = (0_usize, 0_u16);
        // One more than fits proves that there is more.
        while self.found.len() <= self.limit {
            if scanned > SCANNED_MAX || days > DAYS_MAX {
                return Ok(self.cut(Some(at)));
            }
            let chunk = self.chunk(at)?;
            scanned = scanned.saturating_add(chunk.len());
            if chunk.is_empty() {
                days = days.saturating_add(1);
                match self.next(at.phase) {
                    Some(phase) => at = Position::start(phase),
                    None => return Ok(self.cut(None)),
                }
            }
            for (item, position) in chunk {
                at = position;
                if self.wanted.fits(&item) {
                    self.found.push((item, position));
                }
            }
        }
        Ok(self.cut(None))
    }

    fn cut(mut self, rest: Option<Position>) -> Page {
        let more = self.found.len() > self.limit;
        self.found.truncate(self.limit);
        let last = self.found.last().map(|(_, position)| *position);
        let next = if more { last } else { rest };
        (self.found.into_iter().map(|(item, _)| item).collect(), next)
    }

    /// Phase after a phase.
    fn next(&self, phase: Phase) -> Option<Phase> {
        match (&self.scope, phase) {
            (Scope::Days { from, to }, Phase::Unfinished) => (from <= to).then_some(Phase::Day(*to)),
            (Scope::Days { from, to }, Phase::Day(day)) => {
                let before = day.yesterday().ok().filter(|day| day >= from);
                Some(before.map_or(Phase::VoidedOf(*to), Phase::Day))
            }
            (Scope::Days { from, .. }, Phase::VoidedOf(day)) => {
                day.yesterday().ok().filter(|day| day >= from).map(Phase::VoidedOf)
            }
            (Scope::Shift(_) | Scope::Member(_), Phase::Unfinished) => Some(Phase::Sales),
            (Scope::Shift(_) | Scope::Member(_), Phase::Sales) => Some(Phase::Voided),
            _ => None,
        }
    }

    /// The next few of a phase, each with the place behind it.
    fn chunk(&self, at: Position) -> Result<Vec<(Transaction, Position)>, ApiError> {
        let limit = CHUNK.saturating_add(at.skip);
        let found = match (&self.scope, at.phase) {
            (_, Phase::Unfinished) => return self.unfinished(at),
            (Scope::Shift(shift), Phase::Sales) => {
                self.storage.sales().transactions_of_shift(shift, at.before, limit)
            }
            (Scope::Shift(shift), Phase::Voided) => {
                self.storage.sales().voided_of_shift(shift, at.before, limit)
            }
            (Scope::Member(members), Phase::Sales) => {
                self.storage.sales().transactions_of_members(members, at.before, limit)
            }
            (Scope::Member(members), Phase::Voided) => {
                self.storage.sales().voided_of_members(members, at.before, limit)
            }
            (Scope::Days { .. }, Phase::Day(day)) => {
                self.storage.sales().transactions_of_day(day, at.before, limit)
            }
            (Scope::Days { .. }, Phase::VoidedOf(day)) => {
                self.storage.sales().voided_of_day(day, at.before, limit)
            }
            // A cursor of a list with another scope.
            _ => return Err(ApiError::invalid_cursor()),
        };
        // The commit that the last page ended in is read again, without its items that were already shown.
        let mut position = at;
        let behind = |(lsn, item)| {
            position = position.behind(lsn);
            (item, position)
        };
        let rest = found.map_err(stored)?.into_iter().skip(at.skip);
        Ok(rest.map(behind).collect())
    }

    /// The unfinished, newest first; as few as tills have baskets.
    fn unfinished(&self, at: Position) -> Result<Vec<(Transaction, Position)>, ApiError> {
        let mut items = Vec::new();
        if let Scope::Shift(shift) = &self.scope {
            items = self.storage.sales().open_transactions(shift).map_err(stored)?;
        } else {
            for shift in self.storage.shifts().open_shifts().map_err(stored)? {
                items.extend(self.storage.sales().open_transactions(&shift.shift_id).map_err(stored)?);
            }
            for hold in self.storage.sales().holds().map_err(stored)? {
                items.extend(self.storage.sales().current_transaction(&hold.transaction_id).map_err(stored)?);
            }
        }
        items.sort_by(|a, b| (b.created_at, &b.transaction_id).cmp(&(a.created_at, &a.transaction_id)));
        let places = (1_usize..).map(|skip| Position { skip, ..at });
        Ok(items.into_iter().zip(places).skip(at.skip).collect())
    }
}
