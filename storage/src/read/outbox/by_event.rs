//! Records by the id of their event, which may stand in several epochs: a copy of the disk that rejoined moved
//! what only it had to an epoch of its own.

use crate::journal::body::Body;
use crate::journal::index::record_event_hash;
use crate::read::{Outbox, Read};
use domain::wire::record::event_id;
use std::ops::ControlFlow;

impl Outbox<'_> {
    /// Whether a record of this event is in the journal, in whatever epoch, also one that was replaced since:
    /// what it did is done.
    pub fn has_record(&self, event: &str) -> Read<bool> {
        let found = self
            .0
            .history
            .find(record_event_hash(event), |body| Ok((!seqs(&body, event).is_empty()).then_some(())))?;
        Ok(found.is_some())
    }

    /// Where records of this event stand: epoch and seq, those that were replaced left out.
    pub fn record_places(&self, event: &str) -> Read<Vec<(String, u64)>> {
        let mut places = Vec::new();
        self.0.history.search(record_event_hash(event), u64::MAX, |(segment, offsets)| {
            for offset in offsets.into_iter().map(u64::from) {
                let (_, body) = segment.frame(offset)?;
                for seq in seqs(&body, event) {
                    let epoch = &body.stamps.epoch;
                    let newest = self.find_record(epoch, seq)?.is_some_and(|found| {
                        (found.segment.head.first_lsn, found.offset) == (segment.head.first_lsn, offset)
                    });
                    if newest && seq <= self.epoch_head(epoch)? {
                        places.push((epoch.clone(), seq));
                    }
                }
            }
            Ok(ControlFlow::<()>::Continue(()))
        })?;
        Ok(places)
    }
}

/// Numbers of a frame's records of this event.
fn seqs(body: &Body, event: &str) -> Vec<u64> {
    let numbered = (body.stamps.first_seq..).zip(&body.content.texts);
    numbered.filter(|(_, text)| event_id(text).as_deref() == Some(event)).map(|(seq, _)| seq).collect()
}
