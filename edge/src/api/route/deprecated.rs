//! An old path of an operation: since when it is one, until when it works, and which path replaces it.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::civil::Date;
use jiff::tz::TimeZone;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Mark of an old path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecated {
    /// Day from which another path is to be used.
    pub since: Date,
    /// Day from which this path may be gone.
    pub sunset: Date,
    /// The path that replaces it.
    pub successor: &'static str,
}

impl Deprecated {
    /// Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the `Link` to the successor.
    pub(crate) fn add(&self, headers: &mut HeaderMap) {
        let midnight = |day: Date| day.to_zoned(TimeZone::UTC).unwrap_or_default();
        let texts = [
            (DEPRECATION, format!("@{}", midnight(self.since).timestamp().as_second())),
            (SUNSET, midnight(self.sunset).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()),
            (header::LINK, format!("<{}>; rel=\"successor-version\"", self.successor)),
        ];
        for (header, text) in texts {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(header, value);
            }
        }
    }
}
