//! The safe: what lay there first, what left for the bank, and what of that was wrong.

use super::State;
use super::books::unexpected;
use crate::failure::Failure;
use crate::pending::Outcome;
use crate::shift::guarded;
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::deposit::{self, Deposit, NewDeposit, OpenSafe, ReverseDeposit};
use domain::event::{Event, Stamp};
use domain::ids::CashId;
use domain::record;
use domain::refusal::Refusal;

/// Deposits that are looked through at once.
const DEPOSITS_AT_ONCE: usize = 200;

impl State {
    pub(super) fn opened_safe(&self, command: &OpenSafe, who: &Who) -> Result<Outcome, Failure> {
        let before = self.door.storage.safe_opening()?.map(|opening| opening.amount);
        let (stamp, mandate, rules) = (self.door.stamps.stamp(), who.mandate(), &self.door.rules);
        let opening =
            guarded(|| deposit::open_safe(command, before, stamp.now, &mandate, rules, &self.book))?;
        let (amount, was) = (opening.amount.to_string(), before.map(|before| before.to_string()));
        let was = was.as_deref().map(|was| ("before", was));
        let details: Vec<_> =
            [("amount", amount.as_str()), ("reason", &opening.reason)].into_iter().chain(was).collect();
        let entry = AuditEntry::new(&mandate, "safe.opened", stamp.now, &details);
        let (date, records) = (opening.business_date, vec![record::safe_opened(&stamp, &opening)]);
        let answer = Answer::ok(&opening);
        let outcome = Outcome { events: vec![Event::SafeOpened { opening }], records, answer, stamp };
        Ok(outcome.audited(&self.door.stamps, Some(date), entry))
    }

    pub(super) fn deposited(
        &self,
        id: CashId,
        command: &NewDeposit,
        came: i64,
        who: &Who,
    ) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let (mandate, rules) = (who.mandate(), &self.door.rules);
        let before = self.door.storage.deposited()?;
        let event =
            guarded(|| deposit::deposit(command, id, before, came, stamp.now, &mandate, rules, &self.book))?;
        self.left_for_the_bank(stamp, event, "cash.deposited", who)
    }

    pub(super) fn taken_back(
        &self,
        id: CashId,
        wrong: &CashId,
        command: &ReverseDeposit,
        who: &Who,
    ) -> Result<Outcome, Failure> {
        let (wrong, reversed) = self.known_deposit(wrong)?;
        let before = self.door.storage.deposited()?;
        let (stamp, mandate, rules) = (self.door.stamps.stamp(), who.mandate(), &self.door.rules);
        let reverse = || {
            let (now, book) = (stamp.now, &self.book);
            deposit::reverse(command, &wrong, reversed, id, before, now, &mandate, rules, book)
        };
        let event = guarded(reverse)?;
        self.left_for_the_bank(stamp, event, "cash.deposit_reversed", who)
    }

    fn left_for_the_bank(
        &self,
        stamp: Stamp,
        event: Event,
        action: &str,
        who: &Who,
    ) -> Result<Outcome, Failure> {
        let Event::CashDeposited { deposit, .. } = &event else { return Err(unexpected()) };
        let amount = deposit.amount.to_string();
        let reverses = deposit.reverses.as_ref().map(|wrong| ("reverses", wrong.as_str()));
        let reason = deposit.reason.as_deref().map(|reason| ("reason", reason));
        let details = [
            ("deposit_id", deposit.deposit_id.as_str()),
            ("amount", &amount),
            ("bag_no", &deposit.bag_no),
            ("bank_account", &deposit.bank_account),
        ];
        let details: Vec<_> = details.into_iter().chain(reverses).chain(reason).collect();
        let entry = AuditEntry::new(&who.mandate(), action, stamp.now, &details);
        let (date, records) = (deposit.business_date, vec![record::cash_deposited(&stamp, deposit)]);
        let answer = Answer::created("/api/safe".to_owned(), deposit);
        let outcome = Outcome { events: vec![event], records, answer, stamp };
        Ok(outcome.audited(&self.door.stamps, Some(date), entry))
    }

    /// A deposit, and whether it was taken back: what takes it back is newer than itself.
    fn known_deposit(&self, id: &CashId) -> Result<(Deposit, bool), Failure> {
        let (mut before, mut reversed) = (None, false);
        loop {
            let page = self.door.storage.deposits(before, DEPOSITS_AT_ONCE)?;
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
