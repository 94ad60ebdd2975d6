//! `replay`: a month of invoices through a fresh store and hub, with every sum compared at the end.

pub mod input;
mod selling;

use crate::compare::{Comparison, StoreSide};
use crate::hubside::{self, HubSide};
use crate::month::load;
use crate::rest::Api;
use crate::stage::{Person, Place, Stage, finance};
use crate::till::{Tender, Till};
use crate::workspace::{Profile, build};
use anyhow::{Context, ensure};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const FLOAT: i64 = 10_000;
const TILLS_MAX: usize = 64;
/// What to replay, and how.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Invoices: InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice, …; .gz or plain
    pub file: PathBuf,
    /// Tills that sell at once
    #[arg(long, default_value_t = 8)]
    pub tills: usize,
    /// Kill the hub half-way (SIGKILL) and start it again
    #[arg(long)]
    pub kill_hub: bool,
    /// Use the release profile
    #[arg(long)]
    pub release: bool,
}

/// Runs it; true if every row agrees.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    ensure!((1..=TILLS_MAX).contains(&options.tills), "--tills: 1 to {TILLS_MAX}");
    let month = load(&options.file)?;
    let profile = if options.release { Profile::Release } else { Profile::Dev };
    let binaries = build(profile).await?;
    let place = Place::new(None)?;
    let catalogue = place.file("catalogue.csv");
    input::write_catalogue(&month, &catalogue)?;
    let cashiers: Vec<Person> =
        (1..=options.tills).map(|n| Person::new(&format!("cashier-{n}"), "cashier")).collect();
    let manager = Person::new("manager", "store_manager");
    let people: Vec<&Person> = cashiers.iter().chain([&manager]).collect();
    let mut stage = Stage::open(&binaries, place, &catalogue, &people).await?;

    let retries = Arc::new(AtomicU64::new(0));
    let manager = stage.store_setup.login(&manager, &retries).await?;
    hubside::wait_for_catalogue(&manager, month.products.len()).await?;
    let received = input::receive(&manager, &month).await?;
    let mut tills = Vec::new();
    for (index, cashier) in cashiers.iter().enumerate() {
        let api = stage.store_setup.login(cashier, &retries).await?.at(&format!("till-{}", index + 1));
        tills.push(Till::open(api, FLOAT, Tender::Cash).await?);
    }

    let started = Instant::now();
    let (tills, refusals) = selling::sell(&mut stage, tills, month.sales.clone(), options.kill_hub).await?;
    let seconds = started.elapsed().as_secs_f64();
    let store = close(&manager, &tills).await?;
    let hub = ask_hub(&stage, &manager, &tills, &retries).await?;
    input::tell_input(&month, &refusals);
    let file = input::expected(&month, received);
    println!(
        "\n{} sales at {} tills in {seconds:.1} s ({:.0} per second), {} requests repeated\n",
        file.sums.sales,
        tills.len(),
        file.sums.sales as f64 / seconds,
        retries.load(Ordering::Relaxed)
    );
    let refused = refusals.len() as i64;
    let agree = Comparison { file, tills: &tills, store, hub, refused }.print();
    stage.store.stop().await?;
    stage.hub.stop().await?;
    println!("\n{}", if agree { "every figure agrees" } else { "FIGURES DIFFER" });
    Ok(agree)
}

async fn close(manager: &Api, tills: &[Till]) -> anyhow::Result<StoreSide> {
    let mut store = StoreSide::default();
    for till in tills {
        store.add_summary(&till.close().await?)?;
    }
    let shifts: Vec<&str> = tills.iter().map(|till| till.shift_id.as_str()).collect();
    store.read(manager, &shifts).await?;
    Ok(store)
}

async fn ask_hub(
    stage: &Stage,
    manager: &Api,
    tills: &[Till],
    retries: &Arc<AtomicU64>,
) -> anyhow::Result<HubSide> {
    hubside::sync_all(manager).await?;
    let days = || tills.iter().map(|till| till.business_date.as_str());
    let (from, to) = (days().min().context("no till")?, days().max().context("no till")?);
    let finance = stage.hub_setup.login(&finance(), retries).await?;
    hubside::sales(&finance, from, to).await
}
