//! Synchronisation (docs/protocol.md#calls).

use crate::config::Reach;
use crate::db::failure::Failure;
use crate::feed::wait::Wait;
use crate::feed::{self, Page, Reader};
use crate::http::{Answered, Request};
use crate::ingest::batch::Batch;
use crate::ingest::push::Intake;
use crate::office::warehouses::warehouse_inbox;
use crate::projection::orders;
use crate::state::hub::Hub;
use crate::store_api::enrol;
use crate::{ingest, secret, table};
use domain::model::base::time::UtcMs;
use domain::wire::feed::{Change, Coverage, PullAnswer, lane};
use domain::wire::sync::{
    Digest, DigestAnswer, Enrol, Enrolled, Hello, HelloAnswer, OwnAnswer, Push, PushAnswer, SnapshotAnswer,
};
use edge::page::{Cursor, LIMIT_DEFAULT};
use edge::request::HungUp;
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Most bytes of a push: 1 MiB of records, escaped once more, with their hashes.
const PUSH_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The longest long poll, in seconds.
const WAIT_S_MAX: u64 = 60;
/// Stores that find the hub busy come back after 1 to this many seconds.
const BUSY_SPREAD_S: u64 = 10;

const CHAINED: &str = "the protocol applies each record exactly once: records are numbered and chained";

pub const ENROL: Doc = Doc::of("Store protocol", "Enrol a store with its one-time token")
    .body::<Enrol>(
        r#"{"enrolment_token": "k3Jx0c8mQ1u5bZ7w", "store_id": "S001",
            "public_key": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "version": "0.1.0", "currency": "IDR"}"#,
    )
    .answers::<Enrolled>(r#"{"hub_id": "hub_00a1b2c3", "hub_generation": "g1", "n": 0}"#)
    .unkeyed("the token is the key: the same store with the same public key gets the same answer again")
    .refuses(&[Code::InvalidCredentials, Code::TokenExpired, Code::StoreDisabled, Code::Duplicate]);
pub const HELLO: Doc = Doc::of("Store protocol", "Begin a sync session")
    .body::<Hello>(
        r#"{"store_id": "S001", "epoch": "1-00a1b2c3d4e5f607", "lineage": [], "apart": false,
            "version": "0.1.0", "schema_max": 1, "cursor": null, "wall_clock": "2026-11-20T02:06:34.739Z",
            "backlog": {"pending": 0, "oldest_pending_at": null}, "day_start": "04:00",
            "timezone": "Asia/Jakarta", "currency": "IDR", "drill": null, "damage": null}"#,
    )
    .answers::<HelloAnswer>(
        r#"{"directive": "ok", "n": 1, "heads": [], "hub_generation": "g1",
            "hub_time": "2026-11-20T02:06:34.739Z",
            "limits": {"batch_events": 500, "batch_bytes": 1048576, "event_bytes": 262144}, "parked": [],
            "conflicts": []}"#,
    )
    .unkeyed(CHAINED);
pub const PUSH: Doc = Doc::of("Store protocol", "Push records to the hub")
    .body_up_to::<Push>(
        PUSH_BODY_BYTES_MAX,
        r#"{"store_id": "S001", "sender_epoch": "1-00a1b2c3d4e5f607", "epoch": "1-00a1b2c3d4e5f607",
            "prev_hash": "5f0d8c6a1b7e4f2d9c3a8b6e5d4f7a1c2b3e4d5f6a7b8c9d0e1f2a3b4c5d6e7f", "events": [],
            "backlog": {"pending": 0, "oldest_pending_at": null}}"#,
    )
    .answers::<PushAnswer>(
        r#"{"epoch": "1-00a1b2c3d4e5f607", "acked_seq": 1042,
            "acked_hash": "5f0d8c6a1b7e4f2d9c3a8b6e5d4f7a1c2b3e4d5f6a7b8c9d0e1f2a3b4c5d6e7f",
            "stable_seq": 1000, "hub_generation": "g1", "duplicates": 0, "parked": [], "conflicts": [], "versions": [],
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
pub const PULL: Doc = Doc::of("Store protocol", "Read the feed; waits for new records if there are none")
    .query::<Pull>()
    .answers::<PullAnswer>(
        r#"{"changes": [], "next_cursor": "g1.5012", "more": false, "hub_generation": "g1",
            "hub_time": "2026-11-20T02:06:34.739Z"}"#,
    )
    .refuses(&[Code::ResyncRequired]);

pub const SNAPSHOT: Doc = Doc::of("Store protocol", "Read every current record of a lane, page by page")
    .query::<SnapshotPage>()
    .answers::<SnapshotAnswer>(
        r#"{"changes": [], "next_page": null, "cursor": "g1.5012.00a1b2c3d4e5f607", "hub_generation": "g1",
            "hub_time": "2026-11-20T02:06:34.739Z"}"#,
    )
    .refuses(&[Code::ResyncRequired, Code::InvalidCursor]);
pub const HISTORY: Doc = Doc::of("Store protocol", "Read the store's own records back from the hub")
    .query::<Own>()
    .answers::<OwnAnswer>(
        r#"{"epoch": "1-00a1b2c3d4e5f607",
            "prev_hash": "0000000000000000000000000000000000000000000000000000000000000000", "events": [],
            "more": false, "head": {"epoch": "1-00a1b2c3d4e5f607", "seq": 0,
                "hash": "0000000000000000000000000000000000000000000000000000000000000000", "stable_seq": 0},
            "holes": [], "hub_generation": "g1", "hub_time": "2026-11-20T02:06:34.739Z"}"#,
    )
    .refuses(&[Code::NotFound]);
pub const DIGEST: Doc =
    Doc::of("Store protocol", "Compare the store's and the hub's digests of a business day")
        .body::<Digest>(
            r#"{"business_date": "2026-11-20", "heads": [{"epoch": "1-00a1b2c3d4e5f607", "seq": 1042,
            "hash": "5f0d8c6a1b7e4f2d9c3a8b6e5d4f7a1c2b3e4d5f6a7b8c9d0e1f2a3b4c5d6e7f"}],
            "types": {"transaction.paid": {"count": 812, "total": 91435997}}}"#,
        )
        .answers::<DigestAnswer>(
            r#"{"result": "match", "parked": 0, "first_difference": null, "hub_generation": "g1",
            "hub_time": "2026-11-20T02:06:34.739Z"}"#,
        )
        .unkeyed("it changes only the stored result of the comparison");

/// `POST /api/sync/enrol`
pub async fn enrol(request: Request) -> Answered {
    let ask: Enrol = request.json()?;
    let hub = &request.state;
    Ok(Reply::ok(&enrol::enrol(&hub.db, &hub.identity, &ask, hub.reach, clock::now()).await?))
}

/// `POST /api/sync/hello`
pub async fn hello(request: Request) -> Answered {
    let ask: Hello = request.json()?;
    let hub = &request.state;
    let store_id = request.caller()?.store_id.as_str();
    let from = ingest::hello::Sender { store_id, peer: request.peer.ip() };
    Ok(Reply::ok(&ingest::hello::hello(&hub.db, &hub.identity, from, &ask, clock::now()).await?))
}

/// `POST /api/sync/push`
pub async fn push(request: Request) -> Answered {
    let hub = &request.state;
    let Some(_place) = hub.batches.enter() else {
        let after = secret::below(BUSY_SPREAD_S).saturating_add(1);
        return Err(ApiError::unavailable("too many batches at once", after).into());
    };
    let store_id = request.caller()?.store_id.as_str();
    let ask: Push = request.json_but("record")?;
    let owner = store_id.to_owned();
    // Reading and hashing a megabyte takes long enough to hold up other tasks on the thread.
    let read = tokio::task::spawn_blocking(move || Batch::read(ask, &owner));
    let batch = read.await.map_err(ApiError::internal)??;
    let intake = Intake { db: &hub.db, identity: &hub.identity, clock: &hub.clock };
    let pushed = intake.push(store_id, &batch, clock::now()).await?;
    let answer = pushed.answer;
    if pushed.announced {
        hub.wake_stores().await;
    }
    // After the commit and before the answer: what a store was answered is known outside of the database.
    hub.cursors.note(store_id, &answer.epoch, answer.acked_seq).map_err(ApiError::internal)?;
    // Records that waited for this batch are tried again later too: a failure does not delay the answer.
    if let Err(error) = ingest::replay::waiting(hub, &pushed.moved).await {
        tracing::warn!(%error, "what waited for this batch could not be tried again");
    }
    warehouse_inbox::take_in(hub, &pushed.moved).await;
    Ok(Reply::ok(&answer))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pull {
    /// Cursor of the last change that the store has; omitted to read the feed from its start.
    cursor: Option<String>,
    /// Maximum number of changes, 1–500.
    limit: Option<usize>,
    /// Seconds to wait for a change if there is none, at most 60. Defaults to 0.
    wait: Option<u64>,
    /// Lane of the feed: `users`, `prices`, `members` or `rest`. Defaults to `rest`.
    lane: Option<String>,
}

/// `GET /api/sync/pull`: a page at once, or as soon as there is one.
pub async fn pull(request: Request) -> Answered {
    let ask: Pull = request.query()?;
    let limit = page_limit(ask.limit, LIMIT_DEFAULT)?;
    let lane = lane_of(ask.lane.as_deref())?;
    let wait = Duration::from_secs(ask.wait.unwrap_or(0).min(WAIT_S_MAX));
    let hub = &request.state;
    let store_id = request.caller()?.store_id.as_str();
    let reader = Reader { db: &hub.db, generation: &hub.identity.generation, store_id };
    hub.seen.note(store_id, clock::now());
    let asked = (lane, ask.cursor.as_deref(), limit, wait);
    let page = next_page(hub, &reader, asked, &request.hung_up).await?;
    table::store::may_hear(hub.db.pool(), store_id).await?;
    // A store that continues from a position has everything before it.
    let reached = ask.cursor.as_deref().and_then(|cursor| reader.number(cursor));
    if let Some(number) = reached.filter(|_| lane == lane::REST) {
        orders::heard(&hub.db, store_id, number).await?;
    }
    Ok(Reply::ok(&Pulled {
        changes: Shared(&page.changes),
        next_cursor: &page.next_cursor,
        more: page.more,
        coverage: &page.coverage,
        hub_generation: &hub.identity.generation,
        hub_time: clock::now(),
    }))
}

fn page_limit(asked: Option<usize>, default: usize) -> Result<usize, ApiError> {
    match asked.unwrap_or(default) {
        limit if (1..=feed::PAGE_MAX).contains(&limit) => Ok(limit),
        _ => Err(ApiError::invalid_query("limit", "must be 1 to 500")),
    }
}

/// Without a name: the lane of products.
fn lane_of(name: Option<&str>) -> Result<&'static str, ApiError> {
    let unknown = || ApiError::invalid_query("lane", "must be users, prices, members or rest");
    name.map_or(Ok(lane::REST), |name| feed::lane(name).ok_or_else(unknown))
}

/// [`PullAnswer`] of changes that other answers have too.
#[derive(Serialize)]
struct Pulled<'a> {
    changes: Shared<'a>,
    next_cursor: &'a str,
    more: bool,
    #[serde(flatten)]
    coverage: &'a Coverage,
    hub_generation: &'a str,
    hub_time: UtcMs,
}

struct Shared<'a>(&'a [Arc<Change>]);

impl Serialize for Shared<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Arc::as_ref))
    }
}

/// A page at once, or as soon as a change concerns the store. A wait reads nothing until then.
async fn next_page(
    hub: &Hub,
    reader: &Reader<'_>,
    (lane, cursor, limit, wait): (&str, Option<&str>, usize, Duration),
    hung_up: &HungUp,
) -> Result<Page, Failure> {
    let known = cursor.and_then(|cursor| Some((cursor, reader.number(cursor)?)));
    let Some(mut waiting) = hub.waits.enter(lane, reader.store_id).filter(|_| !wait.is_zero()) else {
        return reader.page(lane, cursor, limit).await;
    };
    let mut stopping = hub.stopping.subscribe();
    let deadline = Instant::now() + wait;
    let mut last = match known {
        Some((cursor, number)) if waiting.gave(cursor) && waiting.due() <= number => {
            unchanged(cursor, number)
        }
        _ => reader.page(lane, cursor, limit).await?,
    };
    while last.changes.is_empty() && !last.more && !*stopping.borrow_and_update() {
        tokio::select! {
            () = waiting.past(last.until) => last = woken(hub, reader, lane, (cursor, limit), &waiting).await?,
            _ = stopping.changed() => {}
            // The caller is gone: the page is not read.
            () = hung_up.wait() => break,
            () = tokio::time::sleep_until(deadline) => {
                // Changes for other stores only: the cursor must not grow old.
                if waiting.is_behind(last.until) {
                    last = reader.page(lane, cursor, limit).await?;
                }
                break;
            }
        }
    }
    waiting.gives(&last.next_cursor);
    Ok(last)
}

/// The page of a store whose wait has ended.
async fn woken(
    hub: &Hub,
    reader: &Reader<'_>,
    lane: &str,
    (cursor, limit): (Option<&str>, usize),
    waiting: &Wait<'_>,
) -> Result<Page, Failure> {
    let (for_all, due) = (waiting.for_all(), waiting.due());
    // Each store has met different members: none of these reads is shared.
    let shared = lane != lane::MEMBERS || hub.reach == Reach::All;
    let before = |cursor: &&str| reader.number(cursor).is_some_and(|number| for_all > number);
    if let Some(cursor) = cursor.filter(|cursor| shared && before(cursor)) {
        let page = hub.tails.page(reader, lane, (cursor, limit), for_all).await?;
        // Changes for this store alone may have come after that read.
        if page.until >= due {
            return Ok(page);
        }
    }
    reader.page(lane, cursor, limit).await
}

/// A page without changes after a cursor that the store has.
fn unchanged(cursor: &str, number: i64) -> Page {
    let (changes, coverage) = (Vec::new(), Coverage::default());
    Page { changes, next_cursor: cursor.to_owned(), until: number, more: false, coverage }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SnapshotPage {
    /// Lane of the feed: `users`, `prices`, `members` or `rest`. Defaults to `rest`.
    lane: Option<String>,
    page: Option<Cursor>,
    /// Maximum number of records, 1–500.
    limit: Option<usize>,
}

/// `GET /api/sync/snapshot`
pub async fn snapshot(request: Request) -> Answered {
    let ask: SnapshotPage = request.query()?;
    let limit = page_limit(ask.limit, feed::PAGE_MAX)?;
    let lane = lane_of(ask.lane.as_deref())?;
    let hub = &request.state;
    let store_id = request.caller()?.store_id.as_str();
    let reader = Reader { db: &hub.db, generation: &hub.identity.generation, store_id };
    let snapshot = feed::snapshot(&reader, lane, ask.page.as_ref(), limit).await?;
    table::store::may_hear(hub.db.pool(), store_id).await?;
    let changes = snapshot.changes.iter().map(|change| (**change).clone()).collect();
    Ok(Reply::ok(&SnapshotAnswer {
        changes,
        next_page: snapshot.next_page,
        cursor: snapshot.cursor,
        coverage: snapshot.coverage,
        hub_generation: hub.identity.generation.clone(),
        hub_time: clock::now(),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Own {
    /// Epoch of the records.
    epoch: String,
    /// Only records after this sequence number; 0 for all records.
    #[serde(default)]
    after: u64,
}

/// `GET /api/sync/own`
pub async fn history(request: Request) -> Answered {
    let ask: Own = request.query()?;
    let hub = &request.state;
    let store_id = request.caller()?.store_id.as_str();
    let of = (store_id, ask.epoch.as_str());
    let answer =
        ingest::history_download::records(&hub.db, &hub.identity, of, ask.after, clock::now()).await?;
    table::store::may_hear(hub.db.pool(), store_id).await?;
    Ok(Reply::ok(&answer))
}

/// `POST /api/sync/digest`
pub async fn digest(request: Request) -> Answered {
    let ask: Digest = request.json()?;
    let hub = &request.state;
    let store_id = request.caller()?.store_id.as_str();
    Ok(Reply::ok(&ingest::digest::digest(&hub.db, &hub.identity, store_id, &ask, clock::now()).await?))
}
