//! The only way into the actors: looks keys up, takes permits, finds owners, waits for the disk.

use crate::owners::catalogue::{ChangeStoreSettings, reload};
use crate::owners::ledger::{OpenShift, VoidHold};
use crate::owners::shift::VoidSale;
use crate::runtime::command::COMMAND_DEADLINE;
use crate::runtime::context::Context;
use crate::runtime::dispatch::Dispatch;
use crate::runtime::failure::{Done, Failure};
use crate::runtime::idempotency::Keys;
use crate::runtime::live_rules;
use crate::runtime::request::RequestContext;
use domain::model::base::ids::{HoldId, RegisterId, ShiftId, TransactionId, UserId};
use domain::model::base::settings::Rules;
use domain::model::books::shift::Shift;
use domain::model::selling::hold::HoldState;
use domain::model::selling::transaction::TransactionState;
use domain::rules::base::store_settings;
use domain::rules::selling::sale;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::{Storage, StorageError};
use tokio::sync::Mutex;

mod blind_tries;
mod deliver;
mod enrol;
mod files;
mod find_member;
mod freshness;
mod members;
mod prints;
mod probe;
mod products;
mod registers;
mod remember;
mod returns;
mod screens;
mod supervise;
mod sync;
mod users;

/// The one way into the tree. Cheap to clone.
#[derive(Clone)]
pub struct StoreHandle {
    context: Context,
    keys: Keys,
    /// Lock that is held while a print is noted.
    prints: Arc<Mutex<()>>,
    probes: Arc<probe::Probes>,
}

pub use find_member::HeadOffice;
pub use screens::{LinkEvent, LinkWatch};

impl StoreHandle {
    pub(crate) fn new(context: Context) -> Self {
        Self { context, keys: Keys::default(), prints: Arc::default(), probes: Arc::default() }
    }

    /// The storage, for reads only.
    pub fn storage(&self) -> &Storage {
        &self.context.storage
    }

    /// The rules in force: they may be others the next time.
    pub fn rules(&self) -> Arc<Rules> {
        self.context.rules.now()
    }

    /// Settings that head office set, by section and key as in the settings file.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn hub_settings(&self) -> Result<BTreeMap<String, Value>, StorageError> {
        Ok(live_rules::of_hub(self.storage())?.map(store_settings::sound).unwrap_or_default())
    }

    /// Runs a command of a caller: its key first, then room and a permit, then its owner.
    ///
    /// # Errors
    /// The command's refusal; [`Failure::Unavailable`] and similar if it could not be decided now.
    pub fn run<C: Dispatch>(
        &self,
        request: impl Into<Arc<RequestContext>>,
        command: C,
    ) -> impl Future<Output = Result<Done, Failure>> {
        // Shared before the future exists: an `async fn` would hold the command by value as well.
        let (request, command) = (request.into(), Arc::new(command));
        async move { self.run_shared(&request, &command).await }
    }

    /// Changes settings of this store. They are in force when this returns.
    ///
    /// # Errors
    /// The errors of [`Self::run`].
    pub async fn change_settings(
        &self,
        request: RequestContext,
        change: ChangeStoreSettings,
    ) -> Result<Done, Failure> {
        let done = self.run(request, change).await?;
        // The catalogue reads them again too, but only after the answer.
        self.storage().barrier().await?;
        reload(&self.context);
        Ok(done)
    }

    /// Opens a shift and runs its actor.
    ///
    /// # Errors
    /// [`Failure::Refused`] when the register or the caller has an open shift, or the till is disabled.
    pub async fn open_shift(
        &self,
        request: RequestContext,
        mut command: domain::rules::books::shift::OpenShift,
    ) -> Result<Done, Failure> {
        command.register_id = command.register_id.or_else(|| request.register_id.clone());
        let id: ShiftId = self.context.stamps.id("shf_");
        let done = self.run(request, OpenShift(id.clone(), command)).await?;
        if !done.replayed {
            self.context.ensure_shift(&id).await;
        }
        Ok(done)
    }

    /// Voids a transaction: a basket, one that waits, or a sale of a shift that is open.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::rules::selling::sale::void_open`], [`domain::rules::selling::sale::draft_void`] and
    /// [`domain::rules::selling::hold::void`].
    pub async fn void(
        &self,
        request: RequestContext,
        id: TransactionId,
        command: sale::VoidSale,
    ) -> Result<Done, Failure> {
        command.check()?;
        let (request, void) = (Arc::new(request), Arc::new(VoidSale(id, command)));
        self.deliver(COMMAND_DEADLINE, &request, |pending| async {
            let VoidSale(id, command) = &*void;
            match self.held(id) {
                Ok(None) => self.dispatch(&request, &void, pending).await,
                Ok(Some(hold)) => {
                    self.dispatch(&request, &Arc::new(VoidHold(hold, command.clone())), pending).await;
                }
                Err(failure) => pending.fail(failure),
            }
        })
        .await
    }

    /// The hold of a basket that waits.
    fn held(&self, id: &TransactionId) -> Result<Option<HoldId>, Failure> {
        if self.context.transaction(id)?.state != TransactionState::Held {
            return Ok(None);
        }
        let hold = self.context.storage.sales().holds()?.into_iter().find(|hold| hold.transaction_id == *id);
        // None: taken in this moment.
        Ok(Some(hold.ok_or_else(|| HoldState::Recalled.refusal())?.hold_id))
    }

    /// The open shift in which a user works at the register of a request.
    ///
    /// # Errors
    /// [`domain::model::base::refusal::Refusal::NotFound`] if there is none.
    pub fn current_shift(&self, user: &UserId, here: Option<&RegisterId>) -> Result<Shift, Failure> {
        self.context.current_shift(user, here)
    }

    /// The open shift that stands at a register.
    ///
    /// # Errors
    /// [`domain::model::base::refusal::Refusal::NotFound`] if there is none.
    pub fn shift_at(&self, register: &RegisterId) -> Result<Shift, Failure> {
        self.context.shift_at(register)
    }
}
