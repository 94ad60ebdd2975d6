//! A hub with many enrolled stores: their cost while they sell and while they wait.

use crate::daemon::Daemon;
use crate::process::cpu_us;
use crate::rest::{Api, text};

use crate::stage::{Installation, admin};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

mod simulated;

pub use simulated::Store;

/// Members of head office; a batch has a sale to each.
pub const MEMBERS: usize = 100;
/// Time that the waiting stores are watched without a sale.
const QUIET: Duration = Duration::from_secs(5);
/// Longest time for them to become idle.
const SETTLING: Duration = Duration::from_secs(120);
/// The lanes that a store waits at.
pub const LANES: [&str; 4] = ["users", "prices", "members", "rest"];
/// Stores that are enrolled at a time.
const AT_ONCE: usize = 16;

/// A hub, its enrolled stores, its members.
pub struct Office {
    pub hub: Daemon,
    pub stores: Vec<Store>,
    pub members: Vec<String>,
}

/// Cost of a sale for the hub, round by round, in microseconds of its processor time.
#[derive(Default)]
pub struct Costs {
    /// Latencies while no other request was waiting.
    pub alone: Vec<u64>,
    /// While every other store waited at all lanes, less what the waiting cost without a sale.
    pub waited: Vec<u64>,
}

impl Office {
    /// A new hub that serves, with this many stores.
    pub async fn open(setup: &Installation, count: usize) -> anyhow::Result<Self> {
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
        Ok(Self { hub, stores, members })
    }

    /// The first store sells: a sale to each member in a batch.
    pub async fn batch(&mut self) -> anyhow::Result<()> {
        let members = self.members.clone();
        let store = self.stores.first_mut().context("no store")?;
        store.push(members.iter().map(String::as_str)).await
    }

    /// Cost of a sale by itself without waiting stores and with every other store waiting, in turn: other work on the
    /// machine affects both.
    pub async fn costs_of_waiting(&mut self, rounds: usize, length: Duration) -> anyhow::Result<Costs> {
        let mut costs = Costs::default();
        for round in 1..=rounds {
            let (cost, _) = self.selling(length, 0.0).await?;
            costs.alone.push(cost);
            let crowd = Crowd::gather(self).await?;
            let quiet = quiet(&self.hub).await?;
            let before = crowd.woken();
            let (cost, sold) = self.selling(length, quiet).await?;
            costs.waited.push(cost);
            eprintln!(
                "round {round}: {sold} sales, {} waits were answered, {:.0} us a second without a sale",
                crowd.woken() - before,
                quiet
            );
            crowd.leave().await;
        }
        Ok(costs)
    }

    /// Sells for a while, one sale a batch: processor time of a sale, and how many there were.
    async fn selling(&mut self, length: Duration, quiet: f64) -> anyhow::Result<(u64, u64)> {
        let (before, since, mut sold) = (cpu_us(&self.hub)?, Instant::now(), 0_u64);
        let members = self.members.clone();
        let store = self.stores.first_mut().context("no store")?;
        for member in members.iter().cycle() {
            if since.elapsed() >= length {
                break;
            }
            store.push(std::iter::once(member.as_str())).await?;
            sold += 1;
        }
        let spent = cpu_us(&self.hub)?.saturating_sub(before);
        let waiting = (quiet * since.elapsed().as_secs_f64()) as u64;
        Ok((spent.saturating_sub(waiting) / sold.max(1), sold))
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

    /// Waits until nothing is sent and the hub is nearly idle.
    async fn settled(&self, hub: &Daemon) -> anyhow::Result<()> {
        let since = Instant::now();
        loop {
            let (woken, before) = (self.woken(), cpu_us(hub)?);
            tokio::time::sleep(Duration::from_secs(3)).await;
            let spent = cpu_us(hub)?.saturating_sub(before);
            if self.woken() == woken && spent < 300_000 {
                return Ok(());
            }
            ensure!(since.elapsed() < SETTLING, "the waiting stores did not settle");
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
