//! The hub connection: promises to keep trying, to say hello first, to complete every epoch both ways, and
//! to bring the feed down.
//!
//! A lost link is a state, not a failure. Calls run beside the actor; their answers come back as
//! messages that carry the session's number, so a late answer of an earlier session is not used.

use crate::door::Door;
use crate::hub_client::{CallError, Cause, HubClient};
use crate::outbox::{OutboxMessage, Session};
use crate::pace::Pace;
use crate::slot::taken;
use crate::sync_state::{Link, LinkState};
use domain::event::HubIdentity;
use domain::sync::local::OwnWrite;
use domain::sync::{HelloAnswer, Limits};
use domain::time::UtcMs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::time::Duration;
use tokio::sync::oneshot;

mod complete;
mod denials;
mod feed;
mod hello;
mod owners;
mod proof;
mod regained;
mod settle;
mod snapshot;
mod standing;
mod upgrade;

pub(crate) use feed::again;
pub(crate) use owners::met;
pub(crate) use settle::{SETTLED_AT_ONCE, outcome};
pub(crate) use standing::{change, open_epoch};

use feed::{Feed, Lane};
use proof::Proving;

/// How long the connection waits for an owner that it handed something: whatever lies before it in the mailbox goes
/// first. What comes later than that is asked for again.
pub(crate) const OWNER_DEADLINE: Duration = Duration::from_secs(60);

/// What the hub connection is told.
pub(crate) enum HubMessage {
    /// Say hello now, if this is still the newest plan.
    Hello { plan: u64 },
    /// Hello came back.
    Greeted { plan: u64, result: Box<Result<HelloAnswer, CallError>> },
    /// Every epoch is complete here: what the hub lacks may be pushed.
    Completed { plan: u64, result: Result<(), CallError> },
    /// A pull came back.
    Pulled { plan: u64, lane: Lane, result: Box<Result<feed::Page, CallError>> },
    /// A push of this session failed.
    Lost { session: u64, error: CallError },
    /// A push went through.
    Delivered,
    /// Head office decided on own writes to settings: where the feed has the outcome already, it is taken in.
    Decided { writes: Vec<OwnWrite> },
    /// The outbox started anew and needs a session.
    OutboxStarted,
    /// A person asks: now. `begun` gets the link as it is before anything came of it.
    Force { full: bool, begun: oneshot::Sender<Link> },
    #[cfg(debug_assertions)]
    Panic,
}

pub(crate) struct State {
    door: Door,
    /// Whose connection this is, as the store was enrolled when it began.
    hub: Option<HubIdentity>,
    client: Option<HubClient>,
    pace: Pace,
    /// Rises whenever earlier plans (timers, calls) no longer count.
    plan: u64,
    /// The epoch that the last hello spoke for.
    said: String,
    generation: String,
    /// What the hub accepts, by its last hello.
    limits: Limits,
    feed: Feed,
    /// Pushing fails although hello works: pauses keep growing.
    push_failing: bool,
    /// Compares business days while the session lasts.
    proving: Option<Proving>,
}

pub(crate) struct HubConnection;

impl Actor for HubConnection {
    type Msg = HubMessage;
    type State = State;
    type Arguments = Door;

    async fn pre_start(&self, me: ActorRef<Self::Msg>, door: Door) -> Result<State, ActorProcessingErr> {
        let sync = &door.config.sync;
        let pace = Pace::new(sync.backoff_min, sync.backoff_max);
        let hub = door.storage.hub()?;
        let client = match hub.clone().filter(|_| door.link) {
            Some(hub) => Some(HubClient::new(hub, sync.clone())?),
            None => None,
        };
        let (said, generation) = (String::new(), String::new());
        let (limits, feed) = (Limits::default(), Feed::default());
        let (plan, push_failing, proving) = (0, false, None);
        let mut state =
            State { door, hub, client, pace, plan, said, generation, limits, feed, push_failing, proving };
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
            state.lost(&me, error).await;
        }
        Ok(())
    }
}

impl State {
    async fn take(&mut self, me: &ActorRef<HubMessage>, message: HubMessage) -> Result<(), CallError> {
        match message {
            HubMessage::Hello { plan } if plan == self.plan => self.hello(me)?,
            HubMessage::Greeted { plan, result } if plan == self.plan => {
                self.greeted(me, (*result)?).await?;
            }
            HubMessage::Completed { plan, result } if plan == self.plan => {
                result?;
                // What was acknowledged with the hello may be in the feed already.
                self.settle().await?;
                self.completed(me).await?;
            }
            HubMessage::Pulled { plan, lane, result } if plan == self.plan => {
                self.pulled(me, lane, (*result)?).await?;
            }
            HubMessage::Lost { session, .. } if session == self.plan && self.spoke_for_another() => {
                self.hello_in(me, Duration::ZERO);
            }
            HubMessage::Lost { session, error } if session == self.plan => {
                self.push_failing = true;
                return Err(error);
            }
            // Of a session that a newer hello replaces.
            HubMessage::Hello { .. }
            | HubMessage::Greeted { .. }
            | HubMessage::Completed { .. }
            | HubMessage::Pulled { .. }
            | HubMessage::Lost { .. } => {}
            HubMessage::Delivered => {
                self.push_failing = false;
                self.pace.reset();
                if self.feed.at_end() {
                    self.well().await?;
                }
            }
            HubMessage::Decided { writes } => self.decided(&writes).await?,
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
            self.forget_cursors().await?;
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
        self.feed.stop();
        self.proving = None;
        if self.client.is_some() {
            let plan = self.plan;
            me.send_after(pause, move || HubMessage::Hello { plan });
        }
    }

    /// Every epoch is complete here: the outbox may push, and the feed is read.
    async fn completed(&mut self, me: &ActorRef<HubMessage>) -> Result<(), CallError> {
        let Some(client) = self.client.clone() else { return Ok(()) };
        let epoch = self.door.storage.head().epoch;
        self.door.sync.hub_is_at(self.plan, self.door.storage.ack_mark()?.seq);
        self.proving = Some(proof::prove(self.door.clone(), client.clone(), self.generation.clone()));
        let (number, generation, limits) = (self.plan, self.generation.clone(), self.limits.clone());
        let session = Session { number, client, generation, epoch, limits };
        // An outbox that is restarting asks for a session itself.
        let _ = self.door.outbox.cast(OutboxMessage::Online(Box::new(session)));
        self.take_again().await?;
        self.start_feed(me)
    }

    /// Says so, tells the outbox, and plans the next hello.
    async fn lost(&mut self, me: &ActorRef<HubMessage>, error: CallError) {
        let (pause, state) = match &error.cause {
            Cause::Fenced | Cause::Rejected | Cause::Refused(_) | Cause::Exceeded(_) => {
                (self.pace.longest(), LinkState::Rejected)
            }
            Cause::HelloFirst | Cause::Apart | Cause::ResyncRequired => {
                (self.pace.pause(None), LinkState::BackingOff)
            }
            Cause::Transient { retry_after } => (self.pace.pause(*retry_after), LinkState::BackingOff),
        };
        if let Err(unkept) = self.keep_standing(&error).await {
            tracing::error!(%unkept, "what the hub said of this copy could not be kept");
        }
        tracing::warn!(%error, ?pause, "the hub link is down");
        let now = self.door.stamps.now();
        self.door.sync.change(|link| {
            link.state = state;
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
