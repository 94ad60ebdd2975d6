//! The safe: its opening contents, deposits at the bank, and reversals of wrong ones.

use super::Ledger;
use crate::prelude::*;
use crate::runtime::decide::guarded;
use domain::model::base::ids::CashId;
use domain::model::books::shift::Shift;
use domain::rules::books::deposit;
use domain::rules::books::deposit::NewDeposit;
use serde_json::json;

/// Sets the opening balance of the safe, by the rules of [`domain::rules::books::deposit::open_safe`].
pub struct OpenSafe(pub deposit::OpenSafe);

/// Writes down that cash left for the bank, by the rules of [`domain::rules::books::deposit::deposit`].
pub struct Deposit(pub NewDeposit);

/// Reverses a wrong deposit, by the rules of [`domain::rules::books::deposit::reverse`].
pub struct ReverseDeposit(pub CashId, pub deposit::ReverseDeposit);

impl Dispatch for OpenSafe {}

impl Command for OpenSafe {
    type Book = LedgerBook;
    type Rows = ();

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let before = ledger.storage.shifts().safe_opening()?;
        let (stamp, authorization, rules) = (ledger.stamps.stamp(), request.authorization(), &*ledger.rules);
        let opening =
            deposit::open_safe(&self.0, before.as_ref(), stamp.now, &authorization, rules, &ledger.book)?;
        let details = json!({"amount": opening.amount, "before": opening.before, "reason": opening.reason});
        let entry = AuditEntry::new(&authorization, "safe.opened", stamp.now, details);
        let (date, records) = (opening.business_date, vec![record::safe_opened(&stamp, &opening)]);
        let answer = Answer::ok(&opening);
        let event = ledger.with_safe(Event::of(fact::SafeOpened { opening }), None, request)?;
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
    }
}

impl Dispatch for Deposit {}

impl Command for Deposit {
    type Book = LedgerBook;
    type Rows = ();

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, authorization, rules) = (ledger.stamps.stamp(), request.authorization(), &*ledger.rules);
        let id = ledger.stamps.id("csh_");
        let event = deposit::deposit(&self.0, id, stamp.now, &authorization, rules, &ledger.book)?;
        left_for_the_bank(ledger, stamp, event, "cash.deposited", request)
    }
}

impl Dispatch for ReverseDeposit {}

impl Command for ReverseDeposit {
    type Book = LedgerBook;
    type Rows = ();

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let known = ledger.storage.shifts().deposit(&self.0)?;
        let (wrong, reversed) = known.ok_or(Refusal::NotFound("deposit"))?;
        let id = ledger.stamps.id("csh_");
        let (stamp, authorization, rules) = (ledger.stamps.stamp(), request.authorization(), &*ledger.rules);
        let (now, book) = (stamp.now, &ledger.book);
        let event = deposit::reverse(&self.1, &wrong, reversed, id, now, &authorization, rules, book)?;
        left_for_the_bank(ledger, stamp, event, "cash.deposit_reversed", request)
    }
}

fn left_for_the_bank(
    ledger: &Ledger,
    stamp: Stamp,
    event: Event<fact::CashDeposited>,
    action: &str,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let deposit = &event.fact.deposit;
    let details = json!({
        "deposit_id": deposit.deposit_id,
        "amount": deposit.amount,
        "bag_no": deposit.bag_no,
        "bank_account": deposit.bank_account,
        "reverses": deposit.reverses,
        "reason": deposit.reason,
    });
    let entry = AuditEntry::new(&request.authorization(), action, stamp.now, details);
    let (date, records) = (deposit.business_date, vec![record::cash_deposited(&stamp, deposit)]);
    let answer = Answer::created("/api/safe".to_owned(), deposit);
    let outcome = Outcome::of(stamp, event, records, answer);
    Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
}

impl Owner<LedgerBook> {
    /// An event that moves cash, with the safe as it is afterwards; `before`: its shift as it was.
    pub(super) fn with_safe<F: Clone>(
        &self,
        event: Event<F>,
        before: Option<&Shift>,
        request: &RequestContext,
    ) -> Result<Event<F>, Failure>
    where
        Event<F>: Into<Event>,
    {
        guarded(|| deposit::settle_safe(event, before, &request.authorization(), &self.book))
    }

    /// Cash moved to the safe, or out of it by a reversal.
    pub(super) fn dropped(
        &self,
        outcome: Outcome,
        before: &Shift,
        request: &RequestContext,
    ) -> Result<Outcome, Failure> {
        let events = outcome.events.into_iter().map(|event| self.with_safe(event, Some(before), request));
        Ok(Outcome { events: events.collect::<Result<_, _>>()?, ..outcome })
    }
}
