//! Reports of head office over a year of sales in PostgreSQL, each beside a plain SQL aggregate over the same lines. Lines
//! and rollups are made by SQL: what is measured is the reading.

use super::peer;
use crate::stage::{Installation, WorkFolder, admin, finance};
use crate::tools::postgres::{Private, find};
use crate::workspace::Binaries;
use anyhow::{Context, ensure};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HUB: &str = "hub";
const ROWS: &str = include_str!("reports/rows.sql");
/// Each is asked so often, in turns; the middle one counts.
const TIMES: usize = 5;
const YEAR: &str = "from=2025-01-01&to=2025-12-31";
/// The end of June.
const DAY: &str = "2025-06-30";
const SUMS: &str = "SUM(qty), SUM(gross), SUM(discount), SUM(tax), SUM(total)";

/// A report, what it is held against, and how much of its time it should take at most.
struct Pair {
    report: String,
    plain: String,
    goal: f64,
}

fn pairs() -> Vec<Pair> {
    let of = |report: &str, group: &str, plain: String, goal: f64| Pair {
        report: format!("{report}?{YEAR}&group_by={group}"),
        plain,
        goal,
    };
    let by = |key: &str| format!("SELECT {key}, {SUMS} FROM sale_lines GROUP BY 1");
    let margin = |key: &str| format!("SELECT {key}, SUM(total - tax), SUM(cost) FROM sale_lines GROUP BY 1");
    // A line has no hour, cashier or method of its own: the sum by days is what it costs at least.
    let mut pairs: Vec<Pair> = ["day", "hour", "cashier", "method"]
        .map(|group| of("sales", group, by("business_date"), 0.05))
        .into();
    pairs.push(of("sales", "store", by("store_id"), 0.05));
    pairs.push(of("sales", "tax", by("tax_rate_bp"), 0.05));
    for key in ["sku", "category"] {
        pairs.push(of("sales", key, by(key), 0.35));
        pairs.push(of("margin", key, margin(key), 0.35));
    }
    pairs.push(Pair {
        report: format!("stock?as_of={DAY}&group_by=sku"),
        plain: format!(
            "SELECT sku, SUM(qty), SUM(cost) FROM sale_lines WHERE business_date <= '{DAY}' GROUP BY 1"
        ),
        goal: 0.35,
    });
    pairs
}

/// Makes the rows and measures; a goal that is not met is told, not failed.
pub async fn measure(binaries: &Binaries, place: &WorkFolder, lines: u64) -> anyhow::Result<()> {
    let programs = find().context("PostgreSQL is not here (initdb, postgres, psql)")?;
    let postgres = Private::start(programs, peer::beside(place.path())?, &peer::SETTINGS).await?;
    ensure!(postgres.client("createdb", "postgres").arg(HUB).status().await?.success(), "createdb");
    let office = Installation::hub_on(binaries, place, &postgres.url(HUB))?;
    office.init(&admin()).await?;
    office.add_user(&finance()).await?;
    eprintln!("{lines} sale lines and their rollups are made");
    let file = place.file("rows.sql");
    std::fs::write(&file, ROWS)?;
    let given = format!("lines={lines}");
    sql(&postgres, &["-1", "-v", &given, "-f", &path(&file)?]).await?;
    sql(&postgres, &["-c", "VACUUM ANALYZE"]).await?;
    let hub = office.serve().await?;
    let reader = office.login(&finance(), &Arc::default()).await?;
    println!("| report | ms | plain SQL, ms | × | goal |\n|---|---|---|---|---|");
    for Pair { report, plain, goal } in pairs() {
        let (mut reports, mut plains) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let since = Instant::now();
            reader.get(&format!("/api/reports/{report}")).await?;
            reports.push(since.elapsed());
            plains.push(sql(&postgres, &["-o", "/dev/null", "-c", &plain]).await?);
        }
        let (report_ms, plain_ms) = (middle(reports)?, middle(plains)?);
        let ratio = report_ms / plain_ms;
        let met = if ratio <= goal { "met" } else { "not met" };
        println!("| `{report}` | {report_ms:.1} | {plain_ms:.1} | {ratio:.3} | ≤ {goal}: {met} |");
    }
    hub.stop().await.map(drop)
}

fn path(file: &Path) -> anyhow::Result<String> {
    Ok(file.to_str().context("a folder whose name is no text")?.to_owned())
}

/// Runs psql; how long it took.
async fn sql(postgres: &Private, args: &[&str]) -> anyhow::Result<Duration> {
    let mut psql = postgres.client("psql", HUB);
    psql.args(["-q", "-v", "ON_ERROR_STOP=1"]).args(args);
    let since = Instant::now();
    ensure!(psql.status().await?.success(), "psql {args:?}");
    Ok(since.elapsed())
}

/// In milliseconds.
fn middle(mut times: Vec<Duration>) -> anyhow::Result<f64> {
    times.sort_unstable();
    let middle = times.get(times.len() / 2).context("nothing was measured")?;
    Ok(middle.as_secs_f64() * 1000.0)
}
