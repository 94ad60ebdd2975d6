//! Synchronisation as people see it: its state, and "now, please".

use super::StoreHandle;
use crate::hub::hub_connection::open_epoch;
use crate::hub::standing::update_standing;
use crate::hub::sync_state::{Link, LinkState, fenced_refusal};
use crate::message::HubMessage;
use crate::runtime::failure::Failure;
use crate::view::{
    ConflictView, Conflicts, Forced, HubStatus, InboundStatus, LinkStatus, OutboxStatus, SyncStatus,
    UntakenStatus, value,
};
use domain::model::base::ids::MemberId;
use domain::model::base::refusal::Refusal;
use domain::model::hub::sync::local::{ConflictNote, LinkRow, SoldIn};
use domain::model::people::member::MemberState;
use domain::rules::hub::sync::problem::{Differing, Facts, Held, Unusable, problems};
use domain::rules::hub::sync::session::rejoin_n;
use domain::wire::feed::lane::LANES;
use domain::wire::sync::Backlog;
use serde_json::Value;
use std::time::Duration;
use storage::{Storage, StorageError};
use tokio::sync::oneshot;

/// Time that a forced synchronisation is waited for.
const FORCE_DEADLINE: Duration = Duration::from_secs(10);
/// Number of attempts to open an epoch if the connection opened one at the same moment.
const REJOIN_ATTEMPTS: u32 = 3;
/// Conflicts that the status names.
const RECENT_CONFLICTS: usize = 20;
/// Notes that are searched for the one with the earliest time.
const LOOKED_AT: usize = 1_000;
/// Business days that a problem names.
const DAYS_NAMED: usize = 3;
/// Records of the feed that can't be used: up to this many are counted …
const UNTAKEN_COUNTED: usize = 10_000;
/// … and up to this many are named.
const UNTAKEN_NAMED: usize = 20;
const UNFINISHED: &str = "not finished after 10 s; it continues";

impl StoreHandle {
    /// Stores the time zone and currency of the settings, by which sales are dated and counted.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while the standing is written by others, [`Failure::Internal`].
    pub async fn keep_terms(&self, terms: SoldIn) -> Result<(), Failure> {
        if self.context.storage.sync().standing()?.terms.as_ref() == Some(&terms) {
            return Ok(());
        }
        let keep = |standing| LinkRow { terms: Some(terms), ..standing };
        update_standing(&self.context, None, Vec::new(), keep).await?;
        Ok(())
    }

    /// State of the link to the hub: `online`, `offline` or `not_configured`.
    pub fn hub_state(&self) -> &'static str {
        match self.context.sync.get().state {
            LinkState::NotConfigured => "not_configured",
            LinkState::Online => "online",
            LinkState::Offline | LinkState::BackingOff | LinkState::Rejected => "offline",
        }
    }

    /// Refusal of every change while another copy is the store. `None` if this one is.
    pub fn fenced(&self) -> Option<Refusal> {
        let link = self.context.sync.get();
        link.fenced_at.map(|_| fenced_refusal(link.replaced))
    }

    /// The answer of `GET /sync/status`.
    ///
    /// # Errors
    /// [`Failure::Internal`] when storage can't be read.
    pub fn sync_status(&self) -> Result<Value, Failure> {
        let link = self.context.sync.get();
        let storage = &self.context.storage;
        // In this order a concurrent acknowledgement shows too large a backlog, never an empty one.
        let (head, backlog, mark) =
            (storage.head(), storage.outbox().backlog()?, storage.outbox().ack_mark()?);
        let (conflicts, newest) = storage.sync().newest_conflicts(RECENT_CONFLICTS)?;
        let parked = held(storage)?;
        let untaken = storage.sync().untaken(UNTAKEN_COUNTED)?;
        let (alone, none) = (link.state == LinkState::NotConfigured, Backlog::default());
        let facts = Facts {
            standing: &storage.sync().standing()?,
            last_error: link.last_error.as_deref(),
            // Without a head office nothing is to be sent.
            backlog: if alone { &none } else { &backlog },
            parked: parked.clone(),
            differing: differing(storage)?,
            unusable: Unusable {
                count: untaken.len() as u64,
                first: untaken.iter().min_by_key(|note| note.at).cloned(),
            },
            clock_skew_ms: link.clock_skew_ms,
        };
        let problems = problems(&facts, self.context.stamps.now());
        let cursors = LANES.iter().map(|lane| storage.sync().lane_cursor(lane));
        let cursor = cursors.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().max_by_key(|row| row.1);
        let first = untaken.iter().take(UNTAKEN_NAMED).cloned().collect();
        Ok(value(&SyncStatus {
            problems,
            hub: HubStatus {
                configured: !alone,
                state: link.state.name(),
                url: link.url,
                last_success_at: link.last_success_at,
                last_error: link.last_error,
                next_attempt_at: link.next_attempt_at,
                attempt: link.attempt,
            },
            outbox: OutboxStatus {
                pending: backlog.pending,
                oldest_pending_at: backlog.oldest_pending_at,
                last_seq: head.seq,
                acked_seq: mark.seq.min(head.seq),
                epoch: head.epoch,
                head_hash: head.hash,
                parked: parked.count,
                fenced: link.fenced_at.is_some(),
            },
            inbound: InboundStatus {
                cursor: cursor.map(|(cursor, _)| cursor),
                last_change_at: link.last_change_at,
                untaken: UntakenStatus { total: untaken.len() as u64, records: first },
            },
            conflicts: Conflicts {
                total: conflicts,
                recent: newest.into_iter().map(|note| self.conflict_view(note)).collect::<Result<_, _>>()?,
            },
            clock_skew_ms: link.clock_skew_ms,
        }))
    }

    /// A conflict as people see it: without values if its member was erased.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn conflict_view(&self, note: ConflictNote) -> Result<ConflictView, StorageError> {
        let conflict = &note.conflict;
        let of_member = conflict.resource == "member";
        let id = of_member.then(|| MemberId(conflict.id.clone()));
        let member = id.map(|id| self.storage().members().member(&id)).transpose()?.flatten();
        let is_erased = member.is_some_and(|member| member.state == MemberState::Erased);
        let view = ConflictView::of(note);
        Ok(if is_erased { view.without_values() } else { view })
    }

    /// The answer of `GET /pos/status`: the state of the link that every till may see.
    ///
    /// # Errors
    /// [`Failure::Internal`] when storage can't be read.
    pub fn link_status(&self) -> Result<LinkStatus, Failure> {
        let link = self.context.sync.get();
        let alone = link.state == LinkState::NotConfigured;
        let backlog = if alone { None } else { Some(self.context.storage.outbox().backlog()?) };
        Ok(LinkStatus {
            hub_state: link.state.name(),
            hub_seen_at: link.last_success_at,
            pending: backlog.as_ref().map_or(0, |backlog| backlog.pending),
            oldest_pending_at: backlog.and_then(|backlog| backlog.oldest_pending_at),
            as_of: self.catalogue_as_of()?,
            clock_skew_ms: link.clock_skew_ms,
        })
    }

    /// Synchronises now: resets the backoff and waits up to 10 s until the hub has all records that existed at the
    /// call and the feed is read to its end. An unreachable hub is not an error.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while the hub connection restarts.
    pub async fn force_sync(&self, full: bool) -> Result<Value, Failure> {
        let before = self.context.sync.get();
        if before.state == LinkState::NotConfigured {
            return self.force_answer(&before, Some("no hub is configured".to_owned()));
        }
        let target = self.context.storage.head().seq;
        let deadline = tokio::time::Instant::now() + FORCE_DEADLINE;
        let mut links = self.context.sync.watch();
        let (begun, started) = oneshot::channel();
        let asked = self.context.hub.send(HubMessage::Force { full, begun }).await;
        asked.map_err(|_| Failure::Unavailable("the hub connection is restarting"))?;
        // Results of an earlier call from here on do not count for this one.
        let started = match tokio::time::timeout_at(deadline, started).await {
            Ok(Ok(link)) => link,
            Ok(Err(_)) => return self.force_answer(&before, Some(failure_of(self.context.sync.get()))),
            Err(_) => return self.force_answer(&before, Some(UNFINISHED.to_owned())),
        };
        loop {
            let link = links.borrow_and_update().clone();
            let pushed = link.hub_seq.is_some_and(|seq| seq >= target);
            if pushed && link.pulled_to_end > started.pulled_to_end {
                return self.force_answer(&started, None);
            }
            if link.failures > started.failures {
                return self.force_answer(&started, Some(failure_of(link)));
            }
            if !matches!(tokio::time::timeout_at(deadline, links.changed()).await, Ok(Ok(()))) {
                return self.force_answer(&started, Some(UNFINISHED.to_owned()));
            }
        }
    }

    /// Sends hello again, because the state of backups or disk has changed. A hub connection that is restarting sends
    /// hello anyway.
    pub async fn say_hello(&self) {
        let _ = self.context.hub.send(HubMessage::HelloAgain).await;
    }

    /// Makes this copy the active one: opens an epoch after all known ones, in which it sells again, and sends hello.
    /// Returns the epoch.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while an actor restarts; `invalid_state` if another box was enrolled for this store:
    /// the hub would refuse this one in any epoch.
    pub async fn rejoin(&self) -> Result<String, Failure> {
        let storage = &self.context.storage;
        if storage.sync().standing()?.replaced_at.is_some() {
            return Err(fenced_refusal(true).into());
        }
        let mut attempts = 0..REJOIN_ATTEMPTS;
        loop {
            let n = rejoin_n(&storage.outbox().lineage()?, storage.sync().standing()?.hub_n);
            match open_epoch(&self.context, n).await {
                Ok(()) => break,
                // The connection may be opening an epoch at this moment, and the ledger restarts under this one.
                Err(why) if attempts.next().is_none() => return Err(Failure::Unavailable(why)),
                Err(_) => {}
            }
        }
        let now = self.context.stamps.now();
        let recovering_at = storage.sync().hub()?.is_some().then_some(now);
        let welcome = |standing| LinkRow { fenced_at: None, apart: false, recovering_at, ..standing };
        update_standing(&self.context, None, Vec::new(), welcome).await?;
        // A hub connection that is restarting sends hello anyway.
        let _ = self.context.hub.send(HubMessage::OutboxStarted).await;
        Ok(storage.head().epoch)
    }

    fn force_answer(&self, before: &Link, error: Option<String>) -> Result<Value, Failure> {
        let link = self.context.sync.get();
        Ok(value(&Forced {
            pushed: link.pushed.saturating_sub(before.pushed),
            acked_seq: self.context.storage.outbox().ack_mark()?.seq,
            pulled: link.pulled.saturating_sub(before.pulled),
            completed: error.is_none(),
            error,
        }))
    }
}

/// The last error; a link that is well again has forgotten it.
fn failure_of(link: Link) -> String {
    link.last_error.unwrap_or_else(|| "the link was lost and is being restored".to_owned())
}

/// Records that the hub keeps and can't apply: they came to it in the order in which they are read.
fn held(storage: &Storage) -> Result<Held, Failure> {
    let since = storage.sync().parked(None, LOOKED_AT)?.iter().map(|note| note.parked_at).min();
    Ok(Held { count: storage.sync().parked_count()?, since })
}

fn differing(storage: &Storage) -> Result<Differing, Failure> {
    let (count, days) = storage.days().differing_days(LOOKED_AT)?;
    let since = days.iter().map(|(_, since)| *since).min();
    Ok(Differing { count, since, first: days.into_iter().map(|(day, _)| day).take(DAYS_NAMED).collect() })
}
