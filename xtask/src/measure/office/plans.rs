//! How PostgreSQL answers each report: which tables and indexes its statements read, as the server itself reports them.

use super::{Measured, Office, books, reports};
use anyhow::ensure;
use std::path::PathBuf;
use std::time::Duration;

/// What tells of plans is asked of every connection, where it is installed.
pub const SETTING: &str = "session_preload_libraries=auto_explain";
/// A plan may come into the log a moment after the answer.
const POLL: Duration = Duration::from_millis(200);

/// Whether the server of these programs has what tells of plans.
pub fn can_tell(programs: &std::path::Path) -> bool {
    programs.parent().is_some_and(|version| version.join("lib/auto_explain.so").is_file())
}

/// Asks each report once more, and takes down what its statements read.
pub async fn read(office: &mut Office) -> anyhow::Result<()> {
    let log = office.postgres.log();
    tell(office, "0").await?;
    for path in reports::paths().into_iter().chain(books::paths()) {
        let before = read_from(&log, 0)?.len();
        office.asked(&path).await?;
        let mut told = read_from(&log, before)?;
        loop {
            tokio::time::sleep(POLL).await;
            let now = read_from(&log, before)?;
            if now.len() == told.len() {
                break;
            }
            told = now;
        }
        office.measured.plans.push((path, scans(&told)));
    }
    tell(office, "-1").await
}

/// Turns the report of plans on or off.
async fn tell(office: &Office, least_ms: &str) -> anyhow::Result<()> {
    let set = format!("ALTER SYSTEM SET auto_explain.log_min_duration = {least_ms}");
    let status =
        office.psql().args(["-o", "/dev/null", "-c", &set, "-c", "SELECT pg_reload_conf()"]).status();
    ensure!(status.await?.success(), "auto_explain");
    tokio::time::sleep(POLL).await;
    Ok(())
}

fn read_from(log: &PathBuf, place: usize) -> anyhow::Result<String> {
    let text = std::fs::read(log)?;
    Ok(String::from_utf8_lossy(text.get(place..).unwrap_or_default()).into_owned())
}

pub fn render(measured: &Measured) -> String {
    if measured.plans.is_empty() {
        return String::new();
    }
    let mut text =
        String::from("\n| operation | what its plans read (rows as PostgreSQL expects them) |\n|---|---|\n");
    for (path, scans) in &measured.plans {
        text.push_str(&format!("| `{}` | {} |\n", path.trim_start_matches("/api/"), scans.join(" · ")));
    }
    text
}

/// The tables that plans of sums read, each as its plan says it.
fn scans(log: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for plan in log.split("Query Text:").skip(1).filter(|plan| plan.contains("SUM(")) {
        for line in plan.lines().filter(|line| line.starts_with('\t')) {
            let node = line.trim().trim_start_matches("->").trim();
            let Some((scan, rest)) = node.split_once("  (cost=") else { continue };
            let is_read =
                scan.contains("Scan") && !scan.starts_with("Subquery") && !scan.contains("Bitmap Index");
            let rows = rest.split_once("rows=").and_then(|(_, rows)| rows.split(' ').next());
            if let (true, Some(rows)) = (is_read, rows) {
                let scan = format!("{scan}: {rows}");
                if !found.contains(&scan) {
                    found.push(scan);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_reads_is_told_once() {
        let log = "LOG:  duration: 0.1 ms  plan:\n\tQuery Text: SELECT 1 FROM sessions\n\tSeq Scan on sessions  (cost=0.00..1 \
                   rows=1 width=4)\nLOG:  duration: 9 ms  plan:\n\tQuery Text: SELECT CAST(COALESCE(SUM(d.total), 0)\n\
                   \tGroupAggregate  (cost=1.00..2 rows=7 width=8)\n\t  ->  Seq Scan on sales_days d  (cost=0.00..9 rows=3650 \
                   width=88)\n\t        Filter: (x)\n\tQuery Text: SELECT SUM(d.total)\n\t  ->  Seq Scan on sales_days d  \
                   (cost=0.00..9 rows=3650 width=88)\n";
        assert_eq!(scans(log), ["Seq Scan on sales_days d: 3650"]);
    }
}
