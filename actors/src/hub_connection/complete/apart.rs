//! Epochs that two copies wrote: the hub's copy counts, and nothing that only the own one has is lost.

use super::super::standing::acknowledged;
use super::{Completion, last};
use crate::hub_client::CallError;
use domain::record;
use domain::sync::session::mark;
use domain::sync::{Head, PushEvent};
use std::collections::HashMap;

/// Records read at once while two copies of an epoch are compared.
const COMPARED_EVENTS: usize = 500;
/// Bytes read at once then.
const COMPARED_BYTES: usize = 1024 * 1024;
/// Records that are moved to the current epoch in one commit.
const MOVED_PER_COMMIT: usize = 200;

/// Own records that may be nowhere else, by event: in the order of their epochs, with their seq.
type Lost = HashMap<String, (usize, u64, String)>;

impl Completion {
    /// The hub's copies of earlier epochs replace the own ones from where they part. What only those have is
    /// moved to the current epoch first, text unchanged: interrupted in between, what was moved is found there.
    pub(super) async fn replace(&self, heads: Vec<Head>) -> Result<(), CallError> {
        if heads.is_empty() {
            return Ok(());
        }
        let mut lost = self.own_records(&heads)?;
        let mut apart = Vec::with_capacity(heads.len());
        for head in heads {
            let same = self.same(&head, &mut lost).await?;
            apart.push((head, same));
        }
        self.forget_known(&apart, &mut lost)?;
        let mut moved: Vec<(usize, u64, String)> = lost.into_values().collect();
        moved.sort_unstable();
        let epochs: Vec<&str> = apart.iter().map(|(head, _)| head.epoch.as_str()).collect();
        tracing::warn!(?epochs, moved = moved.len(), "the hub's copies replace the own ones");
        for chunk in moved.chunks(MOVED_PER_COMMIT) {
            let records = chunk.iter().map(|(_, _, record)| record.clone()).collect();
            self.commit(Vec::new(), records).await?;
        }
        for (head, same) in apart {
            let mut after = same;
            while after < head.seq {
                let page = self.own(&head.epoch, after).await?;
                after = self.take(&page).await?;
            }
            // What the own copy had elsewhere in the epoch is in the hub's copy too.
            let acked = self.door.storage.ack_mark_of(&head.epoch)?.seq;
            self.decide(&head.epoch, (acked.min(same), head.seq)).await?;
            self.commit(vec![acknowledged(mark(&head))], Vec::new()).await?;
        }
        Ok(())
    }

    /// Up to where the own copy of an epoch is the hub's; what the hub has of it is not lost.
    async fn same(&self, head: &Head, lost: &mut Lost) -> Result<u64, CallError> {
        let (mut after, mut same) = (0, 0_u64);
        while after < head.seq {
            let page = self.own(&head.epoch, after).await?;
            for event in &page.events {
                lost.remove(&event_id(event));
                let here = same.saturating_add(1) == event.seq;
                if here && self.door.storage.hash_at(&head.epoch, event.seq)?.as_ref() == Some(&event.hash) {
                    same = event.seq;
                }
            }
            after = last(&page, after)?;
        }
        Ok(same)
    }

    /// The own records of epochs by id.
    fn own_records(&self, heads: &[Head]) -> Result<Lost, CallError> {
        let mut records = Lost::new();
        for (order, head) in heads.iter().enumerate() {
            self.walk(&head.epoch, |event| {
                records.entry(event_id(&event)).or_insert((order, event.seq, event.record));
            })?;
        }
        Ok(records)
    }

    /// What an epoch that is not replaced has too is at the hub, or will be.
    fn forget_known(&self, apart: &[(Head, u64)], lost: &mut Lost) -> Result<(), CallError> {
        let stays = |epoch: &str| apart.iter().all(|(head, _)| head.epoch != epoch);
        for other in self.door.storage.lineage()?.iter().filter(|other| stays(&other.epoch)) {
            if lost.is_empty() {
                break;
            }
            self.walk(&other.epoch, |event| drop(lost.remove(&event_id(&event))))?;
        }
        Ok(())
    }

    fn walk(&self, epoch: &str, mut visit: impl FnMut(PushEvent)) -> Result<(), CallError> {
        let mut after = 0;
        loop {
            let page = self.door.storage.records(epoch, after, COMPARED_EVENTS, COMPARED_BYTES)?.1;
            let Some(last) = page.last().map(|event| event.seq) else { return Ok(()) };
            page.into_iter().for_each(&mut visit);
            after = last;
        }
    }
}

/// The id of a record; one that can't be read is told apart by its text.
fn event_id(event: &PushEvent) -> String {
    record::event_id(&event.record).unwrap_or_else(|| event.record.as_str().into()).into_owned()
}
