//! Spans of time as people write them: `10s`, `1h`, `7d`.

use domain::model::base::time::{SPAN_UNITS, span_ms};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, time::Duration};

/// A length of time; written as a whole number and one of `ms`, `s`, `m`, `h`, `d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Period(Duration);

impl Period {
    /// Zero. Some settings use it for "unlimited".
    pub const ZERO: Self = Self(Duration::ZERO);

    /// A period of `count` seconds.
    pub const fn seconds(count: u64) -> Self {
        Self(Duration::from_secs(count))
    }

    /// A period of `count` hours.
    pub const fn hours(count: u64) -> Self {
        Self(Duration::from_secs(count * 3_600))
    }

    /// A period of `count` days.
    pub const fn days(count: u64) -> Self {
        Self(Duration::from_secs(count * 86_400))
    }

    /// As the standard library's type.
    pub const fn duration(self) -> Duration {
        self.0
    }

    /// Reads `10s`, `250ms`, `7d`.
    pub fn parse(text: &str) -> Option<Self> {
        span_ms(text).map(|ms| Self(Duration::from_millis(ms)))
    }
}

impl From<Duration> for Period {
    fn from(duration: Duration) -> Self {
        Self(duration)
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        if ms == 0 {
            return f.write_str("0s");
        }
        // The smallest unit divides everything, so one is always found.
        match SPAN_UNITS.into_iter().find(|(_, unit_ms)| ms.is_multiple_of(*unit_ms)) {
            Some((name, unit_ms)) => write!(f, "{}{name}", ms / unit_ms),
            None => write!(f, "{ms}ms"),
        }
    }
}

impl Serialize for Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom(format!("not a duration: \"{text}\" (for example \"10s\", \"1h\", \"7d\")"))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn reads_and_writes_the_usual_forms() {
        for (text, seconds) in [("10s", 10), ("1h", 3600), ("7d", 604_800), ("5m", 300), ("0s", 0)] {
            let period = Period::parse(text).unwrap();
            assert_eq!(period.duration().as_secs(), seconds, "{text}");
            assert_eq!(period.to_string(), text);
        }
        assert_eq!(Period::parse("90s").unwrap().to_string(), "90s");
        assert_eq!(Period::parse("60s").unwrap().to_string(), "1m");
        assert_eq!(Period::parse("250ms").unwrap().duration().as_millis(), 250);
    }

    #[test]
    fn refuses_what_is_no_span() {
        for text in ["", "10", "s", "-1s", "1.5h", "1w", "99999999999999999999s", "400000d"] {
            assert_eq!(Period::parse(text), None, "{text:?}");
        }
    }
}
