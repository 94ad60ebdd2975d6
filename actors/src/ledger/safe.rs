//! The safe: what lay there first, what left for the bank, and what of that was wrong.

use super::Ledger;
use crate::prelude::*;
use domain::deposit::{self, NewDeposit};
use domain::ids::CashId;
use serde_json::json;

/// Deposits that are looked through at once.
const DEPOSITS_AT_ONCE: usize = 200;

/// Says what lies in the safe when the books begin, by the rules of [`domain::deposit::open_safe`].
pub struct OpenSafe(pub deposit::OpenSafe);

/// Writes down that cash left for the bank, by the rules of [`domain::deposit::deposit`].
pub struct Deposit {
    /// What was left there.
    pub deposit: NewDeposit,
    /// What came into the safe but for the deposits, as the shifts say that are in the rows: those of a moment ago,
    /// since adding them up is not the ledger's work.
    pub came: i64,
}

/// Takes a wrong deposit back, by the rules of [`domain::deposit::reverse`].
pub struct ReverseDeposit(pub CashId, pub deposit::ReverseDeposit);

impl Dispatch for OpenSafe {}

impl Command for OpenSafe {
    type Book = LedgerBook;
    type Rows = ();

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let before = ledger.storage.safe_opening()?.map(|opening| opening.amount);
        let (stamp, mandate, rules) = (ledger.stamps.stamp(), request.mandate(), &*ledger.rules);
        let opening = deposit::open_safe(&self.0, before, stamp.now, &mandate, rules, &ledger.book)?;
        let details = json!({"amount": opening.amount, "before": before, "reason": opening.reason});
        let entry = AuditEntry::new(&mandate, "safe.opened", stamp.now, details);
        let (date, records) = (opening.business_date, vec![record::safe_opened(&stamp, &opening)]);
        let answer = Answer::ok(&opening);
        let outcome = Outcome::of(stamp, Event::SafeOpened { opening }, records, answer);
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
        let (stamp, mandate, rules) = (ledger.stamps.stamp(), request.mandate(), &*ledger.rules);
        let (id, before) = (ledger.stamps.id("csh_"), ledger.storage.deposited()?);
        let (command, came, book) = (&self.deposit, self.came, &ledger.book);
        let event = deposit::deposit(command, id, before, came, stamp.now, &mandate, rules, book)?;
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
        let (wrong, reversed) = ledger.known_deposit(&self.0)?;
        let (id, before) = (ledger.stamps.id("csh_"), ledger.storage.deposited()?);
        let (stamp, mandate, rules) = (ledger.stamps.stamp(), request.mandate(), &*ledger.rules);
        let (now, book) = (stamp.now, &ledger.book);
        let event = deposit::reverse(&self.1, &wrong, reversed, id, before, now, &mandate, rules, book)?;
        left_for_the_bank(ledger, stamp, event, "cash.deposit_reversed", request)
    }
}

fn left_for_the_bank(
    ledger: &Ledger,
    stamp: Stamp,
    event: Event,
    action: &str,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let Event::CashDeposited { deposit, .. } = &event else { return Err(internal_mismatch()) };
    let details = json!({
        "deposit_id": deposit.deposit_id,
        "amount": deposit.amount,
        "bag_no": deposit.bag_no,
        "bank_account": deposit.bank_account,
        "reverses": deposit.reverses,
        "reason": deposit.reason,
    });
    let entry = AuditEntry::new(&request.mandate(), action, stamp.now, details);
    let (date, records) = (deposit.business_date, vec![record::cash_deposited(&stamp, deposit)]);
    let answer = Answer::created("/api/safe".to_owned(), deposit);
    let outcome = Outcome::of(stamp, event, records, answer);
    Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
}

impl Owner<LedgerBook> {
    /// A deposit, and whether it was taken back: what takes it back is newer than itself.
    fn known_deposit(&self, id: &CashId) -> Result<(deposit::Deposit, bool), Failure> {
        let (mut before, mut reversed) = (None, false);
        loop {
            let page = self.storage.deposits(before, DEPOSITS_AT_ONCE)?;
            before = page.last().map(|(lsn, _)| *lsn);
            for (_, deposit) in page {
                reversed |= deposit.reverses.as_ref() == Some(id);
                if deposit.deposit_id == *id {
                    return Ok((deposit, reversed));
                }
            }
            if before.is_none() {
                return Err(Refusal::NotFound("deposit").into());
            }
        }
    }
}
