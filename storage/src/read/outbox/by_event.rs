//! Records by the ID of their event. An event may be in several epochs: a copy of the disk that rejoined moved the
//! records that only it had to a new epoch.

use crate::journal::body::Body;
use crate::journal::index::record_event_hash;
use crate::read::{Outbox, Read};
use domain::wire::record::event_id;
use std::ops::ControlFlow;

impl Outbox<'_> {
    /// Whether a record of this event is in the journal, in any epoch, including replaced ones. Its effects have been
    /// applied then.
    pub fn has_record(&self, event: &str) -> Read<bool> {
        let found = self
            .0
            .history
            .find(record_event_hash(event), |body| Ok((!seqs(&body, event).is_empty()).then_some(())))?;
        Ok(found.is_some())
    }

    /// Epoch and seq of the records of this event, without replaced ones.
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
