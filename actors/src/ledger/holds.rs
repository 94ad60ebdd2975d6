//! Holds belong to no shift: the ledger gives each to the first till that asks, and ends the old ones.

use super::{Ledger, State};
use crate::decide::guarded;
use crate::prelude::*;
use crate::pricing::PricingInputs;
use crate::transaction::audit_entry;
use domain::hold::{self, RecallDraft, Recalled, RecalledView};
use domain::ids::HoldId;
use domain::sale::{VoidSale, VoidedView};
use serde_json::json;
use std::time::Duration;

/// How often the ledger looks for holds that waited too long.
pub(super) const EXPIRY_EVERY: Duration = Duration::from_secs(1);
/// Most holds that end in one commit …
const EXPIRED_MAX: usize = 100;
/// … and about how many bytes their baskets have together: one is ended whatever its size.
const EXPIRED_BYTES_MAX: usize = 256 * 1024;

impl Owner<LedgerBook> {
    pub(super) fn hold(&self, event: Event, entries: Vec<AuditEntry>) -> Result<Outcome, Failure> {
        guarded(|| self.book.may_hold())?;
        let Event::TransactionHeld { hold, transaction } = &event else { return Err(internal_mismatch()) };
        let answer = Answer::created(format!("/api/pos/holds/{}", hold.hold_id.as_str()), hold);
        let (stamp, date) = (self.stamps.stamp(), Some(transaction.business_date));
        let outcome = Outcome { events: vec![event], records: Vec::new(), answer, stamp };
        Ok(outcome.audited_all(&self.stamps, date, entries))
    }

    pub(super) fn recall(
        &self,
        draft: RecallDraft,
        inputs: &PricingInputs,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        let stamp = self.stamps.stamp();
        let (mandate, rules, shelf) = (request.mandate(), &self.rules, inputs.shelf());
        let Recalled { event, changes } =
            guarded(|| hold::recall(draft, stamp.now, &mandate, &shelf, rules, &self.book))?;
        let Event::HoldRecalled { transaction, .. } = &event else { return Err(internal_mismatch()) };
        let answer = Answer::ok(&RecalledView::new(transaction, &changes, request.caller.role));
        Ok(Outcome { events: vec![event], records: Vec::new(), answer, stamp })
    }
}

/// Voids a basket that waits, by the rules of [`domain::hold::void`].
pub(crate) struct VoidHold(pub(crate) HoldId, pub(crate) VoidSale);

impl Dispatch for VoidHold {}

impl Command for VoidHold {
    type Book = LedgerBook;
    type Rows = ();
    const DATED: bool = false;

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, rules, mandate) = (ledger.stamps.stamp(), &*ledger.rules, request.mandate());
        let event = hold::void(&self.1, &self.0, stamp.now, &mandate, rules, &ledger.book)?;
        let Event::HoldVoided { transaction, .. } = &event else { return Err(internal_mismatch()) };
        let answer = Answer::ok(&VoidedView::new(transaction, &[], request.caller.role));
        let records = vec![record::transaction_voided(&stamp, transaction)];
        let details = json!({"reason": self.1.reason});
        let entry = audit_entry(request, "transaction.voided", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(outcome.audited(&ledger.stamps, date, entry).into())
    }
}

impl State {
    /// Ends the holds that waited too long; what does not fit now is looked at again soon.
    pub(super) fn expire_holds(&mut self) {
        let Some(now) = self.certain() else { return };
        let events = hold::expire(now, &self.ledger.book, EXPIRED_MAX, EXPIRED_BYTES_MAX);
        let storage = &self.context.storage;
        if events.is_empty() || storage.writable().is_err() {
            return;
        }
        let Ok(permit) = storage.reserve().try_acquire_owned() else { return };
        let mut records = Vec::new();
        let mut stamp = self.context.stamps.stamp();
        for event in &events {
            if let Event::HoldVoided { transaction, .. } = event {
                stamp = self.context.stamps.stamp();
                records.push(record::transaction_voided(&stamp, transaction));
            }
        }
        if let Err(error) = self.submit_own(permit, stamp, events, records) {
            tracing::error!(%error, "old holds were not ended");
        }
    }
}
