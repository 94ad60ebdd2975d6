//! Head office with a long history, in PostgreSQL: typical requests compared with plain SQL over the same rows, in
//! turn. Most rows are made by SQL: the measurement is about reading, matching, approving and locking, not about their
//! creation.

mod locking;
mod reports;
mod settling;

use super::peer;
use super::results::Results;
use crate::daemon::Daemon;
use crate::process::status_kib;
use crate::rest::Api;
use crate::stage::{Installation, WorkFolder, admin, finance};
use crate::tools::postgres::Private;
use crate::workspace::Binaries;
use anyhow::{Context, ensure};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::hub::database::programs;
use tokio::process::Command;

const HUB: &str = "hub";
/// Each pair is measured so often, in turns.
const TIMES: usize = 5;
/// Stores that the rows of a year are of: `S000` and so on, as in `sales.sql`.
const STORES: usize = 10;
/// The year that they are of, and its last day.
const YEAR: &str = "from=2025-01-01&to=2025-12-31";
const LAST_DAY: &str = "2025-12-31";
/// Most memory of reading, importing and matching above an idle hub, in MiB.
const MEMORY_MIB: f64 = 64.0;

/// As those of the other bench, but the log of a year that is made takes less of the disk.
const SETTINGS: [&str; 7] = [
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    "max_connections=200",
    "shared_buffers=512MB",
    "max_wal_size=2GB",
    "checkpoint_timeout=30min",
];

/// The measurements, in their order.
#[derive(Default)]
pub struct Measured {
    /// Milliseconds of each turn as `/ms` and `/plain_ms`.
    pub results: Results,
    /// Each operation, and how much of the time of plain SQL it should take at most.
    pub goals: Vec<(String, f64)>,
}

impl Measured {
    fn add(&mut self, what: &str, goal: f64, ours: Duration, plain: Duration) {
        if !self.goals.iter().any(|(known, _)| known == what) {
            self.goals.push((what.to_owned(), goal));
        }
        let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        self.results.add(what, json!({"ms": ms(ours), "plain_ms": ms(plain)}));
    }
}

/// A running hub, its database, and a user with all rights.
struct Office {
    postgres: Private,
    place: WorkFolder,
    /// Sale lines and entries of its year; nothing that is made besides is more.
    rows: u64,
    hub: Daemon,
    reader: Api,
    measured: Measured,
}

/// Measures everything over this many sale lines and as many entries; a missed goal is reported and is no failure.
pub async fn measure(binaries: &Binaries, place: WorkFolder, rows: u64) -> anyhow::Result<Measured> {
    let programs = programs().context("PostgreSQL is not installed (initdb, postgres, psql)")?;
    let measured = Measured::default();
    let postgres = Private::start(programs, peer::beside(place.path())?, &SETTINGS)?;
    postgres.create_database(HUB).await?;
    let setup = Installation::hub_on(binaries, &place, &postgres.url(HUB))?;
    setup.init(&admin()).await?;
    setup.add_user(&finance()).await?;
    reports::fill(&postgres, &place, rows).await?;
    let hub = setup.serve().await?;
    let reader = setup.login(&finance(), &Arc::default()).await?;
    let mut office = Office { postgres, place, rows, hub, reader, measured };
    let idle = status_kib(&office.hub, "VmHWM")?;
    reports::measure(&mut office).await?;
    let most_of_reports = status_kib(&office.hub, "VmHWM")?;
    settling::measure(&mut office).await?;
    let most = status_kib(&office.hub, "VmHWM")?;
    // Ten thousand books would slow all others: last.
    locking::measure(&mut office).await?;
    let Office { hub, mut measured, .. } = office;
    let above = |most: u64| most.saturating_sub(idle);
    let memory = json!({"above_idle_kib": above(most), "reports_above_idle_kib": above(most_of_reports)});
    measured.results.add("memory", memory);
    hub.stop().await?;
    Ok(measured)
}

/// As Markdown: a row for each operation, and what memory it took.
pub fn render(head: &str, measured: &Measured) -> String {
    let mut text = format!(
        "{head}\n| operation | ms | plain SQL, ms | ratio (least – most) | goal | |\n|---|---|---|---|---|---|\n"
    );
    let row = |(what, goal): &(String, f64)| {
        let ms = |pointer: &str| super::document::median(&measured.results, (what, pointer), 1.0);
        let ratio = measured.results.ratio((what, "/ms"), (what, "/plain_ms"));
        let met = ratio.is_some_and(|ratio| ratio.median <= *goal);
        format!(
            "| {what} | {} | {} | {} | ≤ {goal} × | {} |\n",
            ms("/ms"),
            ms("/plain_ms"),
            super::document::ranged(ratio),
            if met { "met" } else { "not met" }
        )
    };
    text.extend(measured.goals.iter().map(row));
    let mib = |pointer: &str| measured.results.last(("memory", pointer)).unwrap_or_default() / 1_024.0;
    let (all, of_reports) = (mib("/above_idle_kib"), mib("/reports_above_idle_kib"));
    let met = if all <= MEMORY_MIB { "met" } else { "not met" };
    text.push_str(&format!(
        "\nMemory above a hub that rests, at most: {of_reports:.1} MiB by reports, {all:.1} MiB by all of it (≤ {MEMORY_MIB}: \
         {met}).\n"
    ));
    text
}

impl Office {
    fn psql(&self) -> Command {
        psql(&self.postgres)
    }

    /// Runs a statement; how long it took, without the rows that it gives.
    async fn plain(&self, statement: &str) -> anyhow::Result<Duration> {
        timed(self.psql().args(["-o", "/dev/null", "-c", statement])).await
    }

    /// Duration of an answer.
    async fn asked(&self, path: &str) -> anyhow::Result<Duration> {
        let since = Instant::now();
        self.reader.get(path).await?;
        Ok(since.elapsed())
    }

    /// An answer beside plain SQL, in turns.
    async fn compare(&mut self, what: &str, goal: f64, path: &str, plain: &str) -> anyhow::Result<()> {
        for _ in 0..TIMES {
            let ours = self.asked(path).await?;
            let theirs = self.plain(plain).await?;
            self.measured.add(what, goal, ours, theirs);
        }
        Ok(())
    }

    /// The day this many days ago, YYYY-MM-DD.
    async fn days_ago(&self, days: u32) -> anyhow::Result<String> {
        let output = self.psql().args(["-tAc", &format!("SELECT CURRENT_DATE - {days}")]).output().await?;
        ensure!(output.status.success(), "psql");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

fn psql(postgres: &Private) -> Command {
    let mut psql = postgres.client("psql", HUB);
    psql.args(["-q", "-v", "ON_ERROR_STOP=1"]);
    psql
}

async fn timed(command: &mut Command) -> anyhow::Result<Duration> {
    let since = Instant::now();
    ensure!(command.status().await?.success(), "{command:?}");
    Ok(since.elapsed())
}

/// Runs a file of statements in one transaction; `rows` is known in it.
async fn run_file(
    postgres: &Private,
    place: &WorkFolder,
    name: &str,
    text: &str,
    rows: u64,
) -> anyhow::Result<()> {
    let file = place.file(name);
    std::fs::write(&file, text)?;
    timed(psql(postgres).args(["-1", "-v", &format!("rows={rows}"), "-f"]).arg(&file)).await?;
    timed(psql(postgres).args(["-c", "VACUUM ANALYZE"])).await.map(drop)
}

/// A file's name, as a program is given it.
fn path(file: &Path) -> anyhow::Result<&str> {
    file.to_str().context("a folder whose name is no text")
}
