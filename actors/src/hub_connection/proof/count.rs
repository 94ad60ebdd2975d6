//! What the hub acknowledged, counted by business day: each event once, whatever epochs it stands in.

use super::COUNTED_BYTES;
use domain::record::event_id;
use domain::sync::local::{Change, Tally};
use domain::sync::tally::Count;
use domain::sync::{DigestHead, PUSH_EVENTS_MAX, PushEvent};
use storage::{Storage, StorageError};

/// The next acknowledged records that are in no figures yet, counted; empty: there are none.
pub(super) fn count(storage: &Storage) -> Result<Vec<Change>, StorageError> {
    let mut tally = storage.tally()?;
    let lineage = storage.lineage()?;
    let several = lineage.len() > 1;
    for state in lineage {
        let (counted, hash) = tally.place(&state.epoch);
        if counted >= state.acked_seq {
            continue;
        }
        if storage.hash_at(&state.epoch, counted)?.as_deref() != Some(hash) {
            // The hub's copy of this epoch has replaced what was counted.
            return Ok(vec![Change::Tally { tally: tally.anew() }]);
        }
        let most = usize::try_from(state.acked_seq - counted).unwrap_or(usize::MAX).min(PUSH_EVENTS_MAX);
        let (_, records) = storage.records(&state.epoch, counted, most, COUNTED_BYTES)?;
        let Some(last) = records.last() else { continue };
        let mut count = Count::default();
        for event in &records {
            if several && stands_before(storage, &tally, &state.epoch, event)? {
                continue;
            }
            count.add(tally.number, &event.record, |day| storage.day_figures(day))?;
        }
        tally.reached(DigestHead { epoch: state.epoch, seq: last.seq, hash: last.hash.clone() });
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
    let before = |(other, seq): &(String, u64)| {
        if other == epoch { *seq < event.seq } else { *seq <= tally.place(other).0 }
    };
    Ok(storage.record_places(&id)?.iter().any(before))
}
