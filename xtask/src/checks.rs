//! `test`: everything that the build server runs, in the order that fails soonest.

use crate::postgres::{GIVEN, Postgres};
use crate::workspace::{Binaries, Profile, build, cargo, root};
use crate::{demo, fuzz, replay};
use anyhow::{Context, ensure};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::Command;

/// One step may take this long; all of them together stay well inside the build server's hour.
const STEP: Duration = Duration::from_secs(40 * 60);
const UNITS: &str = "systemd";
/// Where the units expect the binaries.
const INSTALLED: &str = "/usr/local/bin/";
/// Requests for each operation and role.
const EXAMPLES: u32 = 100;
const SLICE: &str = "xtask/data/first-days.csv.gz";

enum Outcome {
    Passed,
    Failed(String),
    Skipped(&'static str),
}

/// A step that was taken.
struct Step {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// Runs every step, also after one failed; true if none failed.
pub async fn run() -> anyhow::Result<bool> {
    println!(
        "installs: schemathesis from PyPI, into the target folder, where python3 is here; PostgreSQL with \
         apt-get, unless it is here or {GIVEN} names a server. cargo fetches the crates that Cargo.lock names"
    );
    let mut steps = Vec::new();
    for (name, command) in commands() {
        steps.push(step(name, command).await);
    }
    steps.push(postgres().await);
    steps.push(units().await);
    steps.push(fuzzing().await);
    steps.push(own("demo", demo::run(None, true)).await);
    steps.push(own("replay, hub killed half-way", replay::run(slice())).await);
    summary(&steps);
    Ok(steps.iter().all(|step| !matches!(step.outcome, Outcome::Failed(_))))
}

/// The hub's suite on PostgreSQL and nothing else; true if it passed.
pub async fn postgres_alone() -> anyhow::Result<bool> {
    let steps = [postgres().await];
    summary(&steps);
    Ok(steps.iter().all(|step| matches!(step.outcome, Outcome::Passed)))
}

fn commands() -> Vec<(&'static str, Command)> {
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    // The hub's tests here use the embedded database; [`postgres`] runs them on the other one.
    let mut tests = cargo(&["test", "--workspace", "--no-fail-fast"]);
    tests.env_remove(GIVEN);
    vec![
        ("formatting", cargo(&["fmt", "--all", "--check"])),
        ("lints", cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])),
        ("tests", tests),
        ("documentation", doc),
    ]
}

/// The hub's suite once more, on a server. Without one it fails: the hub is meant for both.
async fn postgres() -> Step {
    bounded("hub on PostgreSQL", async {
        let server = Postgres::start().await?;
        let mut tests = cargo(&["test", "--workspace", "--no-fail-fast", "--test", "hub"]);
        let status = tests.env(GIVEN, server.address()).status().await?;
        Ok(if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) })
    })
    .await
}

/// Requests of all sorts, made from the document of the running store.
async fn fuzzing() -> Step {
    let name = "schemathesis, three roles";
    match fuzz::install().await {
        Ok(fuzz::Tool::Ready(tool)) => own(name, fuzz::run(tool, EXAMPLES)).await,
        Ok(fuzz::Tool::Missing(why)) => Step { name, outcome: Outcome::Skipped(why), took: Duration::ZERO },
        Err(error) => Step { name, outcome: Outcome::Failed(format!("{error:#}")), took: Duration::ZERO },
    }
}

/// The whole chain on a part of the real month, with the hub killed half-way.
fn slice() -> replay::Options {
    replay::Options { file: root().join(SLICE), tills: 8, kill_hub: true, release: false }
}

async fn step(name: &'static str, mut command: Command) -> Step {
    bounded(name, async move {
        let status = command.status().await?;
        Ok(if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) })
    })
    .await
}

/// One of our own commands; what it started ends with it, also when time is up.
async fn own(name: &'static str, command: impl Future<Output = anyhow::Result<bool>>) -> Step {
    let judge = |agree| if agree { Outcome::Passed } else { Outcome::Failed("figures differ".to_owned()) };
    bounded(name, async { command.await.map(judge) }).await
}

async fn bounded(name: &'static str, work: impl Future<Output = anyhow::Result<Outcome>>) -> Step {
    println!("\n=== {name}");
    let started = Instant::now();
    let outcome = match tokio::time::timeout(STEP, work).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Outcome::Failed(format!("{error:#}")),
        Err(_) => Outcome::Failed(format!("not done after {} s", STEP.as_secs())),
    };
    Step { name, outcome, took: started.elapsed() }
}

/// `systemd-analyze verify` of copies of the units that name the binaries just built: it asks
/// whether each command can be run.
async fn units() -> Step {
    let name = "systemd units";
    let skipped = |why| Step { name, outcome: Outcome::Skipped(why), took: Duration::ZERO };
    let mut probe = Command::new("systemd-analyze");
    probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if !probe.status().await.is_ok_and(|status| status.success()) {
        return skipped("systemd-analyze is not here");
    }
    bounded(name, async {
        let copies = tempfile::tempdir()?;
        let files = copy_units(copies.path(), &build(Profile::Dev).await?)?;
        let mut verify = Command::new("systemd-analyze");
        let status = verify.arg("verify").args(&files).kill_on_drop(true).status().await?;
        Ok(if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) })
    })
    .await
}

fn copy_units(to: &Path, binaries: &Binaries) -> anyhow::Result<Vec<PathBuf>> {
    let built = binaries.store.parent().context("the binaries lie in no folder")?;
    let mut copies = Vec::new();
    for entry in std::fs::read_dir(root().join(UNITS))? {
        let entry = entry?;
        if entry.path().extension().is_none_or(|extension| extension != "service") {
            continue;
        }
        let unit = std::fs::read_to_string(entry.path())?;
        let copy = to.join(entry.file_name());
        std::fs::write(&copy, unit.replace(INSTALLED, &format!("{}/", built.display())))?;
        copies.push(copy);
    }
    ensure!(!copies.is_empty(), "no units in {UNITS}");
    Ok(copies)
}

fn summary(steps: &[Step]) {
    println!("\n=== summary");
    for Step { name, outcome, took } in steps {
        let told = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed(why) => format!("FAILED ({why})"),
            Outcome::Skipped(why) => format!("skipped: {why}"),
        };
        println!("{name:<28} {:>6.1} s  {told}", took.as_secs_f64());
    }
    let failed = steps.iter().filter(|step| matches!(step.outcome, Outcome::Failed(_))).count();
    println!("{}", if failed == 0 { "all passed".to_owned() } else { format!("{failed} FAILED") });
}
