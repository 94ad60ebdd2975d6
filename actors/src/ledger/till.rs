//! Settles what a shift drafted for its till: goods, points and what became of a sale are known here.

use super::State;
use crate::failure::Failure;
use crate::pending::{Outcome, Pending};
use crate::shelf::Stocked;
use crate::shift::{Settled, guarded, told, transaction_answer, unexpected};
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::hold::RecallDraft;
use domain::ids::{MovementId, PaymentId, ShiftId};
use domain::ledger;
use domain::record;
use domain::returns::{ReturnDraft, ReturnVoidDraft};
use domain::sale::{TenderDraft, VoidDraft, VoidedView};
use domain::transaction::Transaction;
use tokio::sync::oneshot;

/// What a shift drafted.
pub(crate) enum TillDraft {
    /// The void of a sale.
    Void(VoidDraft),
    /// A payment put right, and why.
    Correct { draft: TenderDraft, reason: String },
    /// A basket that something was paid of, and something is due.
    PartlyPaid { outcome: Box<Outcome>, shift_id: ShiftId },
    /// Payments that were taken back, points among them.
    Released { outcome: Box<Outcome>, shift_id: ShiftId },
    /// A basket put away, and the approvals of its prices and discounts.
    Hold { event: Box<Event>, shift_id: ShiftId, entries: Vec<AuditEntry> },
    /// A hold that is asked for, and what its basket is priced with.
    Recall { draft: Box<RecallDraft>, stocked: Box<Stocked> },
    /// Goods that come back.
    Return(Box<ReturnDraft>),
    /// The same, only to be looked at.
    Quote { draft: Box<ReturnDraft>, approval_required: bool },
    /// The void of a return, and the sale that it was of.
    VoidReturn { draft: Box<ReturnVoidDraft>, sale: Option<Box<Transaction>> },
}

impl TillDraft {
    fn shift_id(&self) -> ShiftId {
        match self {
            Self::Void(draft) => draft.shift.shift_id.clone(),
            Self::Correct { draft, .. } => draft.shift.shift_id.clone(),
            Self::PartlyPaid { shift_id, .. }
            | Self::Released { shift_id, .. }
            | Self::Hold { shift_id, .. } => shift_id.clone(),
            Self::Recall { draft, .. } => draft.shift.shift_id.clone(),
            Self::Return(draft) | Self::Quote { draft, .. } => draft.shift.shift_id.clone(),
            Self::VoidReturn { draft, .. } => draft.shift.shift_id.clone(),
        }
    }
}

impl State {
    pub(super) fn till(
        &mut self,
        draft: TillDraft,
        who: &Who,
        incarnation: u64,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    ) {
        let shift_id = draft.shift_id();
        let outcome = match draft {
            TillDraft::Void(draft) => self.void(draft, who),
            TillDraft::Correct { draft, reason } => self.correct(draft, &reason, who),
            TillDraft::PartlyPaid { outcome, .. } => self.check_part(&outcome.events).map(|()| *outcome),
            TillDraft::Released { outcome, .. } => Ok(*outcome),
            TillDraft::Hold { event, entries, .. } => self.hold(*event, entries),
            TillDraft::Recall { draft, stocked } => self.recall(*draft, &stocked, who),
            TillDraft::Return(draft) => self.post_return(*draft, who),
            TillDraft::Quote { draft, approval_required } => {
                match self.quote_return(*draft, approval_required, who) {
                    Ok(answer) => self.nothing_to_do(pending, answer, back),
                    Err(failure) => self.refuse(pending, failure, back),
                }
                return;
            }
            TillDraft::VoidReturn { draft, sale } => self.void_return(*draft, sale.as_deref(), who),
        };
        match outcome {
            Ok(outcome) => self.submit_all_for(&shift_id, incarnation, outcome, pending, back),
            Err(failure) => self.refuse(pending, failure, back),
        }
    }

    fn check_part(&mut self, events: &[Event]) -> Result<(), Failure> {
        let Some(Event::TransactionOpen { transaction, .. }) = events.first() else {
            return Err(unexpected());
        };
        let seeded = self.seed(transaction.items.iter().map(|line| &line.sku))?;
        self.load_points(transaction.member_id.as_ref())?;
        let (now, rules) = (self.door.stamps.now(), &self.door.rules);
        let checked = guarded(|| ledger::check_part(transaction, now, rules, &self.book));
        seeded.iter().for_each(|sku| drop(self.book.stock.remove(sku)));
        checked
    }

    fn void(&mut self, draft: VoidDraft, who: &Who) -> Result<Outcome, Failure> {
        self.load_sale(&draft.transaction.transaction_id)?;
        self.load_points(draft.transaction.member_id.as_ref())?;
        let stamp = self.door.stamps.stamp();
        let movement_ids: Vec<MovementId> = self.door.stamps.ids("mov_", draft.transaction.items.len());
        let (mandate, rules) = (who.mandate(), &self.door.rules);
        let event =
            guarded(|| ledger::settle_void(draft, movement_ids, stamp.now, &mandate, rules, &self.book))?;
        let Event::SaleVoided { transaction, refunds, movements, points, .. } = &event else {
            return Err(unexpected());
        };
        let answer = Answer::ok(&VoidedView::new(transaction, refunds, who.caller.role));
        let records = vec![record::sale_voided(&stamp, transaction, movements, refunds, points)];
        let reason = transaction.void_reason.as_deref().unwrap_or_default();
        let entry = told(who, "transaction.voided", transaction, stamp.now, &[("reason", reason)]);
        let date = Some(transaction.business_date);
        Ok(Outcome { events: vec![event], records, answer, stamp }.audited(&self.door.stamps, date, entry))
    }

    fn correct(&mut self, draft: TenderDraft, reason: &str, who: &Who) -> Result<Outcome, Failure> {
        self.load_sale(&draft.transaction.transaction_id)?;
        let stamp = self.door.stamps.stamp();
        let known = draft.known;
        let event = guarded(|| ledger::settle_correction(draft, &self.book))?;
        let Event::TenderCorrected { transaction, wrong, .. } = &event else { return Err(unexpected()) };
        let right: Vec<PaymentId> =
            transaction.payments.iter().skip(known).map(|payment| payment.payment_id.clone()).collect();
        let answer = transaction_answer(false, transaction, who.caller.role);
        let records = vec![record::tender_corrected(&stamp, transaction, wrong, &right)];
        let details = [("payment_id", wrong.as_str()), ("reason", reason)];
        let entry = told(who, "tender.corrected", transaction, stamp.now, &details);
        let date = Some(transaction.business_date);
        Ok(Outcome { events: vec![event], records, answer, stamp }.audited(&self.door.stamps, date, entry))
    }
}
