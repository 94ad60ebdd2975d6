//! A person seals a day, or opens a sealed one again.

use super::Ledger;
use crate::prelude::*;
use domain::day;
use domain::time::UtcMs;
use jiff::civil::Date;
use serde_json::json;

/// Seals a day, by the rules of [`domain::day::seal`].
pub struct SealDay(pub Date, pub day::SealDay);

/// Opens a sealed day again, by the rules of [`domain::day::unseal`].
pub struct UnsealDay(pub Date, pub day::UnsealDay);

impl Dispatch for SealDay {}

impl Command for SealDay {
    type Book = LedgerBook;
    type Rows = ();
    const DATED: bool = false;

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (date, storage, rules) = (self.0, &ledger.storage, &*ledger.rules);
        let (shifts, sealed) = (storage.shifts_of_day(date)?, storage.day(date)?);
        let (stamp, mandate) = (ledger.stamps.stamp(), request.mandate());
        let by = Some((&self.1, &mandate));
        let event = day::seal(date, &shifts, sealed.as_ref(), stamp.now, by, rules)?;
        let Event::DaySealed { day } = &event else { return Err(internal_mismatch()) };
        if date == rules.business_date(stamp.now) {
            // Whoever seals today by its name says what day it is.
            ledger.stamps.confirm();
        }
        let entry = entry(request, "day.sealed", stamp.now, date, day.reason.as_deref());
        let (records, answer) = (vec![record::day_sealed(&stamp, day)], Answer::ok(day));
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
    }
}

impl Dispatch for UnsealDay {}

impl Command for UnsealDay {
    type Book = LedgerBook;
    type Rows = ();
    const DATED: bool = false;

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let date = self.0;
        let sealed = ledger.storage.day(date)?;
        let (stamp, mandate, rules) = (ledger.stamps.stamp(), request.mandate(), &*ledger.rules);
        let day = day::unseal(&self.1, date, sealed.as_ref(), stamp.now, &mandate, rules)?;
        let entry = entry(request, "day.unsealed", stamp.now, date, day.reason.as_deref());
        let (records, answer) = (vec![record::day_reopened(&stamp, &day)], Answer::ok(&day));
        let outcome = Outcome::of(stamp, Event::DayReopened { day }, records, answer);
        Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
    }
}

/// The audit entry of what was done to a day.
fn entry(request: &RequestContext, action: &str, at: UtcMs, date: Date, reason: Option<&str>) -> AuditEntry {
    AuditEntry::new(&request.mandate(), action, at, json!({"business_date": date, "reason": reason}))
}
