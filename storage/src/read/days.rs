//! Reads of business days.

use super::{Days, Read};
use crate::rows::apply::day_rows::{DAY, FIGURES, PROVING, TALLY};
use crate::rows::table::Table;
use domain::model::base::time::UtcMs;
use domain::model::books::day::{Day, ReopenedDay};
use domain::model::hub::sync::local::{DayFigures, DayProof, Proving, Tally};
use jiff::civil::Date;

impl Days<'_> {
    /// Reads a sealed day.
    pub fn day(&self, date: Date) -> Read<Option<Day>> {
        self.0.rows.row(Table::Day, &date.to_string())
    }

    /// All sealed days, in order.
    pub fn sealed_days(&self) -> Read<Vec<Day>> {
        self.0.rows.page(Table::Day, None, usize::MAX)
    }

    /// Days that are open again, in order.
    pub fn reopened_days(&self) -> Read<Vec<ReopenedDay>> {
        self.0.rows.page(Table::ReopenedDay, None, usize::MAX)
    }

    /// When a day was last sealed or reopened.
    pub fn last_day_change(&self, date: Date) -> Read<Option<UtcMs>> {
        let sealed = self.day(date)?.map(|day| day.sealed_at);
        let reopened: Option<ReopenedDay> = self.0.rows.row(Table::ReopenedDay, &date.to_string())?;
        Ok(sealed.max(reopened.map(|day| day.reopened_at)))
    }

    /// Days with shifts that are not sealed, in order; one look for each day that ever had a shift.
    pub fn unsealed_days(&self) -> Read<Vec<Date>> {
        let mut days = Vec::new();
        let mut after: Option<Vec<u8>> = None;
        loop {
            let found = self.0.rows.range(&[Table::DayShift as u8], after.as_deref(), 1)?;
            let Some((key, _)) = found.first() else { return Ok(days) };
            let day = key.get(1..).unwrap_or_default().split(|byte| *byte == 0).next().unwrap_or_default();
            if let Some(date) = date(key)
                && self.day(date)?.is_none()
            {
                days.push(date);
            }
            // Behind all its shifts, whose keys continue with a zero byte.
            after = Some([day, &[1]].concat());
        }
    }

    /// Days that have a shift or are sealed, the newest first: from a date on, up to one.
    pub fn known_days(&self, from: Option<Date>, to: Option<Date>, limit: usize) -> Read<Vec<Date>> {
        let (mut days, mut end) = (Vec::new(), to);
        while days.len() < limit {
            let newest = self.newest(Table::DayShift, from, end)?.max(self.newest(Table::Day, from, end)?);
            let Some(day) = newest else { break };
            days.push(day);
            end = day.yesterday().ok();
            if end.is_none() {
                break;
            }
        }
        Ok(days)
    }

    /// The last date of a table whose keys begin with dates.
    fn newest(&self, table: Table, from: Option<Date>, to: Option<Date>) -> Read<Option<Date>> {
        let from = table.key(&from.map(|date| date.to_string()).unwrap_or_default());
        // Behind all rows of that date, whose keys may continue with a zero byte.
        let to = to.map_or_else(|| vec![table as u8 + 1], |date| table.key(&format!("{date}\u{1}")));
        let rows = self.0.rows.range_back(&from, &to, 1)?;
        Ok(rows.first().and_then(|(key, _)| date(key)))
    }

    /// The records that the figures of the days include.
    pub fn tally(&self) -> Read<Tally> {
        let text: Option<String> = self.0.rows.row(Table::Sync, TALLY)?;
        text.map_or_else(|| Ok(Tally::default()), |text| self.0.rows.parse_json(&text))
    }

    /// A business day's figures, of any tally.
    pub fn day_figures(&self, day: Date) -> Read<Option<DayFigures>> {
        let text: Option<String> = self.0.rows.row(Table::Sync, &format!("{FIGURES}{day}"))?;
        text.map(|text| self.0.rows.parse_json(&text)).transpose()
    }

    /// Figures of business days after one, of any tally, oldest first.
    pub fn days_after(&self, after: Option<Date>, limit: usize) -> Read<Vec<DayFigures>> {
        let after = after.map(|day| day.to_string());
        self.0.rows.json_rows(Table::Sync, FIGURES, after.as_deref(), limit)
    }

    /// Figures of business days before one, of any tally, newest first.
    pub fn days_before(&self, before: Option<Date>, limit: usize) -> Read<Vec<DayFigures>> {
        // Behind every date.
        let before = before.map_or_else(|| ":".to_owned(), |day| day.to_string());
        let (from, to) = (Table::Sync.key(FIGURES), Table::Sync.key(&format!("{FIGURES}{before}")));
        self.0.rows.json_texts(self.0.rows.range_back(&from, &to, limit)?)
    }

    /// Result of the last comparison of a business day.
    pub fn day_proof(&self, day: Date) -> Read<Option<DayProof>> {
        let text: Option<String> = self.0.rows.row(Table::Sync, &format!("{DAY}{day}"))?;
        text.map(|text| self.0.rows.parse_json(&text)).transpose()
    }

    /// Compared business days, oldest first.
    pub fn day_proofs(&self, after: Option<&str>, limit: usize) -> Read<Vec<DayProof>> {
        self.0.rows.json_rows(Table::Sync, DAY, after, limit)
    }

    /// Progress of making the days due for the hub's generation.
    pub fn proving(&self) -> Read<Proving> {
        let text: Option<String> = self.0.rows.row(Table::Sync, PROVING)?;
        text.map_or_else(|| Ok(Proving::default()), |text| self.0.rows.parse_json(&text))
    }

    /// Business days after one that are not proven as they are now, oldest first.
    pub fn due_days(&self, after: Option<Date>, limit: usize) -> Read<Vec<Date>> {
        let after = after.map(|day| day.to_string());
        let rows = self.0.rows.range(&[Table::DueDay as u8], after.as_deref().map(str::as_bytes), limit)?;
        Ok(rows.iter().filter_map(|(key, _)| date(key)).collect())
    }

    /// Number of business days that the hub counts differently, and the first `limit` of them, with the time since
    /// when.
    pub fn differing_days(&self, limit: usize) -> Read<(u64, Vec<(Date, UtcMs)>)> {
        let count = self.0.rows.count(Table::DifferingDay)?;
        let rows = self.0.rows.range(&[Table::DifferingDay as u8], None, limit)?;
        let day = |(key, value): &(Vec<u8>, Vec<u8>)| {
            date(key).map(|day| self.0.rows.decoded(value).map(|since| (day, since)))
        };
        Ok((count, rows.iter().filter_map(day).collect::<Read<_>>()?))
    }
}

/// The date of a key, which may continue behind a zero byte.
fn date(key: &[u8]) -> Option<Date> {
    let date = key.get(1..)?.split(|byte| *byte == 0).next()?;
    std::str::from_utf8(date).ok()?.parse().ok()
}
