//! Completing the epochs: missing records of this copy come back by `own`, into the journal at their epoch and seq.

use super::State;
use super::standing::acknowledged;
use crate::hub::hub_client::{CallError, HubClient};
use crate::hub::outbox::{decided, kept};
use crate::hub::standing::update_standing;
use crate::message::HubMessage;
use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use crate::supervision::tree::{LEDGER, SHIFTS};
use domain::model::base::event::Event;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::HubIdentity;
use domain::model::hub::sync::local::{Change, LinkRow, RecoveryPosition};
use domain::rules::hub::recovery::Book;
use domain::rules::hub::sync::session::{Plan, mark};
use domain::wire::sync::{ChainHead, OwnAnswer};
use ractor::ActorRef;
use storage::Commit;

mod diverged;
mod names;
mod rows;

use rows::StoredRows;

/// Records that come back before anybody waits for the disk.
const REFILLED_AT_ONCE: usize = 100;

impl State {
    /// Carries a plan out beside the actor.
    pub(super) fn reconcile(
        &mut self,
        me: &ActorRef<HubMessage>,
        plan: Plan,
        hub_time: UtcMs,
    ) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let (me, number) = (me.clone(), self.plan);
        let (context, generation) = (self.context.clone(), self.generation.clone());
        let hub = self.hub.clone();
        let completion = Completion { context, hub, client, generation, hub_time, plan: number };
        tokio::spawn(async move {
            let result = completion.run(plan).await;
            // A connection that restarted meanwhile has a plan of its own.
            let _ = me.cast(HubMessage::Completed { plan: number, result });
        });
        Ok(())
    }
}

struct Completion {
    context: Context,
    hub: Option<HubIdentity>,
    client: HubClient,
    generation: String,
    hub_time: UtcMs,
    plan: u64,
}

impl Completion {
    async fn run(&self, plan: Plan) -> Result<(), CallError> {
        let earlier = || CallError::transient("an earlier session is still completing");
        let _alone = self.context.sync.lock_reconciliation().await.ok_or_else(earlier)?;
        self.current()?;
        if !plan.replace.is_empty() || !plan.refill.is_empty() {
            self.stop_selling().await?;
        }
        // Refills come first, so that `replace` sees which records only the store's own copies have.
        let mut diverged = plan.replace;
        for refill in plan.refill {
            if !self.refill(&refill.head).await? {
                diverged.push(refill.head);
            }
        }
        self.replace(diverged).await?;
        let now = |mark: &domain::model::hub::stamp::AckMark| {
            self.context.storage.outbox().ack_mark_of(&mark.epoch)
        };
        let mut moved = Vec::new();
        for mark in plan.marks {
            let before = now(&mark)?;
            moved.extend(kept(&self.context, &mark, &self.generation, self.hub_time)?);
            if before != mark {
                self.decide(&mark.epoch, (before.seq, mark.seq)).await?;
                moved.push(acknowledged(mark));
            }
        }
        self.context.commit(moved).await?;
        self.sell_again().await
    }

    /// Restarts the actors that keep rows in memory which are about to be refilled, and refuses commands until all
    /// records are there, so that these actors do not write meanwhile.
    async fn stop_selling(&self) -> Result<(), CallError> {
        let now = self.context.stamps.now();
        let since =
            |standing: LinkRow| LinkRow { refilling_at: standing.refilling_at.or(Some(now)), ..standing };
        update_standing(&self.context, self.hub.as_ref(), Vec::new(), since).await?;
        self.restart().await
    }

    async fn sell_again(&self) -> Result<(), CallError> {
        let before = self.context.storage.sync().standing()?;
        if before.refilling_at.is_none() && before.recovering_at.is_none() {
            return Ok(());
        }
        self.settle_names(&before.newcomers).await?;
        if before.refilling_at.is_some() {
            self.restart().await?;
        }
        let there =
            |standing| LinkRow { refilling_at: None, recovering_at: None, newcomers: Vec::new(), ..standing };
        update_standing(&self.context, self.hub.as_ref(), Vec::new(), there).await?;
        if before.refilling_at.is_some() {
            tracing::warn!("the store's records are complete: it can sell again");
        }
        Ok(())
    }

    async fn restart(&self) -> Result<(), CallError> {
        for actor in [LEDGER, SHIFTS] {
            let restarting = |_| CallError::transient("an actor is restarting");
            self.context.tree.renew(actor).await.map_err(restarting)?;
        }
        Ok(())
    }

    /// A completion whose session is over has nothing to write any more.
    fn current(&self) -> Result<(), CallError> {
        if self.context.sync.get().plan == self.plan {
            return Ok(());
        }
        Err(CallError::transient("another session began"))
    }

    /// The rest of an epoch comes down, from where the own copy ends. False: two copies wrote this epoch; the
    /// ends did not show it, the beginning does.
    async fn refill(&self, head: &ChainHead) -> Result<bool, CallError> {
        let lineage = self.context.storage.outbox().lineage()?;
        let own = lineage.iter().find(|state| state.epoch == head.epoch);
        let known = own.map_or(0, |state| state.head_seq);
        let mut after = known;
        while after < head.seq {
            let own = self.context.storage.outbox().hash_at(&head.epoch, after)?;
            let page = self.fetch_own(&head.epoch, after).await?;
            if page.events.first().is_some_and(|first| first.seq == after.saturating_add(1))
                && own.as_ref() != Some(&page.prev_hash)
            {
                return Ok(false);
            }
            after = self.take(&page).await?;
        }
        let acked = self.context.storage.outbox().ack_mark_of(&head.epoch)?.seq;
        self.decide(&head.epoch, (acked, known.min(head.seq))).await?;
        self.context.commit(vec![acknowledged(mark(head))]).await?;
        Ok(true)
    }

    /// Settles the own writes among these records before the acknowledgement is stored. Later nothing would look at
    /// them, and their values would override head office for good.
    async fn decide(&self, epoch: &str, span: (u64, u64)) -> Result<(), CallError> {
        for writes in decided(&self.context.storage, epoch, span, &[]) {
            let events: Vec<Event> =
                writes?.into_iter().map(|write| sync_event(Change::Decided { write })).collect();
            self.context.commit(events).await?;
        }
        Ok(())
    }

    /// Commits one page. Returns its last sequence number.
    async fn take(&self, page: &OwnAnswer) -> Result<u64, CallError> {
        let Some(first) = page.events.first() else {
            return Err(CallError::transient("the hub has fewer records than it said"));
        };
        let whole = page.events.iter().try_fold(page.prev_hash.clone(), |hash, event| {
            let next = domain::model::hub::chain::next(&hash, &event.record);
            (next == event.hash).then_some(next)
        });
        if whole.is_none() {
            return Err(CallError::rejected("the records that the hub sent back do not follow one another"));
        }
        let mut prev_hash = page.prev_hash.clone();
        for chunk in page.events.chunks(REFILLED_AT_ONCE) {
            self.current()?;
            let rows = StoredRows(&self.context.storage, self.context.config.sync.costs_max);
            let mut book = Book::new(&rows);
            for event in chunk {
                let (epoch, first_seq) = (page.epoch.clone(), event.seq);
                let refill = RecoveryPosition { epoch, first_seq, prev_hash: std::mem::take(&mut prev_hash) };
                let mut events = vec![sync_event(Change::Refill { refill })];
                events.extend(book.take(&event.record)?);
                self.submit(events, event.record.clone()).await?;
                prev_hash.clone_from(&event.hash);
            }
            // The next chunk begins from rows that have all of this one.
            self.context.storage.barrier().await?;
        }
        last(page, first.seq)
    }

    async fn fetch_own(&self, epoch: &str, after: u64) -> Result<OwnAnswer, CallError> {
        let page = self.client.download_history(epoch, after).await?;
        if page.hub_generation != self.generation {
            return Err(CallError::other_generation());
        }
        Ok(page)
    }

    /// Submits a record with its effects: a commit of its own, since a frame has each document at most once.
    async fn submit(&self, events: Vec<Event>, record: String) -> Result<(), CallError> {
        let permit = self.context.storage.own_permit().await?;
        let at = self.context.stamps.now();
        let commit = Commit { events, records: vec![record], keyed: None, at, hlc: None };
        let submitted = self.context.storage.submit(commit, move |_| drop(permit));
        submitted.map_err(|error| CallError::transient(error.to_string()))
    }
}

fn last(page: &OwnAnswer, after: u64) -> Result<u64, CallError> {
    let last = page.events.last().map(|event| event.seq).filter(|last| *last >= after);
    last.ok_or_else(|| CallError::transient("the hub has fewer records than it said"))
}
