//! Storing records and applying their effects, inside the caller's transaction.

use crate::db::failure::is_of_statement;
use crate::db::insert::{self, NewRow};
use crate::db::signed;
use crate::ingest::park::{self, Seen, Verdict};
use crate::ingest::replaced::{self, Replacement};
use crate::ingest::skew::Stamps;
use crate::projection::announce::FeedUpdates;
use crate::projection::envelope::{Incoming, Problem, Understood};
use crate::projection::fold::Projection;
use crate::projection::lock_order;
use crate::table::epoch;
use crate::table::event_log::{NewEvent, Place};
use crate::{row, secret};
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc;
use domain::model::hub::hlc::Clock;
use domain::rules::hub::sync::settle::counts;
use domain::wire::sync::Parked;
use jiff::tz::TimeZone;
use sqlx::{AnyConnection, Connection};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Context that all records of a batch share.
pub struct BatchContext<'a> {
    /// ID of the store.
    pub store_id: &'a str,
    /// The epoch of the records.
    pub epoch: &'a str,
    /// The store's time zone.
    pub zone: &'a TimeZone,
    /// The hub's hybrid clock, for stamps of stores whose clock runs ahead.
    pub clock: &'a Mutex<Clock>,
    /// When the batch was received.
    pub now: UtcMs,
}

/// Result of the records.
#[derive(Default)]
pub struct Outcome {
    /// Events that the hub already had.
    pub duplicates: u64,
    /// Events that were parked.
    pub parked: Vec<Parked>,
    /// Updates of the feed that are sent once the cursor has moved.
    pub later: FeedUpdates,
    /// Aggregates with an applied record: other records may have waited for it.
    pub moved: BTreeSet<String>,
    /// Stamps that lie ahead of the hub's clock.
    pub stamps: Stamps,
    /// Applied receipts that take the place of others.
    replacements: Vec<Replacement>,
}

impl Outcome {
    /// Records that the batch replaced are no longer parked, even if it brought them itself.
    async fn replace(
        &mut self,
        connection: &mut AnyConnection,
        place: &BatchContext<'_>,
    ) -> Result<(), sqlx::Error> {
        let settled = replaced::settle(connection, (place.store_id, place.now), &self.replacements).await?;
        let here = |seq: u64| settled.iter().any(|key| key.epoch == place.epoch && key.seq == seq);
        self.parked.retain(|parked| !here(parked.seq));
        Ok(())
    }
}

/// Rows on their way into the tables of raw records.
#[derive(Default)]
struct Raw {
    records: Vec<NewRow>,
    events: Vec<NewRow>,
    parked: Vec<NewRow>,
}

/// Extent to which the effects of records are written. Omitted effects are never written later: only measurements of
/// their cost omit any, in a database of their own.
#[derive(Clone, Copy)]
pub enum Extent {
    /// Documents, entries, items and sums of reports.
    Whole,
    /// Documents, items and sums of reports.
    WithoutEntries,
    DocumentsAlone,
}

/// Applies all records in a few statements. A statement that fails spoils the transaction; then use [`one_by_one`].
pub async fn whole(
    connection: &mut AnyConnection,
    place: &BatchContext<'_>,
    events: &[Incoming],
) -> Result<Outcome, sqlx::Error> {
    together(connection, place, events, Extent::Whole).await
}

/// As [`whole`], to a given extent.
pub async fn together(
    connection: &mut AnyConnection,
    place: &BatchContext<'_>,
    events: &[Incoming],
    extent: Extent,
) -> Result<Outcome, sqlx::Error> {
    let mut seen = Seen::load(connection, place.store_id, events).await?;
    let (mut raw, mut outcome) = (Raw::default(), Outcome::default());
    let mut projection = Projection::new(place.store_id, place.zone).in_order();
    for event in events {
        let verdict = seen.judge(event);
        let stamp = stamp(place, event);
        if let (Verdict::Apply(effect), Some(event_id)) = (&verdict, &event.event_id) {
            projection.fold(event_id, &stamp.text, effect);
            log(&mut outcome.later, place, event);
            outcome.replacements.extend(replaced::of(event));
        }
        raw.add(place, event, &verdict, stamp, &mut outcome);
    }
    match extent {
        Extent::Whole => {}
        Extent::WithoutEntries => projection.unposted = true,
        Extent::DocumentsAlone => projection.journal.clear(),
    }
    raw.write(connection).await?;
    outcome.later.join(projection.write(connection, place.now).await?);
    outcome.replace(connection, place).await?;
    Ok(outcome)
}

/// Applies each record under a savepoint of its own: a record with a failing statement is parked, the others are
/// applied.
///
/// # Errors
/// A database error that no record caused: a lost connection, or a failure of the machine.
pub async fn one_by_one(
    connection: &mut AnyConnection,
    place: &BatchContext<'_>,
    events: &[Incoming],
) -> Result<Outcome, sqlx::Error> {
    let mut seen = Seen::load(connection, place.store_id, events).await?;
    lock_order::lock(connection, place.store_id, events.iter()).await?;
    let mut outcome = Outcome::default();
    for event in events {
        let mut verdict = seen.judge(event);
        let stamp = stamp(place, event);
        if let (Verdict::Apply(effect), Some(event_id)) = (&verdict, &event.event_id) {
            let projection = Projection::new(place.store_id, place.zone).in_order();
            match effects(connection, place, projection, (event_id, &stamp.text, effect)).await? {
                Ok(later) => {
                    outcome.later.join(later);
                    log(&mut outcome.later, place, event);
                    outcome.replacements.extend(replaced::of(event));
                }
                Err(problem) => {
                    seen.block(event, effect);
                    verdict = Verdict::Park(problem);
                }
            }
        }
        let mut raw = Raw::default();
        raw.add(place, event, &verdict, stamp, &mut outcome);
        raw.write(connection).await?;
    }
    outcome.replace(connection, place).await?;
    Ok(outcome)
}

/// Writes the effects of one record under a savepoint; on a database error they are rolled back and the problem is
/// returned.
///
/// # Errors
/// A database error that the record did not cause.
pub(crate) async fn effects<'a>(
    connection: &mut AnyConnection,
    place: &BatchContext<'_>,
    mut projection: Projection<'a>,
    (event_id, stamp, effect): (&'a str, &str, &'a Understood),
) -> Result<Result<FeedUpdates, Problem>, sqlx::Error> {
    projection.fold(event_id, stamp, effect);
    let mut savepoint = connection.begin().await?;
    match projection.write(&mut savepoint, place.now).await {
        Ok(later) => {
            savepoint.commit().await?;
            Ok(Ok(later))
        }
        Err(error) if is_of_statement(&error) => {
            savepoint.rollback().await?;
            Ok(Err(Problem { code: "effects_failed", message: error.to_string() }))
        }
        Err(error) => Err(error),
    }
}

/// Adds the entry of the event log for an applied record, if the record belongs to a document.
pub(crate) fn log(later: &mut FeedUpdates, place: &BatchContext<'_>, event: &Incoming) {
    let (Some(event_id), Ok(understood)) = (&event.event_id, &event.understood) else { return };
    let Some((object_type, object_id)) = understood.payload.document() else { return };
    let of_epoch = || Place {
        store_id: place.store_id.to_owned(),
        epoch_no: epoch::number(place.epoch).unwrap_or(0),
        seq: event.seq,
    };
    let new = NewEvent {
        event_id: event_id.clone(),
        kind: event.kind.clone(),
        object_type: object_type.to_owned(),
        object_id: object_id.into_owned(),
        occurred_at: understood.occurred_at,
    };
    later.events.add(of_epoch, new);
}

/// The stamp that counts for a record.
struct Stamp {
    text: String,
    /// The record's own stamp is ahead of the hub: a tick of the hub's clock replaces it.
    ahead: bool,
}

fn stamp(place: &BatchContext<'_>, event: &Incoming) -> Stamp {
    let own = event.at.as_deref().filter(|at| hlc::parts(at).is_some());
    let ahead = own.is_some_and(|at| !counts(at, place.now));
    let mut clock = place.clock.lock().unwrap_or_else(PoisonError::into_inner);
    let text = match &event.at {
        Some(at) if !ahead => {
            clock.observe(at);
            at.clone()
        }
        _ => clock.now(place.now),
    };
    Stamp { text, ahead }
}

impl Raw {
    fn add(
        &mut self,
        place: &BatchContext<'_>,
        event: &Incoming,
        verdict: &Verdict<'_>,
        stamp: Stamp,
        outcome: &mut Outcome,
    ) {
        let state = match verdict {
            Verdict::Apply(_) => {
                outcome.moved.extend(event.aggregate.clone());
                "applied"
            }
            Verdict::Duplicate => {
                outcome.duplicates = outcome.duplicates.saturating_add(1);
                "duplicate"
            }
            Verdict::Park(problem) => {
                tracing::warn!(
                    store_id = place.store_id,
                    epoch = place.epoch,
                    seq = event.seq,
                    code = problem.code,
                    message = problem.message,
                    "a record is parked"
                );
                self.parked.push(park::row(place.store_id, place.epoch, event, problem, place.now));
                outcome.parked.push(park::view(event, problem));
                "parked"
            }
        };
        let known = matches!(verdict, Verdict::Duplicate)
            || matches!(verdict, Verdict::Park(problem) if problem.code == "event_id_reused");
        if let (Some(event_id), false) = (&event.event_id, known) {
            self.events.push(registered(place, event_id, event));
        }
        outcome.stamps.note(stamp.ahead);
        self.records.push(record(place, event, state, stamp));
    }

    async fn write(self, connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
        insert::rows(connection, "records", "", self.records).await?;
        insert::rows(connection, "events", "", self.events).await?;
        insert::rows(connection, "parked", "", self.parked).await
    }
}

/// The row of an event, which makes it known.
fn registered(place: &BatchContext<'_>, event_id: &str, event: &Incoming) -> NewRow {
    let counted = event.counted.as_ref();
    row! {
        store_id: place.store_id, event_id, text_hash: secret::digest(&event.record), epoch: place.epoch,
        seq: signed(event.seq), kind: event.kind.as_str(),
        business_date: counted.map(|counted| counted.business_date.to_string()),
        total: counted.map(|counted| counted.total),
    }
}

/// Makes an event known whose envelope could not be read before.
pub(crate) async fn register(
    connection: &mut AnyConnection,
    place: &BatchContext<'_>,
    event: &Incoming,
) -> Result<(), sqlx::Error> {
    let Some(event_id) = &event.event_id else { return Ok(()) };
    insert::rows(connection, "events", "", vec![registered(place, event_id, event)]).await
}

/// Counts an event again as this version reads it: an older hub may have counted it by its envelope, or not at all.
pub(crate) async fn count_anew(
    connection: &mut AnyConnection,
    store_id: &str,
    event: &Incoming,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE events SET business_date = $3, total = $4 WHERE store_id = $1 AND event_id = $2";
    let counted = event.counted.as_ref();
    let query = sqlx::query(sql).bind(store_id).bind(event.event_id.as_deref());
    let query = query.bind(counted.map(|counted| counted.business_date.to_string()));
    query.bind(counted.map(|counted| counted.total)).execute(connection).await.map(drop)
}

fn record(place: &BatchContext<'_>, event: &Incoming, state: &str, stamp: Stamp) -> NewRow {
    if stamp.ahead {
        tracing::warn!(
            store_id = place.store_id,
            seq = event.seq,
            "clock_skew: a record's timestamp is ahead of the hub's clock"
        );
    }
    let effective_at = (stamp.ahead || event.at.is_some()).then_some(stamp.text);
    let (text, encoding) = if event.record.contains('\0') {
        (domain::model::hub::chain::hex(event.record.as_bytes()), 1)
    } else {
        (event.record.clone(), 0)
    };
    row! {
        store_id: place.store_id, epoch: place.epoch, seq: signed(event.seq), hash: event.hash.as_str(),
        record: text, encoding, state, received_at: place.now.0, effective_at,
        clock_skew: i64::from(stamp.ahead),
    }
}
