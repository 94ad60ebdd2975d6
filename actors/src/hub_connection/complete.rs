//! Completing the epochs: what this copy lacks comes back by `own`, into the journal at its epoch and seq.

use super::standing::{acknowledged, change};
use super::{HubMessage, State};
use crate::door::Door;
use crate::hub_client::{CallError, HubClient};
use crate::outbox::decided;
use domain::event::Event;
use domain::record::Record;
use domain::sync::local::{Change, Refill};
use domain::sync::session::{Plan, mark};
use domain::sync::{Head, OwnAnswer, PushEvent};
use ractor::ActorRef;
use serde_json::Value;
use std::collections::HashMap;
use storage::Commit;

/// Records read at once while two copies of an epoch are compared.
const COMPARED_EVENTS: usize = 500;
/// Bytes read at once then.
const COMPARED_BYTES: usize = 1024 * 1024;
/// Records that are moved to the current epoch in one commit.
const MOVED_PER_COMMIT: usize = 200;

impl State {
    /// Carries a plan out beside the actor.
    pub(super) fn complete(&mut self, me: &ActorRef<HubMessage>, plan: Plan) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let completion = Completion { door: self.door.clone(), client, generation: self.generation.clone() };
        let (me, number) = (me.clone(), self.plan);
        tokio::spawn(async move {
            let result = completion.run(plan).await;
            // A connection that restarted meanwhile has a plan of its own.
            let _ = me.cast(HubMessage::Completed { plan: number, result });
        });
        Ok(())
    }
}

struct Completion {
    door: Door,
    client: HubClient,
    generation: String,
}

impl Completion {
    async fn run(&self, plan: Plan) -> Result<(), CallError> {
        for head in &plan.replace {
            self.replace(head).await?;
        }
        for (head, after) in &plan.refill {
            self.refill(head, *after).await?;
        }
        let now = |mark: &domain::event::AckMark| self.door.storage.ack_mark_of(&mark.epoch);
        let mut moved = Vec::new();
        for mark in plan.marks {
            let before = now(&mark)?;
            if before != mark {
                let span = (before.seq, mark.seq);
                let writes = decided(&self.door.storage, &mark.epoch, span, &[])?;
                moved.extend(writes.into_iter().map(|write| change(Change::Decided { write })));
                moved.push(acknowledged(mark));
            }
        }
        if moved.is_empty() { Ok(()) } else { self.commit(moved, Vec::new()).await }
    }

    /// The rest of an epoch comes down.
    async fn refill(&self, head: &Head, after: u64) -> Result<(), CallError> {
        let mut after = after;
        while after < head.seq {
            let own = self.door.storage.hash_at(&head.epoch, after)?;
            let page = self.own(&head.epoch, after).await?;
            if page.events.first().is_some_and(|first| first.seq == after.saturating_add(1))
                && own.as_ref() != Some(&page.prev_hash)
            {
                // The ends did not show it, the beginning does: two copies wrote this epoch.
                return Box::pin(self.replace(head)).await;
            }
            after = self.take(&page).await?;
        }
        self.commit(vec![acknowledged(mark(head))], Vec::new()).await
    }

    /// The hub's copy of an earlier epoch replaces the own one. What only the own one has is moved to the
    /// current epoch first, text unchanged: interrupted in between, it is moved again, and the hub knows it.
    async fn replace(&self, head: &Head) -> Result<(), CallError> {
        let mut lost = self.own_records(&head.epoch)?;
        let mut after = 0;
        while after < head.seq && !lost.is_empty() {
            let page = self.own(&head.epoch, after).await?;
            page.events.iter().for_each(|event| drop(lost.remove(&event_id(event))));
            after = last(&page, after)?;
        }
        self.forget_known(&head.epoch, &mut lost)?;
        let mut moved: Vec<(u64, String)> = lost.into_values().collect();
        moved.sort_unstable();
        tracing::warn!(epoch = head.epoch, moved = moved.len(), "the hub's copy replaces the own one");
        for chunk in moved.chunks(MOVED_PER_COMMIT) {
            let records = chunk.iter().map(|(_, record)| record.clone()).collect();
            self.commit(Vec::new(), records).await?;
        }
        let mut after = 0;
        while after < head.seq {
            let page = self.own(&head.epoch, after).await?;
            after = self.take(&page).await?;
        }
        self.commit(vec![acknowledged(mark(head))], Vec::new()).await
    }

    /// The own records of an epoch by id, with their seq.
    fn own_records(&self, epoch: &str) -> Result<HashMap<String, (u64, String)>, CallError> {
        let mut records = HashMap::new();
        self.walk(epoch, |event| {
            records.insert(event_id(&event), (event.seq, event.record));
        })?;
        Ok(records)
    }

    /// What another epoch of the lineage has too is at the hub, or will be.
    fn forget_known(&self, epoch: &str, lost: &mut HashMap<String, (u64, String)>) -> Result<(), CallError> {
        for other in self.door.storage.lineage()?.iter().filter(|other| other.epoch != epoch) {
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

    /// One page into the journal; gives its last seq.
    async fn take(&self, page: &OwnAnswer) -> Result<u64, CallError> {
        let Some(first) = page.events.first() else {
            return Err(CallError::transient("the hub has fewer records than it said"));
        };
        let whole = page.events.iter().try_fold(page.prev_hash.clone(), |hash, event| {
            let next = domain::chain::next(&hash, &event.record);
            (next == event.hash).then_some(next)
        });
        if whole.is_none() {
            return Err(CallError::rejected("the records that the hub sent back do not follow one another"));
        }
        let refill =
            Refill { epoch: page.epoch.clone(), first_seq: first.seq, prev_hash: page.prev_hash.clone() };
        let records: Vec<String> = page.events.iter().map(|event| event.record.clone()).collect();
        self.commit(vec![change(Change::Refill { refill })], records).await?;
        last(page, first.seq)
    }

    async fn own(&self, epoch: &str, after: u64) -> Result<OwnAnswer, CallError> {
        let page = self.client.own(epoch, after).await?;
        if page.hub_generation != self.generation {
            return Err(CallError::other_generation());
        }
        Ok(page)
    }

    async fn commit(&self, events: Vec<Event>, records: Vec<String>) -> Result<(), CallError> {
        let commit = Commit { events, records, keyed: None, at: self.door.stamps.now(), hlc: None };
        let stopping = |_| CallError::transient("the daemon is stopping");
        self.door.storage.commit(commit).await.map(|_| ()).map_err(stopping)
    }
}

fn last(page: &OwnAnswer, after: u64) -> Result<u64, CallError> {
    let last = page.events.last().map(|event| event.seq).filter(|last| *last >= after);
    last.ok_or_else(|| CallError::transient("the hub has fewer records than it said"))
}

/// The id of a record; one that can't be read is told apart by its text.
fn event_id(event: &PushEvent) -> String {
    serde_json::from_str::<Record<Value>>(&event.record)
        .map_or_else(|_| event.record.clone(), |record| record.event_id)
}
