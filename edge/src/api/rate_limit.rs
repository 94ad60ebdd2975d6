//! How much of a limit of attempts is left: `RateLimit-Policy` and `RateLimit`, as
//! draft-ietf-httpapi-ratelimit-headers-11 has them.

use crate::api::error::Code;
use http::{HeaderMap, HeaderName, HeaderValue};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LEFT: HeaderName = HeaderName::from_static("ratelimit");

/// A limit of failed attempts within a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Name of the limit.
    pub name: &'static str,
    /// Most attempts within the window.
    pub quota: usize,
    /// Length of the window in seconds.
    pub window_s: u64,
}

/// The remaining attempts of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Attempts that are left.
    pub attempts: usize,
    /// Seconds within which no more attempts than these are allowed.
    pub within_s: u64,
}

/// The limits of an attempt: by the name that is tried, and by the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// Of one name.
    pub name: RateLimit,
    /// Of one address.
    pub address: RateLimit,
    /// Remaining attempts of the address. Those of a name are sent only when none remain: before that, a stranger could
    /// see whether somebody else uses the name.
    pub left: Left,
}

impl RateLimits {
    /// Adds the headers to the answer of an attempt; `refused` is the error that it has.
    pub(crate) fn add(&self, headers: &mut HeaderMap, refused: Option<(Code, Option<u64>)>) {
        let policy = |limit: &RateLimit| format!("{:?};q={};w={}", limit.name, limit.quota, limit.window_s);
        let policies = format!("{}, {}", policy(&self.name), policy(&self.address));
        let (limit, left) = match refused {
            // Only this limit is sent, so that its time agrees with `Retry-After`.
            Some((Code::RateLimited, Some(within_s))) => {
                let limit = if self.left.attempts == 0 { &self.address } else { &self.name };
                (limit, Left { attempts: 0, within_s })
            }
            _ => (&self.address, self.left),
        };
        let left = format!("{:?};r={};t={}", limit.name, left.attempts, left.within_s);
        for (header, text) in [(POLICY, policies), (LEFT, left)] {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(header, value);
            }
        }
    }
}
