//! What the answer to a push becomes here.

use crate::hub_connection::change;
use domain::event::{AckMark, Event};
use domain::record::Record;
use domain::sync::local::{Change, ParkedNote};
use domain::sync::{Parked, PushAnswer, counted_of};
use domain::time::UtcMs;
use serde_json::Value;
use storage::{Storage, StorageError};

/// What an acknowledgement tells, in one commit: the mark, what was parked, what lost.
pub(super) fn told(storage: &Storage, mark: AckMark, answer: PushAnswer) -> Result<Vec<Event>, StorageError> {
    let (epoch, at) = (mark.epoch.clone(), answer.hub_time);
    let mut events = vec![Event::RecordsAcknowledged { mark }];
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
