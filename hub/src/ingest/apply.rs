//! Storing records and applying their effects, inside the caller's transaction.

use super::envelope::{Incoming, Problem};
use super::park::{self, Seen, Verdict};
use super::projection::Projection;
use super::{SKEW_MS_MAX, signed};
use crate::db::insert::{self, Cell};
use crate::failure::is_data;
use crate::row;
use crate::secret;
use domain::hlc::{self, Clock};
use domain::sync::Parked;
use domain::time::UtcMs;
use jiff::tz::TimeZone;
use sqlx::{AnyConnection, Connection};
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
    let mut projection = Projection::new(place.store_id, place.zone);
    for event in events {
        let verdict = seen.judge(event);
        if let (Verdict::Apply(effect), Some(event_id)) = (&verdict, &event.event_id) {
            projection.fold(event_id, effect);
        }
        raw.add(place, event, &verdict, &mut outcome);
    }
    raw.write(connection).await?;
    projection.write(connection, place.now).await?;
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
    let mut outcome = Outcome::default();
    for event in events {
        let mut verdict = seen.judge(event);
        if let (Verdict::Apply(effect), Some(event_id)) = (&verdict, &event.event_id) {
            let mut projection = Projection::new(place.store_id, place.zone);
            projection.fold(event_id, effect);
            let mut savepoint = connection.begin().await?;
            match projection.write(&mut savepoint, place.now).await {
                Ok(()) => savepoint.commit().await?,
                Err(error) if is_data(&error) => {
                    savepoint.rollback().await?;
                    seen.block(event);
                    verdict = Verdict::Park(Problem { code: "effects_failed", message: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        let mut raw = Raw::default();
        raw.add(place, event, &verdict, &mut outcome);
        raw.write(connection).await?;
    }
    Ok(outcome)
}

impl Raw {
    fn add(&mut self, place: &Place<'_>, event: &Incoming, verdict: &Verdict<'_>, outcome: &mut Outcome) {
        let state = match verdict {
            Verdict::Apply(_) => "applied",
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
            let text_hash = secret::digest(&event.record);
            let counted = event.counted.as_ref();
            self.events.push(row![
                place.store_id,
                event_id.as_str(),
                text_hash,
                place.epoch,
                signed(event.seq),
                event.kind.as_str(),
                counted.map(|counted| counted.business_date.to_string()),
                counted.map(|counted| counted.total)
            ]);
        }
        self.records.push(record(place, event, state));
    }

    async fn write(self, connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
        let head = "INSERT INTO records (store_id, epoch, seq, hash, record, encoding, state, received_at, \
                    effective_at, clock_skew)";
        insert::rows(connection, head, "", self.records).await?;
        let head =
            "INSERT INTO events (store_id, event_id, text_hash, epoch, seq, kind, business_date, total)";
        insert::rows(connection, head, "", self.events).await?;
        let head = "INSERT INTO parked (store_id, epoch, seq, event_id, kind, aggregate, code, message, parked_at, \
             parked_id, blocking, amount)";
        insert::rows(connection, head, "", self.parked).await
    }
}

/// A raw record. Its own stamp counts, unless it lies ahead of the hub: then a tick of the hub's clock does.
fn record(place: &Place<'_>, event: &Incoming, state: &str) -> Vec<Cell> {
    let ahead = event
        .at
        .as_deref()
        .and_then(hlc::parts)
        .is_some_and(|(ms, _)| ms > place.now.0.saturating_add(SKEW_MS_MAX));
    let effective_at = if ahead {
        tracing::warn!(
            store_id = place.store_id,
            seq = event.seq,
            "clock_skew: a record's stamp lies ahead of the hub"
        );
        Some(place.clock.lock().unwrap_or_else(PoisonError::into_inner).tick(place.now))
    } else {
        event.at.clone()
    };
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
        i64::from(ahead)
    ]
}
