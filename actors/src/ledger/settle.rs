//! Settles what a shift drafted for its till: goods, points and what became of a sale are known here.

use crate::command::Owner;
use crate::decide::{Decision, Outcome, ShiftDraft, guarded, internal_mismatch};
use crate::failure::Failure;
use crate::request::RequestContext;
use crate::transaction::{audit_entry, transaction_answer};
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::ids::{MovementId, PaymentId};
use domain::ledger::{self, LedgerBook};
use domain::record;
use domain::sale::{SaleDraft, TenderDraft, VoidDraft, VoidedView};
use domain::shift::{self, Shift};
use domain::time::UtcMs;
use serde_json::json;

impl Owner<LedgerBook> {
    /// What a shift's draft comes to.
    pub(super) fn settle(
        &mut self,
        draft: ShiftDraft,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let outcome = match draft {
            ShiftDraft::Sale(draft) => self.sale(*draft, request),
            ShiftDraft::Void(draft) => self.void(*draft, request),
            ShiftDraft::Correct { draft, reason } => self.correct(*draft, &reason, request),
            ShiftDraft::PartlyPaid(outcome) => self.check_part(&outcome.events).map(|()| *outcome),
            ShiftDraft::Released(outcome) => Ok(*outcome),
            ShiftDraft::Hold { event, entries } => self.hold(*event, entries),
            ShiftDraft::Recall { draft, inputs } => self.recall(*draft, &inputs, request),
            ShiftDraft::Return(draft) => self.post_return(*draft, request),
            ShiftDraft::Quote { draft, approval_required } => {
                return self.quote_return(*draft, approval_required, request).map(Decision::Answer);
            }
            ShiftDraft::VoidReturn { draft, sale } => self.void_return(*draft, sale.as_deref(), request),
            ShiftDraft::Close(event) => self.close(*event),
        };
        outcome.map(Decision::Commit)
    }

    fn check_part(&mut self, events: &[Event]) -> Result<(), Failure> {
        let Some(Event::TransactionOpen { transaction, .. }) = events.first() else {
            return Err(internal_mismatch());
        };
        let seeded = self.seed(transaction.items.iter().map(|line| &line.sku))?;
        self.load_points(transaction.member_id.as_ref())?;
        let (now, rules) = (self.stamps.now(), &self.rules);
        let checked = guarded(|| ledger::check_part(transaction, now, rules, &self.book));
        self.unseed(&seeded);
        checked
    }

    fn void(&mut self, draft: VoidDraft, request: &RequestContext) -> Result<Outcome, Failure> {
        self.load_sale(&draft.transaction.transaction_id)?;
        self.load_points(draft.transaction.member_id.as_ref())?;
        let stamp = self.stamps.stamp();
        let movement_ids: Vec<MovementId> = self.stamps.ids("mov_", draft.transaction.items.len());
        let (mandate, rules) = (request.mandate(), &self.rules);
        let event =
            guarded(|| ledger::settle_void(draft, movement_ids, stamp.now, &mandate, rules, &self.book))?;
        let Event::SaleVoided { transaction, refunds, movements, points, .. } = &event else {
            return Err(internal_mismatch());
        };
        let answer = Answer::ok(&VoidedView::new(transaction, refunds, request.caller.role));
        let records = vec![record::sale_voided(&stamp, transaction, movements, refunds, points)];
        let details = json!({"reason": transaction.void_reason});
        let entry = audit_entry(request, "transaction.voided", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        Ok(Outcome { events: vec![event], records, answer, stamp }.audited(&self.stamps, date, entry))
    }

    fn correct(
        &mut self,
        draft: TenderDraft,
        reason: &str,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        self.load_sale(&draft.transaction.transaction_id)?;
        let stamp = self.stamps.stamp();
        let known = draft.known;
        let event = guarded(|| ledger::settle_correction(draft, &self.book))?;
        let Event::TenderCorrected { transaction, wrong, .. } = &event else {
            return Err(internal_mismatch());
        };
        let right: Vec<PaymentId> =
            transaction.payments.iter().skip(known).map(|payment| payment.payment_id.clone()).collect();
        let answer = transaction_answer(false, transaction, request.caller.role);
        let records = vec![record::tender_corrected(&stamp, transaction, wrong, &right)];
        let details = json!({"payment_id": wrong, "reason": reason});
        let entry = audit_entry(request, "tender.corrected", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        Ok(Outcome { events: vec![event], records, answer, stamp }.audited(&self.stamps, date, entry))
    }

    /// Completes a sale.
    fn sale(&mut self, draft: SaleDraft, request: &RequestContext) -> Result<Outcome, Failure> {
        let seeded = self.seed(draft.transaction.items.iter().map(|line| &line.sku))?;
        let settled = self.settled(draft);
        self.unseed(&seeded);
        let (stamp, event) = settled?;
        let Event::TransactionPaid { transaction, movements, points, .. } = &event else {
            return Err(internal_mismatch());
        };
        let answer = transaction_answer(false, transaction, request.caller.role);
        let records = vec![record::transaction_paid(&stamp, transaction, movements, points)];
        Ok(Outcome::of(stamp, event, records, answer))
    }

    fn settled(&mut self, draft: SaleDraft) -> Result<(Stamp, Event), Failure> {
        self.load_points(draft.transaction.member_id.as_ref())?;
        let (stamp, ids) = (self.stamps.stamp(), self.movement_ids(draft.transaction.items.len()));
        let event = guarded(|| ledger::settle(draft, ids, stamp.now, &self.rules, &self.book))?;
        Ok((stamp, event))
    }

    /// Closes a shift that has decided to.
    fn close(&self, event: Event) -> Result<Outcome, Failure> {
        let Event::ShiftClosed { shift, voided, .. } = &event else { return Err(internal_mismatch()) };
        let mut records: Vec<String> =
            voided.iter().map(|basket| record::transaction_voided(&self.stamps.stamp(), basket)).collect();
        let stamp = self.stamps.stamp();
        let answer = Answer::ok(&shift::summary(shift, stamp.now, &self.rules));
        records.push(record::shift_closed(&stamp, shift));
        let (date, approval) = (shift.business_date, approval(shift, stamp.now));
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(match approval {
            Some(entry) => outcome.audited(&self.stamps, Some(date), entry),
            None => outcome,
        })
    }
}

/// The audit entry of a close whose variance somebody approved.
fn approval(shift: &Shift, at: UtcMs) -> Option<AuditEntry> {
    let approved_by = shift.approved_by.clone()?;
    let details = json!({"shift_id": shift.shift_id, "variance": shift.variance});
    let user_id = shift.closed_by.clone().unwrap_or_default();
    let entry = AuditEntry::own(&user_id, "shift.variance_approved", at, details);
    Some(AuditEntry { approved_by: Some(approved_by), ..entry })
}
