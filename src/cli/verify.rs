//! `verify [--deep]`: exit code 1 with the problems.

use super::carry_out::carry_out;
use crate::config::Config;
use crate::control::Order;
use crate::exit::{Exit, FAILED};
use serde::Deserialize;

#[derive(Deserialize)]
struct Report {
    problems: Vec<String>,
    segments: u64,
    commits: u64,
    records: u64,
    sales: u64,
    rows: u64,
    lsn: u64,
}

/// Checks everything, beside the daemon or in the stopped store's folder, and prints the findings.
pub fn run(config: &Config) -> anyhow::Result<()> {
    let report: Report = serde_json::from_value(carry_out(config, Order::Verify)?)?;
    for problem in &report.problems {
        eprintln!("{problem}");
    }
    let Report { segments, commits, records, sales, rows, lsn, .. } = report;
    println!(
        "{segments} segments, {commits} commits, {records} records, {sales} sales, {rows} rows, lsn {lsn}"
    );
    match report.problems.len() {
        0 => Ok(()),
        1 => Err(Exit::new(FAILED, "1 problem").into()),
        count => Err(Exit::new(FAILED, format!("{count} problems")).into()),
    }
}
