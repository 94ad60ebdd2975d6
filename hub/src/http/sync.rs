//! Synchronisation (sync.md, *Calls*).

use super::{Answered, Request};
use crate::app::Hub;
use crate::failure::Failure;
use crate::feed::{self, Page};
use crate::ingest::batch::Batch;
use crate::ingest::push::Intake;
use crate::{ingest, secret, store};
use domain::sync::{Enrol, Enrolled, Hello, HelloAnswer, PullAnswer, Push, PushAnswer};
use edge::page::LIMIT_DEFAULT;
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// The longest long poll, in seconds.
const WAIT_S_MAX: u64 = 60;
/// Stores that find the hub busy come back after 1 to this many seconds.
const BUSY_SPREAD_S: u64 = 10;

const CHAINED: &str = "the protocol has its own exactly-once: records are numbered and chained";

/// `POST /api/sync/enrol`
pub const ENROL: Doc = Doc::of("Store protocol", "Enrol a store with its one-time token")
    .body::<Enrol>(
        r#"{"enrolment_token": "k3Jx0c8mQ1u5bZ7w", "store_id": "S001",
            "public_key": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "version": "0.1.0"}"#,
    )
    .answers::<Enrolled>(r#"{"hub_id": "hub_00a1b2c3", "hub_generation": "g1", "n": 0}"#)
    .unkeyed("the token is the key: the same store with the same public key gets the same answer again")
    .refuses(&[Code::InvalidToken, Code::StoreDisabled, Code::Duplicate]);
/// `POST /api/sync/hello`
pub const HELLO: Doc = Doc::of("Store protocol", "Begin a session")
    .body::<Hello>(
        r#"{"store_id": "S001", "epoch": "1-00a1b2c3d4e5f607", "lineage": [], "apart": false,
            "version": "0.1.0", "schema_max": 1, "cursor": null, "wall_clock": "2026-11-20T02:06:34.739Z",
            "backlog": {"pending": 0, "oldest_pending_at": null}}"#,
    )
    .answers::<HelloAnswer>(
        r#"{"directive": "ok", "n": 1, "heads": [], "hub_generation": "g1",
            "hub_time": "2026-11-20T02:06:34.739Z",
            "limits": {"batch_events": 500, "batch_bytes": 1048576, "event_bytes": 262144}}"#,
    )
    .unkeyed(CHAINED);
/// `POST /api/sync/push`
pub const PUSH: Doc = Doc::of("Store protocol", "Hand records in")
    .body_up_to::<Push>(
        super::PUSH_BODY_BYTES_MAX,
        r#"{"store_id": "S001", "sender_epoch": "1-00a1b2c3d4e5f607", "epoch": "1-00a1b2c3d4e5f607",
            "prev_hash": "5f0d8c6a1b7e4f2d9c3a8b6e5d4f7a1c2b3e4d5f6a7b8c9d0e1f2a3b4c5d6e7f", "events": [],
            "backlog": {"pending": 0, "oldest_pending_at": null}}"#,
    )
    .answers::<PushAnswer>(
        r#"{"epoch": "1-00a1b2c3d4e5f607", "acked_seq": 1042,
            "acked_hash": "5f0d8c6a1b7e4f2d9c3a8b6e5d4f7a1c2b3e4d5f6a7b8c9d0e1f2a3b4c5d6e7f",
            "stable_seq": 1000, "hub_generation": "g1", "duplicates": 0, "parked": [], "conflicts": [],
            "hub_time": "2026-11-20T02:06:34.739Z"}"#,
    )
    .unkeyed(CHAINED)
    .refuses(&[
        Code::StaleEpoch,
        Code::HelloFirst,
        Code::SequenceGap,
        Code::HistoryDiverged,
        Code::ChainBroken,
    ]);
/// `GET /api/sync/pull`
pub const PULL: Doc = Doc::of("Store protocol", "Read the feed, at once or as soon as there is more")
    .query::<Pull>()
    .answers::<PullAnswer>(
        r#"{"changes": [], "next_cursor": "g1.5012", "more": false, "hub_generation": "g1",
            "hub_time": "2026-11-20T02:06:34.739Z"}"#,
    )
    .refuses(&[Code::ResyncRequired]);

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

#[derive(Deserialize, JsonSchema)]
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
