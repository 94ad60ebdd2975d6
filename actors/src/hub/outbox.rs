//! The outbox: promises that every numbered record reaches the hub, in order, as often as it takes.
//!
//! The rows are authoritative: a poke only starts reading them. At most one batch is under way; the oldest epoch that
//! the hub does not have completely goes first.

use crate::hub::hub_client::CallError;
use crate::hub::pace::BatchSize;
use crate::message::{Batch, HubMessage, MembersMessage, OutboxMessage, Session};
use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use crate::runtime::mailbox::message_taken;
use domain::model::base::answer::Answer;
use domain::model::hub::stamp::AckMark;
use domain::model::hub::sync::local::{Change, OwnWrite};
use domain::rules::hub::sync::session;
use domain::rules::hub::sync::session::{AfterPush, PushStart};
use domain::wire::feed::Kind;
use domain::wire::sync::{PUSH_BYTES_MAX, PUSH_EVENTS_MAX, Push, PushAnswer};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::Storage;

mod on_ack;

pub(crate) use on_ack::{decided, kept, parked_note};

use on_ack::{acknowledged, conflicts};

/// Room for the JSON around the records of a batch.
const BATCH_BYTES_MAX: usize = PUSH_BYTES_MAX / 2;

pub(crate) struct State {
    context: Context,
    session: Option<Session>,
    under_way: bool,
    size: BatchSize,
}

pub(crate) struct Outbox;

impl Actor for Outbox {
    type Msg = OutboxMessage;
    type State = State;
    type Arguments = Context;

    async fn pre_start(
        &self,
        me: ActorRef<Self::Msg>,
        context: Context,
    ) -> Result<State, ActorProcessingErr> {
        let mut heads = context.storage.watch_seq();
        // Ends with the actor: then casting fails.
        tokio::spawn(async move {
            while heads.changed().await.is_ok() {
                if me.cast(OutboxMessage::NewRecords).is_err() {
                    break;
                }
            }
        });
        // A new outbox has no session: the hub connection sends hello again.
        let _ = context.hub.cast(HubMessage::OutboxStarted);
        let size = BatchSize::new(context.config.sync.batch_events);
        Ok(State { context, session: None, under_way: false, size })
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        message_taken(&state.context.outbox.queue_len);
        match message {
            OutboxMessage::NewRecords => {}
            OutboxMessage::Probe { pending } => {
                pending.nothing_to_do(&state.context.storage, Answer::ok(&()));
                return Ok(());
            }
            OutboxMessage::Online(session) => (state.session, state.under_way) = (Some(*session), false),
            OutboxMessage::Offline => (state.session, state.under_way) = (None, false),
            OutboxMessage::Pushed { session, batch, result } => {
                match state.session.as_ref() {
                    Some(now) if now.number == session => state.pushed(&batch, *result).await?,
                    Some(now) => {
                        // An answer of an earlier session. The batch is sent again in this one, as a duplicate, and
                        // that answer will not report its conflicts, so they are stored now.
                        let answer = result.ok().filter(|answer| answer.hub_generation == now.generation);
                        state
                            .context
                            .commit(answer.map(|answer| conflicts(answer).collect()).unwrap_or_default())
                            .await?;
                    }
                    // The next hello reports them.
                    None => {}
                }
            }
            #[cfg(test)]
            OutboxMessage::Panic => panic!("asked to"),
        }
        state.send(&me).await
    }
}

impl State {
    /// Sends the next batch, if there is a session, no batch is under way and records are waiting.
    async fn send(&mut self, me: &ActorRef<OutboxMessage>) -> Result<(), ActorProcessingErr> {
        let Some(session) = self.session.as_ref().filter(|_| !self.under_way) else { return Ok(()) };
        let lineage = self.context.storage.outbox().lineage()?;
        let Some(start) = session::next_push(&lineage) else { return Ok(()) };
        let batch = Batch { epoch: start.epoch.to_owned(), from_seq: start.after_seq };
        let session = session.clone();
        self.under_way = true;
        let (me, storage, events_max) = (me.clone(), self.context.storage.clone(), self.size.events());
        tokio::spawn(async move {
            let number = session.number;
            let result = Box::new(push(storage, session, batch.clone(), events_max).await);
            // Fails if the outbox has restarted; it does not need the answer then.
            let _ = me.cast(OutboxMessage::Pushed { session: number, batch, result });
        });
        Ok(())
    }

    async fn pushed(
        &mut self,
        batch: &Batch,
        result: Result<PushAnswer, CallError>,
    ) -> Result<(), ActorProcessingErr> {
        self.under_way = false;
        match result.and_then(|answer| Ok((self.believe(batch, &answer)?, answer))) {
            Ok((mark, answer)) => {
                self.size.succeeded();
                self.acknowledged(batch, mark, answer).await?;
            }
            Err(error) => {
                self.size.failed();
                self.lost(error).await;
            }
        }
        Ok(())
    }

    /// Ends the session. The hub connection decides when to try again.
    async fn lost(&mut self, error: CallError) {
        if let Some(session) = self.session.take() {
            // Fails if the hub connection restarts; it sends hello then anyway.
            let _ = self.context.hub.send(HubMessage::Lost { session: session.number, error }).await;
        }
    }

    fn believe(&self, batch: &Batch, answer: &PushAnswer) -> Result<AckMark, CallError> {
        let Some(session) = &self.session else { return Err(CallError::transient("no session")) };
        let sent = PushStart { epoch: &batch.epoch, after_seq: batch.from_seq };
        match session::decide_after_push(
            &self.context.storage.outbox(),
            &session.epoch,
            &session.generation,
            sent,
            answer,
        )? {
            AfterPush::Acknowledged(mark) => Ok(mark),
            AfterPush::ReportDivergence => Err(CallError::diverged()),
            AfterPush::SayHello if answer.hub_generation != session.generation => {
                Err(CallError::other_generation())
            }
            AfterPush::SayHello => Err(CallError::transient("the hub accepted no record of a batch")),
        }
    }

    /// An error ends this outbox: the storage is closed.
    async fn acknowledged(
        &mut self,
        batch: &Batch,
        mark: AckMark,
        answer: PushAnswer,
    ) -> Result<(), ActorProcessingErr> {
        let (seq, current) = (mark.seq, self.context.storage.head().epoch == mark.epoch);
        let span = (batch.from_seq, seq);
        let (mut writes, mut events) = (Vec::new(), Vec::new());
        for page in decided(&self.context.storage, &mark.epoch, span, &answer.versions) {
            let page = page?;
            // The hub has more than the batch: commits that would grow too large are made before the mark.
            if events.len() >= PUSH_EVENTS_MAX {
                self.context.commit(std::mem::take(&mut events)).await?;
            }
            events.extend(page.iter().map(|write| sync_event(Change::Decided { write: write.clone() })));
            writes.extend(page);
        }
        events.extend(acknowledged(&self.context, mark, answer.clone())?);
        self.context.commit(events).await?;
        self.context.sync.succeeded(self.context.stamps.now(), answer.hub_time);
        self.context.sync.change(|link| {
            link.pushed = link.pushed.saturating_add(seq.saturating_sub(batch.from_seq));
        });
        if let Some(session) = self.session.as_ref().filter(|_| current) {
            self.context.sync.hub_is_at(session.number, seq);
        }
        let of_member = |write: &OwnWrite| write.kind == Kind::Member.name();
        let (writes, settings): (Vec<_>, Vec<_>) = writes.into_iter().partition(of_member);
        if !settings.is_empty() {
            // A hub connection that is restarting receives them with the next change of the feed.
            let _ = self.context.hub.cast(HubMessage::Decided { writes: settings });
        }
        if !writes.is_empty() {
            // Members that are restarting read them from the rows.
            let _ = self.context.members.cast(MembersMessage::Decided { writes });
        }
        // A hub connection that is restarting starts with a fresh pace anyway.
        let _ = self.context.hub.cast(HubMessage::Delivered);
        Ok(())
    }
}

/// Reads the next batch and sends it. Reading hundreds of frames is no work for a thread that answers tills.
async fn push(
    storage: Storage,
    session: Session,
    batch: Batch,
    events_max: usize,
) -> Result<PushAnswer, CallError> {
    let Session { client, epoch: sender_epoch, limits, .. } = session;
    // At least one record is sent, even if the limits of the hub are 0.
    let events_max = events_max.min(limits.batch_events).max(1);
    let bytes_max = BATCH_BYTES_MAX.min(limits.batch_bytes / 2);
    let read = move || -> Result<Push, CallError> {
        let Batch { epoch, from_seq } = batch;
        let (prev_hash, events) = storage.outbox().records(&epoch, from_seq, events_max, bytes_max)?;
        if events.is_empty() {
            return Err(CallError::rejected("the store's own records can't be found"));
        }
        let store_id = storage.store_id().0.clone();
        let backlog = storage.outbox().backlog()?;
        Ok(Push { store_id, sender_epoch, epoch, prev_hash, events, backlog })
    };
    let stopping = |_| CallError::transient("the daemon is stopping");
    let batch = tokio::task::spawn_blocking(read).await.map_err(stopping)??;
    client.push(batch).await
}
