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
}

impl fmt::Display for UtcMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.timestamp())
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
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for UtcMs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            Self::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 instant"))
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

    #[test]
    fn is_written_with_milliseconds_and_read_back() {
        let at = UtcMs(1_795_140_394_739);
        assert_eq!(at.to_string(), "2026-11-20T02:06:34.739Z");
        assert_eq!(UtcMs::parse("2026-11-20T02:06:34.739Z"), Some(at));
        assert_eq!(UtcMs(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(UtcMs::parse("yesterday"), None);
    }
}
