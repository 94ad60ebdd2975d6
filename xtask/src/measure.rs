//! `bench`: a real store in release, on a real disk, beside the limits of the machine in the same run.

pub mod process;
pub mod shop;
mod told;

use crate::stage::Place;
use crate::workspace::{Binaries, Profile, build, load_generator};
use anyhow::Context;
use serde_json::Value;
use shop::Shop;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use told::{Behind, Measured};

/// Tills of the three measured runs.
pub const TILLS: [usize; 3] = [1, 16, 64];
const BARE_SECONDS: &str = "3";
/// From its start the bare server tells its address within this time.
const BARE_START: Duration = Duration::from_secs(10);

/// How long, and behind how much history.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Sales that lie in the store when it is started again
    #[arg(long, default_value_t = 1_000_000)]
    sales: u64,
    /// Length of each of the three runs
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// The folder (on the disk to measure) that the data is made in
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs it. A floor that is not met is told, not failed: it says as much about the machine.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let binaries = build(Profile::Release).await?;
    let place = Place::within(options.dir.as_deref())?;
    eprintln!("measuring in {}", place.path().display());
    let disk = load_generator(&binaries, &["disk", &place.path().display().to_string()]).await?;
    let bare = bare_reply(&binaries).await?;
    let mut shop = Shop::open(&binaries, &place).await?;
    let mut runs = Vec::new();
    for tills in TILLS {
        eprintln!("selling at {tills} tills …");
        runs.push(shop.sell(tills, options.seconds, None).await?);
    }
    let behind = history(&mut shop, &options, &runs).await?;
    shop.stop().await?;
    Measured { disk, bare, runs, behind }.print();
    Ok(true)
}

/// Sells on until the wanted history lies there, then starts the store behind it.
async fn history(shop: &mut Shop<'_>, options: &Options, runs: &[Value]) -> anyhow::Result<Behind> {
    let sold: u64 = runs.iter().filter_map(|run| run.get("sales").and_then(Value::as_u64)).sum();
    let missing = options.sales.saturating_sub(sold);
    let filled = if missing > 0 {
        eprintln!("selling {missing} more for the start behind {} …", options.sales);
        Some(shop.sell(64, u64::from(u16::MAX), Some(missing)).await?)
    } else {
        None
    };
    let memory = shop.memory_kib()?;
    let after_kill = shop.kill_and_start().await?;
    let after_stop = shop.stop_and_start().await?;
    let disk_bytes = shop.disk_bytes()?;
    let memory_restarted = shop.memory_kib()?;
    let sales = sold.max(options.sales);
    Ok(Behind { sales, filled, after_kill, after_stop, memory, memory_restarted, disk_bytes })
}

/// A bare warp reply under the same clients: one alone, and as many as tills.
async fn bare_reply(binaries: &Binaries) -> anyhow::Result<[Value; 2]> {
    let mut command = Command::new(&binaries.bench);
    command.arg("bare").stdout(Stdio::piped()).kill_on_drop(true);
    let mut server = command.spawn().context("starting the bare server")?;
    let mut lines = BufReader::new(server.stdout.take().context("no output")?).lines();
    let line = tokio::time::timeout(BARE_START, lines.next_line()).await??;
    let address = line.context("the bare server told no address")?;
    let args =
        |clients| ["reply", "--address", &address, "--connections", clients, "--seconds", BARE_SECONDS];
    let alone = load_generator(binaries, &args("1")).await?;
    let many = load_generator(binaries, &args("64")).await?;
    server.kill().await?;
    Ok([alone, many])
}
