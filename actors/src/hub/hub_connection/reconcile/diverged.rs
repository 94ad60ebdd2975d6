//! Epochs that two copies wrote: the hub's copy counts, and nothing that only the own one has is lost.

use super::super::standing::acknowledged;
use super::{Completion, last};
use crate::hub::hub_client::CallError;
use domain::rules::hub::sync::session::mark;
use domain::wire::record;
use domain::wire::sync::{ChainHead, PushEvent};
use storage::Commit;
use storage::Scratch;

/// Records read at once while two copies of an epoch are compared.
const COMPARED_EVENTS: usize = 500;
/// Bytes read at once then.
const COMPARED_BYTES: usize = 1024 * 1024;
/// Records that are searched at once for those that are moved to the current epoch in one commit.
const MOVED_PER_COMMIT: usize = 200;

impl Completion {
    /// Replaces earlier epochs by the hub's copies, from where they diverge. Records that only the store has are first
    /// moved to the current epoch with unchanged text, so that they are found there after an interruption.
    pub(super) async fn replace(&self, heads: Vec<ChainHead>) -> Result<(), CallError> {
        if heads.is_empty() {
            return Ok(());
        }
        // The IDs of a whole history don't fit into memory: they are stored on the store's own disk.
        let mut known = self.context.storage.scratch()?;
        let mut diverged = Vec::with_capacity(heads.len());
        for head in heads {
            let same = self.same(&head, &mut known).await?;
            diverged.push((head, same));
        }
        self.note_others(&diverged, &mut known)?;
        let mut moved = 0;
        for (head, _) in &diverged {
            moved += self.move_lost(&head.epoch, &mut known).await?;
        }
        let epochs: Vec<&str> = diverged.iter().map(|(head, _)| head.epoch.as_str()).collect();
        tracing::warn!(?epochs, moved, "the hub's records replace this store's own ones");
        for (head, same) in diverged {
            let mut after = same;
            while after < head.seq {
                let page = self.fetch_own(&head.epoch, after).await?;
                after = self.take(&page).await?;
            }
            // Records that the own copy had elsewhere in the epoch are in the hub's copy too.
            let acked = self.context.storage.outbox().ack_mark_of(&head.epoch)?.seq;
            self.decide(&head.epoch, (acked.min(same), head.seq)).await?;
            self.context.commit(vec![acknowledged(mark(&head))]).await?;
        }
        Ok(())
    }

    /// Up to where the own copy of an epoch equals the hub's; the records that the hub has are not lost.
    async fn same(&self, head: &ChainHead, known: &mut Scratch) -> Result<u64, CallError> {
        let (mut after, mut same) = (0, 0_u64);
        while after < head.seq {
            let page = self.fetch_own(&head.epoch, after).await?;
            for event in &page.events {
                known.add(event_id(event).as_bytes())?;
                let here = same.saturating_add(1) == event.seq;
                if here
                    && self.context.storage.outbox().hash_at(&head.epoch, event.seq)?.as_ref()
                        == Some(&event.hash)
                {
                    same = event.seq;
                }
            }
            after = last(&page, after)?;
        }
        Ok(same)
    }

    /// Notes that the records of an epoch that is not replaced are at the hub, or will be.
    fn note_others(&self, diverged: &[(ChainHead, u64)], known: &mut Scratch) -> Result<(), CallError> {
        let stays = |epoch: &str| diverged.iter().all(|(head, _)| head.epoch != epoch);
        for other in self.context.storage.outbox().lineage()?.iter().filter(|other| stays(&other.epoch)) {
            let mut after = 0;
            while let Some((page, end)) = self.page(&other.epoch, after, COMPARED_EVENTS)? {
                for event in page {
                    known.add(event_id(&event).as_bytes())?;
                }
                after = end;
            }
        }
        Ok(())
    }

    /// Moves the own records of an epoch that are nowhere else to the current one, page by page; gives how many
    /// those were.
    async fn move_lost(&self, epoch: &str, known: &mut Scratch) -> Result<usize, CallError> {
        let (mut after, mut moved) = (0, 0);
        while let Some((page, end)) = self.page(epoch, after, MOVED_PER_COMMIT)? {
            let mut lost = Vec::new();
            for event in page {
                let id = event_id(&event);
                if !known.has(id.as_bytes())? {
                    known.add(id.as_bytes())?;
                    lost.push(event.record);
                }
            }
            if !lost.is_empty() {
                moved += lost.len();
                let at = self.context.stamps.now();
                // Each has the stamp that it was made with.
                let commit = Commit { events: Vec::new(), records: lost, keyed: None, at, hlc: None };
                self.context.storage.commit(commit).await?;
            }
            after = end;
        }
        Ok(moved)
    }

    /// A page of an epoch's own records, with its last seq; `None` if there are no more.
    fn page(
        &self,
        epoch: &str,
        after: u64,
        events_max: usize,
    ) -> Result<Option<(Vec<PushEvent>, u64)>, CallError> {
        let page = self.context.storage.outbox().records(epoch, after, events_max, COMPARED_BYTES)?.1;
        let end = page.last().map(|event| event.seq);
        Ok(end.map(|end| (page, end)))
    }
}

/// The ID of a record; one that can't be read is distinguished by its text.
fn event_id(event: &PushEvent) -> String {
    record::event_id(&event.record).unwrap_or_else(|| event.record.as_str().into()).into_owned()
}
