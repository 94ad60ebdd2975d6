//! Goals, and whether they are reached. Every figure is a ratio of the same run, or counted, or a time that a person
//! waits.

use super::results::{At, Results, Spread};

pub struct Goal {
    pub what: &'static str,
    at_least: bool,
    limit: f64,
    unit: &'static str,
    figure: At<'static>,
    by: By,
}

/// The value that a figure is compared with.
enum By {
    /// Another one of the same round, after the factor.
    Of(f64, At<'static>),
    /// Nothing but its unit.
    Times(f64),
}

/// Result of a comparison.
pub struct Verdict {
    pub figure: Option<Spread>,
    /// Whether the median meets the goal.
    pub met: Option<bool>,
}

const SALES: At = ("store, 64", "/sales_per_s");
const BEHIND: At = ("store behind history", "/sales_per_s");
const CPU: At = ("store, 64", "/cpu_s_per_1000");
const FDATASYNC: By = By::Of(1.0, ("disk", "/alone/sync/p50_us"));
const BARE: By = By::Of(2.0, ("bare reply, 64", "/replies_per_s"));
const BARE_READ: By = By::Of(1.0, ("bare read", "/replies_per_s"));
const MS: By = By::Times(1e-3);
const KIB: By = By::Times(1.0 / 1_024.0);
const ONE: By = By::Times(1.0);
/// Of requests, two for each sale, of 64 in each 20 ms.
const OF_64_IN_20_MS: By = By::Times(2.0 * 0.020 / 64.0);

const fn of(subject: &'static str, pointer: &'static str) -> By {
    By::Of(1.0, (subject, pointer))
}

const fn least(what: &'static str, limit: f64, figure: At<'static>, by: By) -> Goal {
    Goal { what, at_least: true, limit, unit: "×", figure, by }
}

const fn most(what: &'static str, limit: f64, unit: &'static str, figure: At<'static>, by: By) -> Goal {
    Goal { what, at_least: false, limit, unit, figure, by }
}

/// All of them, in the order of the document.
pub const GOALS: &[Goal] = &[
    least("sales per second, 64 tills / thin two calls", 5.0, SALES, of("thin two calls, 64", SALES.1)),
    least("sales per second, 64 tills / thin one call", 3.0, SALES, of("thin one call, 64", SALES.1)),
    least("sales per second, 64 tills / pgbench", 2.0, SALES, of("pgbench, 64", SALES.1)),
    least("requests per second of selling, 64 tills / bare warp", 0.25, SALES, BARE),
    most(
        "one till alone, p50 of create / one fdatasync",
        2.0,
        "×",
        ("store, 1", "/create/p50_us"),
        FDATASYNC,
    ),
    most("one till alone, p50 of pay / one fdatasync", 2.0, "×", ("store, 1", "/pay/p50_us"), FDATASYNC),
    most("one till alone, p99 of create", 5.0, "ms", ("store, 1", "/create/p99_us"), MS),
    most("one till alone, p99 of pay", 5.0, "ms", ("store, 1", "/pay/p99_us"), MS),
    most("CPU per sale, 64 tills / thin two calls", 0.2, "×", CPU, of("thin two calls, 64", CPU.1)),
    most("memory behind history, after the load", 128.0, "MiB", ("memory behind history", "/pss_kib"), KIB),
    most("disk per sale, journal and rows", 3.0, "KiB", ("filling", "/disk_bytes_per_sale/lasting"), KIB),
    least(
        "fdatasync of 20 ms: requests / 64 each 20 ms",
        0.7,
        ("fdatasync of 20 ms", SALES.1),
        OF_64_IN_20_MS,
    ),
    most("fdatasync of 100 ms: repeated requests", 0.0, "", ("fdatasync of 100 ms", "/repeated"), ONE),
    least("product by barcode / bare warp", 0.6, ("product by barcode", "/replies_per_s"), BARE_READ),
    least("stock by sku / bare warp", 0.6, ("stock by sku", "/replies_per_s"), BARE_READ),
    most("product search by prefix, p99", 20.0, "ms", ("product search", "/reply/p99_us"), MS),
    most("member search by prefix, p99", 50.0, "ms", ("member search", "/reply/p99_us"), MS),
    least("behind history: sales per second / without", 0.9, BEHIND, of(SALES.0, SALES.1)),
    most(
        "behind history: p99 of a sale / without",
        1.2,
        "×",
        (BEHIND.0, "/whole/p99_us"),
        of(SALES.0, "/whole/p99_us"),
    ),
    most("behind history: start to ready", 1.0, "s", ("start behind history", "/slower_s"), ONE),
    most(
        "closing a shift of many sales / of 10",
        2.0,
        "×",
        ("closing many sales", "/ms"),
        of("closing few sales", "/ms"),
    ),
    most(
        "first print of a receipt behind history / without",
        2.0,
        "×",
        ("print behind history", "/reply/p50_us"),
        of("print", "/reply/p50_us"),
    ),
    least(
        "hub: catch-up into PostgreSQL / COPY of the rows",
        0.5,
        ("hub, catch-up", SALES.1),
        of("hub, copy", SALES.1),
    ),
    least(
        "hub: records applied with entries / without",
        0.7,
        ("hub, applied", "/unposted_ms"),
        of("hub, applied", "/whole_ms"),
    ),
    least(
        "hub: records applied with entries, items and rollups / without",
        0.6,
        ("hub, applied", "/documents_ms"),
        of("hub, applied", "/whole_ms"),
    ),
    most("paid at the till to the hub's report, p99", 250.0, "ms", ("hub, online", "/p99_us"), MS),
    most(
        "hub: CPU per sale, stores waiting / none",
        1.2,
        "×",
        ("hub, waited for", CPU.1),
        of("hub, alone", CPU.1),
    ),
    least(
        "hub: two processes on one PostgreSQL / one",
        1.0,
        ("hub, two processes", SALES.1),
        of("hub, one process", SALES.1),
    ),
];

impl Goal {
    /// The goal, in words.
    pub fn asked(&self) -> String {
        format!("{} {} {}", if self.at_least { "≥" } else { "≤" }, self.limit, self.unit)
    }

    /// Compares it with the measurement.
    pub fn verdict(&self, results: &Results) -> Verdict {
        let figure = match self.by {
            By::Of(factor, limit) => results.ratio(self.figure, limit).map(|ratio| ratio.times(factor)),
            By::Times(factor) => results.spread(self.figure).map(|spread| spread.times(factor)),
        };
        let within = |median: f64| if self.at_least { median >= self.limit } else { median <= self.limit };
        Verdict { figure, met: figure.map(|spread| within(spread.median)) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    #[test]
    fn a_goal_is_held_against_the_median_of_the_rounds() {
        let mut results = Results::default();
        for (ours, theirs) in [(600.0, 100.0), (400.0, 100.0), (100.0, 100.0)] {
            results.add("store, 64", json!({"sales_per_s": ours}));
            results.add("thin two calls, 64", json!({"sales_per_s": theirs}));
        }
        let verdict = GOALS.first().unwrap().verdict(&results);
        assert_eq!((verdict.figure.unwrap().median, verdict.met), (4.0, Some(false)));
        assert!(GOALS.last().unwrap().verdict(&results).met.is_none());
    }
}
