//! Days that are over are sealed: by a person, or here, once the next day has begun and all their shifts
//! are closed. What is to be sealed is in the book, which a start fills from the rows.

use super::State;
use crate::runtime::decide::{Outcome, guarded};
use crate::runtime::failure::Failure;
use crate::runtime::request::RequestContext;
use domain::model::base::answer::Answer;
use domain::model::base::event::fact;
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use domain::rules::books::day;
use domain::wire::record;
use jiff::civil::Date;
use serde_json::json;
use storage::Unconfirmed;

/// Days that are sealed between two other commands.
const SEALED_AT_ONCE: usize = 5;

impl State {
    /// Effects of time alone: old holds end, days that are over are sealed, one after the other.
    pub(super) async fn tick(&mut self) -> Result<(), Unconfirmed> {
        self.expire_holds();
        for _ in 0..SEALED_AT_ONCE {
            let Some(now) = self.certain().filter(|_| self.context.storage.writable().is_ok()) else {
                return Ok(());
            };
            let today = self.context.rules.now().business_date(now);
            let Some(date) = day::due(today, &self.ledger.book) else { return Ok(()) };
            // Its shifts are read from the rows: the last close has to be in them, and the seal afterwards.
            self.context.storage.barrier().await?;
            if let Err(failure) = self.seal_by_itself(date) {
                // Asked again after the next start; a person may do it meanwhile.
                self.ledger.book.days.remove(&date);
                tracing::error!(%date, %failure, "a day that is over could not be sealed");
            }
            self.context.storage.barrier().await?;
        }
        Ok(())
    }

    /// The time used for decisions by date that nobody can undo. `None`: no such decision is made, neither beside
    /// a command on a stopped store, not in a copy that is fenced, nor in one that may lack what the hub has.
    pub(super) fn certain(&self) -> Option<UtcMs> {
        let link = self.context.sync.get();
        let behind = link.fenced_at.or(link.refilling_at).or(link.recovering_at).is_some();
        (self.context.link && !behind).then(|| self.context.stamps.trusted_now())
    }

    /// Opens today again if it sealed itself and something is about to happen on it.
    pub(super) async fn reopen_today(&mut self, request: &RequestContext) -> Result<(), Unconfirmed> {
        let context = &self.context;
        let reopened = day::goes_on(context.stamps.now(), &context.rules.now(), &self.ledger.book);
        let blocked = context.sync.refuse_if_fenced().is_err() || context.storage.writable().is_err();
        let Some(mut day) = reopened.filter(|_| !blocked) else { return Ok(()) };
        // If rows can't be read, the next read reports it.
        let before = context.storage.days().day_word(day.business_date).ok().flatten();
        day.reopened_at = day::said_after(before, day.reopened_at);
        let permit = self.context.storage.own_permit().await?;
        let (stamp, date) = (self.context.stamps.stamp(), day.business_date);
        let details = json!({"business_date": date});
        let entry = AuditEntry::new(&request.authorization(), "day.reopened", stamp.now, details);
        let records = vec![record::day_reopened(&stamp, &day)];
        let events = vec![fact::DayReopened { day }.into()];
        let outcome = Outcome { events, records, answer: Answer::ok(&()), stamp, sale: None };
        let Outcome { events, records, stamp, .. } = outcome.audited(&self.context.stamps, Some(date), entry);
        if let Err(error) = self.submit_own(permit, stamp, events, records) {
            tracing::error!(%date, %error, "a day that is not over could not be reopened");
        }
        Ok(())
    }

    fn seal_by_itself(&mut self, date: Date) -> Result<(), Failure> {
        let storage = &self.context.storage;
        let (shifts, sealed) = (storage.shifts().shifts_of_day(date)?, storage.days().day(date)?);
        let before = storage.days().day_word(date)?;
        // Before anything is decided: there is no await between that and submitting.
        let Ok(permit) = storage.reserve().try_acquire_owned() else { return Ok(()) };
        let stamp = self.context.stamps.stamp();
        let mut event = guarded(|| {
            day::seal(date, &shifts, sealed.as_ref(), stamp.now, None, &self.context.rules.now())
        })?;
        event.fact.day.sealed_at = day::said_after(before, stamp.now);
        let records = vec![record::day_sealed(&stamp, &event.fact.day)];
        self.submit_own(permit, stamp, vec![event.into()], records)
            .map_err(|error| Failure::Internal(error.to_string()))
    }
}
