//! Documents of the stock room: receipts, supplier returns, adjustments, transfers, counts.

use super::State;
use crate::failure::Failure;
use crate::pending::{Outcome, Pending, Reply};
use crate::shift::guarded;
use crate::who::Who;
use domain::adjustment::{AdjustmentState, NewAdjustment};
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::ids::{AdjustmentId, MovementId, OpnameId, ReceivingId, Sku, SupplierReturnId, TransferId};
use domain::ledger::LedgerBook;
use domain::opname::{CountOpname, NewOpname, PostOpname, RecountOpname};
use domain::product::Product;
use domain::purchase::PurchaseOrder;
use domain::receiving::NewReceiving;
use domain::record;
use domain::refusal::Refusal;
use domain::stock::StockRoom;
use domain::supplier_return::NewSupplierReturn;
use domain::transfer::{NewTransfer, ReceiveTransfer, ResolveTransfer, Transfer};
use jiff::civil::Date;
use std::collections::BTreeMap;
use storage::Unconfirmed;

mod adjustment;
mod opname;
mod receiving;
mod transfer;

/// The catalogue's rows that a command names.
type Products = BTreeMap<Sku, Product>;

/// What the stock room asks.
pub(crate) enum Goods {
    /// Take a supplier's goods in, against an order where the command names one.
    Receive { id: ReceivingId, command: NewReceiving, order: Option<Box<PurchaseOrder>>, products: Products },
    /// Take a receipt back.
    ReverseReceiving { id: ReceivingId },
    /// Send goods back to a supplier.
    GiveBack { id: SupplierReturnId, command: NewSupplierReturn, products: Products },
    /// Adjust stock.
    Adjust { id: AdjustmentId, command: NewAdjustment, products: Products },
    /// Go on with an adjustment.
    Adjustment { id: AdjustmentId, step: AdjustmentStep },
    /// Write a transfer down, or send it at once.
    NewTransfer { id: TransferId, command: NewTransfer, products: Products },
    /// Go on with a transfer.
    Transfer { id: TransferId, step: TransferStep },
    /// Head office tells of a transfer.
    Told { transfer: Box<Transfer> },
    /// Start a count.
    NewOpname { id: OpnameId, command: NewOpname, products: Products, lines_total: u64 },
    /// Go on with a count.
    Opname { id: OpnameId, step: OpnameStep },
}

/// What may be done with an adjustment.
pub(crate) enum AdjustmentStep {
    /// A manager says yes.
    Approve,
    /// A manager says no.
    Reject,
    /// A manager takes it back.
    Reverse,
}

/// What may be done with a transfer.
pub(crate) enum TransferStep {
    /// A draft's goods leave.
    Send,
    /// The goods are here.
    Receive(ReceiveTransfer),
    /// What became of missing pieces.
    Resolve(ResolveTransfer),
    /// It is called off.
    Cancel,
}

/// What may be done with a count.
pub(crate) enum OpnameStep {
    /// Somebody counted.
    Count { command: CountOpname, products: Products },
    /// The counting is over.
    Submit,
    /// Some products are counted again.
    Recount(RecountOpname),
    /// The differences move.
    Post(PostOpname),
    /// Nothing moves.
    Cancel,
}

/// A step that was decided, before its record and audit entry have stamps of their own.
struct Decided {
    /// Stamp of the step itself.
    stamp: Stamp,
    events: Vec<Event>,
    records: Vec<String>,
    answer: Answer,
    /// The sensitive action that it was, the document, and the day that it counts for.
    audit: Option<(&'static str, String, Date)>,
}

impl State {
    pub(super) fn goods(&mut self, command: Goods, who: &Who, pending: Pending) {
        let decided = match command {
            Goods::Receive { id, command, order, products } => {
                self.receive(id, &command, order.as_deref(), &products, who)
            }
            Goods::ReverseReceiving { id } => self.reverse_receiving(&id, who),
            Goods::GiveBack { id, command, products } => self.give_back(id, &command, &products, who),
            Goods::Adjust { id, command, products } => self.adjust(id, &command, &products, who),
            Goods::Adjustment { id, step } => self.go_on_adjusting(&id, &step, who),
            Goods::NewTransfer { id, command, products } => self.transfer(id, &command, &products, who),
            Goods::Transfer { id, step } => self.go_on_transferring(&id, &step, who),
            Goods::Told { transfer } => self.told(&transfer, who),
            Goods::NewOpname { id, command, products, lines_total } => {
                self.start_count(id, &command, &products, lines_total, who)
            }
            Goods::Opname { id, step } => self.go_on_counting(&id, &step, who),
        };
        match decided {
            Ok(decided) => self.submit_goods(decided, who, pending),
            Err(failure) => pending.refuse(&self.door.storage, failure),
        }
    }

    /// What head office tells of a transfer. It lies in the mailbox without a permit, and is given one of the
    /// reserve here.
    pub(super) async fn tell_transfer(
        &mut self,
        transfer: Box<Transfer>,
        who: &Who,
        told: Reply,
    ) -> Result<(), Unconfirmed> {
        if told.is_closed() {
            // Whoever asked has given up, and asks again.
            return Ok(());
        }
        let permit = self.door.storage.own_permit().await?;
        let pending = Pending::own(permit, told, self.door.sync.clone());
        match self.door.storage.writable() {
            Ok(()) => self.goods(Goods::Told { transfer }, who, pending),
            Err(why) => pending.fail(Failure::StorageFull(why.to_string())),
        }
        Ok(())
    }

    /// Submits a step with its audit entry, and folds it. No await lies in between.
    fn submit_goods(&mut self, decided: Decided, who: &Who, pending: Pending) {
        let Decided { mut stamp, mut events, mut records, answer, audit } = decided;
        if events.is_empty() {
            return pending.nothing_to_do(&self.door.storage, answer);
        }
        if let Some((action, document, date)) = audit {
            let entry = AuditEntry::new(&who.mandate(), action, stamp.now, &[("id", document.as_str())]);
            // The last stamp of all: the mark keeps the highest.
            stamp = self.door.stamps.stamp();
            records.push(record::audit_recorded(&stamp, Some(date), &entry));
            events.push(Event::Audited { entry });
        }
        let outcome = Outcome { events: events.clone(), records, answer, stamp };
        if pending.ready(outcome).is_some_and(|command| command.submit(&self.door.storage)) {
            events.iter().for_each(|event| self.book.evolve(event));
        }
    }

    /// Asks a rule about the book, in which skus that never moved have their product's cost.
    fn decide<'s, T>(
        &mut self,
        skus: impl Iterator<Item = &'s Sku>,
        stamp: &Stamp,
        who: &Who,
        rule: impl FnOnce(&StockRoom<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Failure> {
        let seeded = self.seed(skus)?;
        let (now, mandate) = (stamp.now, who.mandate());
        let room = StockRoom { now, mandate, rules: &self.door.rules, book: &self.book };
        let decided = guarded(|| rule(&room));
        // A row that no event wrote would keep the product's cost of today for ever.
        seeded.iter().for_each(|sku| drop(self.book.stock.remove(sku)));
        decided
    }

    fn movement_ids(&self, count: usize) -> Vec<MovementId> {
        self.door.stamps.ids("mov_", count)
    }
}

/// What a rule must not have made: an event of another kind.
fn foreign() -> Failure {
    Failure::Internal("a rule made an event of another noun".to_owned())
}

/// Documents in the book that are over: loaded for one command, or kept until they are in the rows.
pub(super) fn loaded(book: &LedgerBook) -> usize {
    let adjustments = book.adjustments.len();
    adjustments + book.transfers.len() + book.orders.len() + book.reversed_receivings.len()
}

/// Lets go of what is over; all that wrote it is in the rows.
pub(super) fn let_go(book: &mut LedgerBook) {
    book.adjustments.retain(|_, adjustment| adjustment.state == AdjustmentState::Pending);
    book.transfers.retain(|_, transfer| !transfer.settled());
    book.opnames.retain(|_, opname| !opname.state.over());
    book.reversed_receivings.clear();
    book.orders.clear();
}
