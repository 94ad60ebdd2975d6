//! Days that are over are sealed: by a person, or here, once the next day has begun and all their shifts
//! are closed. What is to be sealed is in the book, which a start fills from the rows.

use super::State;
use crate::failure::Failure;
use crate::pending::Outcome;
use crate::shift::guarded;
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::day;
use domain::event::Event;
use domain::record;
use domain::time::UtcMs;
use jiff::civil::Date;
use storage::{Commit, Unconfirmed};

/// Days that are sealed between two other commands.
const SEALED_AT_ONCE: usize = 5;

impl State {
    /// What time does by itself: old holds end, days that are over are sealed, one after the other.
    pub(super) async fn tick(&mut self) -> Result<(), Unconfirmed> {
        self.expire_holds();
        for _ in 0..SEALED_AT_ONCE {
            let Some(now) = self.certain().filter(|_| self.door.storage.writable().is_ok()) else {
                return Ok(());
            };
            let today = self.door.rules.business_date(now);
            let Some(date) = day::due(today, &self.book) else { return Ok(()) };
            // Its shifts are read from the rows: the last close has to be in them, and the seal afterwards.
            self.door.storage.barrier().await?;
            if let Err(failure) = self.seal_by_itself(date) {
                // Asked again after the next start; a person may do it meanwhile.
                self.book.days.remove(&date);
                tracing::error!(%date, %failure, "a day that is over was not sealed");
            }
            self.door.storage.barrier().await?;
        }
        Ok(())
    }

    /// The time that goes for what a date decides and nobody can undo. None: nothing of it is done, not beside
    /// a command on a stopped store, not in a copy that is fenced, nor in one that may lack what the hub has.
    pub(super) fn certain(&self) -> Option<UtcMs> {
        let link = self.door.sync.get();
        let behind = link.fenced_at.or(link.refilling_at).or(link.recovering_at).is_some();
        (self.door.link && !behind).then(|| self.door.stamps.trusted_now())
    }

    /// Opens today again if it sealed itself and something is about to happen on it.
    pub(super) async fn goes_on(&mut self, who: &Who) -> Result<(), Unconfirmed> {
        let door = &self.door;
        let reopened = day::goes_on(door.stamps.now(), &door.rules, &self.book);
        let apart = door.sync.refuse_apart().is_err() || door.storage.writable().is_err();
        let Some(day) = reopened.filter(|_| !apart) else { return Ok(()) };
        let permit = self.door.storage.own_permit().await?;
        let (stamp, date) = (self.door.stamps.stamp(), day.business_date);
        let text = date.to_string();
        let entry =
            AuditEntry::new(&who.mandate(), "day.reopened", stamp.now, &[("business_date", text.as_str())]);
        let records = vec![record::day_reopened(&stamp, &day)];
        let events = vec![Event::DayReopened { day }];
        let outcome = Outcome { events, records, answer: Answer::ok(&()), stamp };
        let Outcome { events, records, stamp, .. } = outcome.audited(&self.door.stamps, Some(date), entry);
        let commit =
            Commit { events: events.clone(), records, keyed: None, at: stamp.now, hlc: Some(stamp.at) };
        match self.door.storage.submit(commit, move |_durable| drop(permit)) {
            Ok(()) => events.iter().for_each(|event| self.book.evolve(event)),
            Err(error) => tracing::error!(%date, %error, "a day that goes on was not opened again"),
        }
        Ok(())
    }

    fn seal_by_itself(&mut self, date: Date) -> Result<(), Failure> {
        let storage = &self.door.storage;
        let (shifts, sealed) = (storage.shifts_of_day(date)?, storage.day(date)?);
        // Before anything is decided: no await lies between that and submitting.
        let Ok(permit) = storage.reserve().try_acquire_owned() else { return Ok(()) };
        let stamp = self.door.stamps.stamp();
        let event = guarded(|| day::seal(date, &shifts, sealed.as_ref(), stamp.now, None, &self.door.rules))?;
        let Event::DaySealed { day } = &event else { return Ok(()) };
        let records = vec![record::day_sealed(&stamp, day)];
        let events = vec![event];
        let commit =
            Commit { events: events.clone(), records, keyed: None, at: stamp.now, hlc: Some(stamp.at) };
        storage
            .submit(commit, move |_durable| drop(permit))
            .map_err(|error| Failure::Internal(error.to_string()))?;
        events.iter().for_each(|event| self.book.evolve(event));
        Ok(())
    }
}
