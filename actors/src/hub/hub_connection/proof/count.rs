//! Acknowledged records, counted by business day: each event once, whatever epochs it is in.

use super::COUNTED_BYTES;
use domain::model::hub::sync::DigestHead;
use domain::model::hub::sync::local::{Change, Tally};
use domain::rules::hub::sync::tally::{Count, Due, Span};
use domain::wire::record::event_id;
use domain::wire::sync::{PUSH_EVENTS_MAX, PushEvent};
use storage::{Storage, StorageError};

/// Counts the next acknowledged records that are in no figures yet; empty if there are none.
pub(super) fn count(storage: &Storage) -> Result<Vec<Change>, StorageError> {
    let mut tally = storage.days().tally()?;
    let lineage = storage.outbox().lineage()?;
    let spans = match tally.due(&storage.outbox(), &lineage)? {
        Due::Nothing => return Ok(Vec::new()),
        Due::Anew => return Ok(vec![Change::Tally { tally: tally.anew() }]),
        Due::Records(spans) => spans,
    };
    for Span { epoch, after, to } in spans {
        let most = usize::try_from(to - after).unwrap_or(usize::MAX).min(PUSH_EVENTS_MAX);
        let (_, records) = storage.outbox().records(&epoch, after, most, COUNTED_BYTES)?;
        let Some(last) = records.last() else { continue };
        let mut count = Count::default();
        for event in &records {
            if lineage.len() > 1 && stands_before(storage, &tally, &epoch, event)? {
                continue;
            }
            count.add(tally.number, &event.record, |day| storage.days().day_figures(day))?;
        }
        tally.reached(DigestHead { epoch, seq: last.seq, hash: last.hash.clone() });
        let figures = count.days.into_values().map(|day| Change::Figures { day });
        return Ok(figures.chain([Change::Tally { tally }]).collect());
    }
    Ok(Vec::new())
}

/// Whether another record of the same event was counted.
fn stands_before(
    storage: &Storage,
    tally: &Tally,
    epoch: &str,
    event: &PushEvent,
) -> Result<bool, StorageError> {
    let Some(id) = event_id(&event.record) else { return Ok(false) };
    Ok(tally.counted_at(&storage.outbox().record_places(&id)?, (epoch, event.seq)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use domain::model::base::event::fact;
    use domain::model::base::time::UtcMs;
    use domain::model::hub::chain::{GENESIS, next};
    use domain::model::hub::stamp::AckMark;
    use domain::model::hub::sync::local::RecoveryPosition;
    use jiff::civil::date;
    use storage::{Commit, Options};

    fn record(id: &str) -> String {
        format!(
            r#"{{"event_id":"{id}","type":"cash.moved","schema":1,"at":"x","occurred_at":"2026-11-20T02:06:34.739Z",
            "about":{{"business_date":"2026-11-20","amount":7}},"payload":{{}}}}"#
        )
    }

    async fn commit(storage: &Storage, changes: Vec<Change>, records: Vec<String>) {
        let events = changes.into_iter().map(crate::runtime::decide::sync_event).collect();
        let commit = Commit { events, records, keyed: None, at: UtcMs(0), hlc: None };
        storage.commit(commit).await.unwrap();
    }

    #[tokio::test]
    async fn an_event_of_two_epochs_is_counted_once() {
        let (folder, old, new) = (tempfile::tempdir().unwrap(), "1-00000000000000aa", "2-00000000000000aa");
        Storage::init(folder.path(), &"S001".into(), new).unwrap();
        let storage = Storage::open(folder.path(), &Options::default()).unwrap();
        let (both, own) = (record("evt_1"), record("evt_2"));
        commit(&storage, Vec::new(), vec![both.clone(), own]).await;
        let refill = RecoveryPosition { epoch: old.to_owned(), first_seq: 1, prev_hash: GENESIS.to_owned() };
        commit(&storage, vec![Change::Refill { refill }], vec![both.clone()]).await;
        let marks = [(old, 1, next(GENESIS, &both)), (new, 2, storage.head().hash)];
        for (epoch, seq, hash) in marks {
            let mark = AckMark { epoch: epoch.to_owned(), seq, hash, ..AckMark::default() };
            let events = vec![fact::RecordsAcknowledged { mark }.into()];
            let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
            storage.commit(commit).await.unwrap();
        }
        loop {
            let changes = count(&storage).unwrap();
            if changes.is_empty() {
                break;
            }
            commit(&storage, changes, Vec::new()).await;
        }
        let figures = storage.days().day_figures(date(2026, 11, 20)).unwrap().unwrap();
        assert_eq!((figures.types["cash.moved"].count, figures.types["cash.moved"].total), (2, 14));
        assert_eq!(storage.days().tally().unwrap().heads.len(), 2, "both epochs were counted to their ends");
    }
}
