//! State of this copy of the store at the hub: fenced, apart, or welcome; kept, so that a start
//! without the hub knows it too.

use super::proof::PARKED_AT_ONCE;
use super::{OWNER_DEADLINE, State};
use crate::hub::hub_client::{CallError, Cause};
use crate::hub::outbox::parked_note;
use crate::hub::standing::update_standing;
use crate::message::LedgerMessage;
use crate::runtime::decide::sync_event;
use crate::supervision::tree::{LEDGER, SHIFTS};
use crate::view::value;
use domain::model::base::event::{Event, fact};
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::AckMark;
use domain::model::hub::sync::local::{Change, LinkRow, ParkedNote, Trouble};
use domain::rules::hub::sync::problem::SKEW_MS_MAX;
use domain::rules::hub::sync::session::unacknowledged;
use domain::wire::sync::{HelloAnswer, PUSH_EVENTS_MAX, ParkedSince};
use std::collections::BTreeMap;
use storage::StorageError;
use tokio::sync::oneshot;
use tokio::time::timeout;

impl State {
    /// The standing after this, unless the store belongs to another hub meanwhile.
    pub(super) async fn update_standing(
        &self,
        decide: impl FnOnce(LinkRow) -> LinkRow,
    ) -> Result<(), CallError> {
        update_standing(&self.context, self.hub.as_ref(), Vec::new(), decide).await?;
        Ok(())
    }

    /// Merges the hub's time. If this clock is far ahead, it continues from the hub's time.
    pub(super) async fn merge_hub_time(&self, hub_time: UtcMs) -> Result<(), CallError> {
        match self.context.stamps.merge_hub_time(hub_time) {
            None => Ok(()),
            Some(hlc) => {
                tracing::warn!(hlc, "the clock was more than five minutes ahead of the hub's");
                Ok(self.context.commit(vec![sync_event(Change::ClockReset { hlc })]).await?)
            }
        }
    }

    /// A hello was answered with ok: this copy is the shop.
    pub(super) async fn welcome(&mut self, answer: &HelloAnswer) -> Result<(), CallError> {
        self.generation.clone_from(&answer.hub_generation);
        self.limits.clone_from(&answer.limits);
        self.parked(answer).await?;
        self.conflicts(answer).await?;
        let generation = answer.hub_generation.clone();
        let known = self.context.storage.sync().standing()?.generation;
        if known != generation {
            // Acknowledgements of another generation don't count. The heads in the answer have the positions of this
            // one.
            let in_answer = |epoch: &str| answer.heads.iter().any(|head| head.epoch == epoch);
            let lineage = self.context.storage.outbox().lineage()?;
            let untold = lineage.iter().filter(|state| !in_answer(&state.epoch) && state.acked_seq > 0);
            self.context
                .commit(untold.map(|state| acknowledged(unacknowledged(&state.epoch))).collect())
                .await?;
        }
        let ahead_ms = self.context.stamps.now().0.saturating_sub(answer.hub_time.0);
        let off = ahead_ms.abs() > SKEW_MS_MAX;
        self.update_standing(|before| {
            let skewed_at = off.then(|| before.skewed_at.unwrap_or(answer.hub_time));
            let (fenced_at, replaced_at, hub_n) = (None, None, answer.n);
            LinkRow { fenced_at, replaced_at, apart: false, hub_n, generation, skewed_at, ..before }
        })
        .await?;
        self.context.sync.succeeded(self.context.stamps.now(), answer.hub_time);
        Ok(())
    }

    /// Keeps the list of the hub: records that it has applied since leave it, and those that it names are noted, also
    /// ones that this copy does not know, since it was restored. Without a list the hub keeps more than it names, and
    /// the notes stay. It works a page and a commit at a time, so that tills get in between and no commit grows with
    /// the number of notes.
    async fn parked(&self, answer: &HelloAnswer) -> Result<(), CallError> {
        let Some(parked) = &answer.parked else { return Ok(()) };
        let mut named: BTreeMap<(String, u64), &ParkedSince> =
            parked.iter().map(|at| ((at.epoch.clone(), at.parked.seq), at)).collect();
        let mut after: Option<(String, u64)> = None;
        loop {
            let key = after.as_ref().map(|(epoch, seq)| (epoch.as_str(), *seq));
            let notes = self.context.storage.sync().parked(key, PARKED_AT_ONCE)?;
            let Some(last) = notes.last() else { break };
            after = Some((last.epoch.clone(), last.seq));
            let mut events: Vec<Event> = Vec::new();
            for note in notes {
                match named.remove(&(note.epoch.clone(), note.seq)) {
                    Some(at) => events.extend(self.noted(at, Some(&note))?),
                    None => {
                        let gone = Change::Unparked { epoch: note.epoch, seq: note.seq };
                        events.push(sync_event(gone));
                    }
                }
            }
            self.context.commit(events).await?;
        }
        let unknown: Vec<&ParkedSince> = named.into_values().collect();
        for page in unknown.chunks(PARKED_AT_ONCE) {
            let events: Vec<Option<Event>> =
                page.iter().map(|at| self.noted(at, None)).collect::<Result<_, _>>()?;
            self.context.commit(events.into_iter().flatten().collect()).await?;
        }
        Ok(())
    }

    /// The note of a record that the hub names, if it differs from the one that is kept.
    fn noted(&self, at: &ParkedSince, kept: Option<&ParkedNote>) -> Result<Option<Event>, StorageError> {
        let note = parked_note(&self.context.storage, &at.epoch, at.parked.clone(), at.parked_at)?;
        Ok((kept != Some(&note)).then(|| sync_event(Change::Parked { note })))
    }

    /// Losing values that are not known here, because the answer that reported them was lost. Known ones stay as they
    /// are: they may have been put back.
    async fn conflicts(&self, answer: &HelloAnswer) -> Result<(), CallError> {
        let mut events = Vec::new();
        for conflict in answer.conflicts.iter().take(PUSH_EVENTS_MAX) {
            let id = conflict.conflict_id.clone();
            if self.context.storage.sync().conflict(&id)?.is_none() {
                events.push(sync_event(Change::Conflict { id, conflict: value(conflict) }));
            }
        }
        Ok(self.context.commit(events).await?)
    }

    /// Keeps the consequences of a failure for this copy and for the link: the time it began is kept over a restart.
    pub(super) async fn keep_standing(&self, error: &CallError) -> Result<(), CallError> {
        let now = self.context.stamps.now();
        let code = match error.cause {
            Cause::Fenced => return self.fenced(now, None).await,
            Cause::Replaced { at } => return self.fenced(now, Some(at)).await,
            Cause::Rejected | Cause::Refused(_) | Cause::Exceeded(_) => "rejected",
            // The store's own disk is the cause, and is reported as such.
            _ if self.context.storage.writable().is_err() => return Ok(()),
            _ => "unreachable",
        };
        let apart = error.cause == Cause::Diverged;
        self.update_standing(|standing| {
            let known = standing.trouble.filter(|trouble| trouble.code == code);
            let new = || Trouble { code: code.to_owned(), message: error.message.clone(), since: now };
            let trouble = Some(known.unwrap_or_else(new));
            LinkRow { apart: standing.apart || apart, trouble, ..standing }
        })
        .await
    }

    /// `replaced_at`: if another box was enrolled for this store.
    async fn fenced(&self, now: UtcMs, replaced_at: Option<UtcMs>) -> Result<(), CallError> {
        self.update_standing(|standing| {
            if standing.fenced_at.is_none() {
                tracing::error!("another copy of this store has taken over: this one can't sell");
            }
            let fenced_at = standing.fenced_at.or(Some(now));
            LinkRow { fenced_at, replaced_at, trouble: None, ..standing }
        })
        .await
    }

    /// Everything works: clears the problem of the link.
    pub(super) async fn well(&self) -> Result<(), CallError> {
        if self.context.storage.sync().standing()?.trouble.is_none() {
            return Ok(());
        }
        self.update_standing(|standing| LinkRow { trouble: None, ..standing }).await
    }

    /// Opens an epoch: the ledger and every shift restart in it.
    pub(super) async fn open_epoch(&self, n: u64) -> Result<(), CallError> {
        open_epoch(&self.context, n).await.map_err(CallError::transient)
    }
}

/// Makes the ledger open the epoch `n`, then makes all others load what remains.
pub(crate) async fn open_epoch(
    context: &crate::runtime::context::Context,
    n: u64,
) -> Result<(), &'static str> {
    // IDs are random; their hash is as long as the random part of an epoch has to be.
    let random = domain::model::hub::chain::next(
        domain::model::hub::chain::GENESIS,
        &(context.config.source.id)("epo_"),
    );
    let epoch = format!("{n}-{}", random.get(..16).unwrap_or_default());
    let (opened, done) = oneshot::channel();
    let message = LedgerMessage::OpenEpoch { epoch, opened };
    context.ledger.send(message).await.map_err(|_| "the ledger is restarting")?;
    let opened = timeout(OWNER_DEADLINE, done).await;
    // Their memory is of the epoch before, and later submissions were shut out. So they were if the epoch was not
    // opened.
    for actor in [LEDGER, SHIFTS] {
        context.tree.renew(actor).await.map_err(|_| "an actor is restarting")?;
    }
    opened.ok().and_then(Result::ok).ok_or("the epoch could not be opened")
}

/// An event of a mark.
pub(super) fn acknowledged(mark: AckMark) -> Event {
    fact::RecordsAcknowledged { mark }.into()
}
