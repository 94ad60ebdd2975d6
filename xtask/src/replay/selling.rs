//! The tills at work, and the hub that is away for a while.

use crate::month::Sale;
use crate::progress::Progress;
use crate::stage::Stage;
use crate::till::{Sold, Till};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;

/// The hub stays away from this part of the sales …
const KILLED_AT_PERCENT: u64 = 50;
/// … to this one.
const BACK_AT_PERCENT: u64 = 65;
const WATCH: Duration = Duration::from_millis(10);

/// What the tills share.
struct Queue {
    sales: Mutex<std::vec::IntoIter<Sale>>,
    progress: Progress,
    refusals: Mutex<Vec<String>>,
    /// A till gave up: the others stop as well.
    given_up: AtomicBool,
}

impl Queue {
    fn next(&self) -> Option<Sale> {
        if self.given_up.load(Ordering::Relaxed) {
            return None;
        }
        self.sales.lock().map_or(None, |mut sales| sales.next())
    }

    fn refused(&self, sale: &Sale, why: &str) {
        if let Ok(mut refusals) = self.refusals.lock() {
            refusals.push(format!("{}: {why}", sale.name));
        }
    }
}

async fn work(mut till: Till, queue: Arc<Queue>) -> anyhow::Result<Till> {
    while let Some(sale) = queue.next() {
        match till.sell(&sale).await {
            Ok(Sold::Paid) => {}
            Ok(Sold::Refused(why)) => queue.refused(&sale, &why),
            Err(error) => {
                queue.given_up.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        queue.progress.step();
    }
    Ok(till)
}

/// Sells everything; gives back the tills and what the store refused.
pub async fn sell(
    stage: &mut Stage,
    tills: Vec<Till>,
    sales: Vec<Sale>,
    kill_hub: bool,
) -> anyhow::Result<(Vec<Till>, Vec<String>)> {
    let total = sales.len() as u64;
    let progress = Progress::new("sales", total);
    let (sales, refusals) = (Mutex::new(sales.into_iter()), Mutex::default());
    let queue = Arc::new(Queue { sales, progress, refusals, given_up: AtomicBool::new(false) });
    let mut working = JoinSet::new();
    for till in tills {
        working.spawn(work(till, queue.clone()));
    }
    let tills = if kill_hub {
        let (tills, away) = tokio::join!(working.join_all(), hub_away(stage, &queue, total));
        away?;
        tills
    } else {
        working.join_all().await
    };
    queue.progress.finish();
    let refusals = queue.refusals.lock().map(|refusals| refusals.clone()).unwrap_or_default();
    Ok((tills.into_iter().collect::<anyhow::Result<_>>()?, refusals))
}

async fn reached(queue: &Queue, count: u64) {
    while queue.progress.done() < count && !queue.given_up.load(Ordering::Relaxed) {
        tokio::time::sleep(WATCH).await;
    }
}

async fn hub_away(stage: &mut Stage, queue: &Queue, total: u64) -> anyhow::Result<()> {
    reached(queue, total * KILLED_AT_PERCENT / 100).await;
    stage.hub.kill();
    eprintln!("hub killed after {} of {total} sales", queue.progress.done());
    reached(queue, total * BACK_AT_PERCENT / 100).await;
    stage.hub = stage.hub_setup.serve().await?;
    eprintln!("hub back after {} of {total} sales", queue.progress.done());
    Ok(())
}
