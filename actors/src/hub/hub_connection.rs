//! The hub connection: keeps trying to connect, sends hello first, completes every epoch in both directions and
//! reads the feed.
//!
//! A lost link is a state, not a failure. Calls run in tasks of their own; their answers come back as messages with
//! the number of the session, so that a late answer of an earlier session is ignored.

use crate::hub::hub_client::{CallError, Cause, HubClient};
use crate::hub::pace::Pace;
use crate::hub::sync_state::{Link, LinkState};
use crate::message::{HubMessage, OutboxMessage, Session};
use crate::runtime::context::Context;
use crate::runtime::mailbox::message_taken;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::HubIdentity;
use domain::wire::sync::Limits;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::time::Duration;
use tokio::sync::oneshot;

mod denials;
mod feed;
mod generation_recovery;
mod hello;
mod owners;
mod proof;
mod reconcile;
mod settle;
mod snapshot;
mod standing;
mod upgrade;

pub(crate) use owners::{merge_found_member, merge_transfer};
pub(crate) use standing::open_epoch;

use feed::Feed;
use proof::Proving;

/// Time that the connection waits for an owner's answer, including the messages that are before it in the mailbox. If
/// the answer comes later, the connection asks again.
pub(crate) const OWNER_DEADLINE: Duration = Duration::from_secs(60);

pub(crate) struct State {
    context: Context,
    /// The hub that the store was enrolled with when the connection began.
    hub: Option<HubIdentity>,
    client: Option<HubClient>,
    pace: Pace,
    /// Number of the current plan. Timers and calls of earlier plans are ignored.
    plan: u64,
    /// The epoch of the last hello.
    hello_epoch: String,
    /// The state of backups and disk in the last hello.
    hello_condition: hello::Condition,
    generation: String,
    /// Limits of the hub, from its last hello.
    limits: Limits,
    feed: Feed,
    /// Whether pushes fail although hello succeeds: pauses keep growing then.
    push_failing: bool,
    /// Compares business days while the session lasts.
    proving: Option<Proving>,
}

pub(crate) struct HubConnection;

impl Actor for HubConnection {
    type Msg = HubMessage;
    type State = State;
    type Arguments = Context;

    async fn pre_start(
        &self,
        me: ActorRef<Self::Msg>,
        context: Context,
    ) -> Result<State, ActorProcessingErr> {
        let sync = &context.config.sync;
        let pace = Pace::new(sync.backoff_min, sync.backoff_max);
        let hub = context.storage.sync().hub()?;
        let client = match hub.clone().filter(|_| context.link) {
            Some(hub) => Some(HubClient::new(hub, sync.clone())?),
            None => None,
        };
        let (hello_epoch, generation) = (String::new(), String::new());
        let (limits, feed) = (Limits::default(), Feed::default());
        let (plan, push_failing, proving) = (0, false, None);
        let mut state = State {
            context,
            hub,
            client,
            pace,
            plan,
            hello_epoch,
            hello_condition: (None, None),
            generation,
            limits,
            feed,
            push_failing,
            proving,
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
        message_taken(&state.context.hub.queue_len);
        // An error changes the state of the link; the actor continues.
        if let Err(error) = state.take(&me, message).await {
            state.lost(&me, error).await;
        }
        Ok(())
    }
}

impl State {
    async fn take(&mut self, me: &ActorRef<HubMessage>, message: HubMessage) -> Result<(), CallError> {
        match message {
            HubMessage::Hello { plan } if plan == self.plan => self.send_hello(me)?,
            HubMessage::Greeted { plan, result } if plan == self.plan => {
                self.on_hello_answer(me, (*result)?).await?;
            }
            HubMessage::Completed { plan, result } if plan == self.plan => {
                result?;
                // Results that the hello acknowledged may already be in the feed.
                self.settle().await?;
                self.completed(me).await?;
            }
            HubMessage::Pulled { plan, lane, result } if plan == self.plan => {
                self.pulled(me, lane, (*result)?).await?;
            }
            HubMessage::Lost { session, .. } if session == self.plan && self.epoch_changed_since_hello() => {
                self.hello_in(me, Duration::ZERO);
            }
            HubMessage::Lost { session, error } if session == self.plan => {
                self.push_failing = true;
                return Err(error);
            }
            // Messages of an earlier session.
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
            // A lost connection sends hello after its pause.
            HubMessage::HelloAgain if self.context.sync.get().state == LinkState::Online => {
                self.hello_in(me, Duration::ZERO);
            }
            HubMessage::HelloAgain => {}
            HubMessage::Force { full, begun } => self.force(me, full, begun).await?,
            #[cfg(test)]
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
        // The link is tried even if the caller is gone.
        let _ = begun.send(self.context.sync.get());
        Ok(())
    }

    /// Drops every earlier plan and sends hello after `pause`.
    fn hello_in(&mut self, me: &ActorRef<HubMessage>, pause: Duration) {
        self.plan = self.context.sync.next_plan();
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
        let epoch = self.context.storage.head().epoch;
        self.context.sync.hub_is_at(self.plan, self.context.storage.outbox().ack_mark()?.seq);
        self.proving = Some(proof::prove(self.context.clone(), client.clone(), self.generation.clone()));
        let (number, generation, limits) = (self.plan, self.generation.clone(), self.limits.clone());
        let session = Session { number, client, generation, epoch, limits };
        // An outbox that is restarting asks for a session itself.
        let _ = self.context.outbox.cast(OutboxMessage::Online(Box::new(session)));
        self.take_again().await?;
        self.start_feed(me)
    }

    /// Sets the state of the link, notifies the outbox and schedules the next hello.
    async fn lost(&mut self, me: &ActorRef<HubMessage>, error: CallError) {
        let is_new = self.context.sync.get().fenced_at.is_none();
        let (pause, state) = match &error.cause {
            // Try once more soon: the hub raises its alarm when a copy reports the same a second time.
            Cause::Fenced if is_new => (self.pace.pause(None), LinkState::Rejected),
            Cause::Fenced
            | Cause::Replaced { .. }
            | Cause::Rejected
            | Cause::Refused(_)
            | Cause::Exceeded(_) => (self.pace.longest(), LinkState::Rejected),
            Cause::HelloFirst | Cause::Diverged | Cause::ResyncRequired => {
                (self.pace.pause(None), LinkState::BackingOff)
            }
            Cause::Transient { retry_after } => (self.pace.pause(*retry_after), LinkState::BackingOff),
        };
        if let Err(unkept) = self.keep_standing(&error).await {
            tracing::error!(%unkept, "the hub's verdict on this copy could not be stored");
        }
        tracing::warn!(%error, ?pause, "the hub link is down");
        let now = self.context.stamps.now();
        self.context.sync.change(|link| {
            link.state = state;
            link.last_error = Some(error.message);
            link.attempt = link.attempt.saturating_add(1);
            link.failures = link.failures.saturating_add(1);
            let pause_ms = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
            link.next_attempt_at = Some(UtcMs(now.0.saturating_add(pause_ms)));
        });
        // An outbox that is restarting has no session anyway.
        let _ = self.context.outbox.cast(OutboxMessage::Offline);
        self.hello_in(me, pause);
    }
}
