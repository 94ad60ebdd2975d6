//! A command: a caller's request to an owner. One file has the reading of its inputs and the call of its rule; the way
//! there and back is the same for all, here and in [`crate::runtime::dispatch`].
//!
//! A command can't write, wait or send: it has no mailbox, no permit and no reply. It is decided behind the panic guard,
//! and its owner submits the decision with no await in between.

use crate::runtime::decide::{Decision, ShiftDecision, UserDecision, guarded};
use crate::runtime::failure::Failure;
use crate::runtime::pending::Pending;
use crate::runtime::request::RequestContext;
use crate::runtime::source::Stamps;
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::Rules;
use domain::model::books::ledger::LedgerBook;
use domain::model::books::shift::ShiftBook;
use std::sync::Arc;
use std::time::Duration;
use storage::Storage;

/// Time that a command may take before its caller is asked to come back.
pub(crate) const COMMAND_DEADLINE: Duration = Duration::from_secs(8);
/// Time that a file may take: one commit of thousands of rows, for a person who waits at the command line.
pub(crate) const FILE_DEADLINE: Duration = Duration::from_secs(120);

/// Request of a caller to an owner.
pub trait Command: Sized + Send + Sync + 'static {
    /// The memory that it is decided by: whose it is decides.
    type Book: Book;
    /// Rows that are read for it beforehand, on its caller's task.
    type Rows: Default + Send + 'static;
    /// Time that its caller waits.
    const DEADLINE: Duration = COMMAND_DEADLINE;
    /// Whether it gets the present date: a day that sealed itself is opened again for it.
    const DATED: bool = true;

    /// Refuses what no store could do, before its key is looked up.
    ///
    /// # Errors
    /// [`Refusal`]: the shape of the command.
    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        Ok(())
    }

    /// Whether it is decided by rows of the disk: its owner waits until earlier submissions are in them.
    fn is_from_rows(&self, _book: &Self::Book) -> bool {
        false
    }

    /// Asks the rule.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rule; rows that can't be read.
    fn decide(
        &self,
        rows: Self::Rows,
        owner: &mut Owner<Self::Book>,
        request: &RequestContext,
    ) -> Result<<Self::Book as Book>::Decision, Failure>;
}

/// The memory of an owner.
pub trait Book: Send + Sized + 'static {
    /// Decision on a command to this owner.
    type Decision;
}

impl Book for LedgerBook {
    type Decision = Decision;
}

impl Book for ShiftBook {
    type Decision = ShiftDecision;
}

/// Members are decided by their rows, one command after the other.
pub struct MemberRows;

impl Book for MemberRows {
    type Decision = Decision;
}

/// Rows of the catalogue that decide on the store's settings of products, one command after the other.
pub struct CatalogueRows;

impl Book for CatalogueRows {
    type Decision = Decision;
}

/// Users and devices are decided by their rows, one command after the other.
pub struct UserRows;

impl Book for UserRows {
    type Decision = UserDecision;
}

/// Data that an owner decides by: its memory, and the rows, rules, clock and IDs of the store.
pub struct Owner<B> {
    pub(crate) storage: Storage,
    pub(crate) rules: Arc<Rules>,
    pub(crate) stamps: Stamps,
    pub(crate) book: B,
}

/// A command in its owner's mailbox, with the inputs read for it, and the value that ends in one commit or one refusal.
pub(crate) struct Prepared<C: Command> {
    pub(crate) command: Arc<C>,
    pub(crate) rows: C::Rows,
    pub(crate) request: Arc<RequestContext>,
    pub(crate) pending: Pending,
}

/// Decision on a command, with the value that ends it.
pub struct Decided<B: Book> {
    pub(crate) decision: Result<B::Decision, Failure>,
    pub(crate) request: Arc<RequestContext>,
    pub(crate) pending: Pending,
}

/// Any command of one owner.
pub trait AnyCommand<B: Book>: Send {
    /// Request whose document gets the present date.
    fn dates(&self) -> Option<&RequestContext>;
    /// Whether it is decided by rows of the disk.
    fn is_from_rows(&self, book: &B) -> bool;
    /// Asks the rule. A panic in it is one failed request, nothing more.
    fn decide(self: Box<Self>, owner: &mut Owner<B>) -> Decided<B>;
    /// Ends a command that could not be sent.
    fn fail(self: Box<Self>, failure: Failure);
}

impl<C: Command> AnyCommand<C::Book> for Prepared<C> {
    fn dates(&self) -> Option<&RequestContext> {
        C::DATED.then_some(&*self.request)
    }

    fn is_from_rows(&self, book: &C::Book) -> bool {
        self.command.is_from_rows(book)
    }

    fn decide(self: Box<Self>, owner: &mut Owner<C::Book>) -> Decided<C::Book> {
        let Self { command, rows, request, pending } = *self;
        let decision = guarded(|| command.decide(rows, owner, &request));
        Decided { decision, request, pending }
    }

    fn fail(self: Box<Self>, failure: Failure) {
        self.pending.fail(failure);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]
    use super::*;
    use crate::hub::sync_state::SyncState;
    use crate::runtime::source::Source;
    use domain::model::base::figures::Money;
    use domain::model::base::settings::{NegativeStock, Policy, PriceOverride, RoundingMode};
    use domain::model::base::time::UtcMs;
    use domain::model::hub::sync::local::LinkRow;
    use domain::model::people::user::{Principal, Role};
    use storage::Options;

    struct Defect;

    impl Command for Defect {
        type Book = MemberRows;
        type Rows = ();

        fn decide(
            &self,
            (): (),
            _members: &mut Owner<MemberRows>,
            _request: &RequestContext,
        ) -> Result<Decision, Failure> {
            panic!("a defect")
        }
    }

    fn rules() -> Rules {
        Rules {
            store_id: "S001".into(),
            timezone: jiff::tz::TimeZone::UTC,
            day_start: jiff::civil::Time::midnight(),
            default_rate_bp: 1100,
            prices_include_tax: false,
            methods: Vec::new(),
            cash_rounding: Money::ZERO,
            cash_rounding_mode: RoundingMode::default(),
            earn_per: Money::ZERO,
            redeem_value: Money::ZERO,
            price_override: PriceOverride::default(),
            negative_stock: NegativeStock::default(),
            registers_closed: false,
            next_terms: None,
            policy: Policy::default(),
        }
    }

    #[tokio::test]
    async fn a_panic_in_a_command_fails_one_request_and_its_caller_gets_an_answer() {
        let folder = tempfile::tempdir().unwrap();
        Storage::init(folder.path(), &"S001".into(), "1-00000000000000aa").unwrap();
        let storage = Storage::open(folder.path(), &Options::default()).unwrap();
        let source = Source { now: || UtcMs(0), id: |prefix| format!("{prefix}1") };
        let stamps = Stamps::new(source, "S001", None, None);
        let caller = Principal {
            user_id: "usr_1".into(),
            name: "Cashier".to_owned(),
            role: Role::Cashier,
            store_id: "S001".into(),
            session_id: "ses_1".into(),
        };
        let permit = storage.gate().try_acquire_owned().unwrap();
        let (pending, answered) = Pending::new(None, permit, SyncState::of(None, &LinkRow::default()));
        let request = Arc::new(RequestContext::internal(caller));
        let prepared = Box::new(Prepared { command: Arc::new(Defect), rows: (), request, pending });
        let mut owner = Owner { storage, rules: Arc::new(rules()), stamps, book: MemberRows };
        let Decided { decision, pending, .. } = prepared.decide(&mut owner);
        let Err(failure @ Failure::Internal(_)) = decision else { panic!("it was decided") };
        pending.fail(failure.clone());
        assert_eq!(answered.await.unwrap(), Err(failure));
    }
}
