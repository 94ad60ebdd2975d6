//! `bench`: real stores in release on a real disk, beside PostgreSQL and the limits of the machine, by turns in one run.

mod document;
mod goals;
mod head_office;
mod history;
mod load;
mod many;
mod office;
mod peer;
mod reads;
pub mod results;
mod rounds;
pub mod shop;
mod slow_disk;
mod webhooks;

use crate::stage::WorkFolder;
use crate::workspace::{Binaries, Profile, build, built, root};
use peer::{Helper, Peer};
use results::Results;
use rounds::Subjects;
use serde_json::json;
use shop::{MeasuredStore, Size};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::process::Command;

/// Tills of the measured runs.
pub const TILLS: [usize; 3] = [1, 16, MANY];
/// The most tills of a shop.
pub const MANY: usize = 64;
/// Members of the stores that sell; each sale is one's of the first five hundred.
const MEMBERS: usize = 500;
/// The page that the figures are written into.
const PAGE: &str = "docs/performance.md";

/// How long, and behind how much history.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Run for a few minutes with small stores, to check that everything works
    #[arg(long)]
    quick: bool,
    /// Visits to each subject [default: 5; quick: 2]
    #[arg(long)]
    rounds: Option<usize>,
    /// Length of a visit in seconds [default: 2; quick: 1]
    #[arg(long)]
    seconds: Option<u64>,
    /// Products of the stores that sell [default: 100000; quick: 2000]
    #[arg(long)]
    products: Option<usize>,
    /// Products of the store that is searched [default: 200000; quick: 5000]
    #[arg(long)]
    searched: Option<usize>,
    /// Members of the store that is searched [default: 100000; quick: 5000]
    #[arg(long)]
    members: Option<usize>,
    /// Sales in the store with history [default: 100000; quick: 2000]
    #[arg(long)]
    sales: Option<u64>,
    /// Sales of the large shift that is closed [default: 10000; quick: 500]
    #[arg(long)]
    shift: Option<u64>,
    /// Sales that the hub catches up with [default: 20000; quick: 500]
    #[arg(long)]
    caught_up: Option<u64>,
    /// Stores that wait at the hub [default: 1000; quick: 20]
    #[arg(long)]
    waiting: Option<usize>,
    /// Connections of the thin server to PostgreSQL
    #[arg(long, default_value_t = 32)]
    connections: u32,
    /// Measure only head office, with this many sale lines and entries, next to plain SQL over the same rows
    #[arg(long, value_name = "ROWS")]
    office_rows: Option<u64>,
    /// Measure only head office's intake of sales, with a webhook and without
    #[arg(long)]
    webhooks: bool,
    /// The folder for the data, on the disk to measure
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Use store-router, cloud-hub and bench from this folder instead of building them
    #[arg(long, value_name = "DIR")]
    bin_dir: Option<PathBuf>,
    /// File for all measurements
    #[arg(long, value_name = "FILE", default_value = "target/bench.json")]
    json: PathBuf,
    /// Write the figures into docs/performance.md
    #[arg(long)]
    write: bool,
}

impl Options {
    fn pick<T>(&self, given: Option<T>, full: T, quick: T) -> T {
        given.unwrap_or(if self.quick { quick } else { full })
    }
}

/// Runs it. A missed goal is reported and is no failure: it may be due to the machine.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let since = Instant::now();
    let binaries = match &options.bin_dir {
        Some(folder) => built(folder)?,
        None => build(Profile::Release).await?,
    };
    if let Some(rows) = options.office_rows {
        return measure_office(&options, &binaries, rows).await;
    }
    if options.webhooks {
        return measure_webhooks(&options, &binaries).await;
    }
    let pick = |given, full, quick| options.pick(given, full, quick);
    let (rounds, seconds) = (pick(options.rounds, 5, 2), options.pick(options.seconds, 2, 1));
    let size = Size { products: pick(options.products, 100_000, 2_000), members: MEMBERS, tills: MANY };
    let searched = Size {
        products: pick(options.searched, 200_000, 5_000),
        members: pick(options.members, 100_000, 5_000),
        tills: 0,
    };
    let [sales, shift, caught_up] = [
        options.pick(options.sales, 100_000, 2_000),
        options.pick(options.shift, 10_000, 500),
        options.pick(options.caught_up, 20_000, 500),
    ];
    let place = WorkFolder::within(options.dir.as_deref())?;
    let folder = |name: &str| WorkFolder::new(Some(place.file(name)));
    let places = [
        folder("store")?,
        folder("behind")?,
        folder("search")?,
        folder("slow")?,
        folder("hub")?,
        folder("many")?,
    ];
    let [store_place, behind_place, search_place, slow_place, hub_place, many_place] = &places;
    let mut results = Results::default();

    eprintln!("measuring in {}", place.path().display());
    let peer = Peer::start(&binaries, &place, size, options.connections).await?;
    let bare = Helper::start(&binaries, &["bare"]).await?;
    let store = MeasuredStore::sized(&binaries, store_place, size).await?;
    let mut behind = MeasuredStore::sized(&binaries, behind_place, size).await?;
    let search = MeasuredStore::sized(&binaries, search_place, searched).await?;
    let asking = search.admin().await?;
    eprintln!("{sales} sales as history");
    history::fill(&mut behind, sales, &mut results).await?;
    let search = (search, searched, asking);
    let mut subjects =
        Subjects { binaries: &binaries, place: &place, bare, store, behind, search, peer, seconds };
    subjects.rounds(rounds, &mut results).await?;
    history::measure(&mut subjects, shift, &mut results).await?;
    let Subjects { mut store, mut behind, search: (mut search, ..), peer, .. } = subjects;
    for store in [&mut store, &mut behind, &mut search] {
        store.stop().await?;
    }
    slow_disk::measure(&binaries, slow_place, seconds * 3, &mut results).await?;
    if let Some(peer) = &peer {
        head_office::measure(&binaries, hub_place, &peer.postgres, caught_up, &mut results).await?;
        let (waiting, length) = (pick(options.waiting, 1_000, 20), Duration::from_secs(seconds * 3));
        many::measure(&binaries, many_place, &peer.postgres, waiting, length, &mut results).await?;
    }
    let given = format!(
        "{rounds} rounds of {seconds} s a visit; {} products and {sales} sales of history; {} products and {} members \
         searched; shifts of 10 and {shift} sales; {caught_up} sales caught up",
        size.products, searched.products, searched.members
    );
    let head = format!("{} {given}; {} s in all.\n", machine().await, since.elapsed().as_secs());
    let block = document::render(&head, &results);
    println!("{block}");
    let json = root().join(&options.json);
    std::fs::write(
        &json,
        serde_json::to_vec_pretty(&json!({"measured": head.trim(), "results": results.json()}))?,
    )?;
    eprintln!("everything is in {}", json.display());
    if options.write {
        document::write(&root().join(PAGE), document::STORE, &format!("{block}\n"))?;
    }
    Ok(true)
}

/// Head office alone, with this many sale lines and entries.
async fn measure_office(options: &Options, binaries: &Binaries, rows: u64) -> anyhow::Result<bool> {
    let since = Instant::now();
    let measured = office::measure(binaries, WorkFolder::within(options.dir.as_deref())?, rows).await?;
    let given = format!(
        "{rows} sale lines and {rows} entries of a year: 10 stores of 3 tills and 6 cashiers, 14 hours a day, 1000 products"
    );
    let head = format!("{} {given}; {} s in all.\n", machine().await, since.elapsed().as_secs());
    let block = office::render(&head, &measured);
    println!("{block}");
    if options.write {
        document::write(&root().join(PAGE), document::OFFICE, &format!("{block}\n"))?;
    }
    Ok(true)
}

/// The intake of head office, with a webhook and without.
async fn measure_webhooks(options: &Options, binaries: &Binaries) -> anyhow::Result<bool> {
    let (rounds, seconds) = (options.pick(options.rounds, 7, 2), options.pick(options.seconds, 2, 1));
    let place = WorkFolder::within(options.dir.as_deref())?;
    let postgres = peer::postgres(&place)?;
    let mut results = Results::default();
    let turns = (rounds, Duration::from_secs(seconds));
    webhooks::measure(binaries, &place, &postgres, turns, &mut results).await?;
    println!("{} {rounds} rounds of {seconds} s.\n{}", machine().await, webhooks::summary(&results));
    Ok(true)
}

/// The machine, and the time of the measurement.
async fn machine() -> String {
    let first = |path: &str, name: &str| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name)).and_then(|line| line.split_once(':'));
        line.map_or_else(|| "unknown".to_owned(), |(_, rest)| rest.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{} at {}: {}, {cores} cores, shared with the load generator; {} of memory; Linux {}.",
        said("date", &["-u", "+%F"]).await,
        said("git", &["rev-parse", "--short", "HEAD"]).await,
        first("/proc/cpuinfo", "model name"),
        first("/proc/meminfo", "MemTotal"),
        kernel.trim()
    )
}

async fn said(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(root()).output().await;
    output.map_or_else(|_| "?".to_owned(), |out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}
