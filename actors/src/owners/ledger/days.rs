//! Seals days automatically, once the next day has begun and all shifts of the day are closed, unless a person has
//! sealed them before. The ledger's book has the days that are not sealed; it is loaded from the rows at the start.

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

/// Most days that one tick seals, so that other commands don't wait longer.
const SEALED_AT_ONCE: usize = 5;

impl State {
    /// Applies the effects of time: expires old holds and seals the days that are over, one at a time.
    pub(super) async fn tick(&mut self) -> Result<(), Unconfirmed> {
        self.expire_holds();
        for _ in 0..SEALED_AT_ONCE {
            let Some(now) = self.decision_time().filter(|_| self.context.storage.writable().is_ok()) else {
                return Ok(());
            };
            let today = self.context.rules.now().business_date(now);
            let Some(date) = day::due(today, &self.ledger.book) else { return Ok(()) };
            // `seal_automatically` reads the day's shifts from the rows, so the last close must be applied first.
            self.context.storage.barrier().await?;
            if let Err(failure) = self.seal_automatically(date) {
                // Retried after the next start; until then a person can seal the day.
                self.ledger.book.days.remove(&date);
                tracing::error!(%date, %failure, "a day that is over could not be sealed");
            }
            self.context.storage.barrier().await?;
        }
        Ok(())
    }

    /// Trusted time for decisions by date that can't be undone. `None` if no such decision may be made: in a process
    /// that runs a single command on a stopped store, in a fenced copy, and in a copy that may lack records that the
    /// hub has.
    pub(super) fn decision_time(&self) -> Option<UtcMs> {
        let link = self.context.sync.get();
        let behind = link.fenced_at.or(link.refilling_at).or(link.recovering_at).is_some();
        (self.context.link && !behind).then(|| self.context.stamps.trusted_now())
    }

    /// Reopens today if it was sealed automatically and a command is about to write on it.
    pub(super) async fn reopen_today(&mut self, request: &RequestContext) -> Result<(), Unconfirmed> {
        let context = &self.context;
        let reopened = day::reopen_if_sealed_automatically(
            context.stamps.now(),
            &context.rules.now(),
            &self.ledger.book,
        );
        let blocked = context.sync.refuse_if_fenced().is_err() || context.storage.writable().is_err();
        let Some(mut day) = reopened.filter(|_| !blocked) else { return Ok(()) };
        // An error is ignored here: the next read of the rows reports it.
        let before = context.storage.days().last_day_change(day.business_date).ok().flatten();
        day.reopened_at = day::change_time_after(before, day.reopened_at);
        let permit = self.context.storage.own_permit().await?;
        let (stamp, date) = (self.context.stamps.stamp(), day.business_date);
        let details = json!({"business_date": date});
        let entry = AuditEntry::new(&request.authorization(), "day.reopened", stamp.now, details);
        let records = vec![record::day_reopened(&stamp, &day)];
        let events = vec![fact::DayReopened { day }.into()];
        let outcome = Outcome { events, records, answer: Answer::ok(&()), stamp, sale: None };
        let audited = outcome.audited(&self.context.stamps, Some(date), entry);
        if let Err(error) = self.submit_own(permit, audited.stamp, audited.events, audited.records) {
            tracing::error!(%date, %error, "a day that is not over could not be reopened");
        }
        Ok(())
    }

    fn seal_automatically(&mut self, date: Date) -> Result<(), Failure> {
        let storage = &self.context.storage;
        let (shifts, sealed) = (storage.shifts().shifts_of_day(date)?, storage.days().day(date)?);
        let before = storage.days().last_day_change(date)?;
        // Taken before the decision, and without awaiting, so that no other command runs before the seal is submitted.
        let Ok(permit) = storage.reserve().try_acquire_owned() else { return Ok(()) };
        let stamp = self.context.stamps.stamp();
        let mut event = guarded(|| {
            day::seal(date, &shifts, sealed.as_ref(), stamp.now, None, &self.context.rules.now())
        })?;
        event.fact.day.sealed_at = day::change_time_after(before, stamp.now);
        let records = vec![record::day_sealed(&stamp, &event.fact.day)];
        self.submit_own(permit, stamp, vec![event.into()], records)
            .map_err(|error| Failure::Internal(error.to_string()))
    }
}
