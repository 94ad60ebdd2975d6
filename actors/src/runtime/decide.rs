//! A decision: the rule's panic guard, and the possible results.

use crate::owners::pricing::PricingInputs;
use crate::runtime::failure::Failure;
use crate::runtime::source::Stamps;
use domain::model::base::answer::Answer;
use domain::model::base::event::{Event, fact};
use domain::model::books::shift::Shift;
use domain::model::hub::stamp::Stamp;
use domain::model::hub::sync::local::Change;
use domain::model::people::audit::AuditEntry;
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::hold::RecallDraft;
use domain::rules::selling::returns::{ReturnDraft, ReturnVoidDraft};
use domain::rules::selling::sale::{SaleDraft, TenderDraft, VoidDraft};
use domain::wire::record;
use domain::wire::sale_text::SaleText;
use jiff::civil::Date;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a rule over borrowed state; a panic in it is one failed request, nothing more.
pub(crate) fn guarded<T, E>(rule: impl FnOnce() -> Result<T, E>) -> Result<T, Failure>
where
    Failure: From<E>,
{
    match catch_unwind(AssertUnwindSafe(rule)) {
        Ok(outcome) => outcome.map_err(Failure::from),
        Err(_) => Err(Failure::Internal("a rule panicked".to_owned())),
    }
}

/// A command came to its owner without its loaded rows.
pub(crate) fn not_loaded() -> Failure {
    Failure::Internal("a command came without its rows".to_owned())
}

/// Decision on a command.
pub enum Decision {
    /// This is written, and then answered.
    Commit(Outcome),
    /// There is nothing to write.
    Answer(Answer),
}

impl From<Outcome> for Decision {
    fn from(outcome: Outcome) -> Self {
        Self::Commit(outcome)
    }
}

/// Events to write, and the answer that follows.
pub struct Outcome {
    pub(crate) events: Vec<Event>,
    pub(crate) records: Vec<String>,
    pub(crate) answer: Answer,
    pub(crate) stamp: Stamp,
    /// The transaction of the first event, if it is already encoded.
    pub(crate) sale: Option<SaleText>,
}

/// An event of one change of the state of synchronisation.
pub(crate) fn sync_event(change: Change) -> Event {
    fact::SyncChanged { change }.into()
}

impl Outcome {
    /// One event, the records that report it to head office, and the answer.
    pub(crate) fn of(stamp: Stamp, event: impl Into<Event>, records: Vec<String>, answer: Answer) -> Self {
        Self { events: vec![event.into()], records, answer, stamp, sale: None }
    }

    /// Adds the JSON of the event's transaction, which was made already.
    pub(crate) fn written(self, sale: SaleText) -> Self {
        Self { sale: Some(sale), ..self }
    }

    /// Adds an entry to the audit log, here and at head office.
    pub(crate) fn audited(mut self, stamps: &Stamps, date: Option<Date>, entry: AuditEntry) -> Self {
        // The last stamp of all: the mark keeps the highest.
        self.stamp = stamps.stamp();
        self.records.push(record::audit_recorded(&self.stamp, date, &entry));
        self.events.push(fact::Audited { entry }.into());
        self
    }

    /// Adds several entries to the audit log.
    pub(crate) fn audited_all(
        self,
        stamps: &Stamps,
        date: Option<Date>,
        entries: impl IntoIterator<Item = AuditEntry>,
    ) -> Self {
        entries.into_iter().fold(self, |outcome, entry| outcome.audited(stamps, date, entry))
    }
}

/// Decision on a command to a shift.
pub enum ShiftDecision {
    /// The shift submits it itself.
    Own(Outcome),
    /// The ledger has to settle it.
    Draft(ShiftDraft),
}

/// Decision on a change of users.
pub struct UserDecision {
    pub(crate) outcome: Outcome,
    /// A login name may be free now.
    pub(crate) renamed: bool,
}

/// Draft of a shift: goods, points and the state of a sale are known to the ledger.
pub enum ShiftDraft {
    /// A sale that is paid; whether the same request created it, and the approvals of its prices and discounts.
    Sale { draft: Box<SaleDraft>, created: bool, entries: Vec<AuditEntry> },
    /// The void of a sale.
    Void(Box<VoidDraft>),
    /// A payment put right, and why.
    Correct { draft: Box<TenderDraft>, reason: String },
    /// A partly paid basket.
    PartlyPaid { event: Box<Event<fact::TransactionOpen>> },
    /// Reversed payments, including payments by points.
    Released(Box<Outcome>),
    /// A basket put away, and the approvals of its prices and discounts.
    Hold { event: Box<Event<fact::TransactionHeld>>, entries: Vec<AuditEntry> },
    /// A requested hold, and the inputs for the prices of its basket.
    Recall { draft: Box<RecallDraft>, inputs: Box<PricingInputs> },
    /// Goods that come back.
    Return(Box<ReturnDraft>),
    /// A return whose amounts are only quoted.
    Quote { draft: Box<ReturnDraft>, approval_required: bool },
    /// The void of a return, and the sale that it was of.
    VoidReturn { draft: Box<ReturnVoidDraft>, sale: Option<Box<Transaction>> },
    /// Cash moved to the safe, or out of it by a reversal, and the shift before that.
    Dropped { outcome: Box<Outcome>, before: Box<Shift> },
    /// The shift where it is to stand.
    Move(Box<Event<fact::ShiftMoved>>),
    /// The end of the shift, and the shift before it.
    Close { event: Box<Event<fact::ShiftClosed>>, before: Box<Shift> },
}
