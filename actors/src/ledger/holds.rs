//! Holds belong to no shift: the ledger gives each to the first till that asks, and ends the old ones.

use super::State;
use crate::failure::Failure;
use crate::pending::{Outcome, Pending};
use crate::shelf::Stocked;
use crate::shift::{guarded, told, unexpected};
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::hold::{self, RecallDraft, Recalled, RecalledView};
use domain::ids::HoldId;
use domain::record;
use domain::sale::{VoidSale, VoidedView};
use std::time::Duration;
use storage::Commit;

/// How often the ledger looks for holds that waited too long.
pub(super) const EXPIRY_EVERY: Duration = Duration::from_secs(1);
/// Most holds that end in one commit …
const EXPIRED_MAX: usize = 100;
/// … and about how many bytes their baskets have together: one is ended whatever its size.
const EXPIRED_BYTES_MAX: usize = 256 * 1024;

impl State {
    pub(super) fn hold(&self, event: Event, entries: Vec<AuditEntry>) -> Result<Outcome, Failure> {
        guarded(|| self.book.may_hold())?;
        let Event::TransactionHeld { hold, transaction } = &event else { return Err(unexpected()) };
        let answer = Answer::created(format!("/api/pos/holds/{}", hold.hold_id.as_str()), hold);
        let (stamp, date) = (self.door.stamps.stamp(), Some(transaction.business_date));
        let outcome = Outcome { events: vec![event], records: Vec::new(), answer, stamp };
        let noted = |outcome: Outcome, entry| outcome.audited(&self.door.stamps, date, entry);
        Ok(entries.into_iter().fold(outcome, noted))
    }

    pub(super) fn recall(
        &self,
        draft: RecallDraft,
        stocked: &Stocked,
        who: &Who,
    ) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let (mandate, rules, shelf) = (who.mandate(), &self.door.rules, stocked.shelf());
        let Recalled { event, changes } =
            guarded(|| hold::recall(draft, stamp.now, &mandate, &shelf, rules, &self.book))?;
        let Event::HoldRecalled { transaction, .. } = &event else { return Err(unexpected()) };
        let answer = Answer::ok(&RecalledView::new(transaction, &changes, who.caller.role));
        Ok(Outcome { events: vec![event], records: Vec::new(), answer, stamp })
    }

    pub(super) fn void_hold(&mut self, id: &HoldId, command: &VoidSale, who: &Who, pending: Pending) {
        match self.voided_hold(id, command, who) {
            Ok(outcome) => self.submit_all(outcome, pending),
            Err(failure) => pending.refuse(&self.door.storage, failure),
        }
    }

    fn voided_hold(&self, id: &HoldId, command: &VoidSale, who: &Who) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let event =
            guarded(|| hold::void(command, id, stamp.now, &who.mandate(), &self.door.rules, &self.book))?;
        let Event::HoldVoided { transaction, .. } = &event else { return Err(unexpected()) };
        let answer = Answer::ok(&VoidedView::new(transaction, &[], who.caller.role));
        let records = vec![record::transaction_voided(&stamp, transaction)];
        let entry = told(who, "transaction.voided", transaction, stamp.now, &[("reason", &command.reason)]);
        let date = Some(transaction.business_date);
        Ok(Outcome { events: vec![event], records, answer, stamp }.audited(&self.door.stamps, date, entry))
    }

    /// Submits all that a command of the ledger alone came to, and folds it. No await lies in between.
    pub(super) fn submit_all(&mut self, outcome: Outcome, pending: Pending) {
        let events = outcome.events.clone();
        if pending.ready(outcome).is_some_and(|command| command.submit(&self.door.storage)) {
            events.iter().for_each(|event| self.book.evolve(event));
        }
    }

    /// Ends the holds that waited too long; what does not fit now is looked at again soon.
    pub(super) fn expire_holds(&mut self) {
        let Some(now) = self.certain() else { return };
        let events = hold::expire(now, &self.book, EXPIRED_MAX, EXPIRED_BYTES_MAX);
        let storage = &self.door.storage;
        if events.is_empty() || storage.writable().is_err() {
            return;
        }
        let Ok(permit) = storage.reserve().try_acquire_owned() else { return };
        let mut records = Vec::new();
        let mut stamp = self.door.stamps.stamp();
        for event in &events {
            if let Event::HoldVoided { transaction, .. } = event {
                stamp = self.door.stamps.stamp();
                records.push(record::transaction_voided(&stamp, transaction));
            }
        }
        let commit =
            Commit { events: events.clone(), records, keyed: None, at: stamp.now, hlc: Some(stamp.at) };
        match storage.submit(commit, move |_durable| drop(permit)) {
            Ok(()) => events.iter().for_each(|event| self.book.evolve(event)),
            Err(error) => tracing::error!(%error, "old holds were not ended"),
        }
    }
}
