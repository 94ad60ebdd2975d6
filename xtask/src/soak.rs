//! `soak`: what takes longer than the test command may. The dependencies, tills that sell in a crowd of slow clients,
//! storms of everything at once, what the time of a log-in reveals, what a sale costs a hub with many stores, long runs
//! of the model test, of the simulations and of schemathesis with fresh seeds, synchronisation at full size, power cuts
//! after syncs that did not happen, races at the hub and its processes killed at random, the time of keys and scans on
//! the till's page in a large store, all pages in Firefox, the Debian packages in new roots, and the fuzz targets.

pub mod crowd;
pub mod firefox;
pub mod fuzz_targets;
pub mod guesses;
pub mod packages;
pub mod stores;
pub mod storm;

use crate::fuzz;
use crate::measure::results::middle;
use crate::measure::shop::MeasuredStore;
use crate::soak::crowd::Crowd;
use crate::stage::WorkFolder;
use crate::tools::postgres::{GIVEN, Postgres};
use crate::tools::{apt, faketime, supply};
use crate::workspace::{Binaries, Profile, build, cargo};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::time::Duration;

/// Tills that sell meanwhile.
const TILLS: usize = 8;
/// Selling alone and in the crowd by turns, so often: other work on the machine falls on both.
const ROUNDS: usize = 3;
/// The crowd has this long to gather.
const GATHERING: Duration = Duration::from_secs(20);
/// A sale in the crowd may take this multiple of its time alone, at the 99th percentile.
const RATIO_MAX: f64 = 2.0;
/// The test of random days at the tills.
const MODEL: &str = "model::the_store_does_what_the_model_says";
/// The tests of heavy synchronisation that are small in the test command.
const RETURNING: &str = "sync::returning::ten_thousand_stores_returning_at_once";
const OFFLINE: &str = "sync::offline::thirty_days_offline_and_one_catch_up";
/// The test of data that a start finds written and not synced.
const UNSYNCED: &str = "unsynced::frames_that_a_start_found_unsynced_are_synced_before_they_are_answered";
/// The races of two processes of the hub, which are few in the test command.
const RACES: &str = "office_races::";
/// The mixed load at two processes that die.
const KILLED: &str = "office::several::";
/// The budgets of the till's page, which are timed only here.
const PAGES: &str = "budgets::a_key_redraws_one_of_five_hundred_lines_at_once";
/// The simulations of synchronisation: of one store's chain, and of what several stores share.
const SIMULATIONS: [&str; 2] = [
    "sync::simulation::store_and_hub_have_the_same_after_any_history",
    "sync::records::records_are_the_same_everywhere_after_any_history",
];
/// Seeds that can be typed again.
const SEED_MASK: u64 = 0xffff_ffff;

/// How much of it.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Number of slow clients; 0: skip
    #[arg(long, default_value_t = 1000)]
    clients: usize,
    /// Runs of the storm: clients write while head office changes data, the disk stops and actors are killed;
    /// 0: skip
    #[arg(long, default_value_t = 20)]
    storms: usize,
    /// Clients of each storm
    #[arg(long, default_value_t = 2000)]
    storm_clients: usize,
    /// Length of each storm in seconds
    #[arg(long, default_value_t = 60)]
    storm_seconds: u64,
    /// Log-ins with a wrong password, and the same number with an unknown name; 0: skip
    #[arg(long, default_value_t = 400)]
    guesses: usize,
    /// Length of each of the six selling periods in seconds
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Steps of each run of the model test
    #[arg(long, default_value_t = 10_000)]
    model_steps: usize,
    /// Runs of the model test, each with a new seed
    #[arg(long, default_value_t = 3)]
    model_runs: usize,
    /// Histories of each simulation of synchronisation, from a new seed on; 0: skip
    #[arg(long, default_value_t = 20_000)]
    simulated: u64,
    /// Requests of schemathesis for each operation and role, with a new seed; 0: skip
    #[arg(long, default_value_t = 1_000)]
    examples: u32,
    /// Seconds for each fuzz target; 0: skip
    #[arg(long, default_value_t = 60)]
    fuzz_seconds: u64,
    /// Simulated stores that return to the hub at the same time; 0: skip
    #[arg(long, default_value_t = 10_000)]
    stores: usize,
    /// Sales of a store that was offline for thirty days and then catches up; 0: skip
    #[arg(long, default_value_t = 500_000)]
    offline_sales: usize,
    /// Restarts after a kill or an error between write and sync, each followed by a power cut; 0: skip
    #[arg(long, default_value_t = 200)]
    cuts: usize,
    /// Attempts of each race between two processes of the hub on PostgreSQL; 0: skip
    #[arg(long, default_value_t = 1_000)]
    races: usize,
    /// Rounds of a mixed load on two processes of the hub on PostgreSQL, which are killed at random; 0: skip
    #[arg(long, default_value_t = 20)]
    killed: usize,
    /// Do not time keys, scans and searches on the till's page
    #[arg(long)]
    no_pages: bool,
    /// Do not run the tests of the pages in Firefox
    #[arg(long)]
    no_firefox: bool,
    /// Stores enrolled at one hub while the cost of a sale is measured; 0: skip
    #[arg(long, default_value_t = 1_000)]
    enrolled: usize,
    /// Try the Debian packages of this folder in new roots of Debian 12 and 13; needs root
    #[arg(long, value_name = "DIR")]
    packages: Option<PathBuf>,
    /// Measure the release build
    #[arg(long)]
    release: bool,
}

/// Runs all of it, also after one part failed; true if the goals are met and nothing broke.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let mut fine = reported("documentation", documentation().await);
    fine &= reported("dependencies", supply::command().await);
    if let Some(folder) = &options.packages {
        fine &= reported("packages", packages::run(folder).await);
    }
    fine &= options.clients == 0 || reported("slow clients", slow_clients(&options).await);
    fine &= options.storms == 0 || reported("storm", storms(&options).await);
    fine &= options.guesses == 0 || reported("time of log-ins", names(&options).await);
    fine &= options.enrolled == 0 || reported("many stores", many_stores(&options).await);
    for _ in 0..options.model_runs {
        fine &= reported("model", model(options.model_steps, fresh_seed()).await);
    }
    for simulation in SIMULATIONS.iter().filter(|_| options.simulated > 0) {
        fine &= reported("simulation", simulated(simulation, options.simulated, fresh_seed()).await);
    }
    if options.examples > 0 {
        let seed = fresh_seed();
        for target in [fuzz::Target::Store, fuzz::Target::Hub] {
            fine &= reported("schemathesis", schemathesis(target, options.examples, seed).await);
        }
    }
    for (part, name, variable, size) in [
        ("stores returning", RETURNING, "SOAK_STORES", options.stores),
        ("a month offline", OFFLINE, "SOAK_SALES", options.offline_sales),
        ("power cuts", UNSYNCED, "SOAK_CUTS", options.cuts),
    ] {
        fine &= size == 0 || reported(part, at_full_size(name, variable, size).await);
    }
    for (part, target, name, variable, times) in [
        ("races at the hub", "hub", RACES, "RACE_TRIES", options.races),
        ("processes killed at random", "blackbox", KILLED, "SOAK_KILLED", options.killed),
    ] {
        fine &= times == 0 || reported(part, two_processes(target, name, variable, times).await);
    }
    fine &= options.no_pages || reported("the till's page", timed_pages().await);
    fine &= options.no_firefox || reported("pages in Firefox", firefox::run().await);
    fine &=
        options.fuzz_seconds == 0 || reported("fuzz targets", fuzz_targets::run(options.fuzz_seconds).await);
    Ok(fine)
}

/// Says how a part ended.
fn reported(part: &str, outcome: anyhow::Result<bool>) -> bool {
    match outcome {
        Ok(true) => println!("{part}: passed"),
        Ok(false) => println!("{part}: FAILED"),
        Err(ref error) => println!("{part}: FAILED ({error:#})"),
    }
    matches!(outcome, Ok(true))
}

/// Whether every name in a comment exists.
async fn documentation() -> anyhow::Result<bool> {
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    Ok(doc.env("RUSTDOCFLAGS", "-D warnings").status().await.context("cargo doc")?.success())
}

/// A new one every time; to repeat a run, pass its value.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() & SEED_MASK
}

/// Runs one test with these variables; it prints its seed and its figures.
async fn run_test<V: AsRef<std::ffi::OsStr>>(
    target: &str,
    name: &str,
    variables: impl IntoIterator<Item = (&'static str, V)>,
) -> anyhow::Result<bool> {
    let clock = faketime::library().await?;
    let mut test = cargo(&["test", "--workspace", "--test", target, name, "--", "--nocapture"]);
    test.env(faketime::GIVEN, clock).envs(variables);
    Ok(test.status().await.context("cargo test")?.success())
}

/// The model test against the real store.
async fn model(steps: usize, seed: u64) -> anyhow::Result<bool> {
    println!("model: {steps} steps; again: SEED={seed} MODEL_STEPS={steps} cargo test --test blackbox model");
    run_test("blackbox", MODEL, [("SEED", seed.to_string()), ("MODEL_STEPS", steps.to_string())]).await
}

/// Random histories of a simulation; a failing one is printed with its seed.
async fn simulated(name: &str, histories: u64, from: u64) -> anyhow::Result<bool> {
    println!("{name}: {histories} histories from seed {from} on");
    let range = [("SIMULATION_FROM", from.to_string()), ("SIMULATION_SEEDS", histories.to_string())];
    run_test("domain", name, range).await
}

/// A test of synchronisation with more of everything than the test command has.
async fn at_full_size(name: &str, variable: &'static str, size: usize) -> anyhow::Result<bool> {
    run_test("blackbox", name, [(variable, size.to_string())]).await
}

/// A test of two processes of the hub on one server, this many times.
async fn two_processes(
    target: &str,
    name: &str,
    variable: &'static str,
    times: usize,
) -> anyhow::Result<bool> {
    let server = Postgres::start().await?;
    run_test(target, name, [(variable, times.to_string()), (GIVEN, server.address())]).await
}

/// Keys, scans and searches on the till's page in a store with 100,000 products.
async fn timed_pages() -> anyhow::Result<bool> {
    apt::browser().await?;
    run_test("screens", PAGES, [("SCREENS_TIMED", "1")]).await
}

async fn schemathesis(target: fuzz::Target, examples: u32, seed: u64) -> anyhow::Result<bool> {
    match fuzz::install().await? {
        fuzz::Tool::Ready(tool) => fuzz::run(&tool, target, fuzz::Bounds::Everyone, examples, seed).await,
        fuzz::Tool::Missing(why) => bail!("{why}"),
    }
}

async fn programs(options: &Options) -> anyhow::Result<Binaries> {
    build(if options.release { Profile::Release } else { Profile::Dev }).await
}

async fn many_stores(options: &Options) -> anyhow::Result<bool> {
    stores::run(&programs(options).await?, options.enrolled).await
}

async fn names(options: &Options) -> anyhow::Result<bool> {
    guesses::run(&programs(options).await?, options.guesses).await
}

/// All of them, also after one failed.
async fn storms(options: &Options) -> anyhow::Result<bool> {
    let binaries = programs(options).await?;
    let size = storm::Size { clients: options.storm_clients, seconds: options.storm_seconds };
    let mut well = 0;
    for run in 1..=options.storms {
        match storm::run(&binaries, size).await {
            Ok(()) => well += 1,
            Err(error) => println!("storm {run}: {error:#}"),
        }
    }
    println!("{well} of {} storms of {} clients left nothing stuck", options.storms, size.clients);
    Ok(well == options.storms)
}

async fn slow_clients(options: &Options) -> anyhow::Result<bool> {
    let binaries = programs(options).await?;
    let place = WorkFolder::within(None)?;
    let mut shop = MeasuredStore::open(&binaries, &place).await?;
    let (mut calm, mut crowded, mut held) = (Vec::new(), Vec::new(), usize::MAX);
    for round in 1..=ROUNDS {
        let alone = p99_us(&shop.sell(TILLS, options.seconds, None).await?)?;
        let crowd = Crowd::gather(shop.address()?, options.clients);
        gathered(&crowd, options.clients).await?;
        let among = p99_us(&shop.sell(TILLS, options.seconds, None).await?)?;
        held = held.min(crowd.held());
        eprintln!("round {round}: {alone} us alone, {among} us in the crowd");
        calm.push(alone);
        crowded.push(among);
    }
    shop.stop().await?;
    let (calm, crowded) = (middle(calm), middle(crowded));
    let ratio = crowded as f64 / (calm as f64).max(1.0);
    println!(
        "{TILLS} tills, {} slow clients (at least {held} held): p99 of a sale {calm} us alone, {crowded} us \
         in the crowd, {ratio:.2} times; at most {RATIO_MAX} is asked for",
        options.clients
    );
    Ok(ratio <= RATIO_MAX)
}

async fn gathered(crowd: &Crowd, count: usize) -> anyhow::Result<()> {
    let most = async {
        while crowd.held() * 10 < count * 9 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let done = tokio::time::timeout(GATHERING, most).await;
    ensure!(done.is_ok(), "only {} of {count} slow clients got a connection", crowd.held());
    Ok(())
}

fn p99_us(run: &Value) -> anyhow::Result<u64> {
    run.pointer("/whole/p99_us").and_then(Value::as_u64).context("the load generator printed no p99")
}
