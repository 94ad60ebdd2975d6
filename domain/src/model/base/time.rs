//! Instants: milliseconds since the Unix epoch, written as RFC 3339 UTC.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// An instant in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// In JSON it is RFC 3339 with milliseconds (`2026-11-20T02:06:34.739Z`), in binary rows the integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UtcMs(pub i64);

impl UtcMs {
    /// Reads RFC 3339 text; anything finer than a millisecond is cut off.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|at| Self(at.as_millisecond()))
    }

    /// The same instant for calendar arithmetic; instants outside of jiff's years are clamped.
    pub fn timestamp(self) -> jiff::Timestamp {
        let edge = if self.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(edge)
    }

    /// As text, from 1970 to 9999. A sale has some thirty instants: they are not worth a general formatter.
    fn text(self) -> Option<[u8; TEXT_BYTES]> {
        let at = u64::try_from(self.0).ok().filter(|at| *at < TEXTS_END_MS)?;
        let (year, month, day) = civil(at / DAY_MS);
        let (minutes, ms) = (at % DAY_MS / 60_000, at % 60_000);
        let ([y0, y1], [y2, y3], [m0, m1], [d0, d1]) =
            (digits(year / 100), digits(year % 100), digits(month), digits(day));
        let ([h0, h1], [n0, n1], [s0, s1]) = (digits(minutes / 60), digits(minutes % 60), digits(ms / 1_000));
        let ([_, f0], [f1, f2]) = (digits(ms % 1_000 / 100), digits(ms % 100));
        Some([
            y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T', h0, h1, b':', n0, n1, b':', s0, s1, b'.', f0,
            f1, f2, b'Z',
        ])
    }
}

/// `2026-11-20T02:06:34.739Z`
const TEXT_BYTES: usize = 24;
const DAY_MS: u64 = 86_400_000;
/// The last whole second that jiff knows, in the year 9999.
const TEXTS_END_MS: u64 = 253_402_207_200_000;

/// Two decimal digits.
#[allow(clippy::arithmetic_side_effects, reason = "a digit is at most 9")]
fn digits(number: u64) -> [u8; 2] {
    [b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]
}

/// Year, month and day of this many days after 1970-01-01, by Howard Hinnant's `civil_from_days`: years begin in March,
/// so that the leap day is their last.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "days end with the year 9999; each difference takes the smaller from the larger"
)]
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

impl fmt::Display for UtcMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text().as_ref().map(|text| std::str::from_utf8(text)) {
            Some(Ok(text)) => f.write_str(text),
            _ => write!(f, "{:.3}", self.timestamp()),
        }
    }
}

impl JsonSchema for UtcMs {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "UtcMs".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

impl Serialize for UtcMs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            match self.text().as_ref().map(|text| std::str::from_utf8(text)) {
                Some(Ok(text)) => serializer.serialize_str(text),
                _ => serializer.collect_str(self),
            }
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for UtcMs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            Self::parse(&text)
                .ok_or_else(|| D::Error::custom("must be a time, for example 2026-11-30T09:15:00Z"))
        } else {
            i64::deserialize(deserializer).map(Self)
        }
    }
}

/// Units of spans of time, from the largest to the smallest, with their milliseconds.
pub const SPAN_UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
/// The longest span that is accepted: a hundred years.
const SPAN_DAYS_MAX: u64 = 36_525;

/// The milliseconds of a span as people write it: `10s`, `250ms`, `7d`.
pub fn span_ms(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at_checked(digits)?;
    let (_, unit_ms) = SPAN_UNITS.into_iter().find(|(name, _)| *name == unit.trim_start())?;
    let ms = count.parse::<u64>().ok()?.checked_mul(unit_ms)?;
    (ms <= SPAN_DAYS_MAX * 86_400_000).then_some(ms)
}

#[cfg(test)]
mod tests {
    use super::UtcMs;
    use proptest::prelude::*;

    #[test]
    fn is_written_with_milliseconds_and_read_back() {
        let at = UtcMs(1_795_140_394_739);
        assert_eq!(at.to_string(), "2026-11-20T02:06:34.739Z");
        assert_eq!(UtcMs::parse("2026-11-20T02:06:34.739Z"), Some(at));
        assert_eq!(UtcMs(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(UtcMs::parse("yesterday"), None);
    }

    /// As jiff writes it.
    fn check(at: i64) {
        let at = UtcMs(at);
        let text = format!("{:.3}", at.timestamp());
        assert_eq!(at.to_string(), text);
        assert_eq!(serde_json::to_string(&at).ok(), Some(format!("\"{text}\"")));
    }

    #[test]
    fn every_day_of_four_centuries_and_the_edges_are_written_as_jiff_writes_them() {
        (0..150_000_i64).for_each(|day| check(day * 86_400_000 + day));
        let edges =
            [-1, 0, 253_402_207_199_999, 253_402_207_200_000, 253_402_300_800_000, i64::MIN, i64::MAX];
        edges.into_iter().for_each(check);
    }

    proptest! {
        #[test]
        fn any_instant_is_written_as_jiff_writes_it(at in -1_000_000_000_000..260_000_000_000_000_i64) {
            check(at);
        }
    }
}
