//! Sends one message to a receiver, without redirects and proxies, within bounds for every part, and only to addresses
//! that [`Rule`] permits.

use crate::webhooks::address::{self, Rule};
use crate::webhooks::signature::Secrets;
use domain::model::base::time::UtcMs;
use edge::clock;
use edge::server::command::words;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Response, Url, redirect};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Longest time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time from the beginning of a request to the end of its answer.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of an answer's body that are read. Its content is ignored.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
/// Longest text about a failure that is stored, in characters.
const ERROR_CHARS_MAX: usize = 300;
const USER_AGENT: &str = concat!("cloud-hub/", env!("CARGO_PKG_VERSION"));

/// A message.
pub struct Message<'a> {
    /// ID of the message, the same for every attempt.
    pub id: &'a str,
    /// The event as JSON.
    pub body: String,
}

/// Result of an attempt.
#[derive(Debug)]
pub struct Answer {
    /// Status of the answer. `None` if there was none.
    pub status: Option<u16>,
    /// Why the receiver has not accepted the message. `None` if it has.
    pub error: Option<String>,
    /// Pause that the receiver asked for, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl Answer {
    fn failed(status: Option<u16>, error: &str) -> Self {
        Self { status, error: Some(error.chars().take(ERROR_CHARS_MAX).collect()), retry_after_ms: None }
    }
}

/// Clients for addresses with and without TLS, made when they are needed: reading the system's certificates takes time.
pub struct Client {
    pub rule: Arc<Rule>,
    with_tls: OnceLock<reqwest::Client>,
    plain: OnceLock<reqwest::Client>,
}

impl Client {
    pub fn new(rule: Rule) -> Self {
        Self { rule: Arc::new(rule), with_tls: OnceLock::new(), plain: OnceLock::new() }
    }

    /// Sends a message once and waits for its answer.
    pub async fn send(&self, url: &str, message: &Message<'_>, secrets: &Secrets) -> Answer {
        let (client, url) = match self.to(url) {
            Ok(found) => found,
            Err(problem) => return Answer::failed(None, &problem),
        };
        let timestamp_s = clock::now().0.div_euclid(1_000);
        let request = client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", message.id)
            .header("webhook-timestamp", timestamp_s)
            .header("webhook-signature", secrets.header(message.id, timestamp_s, message.body.as_bytes()))
            .body(message.body.clone());
        match request.send().await {
            Ok(response) => answer(response).await,
            Err(error) => Answer::failed(None, &words(&error.without_url())),
        }
    }

    /// The client for an address. The settings may have changed since the webhook was created, so it is checked again.
    fn to(&self, url: &str) -> Result<(&reqwest::Client, Url), String> {
        let url = self.rule.parse(url)?;
        let with_tls = url.scheme() == "https";
        let made = if with_tls { &self.with_tls } else { &self.plain };
        let client = match made.get() {
            Some(client) => client,
            // A failure is not kept: certificates may be missing only while they are upgraded.
            None => {
                let new = self.build(with_tls)?;
                made.get_or_init(|| new)
            }
        };
        Ok((client, url))
    }

    fn build(&self, with_tls: bool) -> Result<reqwest::Client, String> {
        let resolver = CheckedNames { rule: Arc::clone(&self.rule), with_tls };
        let builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .no_gzip()
            .https_only(with_tls)
            .dns_resolver(Arc::new(resolver))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT);
        // Reading the system's certificates costs time, and they are not needed without TLS.
        let builder = if with_tls { builder } else { builder.tls_certs_only([]) };
        builder.build().map_err(|error| words(&error))
    }
}

/// Finds the addresses of a name, and returns only permitted ones. The connection is made to one of them, so a name
/// that resolves differently a moment later leads nowhere else.
struct CheckedNames {
    rule: Arc<Rule>,
    with_tls: bool,
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (rule, with_tls, host) = (Arc::clone(&self.rule), self.with_tls, name.as_str().to_owned());
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let (good, other): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|found| rule.permits(found.ip(), with_tls));
            if let (true, Some(first)) = (good.is_empty(), other.first()) {
                return Err(address::refused(first.ip()).into());
            }
            let addresses: Addrs = Box::new(good.into_iter());
            Ok(addresses)
        })
    }
}

/// Result of an answer. It must arrive completely: one that breaks off may come from a proxy, although the receiver got
/// nothing.
async fn answer(response: Response) -> Answer {
    let status = response.status();
    let retry_after_ms = retry_after_ms(response.headers(), clock::now());
    let error = match read_to_end(response).await {
        Err(error) => Some(format!("the answer broke off: {}", words(&error.without_url()))),
        Ok(()) if status.is_success() => None,
        Ok(()) if status.is_redirection() => Some("redirects are not followed".to_owned()),
        Ok(()) => Some(format!("the answer was {status}")),
    };
    match error {
        None => Answer { status: Some(status.as_u16()), error: None, retry_after_ms: None },
        Some(error) => Answer { retry_after_ms, ..Answer::failed(Some(status.as_u16()), &error) },
    }
}

/// Reads the body up to its bound, so that the connection can be used again.
async fn read_to_end(mut response: Response) -> Result<(), reqwest::Error> {
    let mut left = ANSWER_BYTES_MAX;
    while let Some(chunk) = response.chunk().await? {
        left = left.saturating_sub(chunk.len());
        if left == 0 {
            break;
        }
    }
    Ok(())
}

/// `Retry-After`, in seconds or as a date.
fn retry_after_ms(headers: &HeaderMap, now: UtcMs) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond();
    u64::try_from(at.saturating_sub(now.0)).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now = UtcMs(784_111_777_000);
        for (text, expected) in [
            ("120", Some(120_000)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60_000)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", None),
            ("soon", None),
            ("-5", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
            assert_eq!(retry_after_ms(&headers, now), expected, "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_with_a_private_address_is_resolved_only_if_the_address_is_allowed() {
        let checked = |networks: &[&str], with_tls| {
            let allowed = networks.iter().map(|network| network.parse().unwrap()).collect();
            CheckedNames { rule: Arc::new(Rule { allowed }), with_tls }
        };
        let resolved = |names: CheckedNames| async move { names.resolve("localhost".parse().unwrap()).await };
        let refused = resolved(checked(&[], true)).await.err().unwrap().to_string();
        assert!(refused.contains("may not be reached"), "{refused}");
        let loopback = ["127.0.0.0/8", "::1/128"];
        for with_tls in [false, true] {
            let found: Vec<_> = resolved(checked(&loopback, with_tls)).await.unwrap().collect();
            assert!(!found.is_empty() && found.iter().all(|found| found.ip().is_loopback()), "{found:?}");
        }
    }
}
