//! Daily work, done by one process: looks for payments that should have come by now, lets points expire whose last day
//! has passed, and proves the books. Each step is a commit of its own and may be repeated; a process that dies is
//! followed by another.

use crate::db::failure::Failure;
use crate::db::outage;
use crate::night::lease::Lease;
use crate::office::finance::proof::{self, Proofs};
use crate::office::finance::writer;
use crate::office::members::points_expiry;
use crate::office::settlement::lines::new_line::NewLines;
use crate::office::settlement::{matching, source};
use crate::office::warehouses::warehouse_inbox;
use crate::secret;
use crate::state::hub::Hub;
use domain::model::base::time::UtcMs;
use edge::clock;
use jiff::civil::Date;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, interval_at};

/// Period between checks whether it is time.
const PERIOD: Duration = Duration::from_secs(60);

/// Period between signs of life of a long job: some of these are within its lease.
const BEAT: Duration = Duration::from_secs(15);

/// Jobs, in their order.
const JOBS: [&str; 3] = ["settlement", "points", "proofs"];

/// Looks every minute; the first time a minute after the start.
pub async fn keep(hub: Arc<Hub>) {
    let mut tick = interval_at(Instant::now() + PERIOD, PERIOD);
    loop {
        tick.tick().await;
        warehouse_inbox::keep(&hub, clock::now()).await;
        run(&hub, clock::now()).await;
    }
}

/// Runs the jobs that are due and not done that day; returns the jobs that ran.
pub async fn run(hub: &Hub, now: UtcMs) -> Vec<&'static str> {
    let local = now.timestamp().to_zoned(hub.zone.clone());
    let mut done = Vec::new();
    if local.time() < hub.jobs_at {
        return done;
    }
    let (holder, started) = (secret::mark(), Instant::now());
    for name in JOBS {
        let lease = Lease { name, day: local.date(), holder: &holder };
        let passed = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        match one(hub, &lease, UtcMs(now.0.saturating_add(passed))).await {
            Ok(true) => done.push(name),
            Ok(false) => {}
            // Tried again in a minute.
            Err(Failure::Sql(error)) if outage::note(&error) => {}
            Err(error) => tracing::warn!(name, ?error, "a nightly job could not be done yet"),
        }
    }
    done
}

/// Runs a job. Returns false if another process does it, or has done it.
async fn one(hub: &Hub, lease: &Lease<'_>, now: UtcMs) -> Result<bool, Failure> {
    let mut write = hub.db.write().await?;
    let taken = lease.claim(&mut write, now).await?;
    write.commit().await?;
    if !taken {
        return Ok(false);
    }
    let whole = match lease.name {
        "settlement" => overdue(hub, lease, now).await?,
        "points" => points_expiry::run(hub, lease, now).await?,
        _ => {
            let proving = proof::of_now(&hub.db, now);
            match while_beating(hub, lease, BEAT, proving).await {
                Some(proofs) => note(hub, &proofs?).await?,
                None => false,
            }
        }
    };
    if whole {
        let mut write = hub.db.write().await?;
        lease.done(&mut write, now).await?;
        write.commit().await?;
    }
    Ok(whole)
}

/// Matches every source again, which raises overdue payments; for an inactive source only carried items and lines come
/// up again. Returns false if another process continues with it.
async fn overdue(hub: &Hub, lease: &Lease<'_>, now: UtcMs) -> Result<bool, Failure> {
    let started = Instant::now();
    let mut read = hub.db.read().await?;
    let sources = source::all(&mut read).await?;
    drop(read);
    let mut whole = true;
    for found in sources {
        let mut write = hub.db.write().await?;
        let passed = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        if !lease.beat(&mut write, UtcMs(now.0.saturating_add(passed))).await? {
            return Ok(false);
        }
        write.commit().await?;
        if let Err(error) = matched(hub, &found.source_id, (now, lease.day)).await {
            tracing::warn!(
                source_id = found.source_id,
                ?error,
                "a source could not be matched by the nightly job yet"
            );
            whole = false;
        }
    }
    Ok(whole)
}

/// Matches one source; a failure does not affect the others.
async fn matched(hub: &Hub, source_id: &str, when: (UtcMs, Date)) -> Result<(), Failure> {
    let mut write = hub.db.write().await?;
    writer::take_turn(&mut write).await?;
    let locked = source::lock(&mut write, source_id).await?;
    if locked.state == source::State::Active {
        matching::run(&mut write, &locked, NewLines::default(), when).await?;
    } else {
        matching::ask_again(&mut write, source_id, when).await?;
    }
    write.commit().await?;
    Ok(())
}

async fn note(hub: &Hub, proofs: &Proofs) -> Result<bool, Failure> {
    let mut write = hub.db.write().await?;
    proof::note(&mut write, proofs).await?;
    write.commit().await?;
    Ok(true)
}

/// Does long work, with signs of life. `None` if another process has taken the job over.
pub async fn while_beating<T>(
    hub: &Hub,
    lease: &Lease<'_>,
    every: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    let beating = async {
        loop {
            tokio::time::sleep(every).await;
            match beat(hub, lease).await {
                Ok(true) => {}
                Ok(false) => return,
                // The lease lasts longer than one beat.
                Err(error) => {
                    tracing::warn!(name = lease.name, %error, "the heartbeat of a job could not be stored")
                }
            }
        }
    };
    tokio::select! {
        done = work => Some(done),
        () = beating => None,
    }
}

async fn beat(hub: &Hub, lease: &Lease<'_>) -> Result<bool, sqlx::Error> {
    let mut write = hub.db.write().await?;
    let kept = lease.beat(&mut write, clock::now()).await?;
    write.commit().await?;
    Ok(kept)
}
