//! Stores by the hundred at one hub. What a sale costs the hub may depend neither on how many stores are enrolled
//! nor on how many of them wait for something to come down.

use crate::daemon::Daemon;
use crate::measure::process::cpu_us;
use crate::rest::{Api, text};
use crate::stage::{Installation, Place, admin};
use crate::workspace::Binaries;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use simulated::Store;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

mod simulated;

/// Members of head office; a batch has a sale to each.
const MEMBERS: usize = 100;
/// Times that everything is measured, by turns: other work on the machine falls on all of it.
const ROUNDS: usize = 3;
/// Batches of a round.
const BATCHES: usize = 5;
/// How long one store sells in a round, one sale a batch.
const SELLING: Duration = Duration::from_secs(20);
/// How long the waiting stores are watched without a sale.
const QUIET: Duration = Duration::from_secs(5);
/// How long they have to come to rest.
const SETTLING: Duration = Duration::from_secs(120);
/// A sale may cost so many times what it costs with one store.
const RATIO_MAX: f64 = 1.2;
/// The lanes that a store waits at.
const LANES: [&str; 4] = ["users", "prices", "members", "rest"];
/// Stores that are enrolled at a time.
const AT_ONCE: usize = 16;

/// A hub, its enrolled stores, its members.
struct Office {
    hub: Daemon,
    stores: Vec<Store>,
    members: Vec<String>,
    _place: Place,
}

/// Measures it with one, a tenth and all of `most` stores; true if all is within the ratio.
pub async fn run(binaries: &Binaries, most: usize) -> anyhow::Result<bool> {
    let mut offices = Vec::new();
    for count in [1, (most / 10).max(2), most] {
        eprintln!("a hub with {count} stores …");
        offices.push(Office::open(binaries, count).await?);
    }
    let pushed = pushed(&mut offices).await?;
    let last = offices.last_mut().context("no hub")?;
    Ok(waited_for(last).await? && pushed)
}

impl Office {
    async fn open(binaries: &Binaries, count: usize) -> anyhow::Result<Self> {
        let place = Place::new(None)?;
        let setup = Installation::crowded_hub(binaries, &place)?;
        setup.init(&admin()).await?;
        let hub = setup.serve().await?;
        let api = setup.login(&admin(), &Arc::new(AtomicU64::new(0))).await?;
        let mut members = Vec::new();
        for number in 0..MEMBERS {
            let new = json!({"name": format!("Member {number}"), "phone": format!("+628110{number:06}")});
            let made = api.post("/api/members", &format!("member-{number}"), &new).await?;
            members.push(text(&made, "member_id")?);
        }
        let stores = enrolled(&api, &hub, count).await?;
        Ok(Self { hub, stores, members, _place: place })
    }

    /// The first store sells: a sale to each member in a batch.
    async fn batch(&mut self) -> anyhow::Result<()> {
        let members = self.members.clone();
        let store = self.stores.first_mut().context("no store")?;
        store.push(members.iter().map(String::as_str)).await
    }
}

async fn enrolled(api: &Api, hub: &Daemon, count: usize) -> anyhow::Result<Vec<Store>> {
    let (mut stores, mut running) = (Vec::new(), JoinSet::new());
    for number in 1..=count {
        if running.len() >= AT_ONCE {
            stores.extend(running.join_next().await.transpose()?.transpose()?);
        }
        let (api, base) = (api.clone(), hub.base());
        running.spawn(async move { Store::enrol(&api, &base, &format!("S{number:04}")).await });
    }
    while let Some(done) = running.join_next().await {
        stores.push(done??);
    }
    Ok(stores)
}

/// Processor time of a sale in a batch, by how many stores are enrolled.
async fn pushed(offices: &mut [Office]) -> anyhow::Result<bool> {
    let mut costs: Vec<Vec<u64>> = offices.iter().map(|_| Vec::new()).collect();
    for round in 0..=ROUNDS {
        for (office, costs) in offices.iter_mut().zip(&mut costs) {
            let before = cpu_us(&office.hub)?;
            for _ in 0..BATCHES {
                office.batch().await?;
            }
            let spent = cpu_us(&office.hub)?.saturating_sub(before);
            // The first one warms up.
            if round > 0 {
                costs.push(spent / (BATCHES * MEMBERS) as u64);
            }
        }
    }
    let costs: Vec<u64> = costs.into_iter().map(middle).collect();
    let one = costs.first().copied().unwrap_or_default();
    let mut fine = true;
    for (office, cost) in offices.iter().zip(&costs) {
        let ratio = *cost as f64 / (one as f64).max(1.0);
        fine &= ratio <= RATIO_MAX;
        println!(
            "batches of {MEMBERS} member sales, {} stores enrolled: {cost} us of the hub a sale, {ratio:.2} times \
             (median of {ROUNDS} rounds; at most {RATIO_MAX} is asked for)",
            office.stores.len()
        );
    }
    Ok(fine)
}

/// Processor time of a sale by itself, while nobody waits and while every other store waits at all lanes. What the
/// waiting stores cost without a sale is measured in the same round and taken off.
async fn waited_for(office: &mut Office) -> anyhow::Result<bool> {
    let (mut alone, mut waited) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let (cost, _) = selling(office, 0.0).await?;
        alone.push(cost);
        let crowd = Crowd::gather(office).await?;
        let quiet = quiet(&office.hub).await?;
        let before = crowd.woken();
        let (cost, sold) = selling(office, quiet).await?;
        waited.push(cost);
        eprintln!(
            "round {round}: {sold} sales, {} waits were answered, {:.0} us a second without a sale",
            crowd.woken() - before,
            quiet
        );
        crowd.leave().await;
    }
    let (alone, waited) = (middle(alone), middle(waited));
    let ratio = waited as f64 / (alone as f64).max(1.0);
    println!(
        "one store sells, {} wait at {} lanes each: {waited} us of the hub a sale, {alone} us alone, {ratio:.2} times \
         (median of {ROUNDS} rounds, less what the waiting cost without a sale; at most {RATIO_MAX} is asked for)",
        office.stores.len() - 1,
        LANES.len()
    );
    Ok(ratio <= RATIO_MAX)
}

/// Sells for a while, one sale a batch: processor time of a sale, and how many there were.
async fn selling(office: &mut Office, quiet: f64) -> anyhow::Result<(u64, u64)> {
    let (before, since, mut sold) = (cpu_us(&office.hub)?, Instant::now(), 0_u64);
    let members = office.members.clone();
    let store = office.stores.first_mut().context("no store")?;
    for member in members.iter().cycle() {
        if since.elapsed() >= SELLING {
            break;
        }
        store.push(std::iter::once(member.as_str())).await?;
        sold += 1;
    }
    let spent = cpu_us(&office.hub)?.saturating_sub(before);
    let waiting = (quiet * since.elapsed().as_secs_f64()) as u64;
    Ok((spent.saturating_sub(waiting) / sold.max(1), sold))
}

/// Microseconds of the processor that a second without a sale costs.
async fn quiet(hub: &Daemon) -> anyhow::Result<f64> {
    let (before, since) = (cpu_us(hub)?, Instant::now());
    tokio::time::sleep(QUIET).await;
    Ok(cpu_us(hub)?.saturating_sub(before) as f64 / since.elapsed().as_secs_f64())
}

/// Every store but the first, waiting at every lane.
struct Crowd {
    waiting: JoinSet<()>,
    woken: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
}

impl Crowd {
    async fn gather(office: &Office) -> anyhow::Result<Self> {
        let (woken, stopped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let mut waiting = JoinSet::new();
        let first = office.stores.first().context("no store")?;
        for lane in LANES {
            let cursor = first.end_of(lane).await?;
            for store in office.stores.iter().skip(1).cloned() {
                let (woken, stopped, cursor) = (Arc::clone(&woken), Arc::clone(&stopped), cursor.clone());
                waiting.spawn(wait(store, lane, cursor, woken, stopped));
            }
        }
        let crowd = Self { waiting, woken, stopped };
        crowd.settled(&office.hub).await?;
        Ok(crowd)
    }

    /// Until nothing comes down and the hub has next to nothing to do.
    async fn settled(&self, hub: &Daemon) -> anyhow::Result<()> {
        let since = Instant::now();
        loop {
            let (woken, before) = (self.woken(), cpu_us(hub)?);
            tokio::time::sleep(Duration::from_secs(3)).await;
            let spent = cpu_us(hub)?.saturating_sub(before);
            if self.woken() == woken && spent < 300_000 {
                return Ok(());
            }
            ensure!(since.elapsed() < SETTLING, "the waiting stores did not come to rest");
        }
    }

    /// Waits that ended with something.
    fn woken(&self) -> u64 {
        self.woken.load(Ordering::Relaxed)
    }

    async fn leave(mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.waiting.shutdown().await;
    }
}

async fn wait(store: Store, lane: &str, mut cursor: String, woken: Arc<AtomicU64>, stopped: Arc<AtomicBool>) {
    while !stopped.load(Ordering::Relaxed) {
        match store.wait(lane, &cursor).await {
            Ok(page) => {
                if page.get("changes").and_then(Value::as_array).is_some_and(|changes| !changes.is_empty()) {
                    woken.fetch_add(1, Ordering::Relaxed);
                }
                cursor = text(&page, "next_cursor").unwrap_or(cursor);
            }
            Err(error) => {
                eprintln!("a waiting store: {error:#}");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

fn middle(mut figures: Vec<u64>) -> u64 {
    figures.sort_unstable();
    figures.get(figures.len() / 2).copied().unwrap_or(0)
}
