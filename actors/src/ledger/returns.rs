//! Returns are settled here: what came back before is known, so two tills can't return one piece.

use crate::command::Owner;
use crate::decide::{Outcome, guarded, internal_mismatch};
use crate::failure::Failure;
use crate::request::RequestContext;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::ids::{MovementId, Sku};
use domain::ledger::LedgerBook;
use domain::record;
use domain::returns::{self, Return, ReturnDraft, ReturnQuote, ReturnView, ReturnVoidDraft};
use domain::time::UtcMs;
use domain::transaction::Transaction;
use serde_json::json;

impl Owner<LedgerBook> {
    pub(super) fn post_return(
        &mut self,
        draft: ReturnDraft,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        for sale in [&draft.sale, &draft.target].into_iter().flatten() {
            self.load_sale(&sale.transaction_id)?;
            self.load_points(sale.member_id.as_ref())?;
        }
        let lines = [&draft.sale, &draft.target].into_iter().flatten().flat_map(|sale| &sale.items);
        let skus: Vec<Sku> =
            lines.map(|line| line.sku.clone()).chain(draft.products.keys().cloned()).collect();
        let seeded = self.seed(skus.iter())?;
        // Past the window, or without a receipt that could be checked.
        let special = draft.late || draft.sale.is_none();
        let stamp = self.stamps.stamp();
        let (mandate, rules) = (request.mandate(), &self.rules);
        let settled = guarded(|| returns::settle(draft, stamp.now, &mandate, rules, &self.book));
        self.unseed(&seeded);
        let events = settled?;
        let Some(Event::ReturnPosted { document, .. }) = events.first() else {
            return Err(internal_mismatch());
        };
        let back = document.clone();
        let location = format!("/api/pos/returns/{}", back.return_id.as_str());
        let answer = Answer::created(location, &ReturnView::new(&back, request.caller.role));
        let (records, stamp) = self.records(&events, stamp);
        let outcome = Outcome { events, records, answer, stamp };
        if !special && request.approver.is_none() {
            return Ok(outcome);
        }
        let entry = audit_entry(request, "return.posted", &back, outcome.stamp.now);
        Ok(outcome.audited(&self.stamps, Some(back.business_date), entry))
    }

    /// What a return would give back; it is settled as if it were posted, and let go.
    pub(super) fn quote_return(
        &mut self,
        draft: ReturnDraft,
        approval_required: bool,
        request: &RequestContext,
    ) -> Result<Answer, Failure> {
        let assumed = request.as_if_approved();
        let (settled, approval_required) = if approval_required {
            (self.post_return(draft, &assumed), true)
        } else {
            match self.post_return(draft.clone(), request) {
                Err(failure) if failure.asks_for_approval() => (self.post_return(draft, &assumed), true),
                settled => (settled, false),
            }
        };
        let events = settled?.events;
        let Some(Event::ReturnPosted { document, .. }) = events.first() else {
            return Err(internal_mismatch());
        };
        Ok(Answer::ok(&ReturnQuote::new(document, approval_required, request.caller.role)))
    }

    /// A record for each of a return's events that has one.
    fn records(&self, events: &[Event], first: Stamp) -> (Vec<String>, Stamp) {
        let mut records = Vec::new();
        let mut stamp = first;
        for event in events {
            match event {
                Event::ReturnPosted { document, movements, points, .. } => {
                    records.push(record::return_posted(&stamp, document, movements, points));
                }
                Event::TransactionPaid { transaction, movements, points, .. } => {
                    stamp = self.stamps.stamp();
                    records.push(record::transaction_paid(&stamp, transaction, movements, points));
                }
                _ => {}
            }
        }
        (records, stamp)
    }

    pub(super) fn void_return(
        &mut self,
        draft: ReturnVoidDraft,
        sale: Option<&Transaction>,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        // Of another store's sale there is only what became of it here.
        if let Some(id) = &draft.document.transaction_id {
            self.load_sale(id)?;
        }
        self.load_points(draft.document.member_id.as_ref())?;
        let stamp = self.stamps.stamp();
        let movement_ids: Vec<MovementId> = self.stamps.ids("mov_", draft.document.items.len());
        let (mandate, rules) = (request.mandate(), &self.rules);
        let event = guarded(|| {
            returns::settle_void(draft, sale, movement_ids, stamp.now, &mandate, rules, &self.book)
        })?;
        let Event::ReturnVoided { document, movements, points, .. } = &event else {
            return Err(internal_mismatch());
        };
        let answer = Answer::ok(&ReturnView::new(document, request.caller.role));
        let records = vec![record::return_voided(&stamp, document, movements, points)];
        let entry = audit_entry(request, "return.voided", document, stamp.now);
        let date = Some(document.business_date);
        Ok(Outcome { events: vec![event], records, answer, stamp }.audited(&self.stamps, date, entry))
    }
}

/// The entry of what was done with a return.
fn audit_entry(request: &RequestContext, action: &str, back: &Return, now: UtcMs) -> AuditEntry {
    let details = json!({
        "return_id": back.return_id,
        "receipt_no": back.receipt_no,
        "refund_total": back.refund_total,
        "transaction_id": back.transaction_id,
        "origin_receipt_no": back.origin_receipt_no,
        "reason": back.void_reason,
    });
    AuditEntry::new(&request.mandate(), action, now, details)
}
