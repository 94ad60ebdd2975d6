//! The feed: changes of head office, read lane by lane, each page with its cursor in one commit.
//!
//! After a hello the lanes are read to their ends one after the other, urgent ones first; then every lane waits at the
//! hub for its next change.

use super::owners::events;
use super::{OWNER_DEADLINE, State};
use crate::hub::hub_client::{CallError, Cause};
use crate::message::{CatalogueMessage, FeedPage, HubMessage, Lane};
use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use crate::runtime::failure::Failure;
use crate::runtime::mailbox;
use domain::model::base::event::Event;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::Change as Kept;
use domain::wire::feed::PullAnswer;
use domain::wire::feed::lane::LANES;
use ractor::ActorRef;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A lane at its end is asked again this long after it was asked before, at the earliest: a hub that
/// answers at once instead of waiting for a change must not be asked in a circle.
const PULL_PERIOD_MIN: Duration = Duration::from_secs(1);

/// End of a cursor that is before the first change (`generation.number.mark`).
const BEGINNING: &str = ".0.";

/// Calls under way and when a lane's end may be asked again.
#[derive(Default)]
pub(super) struct Feed {
    calls: [Option<JoinHandle<()>>; LANES.len()],
    due: [Option<Instant>; LANES.len()],
    /// The lane that is being read to its end; past the last: all wait for changes.
    draining: Lane,
}

impl Feed {
    pub(super) fn stop(&mut self) {
        self.calls.iter_mut().filter_map(Option::take).for_each(|call| call.abort());
        self.draining = 0;
    }

    /// Whether every lane was read to its end in this session.
    pub(super) fn at_end(&self) -> bool {
        self.draining >= LANES.len()
    }
}

fn name(lane: Lane) -> &'static str {
    LANES.get(lane).copied().unwrap_or_default()
}

impl State {
    /// The cursor that was moved last, for a person at the hub.
    pub(super) fn newest_cursor(&self) -> Result<Option<String>, CallError> {
        let cursors = LANES.iter().map(|lane| self.context.storage.sync().lane_cursor(lane));
        let cursors = cursors.collect::<Result<Vec<_>, _>>()?;
        let moved = cursors.into_iter().flatten().filter(|(cursor, _)| !cursor.ends_with(BEGINNING));
        Ok(moved.max_by_key(|(_, hub_time)| *hub_time).map(|(cursor, _)| cursor))
    }

    fn cursor(&self, lane: Lane) -> Result<Option<String>, CallError> {
        Ok(self.context.storage.sync().lane_cursor(name(lane))?.map(|(cursor, _)| cursor))
    }

    /// Reads the first lane to its end.
    pub(super) fn start_feed(&mut self, me: &ActorRef<HubMessage>) -> Result<(), CallError> {
        self.feed.stop();
        self.pull(me, 0, false)
    }

    /// Asks for the next page of a lane; at its end the hub may wait for a change.
    fn pull(&mut self, me: &ActorRef<HubMessage>, lane: Lane, at_end: bool) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let cursor = self.cursor(lane)?;
        let (mut pause, mut wait) = (Duration::ZERO, Duration::ZERO);
        if at_end && let Some(due) = self.feed.due.get_mut(lane) {
            wait = self.context.config.sync.pull_wait;
            let now = Instant::now();
            pause = due.map_or(Duration::ZERO, |due| due.saturating_duration_since(now));
            *due = Some(now + pause + PULL_PERIOD_MIN);
        }
        let (context, generation) = (self.context.clone(), self.generation.clone());
        let (me, plan) = (me.clone(), self.plan);
        let call = tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let result = match client.pull(name(lane), cursor.as_deref(), wait).await {
                Err(error) if error.cause == Cause::ResyncRequired && cursor.is_some() => {
                    let new_generation = cursor.is_some_and(|cursor| !is_of(&cursor, &generation));
                    super::snapshot::read(&context, &client, &generation, name(lane), new_generation).await
                }
                // Knowing no cursor either, it is no hub to read from.
                Err(error) => Err(error.again()),
                Ok(page) => Ok(FeedPage::Changes(page)),
            };
            // A connection that restarted meanwhile pulls itself.
            let _ = me.cast(HubMessage::Pulled { plan, lane, result: Box::new(result) });
        });
        if let Some(slot) = self.feed.calls.get_mut(lane) {
            *slot = Some(call);
        }
        Ok(())
    }

    pub(super) async fn pulled(
        &mut self,
        me: &ActorRef<HubMessage>,
        lane: Lane,
        page: FeedPage,
    ) -> Result<(), CallError> {
        let (hub_time, count, more) = match page {
            FeedPage::Changes(page) => self.changed(lane, page).await?,
            FeedPage::Anew { cursor, hub_time, changes } => {
                let lane = name(lane).to_owned();
                apply(&self.context, vec![sync_event(Kept::Lane { lane, cursor, hub_time })]).await?;
                (hub_time, changes, true)
            }
        };
        if !self.push_failing {
            self.pace.reset();
        }
        self.merge_hub_time(hub_time).await?;
        let now = self.context.stamps.now();
        self.context.sync.succeeded(now, hub_time);
        let last = !more && lane + 1 >= LANES.len() && lane == self.feed.draining;
        self.context.sync.change(|link| {
            link.pulled = link.pulled.saturating_add(count);
            link.pulled_to_end = link.pulled_to_end.saturating_add(u64::from(last));
            link.last_change_at = if count > 0 { Some(now) } else { link.last_change_at };
            if let Some(fed) = link.fed.get_mut(lane).filter(|_| !more) {
                *fed = Some(hub_time);
            }
        });
        self.pull_next(me, lane, more)?;
        if last && !self.push_failing { self.well().await } else { Ok(()) }
    }

    /// Asks for the lane's next page, or if it has none, waits for its changes and begins the next lane.
    fn pull_next(&mut self, me: &ActorRef<HubMessage>, lane: Lane, more: bool) -> Result<(), CallError> {
        if more {
            return self.pull(me, lane, false);
        }
        // It waits for its next change from now on, whatever the later lanes still receive.
        self.pull(me, lane, true)?;
        if lane == self.feed.draining {
            self.feed.draining = lane.saturating_add(1);
            if self.feed.draining < LANES.len() {
                return self.pull(me, self.feed.draining, false);
            }
        }
        Ok(())
    }

    /// One page and its cursor, in one commit.
    async fn changed(&mut self, lane: Lane, page: PullAnswer) -> Result<(UtcMs, u64, bool), CallError> {
        if page.hub_generation != self.generation {
            return Err(CallError::other_generation());
        }
        let asked = self.cursor(lane)?.unwrap_or_default();
        let count = page.changes.len() as u64;
        if page.next_cursor == asked && (page.more || count > 0) {
            return Err(CallError::transient("the feed makes no progress"));
        }
        if count > 0 || page.next_cursor != asked {
            let mut events = events(&self.context, &page.changes, &page.coverage, false).await?;
            let (lane, cursor) = (name(lane).to_owned(), page.next_cursor);
            events.push(sync_event(Kept::Lane { lane, cursor, hub_time: page.hub_time }));
            apply(&self.context, events).await?;
            self.settle().await?;
        }
        Ok((page.hub_time, count, page.more))
    }

    /// Every lane is read from its beginning. Whose feed it was stays known: of a hub that was restored meanwhile a
    /// lane is taken over otherwise.
    pub(super) async fn forget_cursors(&self) -> Result<(), CallError> {
        let mut forgotten = Vec::new();
        for lane in LANES {
            if let Some((cursor, hub_time)) = self.context.storage.sync().lane_cursor(lane)? {
                let generation = cursor.split('.').next().unwrap_or_default();
                let cursor = format!("{generation}{BEGINNING}");
                forgotten.push(sync_event(Kept::Lane { lane: lane.to_owned(), cursor, hub_time }));
            }
        }
        if forgotten.is_empty() { Ok(()) } else { apply(&self.context, forgotten).await }
    }
}

/// Whether a cursor was given by a hub of this generation (`generation.number.mark`).
fn is_of(cursor: &str, generation: &str) -> bool {
    cursor.is_empty() || cursor.split('.').next() == Some(generation)
}

/// One commit, through the owner of the catalogue.
pub(super) async fn apply(context: &Context, events: Vec<Event>) -> Result<(), CallError> {
    let at = context.stamps.now();
    let message = |applied| CatalogueMessage::Apply { events, at, applied };
    // Dropped unapplied: the feed is read again from the stored cursor.
    match context.catalogue.call(OWNER_DEADLINE, mailbox::CATALOGUE, message).await? {
        Ok(()) => Ok(()),
        Err(Failure::StorageFull(why)) => Err(CallError::transient(why)),
        Err(failure) => Err(CallError::rejected(failure.to_string())),
    }
}
