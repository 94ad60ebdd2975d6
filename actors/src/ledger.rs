//! The ledger: promises that what two shifts can contend for has one owner and one order.

use crate::door::Door;
use crate::failure::{Failure, outcome_known};
use crate::pending::{Outcome, Pending, Reply};
use crate::shift::{Settled, guarded, transaction_answer};
use crate::slot::taken;
use crate::who::Who;
use domain::answer::Answer;
use domain::event::Event;
use domain::ids::{HoldId, MemberId, MovementId, ShiftId, Sku};
use domain::ledger::{self, LedgerBook};
use domain::points::AdjustPoints;
use domain::product::Product;
use domain::record;
use domain::sale::{SaleDraft, VoidSale};
use domain::shift::{self, OpenShift};
use domain::stock::OpeningRow;
use domain::transfer::Transfer;
use domain::user::Role;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeMap;
use tokio::sync::oneshot;

mod books;
mod days;
mod epoch;
mod goods;
mod holds;
mod hub_points;
mod load;
mod opening;
mod points;
mod returns;
mod rows;
mod safe;
mod submit;
mod till;

pub(crate) use hub_points::PointsPage;
pub(crate) use till::TillDraft;

pub(crate) use goods::{AdjustmentStep, Goods, OpnameStep, TransferStep};

pub(crate) use books::BooksCommand;
use books::approval;

/// What the ledger is asked.
pub(crate) enum LedgerMessage {
    /// Open a shift.
    Open { id: ShiftId, command: OpenShift, who: Who, pending: Pending },
    /// Complete a shift's sale.
    Settle {
        draft: Box<SaleDraft>,
        role: Role,
        incarnation: u64,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    },
    /// Close a shift that has decided to.
    Close { event: Box<Event>, incarnation: u64, pending: Pending, back: oneshot::Sender<Settled> },
    /// Write into the store's books.
    Books { command: BooksCommand, who: Who, pending: Pending },
    /// Move goods by a document of the stock room.
    Goods { command: Box<Goods>, who: Who, pending: Pending },
    /// Settle what else a shift drafted.
    Till {
        draft: Box<TillDraft>,
        who: Who,
        incarnation: u64,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    },
    /// Void a basket that waits.
    VoidHold { id: HoldId, command: VoidSale, who: Who, pending: Pending },
    /// Do what time does: end the holds that waited too long, seal a day that is over.
    ExpireHolds,
    /// Take the first stock of skus into the books.
    OpenStock { rows: Vec<OpeningRow>, products: BTreeMap<Sku, Product>, who: Who, pending: Pending },
    /// Correct a member's points.
    AdjustPoints { member: MemberId, command: AdjustPoints, who: Who, pending: Pending },
    /// Let points die whose date has passed, of the members after this one: the ledger tells itself.
    ExpirePoints { after: Option<MemberId> },
    /// A page of the feed has balances of head office; the reply comes when they are durable.
    TellPoints { page: PointsPage, told: oneshot::Sender<Result<(), Failure>> },
    /// Head office tells of a transfer; the reply comes when what it means here is durable.
    TellTransfer { transfer: Box<Transfer>, who: Who, told: Reply },
    /// Whether commands get through.
    Probe { pending: Pending },
    /// Begin a new epoch; the reply comes when it is durable.
    OpenEpoch { epoch: String, opened: oneshot::Sender<()> },
    #[cfg(debug_assertions)]
    Panic,
}

impl LedgerMessage {
    /// Who asks for something that gets the date of now.
    fn dates(&self) -> Option<&Who> {
        match self {
            Self::Open { who, .. }
            | Self::Goods { who, .. }
            | Self::TellTransfer { who, .. }
            | Self::AdjustPoints { who, .. }
            | Self::OpenStock { who, .. } => Some(who),
            Self::Books { command, who, .. } => command.dates().then_some(who),
            _ => None,
        }
    }

    /// Ends a message that could not be sent.
    pub(crate) fn fail(self, failure: Failure) {
        match self {
            Self::Open { pending, .. }
            | Self::Settle { pending, .. }
            | Self::Close { pending, .. }
            | Self::Till { pending, .. }
            | Self::VoidHold { pending, .. }
            | Self::Books { pending, .. }
            | Self::OpenStock { pending, .. }
            | Self::AdjustPoints { pending, .. }
            | Self::Probe { pending }
            | Self::Goods { pending, .. } => pending.fail(failure),
            // Dropped: whoever waits for an epoch or the feed sees it.
            Self::TellPoints { .. }
            | Self::TellTransfer { .. }
            | Self::ExpirePoints { .. }
            | Self::ExpireHolds
            | Self::OpenEpoch { .. } => {}
            #[cfg(debug_assertions)]
            Self::Panic => {}
        }
    }
}

pub(crate) struct State {
    door: Door,
    book: LedgerBook,
    /// The day on which all dead points were last taken away.
    expired_on: Option<jiff::civil::Date>,
}

pub(crate) struct Ledger;

impl Actor for Ledger {
    type Msg = LedgerMessage;
    type State = State;
    type Arguments = Door;

    async fn pre_start(&self, me: ActorRef<Self::Msg>, door: Door) -> Result<State, ActorProcessingErr> {
        door.storage.barrier().await?;
        let book = load::load(&door)?;
        me.cast(LedgerMessage::ExpirePoints { after: None })?;
        // Ends with the actor. The first look is at the start: holds do not wait longer for a restart.
        me.send_interval(holds::EXPIRY_EVERY, || LedgerMessage::ExpireHolds);
        let mut state = State { door, book, expired_on: None };
        state.expire_holds();
        Ok(state)
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        if !matches!(message, LedgerMessage::ExpirePoints { .. } | LedgerMessage::ExpireHolds) {
            taken(&state.door.ledger.depth);
        }
        state.follow_the_link().await?;
        if let Some(who) = message.dates() {
            state.goes_on(who).await?;
        }
        match message {
            LedgerMessage::VoidHold { id, command, who, pending } => {
                state.void_hold(&id, &command, &who, pending)
            }
            LedgerMessage::ExpireHolds => state.tick().await?,
            LedgerMessage::Open { id, command, who, pending } => state.open(id, &command, &who, pending),
            LedgerMessage::Settle { draft, role, incarnation, pending, back } => {
                state.settle(*draft, role, incarnation, pending, back)
            }
            LedgerMessage::Close { event, incarnation, pending, back } => {
                state.close(event, incarnation, pending, back)
            }
            LedgerMessage::Books { command, who, pending } => state.books(command, &who, pending).await?,
            LedgerMessage::Goods { command, who, pending } => state.goods(*command, &who, pending),
            LedgerMessage::Till { draft, who, incarnation, pending, back } => {
                state.till(*draft, &who, incarnation, pending, back)
            }
            LedgerMessage::OpenStock { rows, products, who, pending } => {
                state.open_stock(&rows, &products, &who.caller.user_id, pending)
            }
            LedgerMessage::AdjustPoints { member, command, who, pending } => {
                state.adjust_points(&member, &command, &who, pending)
            }
            LedgerMessage::ExpirePoints { after } => state.expire_points(after, &me),
            LedgerMessage::TellPoints { page, told } => {
                if told.is_closed() {
                    // Whoever asked has given up, and asks again.
                    return Ok(());
                }
                let outcome = state.tell_points(page).await;
                let known = outcome_known(&outcome);
                let _ = told.send(outcome);
                known?;
            }
            LedgerMessage::TellTransfer { transfer, who, told } => {
                state.tell_transfer(transfer, &who, told).await?;
            }
            LedgerMessage::Probe { pending } => {
                pending.nothing_to_do(&state.door.storage, Answer::ok(&()));
            }
            LedgerMessage::OpenEpoch { epoch, opened } => state.open_epoch(epoch, opened).await?,
            #[cfg(debug_assertions)]
            LedgerMessage::Panic => panic!("asked to"),
        }
        state.trim().await
    }
}

impl State {
    fn open(&mut self, id: ShiftId, command: &OpenShift, who: &Who, pending: Pending) {
        let stamp = self.door.stamps.stamp();
        let rules = &self.door.rules;
        let opened = guarded(|| ledger::open_shift(command, id, stamp.now, &who.caller, rules, &self.book));
        let event = match opened {
            Ok(opened) => opened,
            Err(failure) => return pending.refuse(&self.door.storage, failure),
        };
        let Event::ShiftOpened { shift, .. } = &event else { return };
        let location = format!("/api/shifts/{}", shift.shift_id);
        let answer = Answer::created(location, &shift::view(shift, stamp.now, rules));
        let records = vec![record::shift_opened(&stamp, shift)];
        self.submit(event, records, answer, stamp, pending);
    }

    fn settle(
        &mut self,
        draft: SaleDraft,
        role: Role,
        incarnation: u64,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    ) {
        let shift_id = draft.shift.shift_id.clone();
        let seeded = match self.seed(draft.transaction.items.iter().map(|line| &line.sku)) {
            Ok(seeded) => seeded,
            Err(failure) => return self.refuse(pending, failure, back),
        };
        if let Err(failure) = self.load_points(draft.transaction.member_id.as_ref()) {
            return self.refuse(pending, failure, back);
        }
        let stamp = self.door.stamps.stamp();
        let rules = &self.door.rules;
        let movement_ids: Vec<MovementId> = self.door.stamps.ids("mov_", draft.transaction.items.len());
        let settled = guarded(|| ledger::settle(draft, movement_ids, stamp.now, rules, &self.book));
        // A row that no event wrote would keep the product's cost of today for ever.
        seeded.iter().for_each(|sku| drop(self.book.stock.remove(sku)));
        let event = match settled {
            Ok(event) => event,
            Err(failure) => return self.refuse(pending, failure, back),
        };
        let Event::TransactionPaid { transaction, movements, points, .. } = &event else { return };
        let answer = transaction_answer(false, transaction, role);
        let records = vec![record::transaction_paid(&stamp, transaction, movements, points)];
        self.submit_for(&shift_id, incarnation, event, records, answer, stamp, pending, back);
    }

    fn close(
        &mut self,
        event: Box<Event>,
        incarnation: u64,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    ) {
        let Event::ShiftClosed { shift, voided, .. } = event.as_ref() else { return };
        let shift_id = shift.shift_id.clone();
        let mut records: Vec<String> = voided
            .iter()
            .map(|basket| record::transaction_voided(&self.door.stamps.stamp(), basket))
            .collect();
        let stamp = self.door.stamps.stamp();
        let answer = Answer::ok(&shift::summary(shift, stamp.now, &self.door.rules));
        records.push(record::shift_closed(&stamp, shift));
        let (date, approval) = (shift.business_date, approval(shift, stamp.now));
        let mut outcome = Outcome { events: vec![*event], records, answer, stamp };
        if let Some(entry) = approval {
            outcome = outcome.audited(&self.door.stamps, Some(date), entry);
        }
        self.submit_all_for(&shift_id, incarnation, outcome, pending, back);
    }
}
