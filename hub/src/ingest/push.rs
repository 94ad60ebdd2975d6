//! Push: a batch of records is processed in one SQL transaction, and acknowledged after its commit
//! (docs/protocol.md#push).

use crate::db::column::time_zone;
use crate::db::failure::{Failure, is_of_statement};
use crate::db::{Db, Write, signed};
use crate::ingest::apply::{self, BatchContext, Outcome};
use crate::ingest::batch::Batch;
use crate::ingest::lock::{Locked, lock};
use crate::ingest::park;
use crate::ingest::skew;
use crate::projection::envelope::{OUT_OF_BOUNDS, RECORD_TOO_LARGE};
use crate::table::epoch::{self, Cursor};
use crate::table::hub::Identity;
use crate::table::record::hash_at;
use crate::table::{alarm, exception};
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc::Clock;
use domain::rules::hub::sync::rules;
use domain::rules::hub::sync::rules::Seen;
use domain::wire::sync::{Parked, PushAnswer};
use edge::ApiError;
use serde_json::json;
use sqlx::AssertSqlSafe;
use std::collections::BTreeSet;
use std::mem::take;
use std::sync::Mutex;

/// Way in which the records of a batch are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// In a few statements.
    Whole,
    /// Each under a savepoint, after a statement of the whole batch failed.
    OneByOne,
}

/// Parts of the hub that a push needs.
pub struct Intake<'a> {
    pub db: &'a Db,
    /// Identity of the hub.
    pub identity: &'a Identity,
    /// The hub's hybrid clock.
    pub clock: &'a Mutex<Clock>,
}

impl Intake<'_> {
    /// Processes a batch. A batch that is sent again changes nothing.
    ///
    /// # Errors
    /// 409 `hello_first`, `stale_epoch`, `sequence_gap`, `history_diverged`, 422 `chain_broken`, 403
    /// `store_disabled`: nothing was changed.
    pub async fn push(&self, store_id: &str, batch: &Batch, now: UtcMs) -> Result<Pushed, Failure> {
        match self.attempt(store_id, batch, now, Mode::Whole).await {
            Err(Failure::Sql(error)) if is_of_statement(&error) => {
                tracing::warn!(store_id, %error, "a statement of a batch failed: its records are applied one by one");
                self.attempt(store_id, batch, now, Mode::OneByOne).await
            }
            answer => answer,
        }
    }

    async fn attempt(
        &self,
        store_id: &str,
        batch: &Batch,
        now: UtcMs,
        mode: Mode,
    ) -> Result<Pushed, Failure> {
        let mut write = self.db.write().await?;
        let store = lock(&mut write, self.identity, store_id, now).await?;
        let mut cursor = admitted(&mut write, &store, batch).await?;
        let first_of_epoch = cursor.seq == 0 && store.current_epoch.as_deref() == Some(&batch.epoch);
        note_hole(&mut write, &store, batch, &mut cursor, now).await?;
        let skipped = match seen_before(&mut write, &store, batch, &cursor).await {
            Err(Failure::Refused(refusal)) if refusal.code == edge::Code::HistoryDiverged => {
                // The batch is rolled back; the alarm stays.
                let message = format!("epoch {}: {}", batch.epoch, refusal.message);
                alarm::raise(&mut write, store_id, alarm::DIVERGED, &message, now).await?;
                write.commit().await?;
                return Err(refusal.into());
            }
            skipped => skipped?,
        };
        let zone = time_zone(&store.timezone)?;
        let place = BatchContext { store_id, epoch: &batch.epoch, zone: &zone, clock: self.clock, now };
        let fresh = batch.events.get(skipped..).unwrap_or_default();
        let outcome = match (fresh, mode) {
            ([], _) => Outcome::default(),
            (_, Mode::Whole) => apply::whole(&mut write, &place, fresh).await?,
            (_, Mode::OneByOne) => apply::one_by_one(&mut write, &place, fresh).await?,
        };
        if first_of_epoch && !fresh.is_empty() {
            exception::note_interrupted(&mut write, store_id, &batch.epoch, now).await?;
        }
        let (acked_seq, acked_hash) =
            fresh.last().map_or_else(|| (cursor.seq, cursor.hash), |last| (last.seq, last.hash.clone()));
        advance(&mut write, &store, batch, acked_seq, &acked_hash, now).await?;
        let Outcome { duplicates, mut parked, mut later, moved, stamps, .. } = outcome;
        let (conflicts, versions) = (take(&mut later.conflicts), take(&mut later.versions));
        raise_alarms(&mut write, store_id, &parked, now).await?;
        if store.current_epoch.as_deref() == Some(&batch.epoch) {
            skew::note_stamps(&mut write, store_id, stamps, now).await?;
        }
        let announced = later.announce(&mut write, now).await?;
        // The answer that named them may not have arrived.
        let again = batch.events.get(..skipped).unwrap_or_default();
        parked.extend(park::among(&mut write, (store_id, &batch.epoch), again).await?);
        write.commit_change().await?;
        let answer = PushAnswer {
            epoch: batch.epoch.clone(),
            acked_seq,
            acked_hash,
            stable_seq: cursor.stable_seq,
            hub_generation: self.identity.generation.clone(),
            duplicates: duplicates.saturating_add(skipped as u64),
            parked,
            conflicts,
            versions,
            hub_time: now,
        };
        Ok(Pushed { answer, announced, moved })
    }
}

/// Result of a batch that was processed.
pub struct Pushed {
    /// Answer that is sent to the store.
    pub answer: PushAnswer,
    /// Whether the feed has new changes.
    pub announced: bool,
    /// Aggregates of the records that were applied.
    pub moved: BTreeSet<String>,
}

/// Raises alarms for parked records that no sound store sends: with a used event ID, or out of bounds.
async fn raise_alarms(
    write: &mut Write,
    store_id: &str,
    parked: &[Parked],
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    for (code, raised) in [
        (alarm::REUSED, alarm::REUSED),
        (OUT_OF_BOUNDS, alarm::OUT_OF_BOUNDS),
        (RECORD_TOO_LARGE, alarm::OUT_OF_BOUNDS),
    ] {
        if let Some(parked) = parked.iter().find(|parked| parked.code == code) {
            let message = format!("event {}: {}", parked.event_id, parked.message);
            alarm::raise(write, store_id, raised, &message, now).await?;
        }
    }
    Ok(())
}

/// Checks that the sender is the current copy of the store, which may push any epoch of its lineage. Returns the cursor
/// of the batch's epoch.
async fn admitted(write: &mut Write, store: &Locked, batch: &Batch) -> Result<Cursor, Failure> {
    let current = store.current_epoch.as_deref();
    let is_current = current == Some(&batch.sender_epoch);
    let heard = is_current || cursor(write, store, &batch.sender_epoch).await?.is_some();
    match rules::admitted(current, &batch.sender_epoch, heard) {
        Ok(()) => {}
        Err("stale_epoch") => {
            let message = "another copy of this store writes a newer epoch";
            return Err(ApiError::new(edge::Code::StaleEpoch, message).into());
        }
        Err(_) => return Err(hello_first().into()),
    }
    cursor(write, store, &batch.epoch).await?.ok_or_else(|| hello_first().into())
}

fn hello_first() -> ApiError {
    ApiError::new(edge::Code::HelloFirst, "the store must send a hello for this epoch first")
}

async fn cursor(write: &mut Write, store: &Locked, name: &str) -> Result<Option<Cursor>, sqlx::Error> {
    let sql = format!("SELECT {} FROM epochs WHERE store_id = $1 AND epoch = $2", epoch::COLUMNS);
    let query = sqlx::query(AssertSqlSafe(sql)).bind(&store.store_id).bind(name);
    let row = query.fetch_optional(&mut ***write).await?;
    Ok(row.as_ref().map(epoch::read).transpose()?.map(|(_, cursor)| cursor))
}

/// Notes that records are lost: the store was asked to continue after records that it no longer has, and its first
/// record follows the gap.
async fn note_hole(
    write: &mut Write,
    store: &Locked,
    batch: &Batch,
    cursor: &mut Cursor,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let first = batch.events.first().map(|event| event.seq).filter(|_| batch.whole);
    let Some((from, to)) = rules::hole(cursor.seq, cursor.resume_seq, first) else { return Ok(()) };
    let sql = "INSERT INTO holes (store_id, epoch, from_seq, to_seq, hash, found_at) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    let query = sqlx::query(sql).bind(&store.store_id).bind(&batch.epoch).bind(signed(from));
    let query = query.bind(signed(to)).bind(&batch.prev_hash).bind(now.0);
    query.execute(&mut ***write).await?;
    let message = format!("records {from} to {to} of epoch {} are lost", batch.epoch);
    alarm::raise(write, &store.store_id, alarm::HOLE, &message, now).await?;
    let sql = "UPDATE epochs SET resume_seq = 0 WHERE store_id = $1 AND epoch = $2";
    sqlx::query(sql).bind(&store.store_id).bind(&batch.epoch).execute(&mut ***write).await?;
    *cursor = Cursor { seq: to, hash: batch.prev_hash.clone(), resume_seq: 0, ..cursor.clone() };
    Ok(())
}

/// Number of the batch's first records that the hub has with the same hashes.
async fn seen_before(
    write: &mut Write,
    store: &Locked,
    batch: &Batch,
    cursor: &Cursor,
) -> Result<usize, Failure> {
    if !batch.whole {
        return Err(ApiError::new(edge::Code::ChainBroken, "the records do not follow one another").into());
    }
    let reported = batch.events.iter().map(|event| (event.seq, event.hash.as_str()));
    let seen = rules::seen(cursor.seq, &batch.prev_hash, reported).map_err(|_| {
        let expected = cursor.seq.saturating_add(1);
        let gap =
            ApiError::new(edge::Code::SequenceGap, format!("record {expected} is missing: send it first"));
        gap.with_details(json!({"expected_seq": expected}))
    })?;
    let Some(Seen { skipped, hash, seq }) = seen else { return Ok(0) };
    if hash_at(write, &store.store_id, &batch.epoch, seq).await?.as_deref() == Some(hash) {
        return Ok(skipped);
    }
    let diverged =
        ApiError::new(edge::Code::HistoryDiverged, format!("record {seq} differs from the one at the hub"));
    Err(diverged.with_details(json!({"epoch": batch.epoch, "seq": seq})).into())
}

/// Moves the cursor, and stores the backlog that the store reported.
async fn advance(
    write: &mut Write,
    store: &Locked,
    batch: &Batch,
    seq: u64,
    hash: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE epochs SET seq = $3, hash = $4 WHERE store_id = $1 AND epoch = $2";
    let query = sqlx::query(sql).bind(&store.store_id).bind(&batch.epoch).bind(signed(seq)).bind(hash);
    query.execute(&mut ***write).await?;
    let sql = "UPDATE stores SET last_seen_at = $2, pending = $3, oldest_pending_at = $4 WHERE store_id = $1";
    let query = sqlx::query(sql).bind(&store.store_id).bind(now.0).bind(signed(batch.pending));
    query.bind(batch.oldest_pending_at).execute(&mut ***write).await?;
    Ok(())
}
