//! What the hub acknowledged, counted by business day: each event once, whatever epochs it stands in.

use super::COUNTED_BYTES;
use domain::record::event_id;
use domain::sync::local::{Change, Tally};
use domain::sync::tally::{Count, Due, Span};
use domain::sync::{DigestHead, PUSH_EVENTS_MAX, PushEvent};
use storage::{Storage, StorageError};

/// The next acknowledged records that are in no figures yet, counted; empty: there are none.
pub(super) fn count(storage: &Storage) -> Result<Vec<Change>, StorageError> {
    let mut tally = storage.tally()?;
    let lineage = storage.lineage()?;
    let spans = match tally.due(storage, &lineage)? {
        Due::Nothing => return Ok(Vec::new()),
        Due::Anew => return Ok(vec![Change::Tally { tally: tally.anew() }]),
        Due::Records(spans) => spans,
    };
    for Span { epoch, after, to } in spans {
        let most = usize::try_from(to - after).unwrap_or(usize::MAX).min(PUSH_EVENTS_MAX);
        let (_, records) = storage.records(&epoch, after, most, COUNTED_BYTES)?;
        let Some(last) = records.last() else { continue };
        let mut count = Count::default();
        for event in &records {
            if lineage.len() > 1 && stands_before(storage, &tally, &epoch, event)? {
                continue;
            }
            count.add(tally.number, &event.record, |day| storage.day_figures(day))?;
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
    Ok(tally.counted_at(&storage.record_places(&id)?, (epoch, event.seq)))
}
