//! Balances over a year of entries.

use super::{LAST_DAY, Office, YEAR, run_file};
use crate::stage::WorkFolder;
use crate::tools::postgres::Private;

const ROWS: &str = include_str!("entries.sql");
const GOAL: f64 = 0.02;
/// What every balance comes from.
const PLAIN: &str = "SELECT account, SUM(debit), SUM(credit) FROM journal_lines GROUP BY 1";

/// Makes this many entries, and the movement of each account on each day.
pub async fn fill(postgres: &Private, place: &WorkFolder, entries: u64) -> anyhow::Result<()> {
    eprintln!("{entries} entries are made");
    run_file(postgres, place, "entries.sql", ROWS, entries).await
}

/// Trial balance and profit.
pub fn paths() -> [String; 2] {
    [format!("/api/finance/trial-balance?date={LAST_DAY}"), format!("/api/reports/profit?{YEAR}")]
}

/// Each beside the sum of all lines.
pub async fn measure(office: &mut Office) -> anyhow::Result<()> {
    for (what, path) in ["`finance/trial-balance`", "`reports/profit`"].into_iter().zip(paths()) {
        office.compare(what, GOAL, &path, PLAIN).await?;
    }
    Ok(())
}
