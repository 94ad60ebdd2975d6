//! Holds belong to no shift: the ledger gives each to the first till that asks, and ends the old ones.

use super::{Ledger, State};
use crate::owners::pricing::PricingInputs;
use crate::owners::transaction::audit_entry;
use crate::prelude::*;
use crate::runtime::decide::guarded;
use domain::model::base::ids::HoldId;
use domain::rules::selling::hold;
use domain::rules::selling::hold::{RecallDraft, Recalled, RecalledView};
use domain::rules::selling::sale::{VoidSale, VoidedView};
use serde_json::json;
use std::time::Duration;

/// Interval at which the ledger looks for holds that waited too long.
pub(super) const EXPIRY_EVERY: Duration = Duration::from_secs(1);
/// Most holds that end in one commit.
const EXPIRED_MAX: usize = 100;
/// Most bytes of the baskets of these holds together. One hold ends with any size.
const EXPIRED_BYTES_MAX: usize = 256 * 1024;

impl Owner<LedgerBook> {
    pub(super) fn hold(
        &self,
        event: Event<fact::TransactionHeld>,
        entries: Vec<AuditEntry>,
    ) -> Result<Outcome, Failure> {
        guarded(|| self.book.may_hold())?;
        let fact::TransactionHeld { hold, transaction, .. } = &event.fact;
        let answer = Answer::created(format!("/api/pos/holds/{}", hold.hold_id.as_str()), hold);
        let (stamp, date) = (self.stamps.stamp(), Some(transaction.business_date));
        let outcome = Outcome::of(stamp, event, Vec::new(), answer);
        Ok(outcome.audited_all(&self.stamps, date, entries))
    }

    pub(super) fn recall(
        &self,
        draft: RecallDraft,
        inputs: &PricingInputs,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        let stamp = self.stamps.stamp();
        let (authorization, rules, pricing) = (request.authorization(), &self.rules, inputs.pricing());
        let Recalled { event, changes } =
            guarded(|| hold::recall(draft, stamp.now, &authorization, &pricing, rules, &self.book))?;
        let transaction = &event.fact.transaction;
        let answer = Answer::ok(&RecalledView::new(transaction, &changes, request.caller.role));
        Ok(Outcome::of(stamp, event, Vec::new(), answer))
    }
}

/// Voids a basket that waits, by the rules of [`domain::rules::selling::hold::void`].
pub(crate) struct VoidHold(pub(crate) HoldId, pub(crate) VoidSale);

impl Dispatch for VoidHold {}

impl Command for VoidHold {
    type Book = LedgerBook;
    type Rows = ();
    const DATED: bool = false;

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, rules, authorization) = (ledger.stamps.stamp(), &*ledger.rules, request.authorization());
        let event = hold::void(&self.1, &self.0, stamp.now, &authorization, rules, &ledger.book)?;
        let transaction = &event.fact.transaction;
        let answer = Answer::ok(&VoidedView::new(transaction, &[], request.caller.role));
        let records = vec![record::hold_voided(&stamp, &event.fact.hold, transaction)];
        let details = json!({"reason": self.1.reason});
        let entry = audit_entry(request, "transaction.voided", transaction, stamp.now, details);
        let date = Some(transaction.business_date);
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(outcome.audited(&ledger.stamps, date, entry).into())
    }
}

impl State {
    /// Ends the holds that waited too long; those that do not fit now are handled soon.
    pub(super) fn expire_holds(&mut self) {
        let Some(now) = self.decision_time() else { return };
        let events = hold::expire(now, &self.ledger.book, EXPIRED_MAX, EXPIRED_BYTES_MAX);
        let storage = &self.context.storage;
        if events.is_empty() || storage.writable().is_err() {
            return;
        }
        let Ok(permit) = storage.reserve().try_acquire_owned() else { return };
        let mut records = Vec::new();
        let mut stamp = self.context.stamps.stamp();
        for event in &events {
            stamp = self.context.stamps.stamp();
            records.push(record::hold_voided(&stamp, &event.fact.hold, &event.fact.transaction));
        }
        let events = events.into_iter().map(Event::from).collect();
        if let Err(error) = self.submit_own(permit, stamp, events, records) {
            tracing::error!(%error, "expired holds could not be ended");
        }
    }
}
