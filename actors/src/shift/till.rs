//! What a till asks of its shift besides selling: voids, changed baskets, payments put right.

use super::{LedgerLost, Returning, Running, guarded, transaction_answer};
use crate::failure::Failure;
use crate::ledger::{LedgerMessage, TillDraft};
use crate::pending::{Outcome, Pending};
use crate::shelf::Stocked;
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::hold::HoldSale;
use domain::ids::{HoldId, PaymentId, ReturnId, TransactionId};
use domain::record;
use domain::refusal::Refusal;
use domain::sale::{self, ChangeSale, Changed, CorrectTender, VoidSale, Voided, VoidedView};
use domain::transaction::Transaction;
use ractor::ActorProcessingErr;

/// A command of a till to the shift that it belongs to.
pub(crate) enum TillCommand {
    /// Void a basket, or a sale of this shift.
    Void { id: TransactionId, command: VoidSale },
    /// Change an open basket.
    Change { id: TransactionId, command: ChangeSale, stocked: Box<Stocked> },
    /// Take one payment back before completion.
    ReversePayment { id: TransactionId, payment_id: PaymentId, command: VoidSale },
    /// Put a wrong method right after completion.
    CorrectTender { id: TransactionId, command: CorrectTender },
    /// Put a basket away; `new_id` is that of one which is made for it.
    Hold { id: HoldId, new_id: TransactionId, command: HoldSale, stocked: Box<Stocked> },
    /// Take a basket that waits.
    Recall { id: HoldId, stocked: Box<Stocked> },
    /// Take goods back.
    Return(Box<Returning>),
    /// Void a return of this shift.
    VoidReturn { id: ReturnId, command: VoidSale },
}

impl Running {
    pub(super) async fn till(
        &mut self,
        command: TillCommand,
        who: &Who,
        pending: Pending,
    ) -> Result<(), ActorProcessingErr> {
        let drafted = match command {
            TillCommand::Void { id, command } if self.book.open.contains_key(&id) => {
                let outcome = self.void_open(&id, &command, who);
                self.release(outcome, who, pending).await?;
                return Ok(());
            }
            TillCommand::Change { id, command, stocked } => {
                let outcome = self.change(&id, &command, &stocked, who);
                self.finish(outcome, pending);
                return Ok(());
            }
            TillCommand::ReversePayment { id, payment_id, command } => {
                let outcome = self.reverse_payment(&id, &payment_id, &command, who);
                self.release(outcome, who, pending).await?;
                return Ok(());
            }
            TillCommand::Void { id, command } => {
                self.settled().await?;
                self.draft_void(&id, &command, who)
            }
            TillCommand::CorrectTender { id, command } => {
                self.settled().await?;
                self.draft_correction(&id, &command, who)
            }
            TillCommand::Hold { id, new_id, command, stocked } => {
                self.draft_hold(id, new_id, &command, &stocked, who)
            }
            TillCommand::Recall { id, stocked } => self.draft_recall(id, stocked, who),
            TillCommand::Return(returning) => self.draft_return(*returning, who),
            TillCommand::VoidReturn { id, command } => {
                self.settled().await?;
                self.draft_return_void(&id, &command, who)
            }
        };
        match drafted {
            Ok(draft) => drop(self.settle_draft(draft, who, pending).await?),
            Err(failure) => pending.refuse(&self.door.storage, failure),
        }
        Ok(())
    }

    /// Waits until all that this shift submitted can be read: the journal knows its finished sales, and a
    /// rule must not decide by what one of them was a moment ago.
    async fn settled(&self) -> Result<(), ActorProcessingErr> {
        Ok(self.door.storage.barrier().await?)
    }

    pub(super) async fn settle_draft(
        &mut self,
        draft: TillDraft,
        who: &Who,
        pending: Pending,
    ) -> Result<bool, LedgerLost> {
        let (draft, who, incarnation) = (Box::new(draft), who.clone(), self.incarnation);
        self.through_ledger(|back| LedgerMessage::Till { draft, who, incarnation, pending, back }).await
    }

    /// Ends a command that needed no other owner.
    fn finish(&mut self, outcome: Result<Outcome, Failure>, pending: Pending) {
        match outcome {
            Ok(outcome) => self.submit_own(outcome, pending),
            Err(failure) => pending.refuse(&self.door.storage, failure),
        }
    }

    /// The same where payments were taken back: the ledger knows the points among them, and submits it.
    async fn release(
        &mut self,
        outcome: Result<Outcome, Failure>,
        who: &Who,
        pending: Pending,
    ) -> Result<(), LedgerLost> {
        match outcome {
            Ok(outcome) if self.reserves_points(&outcome.events) => {
                let shift_id = self.book.shift.shift_id.clone();
                let draft = TillDraft::Released { outcome: Box::new(outcome), shift_id };
                self.settle_draft(draft, who, pending).await.map(drop)
            }
            outcome => {
                self.finish(outcome, pending);
                Ok(())
            }
        }
    }

    /// Whether one of these is of a basket that is partly paid with points.
    fn reserves_points(&self, events: &[Event]) -> bool {
        events.iter().any(|event| match event {
            Event::TransactionOpen { transaction, .. } | Event::TransactionVoided { transaction, .. } => {
                let before = self.book.open.get(&transaction.transaction_id);
                before.is_some_and(|before| before.points_redeemed > 0)
            }
            _ => false,
        })
    }

    fn void_open(&self, id: &TransactionId, command: &VoidSale, who: &Who) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let (mandate, rules) = (who.mandate(), &self.door.rules);
        let Voided { event, refunds } =
            guarded(|| sale::void_open(command, id, stamp.now, &mandate, rules, &self.book))?;
        let Event::TransactionVoided { transaction, .. } = &event else { return Err(unexpected()) };
        let answer = Answer::ok(&VoidedView::new(transaction, &refunds, who.caller.role));
        let records = vec![record::sale_voided(&stamp, transaction, &[], &refunds, &[])];
        let entry = told(who, "transaction.voided", transaction, stamp.now, &[("reason", &command.reason)]);
        let date = Some(transaction.business_date);
        Ok(Outcome { events: vec![event], records, answer, stamp }.audited(&self.door.stamps, date, entry))
    }

    fn change(
        &self,
        id: &TransactionId,
        command: &ChangeSale,
        stocked: &Stocked,
        who: &Who,
    ) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let till = self.at_till(stamp.now, stocked, who);
        let Changed { event, removed } = guarded(|| sale::change(command, id, &till))?;
        let Event::TransactionOpen { transaction, .. } = &event else { return Err(unexpected()) };
        let (now, date) = (stamp.now, Some(transaction.business_date));
        let entries: Vec<AuditEntry> = removed
            .iter()
            .map(|line| {
                let details =
                    [("sku", line.sku.as_str()), ("qty", &line.qty.to_string()), ("name", &line.name)];
                told(who, "transaction.line_removed", transaction, now, &details)
            })
            .chain(self.overridden(transaction, who, now))
            .collect();
        let answer = transaction_answer(false, transaction, who.caller.role);
        let outcome = Outcome { events: vec![event], records: Vec::new(), answer, stamp };
        Ok(entries
            .into_iter()
            .fold(outcome, |outcome, entry| outcome.audited(&self.door.stamps, date, entry)))
    }

    /// Submits a new basket; a price that a manager stands behind goes into the audit log.
    pub(super) fn created(&mut self, event: Event, who: &Who, pending: Pending) {
        let Event::TransactionOpen { transaction, .. } = &event else { return pending.fail(unexpected()) };
        let (stamp, date) = (self.door.stamps.stamp(), Some(transaction.business_date));
        let entries = self.overridden(transaction, who, stamp.now);
        let answer = transaction_answer(true, transaction, who.caller.role);
        let outcome = Outcome { events: vec![event], records: Vec::new(), answer, stamp };
        let outcome = entries
            .into_iter()
            .fold(outcome, |outcome, entry| outcome.audited(&self.door.stamps, date, entry));
        self.submit_own(outcome, pending);
    }

    /// The entries of prices and discounts that somebody had to approve.
    pub(super) fn overridden(
        &self,
        basket: &Transaction,
        who: &Who,
        now: domain::time::UtcMs,
    ) -> Vec<AuditEntry> {
        let rules = &self.door.rules;
        // A later change that asks for no approval does not name anybody again.
        if who.mandate().manager().is_err() {
            return Vec::new();
        }
        let lines = basket.items.iter().filter(|line| line.price_override);
        let skus: Vec<&str> = lines.map(|line| line.sku.as_str()).collect();
        let asked = rules.price_override == domain::settings::PriceOverride::Manager && !skus.is_empty();
        let price = asked
            .then(|| told(who, "transaction.price_overridden", basket, now, &[("skus", &skus.join(", "))]));
        let given = basket.discount.to_string();
        let discount = sale::discounted_above_limit(basket, rules)
            .then(|| told(who, "transaction.discounted", basket, now, &[("discount", &given)]));
        price.into_iter().chain(discount).collect()
    }

    fn reverse_payment(
        &self,
        id: &TransactionId,
        payment_id: &PaymentId,
        command: &VoidSale,
        who: &Who,
    ) -> Result<Outcome, Failure> {
        let (stamp, rules) = (self.door.stamps.stamp(), &self.door.rules);
        let Voided { event, refunds } =
            guarded(|| sale::reverse_payment(command, id, payment_id, &who.caller, rules, &self.book))?;
        let Event::TransactionOpen { transaction, .. } = &event else { return Err(unexpected()) };
        let answer = Answer::ok(&VoidedView::new(transaction, &refunds, who.caller.role));
        let details = [("payment_id", payment_id.as_str()), ("reason", &command.reason)];
        let entry = told(who, "payment.reversed", transaction, stamp.now, &details);
        let date = Some(transaction.business_date);
        let outcome = Outcome { events: vec![event], records: Vec::new(), answer, stamp };
        Ok(outcome.audited(&self.door.stamps, date, entry))
    }

    fn draft_void(&self, id: &TransactionId, command: &VoidSale, who: &Who) -> Result<TillDraft, Failure> {
        let sale = self.finished(id)?;
        let (now, rules) = (self.door.stamps.now(), &self.door.rules);
        let draft = guarded(|| sale::draft_void(command, &sale, now, &who.mandate(), rules, &self.book))?;
        Ok(TillDraft::Void(draft))
    }

    fn draft_correction(
        &self,
        id: &TransactionId,
        command: &CorrectTender,
        who: &Who,
    ) -> Result<TillDraft, Failure> {
        let sale = self.finished(id)?;
        let payment_ids: Vec<PaymentId> = self.door.stamps.ids("pay_", command.payments.len());
        let (now, rules) = (self.door.stamps.now(), &self.door.rules);
        let mandate = who.mandate();
        let draft = guarded(|| {
            sale::draft_correction(command, &sale, payment_ids, now, &mandate, rules, &self.book)
        })?;
        Ok(TillDraft::Correct { draft, reason: command.reason.clone() })
    }

    fn finished(&self, id: &TransactionId) -> Result<Transaction, Failure> {
        Ok(self.door.storage.transaction(id)?.ok_or(Refusal::NotFound("transaction"))?)
    }
}

/// The entry of what was done to a transaction.
pub(crate) fn told(
    who: &Who,
    action: &str,
    transaction: &Transaction,
    now: domain::time::UtcMs,
    details: &[(&str, &str)],
) -> AuditEntry {
    let mut all = vec![("transaction_id", transaction.transaction_id.as_str())];
    all.extend(transaction.receipt_no.as_deref().map(|number| ("receipt_no", number)));
    all.extend_from_slice(details);
    AuditEntry::new(&who.mandate(), action, now, &all)
}

/// A rule gave another event than it says.
pub(crate) fn unexpected() -> Failure {
    Failure::Internal("a rule gave an event of another kind".to_owned())
}
