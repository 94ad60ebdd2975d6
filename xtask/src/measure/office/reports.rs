//! Reports over a year of sales, and balances over a year of entries.

use super::{LAST_DAY, Office, YEAR, run_file};
use crate::stage::WorkFolder;
use crate::tools::postgres::Private;

const SALES: &str = include_str!("sales.sql");
const ENTRIES: &str = include_str!("entries.sql");
/// A day in the middle of the year.
const DAY: &str = "2025-06-30";
const SUMS: &str = "SUM(qty), SUM(gross), SUM(discount), SUM(tax), SUM(total)";
/// Every balance comes from these sums.
const BALANCES: &str = "SELECT account, SUM(debit), SUM(credit) FROM journal_lines GROUP BY 1";
/// Goals for reports that are grouped by a few values, by products, and for balances.
const FEW: f64 = 0.05;
const MANY: f64 = 0.35;
const BALANCE: f64 = 0.02;

/// Makes this many sale lines with their rollups, and as many entries with the movement of each account on each day.
pub async fn fill(postgres: &Private, place: &WorkFolder, rows: u64) -> anyhow::Result<()> {
    eprintln!("{rows} sale lines and their rollups are made");
    run_file(postgres, place, "sales.sql", SALES, rows).await?;
    eprintln!("{rows} entries are made");
    run_file(postgres, place, "entries.sql", ENTRIES, rows).await
}

/// Each report beside an aggregate over the lines, the balances beside the sum of all entries.
pub async fn measure(office: &mut Office) -> anyhow::Result<()> {
    for Pair { report, plain, goal } in pairs() {
        office
            .compare(&format!("`reports/{report}`"), goal, &format!("/api/reports/{report}"), &plain)
            .await?;
    }
    let trial_balance = format!("/api/finance/trial-balance?date={LAST_DAY}");
    office.compare("`finance/trial-balance`", BALANCE, &trial_balance, BALANCES).await?;
    let profit = format!("/api/reports/profit?{YEAR}");
    office.compare("`reports/profit`", BALANCE, &profit, BALANCES).await
}

struct Pair {
    report: String,
    /// The statement that it is compared with.
    plain: String,
    /// Share of the statement's time that it may take.
    goal: f64,
}

fn pairs() -> Vec<Pair> {
    let by = |key: &str| {
        format!("SELECT {key}, {SUMS} FROM sale_lines WHERE business_date <= '{LAST_DAY}' GROUP BY 1")
    };
    let margin = |key: &str| format!("SELECT {key}, SUM(total - tax), SUM(cost) FROM sale_lines GROUP BY 1");
    let of = |report: &str, group: &str, plain: String, goal: f64| {
        let report = format!("{report}?{YEAR}&group_by={group}");
        Pair { report, plain, goal }
    };
    // A line has no hour, cashier or method of its own: the sum by days is what it costs at least.
    let mut pairs: Vec<_> =
        ["day", "hour", "cashier", "method"].map(|group| of("sales", group, by("business_date"), FEW)).into();
    pairs.push(of("sales", "store", by("store_id"), FEW));
    pairs.push(of("sales", "tax", by("tax_rate_bp"), FEW));
    for key in ["sku", "category"] {
        pairs.push(of("sales", key, by(key), MANY));
        pairs.push(of("margin", key, margin(key), MANY));
    }
    let plain =
        format!("SELECT sku, SUM(qty), SUM(cost) FROM sale_lines WHERE business_date <= '{DAY}' GROUP BY 1");
    pairs.push(Pair { report: format!("stock?as_of={DAY}&group_by=sku"), plain, goal: MANY });
    pairs
}
