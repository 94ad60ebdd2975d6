//! `soak`: what takes longer than the test command may. Tills that sell in a crowd of slow clients, and
//! the fuzz targets.

use crate::crowd::Crowd;
use crate::fuzz_targets;
use crate::measure::shop::Shop;
use crate::stage::Place;
use crate::workspace::{Profile, build};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::time::Duration;

/// Tills that sell meanwhile.
const TILLS: usize = 8;
/// Selling alone and in the crowd by turns, so often: other work on the machine falls on both.
const ROUNDS: usize = 3;
/// The crowd has this long to gather.
const GATHERING: Duration = Duration::from_secs(20);
/// A sale in the crowd may take so many times what it takes alone, at the 99th percentile.
const RATIO_MAX: f64 = 2.0;

/// How much of it.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Slow clients
    #[arg(long, default_value_t = 1000)]
    clients: usize,
    /// Length of each of the six times of selling
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Time for each fuzz target; 0: none
    #[arg(long, default_value_t = 60)]
    fuzz_seconds: u64,
    /// Measure the release build
    #[arg(long)]
    release: bool,
}

/// Runs both; true if the floor is met and nothing broke.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let fine = slow_clients(&options).await?;
    let fuzzed = options.fuzz_seconds == 0 || fuzz_targets::run(options.fuzz_seconds).await?;
    Ok(fine && fuzzed)
}

async fn slow_clients(options: &Options) -> anyhow::Result<bool> {
    let binaries = build(if options.release { Profile::Release } else { Profile::Dev }).await?;
    let place = Place::within(None)?;
    let mut shop = Shop::open(&binaries, &place).await?;
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
    ensure!(done.is_ok(), "only {} of {count} slow clients found a place", crowd.held());
    Ok(())
}

fn p99_us(run: &Value) -> anyhow::Result<u64> {
    run.pointer("/whole/p99_us").and_then(Value::as_u64).context("the load generator told no p99")
}

fn middle(mut figures: Vec<u64>) -> u64 {
    figures.sort_unstable();
    figures.get(figures.len() / 2).copied().unwrap_or(0)
}
