//! Days that are over are sealed: by a person, or here, once the next day has begun and all their shifts
//! are closed. What is to be sealed is in the book, which a start fills from the rows.

use super::State;
use crate::failure::Failure;
use crate::shift::guarded;
use domain::day;
use domain::record;
use jiff::civil::Date;
use storage::{Closed, Commit};

impl State {
    /// What time does by itself: old holds end, a day that is over is sealed; one of them at a time.
    pub(super) async fn tick(&mut self) -> Result<(), Closed> {
        self.expire_holds();
        let rules = &self.door.rules;
        let today = rules.business_date(self.door.stamps.now());
        let Some(date) = self.may_seal().then(|| day::due(today, &self.book)).flatten() else {
            return Ok(());
        };
        // Its shifts are read from the rows: the last close has to be in them, and the seal afterwards.
        self.door.storage.barrier().await?;
        if let Err(failure) = self.seal_by_itself(date) {
            // Asked again after the next start; a person may do it meanwhile.
            self.book.days.remove(&date);
            tracing::error!(%date, %failure, "a day that is over was not sealed");
        }
        self.door.storage.barrier().await
    }

    /// Not beside a command on a stopped store, not in a copy that is fenced, not on a full disk.
    fn may_seal(&self) -> bool {
        let fenced = self.door.sync.get().fenced_at.is_some();
        self.door.link && !fenced && self.door.storage.writable().is_ok()
    }

    fn seal_by_itself(&mut self, date: Date) -> Result<(), Failure> {
        let storage = &self.door.storage;
        let (shifts, sealed) = (storage.shifts_of_day(date)?, storage.day(date)?);
        // Before anything is decided: no await lies between that and submitting.
        let Ok(permit) = storage.gate().try_acquire_owned() else { return Ok(()) };
        let stamp = self.door.stamps.stamp();
        let event = guarded(|| day::seal(date, &shifts, sealed.as_ref(), stamp.now, None, &self.door.rules))?;
        let domain::event::Event::DaySealed { day } = &event else { return Ok(()) };
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
