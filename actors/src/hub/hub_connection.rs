//! The hub connection: promises to keep trying, to say hello first, to complete every epoch both ways, and
//! to bring the feed down.
//!
//! A lost link is a state, not a failure. Calls run beside the actor; their answers come back as
//! messages that carry the session's number, so a late answer of an earlier session is not used.

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

/// Time that the connection waits for an owner that it handed something: the messages before it in the mailbox go
/// first. An answer that comes later is asked for again.
pub(crate) const OWNER_DEADLINE: Duration = Duration::from_secs(60);

pub(crate) struct State {
    context: Context,
    /// Hub of the connection, as the store was enrolled when it began.
    hub: Option<HubIdentity>,
    client: Option<HubClient>,
    pace: Pace,
    /// Rises whenever earlier plans (timers, calls) no longer count.
    plan: u64,
    /// The epoch that the last hello spoke for.
    said: String,
    generation: String,
    /// Limits of what the hub accepts, by its last hello.
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
        let (said, generation) = (String::new(), String::new());
        let (limits, feed) = (Limits::default(), Feed::default());
        let (plan, push_failing, proving) = (0, false, None);
        let mut state =
            State { context, hub, client, pace, plan, said, generation, limits, feed, push_failing, proving };
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

    /// Drops every earlier plan and says hello after `pause`.
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

    /// Says so, tells the outbox, and plans the next hello.
    async fn lost(&mut self, me: &ActorRef<HubMessage>, error: CallError) {
        let (pause, state) = match &error.cause {
            Cause::Fenced | Cause::Rejected | Cause::Refused(_) | Cause::Exceeded(_) => {
                (self.pace.longest(), LinkState::Rejected)
            }
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
