//! Days as other programs write them, with and without a year, a time and a zone.

use crate::sheet::cell::plain;
use crate::sheet::month::{in_english, without_weekday};
use crate::sheet::time;
use jiff::civil::Date;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Directives of times in a format: the part before the first of them is the day's.
const TIMES: [&str; 15] =
    ["%H", "%I", "%T", "%R", "%M", "%S", "%p", "%P", "%z", "%Z", "%k", "%l", "%f", "%X", "%r"];
/// The format of Unix seconds.
const UNIX: &str = "%s";

/// Reason why a cell is not a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoDay {
    /// It is not of the form.
    Malformed(String),
    /// The text after the day is neither a time nor a zone.
    Time,
    /// The zone beside it is not known.
    Zone(String),
}

impl std::fmt::Display for NoDay {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(format) => write!(out, "is not a day of the form {format}"),
            Self::Time => out.write_str("has a time or zone after its day that can't be read"),
            Self::Zone(name) => write!(out, "is in the time zone {name:?}, which is not known"),
        }
    }
}

/// Reading of the days of a file.
#[derive(Debug, Clone)]
pub struct DayReader<'a> {
    /// Its day, as of strftime; a time in it is read too.
    pub format: &'a str,
    /// The zone of times that name no zone; `None` if times change no day.
    pub zone: Option<TimeZone>,
    /// The zone whose days are wanted.
    pub local: TimeZone,
    /// The first and last day of the file, if they are known.
    pub period: Option<(Date, Date)>,
    /// Today.
    pub today: Date,
}

impl DayReader<'_> {
    /// The day of a cell; `time` and `zone` are the texts of separate columns, or empty.
    ///
    /// # Errors
    /// The reason why it is not a day.
    pub fn day(&self, cell: &str, time: &str, zone: &str) -> Result<Date, NoDay> {
        let (cell, zone) = (plain(cell), plain(zone));
        let names_weekday = self.format.contains("%a") || self.format.contains("%A");
        let cell = if names_weekday { cell } else { without_weekday(cell) };
        let named = match zone {
            "" => None,
            name => Some(time::zone(name).ok_or_else(|| NoDay::Zone(name.to_owned()))?),
        };
        if let Some(moment) = unix(cell).filter(|_| self.format == UNIX) {
            return Ok(moment.to_zoned(self.local.clone()).date());
        }
        let (date, behind) = self.dated(cell).ok_or_else(|| NoDay::Malformed(self.format.to_owned()))?;
        let parts = match (behind.trim(), plain(time)) {
            ("", "") => return Ok(date),
            ("", time) | (time, _) => time::time(time).ok_or(NoDay::Time)?,
        };
        let (clock, beside) = parts;
        let Some(zone) = beside.or(named).or_else(|| self.zone.clone()) else { return Ok(date) };
        let moment = date.to_datetime(clock).to_zoned(zone).map_err(|_| NoDay::Time)?;
        Ok(moment.with_time_zone(self.local.clone()).date())
    }

    /// The day that a cell begins with, and the text behind it.
    fn dated<'t>(&self, cell: &'t str) -> Option<(Date, std::borrow::Cow<'t, str>)> {
        let format = plain(self.format);
        let (format, cell) = if ["%b", "%B", "%h"].iter().any(|name| format.contains(name)) {
            (format.replace("%B", "%b"), std::borrow::Cow::Owned(in_english(cell)))
        } else {
            (format.to_owned(), std::borrow::Cow::Borrowed(cell))
        };
        let (parsed, end) = BrokenDownTime::parse_prefix(day_part(&format), cell.as_bytes()).ok()?;
        let date = match parsed.year() {
            Some(_) => parsed.to_date().ok()?,
            None => self.in_some_year(parsed.month()?, parsed.day()?)?,
        };
        let behind = match cell {
            std::borrow::Cow::Borrowed(text) => std::borrow::Cow::Borrowed(text.get(end..)?),
            std::borrow::Cow::Owned(text) => std::borrow::Cow::Owned(text.get(end..)?.to_owned()),
        };
        // `2026-11-201` is not a day followed by something, unless the format has the time there.
        let is_joined = ["%d%H", "%e%H", "%d%T"].iter().any(|joined| format.contains(joined));
        let cut = !is_joined && behind.starts_with(|c: char| c.is_ascii_digit());
        (!cut).then_some((date, behind))
    }

    /// The day in the year of the file's period, or else the last time that it was.
    fn in_some_year(&self, month: i8, day: i8) -> Option<Date> {
        if let Some((from, to)) = self.period {
            let within = (from.year()..=to.year()).filter_map(|year| Date::new(year, month, day).ok());
            if let Some(date) = within.into_iter().find(|date| (from..=to).contains(date)) {
                return Some(date);
            }
        }
        let last = self.today.checked_add(1.day()).unwrap_or(self.today);
        let years = (0..=8).filter_map(|back| last.year().checked_sub(back));
        years.filter_map(|year| Date::new(year, month, day).ok()).find(|date| *date <= last)
    }
}

/// The part of a format that is of the day, if the day is before the time.
fn day_part(format: &str) -> &str {
    let first = TIMES.iter().filter_map(|time| format.find(time)).min();
    let Some(part) = first.and_then(|end| format.get(..end)) else { return format };
    let has = |names: &[&str]| names.iter().any(|name| part.contains(name));
    let whole = has(&["%d", "%e", "%j", "%F", "%D"]) && has(&["%m", "%b", "%j", "%F", "%D"]);
    if whole { part.trim_end_matches(|c: char| c == 'T' || c == ',' || c.is_whitespace()) } else { format }
}

/// Unix seconds or milliseconds, with parts of seconds or without.
fn unix(cell: &str) -> Option<Timestamp> {
    let (whole, part) = cell.split_once('.').unwrap_or((cell, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    if whole.len() > 11 {
        Timestamp::from_millisecond(number).ok()
    } else {
        Timestamp::from_second(number).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use jiff::civil::date;

    fn reader(format: &str) -> DayReader<'_> {
        let local = TimeZone::get("Asia/Jakarta").unwrap();
        DayReader { format, zone: None, local, period: None, today: date(2026, 11, 21) }
    }

    #[test]
    fn days_are_read_as_they_are_written() {
        for (cell, format, expected) in [
            ("2026-11-20", "%Y-%m-%d", date(2026, 11, 20)),
            ("'18/11", "'%d/%m", date(2026, 11, 18)),
            ("18/11", "'%d/%m", date(2026, 11, 18)),
            ("24/12", "%d/%m", date(2025, 12, 24)),
            ("29/02", "%d/%m", date(2024, 2, 29)),
            ("05 Agu 2026", "%d %b %Y", date(2026, 8, 5)),
            ("05 Okt 26", "%d %b %y", date(2026, 10, 5)),
            ("5 Mei 2026", "%d %B %Y", date(2026, 5, 5)),
            ("17 Agustus 2026", "%d %B %Y", date(2026, 8, 17)),
            ("17-Nop-2026", "%d-%b-%Y", date(2026, 11, 17)),
            ("20261119", "%Y%m%d", date(2026, 11, 19)),
            ("18/11/26", "%d/%m/%y", date(2026, 11, 18)),
            // Without a zone a time changes no day.
            ("2026-11-20 23:45:10", "%Y-%m-%d", date(2026, 11, 20)),
            ("2026-11-20 23:45:10", "%Y-%m-%d %H:%M:%S", date(2026, 11, 20)),
            ("2026-11-20", "%Y-%m-%d %H:%M:%S", date(2026, 11, 20)),
            ("2026-11-20T23:45:10.123", "%Y-%m-%dT%H:%M:%S", date(2026, 11, 20)),
            ("11/20/2026 2:30 PM", "%m/%d/%Y", date(2026, 11, 20)),
            ("2026-11-19T23:45:10Z", "%Y-%m-%d", date(2026, 11, 20)),
            ("2026-11-20T00:30:00+09:00", "%Y-%m-%d", date(2026, 11, 19)),
            ("2026-11-20 23:45 WIB", "%Y-%m-%d", date(2026, 11, 20)),
            ("20261119234510", "%Y%m%d%H%M%S", date(2026, 11, 19)),
            ("20261119", "%Y%m%d%H%M%S", date(2026, 11, 19)),
            ("20261119234510[-5:EST]", "%Y%m%d%H%M%S", date(2026, 11, 20)),
            ("20261119120000.000[0:GMT]", "%Y%m%d%H%M%S", date(2026, 11, 19)),
            ("19/11/2026 11:30 p.m.", "%d/%m/%Y", date(2026, 11, 19)),
            ("19/11/2026 23:30 AEDT", "%d/%m/%Y", date(2026, 11, 19)),
            ("19/11/2026 22:30 EST", "%d/%m/%Y", date(2026, 11, 20)),
            ("19/11/2026 22:30 BST", "%d/%m/%Y", date(2026, 11, 20)),
            ("Kamis, 19/11/2026", "%d/%m/%Y", date(2026, 11, 19)),
            ("Do. 19.11.2026", "%d.%m.%Y", date(2026, 11, 19)),
            ("Thu 19 Nov 2026", "%d %b %Y", date(2026, 11, 19)),
            ("5 maj 2026", "%d %b %Y", date(2026, 5, 5)),
            ("5 déc. 2025", "%d %b %Y", date(2025, 12, 5)),
            ("1795132800", "%s", date(2026, 11, 20)),
            ("1795132800.5", "%s", date(2026, 11, 20)),
            ("1795132800000", "%s", date(2026, 11, 20)),
        ] {
            assert_eq!(reader(format).day(cell, "", ""), Ok(expected), "{cell} {format}");
        }
        for (cell, format) in [
            ("", "%Y-%m-%d"),
            ("PEND", "%d/%m"),
            ("Saldo Awal", "%d/%m/%Y"),
            ("2026-11-201", "%Y-%m-%d"),
            ("2026-11-20 tea", "%Y-%m-%d"),
            ("20261119234510", "%Y%m%d"),
            ("202611192", "%Y%m%d%H%M%S"),
            ("31/02/2026", "%d/%m/%Y"),
        ] {
            assert!(reader(format).day(cell, "", "").is_err(), "{cell} {format}");
        }
    }

    #[test]
    fn a_zone_turns_a_moment_into_a_local_day() {
        let utc = DayReader { zone: Some(TimeZone::UTC), ..reader("%Y-%m-%d %H:%M:%S") };
        assert_eq!(utc.day("2026-11-19 23:45:10", "", ""), Ok(date(2026, 11, 20)));
        assert_eq!(utc.day("2026-11-19", "", ""), Ok(date(2026, 11, 19)));
        let plain = reader("%m/%d/%Y");
        assert_eq!(plain.day("11/19/2026", "11:30 PM", "Eastern Time (US & Canada)"), Ok(date(2026, 11, 20)));
        assert_eq!(plain.day("11/19/2026", "09:12:00", "WIB"), Ok(date(2026, 11, 19)));
        assert_eq!(plain.day("11/19/2026", "09:12:00", "Nowhere"), Err(NoDay::Zone("Nowhere".to_owned())));
    }

    #[test]
    fn a_day_without_a_year_is_of_the_files_period() {
        let period = Some((date(2025, 12, 1), date(2026, 1, 31)));
        let reader = DayReader { period, ..reader("%d/%m") };
        assert_eq!(reader.day("31/12", "", ""), Ok(date(2025, 12, 31)));
        assert_eq!(reader.day("02/01", "", ""), Ok(date(2026, 1, 2)));
    }
}
