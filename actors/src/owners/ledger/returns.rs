//! Settles returns: earlier returns are known here, so two tills can't return one piece.

use crate::runtime::command::Owner;
use crate::runtime::decide::{Outcome, guarded};
use crate::runtime::failure::Failure;
use crate::runtime::request::RequestContext;
use domain::model::base::answer::Answer;
use domain::model::base::event::{Event, Rows};
use domain::model::base::ids::{MovementId, Sku};
use domain::model::base::time::UtcMs;
use domain::model::books::ledger::LedgerBook;
use domain::model::hub::stamp::Stamp;
use domain::model::people::audit::AuditEntry;
use domain::model::selling::returns::{Return, Verification};
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::returns;
use domain::rules::selling::returns::{
    Exchange, ReturnDraft, ReturnQuote, ReturnView, ReturnVoidDraft, Settled,
};
use domain::wire::record;
use serde_json::json;

impl Owner<LedgerBook> {
    fn settle_return(
        &mut self,
        draft: ReturnDraft,
        now: UtcMs,
        request: &RequestContext,
    ) -> Result<Settled, Failure> {
        for sale in [&draft.sale, &draft.target].into_iter().flatten() {
            self.load_sale(&sale.transaction_id)?;
            self.load_points(sale.member_id.as_ref())?;
        }
        let lines = [&draft.sale, &draft.target].into_iter().flatten().flat_map(|sale| &sale.items);
        let skus: Vec<Sku> =
            lines.map(|line| line.sku.clone()).chain(draft.products.keys().cloned()).collect();
        let seeded = self.seed(skus.iter())?;
        let (authorization, rules) = (request.authorization(), &self.rules);
        let settled = guarded(|| returns::settle(draft, now, &authorization, rules, &self.book));
        self.unseed(&seeded);
        settled
    }

    /// Whether a return has or needs a manager's approval: past the window, without a receipt that could be checked, or
    /// beyond a cashier's own limit.
    fn needs_manager(&mut self, draft: &ReturnDraft, now: UtcMs, request: &RequestContext) -> bool {
        let unchecked = draft.sale.is_none() || draft.verification == Some(Verification::Pending);
        request.approver.is_some()
            || draft.late
            || unchecked
            || request.caller.role.manages()
                && self
                    .settle_return(draft.clone(), now, &request.as_if_cashier())
                    .is_err_and(|failure| failure.asks_for_approval())
    }

    pub(super) fn post_return(
        &mut self,
        draft: ReturnDraft,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        let stamp = self.stamps.stamp();
        let approved = self.needs_manager(&draft, stamp.now, request);
        let settled = self.settle_return(draft, stamp.now, request)?;
        let back = settled.posted.fact.document.clone();
        let location = format!("/api/pos/returns/{}", back.return_id.as_str());
        let answer = Answer::created(location, &ReturnView::new(&back, request.caller.role));
        let (records, stamp) = self.records(&settled, stamp);
        let outcome = Outcome { events: settled.events(), records, answer, stamp, sale: None };
        if !approved {
            return Ok(outcome);
        }
        let entry = audit_entry(request, "return.posted", &back, outcome.stamp.now);
        Ok(outcome.audited(&self.stamps, Some(back.business_date), entry))
    }

    /// Quote of a return; it is settled as if it were posted, and let go.
    pub(super) fn quote_return(
        &mut self,
        draft: ReturnDraft,
        approval_required: bool,
        request: &RequestContext,
    ) -> Result<Answer, Failure> {
        let draft = ReturnDraft { is_quote: true, ..draft };
        let (assumed, now) = (request.as_if_approved(), self.stamps.now());
        let (settled, approval_required) = if approval_required {
            (self.settle_return(draft, now, &assumed), true)
        } else {
            match self.settle_return(draft.clone(), now, request) {
                Err(failure) if failure.asks_for_approval() => {
                    (self.settle_return(draft, now, &assumed), true)
                }
                settled => (settled, false),
            }
        };
        let document = &settled?.posted.fact.document;
        Ok(Answer::ok(&ReturnQuote::new(document, approval_required, request.caller.role)))
    }

    /// A record for each of a return's events that has one.
    fn records(&self, settled: &Settled, stamp: Stamp) -> (Vec<String>, Stamp) {
        let Event { fact: back, rows } = &settled.posted;
        let posted = record::return_posted(&stamp, &back.document, &rows.movements, &rows.points);
        let Some(Exchange::Paid(Event { fact: sale, rows })) = &settled.exchange else {
            return (vec![posted], stamp);
        };
        let stamp = self.stamps.stamp();
        let paid = record::transaction_paid(&stamp, &sale.transaction, &rows.movements, &rows.points);
        (vec![posted, paid], stamp)
    }

    pub(super) fn void_return(
        &mut self,
        draft: ReturnVoidDraft,
        sale: Option<&Transaction>,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        // For another store's sale there are only the returns made here.
        if let Some(id) = &draft.document.transaction_id {
            self.load_sale(id)?;
        }
        self.load_points(draft.document.member_id.as_ref())?;
        let stamp = self.stamps.stamp();
        let movement_ids: Vec<MovementId> = self.stamps.ids("mov_", draft.document.items.len());
        let (authorization, rules) = (request.authorization(), &self.rules);
        let event = guarded(|| {
            returns::settle_void(draft, sale, movement_ids, stamp.now, &authorization, rules, &self.book)
        })?;
        let document = &event.fact.document;
        let Rows { movements, points, .. } = &event.rows;
        let answer = Answer::ok(&ReturnView::new(document, request.caller.role));
        let records = vec![record::return_voided(&stamp, document, movements, points)];
        let entry = audit_entry(request, "return.voided", document, stamp.now);
        let date = Some(document.business_date);
        Ok(Outcome::of(stamp, event, records, answer).audited(&self.stamps, date, entry))
    }
}

/// The audit entry of an action on a return.
fn audit_entry(request: &RequestContext, action: &str, back: &Return, now: UtcMs) -> AuditEntry {
    let details = json!({
        "return_id": back.return_id,
        "receipt_no": back.receipt_no,
        "refund_total": back.refund_total,
        "transaction_id": back.transaction_id,
        "origin_receipt_no": back.origin_receipt_no,
        "reason": back.void_reason,
    });
    AuditEntry::new(&request.authorization(), action, now, details)
}
