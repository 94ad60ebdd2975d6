//! The figures as Markdown: printed, and written into docs/performance.md between two marks.

use super::goals::GOALS;
use super::results::{At, Results, Spread};
use super::slow_disk;
use super::{MANY, TILLS};
use anyhow::Context;
use std::path::Path;

/// Where the figures of the store and its hub begin in the page.
pub const STORE: &str = "<!-- measured by `cargo xtask bench --write`: begin -->\n";
/// Where those of head office behind many rows begin.
pub const OFFICE: &str = "<!-- measured by `cargo xtask bench --office-rows --write`: begin -->\n";
const END: &str = "<!-- end -->\n";

/// Everything, below a sentence on how it was measured.
pub fn render(head: &str, results: &Results) -> String {
    let parts =
        [head.to_owned(), goals(results), selling(results), limits(results), reads(results), single(results)];
    parts.join("\n")
}

/// Puts it into the page instead of what stood behind that mark.
pub fn write(page: &Path, begin: &str, block: &str) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(page)?;
    let (before, rest) = text.split_once(begin).context("the page has no mark where the figures begin")?;
    let (_, after) = rest.split_once(END).context("the page has no mark where the figures end")?;
    Ok(std::fs::write(page, format!("{before}{begin}{block}{END}{after}"))?)
}

fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}

/// Three digits that count, and thousands apart.
fn short(figure: f64) -> String {
    let decimals = match figure.abs() {
        below if below < 10.0 => 2,
        below if below < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{figure:.decimals$}");
    let (whole, rest) =
        text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    rest.map_or(grouped.clone(), |rest| format!("{grouped}.{rest}"))
}

/// Median, least and most.
pub fn ranged(figure: Option<Spread>) -> String {
    match figure {
        None => "–".to_owned(),
        Some(Spread { median, least, most }) if least == most => short(median),
        Some(Spread { median, least, most }) => {
            format!("{} ({} – {})", short(median), short(least), short(most))
        }
    }
}

/// The median alone, times a factor.
pub fn median(results: &Results, at: At, factor: f64) -> String {
    results.spread(at).map_or("–".to_owned(), |spread| short(spread.median * factor))
}

fn goals(results: &Results) -> String {
    let row = |goal: &super::goals::Goal| {
        let verdict = goal.verdict(results);
        let met = verdict.met.map_or("not measured", |met| if met { "met" } else { "not met" });
        vec![goal.what.to_owned(), goal.asked(), ranged(verdict.figure), met.to_owned()]
    };
    format!(
        "### Goals\n\n{}",
        table(&["what", "goal", "median (least – most)", ""], GOALS.iter().map(row).collect())
    )
}

fn selling(results: &Results) -> String {
    let named = |name: &'static str| TILLS.map(|tills| (name, format!("{name}, {tills}")));
    let closed = ["store", "pgbench", "thin one call", "thin two calls"].into_iter().flat_map(named);
    let also = ["store behind history", "store, open loop", "thin two calls, open loop"];
    let all = closed.chain(also.map(|name| (name, name.to_owned())));
    let row = |(_, subject): (&str, String)| {
        let us = |pointer: &str| median(results, (&subject, pointer), 1e-3);
        let mut row = vec![subject.clone(), ranged(results.spread((&subject, "/sales_per_s")))];
        row.extend(
            ["/create/p50_us", "/pay/p50_us", "/whole/p50_us", "/whole/p99_us", "/whole/p999_us"].map(us),
        );
        row.push(ranged(results.spread((&subject, "/cpu_s_per_1000"))));
        row.push(median(results, (&subject, "/pss_kib"), 1.0 / 1_024.0));
        row
    };
    let head = [
        "subject, tills",
        "sales per second",
        "create p50",
        "pay p50",
        "sale p50",
        "sale p99",
        "sale p99.9, ms",
        "CPU s per 1,000 sales",
        "memory, MiB",
    ];
    format!("### Sales\n\n{}", table(&head, all.map(row).collect()))
}

fn limits(results: &Results) -> String {
    let many = format!("bare reply, {MANY}");
    let row = |name: &str, (subject, rate, times): (&str, &str, &str)| {
        let us = |p: &str| median(results, (subject, &format!("{times}/{p}")), 1.0);
        vec![name.to_owned(), ranged(results.spread((subject, rate))), us("p50_us"), us("p99_us")]
    };
    let rows = vec![
        row("4 KiB + fdatasync", ("disk", "/alone/records_per_s", "/alone/sync")),
        row("64 × 4 KiB + fdatasync", ("disk", "/grouped/records_per_s", "/grouped/sync")),
        row("bare warp, JSON taken and given, 1 client", ("bare reply, 1", "/replies_per_s", "/reply")),
        row("the same, 64 clients", (&many, "/replies_per_s", "/reply")),
        row("bare warp, a product given, 64 clients", ("bare read", "/replies_per_s", "/reply")),
    ];
    format!("### Limits of the machine\n\n{}", table(&["what", "per second", "p50, µs", "p99, µs"], rows))
}

fn reads(results: &Results) -> String {
    let row = |name: &str| {
        let us = |p: &str| median(results, (name, &format!("/reply/{p}")), 1.0);
        vec![name.to_owned(), ranged(results.spread((name, "/replies_per_s"))), us("p50_us"), us("p99_us")]
    };
    let names = [
        "product by barcode",
        "stock by sku",
        "product search",
        "member search",
        "print",
        "print behind history",
    ];
    format!("### Reads\n\n{}", table(&["what", "per second", "p50, µs", "p99, µs"], names.map(row).into()))
}

fn single(results: &Results) -> String {
    let mut rows = Vec::new();
    let mut row = |what: &str, at: At, factor: f64| {
        rows.push(vec![what.to_owned(), ranged(results.spread(at).map(|spread| spread.times(factor)))]);
    };
    let mib = 1.0 / 1_024.0;
    row("start after a kill, s", ("start", "/after_kill_s"), 1.0);
    row("the same behind history, s", ("start behind history", "/after_kill_s"), 1.0);
    row("start after a clean end, s", ("start", "/after_stop_s"), 1.0);
    row("the same behind history, s", ("start behind history", "/after_stop_s"), 1.0);
    row("memory after the load, MiB", ("memory", "/pss_kib"), mib);
    row("the same behind history, MiB", ("memory behind history", "/pss_kib"), mib);
    row("most that was resident behind history, MiB", ("memory behind history", "/most_kib"), mib);
    for part in ["journal", "rows", "snapshots"] {
        row(
            &format!("disk per sale, {part}, bytes"),
            ("filling", &format!("/disk_bytes_per_sale/{part}")),
            1.0,
        );
    }
    row("sales per fdatasync, 64 tills", ("store, 64", "/sales_per_fdatasync"), 1.0);
    for delay in slow_disk::DELAYS_MS {
        let name = slow_disk::name(delay);
        row(&format!("{name}: sales per second, 64 tills"), (&name, "/sales_per_s"), 1.0);
        row(&format!("{name}: sales per fdatasync"), (&name, "/sales_per_fdatasync"), 1.0);
        row(&format!("{name}: p99 of a sale, ms"), (&name, "/whole/p99_us"), 1e-3);
    }
    row("closing a shift of 10 sales, ms", ("closing few sales", "/ms"), 1.0);
    row("closing a shift of many sales, ms", ("closing many sales", "/ms"), 1.0);
    row("hub: sales caught up per second", ("hub, catch-up", "/sales_per_s"), 1.0);
    row("hub: the same rows by COPY, sales per second", ("hub, copy", "/sales_per_s"), 1.0);
    row("hub: CPU s per 1,000 sales, nobody waiting", ("hub, alone", "/cpu_s_per_1000"), 1.0);
    row("hub: the same with stores waiting", ("hub, waited for", "/cpu_s_per_1000"), 1.0);
    row("hub: sales pushed per second by 16 stores, one process", ("hub, one process", "/sales_per_s"), 1.0);
    row("hub: the same, two processes", ("hub, two processes", "/sales_per_s"), 1.0);
    row("hub: paid to reported, p50 in ms", ("hub, online", "/p50_us"), 1e-3);
    format!("### Once\n\n{}", table(&["what", "median (least – most)"], rows))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_keep_three_digits() {
        assert_eq!([0.204, 12.34, 2_490.6, 1_234_567.0].map(short), ["0.20", "12.3", "2,491", "1,234,567"]);
    }

    #[test]
    fn the_page_keeps_what_stands_around_the_figures() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page");
        std::fs::write(&page, format!("before\n{STORE}old\n{END}after\n{OFFICE}{END}")).unwrap();
        let mut results = Results::default();
        results.add("store, 64", json!({"sales_per_s": 2_500.0}));
        write(&page, STORE, &render("Measured today.\n", &results)).unwrap();
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.starts_with("before\n") && !text.contains("old"));
        assert!(text.ends_with(&format!("after\n{OFFICE}{END}")));
        assert!(text.contains("| store, 64 | 2,500 |"), "{text}");
    }
}
