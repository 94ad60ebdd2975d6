//! The outbox: promises that every numbered record reaches the hub, in order, as often as it takes.
//!
//! The rows are the truth: a poke only says "look". At most one batch is under way.

use crate::door::Door;
use crate::hub_client::{CallError, HubClient};
use crate::hub_connection::HubMessage;
use crate::pace::BatchSize;
use crate::slot::taken;
use domain::event::{AckMark, Event};
use domain::sync::{PUSH_BYTES_MAX, Push, PushAnswer};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::{Commit, Storage};

/// Room for the JSON around the records of a batch.
const BATCH_BYTES_MAX: usize = PUSH_BYTES_MAX / 2;

/// What the outbox is told.
pub(crate) enum OutboxMessage {
    /// There may be new records.
    Poke,
    /// The hub is there and has this epoch up to here.
    Online(Box<Session>),
    /// The hub is gone: keep everything, send nothing.
    Offline,
    /// A batch came back.
    Pushed { session: u64, result: Box<Result<PushAnswer, CallError>> },
    #[cfg(debug_assertions)]
    Panic,
}

/// One hello's outcome: where to send from.
#[derive(Clone)]
pub(crate) struct Session {
    /// Answers of an earlier session are not used.
    pub(crate) number: u64,
    pub(crate) client: HubClient,
    pub(crate) generation: String,
    pub(crate) epoch: String,
    pub(crate) from_seq: u64,
    pub(crate) from_hash: String,
    pub(crate) stable_seq: u64,
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
            OutboxMessage::Online(session) => state.online(*session).await?,
            OutboxMessage::Offline => (state.session, state.under_way) = (None, false),
            OutboxMessage::Pushed { session, result } => {
                if state.session.as_ref().is_some_and(|now| now.number == session) {
                    state.pushed(*result).await?;
                }
            }
            #[cfg(debug_assertions)]
            OutboxMessage::Panic => panic!("asked to"),
        }
        state.send(&me);
        Ok(())
    }
}

impl State {
    /// A hello went well. What the hub has beyond our mark is an acknowledgement that got lost; what it
    /// has no more, because it was restored, is sent again.
    ///
    /// An error ends this outbox: the storage is closed, or its rows can't be read.
    async fn online(&mut self, session: Session) -> Result<(), ActorProcessingErr> {
        let mark = self.door.storage.ack_mark()?;
        if mark.epoch != session.epoch || mark.seq != session.from_seq {
            let hash = session.from_hash.clone();
            let mark = AckMark {
                epoch: session.epoch.clone(),
                seq: session.from_seq,
                hash,
                stable_seq: session.stable_seq,
            };
            self.write(mark).await?;
        }
        (self.session, self.under_way) = (Some(session), false);
        Ok(())
    }

    async fn write(&self, mark: AckMark) -> Result<(), ActorProcessingErr> {
        let events = vec![Event::RecordsAcknowledged { mark }];
        let at = self.door.stamps.now();
        self.door.storage.commit(Commit { events, records: Vec::new(), keyed: None, at, hlc: None }).await?;
        Ok(())
    }

    /// Sends the next batch if the hub is there, none is under way and something waits.
    fn send(&mut self, me: &ActorRef<OutboxMessage>) {
        let Some(session) = self.session.as_ref().filter(|_| !self.under_way) else { return };
        if session.from_seq >= self.door.storage.head().seq {
            return;
        }
        let session = session.clone();
        self.under_way = true;
        let (me, storage, events_max) = (me.clone(), self.door.storage.clone(), self.size.events());
        tokio::spawn(async move {
            let number = session.number;
            let result = Box::new(push(storage, session, events_max).await);
            // An outbox that restarted meanwhile has no use for the answer.
            let _ = me.cast(OutboxMessage::Pushed { session: number, result });
        });
    }

    async fn pushed(&mut self, result: Result<PushAnswer, CallError>) -> Result<(), ActorProcessingErr> {
        self.under_way = false;
        match result.and_then(|answer| self.believe(answer)) {
            Ok(answer) => {
                self.size.succeeded();
                self.acknowledged(answer).await?;
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

    /// An acknowledgement counts only if this store's own chain has that hash at that seq.
    fn believe(&self, answer: PushAnswer) -> Result<PushAnswer, CallError> {
        let Some(session) = &self.session else { return Err(CallError::transient("no session")) };
        if answer.hub_generation != session.generation {
            return Err(CallError::transient("the hub was restored: saying hello again"));
        }
        if answer.epoch == session.epoch && answer.acked_seq <= session.from_seq {
            return Err(CallError::transient("the hub took nothing of a batch"));
        }
        let (own, _) = self.door.storage.records(&answer.epoch, answer.acked_seq, 0, 0)?;
        let known = answer.epoch == session.epoch && answer.acked_seq <= self.door.storage.head().seq;
        if own != answer.acked_hash || !known {
            let what = "the hub acknowledged a history that is not this store's";
            return Err(CallError::rejected(what));
        }
        Ok(answer)
    }

    async fn acknowledged(&mut self, answer: PushAnswer) -> Result<(), ActorProcessingErr> {
        let sent = self.session.as_ref().map_or(0, |session| session.from_seq);
        let mark = AckMark {
            epoch: answer.epoch,
            seq: answer.acked_seq,
            hash: answer.acked_hash,
            stable_seq: answer.stable_seq,
        };
        self.write(mark).await?;
        self.door.sync.succeeded(self.door.stamps.now(), answer.hub_time);
        self.door.sync.change(|link| {
            link.pushed = link.pushed.saturating_add(answer.acked_seq.saturating_sub(sent));
            link.parked = link.parked.saturating_add(answer.parked.len() as u64);
        });
        if let Some(session) = &mut self.session {
            session.from_seq = answer.acked_seq;
            self.door.sync.hub_is_at(session.number, answer.acked_seq);
        }
        // A hub connection that is restarting starts with a fresh pace anyway.
        let _ = self.door.hub.cast(HubMessage::Delivered);
        Ok(())
    }
}

/// Reads the next batch and sends it. Reading hundreds of frames is no work for a thread that answers tills.
async fn push(storage: Storage, session: Session, events_max: usize) -> Result<PushAnswer, CallError> {
    let (epoch, from_seq) = (session.epoch, session.from_seq);
    let read = move || -> Result<Push, CallError> {
        let (prev_hash, events) = storage.records(&epoch, from_seq, events_max, BATCH_BYTES_MAX)?;
        if events.is_empty() {
            return Err(CallError::rejected("the store's own records can't be found"));
        }
        let store_id = storage.store_id().0.clone();
        let backlog = storage.backlog()?;
        Ok(Push { store_id, sender_epoch: epoch.clone(), epoch, prev_hash, events, backlog })
    };
    let stopping = |_| CallError::transient("the daemon is stopping");
    let batch = tokio::task::spawn_blocking(read).await.map_err(stopping)??;
    session.client.push(&batch).await
}
