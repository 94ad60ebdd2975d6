//! A command's way to its owner: the reads on its caller's task, and the mailbox.

use crate::message::{
    CatalogueMessage, LedgerMessage, MembersMessage, SessionsMessage, ShiftMessage, ShiftsMessage,
};
use crate::runtime::command::{
    AnyCommand, Book, COMMAND_DEADLINE, CatalogueRows, Command, MemberRows, UserRows,
};
use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use crate::runtime::mailbox::{self, post};
use crate::runtime::request::RequestContext;
use crate::supervision::shift_registry::ShiftRef;
use domain::model::base::ids::{RegisterId, ShiftId, Sku, TransactionId, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::books::ledger::LedgerBook;
use domain::model::books::shift::{Shift, ShiftBook, ShiftState};
use domain::model::inventory::product::Product;
use domain::model::selling::price::PriceMoment;
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::price;
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::StorageError;
use tokio::sync::oneshot;

/// No open shift was found.
const NO_OPEN_SHIFT: Refusal = Refusal::NotFound("open shift");

/// The catalogue's rows that a command names.
pub(crate) type Products = BTreeMap<Sku, Product>;

/// Products as they are sold: with the present prices.
pub(crate) type SoldProducts = BTreeMap<Sku, Arc<Product>>;

/// The asking side of a `Command`.
pub trait Dispatch: Command<Book: Addressed> {
    /// Reads the rows that its owner does not hold; once for each attempt, after its key was looked up.
    fn load(
        &self,
        _context: &Context,
        _request: &RequestContext,
    ) -> impl Future<Output = Result<Self::Rows, Failure>> + Send {
        async { Ok(Self::Rows::default()) }
    }

    /// Address of its owner.
    fn address(&self, _rows: &mut Self::Rows) -> <Self::Book as Addressed>::Address {
        Default::default()
    }
}

/// An owner that commands can be sent to.
pub trait Addressed: Book {
    /// Names one of several owners.
    type Address: Default + Send;

    /// Sends to the owner as it is now. Without one the command ends, or is dropped and tried again.
    fn send(
        context: &Context,
        address: Self::Address,
        command: Box<dyn AnyCommand<Self>>,
    ) -> impl Future<Output = ()> + Send;
}

impl Addressed for LedgerBook {
    type Address = ();

    async fn send(context: &Context, (): (), command: Box<dyn AnyCommand<Self>>) {
        if let Err(unsent) = context.ledger.send(LedgerMessage::Run(command)).await {
            unsent.fail(Failure::Unavailable(mailbox::LEDGER.0));
        }
    }
}

impl Addressed for ShiftBook {
    type Address = ShiftId;

    async fn send(context: &Context, shift_id: ShiftId, command: Box<dyn AnyCommand<Self>>) {
        let shift = match context.shift_ref(&shift_id).await {
            Ok(shift) => shift,
            Err(failure) => return command.fail(failure),
        };
        if post(&shift.actor, &shift.queue_len, ShiftMessage::Run(command)).is_err() {
            // The owner died a moment ago: its supervisor is notified before the second attempt.
            context.ensure_shift(&shift_id).await;
        }
    }
}

impl Addressed for MemberRows {
    type Address = ();

    async fn send(context: &Context, (): (), command: Box<dyn AnyCommand<Self>>) {
        if let Err(MembersMessage::Run(command)) = context.members.send(MembersMessage::Run(command)).await {
            command.fail(Failure::Unavailable(mailbox::MEMBERS.0));
        }
    }
}

impl Addressed for CatalogueRows {
    type Address = ();

    async fn send(context: &Context, (): (), command: Box<dyn AnyCommand<Self>>) {
        if let Err(CatalogueMessage::Run(command)) =
            context.catalogue.send(CatalogueMessage::Run(command)).await
        {
            command.fail(Failure::Unavailable(mailbox::CATALOGUE.0));
        }
    }
}

impl Addressed for UserRows {
    type Address = ();

    async fn send(context: &Context, (): (), command: Box<dyn AnyCommand<Self>>) {
        if let Err(SessionsMessage::Run(command)) = context.sessions.send(SessionsMessage::Run(command)).await
        {
            command.fail(Failure::Unavailable(mailbox::SESSIONS.0));
        }
    }
}

impl Context {
    async fn shift_ref(&self, shift_id: &ShiftId) -> Result<Arc<ShiftRef>, Failure> {
        if let Some(shift) = self.shift_registry.get(shift_id) {
            return Ok(shift);
        }
        let shift = self.storage.shifts().shift(shift_id)?.ok_or(Refusal::NotFound("shift"))?;
        if !matches!(shift.state, ShiftState::Open | ShiftState::Ended) {
            return Err(shift.state.refusal().into());
        }
        self.ensure_shift(shift_id).await;
        self.shift_registry.get(shift_id).ok_or(Failure::Unavailable("the shift is restarting"))
    }

    /// Has the shifts' supervisor look after a shift; returns when it has.
    pub(crate) async fn ensure_shift(&self, shift_id: &ShiftId) {
        let (ensured, done) = oneshot::channel();
        let message = ShiftsMessage::Ensure { shift_id: shift_id.clone(), ensured };
        if self.shifts.send(message).await.is_ok() {
            // Dropped unheard: that supervisor died, and its successor runs every open shift.
            let _ = tokio::time::timeout(COMMAND_DEADLINE, done).await;
        }
    }

    /// The named shift, else the one that is shared by the register that speaks, else the caller's own open one.
    pub(crate) fn shift_for(
        &self,
        request: &RequestContext,
        named: Option<&ShiftId>,
    ) -> Result<ShiftId, Failure> {
        if let Some(shift_id) = named {
            return Ok(shift_id.clone());
        }
        let (user, here) = (&request.caller.user_id, request.register_id.as_ref());
        if let Some(shift_id) = self.shift_registry.id_for(user, here) {
            return Ok(shift_id);
        }
        match self.current_shift(user, here) {
            Ok(shift) => Ok(shift.shift_id),
            Err(Failure::Refused(_)) => Err(Refusal::NoOpenShift.into()),
            Err(failure) => Err(failure),
        }
    }

    /// The open shift in which a user works at a register: the shift there if it is the user's or shared, else the
    /// user's own.
    pub(crate) fn current_shift(&self, user: &UserId, here: Option<&RegisterId>) -> Result<Shift, Failure> {
        let mut open = self.storage.shifts().open_shifts()?;
        let is_own = |shift: &Shift| shift.opened_by == *user;
        let is_here = |shift: &Shift| {
            here.is_some_and(|here| shift.stands_at(here)) && (shift.is_shared() || is_own(shift))
        };
        let place = open.iter().position(is_here).or_else(|| open.iter().position(is_own));
        place.map(|place| open.swap_remove(place)).ok_or(Failure::Refused(NO_OPEN_SHIFT))
    }

    /// The open shift that stands at a register.
    pub(crate) fn shift_at(&self, register: &RegisterId) -> Result<Shift, Failure> {
        let open = self.storage.shifts().open_shifts()?;
        let found = open.into_iter().find(|shift| shift.stands_at(register));
        found.ok_or(Failure::Refused(NO_OPEN_SHIFT))
    }

    /// A transaction, as it is in the rows.
    pub(crate) fn transaction(&self, id: &TransactionId) -> Result<Transaction, Failure> {
        Ok(self.storage.sales().transaction(id)?.ok_or(Refusal::NotFound("transaction"))?)
    }

    /// Now, for prices that no basket is priced by.
    pub(crate) fn price_moment(&self) -> PriceMoment {
        let rules = self.rules.now();
        price::moment(self.stamps.now(), &rules.timezone, rules.day_start)
    }

    /// The present moment for a basket of this shift: its prices and promotions are those of one business date.
    pub(crate) fn price_moment_of(&self, shift_id: &ShiftId) -> Result<PriceMoment, Failure> {
        let now = self.price_moment();
        let shift = self.storage.shifts().shift(shift_id)?;
        Ok(shift.map_or(now, |shift| PriceMoment { date: shift.business_date, ..now }))
    }

    /// The known products of these skus at the present prices.
    pub(crate) fn sold<'a>(&self, skus: impl Iterator<Item = &'a Sku>) -> Result<SoldProducts, StorageError> {
        let on = self.price_moment();
        let mut sold = SoldProducts::new();
        for sku in skus {
            if let Some(product) = self.storage.products().sold(sku, on)? {
                sold.insert(sku.clone(), product);
            }
        }
        Ok(sold)
    }

    /// The products of these skus, as far as they are known.
    pub(crate) fn products<'a>(&self, skus: impl Iterator<Item = &'a Sku>) -> Result<Products, Failure> {
        let mut products = Products::new();
        for sku in skus {
            if !products.contains_key(sku)
                && let Some(product) = self.storage.products().product(sku)?
            {
                products.insert(sku.clone(), product);
            }
        }
        Ok(products)
    }
}
