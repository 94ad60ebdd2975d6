//! Handling of the answer to a push.

use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::ReceivingId;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::AckMark;
use domain::model::hub::sync::local::{Change, OwnWrite, ParkedNote};
use domain::rules::hub::sync;
use domain::rules::hub::sync::counted;
use domain::rules::hub::sync::mending::CORRECTED;
use domain::wire::feed::RecordVersion;
use domain::wire::record::Record;
use domain::wire::sync::{PUSH_BYTES_MAX, PUSH_EVENTS_MAX, Parked, PushAnswer};
use serde_json::Value;
use storage::{Storage, StorageError};

/// Longest part of the reason for parking that is kept.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// Events of an acknowledgement, in one commit: the mark, the parked records, the lost values.
pub(super) fn acknowledged(
    context: &Context,
    mark: AckMark,
    answer: PushAnswer,
) -> Result<Vec<Event>, StorageError> {
    let (storage, epoch, at) = (&context.storage, mark.epoch.clone(), answer.hub_time);
    let mut events: Vec<Event> = kept(context, &mark, &answer.hub_generation, at)?.into_iter().collect();
    events.push(fact::RecordsAcknowledged { mark }.into());
    for parked in &answer.parked {
        let note = parked_note(storage, &epoch, parked.clone(), at)?;
        events.push(sync_event(Change::Parked { note }));
    }
    events.extend(conflicts(answer));
    Ok(events)
}

/// Own values that lost, as the answer to a push reports them; one that is reported twice is one conflict.
pub(super) fn conflicts(answer: PushAnswer) -> impl Iterator<Item = Event> {
    answer.conflicts.into_iter().map(|conflict| {
        let id = conflict.conflict_id.clone();
        sync_event(Change::Conflict { id, conflict: crate::view::value(&conflict) })
    })
}

/// The part of the mark's epoch that is still offered, if the row changes.
pub(crate) fn kept(
    context: &Context,
    mark: &AckMark,
    generation: &str,
    hub_time: UtcMs,
) -> Result<Option<Event>, StorageError> {
    let before = context.storage.outbox().retention(&mark.epoch)?;
    let certain = context.stamps.trusted_hub_time(hub_time);
    let kept = before.after(mark, generation, (hub_time, certain), context.config.sync.retain_days);
    if kept.first() > before.first() {
        let (epoch, first) = (&kept.epoch, kept.first());
        tracing::info!(
            epoch,
            first,
            "older records are no longer kept for head office, which has stored them for good"
        );
    }
    Ok((kept != before).then(|| sync_event(Change::Kept { kept })))
}

/// Own writes to shared records among records of an epoch, with the versions that contain their result: at most a batch
/// of records at once, however far an acknowledgement reaches.
pub(crate) fn decided<'a>(
    storage: &'a Storage,
    epoch: &'a str,
    (mut after, to): (u64, u64),
    versions: &'a [RecordVersion],
) -> impl Iterator<Item = Result<Vec<OwnWrite>, StorageError>> + 'a {
    std::iter::from_fn(move || {
        let left = usize::try_from(to.saturating_sub(after)).unwrap_or(usize::MAX);
        if left == 0 {
            return None;
        }
        match storage.outbox().records(epoch, after, left.min(PUSH_EVENTS_MAX), PUSH_BYTES_MAX) {
            Ok((_, own)) => {
                after = own.last()?.seq;
                Some(Ok(sync::decided(own.iter().map(|event| event.record.as_str()), versions)))
            }
            Err(error) => {
                after = to;
                Some(Err(error))
            }
        }
    })
}

/// A parked record with its amount, so that a person sees what the hub's figures lack.
pub(crate) fn parked_note(
    storage: &Storage,
    epoch: &str,
    parked: Parked,
    at: UtcMs,
) -> Result<ParkedNote, StorageError> {
    let Parked { seq, event_id, code, message } = parked;
    let message: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
    let (_, own) = storage.outbox().records(epoch, seq.saturating_sub(1), 1, 0)?;
    let text = own.first().map(|event| event.record.as_str()).unwrap_or_default();
    let record = serde_json::from_str::<Record<Value>>(text).ok();
    // By the payload, like the figures of its day; the envelope is not used.
    let counted = counted(text);
    let posted = record.as_ref().filter(|record| record.kind == CORRECTED);
    let receiving_id = posted.and_then(|record| record.payload.pointer("/receiving/receiving_id")?.as_str());
    let receiving_id = receiving_id.map(ReceivingId::from);
    Ok(ParkedNote {
        epoch: epoch.to_owned(),
        seq,
        event_id,
        code,
        message,
        parked_at: at,
        kind: record.map(|record| record.kind),
        business_date: counted.as_ref().map(|counted| counted.business_date),
        amount: counted.map(|counted| counted.total),
        receiving_id,
        named_in: storage.head().epoch,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use storage::{Commit, Options};

    fn record(number: usize) -> String {
        format!(
            r#"{{"event_id":"evt_{number}","type":"member.changed","schema":1,"at":"x",
            "occurred_at":"2026-11-20T02:06:34.739Z","payload":{{"id":"mbr_{number}","fields":{{}}}}}}"#
        )
    }

    #[tokio::test]
    async fn however_far_a_mark_reaches_every_own_write_up_to_it_is_decided() {
        let (folder, epoch, count) = (tempfile::tempdir().unwrap(), "1-00000000000000aa", 1_201);
        Storage::init(folder.path(), &"S001".into(), epoch).unwrap();
        let storage = Storage::open(folder.path(), &Options::default()).unwrap();
        for numbers in (1..=count).collect::<Vec<usize>>().chunks(300) {
            let records = numbers.iter().map(|number| record(*number)).collect();
            let commit = Commit { events: Vec::new(), records, keyed: None, at: UtcMs(0), hlc: None };
            storage.commit(commit).await.unwrap();
        }
        let pages = decided(&storage, epoch, (1, 1_200), &[]).collect::<Result<Vec<_>, _>>().unwrap();
        assert!(
            pages.iter().all(|page| page.len() <= PUSH_EVENTS_MAX),
            "none is longer than a commit should be"
        );
        let ids: Vec<String> = pages.into_iter().flatten().map(|write| write.id).collect();
        let expected: Vec<String> = (2..=1_200).map(|number| format!("mbr_{number}")).collect();
        assert_eq!(ids, expected);
    }

    #[tokio::test]
    async fn a_parked_record_amounts_to_what_its_payload_says() {
        let (folder, epoch) = (tempfile::tempdir().unwrap(), "1-00000000000000aa");
        Storage::init(folder.path(), &"S001".into(), epoch).unwrap();
        let storage = Storage::open(folder.path(), &Options::default()).unwrap();
        let text = r#"{"event_id":"e","type":"day.reopened","schema":1,"at":"x",
            "occurred_at":"2026-11-20T02:06:34.739Z","about":{"business_date":"2026-11-21","amount":7},
            "payload":{"business_date":"2026-11-20","reopened_by":null,"reopened_at":"2026-11-20T02:06:34.739Z",
            "open_until":"2026-11-20","reason":null}}"#;
        let records = vec![text.to_owned()];
        let commit = Commit { events: Vec::new(), records, keyed: None, at: UtcMs(0), hlc: None };
        storage.commit(commit).await.unwrap();
        let parked =
            Parked { seq: 1, event_id: "e".to_owned(), code: "x".to_owned(), message: "x".to_owned() };
        let note = parked_note(&storage, epoch, parked, UtcMs(0)).unwrap();
        assert_eq!((note.business_date, note.amount), (Some("2026-11-20".parse().unwrap()), Some(0)));
        assert_eq!(note.kind.as_deref(), Some("day.reopened"));
    }
}
