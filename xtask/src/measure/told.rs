//! What was measured, beside the machine's limits and the floors to build on.

use super::TILLS;
use crate::table;
use serde_json::Value;
use std::time::Duration;

/// Durable sales per second at 64 tills.
const SALES_PER_S_MIN: f64 = 5_000.0;
/// p50 of a lone `pay`, in fdatasyncs.
const PAY_SYNCS_MAX: f64 = 3.0;
/// From start to ready behind the history.
const READY_MAX: Duration = Duration::from_secs(2);

/// The start behind much history.
pub struct Behind {
    /// How much.
    pub sales: u64,
    /// The run that made it, if one was needed.
    pub filled: Option<Value>,
    /// Ready after a kill -9.
    pub after_kill: Duration,
    /// Ready after a clean end.
    pub after_stop: Duration,
    /// Resident memory before the kill: now and at its highest, KiB.
    pub memory: (u64, u64),
    /// The same after the last start.
    pub memory_restarted: (u64, u64),
    /// The data folder.
    pub disk_bytes: u64,
}

/// Everything.
pub struct Measured {
    /// fdatasync alone and grouped.
    pub disk: Value,
    /// A bare warp reply: one client, 64 clients.
    pub bare: [Value; 2],
    /// One per entry of [`TILLS`].
    pub runs: Vec<Value>,
    /// The start behind history.
    pub behind: Behind,
}

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0)
}

fn ratio(figure: f64, limit: f64) -> String {
    if limit > 0.0 { format!("{:.2}", figure / limit) } else { "-".to_owned() }
}

impl Measured {
    /// Prints it.
    pub fn print(&self) {
        println!();
        self.print_limits();
        println!();
        self.print_sales();
        println!();
        self.print_behind();
        println!();
        self.print_floors();
    }

    fn print_limits(&self) {
        let row = |name: &str, per_s: f64, of: &Value| {
            let [p50, p99] = ["/p50_us", "/p99_us"].map(|at| format!("{:.0}", number(of, at)));
            vec![name.to_owned(), format!("{per_s:.0}"), p50, p99]
        };
        let sync = |at: &str| self.disk.pointer(at).cloned().unwrap_or_default();
        let [alone, many] = &self.bare;
        let bare = |name: &str, of: &Value| {
            let reply = of.get("reply").cloned().unwrap_or_default();
            row(name, number(of, "/replies_per_s"), &reply)
        };
        let rows = [
            row("4 KiB per fdatasync", number(&self.disk, "/alone/records_per_s"), &sync("/alone/sync")),
            row(
                "64 x 4 KiB per fdatasync",
                number(&self.disk, "/grouped/records_per_s"),
                &sync("/grouped/sync"),
            ),
            bare("bare warp JSON reply, 1 client", alone),
            bare("bare warp JSON reply, 64 clients", many),
        ];
        table::print(&["limits of this machine", "per s", "p50 us", "p99 us"], &rows);
    }

    fn print_sales(&self) {
        let alone = number(&self.disk, "/alone/records_per_s");
        let [_, many] = &self.bare;
        let replies = number(many, "/replies_per_s");
        let mut rows = Vec::new();
        let filled = self.behind.filled.iter().map(|run| ("64, filling".to_owned(), run));
        let named = TILLS.iter().map(|tills| tills.to_string()).zip(&self.runs);
        for (name, run) in named.chain(filled) {
            let rate = number(run, "/sales_per_s");
            let mut row = vec![name, format!("{rate:.0}"), ratio(rate, alone), ratio(2.0 * rate, replies)];
            let at = [
                "/pay/p50_us",
                "/pay/p99_us",
                "/whole/p50_us",
                "/whole/p99_us",
                "/cpu_us_per_sale",
                "/repeated",
            ];
            row.extend(at.map(|pointer| format!("{:.0}", number(run, pointer))));
            rows.push(row);
        }
        let head = [
            "tills",
            "sales/s",
            "/ lone fdatasyncs",
            "requests / bare replies",
            "pay p50 us",
            "pay p99 us",
            "sale p50 us",
            "sale p99 us",
            "store CPU us / sale",
            "repeated",
        ];
        table::print(&head, &rows);
    }

    fn print_behind(&self) {
        let Behind { sales, after_kill, after_stop, memory, memory_restarted, disk_bytes, .. } = &self.behind;
        let mib = |kib: u64| format!("{:.0} MiB", kib as f64 / 1024.0);
        let per_sale = *disk_bytes as f64 / (*sales).max(1) as f64;
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let rows = [
            row("start to ready after kill -9", format!("{:.3} s", after_kill.as_secs_f64())),
            row("start to ready after a clean end", format!("{:.3} s", after_stop.as_secs_f64())),
            row("memory while selling, highest", format!("{}, {}", mib(memory.0), mib(memory.1))),
            row(
                "memory after the start, highest",
                format!("{}, {}", mib(memory_restarted.0), mib(memory_restarted.1)),
            ),
            row(
                "data folder",
                format!("{:.0} MiB, {per_sale:.0} bytes a sale", *disk_bytes as f64 / 1_048_576.0),
            ),
        ];
        table::print(&[&format!("behind {sales} sales"), "measured"], &rows);
    }

    fn print_floors(&self) {
        let sync = number(&self.disk, "/alone/sync/p50_us");
        let lone = self.runs.first().map_or(0.0, |run| number(run, "/pay/p50_us"));
        let most = self.runs.last().map_or(0.0, |run| number(run, "/sales_per_s"));
        let slowest = self.behind.after_kill.max(self.behind.after_stop);
        let floors = [
            (
                "sales per second at 64 tills",
                format!(">= {SALES_PER_S_MIN}"),
                format!("{most:.0}"),
                most >= SALES_PER_S_MIN,
            ),
            (
                "p50 of a lone pay / one fdatasync",
                format!("<= {PAY_SYNCS_MAX}"),
                ratio(lone, sync),
                lone <= PAY_SYNCS_MAX * sync,
            ),
            (
                "start to ready behind the history",
                format!("<= {:?}", READY_MAX),
                format!("{slowest:.3?}"),
                slowest <= READY_MAX,
            ),
        ];
        let row = |(name, floor, gave, met): &(&str, String, String, bool)| {
            let verdict = if *met { "met" } else { "NOT MET" };
            vec![(*name).to_owned(), floor.clone(), gave.clone(), verdict.to_owned()]
        };
        table::print(&["floor", "asked", "gave", "verdict"], &floors.iter().map(row).collect::<Vec<_>>());
    }
}
