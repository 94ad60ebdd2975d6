//! A range of days as whole months and the days at its ends, for sums that are kept by both.

use jiff::ToSpan as _;
use jiff::civil::Date;

/// A range, taken apart: each of its days is in one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spans {
    /// First and last of its whole months, by any of their days. `None` if it has no whole month.
    pub months: Option<(Date, Date)>,
    /// Ranges of days, first and last, outside of the whole months.
    pub days: Vec<(Date, Date)>,
}

/// The parts of a range.
pub fn spans(from: Date, to: Date) -> Spans {
    let whole = || Spans { months: None, days: vec![(from, to)] };
    let next = from.first_of_month().checked_add(1.month()).ok();
    let first = if from.day() == 1 { Some(from) } else { next };
    let last = if to == to.last_of_month() { Some(to) } else { to.first_of_month().yesterday().ok() };
    let (Some(first), Some(last)) = (first, last) else { return whole() };
    if first > last {
        return whole();
    }
    let before = first.yesterday().ok().filter(|end| from <= *end).map(|end| (from, end));
    let after = last.tomorrow().ok().filter(|begin| *begin <= to).map(|begin| (begin, to));
    Spans { months: Some((first, last)), days: before.into_iter().chain(after).collect() }
}

/// The condition that a column of months, YYYY-MM, is one of them.
pub fn in_months(spans: &Spans, column: &str) -> String {
    let month = |day: Date| day.strftime("%Y-%m").to_string();
    // Months and days need no quoting.
    let between =
        |(first, last)| format!("({column} >= '{}' AND {column} <= '{}')", month(first), month(last));
    spans.months.map_or("1 = 0".to_owned(), between)
}

/// The condition that a column of days is outside of the months.
pub fn in_days(spans: &Spans, column: &str) -> String {
    let between = |(from, to): &(Date, Date)| format!("({column} >= '{from}' AND {column} <= '{to}')");
    let ranges: Vec<String> = spans.days.iter().map(between).collect();
    if ranges.is_empty() { "1 = 0".to_owned() } else { format!("({})", ranges.join(" OR ")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_range_is_its_whole_months_and_the_days_at_its_ends() {
        for (range, months, days) in [
            ("2025-01-01 2025-12-31", "m >= '2025-01' AND m <= '2025-12'", ""),
            ("2025-01-02 2025-12-31", "m >= '2025-02' AND m <= '2025-12'", "2025-01-02 2025-01-31"),
            ("2025-01-01 2025-03-30", "m >= '2025-01' AND m <= '2025-02'", "2025-03-01 2025-03-30"),
            ("2024-02-01 2024-02-29", "m >= '2024-02' AND m <= '2024-02'", ""),
            ("2024-02-01 2024-02-28", "", "2024-02-01 2024-02-28"),
            ("2025-01-31 2025-02-01", "", "2025-01-31 2025-02-01"),
            (
                "2025-01-31 2025-03-01",
                "m >= '2025-02' AND m <= '2025-02'",
                "2025-01-31 2025-01-31, 2025-03-01 2025-03-01",
            ),
        ] {
            let (from, to) = range.split_once(' ').unwrap();
            let found = spans(from.parse().unwrap(), to.parse().unwrap());
            let of = |(from, to): &(Date, Date)| format!("{from} {to}");
            let reported = found.days.iter().map(of).collect::<Vec<_>>().join(", ");
            let expected = if months.is_empty() { "1 = 0".to_owned() } else { format!("({months})") };
            assert_eq!((in_months(&found, "m"), reported.as_str()), (expected, days), "{range}");
        }
        let days = spans("2025-01-31".parse().unwrap(), "2025-03-01".parse().unwrap());
        let expected =
            "((d >= '2025-01-31' AND d <= '2025-01-31') OR (d >= '2025-03-01' AND d <= '2025-03-01'))";
        assert_eq!(in_days(&days, "d"), expected);
        assert_eq!(
            in_days(&spans("2025-01-01".parse().unwrap(), "2025-01-31".parse().unwrap()), "d"),
            "1 = 0"
        );
    }
}
