//! Tries parked records again: after a fix or an upgrade, or when the records that they wait for have arrived. A record
//! that still can't be applied is not dropped: it stays parked, with the present reason.

use crate::db::again::Again;
use crate::db::column::time_zone;
use crate::db::failure::Failure;
use crate::db::{Write, signed};
use crate::ingest::apply::{self, BatchContext};
use crate::ingest::park::{self, ParkedKey, WAITS_FOR_PREDECESSOR};
use crate::ingest::replaced;
use crate::ingest::wanted::{Wanted, Which};
use crate::projection::envelope::{Incoming, Problem};
use crate::projection::fold::Projection;
use crate::projection::lock_order;
use crate::state::hub::Hub;
use crate::table::epoch::number;
use crate::table::record::text;
use crate::{columns, secret};
use domain::rules::hub::sync::parking;
use domain::rules::hub::sync::parking::{Before, Case, Verdict};
use domain::wire::sync::PushEvent;
use edge::clock;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{AnyPool, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Records of one transaction.
const CHUNK: usize = 100;

/// Result of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(rename = "Replayed")]
pub struct Replayed {
    /// Number of records that are now applied.
    pub applied: u64,
    /// Number of records that the hub already had.
    pub duplicates: u64,
    /// Number of records that stay parked.
    pub parked: u64,
}

impl Replayed {
    fn join(&mut self, more: Self) {
        self.applied = self.applied.saturating_add(more.applied);
        self.duplicates = self.duplicates.saturating_add(more.duplicates);
        self.parked = self.parked.saturating_add(more.parked);
    }
}

/// Tries a store's parked records again, in the order of its history.
///
/// # Errors
/// A database error; records that were applied before stay applied.
pub async fn replay(hub: &Hub, store_id: &str, which: &Which) -> Result<Replayed, Failure> {
    let keys = keys(hub.db.pool(), store_id, which).await?;
    let mut replay = Replay { hub, store_id, blocked: BTreeSet::new(), done: Replayed::default() };
    let mut moved = BTreeSet::new();
    for chunk in keys.chunks(CHUNK) {
        let (mut again, blocked) = (Again::default(), replay.blocked.clone());
        moved.extend(loop {
            match replay.chunk(chunk).await {
                // The attempt was rolled back, so the records that it found to be held up
                // are forgotten too.
                Err(failure) if again.after(&failure).await => replay.blocked.clone_from(&blocked),
                moved => break moved?,
            }
        });
    }
    if replay.done.applied > 0 {
        hub.wake_stores().await;
    }
    tracing::info!(store_id, applied = replay.done.applied, parked = replay.done.parked, "replayed");
    // Records that waited for these, here or at another store; this ends when no further record is applied. The applied
    // records are committed: failing to try others does not fail this call.
    if let Err(error) = Box::pin(waiting(hub, &moved)).await {
        tracing::warn!(store_id, %error, "records that waited for replayed records could not be retried");
    }
    Ok(replay.done)
}

/// Tries the records that waited for these aggregates, at every store.
///
/// # Errors
/// A database error, once the other stores were tried.
pub async fn waiting(hub: &Hub, moved: &BTreeSet<String>) -> Result<(), Failure> {
    if moved.is_empty() {
        return Ok(());
    }
    each(hub, WAITS_FOR_PREDECESSOR, Some(moved)).await?;
    Ok(())
}

/// Tries all records that are parked for this reason, at every store.
///
/// # Errors
/// A database error, once every store was tried.
pub async fn of_code(hub: &Hub, code: &str) -> Result<Replayed, Failure> {
    each(hub, code, None).await
}

/// Tries, store by store, the records that are parked for this reason, of these aggregates or of all; returns the
/// result.
async fn each(hub: &Hub, code: &str, of: Option<&BTreeSet<String>>) -> Result<Replayed, Failure> {
    let sql = "SELECT store_id, parked_id, aggregate FROM parked WHERE code = $1";
    let mut stores: BTreeMap<String, Wanted> = BTreeMap::new();
    for row in sqlx::query(sql).bind(code).fetch_all(hub.db.pool()).await? {
        let (store_id, parked_id, aggregate): (String, String, Option<String>) =
            columns!(row => (store_id, parked_id, aggregate));
        let named =
            |of: &BTreeSet<String>| aggregate.as_ref().is_some_and(|aggregate| of.contains(aggregate));
        if of.is_none_or(named) {
            stores.entry(store_id).or_default().add(parked_id, aggregate);
        }
    }
    let (mut all, mut failed) = (Replayed::default(), None);
    for (store_id, wanted) in stores {
        match replay(hub, &store_id, &Which::These(wanted)).await {
            Ok(done) => all.join(done),
            Err(error) => failed = Some(noted(&store_id, error)),
        }
    }
    failed.map_or(Ok(all), Err)
}

/// One store's failure does not keep the others waiting.
fn noted(store_id: &str, error: Failure) -> Failure {
    tracing::warn!(store_id, %error, "a store's parked records could not be retried");
    error
}

/// Retries all waiting records: the process that should have triggered the retry may have been stopped.
pub async fn overdue(hub: &Hub) -> Result<(), Failure> {
    let sql = "SELECT DISTINCT aggregate FROM parked WHERE code = $1 AND aggregate IS NOT NULL";
    let query = sqlx::query_scalar(sql).bind(WAITS_FOR_PREDECESSOR);
    let aggregates: Vec<String> = query.fetch_all(hub.db.pool()).await?;
    waiting(hub, &aggregates.into_iter().collect()).await
}

/// Tries every parked record of every store: another version of this program may understand more. Does nothing once
/// that has succeeded.
///
/// # Errors
/// A database error, once every store was tried: then it has to be called again.
pub async fn after_upgrade(hub: &Hub) -> Result<(), Failure> {
    let sql = "SELECT COUNT(*) FROM hub WHERE version = $1";
    let version = edge::VERSION;
    let same: i64 = sqlx::query_scalar(sql).bind(version).fetch_one(hub.db.pool()).await?;
    if same > 0 {
        return Ok(());
    }
    let sql = "SELECT DISTINCT store_id FROM parked ORDER BY store_id";
    let stores: Vec<String> = sqlx::query_scalar(sql).fetch_all(hub.db.pool()).await?;
    let mut failed = None;
    for store_id in &stores {
        if let Err(error) = replay(hub, store_id, &Which::All).await {
            failed = Some(noted(store_id, error));
        }
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let mut write = hub.db.write().await?;
    let sql = "UPDATE hub SET version = $1 WHERE singleton = 1";
    sqlx::query(sql).bind(version).execute(&mut **write).await?;
    Ok(write.commit().await?)
}

async fn keys(pool: &AnyPool, store_id: &str, which: &Which) -> Result<Vec<ParkedKey>, sqlx::Error> {
    let sql = "SELECT parked_id, epoch, seq, aggregate FROM parked WHERE store_id = $1";
    let mut keys = Vec::new();
    for row in sqlx::query(sql).bind(store_id).fetch_all(pool).await? {
        let key = columns!(row => ParkedKey { parked_id, epoch, seq, aggregate });
        let wanted = match which {
            Which::All => true,
            Which::These(wanted) => wanted.has(&key.parked_id, key.aggregate.as_deref()),
        };
        if wanted {
            keys.push(key);
        }
    }
    keys.sort_by_key(|key| (number(&key.epoch), key.seq));
    Ok(keys)
}

struct Replay<'a> {
    hub: &'a Hub,
    store_id: &'a str,
    /// Aggregates with an earlier record that stays parked.
    blocked: BTreeSet<String>,
    done: Replayed,
}

/// Result of a record.
enum ReplayOutcome {
    Applied(crate::projection::announce::FeedUpdates),
    Duplicate,
    Parked(Problem),
}

impl Replay<'_> {
    /// Some records in one transaction, with the store's row locked as by a push.
    async fn chunk(&mut self, keys: &[ParkedKey]) -> Result<BTreeSet<String>, Failure> {
        let now = clock::now();
        let mut write = self.hub.db.write().await?;
        let sql = "UPDATE stores SET contacted_at = contacted_at WHERE store_id = $1 RETURNING timezone";
        let zone: String = sqlx::query_scalar(sql).bind(self.store_id).fetch_one(&mut **write).await?;
        let zone = time_zone(&zone)?;
        let (mut later, mut moved) = (crate::projection::announce::FeedUpdates::default(), BTreeSet::new());
        let mut done = self.done;
        let mut loaded = Vec::with_capacity(keys.len());
        for key in keys {
            loaded.extend(self.load(&mut write, key).await?.map(|(event, stamp)| (key, event, stamp)));
        }
        lock_order::lock(&mut write, self.store_id, loaded.iter().map(|(_, event, _)| event)).await?;
        for (key, event, stamp) in loaded {
            let place = BatchContext {
                store_id: self.store_id,
                epoch: &key.epoch,
                zone: &zone,
                clock: &self.hub.clock,
                now,
            };
            match self.judge(&mut write, &place, key, &event, &stamp).await? {
                ReplayOutcome::Applied(more) => {
                    later.join(more);
                    apply::log(&mut later, &place, &event);
                    moved.extend(event.aggregate.clone());
                    park::settle(&mut write, self.store_id, key, "applied").await?;
                    let corrected = replaced::of(&event);
                    let settled =
                        replaced::settle(&mut write, (self.store_id, now), corrected.as_slice()).await?;
                    let tried = |key: &ParkedKey| keys.iter().any(|tried| tried.parked_id == key.parked_id);
                    let no_longer = settled.iter().filter(|key| tried(key)).count() as u64;
                    done.parked = done.parked.saturating_sub(no_longer);
                    done.applied = done.applied.saturating_add(1);
                }
                ReplayOutcome::Duplicate => {
                    park::settle(&mut write, self.store_id, key, "duplicate").await?;
                    done.duplicates = done.duplicates.saturating_add(1);
                }
                ReplayOutcome::Parked(problem) => {
                    self.keep(&mut write, key, &event, &problem).await?;
                    done.parked = done.parked.saturating_add(1);
                }
            }
        }
        later.announce(&mut write, now).await?;
        write.commit_change().await?;
        self.done = done;
        Ok(moved)
    }

    /// The raw record and the stamp that counts for it. `None` if another process was quicker.
    async fn load(&self, write: &mut Write, key: &ParkedKey) -> Result<Option<(Incoming, String)>, Failure> {
        let sql = "SELECT r.hash, r.record, r.encoding, r.effective_at FROM records r JOIN parked p \
                   ON p.store_id = r.store_id AND p.epoch = r.epoch AND p.seq = r.seq \
                   WHERE r.store_id = $1 AND r.epoch = $2 AND r.seq = $3";
        let query = sqlx::query(sql).bind(self.store_id).bind(&key.epoch).bind(signed(key.seq));
        let Some(row) = query.fetch_optional(&mut ***write).await? else { return Ok(None) };
        let hash = row.try_get("hash")?;
        let event = Incoming::read(PushEvent { seq: key.seq, hash, record: text(&row)? }, self.store_id);
        let stamp: Option<String> = row.try_get("effective_at")?;
        Ok(Some((event, stamp.unwrap_or_default())))
    }

    async fn judge(
        &self,
        write: &mut Write,
        place: &BatchContext<'_>,
        key: &ParkedKey,
        event: &Incoming,
        stamp: &str,
    ) -> Result<ReplayOutcome, Failure> {
        let case = Case {
            before: self.before(write, place, key, event).await?,
            behind: event.aggregate.as_ref().is_some_and(|of| self.blocked.contains(of)),
            understood: event.understood.is_ok(),
            complete: self.complete(write, event).await?,
        };
        let effect = match (parking::judge(case), &event.understood) {
            (Verdict::Apply, Ok(effect)) => effect,
            (Verdict::Apply, Err(problem)) => return Ok(ReplayOutcome::Parked(problem.clone())),
            (Verdict::Duplicate, _) => return Ok(ReplayOutcome::Duplicate),
            (Verdict::Park(why), _) => return Ok(ReplayOutcome::Parked(park::problem(why, event))),
        };
        let event_id = event.event_id.as_deref().unwrap_or_default();
        let projection = Projection::new(place.store_id, place.zone);
        match apply::effects(write, place, projection, (event_id, stamp, effect)).await? {
            Ok(later) => Ok(ReplayOutcome::Applied(later)),
            Err(problem) => Ok(ReplayOutcome::Parked(problem)),
        }
    }

    /// An event that arrived at another place meanwhile is a duplicate, or can no longer be distinguished.
    async fn before(
        &self,
        write: &mut Write,
        place: &BatchContext<'_>,
        key: &ParkedKey,
        event: &Incoming,
    ) -> Result<Before, Failure> {
        let Some(event_id) = &event.event_id else { return Ok(Before::Nothing) };
        let text_hash = secret::digest(&event.record);
        let sql = "SELECT text_hash, epoch, seq FROM events WHERE store_id = $1 AND event_id = $2";
        let query = sqlx::query(sql).bind(self.store_id).bind(event_id);
        let Some(row) = query.fetch_optional(&mut ***write).await? else {
            apply::register(write, place, event).await?;
            return Ok(Before::Nothing);
        };
        let (reported, epoch, seq): (String, String, u64) = columns!(row => (text_hash, epoch, seq));
        let own = epoch == key.epoch && seq == key.seq;
        let same = reported == text_hash;
        if own {
            apply::count_anew(write, self.store_id, event).await?;
        }
        Ok(match (own, same) {
            (true, _) => Before::Nothing,
            (false, true) => Before::SameText,
            (false, false) => Before::OtherText,
        })
    }

    async fn complete(&self, write: &mut Write, event: &Incoming) -> Result<bool, Failure> {
        let Some(needs) = event.needs() else {
            return Ok(true);
        };
        let known = park::known(write, self.store_id, std::slice::from_ref(event)).await?;
        Ok(known.contains(needs))
    }

    /// Keeps the record parked, with the present reason.
    async fn keep(
        &mut self,
        write: &mut Write,
        key: &ParkedKey,
        event: &Incoming,
        problem: &Problem,
    ) -> Result<(), Failure> {
        let blocking = park::holds_up(problem);
        if blocking {
            self.blocked.extend(event.aggregate.clone());
        }
        let sql = "UPDATE parked SET code = $2, message = $3, blocking = $4, event_id = $5, kind = $6, \
                   aggregate = $7, member_id = $8 WHERE parked_id = $1";
        let query = sqlx::query(sql).bind(&key.parked_id).bind(problem.code);
        let query = query.bind(problem.message.replace('\0', "")).bind(i64::from(blocking));
        let query = query.bind(event.event_id.clone().unwrap_or_default()).bind(&event.kind);
        let query = query.bind(event.aggregate.clone()).bind(event.member.clone());
        query.execute(&mut ***write).await?;
        Ok(())
    }
}

/// The store of a parked record, and the records that are tried with it: all of its aggregate.
pub async fn find(pool: &AnyPool, parked_id: &str) -> Result<Option<(String, Which)>, sqlx::Error> {
    let sql = "SELECT store_id, aggregate FROM parked WHERE parked_id = $1";
    let row = sqlx::query(sql).bind(parked_id).fetch_optional(pool).await?;
    row.map(|row| {
        let (store_id, aggregate): (String, Option<String>) = columns!(row => (store_id, aggregate));
        let mut wanted = Wanted::default();
        wanted.add(parked_id.to_owned(), aggregate);
        Ok((store_id, Which::These(wanted)))
    })
    .transpose()
}
