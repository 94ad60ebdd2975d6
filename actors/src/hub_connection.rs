//! The hub connection: promises to keep trying, to say hello first, and to bring the feed down.
//!
//! A lost link is a state, not a failure. Calls run beside the actor; their answers come back as
//! messages that carry the session's number, so a late answer of an earlier session is not used.

use crate::door::Door;
use crate::hub_client::{CallError, Cause, HubClient};
use crate::outbox::{OutboxMessage, Session};
use crate::pace::Pace;
use crate::slot::taken;
use crate::sync_state::{Link, LinkState};
use domain::record::SCHEMA;
use domain::sync::{Directive, Hello, HelloAnswer, PullAnswer};
use domain::time::UtcMs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

mod feed;

/// What the hub connection is told.
pub(crate) enum HubMessage {
    /// Say hello now, if this is still the newest plan.
    Hello { plan: u64 },
    /// Hello came back.
    Greeted { plan: u64, result: Box<Result<HelloAnswer, CallError>> },
    /// A pull came back.
    Pulled { plan: u64, result: Box<Result<PullAnswer, CallError>> },
    /// A push of this session failed.
    Lost { session: u64, error: CallError },
    /// A push went through.
    Delivered,
    /// The outbox started anew and needs a session.
    OutboxStarted,
    /// A person asks: now. `begun` gets the link as it is before anything came of it.
    Force { full: bool, begun: oneshot::Sender<Link> },
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
    /// When the feed's end may be asked again.
    pull_due: Instant,
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
        let mut state = State {
            door,
            client,
            pace,
            plan: 0,
            generation: String::new(),
            pull: None,
            pull_due: Instant::now(),
            push_failing: false,
        };
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
        // Whatever goes wrong is a state of the link, and no reason to die.
        if let Err(error) = state.take(&me, message).await {
            state.lost(&me, error);
        }
        Ok(())
    }
}

impl State {
    async fn take(&mut self, me: &ActorRef<HubMessage>, message: HubMessage) -> Result<(), CallError> {
        match message {
            HubMessage::Hello { plan } if plan == self.plan => self.hello(me)?,
            HubMessage::Greeted { plan, result } if plan == self.plan => self.greeted(me, (*result)?)?,
            HubMessage::Pulled { plan, result } if plan == self.plan => match *result {
                Err(error) if error.cause == Cause::ResyncRequired => self.resync(me, error).await?,
                result => self.pulled(me, result?).await?,
            },
            HubMessage::Hello { .. } | HubMessage::Greeted { .. } | HubMessage::Pulled { .. } => {}
            HubMessage::Lost { session, error } if session == self.plan => {
                self.push_failing = true;
                return Err(error);
            }
            // Of a session that a newer hello replaces.
            HubMessage::Lost { .. } => {}
            HubMessage::Delivered => {
                self.push_failing = false;
                self.pace.reset();
            }
            HubMessage::OutboxStarted => self.hello_in(me, Duration::ZERO),
            HubMessage::Force { full, begun } => self.force(me, full, begun).await?,
            #[cfg(debug_assertions)]
            HubMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }

    async fn force(
        &mut self,
        me: &ActorRef<HubMessage>,
        full: bool,
        begun: oneshot::Sender<Link>,
    ) -> Result<(), CallError> {
        if full {
            self.forget_cursor().await?;
        }
        self.pace.reset();
        self.hello_in(me, Duration::ZERO);
        // Whoever asked may be gone; the link is tried all the same.
        let _ = begun.send(self.door.sync.get());
        Ok(())
    }

    /// Drops every earlier plan and says hello after `pause`.
    fn hello_in(&mut self, me: &ActorRef<HubMessage>, pause: Duration) {
        self.plan = self.door.sync.next_plan();
        if let Some(pull) = self.pull.take() {
            pull.abort();
        }
        if self.client.is_some() {
            let plan = self.plan;
            me.send_after(pause, move || HubMessage::Hello { plan });
        }
    }

    fn hello(&mut self, me: &ActorRef<HubMessage>) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let storage = &self.door.storage;
        let hello = Hello {
            store_id: storage.store_id().0.clone(),
            epoch: storage.head().epoch,
            lineage: storage.lineage()?,
            apart: false,
            version: self.door.config.sync.version.clone(),
            schema_max: SCHEMA,
            cursor: self.cursor()?,
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

    fn greeted(&mut self, me: &ActorRef<HubMessage>, answer: HelloAnswer) -> Result<(), CallError> {
        directed(answer.directive)?;
        let epoch = self.door.storage.head().epoch;
        let head = answer.heads.iter().find(|head| head.epoch == epoch);
        let from_seq = head.map_or(0, |head| head.seq);
        let from_hash = head.map_or_else(|| domain::chain::GENESIS.to_owned(), |head| head.hash.clone());
        let stable_seq = head.map_or(0, |head| head.stable_seq);
        // More than this box has, or other records: the hub heard another copy of this store.
        if from_seq > self.door.storage.head().seq
            || self.door.storage.records(&epoch, from_seq, 0, 0)?.0 != from_hash
        {
            return Err(CallError::rejected("the hub has another history of this store than this box"));
        }
        let Some(client) = self.client.clone() else { return Ok(()) };
        self.generation.clone_from(&answer.hub_generation);
        self.door.sync.succeeded(self.door.stamps.now(), answer.hub_time);
        self.door.sync.hub_is_at(self.plan, from_seq);
        let generation = answer.hub_generation;
        let session =
            Session { number: self.plan, client, generation, epoch, from_seq, from_hash, stable_seq };
        // An outbox that is restarting asks for a session itself.
        let _ = self.door.outbox.cast(OutboxMessage::Online(Box::new(session)));
        self.start_pull(me, false)
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

/// What the hub's directive means for this program.
fn directed(directive: Directive) -> Result<(), CallError> {
    let reason = match directive {
        Directive::Ok => return Ok(()),
        Directive::Fenced => "the hub knows a newer copy of this store: run `store-router rejoin`",
        Directive::NewEpoch => "the hub asks for a new epoch: run `store-router rejoin`",
        Directive::Resync => "the hub lacks records that this store no longer keeps",
        Directive::UpgradeRequired => "the hub asks for a newer version of this program",
    };
    Err(CallError::rejected(reason))
}
