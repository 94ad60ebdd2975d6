//! Settles a shift's draft for its till: goods, points and the state of a sale are known here.

use crate::owners::transaction::audit_entry;
use crate::runtime::command::Owner;
use crate::runtime::decide::{Decision, Outcome, ShiftDraft, guarded};
use crate::runtime::failure::Failure;
use crate::runtime::request::RequestContext;
use domain::model::base::answer::Answer;
use domain::model::base::event::{Event, Rows, fact};
use domain::model::base::ids::{MovementId, PaymentId};
use domain::model::books::ledger::LedgerBook;
use domain::model::books::shift::Shift;
use domain::model::hub::stamp::Stamp;
use domain::model::people::audit::AuditEntry;
use domain::rules::books::ledger;
use domain::rules::books::shift;
use domain::rules::selling::sale::{SaleDraft, TenderDraft, VoidDraft, VoidedView};
use domain::rules::selling::transaction;
use domain::rules::selling::transaction::TransactionView;
use domain::wire::record;
use domain::wire::sale_text::SaleText;
use serde_json::json;

impl Owner<LedgerBook> {
    /// Settles a shift's draft.
    pub(super) fn settle(
        &mut self,
        draft: ShiftDraft,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let outcome = match draft {
            ShiftDraft::Sale { draft, created, entries } => self.sale(*draft, created, entries, request),
            ShiftDraft::Void(draft) => self.void(*draft, request),
            ShiftDraft::Correct { draft, reason } => self.correct(*draft, &reason, request),
            ShiftDraft::PartlyPaid { event } => self.part(*event, request),
            ShiftDraft::Released(outcome) => Ok(*outcome),
            ShiftDraft::Hold { event, entries } => self.hold(*event, entries),
            ShiftDraft::Recall { draft, inputs } => self.recall(*draft, &inputs, request),
            ShiftDraft::Return(draft) => self.post_return(*draft, request),
            ShiftDraft::Quote { draft, approval_required } => {
                return self.quote_return(*draft, approval_required, request).map(Decision::Answer);
            }
            ShiftDraft::VoidReturn { draft, sale } => self.void_return(*draft, sale.as_deref(), request),
            ShiftDraft::Dropped { outcome, before } => self.dropped(*outcome, &before, request),
            ShiftDraft::Move(event) => self.moved(*event, request),
            ShiftDraft::Close { event, before } => self.close(*event, &before, request),
        };
        outcome.map(Decision::Commit)
    }

    /// Takes a part of what a basket costs.
    fn part(
        &mut self,
        event: Event<fact::TransactionOpen>,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        let transaction = &event.fact.transaction;
        let seeded = self.seed(transaction.items.iter().map(|line| &line.sku))?;
        self.load_points(transaction.member_id.as_ref())?;
        let (now, rules) = (self.stamps.now(), &self.rules);
        let checked = guarded(|| ledger::check_part(transaction, now, rules, &self.book));
        self.unseed(&seeded);
        checked?;
        let text = SaleText::of(transaction);
        let answer = transaction::answer(false, transaction, &text, request.caller.role);
        Ok(Outcome::of(self.stamps.stamp(), event, Vec::new(), answer).written(text))
    }

    fn void(&mut self, draft: VoidDraft, request: &RequestContext) -> Result<Outcome, Failure> {
        self.load_sale(&draft.transaction.transaction_id)?;
        self.load_points(draft.transaction.member_id.as_ref())?;
        let stamp = self.stamps.stamp();
        let movement_ids: Vec<MovementId> = self.stamps.ids("mov_", draft.transaction.items.len());
        let (authorization, rules) = (request.authorization(), &self.rules);
        let event = guarded(|| {
            ledger::settle_void(draft, movement_ids, stamp.now, &authorization, rules, &self.book)
        })?;
        let fact::SaleVoided { transaction, refunds, .. } = &event.fact;
        let Rows { movements, points, .. } = &event.rows;
        let answer = Answer::ok(&VoidedView::new(transaction, refunds, request.caller.role));
        let records = vec![record::sale_voided(&stamp, transaction, movements, refunds, points)];
        let details = json!({"reason": transaction.void_reason});
        let entry = audit_entry(request, "transaction.voided", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        Ok(Outcome::of(stamp, event, records, answer).audited(&self.stamps, date, entry))
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
        let fact::TenderCorrected { transaction, wrong, .. } = &event.fact;
        let right: Vec<PaymentId> =
            transaction.payments.iter().skip(known).map(|payment| payment.payment_id.clone()).collect();
        let answer = Answer::ok(&TransactionView::new(transaction, request.caller.role));
        let records = vec![record::tender_corrected(&stamp, transaction, wrong, &right)];
        let details = json!({"payment_id": wrong, "reason": reason});
        let entry = audit_entry(request, "tender.corrected", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        Ok(Outcome::of(stamp, event, records, answer).audited(&self.stamps, date, entry))
    }

    fn sale(
        &mut self,
        draft: SaleDraft,
        created: bool,
        entries: Vec<AuditEntry>,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        let seeded = self.seed(draft.transaction.items.iter().map(|line| &line.sku))?;
        let settled = self.settled(draft);
        self.unseed(&seeded);
        let (stamp, event) = settled?;
        let transaction = &event.fact.transaction;
        let Rows { movements, points, .. } = &event.rows;
        let text = SaleText::of(transaction);
        let answer = transaction::answer(created, transaction, &text, request.caller.role);
        let records = vec![record::sale_paid(&stamp, transaction, &text, movements, points)];
        let date = Some(transaction.business_date);
        let outcome = Outcome::of(stamp, event, records, answer).written(text);
        Ok(outcome.audited_all(&self.stamps, date, entries))
    }

    fn settled(&mut self, draft: SaleDraft) -> Result<(Stamp, Event<fact::TransactionPaid>), Failure> {
        self.load_points(draft.transaction.member_id.as_ref())?;
        let (stamp, ids) = (self.stamps.stamp(), self.movement_ids(draft.transaction.items.len()));
        let event = guarded(|| ledger::settle(draft, ids, stamp.now, &self.rules, &self.book))?;
        Ok((stamp, event))
    }

    /// Moves a shift to registers that are free, or suspends it.
    fn moved(&self, event: Event<fact::ShiftMoved>, request: &RequestContext) -> Result<Outcome, Failure> {
        let shift = &event.fact.shift;
        ledger::may_stand(&shift.shift_id, shift.registers(), &self.book)?;
        let stamp = self.stamps.stamp();
        let shown = shift::view(shift, stamp.now, &self.rules);
        let answer = Answer::ok(&shift::blind(shown, shift, request.caller.role, &self.rules));
        let (records, date) = (vec![record::shift_moved(&stamp, shift)], shift.business_date);
        let details = json!({"shift_id": shift.shift_id, "register_ids": shift.registers()});
        let entry = AuditEntry::new(&request.authorization(), "shift.moved", stamp.now, details);
        Ok(Outcome::of(stamp, event, records, answer).audited(&self.stamps, Some(date), entry))
    }

    /// Closes a shift that has decided to.
    fn close(
        &self,
        event: Event<fact::ShiftClosed>,
        before: &Shift,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        let event = ledger::numbered(event, &self.book);
        let fact::ShiftClosed { shift, voided, .. } = &event.fact;
        let mut records: Vec<String> =
            voided.iter().map(|basket| record::transaction_voided(&self.stamps.stamp(), basket)).collect();
        let stamp = self.stamps.stamp();
        let answer = Answer::ok(&shift::summary(shift, stamp.now, &self.rules));
        records.push(record::shift_closed(&stamp, shift));
        let date = shift.business_date;
        let details = json!({"shift_id": shift.shift_id, "variance": shift.variance});
        let entry = shift::is_beyond_tolerance(shift.variance.unwrap_or_default(), &self.rules).then(|| {
            AuditEntry::new(&request.authorization(), "shift.variance_approved", stamp.now, details)
        });
        let event = self.with_safe(event, Some(before), request)?;
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(outcome.audited_all(&self.stamps, Some(date), entry))
    }
}
