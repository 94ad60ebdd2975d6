//! The feed: what head office changed comes down page by page, each page one commit.

use super::{HubMessage, State};
use crate::catalogue::CatalogueMessage;
use crate::failure::Failure;
use crate::hub_client::CallError;
use domain::event::Event;
use domain::product::Product;
use domain::sync::{Change, PullAnswer};
use domain::time::UtcMs;
use ractor::ActorRef;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A feed at its end is asked again this long after it was asked before, at the earliest: a hub that
/// answers at once instead of waiting for a change must not be asked in a circle.
const PULL_PERIOD_MIN: Duration = Duration::from_secs(1);

impl State {
    /// Where to go on; none: from the beginning.
    pub(super) fn cursor(&self) -> Result<Option<String>, CallError> {
        let cursor = self.door.storage.feed_cursor()?.map(|(cursor, _)| cursor);
        Ok(cursor.filter(|cursor| !cursor.is_empty()))
    }

    /// Asks for the next page; at the feed's end the hub may wait for a change.
    pub(super) fn start_pull(&mut self, me: &ActorRef<HubMessage>, at_end: bool) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let cursor = self.cursor()?;
        let (mut pause, mut wait) = (Duration::ZERO, Duration::ZERO);
        if at_end {
            wait = self.door.config.sync.pull_wait;
            pause = self.pull_due.saturating_duration_since(Instant::now());
            self.pull_due = Instant::now() + pause + PULL_PERIOD_MIN;
        }
        let (me, plan) = (me.clone(), self.plan);
        self.pull = Some(tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let result = Box::new(client.pull(cursor.as_deref(), wait).await);
            // A connection that restarted meanwhile pulls itself.
            let _ = me.cast(HubMessage::Pulled { plan, result });
        }));
        Ok(())
    }

    pub(super) async fn pulled(
        &mut self,
        me: &ActorRef<HubMessage>,
        page: PullAnswer,
    ) -> Result<(), CallError> {
        if page.hub_generation != self.generation {
            return Err(CallError::transient("the hub was restored: saying hello again"));
        }
        let asked = self.cursor()?.unwrap_or_default();
        let count = page.changes.len() as u64;
        if page.next_cursor == asked && (page.more || count > 0) {
            return Err(CallError::transient("the feed does not move on"));
        }
        let events = page.changes.iter().map(event_of).collect::<Result<Vec<_>, _>>()?;
        if !events.is_empty() || page.next_cursor != asked {
            self.apply(events, page.next_cursor, page.hub_time).await?;
        }
        if !self.push_failing {
            self.pace.reset();
        }
        let now = self.door.stamps.now();
        self.door.sync.succeeded(now, page.hub_time);
        self.door.sync.change(|link| {
            link.pulled = link.pulled.saturating_add(count);
            link.pulled_to_end = link.pulled_to_end.saturating_add(u64::from(!page.more));
            link.last_change_at = if count > 0 { Some(now) } else { link.last_change_at };
        });
        self.start_pull(me, !page.more)
    }

    /// One page and its cursor, in one commit.
    async fn apply(&self, mut events: Vec<Event>, cursor: String, hub_time: UtcMs) -> Result<(), CallError> {
        events.push(Event::FeedApplied { cursor, hub_time });
        let (applied, done) = oneshot::channel();
        let message = CatalogueMessage::Apply { events, at: self.door.stamps.now(), applied };
        let restarting = || CallError::transient("the catalogue is restarting");
        self.door.catalogue.send(message).await.map_err(|_| restarting())?;
        // Dropped unapplied: the feed is read again from the stored cursor.
        match done.await.map_err(|_| restarting())? {
            Ok(()) => Ok(()),
            Err(Failure::StorageFull(why)) => Err(CallError::transient(why)),
            Err(failure) => Err(CallError::rejected(failure.to_string())),
        }
    }

    /// The hub does not know the cursor any more. Knowing no cursor either, it is no hub to read from.
    pub(super) async fn resync(
        &mut self,
        me: &ActorRef<HubMessage>,
        error: CallError,
    ) -> Result<(), CallError> {
        if self.cursor()?.is_none() {
            return Err(error);
        }
        self.forget_cursor().await?;
        self.start_pull(me, false)
    }

    pub(super) async fn forget_cursor(&self) -> Result<(), CallError> {
        if self.cursor()?.is_none() {
            return Ok(());
        }
        self.apply(Vec::new(), String::new(), self.door.stamps.now()).await
    }
}

/// What a change of the feed means here.
fn event_of(change: &Change) -> Result<Event, CallError> {
    match change.kind.as_str() {
        "product" => serde_json::from_value::<Product>(change.payload.clone())
            .map(|product| Event::ProductChanged { product })
            .map_err(|error| CallError::rejected(format!("product {} can't be read: {error}", change.id))),
        kind => Err(CallError::rejected(format!("the feed has {kind}, which this version does not know"))),
    }
}
