//! The daily proof: acknowledged records are counted by business day, and for each day that is over the hub is asked
//! whether its counts are the same.
//!
//! One task for each session, ended with it. Its writes are based on its reads, so the next task waits until a commit
//! that this one had begun is complete: otherwise it would read the days with that commit and their position without
//! it.

use crate::hub::hub_client::{CallError, HubClient};
use crate::message::HubMessage;
use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use domain::model::base::business_date::business_date;
use domain::model::hub::sync::local::{Change, DayFigures, DayProof};
use domain::wire::sync::{Digest, DigestAnswer, DigestResult};
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use storage::StorageError;
use tokio::sync::OwnedMutexGuard;
use tokio::task::JoinHandle;
use tokio::time::Instant;

mod count;
mod due;

use count::count;
use due::{Look, proving};

/// Days are looked at this often while a session lasts, and no proof waits longer for the outbox.
const PERIOD: Duration = Duration::from_secs(60);
/// Interval after which a day without a match, or with parked records, is asked for again.
const AGAIN: Duration = Duration::from_secs(600);
/// Bytes of records that are counted at once.
const COUNTED_BYTES: usize = 1024 * 1024;

/// Due days, or parked records, that are read at once.
const DAYS_AT_ONCE: usize = 100;
pub(super) const PARKED_AT_ONCE: usize = 500;

/// The task, which ends when this is dropped.
pub(super) struct Proving(JoinHandle<()>);

impl Drop for Proving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Proves day after day for as long as the session lasts.
pub(super) fn prove(context: Context, client: HubClient, generation: String) -> Proving {
    Proving(tokio::spawn(async move {
        let alone = Arc::new(context.sync.lock_proving().await);
        let mut prover = Prover { context, client, generation, alone, asked: BTreeMap::new() };
        let begun = Instant::now();
        loop {
            prover.settled().await;
            if let Err(error) = prover.round().await {
                // Errors are ignored: the calls of the connection report them, and the days are requested again.
                tracing::warn!(%error, "the days could not be compared with the hub");
            }
            if asks_for_parked(prover.context.storage.sync().parked_count(), begun.elapsed()) {
                // Hello names the records that are still parked. It begins another session, and ends this one.
                let _ = prover.context.hub.send(HubMessage::OutboxStarted).await;
            }
            tokio::time::sleep(PERIOD).await;
        }
    }))
}

/// Whether the hub is asked again which records are still parked: a person may have had some of them applied.
fn asks_for_parked(parked: Result<u64, StorageError>, session: Duration) -> bool {
    session >= AGAIN && parked.is_ok_and(|parked| parked > 0)
}

struct Prover {
    context: Context,
    client: HubClient,
    generation: String,
    /// Held by the task and by each of its commits.
    alone: Arc<OwnedMutexGuard<()>>,
    /// When a day was asked for that was no clean match.
    asked: BTreeMap<Date, Instant>,
}

impl Prover {
    /// Waits until the hub has everything: a day that is half there is no difference worth an alarm.
    async fn settled(&self) {
        let mut links = self.context.sync.watch();
        let waiting = async {
            loop {
                links.borrow_and_update();
                let behind = |lineage: Vec<domain::wire::sync::EpochState>| {
                    lineage.iter().any(|state| state.acked_seq < state.head_seq)
                };
                if !self.context.storage.outbox().lineage().is_ok_and(behind)
                    || links.changed().await.is_err()
                {
                    break;
                }
            }
        };
        // A shop that never stops selling has its earlier days proven all the same.
        let _ = tokio::time::timeout(PERIOD, waiting).await;
    }

    async fn round(&mut self) -> Result<(), CallError> {
        loop {
            let storage = self.context.storage.clone();
            let counted = tokio::task::spawn_blocking(move || count(&storage)).await;
            let counted = counted.map_err(|_| CallError::transient("the daemon is stopping"))??;
            if counted.is_empty() {
                break;
            }
            self.commit(counted).await?;
        }
        while let Some(changes) = proving(&self.context.storage, &self.generation)? {
            self.commit(changes).await?;
        }
        let mut after = None;
        loop {
            let days = self.context.storage.days().due_days(after, DAYS_AT_ONCE)?;
            after = days.last().copied();
            let mut proven = Vec::new();
            for day in &days {
                match self.look_at(*day)? {
                    Look::Due(figures) => self.send_digest(figures).await?,
                    Look::Proven => proven.push(Change::Proven { day: *day }),
                    Look::Waits => {}
                }
            }
            if !proven.is_empty() {
                self.commit(proven).await?;
            }
            if days.len() < DAYS_AT_ONCE {
                return Ok(());
            }
        }
    }

    /// Whether a day that was noted as due is over, and not proven as it is now.
    fn look_at(&self, date: Date) -> Result<Look, StorageError> {
        let (storage, rules) = (&self.context.storage, &self.context.rules.now());
        let tally = storage.days().tally()?.number;
        let Some(day) = storage.days().day_figures(date)?.filter(|day| day.tally == tally) else {
            // From an earlier count: it no longer has records.
            return Ok(Look::Proven);
        };
        let today = business_date(self.context.stamps.now(), &rules.timezone, rules.day_start);
        if date >= today && storage.days().day(date)?.is_none() {
            return Ok(Look::Waits);
        }
        let proof = storage.days().day_proof(date)?;
        let same = |proof: &DayProof| proof.types == day.types && proof.generation == self.generation;
        Ok(match proof.filter(same) {
            Some(proof) if proof.clean() => Look::Proven,
            Some(_) if self.asked.get(&date).is_some_and(|at| at.elapsed() < AGAIN) => Look::Waits,
            _ => Look::Due(day),
        })
    }

    async fn send_digest(&mut self, day: DayFigures) -> Result<(), CallError> {
        let lineage = self.context.storage.outbox().lineage()?;
        let heads =
            self.context.storage.days().tally()?.named(lineage.iter().map(|state| state.epoch.as_str()));
        let DayFigures { business_date, types, .. } = day;
        let digest = Digest { business_date, heads, types };
        let answer = self.client.digest(&digest).await?;
        if answer.hub_generation != self.generation {
            return Err(CallError::other_generation());
        }
        if answer.result != DigestResult::Match || answer.parked > 0 {
            self.asked.insert(business_date, Instant::now());
        }
        self.keep(digest, answer).await
    }

    async fn keep(&mut self, digest: Digest, answer: DigestAnswer) -> Result<(), CallError> {
        let storage = &self.context.storage;
        let date = digest.business_date;
        let matches = answer.result == DigestResult::Match;
        if answer.result == DigestResult::Difference {
            let first = answer.first_difference.as_ref().map(crate::view::value);
            tracing::error!(%date, ?first, "the hub has different figures for this day");
        }
        let before = storage.days().day_proof(date)?.and_then(|proof| proof.since);
        let proof = DayProof {
            business_date: date.to_string(),
            result: crate::view::value(&answer.result).as_str().unwrap_or_default().to_owned(),
            parked: answer.parked,
            first_difference: answer.first_difference.as_ref().map(crate::view::value),
            at: answer.hub_time,
            generation: self.generation.clone(),
            types: digest.types,
            since: if matches { None } else { before.or(Some(answer.hub_time)) },
        };
        if answer.parked == 0 && answer.result != DigestResult::NotYet {
            self.unpark(date).await?;
        }
        if proof.clean() {
            self.asked.remove(&date);
        }
        self.commit(vec![Change::Day { proof }]).await
    }

    /// Notes that the parked records of a day were applied since.
    async fn unpark(&self, date: Date) -> Result<(), CallError> {
        let mut after: Option<(String, u64)> = None;
        loop {
            let key = after.as_ref().map(|(epoch, seq)| (epoch.as_str(), *seq));
            let notes = self.context.storage.sync().parked(key, PARKED_AT_ONCE)?;
            let Some(last) = notes.last() else { return Ok(()) };
            after = Some((last.epoch.clone(), last.seq));
            let applied = notes.into_iter().filter(|note| note.business_date == Some(date));
            let applied: Vec<Change> =
                applied.map(|note| Change::Unparked { epoch: note.epoch, seq: note.seq }).collect();
            if !applied.is_empty() {
                self.commit(applied).await?;
            }
        }
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<(), CallError> {
        let (context, alone) = (self.context.clone(), self.alone.clone());
        // In a task of its own, because ending this one does not take back what the journal has received.
        let through = tokio::spawn(async move {
            let done = context.commit(changes.into_iter().map(sync_event).collect()).await;
            drop(alone);
            done
        });
        Ok(through.await.map_err(|_| CallError::transient("the daemon is stopping"))??)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_with_parked_records_asks_again_after_a_while() {
        for (parked, minutes, expected) in [(1, 10, true), (1, 9, false), (0, 60, false)] {
            assert_eq!(
                asks_for_parked(Ok(parked), Duration::from_secs(minutes * 60)),
                expected,
                "{parked} {minutes}"
            );
        }
    }
}
