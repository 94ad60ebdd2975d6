//! `test`: everything that the build server runs, the likeliest failures first; `test --fast`: the part that takes
//! minutes.

use crate::process::end_below;
use crate::tools::npm::Npm;
use crate::tools::postgres::{GIVEN, Postgres};
use crate::workspace::{build_took, cargo, root, test_targets};
use crate::{clients, demo, documents, fuzz, house, replay};
use crate::{tools::apt, tools::cpu, tools::faketime, tools::units};
use std::collections::BTreeSet;
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::process::Command;

/// One step may take this long: one that hangs leaves time for the others.
const STEP: Duration = Duration::from_secs(20 * 60);
/// Requests for each operation and role; `soak` makes more.
const EXAMPLES: u32 = 4;
/// Suites that are steps of their own.
const LARGE: [&str; 3] = ["blackbox", "hub", "screens"];
/// Tests that read the sources and start nothing.
const OF_SOURCES: [&str; 4] = ["architecture", "citations", "exceptions", "features"];
const MONTH: &str = "xtask/data/2010-12.csv.gz";
/// Of the twenty days of its invoices; `cargo xtask replay` takes them all.
const REPLAYED_DAYS: usize = 8;
/// The hub's tests that also run on the embedded database: for differences between the engines. The whole suite runs on
/// PostgreSQL, and the black box has a hub with the embedded database.
const EMBEDDED: [&str; 7] = [
    "operation::",
    "sync::",
    "feeds::",
    "office::reports::",
    "office::finance_story",
    "office::settlement::files",
    "office::documents::plans",
];
/// Tests among these that take long and depend on no database engine: they run once, on PostgreSQL.
const OF_NO_ENGINE: &str = "operation::import_memory";
/// Suites that wait for processes, browsers and disks: they run more tests at once than there are cores.
const THREADS: &str = "3";

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
    /// Time of processors that its processes took.
    cpu: Duration,
}

/// What `test` may be asked for.
#[derive(clap::Args)]
pub struct Options {
    /// Run only formatting, lints, the limits of `house` and unit tests
    #[arg(long)]
    fast: bool,
}

/// Runs the steps, also after one failed; true if none failed.
pub async fn run(options: &Options) -> anyhow::Result<bool> {
    let targets = test_targets().await?;
    let steps = if options.fast { fast(&targets).await } else { all(&targets).await };
    summary(&steps);
    Ok(steps.iter().all(|step| !matches!(step.outcome, Outcome::Failed(_))))
}

/// Steps that need no processes of ours; of tools only those that check pages, which are installed once.
async fn fast(targets: &BTreeSet<String>) -> Vec<Step> {
    let mut steps = looks().await;
    steps.push(
        step("lints", cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])).await,
    );
    steps.push(step("unit tests", quick_tests(targets)).await);
    steps
}

async fn all(targets: &BTreeSet<String>) -> Vec<Step> {
    println!(
        "installs: schemathesis, prettier, typescript, redocly, spectral and what makes and checks the clients from the \
         package registries, into the target folder, where python3 and npm are here; PostgreSQL, Chromium with its driver, libfaketime, strace and make with apt-get, unless they are here or \
         {GIVEN} and {} name them. cargo fetches the crates that Cargo.lock names",
        faketime::GIVEN
    );
    let mut steps = vec![built()];
    steps.push(
        bounded("tools for the tests", async {
            apt::make().await?;
            faketime::library().await?;
            apt::browser().await.map(|()| Outcome::Passed)
        })
        .await,
    );
    steps.extend(looks().await);
    for (name, command) in runs(targets) {
        steps.push(step(name, command).await);
    }
    steps.extend(postgres().await);
    steps.push(unit_files().await);
    steps.push(bounded("OpenAPI documents", linting()).await);
    steps.push(bounded("clients' days", using_clients()).await);
    steps.push(fuzzing().await);
    steps.push(own("demo", demo::run(None, true)).await);
    steps.push(own("replay, hub killed half-way", replay::run(month())).await);
    steps
}

/// The build that `launch` has made of everything that is tested, with its lints. This process was `launch` then, so the
/// time of its children is that of the build.
fn built() -> Step {
    let took = build_took().unwrap_or_default();
    Step { name: "built and linted", outcome: Outcome::Passed, took, cpu: cpu::of_children() }
}

/// The suites that need PostgreSQL and nothing else; true if they passed.
pub async fn postgres_alone() -> anyhow::Result<bool> {
    let steps = postgres().await;
    summary(&steps);
    Ok(steps.iter().all(|step| !matches!(step.outcome, Outcome::Failed(_))))
}

async fn looks() -> Vec<Step> {
    vec![
        step("formatting", cargo(&["fmt", "--all", "--check"])).await,
        bounded("formatting of pages", pages(Npm::formatting)).await,
        bounded("types of pages", pages(Npm::types)).await,
        own("house", async { house::run(&house::Options::default()) }).await,
    ]
}

/// Checks the pages' sources; skipped where the programs for it can't be installed.
async fn pages(check: fn(&Npm) -> Command) -> anyhow::Result<Outcome> {
    let npm = match Npm::install().await? {
        Ok(npm) => npm,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let status = check(&npm).status().await?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) })
}

/// The tests; the hub's use the embedded database here: [`postgres`] runs them on the
/// other one.
fn tests(targets: &BTreeSet<String>, chosen: impl Fn(&str) -> bool) -> Command {
    let mut tests = cargo(&["test", "--workspace", "--no-fail-fast"]);
    for name in targets.iter().filter(|name| chosen(name)) {
        tests.args(["--test", name]);
    }
    tests.env_remove(GIVEN);
    tests
}

/// Unit tests, and assertions about the sources.
fn quick_tests(targets: &BTreeSet<String>) -> Command {
    let mut tests = tests(targets, |name| OF_SOURCES.contains(&name));
    tests.args(["--lib", "--bins"]);
    tests
}

/// The tests, with the large suites separate, so that the summary shows the time of each.
fn runs(targets: &BTreeSet<String>) -> Vec<(&'static str, Command)> {
    let other = |name: &str| !LARGE.contains(&name) && !OF_SOURCES.contains(&name);
    let mut black_box = tests(targets, |name| name == "blackbox");
    black_box.env("RUST_TEST_THREADS", THREADS);
    let mut hub = tests(targets, |name| name == "hub");
    hub.arg("--").args(EMBEDDED).args(["--skip", OF_NO_ENGINE]);
    let mut others = tests(targets, other);
    others.env("RUST_TEST_THREADS", THREADS);
    let mut pages = tests(targets, |name| name == "screens");
    pages.env("RUST_TEST_THREADS", THREADS);
    vec![
        ("unit tests", quick_tests(targets)),
        ("tests: black box", black_box),
        ("tests: hub", hub),
        ("tests: others", others),
        ("tests: pages", pages),
    ]
}

/// The hub's suite on a server, and the black-box tests that kill hubs, restore them and run several at once. Without a
/// server it fails: the hub is meant for both.
async fn postgres() -> Vec<Step> {
    let suites: [(&str, &[&str]); 2] = [
        ("hub on PostgreSQL", &["--test", "hub"]),
        (
            "kills, restores on PostgreSQL",
            &[
                "--test",
                "blackbox",
                "--",
                "sync::kills",
                "sync::restores",
                "sync::rebuilt",
                "office::several",
            ],
        ),
    ];
    let mut steps = Vec::new();
    for (name, suite) in suites {
        steps.push(bounded(name, on_postgres(suite)).await);
    }
    steps
}

async fn on_postgres(suite: &[&str]) -> anyhow::Result<Outcome> {
    let server = Postgres::start().await?;
    let clock = faketime::library().await?;
    let mut tests = cargo(&["test", "--workspace", "--no-fail-fast"]);
    tests.args(suite).env(GIVEN, server.address()).env(faketime::GIVEN, &clock);
    tests.env("RUST_TEST_THREADS", THREADS);
    let status = tests.status().await?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) })
}

/// Redocly and Spectral at the documents of both programs.
async fn linting() -> anyhow::Result<Outcome> {
    match documents::Linters::install().await? {
        Ok(linters) => Ok(judged(documents::run(&linters).await?)),
        Err(why) => Ok(Outcome::Skipped(why)),
    }
}

/// The clients of both languages, made from the documents and used for a day.
async fn using_clients() -> anyhow::Result<Outcome> {
    match clients::install().await? {
        clients::Clients::Ready(python) => clients::run(&python).await.map(|()| Outcome::Passed),
        clients::Clients::Missing(why) => Ok(Outcome::Skipped(why)),
    }
}

fn judged(agree: bool) -> Outcome {
    if agree { Outcome::Passed } else { Outcome::Failed("see above".to_owned()) }
}

/// Requests of all sorts, made from the documents of the running programs, as three roles each; both at once, since one
/// asks one after the other.
async fn fuzzing() -> Step {
    let name = "schemathesis";
    match fuzz::install().await {
        Ok(fuzz::Tool::Ready(tool)) => {
            let of = |target| fuzz::run(&tool, target, fuzz::Bounds::Administrator, EXAMPLES, fuzz::SEED);
            let both = async { tokio::try_join!(of(fuzz::Target::Store), of(fuzz::Target::Hub)) };
            own(name, async { both.await.map(|(store, hub)| store && hub) }).await
        }
        Ok(fuzz::Tool::Missing(why)) => {
            Step { name, outcome: Outcome::Skipped(why), took: Duration::ZERO, cpu: Duration::ZERO }
        }
        Err(error) => Step {
            name,
            outcome: Outcome::Failed(format!("{error:#}")),
            took: Duration::ZERO,
            cpu: Duration::ZERO,
        },
    }
}

/// The whole chain on the first days of a real month, with the hub killed half-way.
fn month() -> replay::Options {
    replay::Options {
        file: root().join(MONTH),
        tills: 8,
        kill_hub: true,
        days: Some(REPLAYED_DAYS),
        release: false,
    }
}

async fn step(name: &'static str, mut command: Command) -> Step {
    bounded(name, async move {
        let status = command.status().await?;
        Ok(if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) })
    })
    .await
}

/// One of our own commands; processes that it started end with it, also on a timeout.
async fn own(name: &'static str, command: impl Future<Output = anyhow::Result<bool>>) -> Step {
    bounded(name, async { command.await.map(judged) }).await
}

async fn bounded(name: &'static str, work: impl Future<Output = anyhow::Result<Outcome>>) -> Step {
    println!("\n=== {name}");
    let (started, before) = (Instant::now(), cpu::of_children());
    let mut work = std::pin::pin!(work);
    let outcome = match tokio::time::timeout(STEP, &mut work).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Outcome::Failed(format!("{error:#}")),
        Err(_) => {
            end_below(std::process::id()).await;
            Outcome::Failed(format!("not finished after {} s", STEP.as_secs()))
        }
    };
    let cpu = cpu::of_children().saturating_sub(before);
    Step { name, outcome, took: started.elapsed(), cpu }
}

/// Checks the units of systemd, if it is installed.
async fn unit_files() -> Step {
    let name = "systemd units";
    if units::can_be_checked().await {
        return own(name, units::check()).await;
    }
    Step {
        name,
        outcome: Outcome::Skipped("systemd-analyze is not installed"),
        took: Duration::ZERO,
        cpu: Duration::ZERO,
    }
}

fn summary(steps: &[Step]) {
    println!("\n=== summary\n{:<28} {:>8}  {:>8}", "", "took", "CPU");
    let line = |name: &str, took: Duration, cpu: Duration, said: &str| {
        println!("{name:<28} {:>6.1} s  {:>6.1} s  {said}", took.as_secs_f64(), cpu.as_secs_f64());
    };
    for Step { name, outcome, took, cpu } in steps {
        let said = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed(why) => format!("FAILED ({why})"),
            Outcome::Skipped(why) => format!("skipped: {why}"),
        };
        line(name, *took, *cpu, &said);
    }
    let (took, cpu) = (steps.iter().map(|step| step.took).sum(), steps.iter().map(|step| step.cpu).sum());
    line("all", took, cpu, "");
    let failed = steps.iter().filter(|step| matches!(step.outcome, Outcome::Failed(_))).count();
    println!("{}", if failed == 0 { "all passed".to_owned() } else { format!("{failed} FAILED") });
}
