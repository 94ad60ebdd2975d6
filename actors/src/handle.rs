//! The only door into the actors: looks keys up, takes permits, finds owners, waits for the disk.

use crate::catalogue::CatalogueMessage;
use crate::door::Door;
use crate::failure::{Done, Failure};
use crate::idempotency::{Keys, RequestKey};
use crate::ledger::LedgerMessage;
use crate::pending::Pending;
use crate::shelf::{self, Stocked};
use crate::shift::ShiftMessage;
use crate::who::Who;
use domain::event::Event;
use domain::ids::{RegisterId, ShiftId, Sku, TransactionId, UserId};
use domain::price::{self, EffectivePrice};
use domain::product::{self, Product};
use domain::refusal::Refusal;
use domain::sale::{CreateSale, PaySale};
use domain::settings::Rules;
use domain::shift::{CloseShift, OpenShift, Shift};
use domain::time::UtcMs;
use domain::user::Caller;
use std::sync::Arc;
use std::time::Duration;
use storage::{Storage, StorageError};
use tokio::sync::{Mutex, oneshot};

mod deliver;
mod enrol;
mod freshness;
mod goods;
mod holds;
mod meet;
mod members;
mod online;
mod opening;
mod people;
mod prints;
mod probe;
mod receipts;
mod remember;
mod returns;
mod screens;
mod shifts;
mod supervise;
mod sync;
mod till;

/// How long a command may take before its caller is told to come back.
const COMMAND_DEADLINE: Duration = Duration::from_secs(8);

/// How long a file may take: one commit of thousands of rows, for a person who waits at the command line.
const FILE_DEADLINE: Duration = Duration::from_secs(120);

/// Who asks, from which till, under which key.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The verified caller.
    pub caller: Caller,
    /// Who approved this one command at the till: verified, and no longer in its body.
    pub approver: Option<Caller>,
    /// The till that is speaking, if it said so.
    pub register_id: Option<RegisterId>,
    /// The idempotency key, if there is one.
    pub key: Option<RequestKey>,
}

impl Ask {
    /// Who stands behind the command.
    pub(crate) fn who(&self) -> Who {
        Who { caller: self.caller.clone(), approver: self.approver.clone() }
    }
}

/// The one way into the tree. Cheap to clone.
#[derive(Clone)]
pub struct StoreHandle {
    door: Door,
    keys: Keys,
    /// Whoever notes a print.
    prints: Arc<Mutex<()>>,
    probes: Arc<probe::Probes>,
    online: online::Online,
}

pub use meet::HeadOffice;
pub use screens::LinkWatch;

impl StoreHandle {
    pub(crate) fn new(door: Door) -> Self {
        Self {
            door,
            keys: Keys::default(),
            prints: Arc::default(),
            probes: Arc::default(),
            online: online::Online::default(),
        }
    }

    /// Storage, for reads.
    pub fn storage(&self) -> &Storage {
        &self.door.storage
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        &self.door.rules
    }

    /// Opens a shift and runs its actor.
    ///
    /// # Errors
    /// [`Failure::Refused`] when the register or the caller has an open shift, or the till is disabled.
    pub async fn open_shift(&self, ask: &Ask, mut command: OpenShift) -> Result<Done, Failure> {
        command.register_id = command.register_id.or_else(|| ask.register_id.clone());
        let id: ShiftId = self.door.stamps.id("shf_");
        let done = self
            .run(ask, |pending| {
                let (id, command, who) = (id.clone(), command.clone(), ask.who());
                self.to_ledger(LedgerMessage::Open { id, command, who, pending })
            })
            .await?;
        if !done.replayed {
            self.ensure(&id).await;
        }
        Ok(done)
    }

    /// Closes a shift.
    ///
    /// # Errors
    /// [`Failure::Refused`] when it is not there, not the caller's, or has unfinished transactions.
    pub async fn close_shift(&self, ask: &Ask, id: &ShiftId, command: CloseShift) -> Result<Done, Failure> {
        self.run(ask, |pending| {
            let (command, who) = (command.clone(), ask.who());
            self.to_shift(id, pending, |pending| ShiftMessage::Close { command, who, pending })
        })
        .await
    }

    /// Makes a transaction in the named shift, else in the caller's own.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::sale::create`], or without an open shift.
    pub async fn create_sale(&self, ask: &Ask, command: CreateSale) -> Result<Done, Failure> {
        command.check()?;
        let id: TransactionId = self.door.stamps.id("trx_");
        self.run(ask, |pending| {
            let (id, command) = (id.clone(), command.clone());
            self.create(ask, id, command, pending)
        })
        .await
    }

    async fn create(&self, ask: &Ask, id: TransactionId, mut command: CreateSale, pending: Pending) {
        if let Err(failure) = Stocked::scan(&self.door.storage, &mut command.items) {
            return pending.fail(failure);
        }
        let found = self.shift_for(ask, command.shift_id.as_ref()).await;
        let skus = command.items.iter().map(|item| &item.sku);
        let stocked =
            Stocked::read(&self.door.storage, skus, command.member_id.as_ref(), self.door.stamps.now());
        match (found, stocked.map_err(Failure::from)) {
            (Ok(shift_id), Ok(stocked)) => {
                let who = ask.who();
                let message = |pending| ShiftMessage::Create { id, command, stocked, who, pending };
                self.to_shift(&shift_id, pending, message).await;
            }
            (Err(failure), _) | (_, Err(failure)) => pending.fail(failure),
        }
    }

    /// Pays a transaction, in part or in full.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::sale::pay`] and [`domain::ledger::settle`].
    pub async fn pay(&self, ask: &Ask, id: &TransactionId, command: PaySale) -> Result<Done, Failure> {
        command.check()?;
        self.run(ask, |pending| {
            let command = command.clone();
            async move {
                match self.payable(id) {
                    Ok((shift_id, member)) => {
                        let (id, who) = (id.clone(), ask.who());
                        let message = |pending| ShiftMessage::Pay { id, command, member, who, pending };
                        self.to_shift(&shift_id, pending, message).await;
                    }
                    Err(failure) => pending.fail(failure),
                }
            }
        })
        .await
    }

    /// The open shift of that register, or else of that user.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] when there is none.
    pub fn current_shift(&self, user: &UserId, register: Option<&RegisterId>) -> Result<Shift, Failure> {
        let open = self.door.storage.open_shifts()?;
        let is_it = |shift: &Shift| match register {
            Some(register) => shift.register_id == *register,
            None => shift.opened_by == *user,
        };
        open.into_iter().find(is_it).ok_or(Failure::Refused(Refusal::NotFound("an open shift")))
    }

    /// A product at the price that it has now (sync.md, kind `price`).
    ///
    /// # Errors
    /// [`Failure::Internal`] when storage can't be read.
    pub fn priced(&self, product: Product) -> Result<Product, Failure> {
        Ok(shelf::priced(&self.door.storage, product, self.door.stamps.now())?)
    }

    /// Says of a file's products, all together, whether each of their barcodes is theirs alone.
    ///
    /// # Errors
    /// [`Refusal::BarcodeTaken`].
    pub fn check_barcodes(&self, products: &[Product]) -> Result<(), Failure> {
        let holders = |code: &str| {
            let found = self.door.storage.products_by_barcode(code)?;
            Ok::<_, StorageError>(found.into_iter().map(|product| product.sku).collect())
        };
        let taken = domain::product::taken_barcodes(products, holders)?;
        if taken.is_empty() { Ok(()) } else { Err(Refusal::BarcodeTaken(taken).into()) }
    }

    /// The price of a product that counts at `at`, now or later, and why.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for a product that is not there.
    pub fn effective_price(&self, sku: &Sku, at: UtcMs) -> Result<EffectivePrice, Failure> {
        let storage = &self.door.storage;
        let product = storage.product(sku)?.ok_or(Refusal::NotFound("product"))?;
        let last_begun = storage.last_begun_price(sku, at)?;
        Ok(price::effective(&product, &self.door.rules.store_id, last_begun, at))
    }

    /// Writes products into the catalogue, all in one commit. In a store that has a head office the catalogue is
    /// head office's: rows that say what is known are passed over, any other refuses the file.
    ///
    /// # Errors
    /// [`Refusal::ValidationFailed`] with the rows that would override head office; [`Failure::Unavailable`] while
    /// the catalogue restarts, [`Failure::StorageFull`].
    pub async fn import_products(&self, products: Vec<Product>) -> Result<(), Failure> {
        let storage = &self.door.storage;
        if storage.hub()?.is_some() {
            let known =
                products.iter().map(|row| storage.product(&row.sku)).collect::<Result<Vec<_>, _>>()?;
            return Ok(product::overrides_nothing(products.iter().zip(known.iter().map(Option::as_ref)))?);
        }
        self.told(products.into_iter().map(Event::product_changed).collect()).await
    }

    /// Writes what head office alone decides, all in one commit: products, suppliers, orders.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while the catalogue restarts, [`Failure::StorageFull`].
    pub async fn told(&self, events: Vec<Event>) -> Result<(), Failure> {
        let (applied, done) = oneshot::channel();
        let message = CatalogueMessage::Apply { events, at: self.door.stamps.now(), applied };
        let unavailable = || Failure::Unavailable("the catalogue is restarting");
        self.door.catalogue.send(message).await.map_err(|_| unavailable())?;
        match tokio::time::timeout(COMMAND_DEADLINE, done).await {
            Ok(Ok(applied)) => applied,
            Ok(Err(_)) => Err(unavailable()),
            Err(_) => Err(Failure::Unconfirmed("the catalogue does not answer in time")),
        }
    }
}
