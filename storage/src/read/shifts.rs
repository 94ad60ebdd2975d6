//! Reads of shifts, registers and cash.

use super::{Listed, Read, Shifts};
use crate::journal::index::{Kind, document, hash, list};
use crate::rows::table::Table;
use domain::model::base::event::{Fact, Noun};
use domain::model::base::ids::{CashId, RegisterId, ShiftId};
use domain::model::books::deposit::{Deposit, Safe, SafeOpening};
use domain::model::books::register::{Counters, Register};
use domain::model::books::shift::{CashMovement, Shift};
use jiff::civil::Date;
use std::sync::Arc;

impl Shifts<'_> {
    /// A shift, open or closed.
    pub fn shift(&self, id: &ShiftId) -> Read<Option<Shift>> {
        self.0.rows.row(Table::Shift, id.as_str())
    }

    /// Shifts after an ID, in order of ID.
    pub fn shifts(&self, after: Option<&ShiftId>, limit: usize) -> Read<Vec<Shift>> {
        self.0.rows.page(Table::Shift, after.map(ShiftId::as_str), limit)
    }

    /// The shifts that are not closed, in order of ID.
    pub fn open_shifts(&self) -> Read<Vec<Shift>> {
        let keys = self.0.rows.range(&[Table::OpenShift as u8], None, usize::MAX)?;
        let ids = keys.iter().map(|(key, _)| String::from_utf8_lossy(key.get(1..).unwrap_or_default()));
        ids.filter_map(|id| self.0.rows.row(Table::Shift, &id).transpose()).collect()
    }

    /// The shifts of a business date.
    pub fn shifts_of_day(&self, day: Date) -> Read<Vec<Shift>> {
        let prefix = Table::DayShift.pair(&day.to_string(), "");
        let keys = self.0.rows.range(&prefix, None, usize::MAX)?;
        let ids =
            keys.iter().map(|(key, _)| String::from_utf8_lossy(key.get(prefix.len()..).unwrap_or_default()));
        ids.filter_map(|id| self.0.rows.row(Table::Shift, &id).transpose()).collect()
    }

    /// Shifts of business dates, the newest first: from a date on, up to one, before the last one of a page.
    pub fn shifts_back(
        &self,
        (from, to): (Option<Date>, Option<Date>),
        before: Option<&(Date, ShiftId)>,
        limit: usize,
    ) -> Read<Vec<Shift>> {
        let table = Table::DayShift;
        let from = table.key(&from.map(|date| date.to_string()).unwrap_or_default());
        // Behind all shifts of that date, whose keys continue with a zero byte; else behind the table.
        let to = to.map_or_else(|| vec![table as u8 + 1], |date| table.key(&format!("{date}\u{1}")));
        let before = before.map_or_else(
            || to.clone(),
            |(date, id)| table.pair(&date.to_string(), id.as_str()).min(to.clone()),
        );
        let keys = self.0.rows.range_back(&from, &before, limit)?;
        let id = |key: &[u8]| {
            let id = key.split(|byte| *byte == 0).nth(1).unwrap_or_default();
            String::from_utf8_lossy(id).into_owned()
        };
        keys.iter().filter_map(|(key, _)| self.0.rows.row(Table::Shift, &id(key)).transpose()).collect()
    }

    /// A register's last numbers; zeros before its first.
    pub fn counters(&self, register: &RegisterId) -> Read<Counters> {
        let row = self.0.rows.row(Table::Counters, register.as_str())?;
        Ok(row.unwrap_or_else(|| Counters { register_id: register.clone(), ..Counters::default() }))
    }

    /// A register; `None` if there was no sale yet.
    pub fn register(&self, id: &RegisterId) -> Read<Option<Register>> {
        self.0.rows.row(Table::Register, id.as_str())
    }

    /// As `register`, without a copy; mostly no row is read.
    pub fn known_register(&self, id: &RegisterId) -> Read<Option<Arc<Register>>> {
        self.0.rows.known.registers.get(id.as_str(), |_| true, || self.register(id))
    }

    /// All registers, in order of ID.
    pub fn registers(&self) -> Read<Vec<Register>> {
        self.0.rows.page(Table::Register, None, usize::MAX)
    }

    /// A shift's cash movements, newest first.
    pub fn cash_movements(
        &self,
        shift: &ShiftId,
        before: Option<u64>,
        limit: usize,
    ) -> Read<Listed<CashMovement>> {
        let hash = hash(Kind::ShiftCash, &[shift.as_str().as_bytes()]);
        self.0.history.newest(hash, before, limit, |event, found| match event.fact {
            Fact::CashMoved(it) if it.movement.shift_id == *shift => found.push(it.movement),
            _ => {}
        })
    }

    /// Bank deposits, newest first.
    pub fn deposits(&self, before: Option<u64>, limit: usize) -> Read<Listed<Deposit>> {
        self.0.history.newest(list(Noun::Deposit), before, limit, |event, found| {
            if let Fact::CashDeposited(it) = event.fact {
                found.push(it.deposit);
            }
        })
    }

    /// A deposit, and whether another one takes it back.
    pub fn deposit(&self, id: &CashId) -> Read<Option<(Deposit, bool)>> {
        // It, and at most one that takes it back.
        let found =
            self.0.history.newest(document(id.as_str()), None, 2, |event, found| match event.fact {
                Fact::CashDeposited(it)
                    if it.deposit.deposit_id == *id || it.deposit.reverses.as_ref() == Some(id) =>
                {
                    found.push(it.deposit);
                }
                _ => {}
            })?;
        let reversed = found.iter().any(|(_, deposit)| deposit.reverses.as_ref() == Some(id));
        let itself = found.into_iter().map(|(_, deposit)| deposit).find(|deposit| deposit.deposit_id == *id);
        Ok(itself.map(|deposit| (deposit, reversed)))
    }

    /// Contents of the safe.
    pub fn safe(&self) -> Read<Safe> {
        Ok(self.0.rows.row(Table::Safe, "")?.unwrap_or_default())
    }

    /// Contents of the safe when the books began, if they were stated.
    pub fn safe_opening(&self) -> Read<Option<SafeOpening>> {
        self.0.rows.row(Table::SafeOpening, "")
    }
}
