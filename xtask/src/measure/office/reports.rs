//! Reports over a year of sales.

use super::{LAST_DAY, Office, YEAR, run_file};
use crate::stage::WorkFolder;
use crate::tools::postgres::Private;

const ROWS: &str = include_str!("sales.sql");
/// A day in the middle of the year.
const DAY: &str = "2025-06-30";
const SUMS: &str = "SUM(qty), SUM(gross), SUM(discount), SUM(tax), SUM(total)";
/// Of what is grouped by a few values, of what is grouped by products.
const FEW: f64 = 0.05;
const MANY: f64 = 0.35;

/// Makes this many sale lines and their rollups.
pub async fn fill(postgres: &Private, place: &WorkFolder, lines: u64) -> anyhow::Result<()> {
    eprintln!("{lines} sale lines and their rollups are made");
    run_file(postgres, place, "sales.sql", ROWS, lines).await
}

/// Each report beside an aggregate over the lines.
pub async fn measure(office: &mut Office) -> anyhow::Result<()> {
    for (report, plain, goal) in pairs() {
        office.compare(&format!("`reports/{report}`"), goal, &path(&report), &plain).await?;
    }
    Ok(())
}

/// What is asked for.
pub fn paths() -> Vec<String> {
    pairs().iter().map(|(report, ..)| path(report)).collect()
}

fn path(report: &str) -> String {
    format!("/api/reports/{report}")
}

/// The report, what it is held against, and how much of its time it should take at most.
fn pairs() -> Vec<(String, String, f64)> {
    let by = |key: &str| {
        format!("SELECT {key}, {SUMS} FROM sale_lines WHERE business_date <= '{LAST_DAY}' GROUP BY 1")
    };
    let margin = |key: &str| format!("SELECT {key}, SUM(total - tax), SUM(cost) FROM sale_lines GROUP BY 1");
    let of = |report: &str, group: &str, plain: String, goal: f64| {
        (format!("{report}?{YEAR}&group_by={group}"), plain, goal)
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
    pairs.push((format!("stock?as_of={DAY}&group_by=sku"), plain, MANY));
    pairs
}
