//! The daily proof: what each business day comes to, what came out when it was compared, and which days are
//! due, so that nobody goes through the whole history to find them.

use super::RowOp;
use super::codec::encode;
use super::sync::put;
use super::table::Table;
use crate::error::StorageError;
use crate::handle::Storage;
use domain::sync::local::{Change, DayFigures, DayProof, Proving, Tally};
use domain::time::UtcMs;
use jiff::civil::Date;

type Read<T> = Result<T, StorageError>;

const TALLY: &str = "tally";
const FIGURES: &str = "figures\0";
const DAY: &str = "day\0";
const PROVING: &str = "proving";

/// The operations of a change of days, appended.
pub(super) fn ops(change: &Change, out: &mut Vec<RowOp>) -> Result<(), String> {
    match change {
        Change::Tally { tally } => put(Table::Sync.key(TALLY), tally, out)?,
        Change::Figures { day } => {
            put(Table::Sync.key(&format!("{FIGURES}{}", day.business_date)), day, out)?;
            due(day.business_date, out);
        }
        Change::Day { proof } => {
            put(Table::Sync.key(&format!("{DAY}{}", proof.business_date)), proof, out)?;
            let due = if proof.clean() { None } else { Some(Vec::new()) };
            out.push(RowOp { key: Table::DueDay.key(&proof.business_date), value: due });
            let since = proof.since.filter(|_| proof.result == "difference");
            let since = since.map(|since| encode(&since)).transpose()?;
            out.push(RowOp { key: Table::DifferingDay.key(&proof.business_date), value: since });
        }
        Change::Proving { proving, days } => {
            put(Table::Sync.key(PROVING), proving, out)?;
            days.iter().for_each(|day| due(*day, out));
        }
        Change::Proven { day } => {
            out.push(RowOp { key: Table::DueDay.key(&day.to_string()), value: None });
        }
        _ => {}
    }
    Ok(())
}

fn due(day: Date, out: &mut Vec<RowOp>) {
    out.push(RowOp { key: Table::DueDay.key(&day.to_string()), value: Some(Vec::new()) });
}

impl Storage {
    /// Which records are in the figures of the days.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn tally(&self) -> Read<Tally> {
        let text: Option<String> = self.rows().row(Table::Sync, TALLY)?;
        text.map_or_else(|| Ok(Tally::default()), |text| self.parsed(&text))
    }

    /// A business day's figures, of whichever tally.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn day_figures(&self, day: Date) -> Read<Option<DayFigures>> {
        let text: Option<String> = self.rows().row(Table::Sync, &format!("{FIGURES}{day}"))?;
        text.map(|text| self.parsed(&text)).transpose()
    }

    /// Figures of business days after one, of whichever tally, oldest first.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn days_after(&self, after: Option<Date>, limit: usize) -> Read<Vec<DayFigures>> {
        let after = after.map(|day| day.to_string());
        self.sync_rows(Table::Sync, FIGURES, after.as_deref(), limit)
    }

    /// Figures of business days before one, of whichever tally, newest first.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn days_before(&self, before: Option<Date>, limit: usize) -> Read<Vec<DayFigures>> {
        // Behind every date.
        let before = before.map_or_else(|| ":".to_owned(), |day| day.to_string());
        let (from, to) = (Table::Sync.key(FIGURES), Table::Sync.key(&format!("{FIGURES}{before}")));
        self.sync_texts(self.rows().range_back(&from, &to, limit)?)
    }

    /// What came out when a business day was compared last.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn day_proof(&self, day: Date) -> Read<Option<DayProof>> {
        let text: Option<String> = self.rows().row(Table::Sync, &format!("{DAY}{day}"))?;
        text.map(|text| self.parsed(&text)).transpose()
    }

    /// Compared business days, oldest first.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn day_proofs(&self, after: Option<&str>, limit: usize) -> Read<Vec<DayProof>> {
        self.sync_rows(Table::Sync, DAY, after, limit)
    }

    /// How far the days were made due for the hub's generation.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn proving(&self) -> Read<Proving> {
        let text: Option<String> = self.rows().row(Table::Sync, PROVING)?;
        text.map_or_else(|| Ok(Proving::default()), |text| self.parsed(&text))
    }

    /// Business days after one that are not proven as they are now, oldest first.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn due_days(&self, after: Option<Date>, limit: usize) -> Read<Vec<Date>> {
        let after = after.map(|day| day.to_string());
        let rows = self.rows().range(&[Table::DueDay as u8], after.as_deref().map(str::as_bytes), limit)?;
        Ok(rows.iter().filter_map(|(key, _)| date(key)).collect())
    }

    /// How many business days the hub counts otherwise, and the first `limit` of them, since when.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn differing_days(&self, limit: usize) -> Read<(u64, Vec<(Date, UtcMs)>)> {
        let count = self.rows().mark().sums.count(Table::DifferingDay as usize);
        let rows = self.rows().range(&[Table::DifferingDay as u8], None, limit)?;
        let day = |(key, value): &(Vec<u8>, Vec<u8>)| {
            date(key).map(|day| self.rows().decoded(value).map(|since| (day, since)))
        };
        Ok((count, rows.iter().filter_map(day).collect::<Read<_>>()?))
    }
}

/// The date of a key.
fn date(key: &[u8]) -> Option<Date> {
    std::str::from_utf8(key.get(1..)?).ok()?.parse().ok()
}
