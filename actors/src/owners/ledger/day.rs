//! A person seals a day, or opens a sealed one again.

use super::Ledger;
use crate::prelude::*;
use domain::model::base::time::UtcMs;
use domain::rules::books::day;
use jiff::civil::Date;
use serde_json::json;

/// Seals a day, by the rules of [`domain::rules::books::day::seal`].
pub struct SealDay(pub Date, pub day::SealDay);

/// Opens a sealed day again, by the rules of [`domain::rules::books::day::unseal`].
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
        let (shifts, sealed) = (storage.shifts().shifts_of_day(date)?, storage.days().day(date)?);
        let (stamp, authorization) = (ledger.stamps.stamp(), request.authorization());
        let by = Some((&self.1, &authorization));
        let mut event = day::seal(date, &shifts, sealed.as_ref(), stamp.now, by, rules)?;
        event.fact.day.sealed_at = day::change_time_after(storage.days().last_day_change(date)?, stamp.now);
        let day = &event.fact.day;
        if date == rules.business_date(stamp.now) {
            // A caller that seals today by its date confirms the date.
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
        let sealed = ledger.storage.days().day(date)?;
        let (stamp, authorization, rules) = (ledger.stamps.stamp(), request.authorization(), &*ledger.rules);
        let day = day::unseal(&self.1, date, sealed.as_ref(), stamp.now, &authorization, rules)?;
        let entry = entry(request, "day.unsealed", stamp.now, date, day.reason.as_deref());
        let (records, answer) = (vec![record::day_reopened(&stamp, &day)], Answer::ok(&day));
        let outcome = Outcome::of(stamp, fact::DayReopened { day }, records, answer);
        Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
    }
}

/// The audit entry of an action on a day.
fn entry(request: &RequestContext, action: &str, at: UtcMs, date: Date, reason: Option<&str>) -> AuditEntry {
    AuditEntry::new(&request.authorization(), action, at, json!({"business_date": date, "reason": reason}))
}
