//! Synchronisation (sync.md, *Calls*).

use super::{Answered, Request};
use crate::app::Hub;
use crate::failure::Failure;
use crate::feed::{self, Page};
use crate::ingest::batch::Batch;
use crate::ingest::push::Intake;
use crate::{ingest, secret, store};
use domain::sync::{Enrol, Hello, PullAnswer, Push};
use edge::page::LIMIT_DEFAULT;
use edge::{ApiError, Reply, clock};
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// The longest long poll, in seconds.
const WAIT_S_MAX: u64 = 60;
/// Stores that find the hub busy come back after 1 to this many seconds.
const BUSY_SPREAD_S: u64 = 10;

/// `POST /api/sync/enrol`
pub async fn enrol(request: Request) -> Answered {
    let ask: Enrol = request.json()?;
    let hub = &request.state;
    Ok(Reply::ok(&store::enrol::enrol(&hub.db, &hub.identity, &ask, clock::now()).await?))
}

/// `POST /api/sync/hello`
pub async fn hello(request: Request) -> Answered {
    let ask: Hello = request.json()?;
    let hub = &request.state;
    let store_id = request.caller()?.store_id.as_str();
    Ok(Reply::ok(&ingest::hello::hello(&hub.db, &hub.identity, store_id, &ask, clock::now()).await?))
}

/// `POST /api/sync/push`
pub async fn push(request: Request) -> Answered {
    let hub = &request.state;
    let Ok(_permit) = hub.batches.try_acquire() else {
        let after = secret::below(BUSY_SPREAD_S).saturating_add(1);
        return Err(ApiError::unavailable("too many batches at once", after));
    };
    let store_id = request.caller()?.store_id.as_str();
    let ask: Push = request.json()?;
    let owner = store_id.to_owned();
    // Reading and hashing a megabyte takes long enough to hold up whoever shares the thread.
    let read = tokio::task::spawn_blocking(move || Batch::read(ask, &owner));
    let batch = read.await.map_err(ApiError::internal)??;
    let intake = Intake { db: &hub.db, identity: &hub.identity, clock: &hub.clock };
    Ok(Reply::ok(&intake.push(store_id, &batch, clock::now()).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pull {
    cursor: Option<String>,
    limit: Option<usize>,
    wait: Option<u64>,
    lane: Option<String>,
}

/// `GET /api/sync/pull`: a page at once, or as soon as there is one.
pub async fn pull(request: Request) -> Answered {
    let ask: Pull = request.query()?;
    let limit = ask.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=feed::PAGE_MAX).contains(&limit) {
        return Err(ApiError::invalid_query("limit must be 1 to 500"));
    }
    let lane = match &ask.lane {
        None => feed::PRODUCTS,
        Some(name) => feed::LANES
            .into_iter()
            .find(|lane| lane == name)
            .ok_or_else(|| ApiError::invalid_query("there is no such lane"))?,
    };
    let wait = Duration::from_secs(ask.wait.unwrap_or(0).min(WAIT_S_MAX));
    let hub = &request.state;
    let page = next_page(hub, lane, ask.cursor.as_deref(), limit, wait).await?;
    Ok(Reply::ok(&PullAnswer {
        changes: page.changes,
        next_cursor: page.next_cursor,
        more: page.more,
        hub_generation: hub.identity.generation.clone(),
        hub_time: clock::now(),
    }))
}

async fn next_page(
    hub: &Hub,
    lane: &str,
    cursor: Option<&str>,
    limit: usize,
    wait: Duration,
) -> Result<Page, Failure> {
    let deadline = Instant::now() + wait;
    let mut height = hub.feed_height.subscribe();
    let mut stopping = hub.stopping.subscribe();
    loop {
        // Marked as seen before the page is read: a change in between wakes the wait below.
        height.borrow_and_update();
        let page = feed::read(hub.db.pool(), &hub.identity.generation, lane, cursor, limit).await?;
        if !page.changes.is_empty() || *stopping.borrow_and_update() {
            return Ok(page);
        }
        tokio::select! {
            changed = height.changed() => if changed.is_err() { return Ok(page) },
            _ = stopping.changed() => return Ok(page),
            () = tokio::time::sleep_until(deadline) => return Ok(page),
        }
    }
}
