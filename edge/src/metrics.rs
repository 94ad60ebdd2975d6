//! Metrics: counters and durations by route pattern and status, as Prometheus text.
//!
//! Cardinality is bounded: routes are the table's patterns (everything else is `unmatched`), statuses
//! are those of the error table.

use metrics::{Counter, Histogram, Unit};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

/// Requests by `route`, `method` and `status`.
pub const REQUESTS: &str = "http_requests_total";
/// Seconds from the end of the header to the answer, by `route` and `method`.
pub const SECONDS: &str = "http_request_seconds";
/// Connections that were refused, by `reason`.
pub const REFUSED: &str = "http_connections_refused_total";
/// Password hashes that were computed, for a comparison or a new hash.
pub const HASHES: &str = "password_hashes_total";
/// The route label of requests that match no route.
pub const UNMATCHED: &str = "unmatched";

/// Interval at which samples are folded into buckets without a scrape.
pub(crate) const UPKEEP_PERIOD: Duration = Duration::from_secs(5);

const SECONDS_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 10.0];

static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts collecting. Further calls change nothing.
pub fn install() {
    HANDLE.get_or_init(|| {
        let builder = PrometheusBuilder::new().set_buckets(&SECONDS_BUCKETS).ok()?;
        let handle = builder.install_recorder().ok()?;
        metrics::describe_counter!(REQUESTS, "Requests by route, method and status");
        metrics::describe_histogram!(SECONDS, Unit::Seconds, "Time to answer, by route and method");
        metrics::describe_counter!(HASHES, "Password hashes computed, to check or to set a password");
        metrics::describe_counter!(REFUSED, "Connections refused before a request was read, by reason");
        Some(handle)
    });
}

/// Everything collected so far as Prometheus text; empty before [`install`].
pub fn render() -> String {
    HANDLE.get().and_then(Option::as_ref).map(PrometheusHandle::render).unwrap_or_default()
}

/// Folds samples into buckets: without it memory grows while there is no scrape.
pub(crate) fn upkeep() {
    if let Some(handle) = HANDLE.get().and_then(Option::as_ref) {
        handle.run_upkeep();
    }
}

/// Metrics of one route.
pub(crate) struct RouteMetrics {
    route: &'static str,
    method: &'static str,
    seconds: Histogram,
    /// The counters of the statuses seen most, looked up once.
    usual: [(u16, Counter); 2],
}

impl RouteMetrics {
    pub(crate) fn new(route: &'static str, method: &'static str) -> Self {
        let seconds = metrics::histogram!(SECONDS, "route" => route, "method" => method);
        let usual = [200, 201].map(|status| (status, counter(route, method, status)));
        Self { route, method, seconds, usual }
    }

    /// Starts the clock of one request. Dropped without [`Observation::answered`] it counts as 500
    /// after a panic, else as 499: the client hung up.
    pub(crate) fn observe(&self) -> Observation<'_> {
        Observation { metrics: self, started: Instant::now(), status: None }
    }
}

fn counter(route: &'static str, method: &'static str, status: u16) -> Counter {
    metrics::counter!(REQUESTS, "route" => route, "method" => method, "status" => status.to_string())
}

/// One request on its way.
pub(crate) struct Observation<'a> {
    metrics: &'a RouteMetrics,
    started: Instant,
    status: Option<u16>,
}

impl Observation<'_> {
    pub(crate) fn answered(mut self, status: u16) {
        self.status = Some(status);
    }
}

impl Drop for Observation<'_> {
    fn drop(&mut self) {
        let RouteMetrics { route, method, seconds, usual } = self.metrics;
        seconds.record(self.started.elapsed());
        let status = self.status.unwrap_or(if std::thread::panicking() { 500 } else { 499 });
        match usual.iter().find(|(known, _)| *known == status) {
            Some((_, counter)) => counter.increment(1),
            None => counter(route, method, status).increment(1),
        }
    }
}
