//! What the answer to a push becomes here.

use crate::door::Door;
use crate::hub_connection::change;
use domain::event::{AckMark, Event};
use domain::record::Record;
use domain::sync::local::{Change, OwnWrite, ParkedNote};
use domain::sync::{self, PUSH_BYTES_MAX, PUSH_EVENTS_MAX, Parked, PushAnswer, RecordVersion, counted_of};
use domain::time::UtcMs;
use serde_json::Value;
use storage::{Storage, StorageError};

/// What an acknowledgement tells, in one commit: the mark, what was parked, what lost.
pub(super) fn told(door: &Door, mark: AckMark, answer: PushAnswer) -> Result<Vec<Event>, StorageError> {
    let (storage, epoch, at) = (&door.storage, mark.epoch.clone(), answer.hub_time);
    let mut events: Vec<Event> = kept(door, &mark, &answer.hub_generation, at)?.into_iter().collect();
    events.push(Event::RecordsAcknowledged { mark });
    for parked in answer.parked {
        let note = note(storage, &epoch, parked, at)?;
        events.push(change(Change::Parked { note }));
    }
    events.extend(answer.conflicts.into_iter().map(|conflict| {
        let id = conflict.conflict_id.clone();
        change(Change::Conflict { id, conflict: crate::view::value(&conflict) })
    }));
    Ok(events)
}

/// What is still offered of the mark's epoch, where that is another row than before.
pub(crate) fn kept(
    door: &Door,
    mark: &AckMark,
    generation: &str,
    hub_time: UtcMs,
) -> Result<Option<Event>, StorageError> {
    let before = door.storage.kept(&mark.epoch)?;
    let kept = before.after(mark, generation, hub_time, door.config.sync.retain_days);
    if kept.first() > before.first() {
        let (epoch, first) = (&kept.epoch, kept.first());
        tracing::info!(epoch, first, "older records are offered no more: head office has them for good");
    }
    Ok((kept != before).then(|| change(Change::Kept { kept })))
}

/// Own writes to shared records among the records up to a mark, with the versions that hold what came of them.
pub(crate) fn decided(
    storage: &Storage,
    epoch: &str,
    (after, to): (u64, u64),
    versions: &[RecordVersion],
) -> Result<Vec<OwnWrite>, StorageError> {
    let count = usize::try_from(to.saturating_sub(after)).unwrap_or(usize::MAX).min(PUSH_EVENTS_MAX);
    let (_, own) = storage.records(epoch, after, count, PUSH_BYTES_MAX)?;
    Ok(sync::decided(own.iter().map(|event| event.record.as_str()), versions))
}

/// A parked record with what it amounts to, so that a person sees what the hub's figures lack.
fn note(storage: &Storage, epoch: &str, parked: Parked, at: UtcMs) -> Result<ParkedNote, StorageError> {
    let Parked { seq, event_id, code, message } = parked;
    let (_, own) = storage.records(epoch, seq.saturating_sub(1), 1, 0)?;
    let text = own.first().map(|event| event.record.as_str()).unwrap_or_default();
    let record = serde_json::from_str::<Record<Value>>(text).ok();
    let counted = record.as_ref().and_then(counted_of);
    Ok(ParkedNote {
        epoch: epoch.to_owned(),
        seq,
        event_id,
        code,
        message,
        at,
        kind: record.map(|record| record.kind),
        business_date: counted.as_ref().map(|counted| counted.business_date),
        total: counted.map(|counted| counted.total),
    })
}
