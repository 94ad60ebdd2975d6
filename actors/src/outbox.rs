//! The outbox: promises that every numbered record reaches the hub, in order, as often as it takes.
//!
//! The rows are the truth: a poke only says "look". At most one batch is under way; the oldest epoch that
//! the hub does not have to its end goes first.

use crate::door::Door;
use crate::hub_client::{CallError, HubClient};
use crate::hub_connection::{HubMessage, change};
use crate::members::MembersMessage;
use crate::pace::BatchSize;
use crate::pending::Pending;
use crate::slot::taken;
use domain::answer::Answer;
use domain::event::{AckMark, Event};
use domain::sync::local::{Change, OwnWrite};
use domain::sync::session::{self, Pushed};
use domain::sync::{Kind, Limits, PUSH_BYTES_MAX, PUSH_EVENTS_MAX, Push, PushAnswer};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::{Commit, Storage};

mod told;

pub(crate) use told::{decided, kept};

use told::{conflicts, told};

/// Room for the JSON around the records of a batch.
const BATCH_BYTES_MAX: usize = PUSH_BYTES_MAX / 2;

/// What the outbox is told.
pub(crate) enum OutboxMessage {
    /// There may be new records.
    Poke,
    /// The hub is there, and every epoch is complete here.
    Online(Box<Session>),
    /// The hub is gone: keep everything, send nothing.
    Offline,
    /// Whether commands get through.
    Probe { pending: Pending },
    /// A batch came back.
    Pushed { session: u64, batch: Batch, result: Box<Result<PushAnswer, CallError>> },
    #[cfg(debug_assertions)]
    Panic,
}

/// One hello's outcome.
#[derive(Clone)]
pub(crate) struct Session {
    /// Answers of an earlier session are not used.
    pub(crate) number: u64,
    pub(crate) client: HubClient,
    pub(crate) generation: String,
    /// The epoch that is written.
    pub(crate) epoch: String,
    /// What the hub accepts.
    pub(crate) limits: Limits,
}

/// Where a batch began.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    epoch: String,
    from_seq: u64,
}

pub(crate) struct State {
    door: Door,
    session: Option<Session>,
    under_way: bool,
    size: BatchSize,
}

pub(crate) struct Outbox;

impl Actor for Outbox {
    type Msg = OutboxMessage;
    type State = State;
    type Arguments = Door;

    async fn pre_start(&self, me: ActorRef<Self::Msg>, door: Door) -> Result<State, ActorProcessingErr> {
        let mut heads = door.storage.watch_seq();
        // Ends with the actor: then casting fails.
        tokio::spawn(async move {
            while heads.changed().await.is_ok() {
                if me.cast(OutboxMessage::Poke).is_err() {
                    break;
                }
            }
        });
        // A new outbox knows no session: the hub connection says hello again.
        let _ = door.hub.cast(HubMessage::OutboxStarted);
        let size = BatchSize::new(door.config.sync.batch_events);
        Ok(State { door, session: None, under_way: false, size })
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        taken(&state.door.outbox.depth);
        match message {
            OutboxMessage::Poke => {}
            OutboxMessage::Probe { pending } => {
                pending.nothing_to_do(&state.door.storage, Answer::ok(&()));
                return Ok(());
            }
            OutboxMessage::Online(session) => (state.session, state.under_way) = (Some(*session), false),
            OutboxMessage::Offline => (state.session, state.under_way) = (None, false),
            OutboxMessage::Pushed { session, batch, result } => {
                match state.session.as_ref() {
                    Some(now) if now.number == session => state.pushed(&batch, *result).await?,
                    Some(now) => {
                        // The batch goes again in this session, as a duplicate: nobody else tells of its conflicts.
                        let answer = result.ok().filter(|answer| answer.hub_generation == now.generation);
                        state
                            .commit(answer.map(|answer| conflicts(answer).collect()).unwrap_or_default())
                            .await?;
                    }
                    // The next hello tells them.
                    None => {}
                }
            }
            #[cfg(debug_assertions)]
            OutboxMessage::Panic => panic!("asked to"),
        }
        state.send(&me).await
    }
}

impl State {
    /// Sends the next batch if the hub is there, none is under way and something waits.
    async fn send(&mut self, me: &ActorRef<OutboxMessage>) -> Result<(), ActorProcessingErr> {
        let Some(session) = self.session.as_ref().filter(|_| !self.under_way) else { return Ok(()) };
        let lineage = self.door.storage.lineage()?;
        let Some((epoch, from_seq)) = session::next_push(&lineage) else { return Ok(()) };
        let batch = Batch { epoch: epoch.to_owned(), from_seq };
        let session = session.clone();
        self.under_way = true;
        let (me, storage, events_max) = (me.clone(), self.door.storage.clone(), self.size.events());
        tokio::spawn(async move {
            let number = session.number;
            let result = Box::new(push(storage, session, batch.clone(), events_max).await);
            // An outbox that restarted meanwhile has no use for the answer.
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

    /// Ends the session. The hub connection is the one that decides when to try again.
    async fn lost(&mut self, error: CallError) {
        if let Some(session) = self.session.take() {
            // One that restarts says hello anyway.
            let _ = self.door.hub.send(HubMessage::Lost { session: session.number, error }).await;
        }
    }

    fn believe(&self, batch: &Batch, answer: &PushAnswer) -> Result<AckMark, CallError> {
        let Some(session) = &self.session else { return Err(CallError::transient("no session")) };
        let sent = (batch.epoch.as_str(), batch.from_seq);
        match session::pushed(&self.door.storage, &session.epoch, &session.generation, sent, answer)? {
            Pushed::Acknowledged(mark) => Ok(mark),
            Pushed::SayApart => Err(CallError::apart()),
            Pushed::SayHello if answer.hub_generation != session.generation => {
                Err(CallError::other_generation())
            }
            Pushed::SayHello => Err(CallError::transient("the hub took nothing of a batch")),
        }
    }

    async fn commit(&self, events: Vec<Event>) -> Result<(), ActorProcessingErr> {
        if events.is_empty() {
            return Ok(());
        }
        let at = self.door.stamps.now();
        self.door.storage.commit(Commit { events, records: Vec::new(), keyed: None, at, hlc: None }).await?;
        Ok(())
    }

    /// An error ends this outbox: the storage is closed.
    async fn acknowledged(
        &mut self,
        batch: &Batch,
        mark: AckMark,
        answer: PushAnswer,
    ) -> Result<(), ActorProcessingErr> {
        let (seq, current) = (mark.seq, self.door.storage.head().epoch == mark.epoch);
        let span = (batch.from_seq, seq);
        let (mut writes, mut events) = (Vec::new(), Vec::new());
        for page in decided(&self.door.storage, &mark.epoch, span, &answer.versions) {
            let page = page?;
            // The hub has more than the batch: what no commit should grow by goes before the mark.
            if events.len() >= PUSH_EVENTS_MAX {
                self.commit(std::mem::take(&mut events)).await?;
            }
            events.extend(page.iter().map(|write| change(Change::Decided { write: write.clone() })));
            writes.extend(page);
        }
        events.extend(told(&self.door, mark, answer.clone())?);
        self.commit(events).await?;
        self.door.sync.succeeded(self.door.stamps.now(), answer.hub_time);
        self.door.sync.change(|link| {
            link.pushed = link.pushed.saturating_add(seq.saturating_sub(batch.from_seq));
        });
        if let Some(session) = self.session.as_ref().filter(|_| current) {
            self.door.sync.hub_is_at(session.number, seq);
        }
        let of_member = |write: &OwnWrite| write.kind == Kind::Member.name();
        let (writes, settings): (Vec<_>, Vec<_>) = writes.into_iter().partition(of_member);
        if !settings.is_empty() {
            // A hub connection that is restarting hears of them with the next change of the feed.
            let _ = self.door.hub.cast(HubMessage::Decided { writes: settings });
        }
        if !writes.is_empty() {
            // Members that are restarting read them from the rows.
            let _ = self.door.members.cast(MembersMessage::Decided { writes });
        }
        // A hub connection that is restarting starts with a fresh pace anyway.
        let _ = self.door.hub.cast(HubMessage::Delivered);
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
    // At least one record goes, whatever a hub says of itself.
    let events_max = events_max.min(limits.batch_events).max(1);
    let bytes_max = BATCH_BYTES_MAX.min(limits.batch_bytes / 2);
    let read = move || -> Result<Push, CallError> {
        let Batch { epoch, from_seq } = batch;
        let (prev_hash, events) = storage.records(&epoch, from_seq, events_max, bytes_max)?;
        if events.is_empty() {
            return Err(CallError::rejected("the store's own records can't be found"));
        }
        let store_id = storage.store_id().0.clone();
        let backlog = storage.backlog()?;
        Ok(Push { store_id, sender_epoch, epoch, prev_hash, events, backlog })
    };
    let stopping = |_| CallError::transient("the daemon is stopping");
    let batch = tokio::task::spawn_blocking(read).await.map_err(stopping)??;
    client.push(batch).await
}
