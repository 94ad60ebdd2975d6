//! The hub connection: promises to keep trying, to say hello first, and to bring the feed down.
//!
//! A lost link is a state, not a failure. Calls run beside the actor; their answers come back as
//! messages that carry the session's number, so a late answer of an earlier session is not used.

use crate::catalogue::CatalogueMessage;
use crate::door::Door;
use crate::hub_client::{CallError, Cause, HubClient};
use crate::outbox::{OutboxMessage, Session};
use crate::pace::Pace;
use crate::slot::taken;
use crate::sync_state::LinkState;
use domain::event::Event;
use domain::product::Product;
use domain::record::SCHEMA;
use domain::sync::{Change, Directive, Hello, HelloAnswer, PullAnswer};
use domain::time::UtcMs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What the hub connection is told.
pub(crate) enum HubMessage {
    /// Say hello now, if this is still the newest plan.
    Hello { plan: u64 },
    /// Hello came back.
    Greeted { plan: u64, result: Box<Result<HelloAnswer, CallError>> },
    /// A pull came back.
    Pulled { plan: u64, result: Box<Result<PullAnswer, CallError>> },
    /// A push failed.
    Lost(CallError),
    /// A push went through.
    Delivered,
    /// The outbox started anew and needs a session.
    OutboxStarted,
    /// A person asks: now.
    Force { full: bool },
    #[cfg(debug_assertions)]
    Panic,
}

pub(crate) struct State {
    door: Door,
    client: Option<HubClient>,
    pace: Pace,
    /// Rises whenever earlier plans (timers, calls) no longer count.
    plan: u64,
    generation: String,
    pull: Option<JoinHandle<()>>,
    /// Pushing fails although hello works: pauses keep growing.
    push_failing: bool,
}

pub(crate) struct HubConnection;

impl Actor for HubConnection {
    type Msg = HubMessage;
    type State = State;
    type Arguments = Door;

    async fn pre_start(&self, me: ActorRef<Self::Msg>, door: Door) -> Result<State, ActorProcessingErr> {
        let sync = &door.config.sync;
        let pace = Pace::new(sync.backoff_min, sync.backoff_max);
        let client = match door.storage.hub()?.filter(|_| door.link) {
            Some(hub) => Some(HubClient::new(hub, sync.clone())?),
            None => None,
        };
        let mut state =
            State { door, client, pace, plan: 0, generation: String::new(), pull: None, push_failing: false };
        state.hello_in(&me, Duration::ZERO);
        Ok(state)
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        taken(&state.door.hub.depth);
        match message {
            HubMessage::Hello { plan } if plan == state.plan => state.hello(&me)?,
            HubMessage::Greeted { plan, result } if plan == state.plan => match *result {
                Ok(answer) => state.greeted(&me, answer).await?,
                Err(error) => state.lost(&me, error),
            },
            HubMessage::Pulled { plan, result } if plan == state.plan => match *result {
                Ok(page) => state.pulled(&me, page).await?,
                Err(error) if error.cause == Cause::ResyncRequired => {
                    state.read_from_the_beginning(&me).await?
                }
                Err(error) => state.lost(&me, error),
            },
            HubMessage::Hello { .. } | HubMessage::Greeted { .. } | HubMessage::Pulled { .. } => {}
            HubMessage::Lost(error) => {
                state.push_failing = true;
                state.lost(&me, error);
            }
            HubMessage::Delivered => {
                state.push_failing = false;
                state.pace.reset();
            }
            HubMessage::OutboxStarted => state.hello_in(&me, Duration::ZERO),
            HubMessage::Force { full } => {
                if full {
                    state.forget_cursor().await?;
                }
                state.pace.reset();
                state.hello_in(&me, Duration::ZERO);
            }
            #[cfg(debug_assertions)]
            HubMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

impl State {
    /// Drops every earlier plan and says hello after `pause`.
    fn hello_in(&mut self, me: &ActorRef<HubMessage>, pause: Duration) {
        self.plan = self.plan.saturating_add(1);
        if let Some(pull) = self.pull.take() {
            pull.abort();
        }
        if self.client.is_some() {
            let plan = self.plan;
            me.send_after(pause, move || HubMessage::Hello { plan });
        }
    }

    fn hello(&mut self, me: &ActorRef<HubMessage>) -> Result<(), ActorProcessingErr> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let storage = &self.door.storage;
        let hello = Hello {
            store_id: storage.store_id().0.clone(),
            epoch: storage.head().epoch,
            lineage: storage.lineage()?,
            apart: false,
            version: self.door.config.sync.version.clone(),
            schema_max: SCHEMA,
            cursor: storage.feed_cursor()?.map(|(cursor, _)| cursor).filter(|cursor| !cursor.is_empty()),
            wall_clock: self.door.stamps.now(),
            backlog: storage.backlog()?,
        };
        let (me, plan) = (me.clone(), self.plan);
        tokio::spawn(async move {
            let result = Box::new(client.hello(&hello).await);
            // A connection that restarted meanwhile has said hello itself.
            let _ = me.cast(HubMessage::Greeted { plan, result });
        });
        Ok(())
    }

    async fn greeted(
        &mut self,
        me: &ActorRef<HubMessage>,
        answer: HelloAnswer,
    ) -> Result<(), ActorProcessingErr> {
        if answer.directive != Directive::Ok {
            let reason = match answer.directive {
                Directive::Fenced => "the hub knows a newer copy of this store: run `store-router rejoin`",
                Directive::NewEpoch => "the hub asks for a new epoch: run `store-router rejoin`",
                Directive::Resync => "the hub lacks records that this store no longer keeps",
                Directive::UpgradeRequired | Directive::Ok => {
                    "the hub asks for a newer version of this program"
                }
            };
            self.lost(me, CallError::rejected(reason));
            return Ok(());
        }
        let epoch = self.door.storage.head().epoch;
        let head = answer.heads.iter().find(|head| head.epoch == epoch);
        let from_seq = head.map_or(0, |head| head.seq);
        let from_hash = head.map_or_else(|| domain::chain::GENESIS.to_owned(), |head| head.hash.clone());
        let stable_seq = head.map_or(0, |head| head.stable_seq);
        // More than this box has, or other records: the hub heard another copy of this store.
        if from_seq > self.door.storage.head().seq
            || self.door.storage.records(&epoch, from_seq, 0, 0)?.0 != from_hash
        {
            self.lost(me, CallError::rejected("the hub has another history of this store than this box"));
            return Ok(());
        }
        let Some(client) = self.client.clone() else { return Ok(()) };
        self.generation.clone_from(&answer.hub_generation);
        self.door.sync.succeeded(self.door.stamps.now(), answer.hub_time);
        let generation = answer.hub_generation;
        let session =
            Session { number: self.plan, client, generation, epoch, from_seq, from_hash, stable_seq };
        // An outbox that is restarting asks for a session itself.
        let _ = self.door.outbox.cast(OutboxMessage::Online(Box::new(session)));
        self.start_pull(me, Duration::ZERO)
    }

    fn start_pull(&mut self, me: &ActorRef<HubMessage>, wait: Duration) -> Result<(), ActorProcessingErr> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let cursor =
            self.door.storage.feed_cursor()?.map(|(cursor, _)| cursor).filter(|cursor| !cursor.is_empty());
        let (me, plan) = (me.clone(), self.plan);
        self.pull = Some(tokio::spawn(async move {
            let result = Box::new(client.pull(cursor.as_deref(), wait).await);
            // A connection that restarted meanwhile pulls itself.
            let _ = me.cast(HubMessage::Pulled { plan, result });
        }));
        Ok(())
    }

    async fn pulled(
        &mut self,
        me: &ActorRef<HubMessage>,
        page: PullAnswer,
    ) -> Result<(), ActorProcessingErr> {
        if page.hub_generation != self.generation {
            self.hello_in(me, Duration::ZERO);
            return Ok(());
        }
        let now = self.door.stamps.now();
        let count = page.changes.len() as u64;
        match page.changes.iter().map(event_of).collect::<Result<Vec<_>, _>>() {
            Ok(events) => self.apply(events, page.next_cursor, page.hub_time).await?,
            Err(error) => {
                self.lost(me, error);
                return Ok(());
            }
        }
        if !self.push_failing {
            self.pace.reset();
        }
        self.door.sync.succeeded(now, page.hub_time);
        self.door.sync.change(|link| {
            link.pulled = link.pulled.saturating_add(count);
            link.pulled_to_end = link.pulled_to_end.saturating_add(u64::from(!page.more));
            link.last_change_at = if count > 0 { Some(now) } else { link.last_change_at };
        });
        let wait = if page.more { Duration::ZERO } else { self.door.config.sync.pull_wait };
        self.start_pull(me, wait)
    }

    /// One page and its cursor in one commit; nothing is written when nothing changed.
    async fn apply(
        &self,
        mut events: Vec<Event>,
        cursor: String,
        hub_time: UtcMs,
    ) -> Result<(), ActorProcessingErr> {
        let known = self.door.storage.feed_cursor()?;
        if events.is_empty() && known.is_some_and(|(known, _)| known == cursor) {
            return Ok(());
        }
        events.push(Event::FeedApplied { cursor, hub_time });
        let (applied, done) = oneshot::channel();
        let message = CatalogueMessage::Apply { events, at: self.door.stamps.now(), applied };
        if self.door.catalogue.send(message).await.is_err() {
            return Err("the catalogue is gone".into());
        }
        // Dropped unapplied: this connection starts again from the stored cursor.
        done.await.map_err(Into::into)
    }

    async fn read_from_the_beginning(&mut self, me: &ActorRef<HubMessage>) -> Result<(), ActorProcessingErr> {
        self.forget_cursor().await?;
        self.start_pull(me, Duration::ZERO)
    }

    async fn forget_cursor(&self) -> Result<(), ActorProcessingErr> {
        self.apply(Vec::new(), String::new(), self.door.stamps.now()).await
    }

    /// Says so, tells the outbox, and plans the next hello.
    fn lost(&mut self, me: &ActorRef<HubMessage>, error: CallError) {
        let pause = match &error.cause {
            Cause::Rejected => self.pace.longest(),
            Cause::HelloFirst | Cause::ResyncRequired => self.pace.pause(None),
            Cause::Transient { retry_after } => self.pace.pause(*retry_after),
        };
        tracing::warn!(%error, ?pause, "the hub link is down");
        let now = self.door.stamps.now();
        let rejected = error.cause == Cause::Rejected;
        self.door.sync.change(|link| {
            link.state = if rejected { LinkState::Rejected } else { LinkState::BackingOff };
            link.last_error = Some(error.message);
            link.attempt = link.attempt.saturating_add(1);
            link.failures = link.failures.saturating_add(1);
            let pause_ms = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
            link.next_attempt_at = Some(UtcMs(now.0.saturating_add(pause_ms)));
        });
        // An outbox that is restarting has no session anyway.
        let _ = self.door.outbox.cast(OutboxMessage::Offline);
        self.hello_in(me, pause);
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
