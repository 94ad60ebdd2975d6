//! Present state of the hub link: written by outbox and hub connection, read by people.

use crate::runtime::failure::Failure;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::HubIdentity;
use domain::model::hub::sync::local::LinkRow;
use domain::wire::feed::lane::LANES;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, OwnedMutexGuard, watch};
use tokio::time::timeout;

const REFILLING: &str =
    "this store's records are being restored from head office: it can sell again when they are complete";
/// Time that a connection waits for work that a predecessor still completes: a page of records and its commits.
const COMPLETING_DEADLINE: Duration = Duration::from_secs(120);
/// Time that a task waits for another one that writes the standing: a barrier and a commit.
const STANDING_DEADLINE: Duration = Duration::from_secs(90);

/// State of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkState {
    /// This store works alone.
    NotConfigured,
    /// Not connected; the store is trying to connect.
    Offline,
    /// Connected.
    Online,
    /// Waiting before the next try.
    BackingOff,
    /// The hub refuses in a way that resending can't cure; the queue is kept.
    Rejected,
}

impl LinkState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NotConfigured => "not_configured",
            Self::Offline => "offline",
            Self::Online => "online",
            Self::BackingOff => "backing_off",
            Self::Rejected => "rejected",
        }
    }
}

/// A snapshot of the link.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) state: LinkState,
    pub(crate) url: Option<String>,
    pub(crate) last_success_at: Option<UtcMs>,
    pub(crate) last_error: Option<String>,
    pub(crate) next_attempt_at: Option<UtcMs>,
    pub(crate) attempt: u32,
    /// Rises whenever earlier timers, calls and sessions no longer count; never given twice.
    pub(crate) plan: u64,
    /// Last seq that the hub has of the current epoch, as it reported under this plan. `None` before its report.
    pub(crate) hub_seq: Option<u64>,
    /// Records that the hub acknowledged since the start.
    pub(crate) pushed: u64,
    /// Changes taken from the feed since the start.
    pub(crate) pulled: u64,
    /// Number of times that the feed was read to its end since the start.
    pub(crate) pulled_to_end: u64,
    /// Failed calls since the start.
    pub(crate) failures: u64,
    pub(crate) last_change_at: Option<UtcMs>,
    /// When each lane of the feed was last read to its end, by the hub's time.
    pub(crate) fed: [Option<UtcMs>; LANES.len()],
    pub(crate) clock_skew_ms: Option<i64>,
    /// Since when this copy is fenced.
    pub(crate) fenced_at: Option<UtcMs>,
    /// Whether it is fenced because another box was enrolled for this store.
    pub(crate) replaced: bool,
    /// Since when the store's own records are coming back.
    pub(crate) refilling_at: Option<UtcMs>,
    /// Since when the hub may have own records that are not here.
    pub(crate) recovering_at: Option<UtcMs>,
}

#[derive(Clone)]
pub(crate) struct SyncState {
    link: Arc<watch::Sender<Link>>,
    completing: Arc<Mutex<()>>,
    standing: Arc<Mutex<()>>,
    proving: Arc<Mutex<()>>,
}

impl SyncState {
    pub(crate) fn of(hub: Option<&HubIdentity>, standing: &LinkRow) -> Self {
        let link = Link {
            state: if hub.is_some() { LinkState::Offline } else { LinkState::NotConfigured },
            url: hub.map(|hub| hub.url.clone()),
            last_success_at: None,
            last_error: None,
            next_attempt_at: None,
            attempt: 0,
            plan: 0,
            hub_seq: None,
            pushed: 0,
            pulled: 0,
            pulled_to_end: 0,
            failures: 0,
            last_change_at: None,
            fed: [None; LANES.len()],
            clock_skew_ms: None,
            fenced_at: standing.fenced_at,
            replaced: standing.replaced_at.is_some(),
            refilling_at: standing.refilling_at,
            recovering_at: standing.recovering_at,
        };
        let (completing, standing, proving) = (Arc::default(), Arc::default(), Arc::default());
        Self { link: Arc::new(watch::channel(link).0), completing, standing, proving }
    }

    /// Epochs are completed by one task at a time: a connection that restarted waits for the work of its predecessor.
    /// `None` if that takes too long.
    pub(crate) async fn lock_reconciliation(&self) -> Option<MutexGuard<'_, ()>> {
        timeout(COMPLETING_DEADLINE, self.completing.lock()).await.ok()
    }

    /// Locks the standing, so that a task that changes it reads and writes it alone. `None` if another one takes too
    /// long.
    pub(crate) async fn lock_standing(&self) -> Option<MutexGuard<'_, ()>> {
        timeout(STANDING_DEADLINE, self.standing.lock()).await.ok()
    }

    /// The days are counted by one task at a time, which continues from the result of the one before.
    pub(crate) async fn lock_proving(&self) -> OwnedMutexGuard<()> {
        self.proving.clone().lock_owned().await
    }

    /// A fenced copy sells nothing: another one is the shop. Neither does one whose records are not all here.
    pub(crate) fn refuse_if_fenced(&self) -> Result<(), Failure> {
        let (fenced, replaced, refilling) = {
            let link = self.link.borrow();
            (link.fenced_at.is_some(), link.replaced, link.refilling_at.is_some())
        };
        if fenced {
            return Err(fenced_refusal(replaced).into());
        }
        if refilling { Err(Failure::Unavailable(REFILLING)) } else { Ok(()) }
    }

    pub(crate) fn get(&self) -> Link {
        self.link.borrow().clone()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Link)) {
        self.link.send_modify(change);
    }

    /// Begins a new plan: results of earlier ones no longer count.
    pub(crate) fn next_plan(&self) -> u64 {
        self.change(|link| (link.plan, link.hub_seq) = (link.plan.saturating_add(1), None));
        self.get().plan
    }

    /// The hub is that far, if this is still the plan.
    pub(crate) fn hub_is_at(&self, plan: u64, seq: u64) {
        self.change(|link| link.hub_seq = if link.plan == plan { Some(seq) } else { link.hub_seq });
    }

    /// A call came back with the hub's own answer.
    pub(crate) fn succeeded(&self, now: UtcMs, hub_time: UtcMs) {
        self.change(|link| {
            link.state = LinkState::Online;
            link.last_success_at = Some(now);
            link.last_error = None;
            link.next_attempt_at = None;
            link.attempt = 0;
            link.clock_skew_ms = Some(now.0.saturating_sub(hub_time.0));
        });
    }
}

/// Refusal of a fenced copy. `replaced`: another box was enrolled for the store, so this one has to be enrolled too.
pub(crate) fn fenced_refusal(replaced: bool) -> Refusal {
    let step = if replaced { "enrol" } else { "rejoin" };
    Refusal::InvalidState { state: "fenced".to_owned(), allowed: vec![step.to_owned()] }
}
