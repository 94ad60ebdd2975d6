//! Storing records and applying their effects, inside the caller's transaction.

use super::announce::Later;
use super::effect::Effect;
use super::envelope::{Incoming, Problem};
use super::park::{self, Seen, Verdict};
use super::projection::Projection;
use super::skew::Stamps;
use super::{points, signed};
use crate::db::insert::{self, Cell};
use crate::failure::is_data;
use crate::row;
use crate::secret;
use domain::hlc::{self, Clock};
use domain::sync::Parked;
use domain::sync::settle::counts;
use domain::time::UtcMs;
use jiff::tz::TimeZone;
use sqlx::{AnyConnection, Connection};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What every record of a batch shares.
pub struct Place<'a> {
    /// The store.
    pub store_id: &'a str,
    /// The epoch of the records.
    pub epoch: &'a str,
    /// The store's time zone.
    pub zone: &'a TimeZone,
    /// The hub's hybrid clock, for stamps of stores whose clock runs ahead.
    pub clock: &'a Mutex<Clock>,
    /// When the batch came.
    pub now: UtcMs,
}

/// What became of the records.
#[derive(Default)]
pub struct Outcome {
    /// Events that were known from elsewhere.
    pub duplicates: u64,
    /// Events that were parked.
    pub parked: Vec<Parked>,
    /// What others are to hear once the cursor has moved.
    pub later: Later,
    /// Aggregates of which something was applied: others may have waited for it.
    pub moved: BTreeSet<String>,
    /// Whether they are stamped ahead of the hub.
    pub stamps: Stamps,
}

/// Rows on their way into the tables of raw records.
#[derive(Default)]
struct Raw {
    records: Vec<Vec<Cell>>,
    events: Vec<Vec<Cell>>,
    parked: Vec<Vec<Cell>>,
}

/// All records in a few statements. A data error spoils the transaction: then [`one_by_one`].
///
/// # Errors
/// The database's.
pub async fn whole(
    connection: &mut AnyConnection,
    place: &Place<'_>,
    events: &[Incoming],
) -> Result<Outcome, sqlx::Error> {
    let mut seen = Seen::load(connection, place.store_id, events).await?;
    let (mut raw, mut outcome) = (Raw::default(), Outcome::default());
    let mut projection = Projection::new(place.store_id, place.zone).in_order();
    for event in events {
        let verdict = seen.judge(event);
        let stamp = stamp(place, event);
        if let (Verdict::Apply(effect), Some(event_id)) = (&verdict, &event.event_id) {
            projection.fold(event_id, &stamp.text, effect);
        }
        raw.add(place, event, &verdict, stamp, &mut outcome);
    }
    raw.write(connection).await?;
    outcome.later.join(projection.write(connection, place.now).await?);
    Ok(outcome)
}

/// Each record under a savepoint of its own: one that the database refuses is parked, the rest flows.
///
/// # Errors
/// The database's, when no record is at fault.
pub async fn one_by_one(
    connection: &mut AnyConnection,
    place: &Place<'_>,
    events: &[Incoming],
) -> Result<Outcome, sqlx::Error> {
    let mut seen = Seen::load(connection, place.store_id, events).await?;
    points::lock(connection, events.iter()).await?;
    let mut outcome = Outcome::default();
    for event in events {
        let mut verdict = seen.judge(event);
        let stamp = stamp(place, event);
        if let (Verdict::Apply(effect), Some(event_id)) = (&verdict, &event.event_id) {
            let projection = Projection::new(place.store_id, place.zone).in_order();
            match effects(connection, place, projection, (event_id, &stamp.text, effect)).await? {
                Ok(later) => outcome.later.join(later),
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
    Ok(outcome)
}

/// The effects of one record under a savepoint; a problem: the database refuses them, nothing of it stays.
///
/// # Errors
/// The database's, when the record is not at fault.
pub(super) async fn effects(
    connection: &mut AnyConnection,
    place: &Place<'_>,
    mut projection: Projection<'_>,
    (event_id, stamp, effect): (&str, &str, &Effect),
) -> Result<Result<Later, Problem>, sqlx::Error> {
    projection.fold(event_id, stamp, effect);
    let mut savepoint = connection.begin().await?;
    match projection.write(&mut savepoint, place.now).await {
        Ok(later) => {
            savepoint.commit().await?;
            Ok(Ok(later))
        }
        Err(error) if is_data(&error) => {
            savepoint.rollback().await?;
            Ok(Err(Problem { code: "effects_failed", message: error.to_string() }))
        }
        Err(error) => Err(error),
    }
}

/// The stamp that counts for a record.
struct Stamp {
    text: String,
    /// Its own lies ahead of the hub: a tick of the hub's clock takes its place.
    ahead: bool,
}

fn stamp(place: &Place<'_>, event: &Incoming) -> Stamp {
    let own = event.at.as_deref().filter(|at| hlc::parts(at).is_some());
    let ahead = own.is_some_and(|at| !counts(at, place.now));
    let mut clock = place.clock.lock().unwrap_or_else(PoisonError::into_inner);
    let text = match &event.at {
        Some(at) if !ahead => {
            clock.saw(at);
            at.clone()
        }
        _ => clock.tick(place.now),
    };
    Stamp { text, ahead }
}

impl Raw {
    fn add(
        &mut self,
        place: &Place<'_>,
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
        let head = "INSERT INTO records (store_id, epoch, seq, hash, record, encoding, state, received_at, \
                    effective_at, clock_skew)";
        insert::rows(connection, head, "", self.records).await?;
        let head =
            "INSERT INTO events (store_id, event_id, text_hash, epoch, seq, kind, business_date, total)";
        insert::rows(connection, head, "", self.events).await?;
        let head = "INSERT INTO parked (store_id, epoch, seq, event_id, kind, aggregate, code, message, parked_at, \
             parked_id, blocking, amount, member_id)";
        insert::rows(connection, head, "", self.parked).await
    }
}

const EVENTS: &str =
    "INSERT INTO events (store_id, event_id, text_hash, epoch, seq, kind, business_date, total)";

/// An event's row: it is known from now on.
fn registered(place: &Place<'_>, event_id: &str, event: &Incoming) -> Vec<Cell> {
    let counted = event.counted.as_ref();
    row![
        place.store_id,
        event_id,
        secret::digest(&event.record),
        place.epoch,
        signed(event.seq),
        event.kind.as_str(),
        counted.map(|counted| counted.business_date.to_string()),
        counted.map(|counted| counted.total)
    ]
}

/// Makes an event known whose envelope could not be read before.
///
/// # Errors
/// The database's.
pub(super) async fn register(
    connection: &mut AnyConnection,
    place: &Place<'_>,
    event: &Incoming,
) -> Result<(), sqlx::Error> {
    let Some(event_id) = &event.event_id else { return Ok(()) };
    insert::rows(connection, EVENTS, "", vec![registered(place, event_id, event)]).await
}

/// A raw record.
fn record(place: &Place<'_>, event: &Incoming, state: &str, stamp: Stamp) -> Vec<Cell> {
    if stamp.ahead {
        tracing::warn!(
            store_id = place.store_id,
            seq = event.seq,
            "clock_skew: a record's stamp lies ahead of the hub"
        );
    }
    let effective_at = (stamp.ahead || event.at.is_some()).then_some(stamp.text);
    let (text, encoding) = if event.record.contains('\0') {
        (domain::chain::hex(event.record.as_bytes()), 1)
    } else {
        (event.record.clone(), 0)
    };
    row![
        place.store_id,
        place.epoch,
        signed(event.seq),
        event.hash.as_str(),
        text,
        encoding,
        state,
        place.now.0,
        effective_at,
        i64::from(stamp.ahead)
    ]
}
