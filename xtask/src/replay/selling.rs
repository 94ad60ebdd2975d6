//! The tills at work, and the hub that is away for a while.

use super::board::Board;
use super::input::{HALF_WAY, receive};
use crate::rest::Api;
use crate::stage::{Person, Stage};
use crate::trade::books::Delivery;
use crate::trade::members::Members;
use crate::trade::month::Month;
use crate::trade::plan::{Back, Sale, Step};
use crate::trade::till::{Done, Till};
use anyhow::Context;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The hub stays away from this part of the steps …
const KILLED_AT_PERCENT: u64 = 50;
/// … to this one.
const BACK_AT_PERCENT: u64 = 65;
/// Progress at which goods are received.
const DELIVERED_AT_PERCENT: u64 = 50;
/// The progress is printed this many times.
const TOLD_TIMES: u64 = 10;
const WATCH: Duration = Duration::from_millis(10);
/// Approvals under way at once: attempts count as guesses until they prove right, and five are too many.
const APPROVALS_AT_ONCE: usize = 2;

/// Input of the tills.
pub struct Work {
    steps: Arc<Vec<Step>>,
    members: Members,
    approver: Person,
    approving: Semaphore,
    next: AtomicUsize,
    board: Board,
    /// Steps that are done.
    done: AtomicU64,
    refusals: Mutex<Vec<String>>,
}

impl Work {
    /// Everything is still to be done.
    pub fn new(steps: Arc<Vec<Step>>, members: Members, approver: Person) -> Self {
        Self {
            steps,
            members,
            approver,
            approving: Semaphore::new(APPROVALS_AT_ONCE),
            next: AtomicUsize::new(0),
            board: Board::new(),
            done: AtomicU64::new(0),
            refusals: Mutex::default(),
        }
    }

    fn refused(&self, step: &Step, why: &str) {
        if let Ok(mut refusals) = self.refusals.lock() {
            refusals.push(format!("{}: {why}", step.name()));
        }
    }

    async fn sell(&self, till: &mut Till, sale: &Sale) -> anyhow::Result<Done> {
        let member = sale.customer.as_ref().and_then(|customer| self.members.get(customer));
        till.sell(sale, member.map(String::as_str)).await
    }

    async fn take_back(&self, till: &mut Till, back: &Back) -> anyhow::Result<Done> {
        let Some(sale) = back.sale else {
            let _permit = self.approving.acquire().await.context("the approver left")?;
            return till.take_back(back, None, &self.approver).await;
        };
        self.board.wait(back.after.into_iter().chain([sale])).await;
        match self.board.transaction(sale) {
            Some(transaction) => till.take_back(back, Some(&transaction), &self.approver).await,
            None => Ok(Done::Refused("its sale is not there".to_owned())),
        }
    }

    async fn step(&self, till: &mut Till, place: usize, step: &Step) -> anyhow::Result<()> {
        let done = match step {
            Step::Sale(sale) => self.sell(till, sale).await,
            Step::Back(back) => self.take_back(till, back).await,
        };
        let transaction = match done.with_context(|| step.name().to_owned())? {
            Done::Sold(transaction) => Some(transaction),
            Done::TakenBack => None,
            Done::Refused(why) => {
                self.refused(step, &why);
                None
            }
        };
        self.board.done(place, transaction);
        let (done, total) = (self.done.fetch_add(1, Ordering::Relaxed) + 1, self.steps.len() as u64);
        if done * TOLD_TIMES / total > (done - 1) * TOLD_TIMES / total {
            eprintln!("sales and returns: {done} of {total}");
        }
        Ok(())
    }
}

async fn work(mut till: Till, work: Arc<Work>) -> anyhow::Result<Till> {
    while !work.board.given_up() {
        let place = work.next.fetch_add(1, Ordering::Relaxed);
        let Some(step) = work.steps.get(place) else { break };
        if let Err(error) = work.step(&mut till, place, step).await {
            work.board.give_up();
            return Err(error);
        }
    }
    Ok(till)
}

/// Results.
pub struct Outcome {
    pub tills: Vec<Till>,
    /// Refusals of the store.
    pub refusals: Vec<String>,
    /// Goods received meanwhile.
    pub delivery: Delivery,
}

/// Does everything; half-way goods come in, and perhaps the hub is killed.
pub async fn run(
    stage: &mut Stage,
    tills: Vec<Till>,
    all: Work,
    warehouse: &Api,
    month: &Month,
    kill_hub: bool,
) -> anyhow::Result<Outcome> {
    let all = Arc::new(all);
    let mut working = JoinSet::new();
    for till in tills {
        working.spawn(work(till, all.clone()));
    }
    let hub = async { if kill_hub { hub_away(stage, &all).await } else { Ok(()) } };
    let (tills, hub, delivery) = tokio::join!(working.join_all(), hub, delivered(&all, warehouse, month));
    let tills = tills.into_iter().collect::<anyhow::Result<_>>()?;
    hub?;
    let refusals = all.refusals.lock().map(|refusals| refusals.clone()).unwrap_or_default();
    Ok(Outcome { tills, refusals, delivery: delivery? })
}

async fn delivered(work: &Work, warehouse: &Api, month: &Month) -> anyhow::Result<Delivery> {
    reached(work, work.steps.len() as u64 * DELIVERED_AT_PERCENT / 100).await;
    receive(warehouse, month, &HALF_WAY).await
}

async fn reached(work: &Work, count: u64) {
    while work.done.load(Ordering::Relaxed) < count && !work.board.given_up() {
        tokio::time::sleep(WATCH).await;
    }
}

async fn hub_away(stage: &mut Stage, work: &Work) -> anyhow::Result<()> {
    let total = work.steps.len() as u64;
    reached(work, total * KILLED_AT_PERCENT / 100).await;
    stage.hub.kill();
    eprintln!("hub killed after {} of {total}", work.done.load(Ordering::Relaxed));
    reached(work, total * BACK_AT_PERCENT / 100).await;
    stage.hub = stage.hub_setup.serve().await?;
    eprintln!("hub back after {} of {total}", work.done.load(Ordering::Relaxed));
    Ok(())
}
