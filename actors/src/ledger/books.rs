//! What a manager writes into the store's books: recounts, tills, sealed days, deposits.

use super::State;
use crate::failure::Failure;
use crate::pending::{Outcome, Pending};
use crate::shift::guarded;
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::day::{self, SealDay, UnsealDay, dated};
use domain::deposit::{NewDeposit, OpenSafe, ReverseDeposit};
use domain::event::Event;
use domain::ids::{CashId, RegisterId, ShiftId};
use domain::mandate::Mandate;
use domain::record;
use domain::refusal::Refusal;
use domain::register::{self, ChangeRegister, NewRegister, RegisterView};
use domain::shift::{self, RecountShift, Shift, ShiftState};
use domain::time::UtcMs;
use jiff::civil::Date;
use serde_json::json;
use storage::Unconfirmed;

/// An entry into the books.
pub(crate) enum BooksCommand {
    /// Count a closed shift again.
    Recount { shift_id: ShiftId, command: RecountShift },
    /// Add a till.
    AddRegister(NewRegister),
    /// Change a till.
    ChangeRegister { id: RegisterId, command: ChangeRegister },
    /// Seal a day.
    Seal { date: Date, command: SealDay },
    /// Open a sealed day again.
    Unseal { date: Date, command: UnsealDay },
    /// Cash left for the bank.
    Deposit { id: CashId, command: NewDeposit, came: i64 },
    /// It did not.
    ReverseDeposit { id: CashId, wrong: CashId, command: ReverseDeposit },
    /// What lay in the safe first.
    OpenSafe(OpenSafe),
}

impl BooksCommand {
    /// Whether it gets the date of now.
    pub(super) fn dates(&self) -> bool {
        !matches!(self, Self::Seal { .. } | Self::Unseal { .. })
    }
}

impl State {
    /// Decides on rows of the disk: what was submitted before has to be in them, and so has this
    /// afterwards. Both are rare and short.
    pub(super) async fn books(
        &mut self,
        command: BooksCommand,
        who: &Who,
        pending: Pending,
    ) -> Result<(), Unconfirmed> {
        self.door.storage.barrier().await?;
        match self.booked(command, who) {
            Ok(outcome) => {
                let events = outcome.events.clone();
                if pending.ready(outcome).is_some_and(|ready| ready.submit(&self.door.storage)) {
                    events.iter().for_each(|event| self.book.evolve(event));
                }
            }
            Err(failure) => pending.refuse(&self.door.storage, failure),
        }
        self.door.storage.barrier().await
    }

    fn booked(&self, command: BooksCommand, who: &Who) -> Result<Outcome, Failure> {
        match command {
            BooksCommand::Recount { shift_id, command } => self.recounted(&shift_id, &command, who),
            BooksCommand::AddRegister(command) => {
                let event = guarded(|| register::add(&command, &who.mandate(), &self.book))?;
                self.register(event, true, "register.added", who)
            }
            BooksCommand::ChangeRegister { id, command } => {
                let event = guarded(|| register::change(&command, &id, &who.mandate(), &self.book))?;
                self.register(event, false, "register.changed", who)
            }
            BooksCommand::Seal { date, command } => self.sealed(date, &command, who),
            BooksCommand::Unseal { date, command } => self.unsealed(date, &command, who),
            BooksCommand::Deposit { id, command, came } => self.deposited(id, &command, came, who),
            BooksCommand::ReverseDeposit { id, wrong, command } => self.taken_back(id, &wrong, &command, who),
            BooksCommand::OpenSafe(command) => self.opened_safe(&command, who),
        }
    }

    fn recounted(&self, id: &ShiftId, command: &RecountShift, who: &Who) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let found = self.door.storage.shift(id)?.ok_or(Refusal::NotFound("shift"))?;
        let mandate = who.mandate();
        let rules = &self.door.rules;
        let event = guarded(|| shift::recount(command, stamp.now, &mandate, &found, rules, &self.book))?;
        let Event::ShiftRecounted { shift } = &event else { return Err(unexpected()) };
        let shown = shift::view(shift, stamp.now, rules);
        let counted = command.counted_cash.to_string();
        let details =
            [("shift_id", id.as_str()), ("counted_cash", &counted), ("reason", command.reason.trim())];
        let entry = AuditEntry::new(&mandate, "shift.recounted", stamp.now, &details);
        let date = shift::day_of(shift, stamp.now, rules, &self.book);
        let records = vec![if found.state == ShiftState::Interrupted {
            record::shift_counted(&stamp, shift, date)
        } else {
            record::shift_recounted(&stamp, shift)
        }];
        let answer = Answer::created(format!("/api/shifts/{id}"), &shown);
        let outcome = Outcome { events: vec![event], records, answer, stamp };
        Ok(outcome.audited(&self.door.stamps, Some(date), entry))
    }

    fn register(&self, event: Event, created: bool, action: &str, who: &Who) -> Result<Outcome, Failure> {
        let Event::RegisterChanged { register } = &event else { return Err(unexpected()) };
        let view = RegisterView::from(register);
        let id = register.register_id.as_str();
        let answer =
            if created { Answer::created(format!("/api/registers/{id}"), &view) } else { Answer::ok(&view) };
        let details = [("register_id", id), ("name", &register.name), ("state", view.state.name())];
        let stamp = self.door.stamps.stamp();
        let entry = AuditEntry::new(&who.mandate(), action, stamp.now, &details);
        let date = dated(stamp.now, &self.door.rules, &self.book);
        let outcome = Outcome { events: vec![event], records: Vec::new(), answer, stamp };
        Ok(outcome.audited(&self.door.stamps, Some(date), entry))
    }

    fn sealed(&self, date: Date, command: &SealDay, who: &Who) -> Result<Outcome, Failure> {
        let storage = &self.door.storage;
        let (shifts, sealed) = (storage.shifts_of_day(date)?, storage.day(date)?);
        let stamp = self.door.stamps.stamp();
        let (mandate, rules) = (who.mandate(), &self.door.rules);
        let event = guarded(|| {
            day::seal(date, &shifts, sealed.as_ref(), stamp.now, Some((command, &mandate)), rules)
        })?;
        let Event::DaySealed { day } = &event else { return Err(unexpected()) };
        if date == rules.business_date(stamp.now) {
            // Whoever seals today by its name says what day it is.
            self.door.stamps.confirm();
        }
        let entry = of_day(&mandate, "day.sealed", stamp.now, date, day.reason.as_deref());
        let (records, answer) = (vec![record::day_sealed(&stamp, day)], Answer::ok(day));
        let outcome = Outcome { events: vec![event], records, answer, stamp };
        Ok(outcome.audited(&self.door.stamps, Some(date), entry))
    }

    fn unsealed(&self, date: Date, command: &UnsealDay, who: &Who) -> Result<Outcome, Failure> {
        let sealed = self.door.storage.day(date)?;
        let (stamp, mandate, rules) = (self.door.stamps.stamp(), who.mandate(), &self.door.rules);
        let day = guarded(|| day::unseal(command, date, sealed.as_ref(), stamp.now, &mandate, rules))?;
        let entry = of_day(&mandate, "day.unsealed", stamp.now, date, day.reason.as_deref());
        let (records, answer) = (vec![record::day_reopened(&stamp, &day)], Answer::ok(&day));
        let outcome = Outcome { events: vec![Event::DayReopened { day }], records, answer, stamp };
        Ok(outcome.audited(&self.door.stamps, Some(date), entry))
    }
}

pub(super) fn unexpected() -> Failure {
    Failure::Internal("an entry into the books became another event".to_owned())
}

/// The audit entry of what was done to a day.
fn of_day(mandate: &Mandate<'_>, action: &str, at: UtcMs, date: Date, reason: Option<&str>) -> AuditEntry {
    let date = date.to_string();
    let reason = reason.map(|reason| ("reason", reason));
    let details: Vec<_> = [("business_date", date.as_str())].into_iter().chain(reason).collect();
    AuditEntry::new(mandate, action, at, &details)
}

/// The audit entry of a close whose variance somebody approved.
pub(super) fn approval(shift: &Shift, at: UtcMs) -> Option<AuditEntry> {
    let approved_by = shift.approved_by.clone()?;
    let details = json!({"shift_id": shift.shift_id, "variance": shift.variance});
    let user_id = shift.closed_by.clone().unwrap_or_default();
    let entry = AuditEntry::own(&user_id, "shift.variance_approved", at, details);
    Some(AuditEntry { approved_by: Some(approved_by), ..entry })
}
