//! How a command gets to its owner: key, room, permit, address; and again if it was never submitted.

use super::{Ask, COMMAND_DEADLINE, StoreHandle};
use crate::directory::Place;
use crate::failure::{Done, Failure};
use crate::idempotency::Begun;
use crate::ledger::LedgerMessage;
use crate::pending::Pending;
use crate::shelf;
use crate::shift::ShiftMessage;
use crate::shifts::ShiftsMessage;
use crate::slot::post;
use domain::ids::{ShiftId, Sku, TransactionId};
use domain::member::Member;
use domain::product::Product;
use domain::refusal::Refusal;
use domain::shift::ShiftState;
use std::collections::BTreeMap;
use std::time::Duration;
use storage::Commit;
use tokio::sync::oneshot;

/// It may have been submitted all the same.
const TOO_LONG: &str = "the answer takes too long";
const TOO_MANY: &str = "too many commands wait";
/// A command that was never submitted is tried this often in all.
const ATTEMPTS: u32 = 2;

impl StoreHandle {
    /// Key, room, permit, then the command; tried again when it was never submitted.
    pub(super) async fn run<F>(&self, ask: &Ask, send: impl Fn(Pending) -> F) -> Result<Done, Failure>
    where
        F: Future<Output = ()>,
    {
        self.run_within(COMMAND_DEADLINE, ask, send).await
    }

    /// The same with another patience.
    pub(super) async fn run_within<F>(
        &self,
        deadline: Duration,
        ask: &Ask,
        send: impl Fn(Pending) -> F,
    ) -> Result<Done, Failure>
    where
        F: Future<Output = ()>,
    {
        for _ in 0..ATTEMPTS {
            let guard = match &ask.key {
                None => None,
                Some(key) => match self.keys.begin(&self.door.storage, key).await? {
                    Begun::Replay(done) => return Ok(done),
                    Begun::Fresh(guard) => Some(guard),
                },
            };
            self.door.sync.refuse_apart()?;
            self.door.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
            let permit = self.door.storage.gate().try_acquire_owned();
            let permit = permit.map_err(|_| Failure::Unavailable(TOO_MANY))?;
            let (pending, answered) = Pending::new(guard, permit, self.door.sync.clone());
            send(pending).await;
            match tokio::time::timeout(deadline, answered).await {
                Ok(Ok(result)) => return result,
                // A dropped reply proves that it was never submitted.
                Ok(Err(_)) => {}
                Err(_) => return Err(Failure::Unconfirmed(TOO_LONG)),
            }
        }
        Err(Failure::Unavailable("an actor is restarting"))
    }

    /// Writes what no owner decides, as a command: under a permit of the gate.
    pub(super) async fn write(&self, commit: Commit) -> Result<(), Failure> {
        let storage = &self.door.storage;
        let permit = tokio::time::timeout(COMMAND_DEADLINE, storage.gate().acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok).ok_or(Failure::Unavailable(TOO_MANY))?;
        storage.confirm(storage.submit_with(permit, commit)).await?;
        Ok(())
    }

    pub(super) async fn to_ledger(&self, message: LedgerMessage) {
        if let Err(unsent) = self.door.ledger.send(message).await {
            unsent.fail(Failure::Unavailable("the ledger is restarting"));
        }
    }

    /// Sends to the shift's actor as it is now; without one the pending command is dropped unsent.
    pub(super) async fn to_shift(
        &self,
        shift_id: &ShiftId,
        pending: Pending,
        message: impl FnOnce(Pending) -> ShiftMessage,
    ) {
        let place = match self.place(shift_id).await {
            Ok(place) => place,
            Err(failure) => return pending.fail(failure),
        };
        if post(&place.actor, &place.depth, message(pending)).is_err() {
            // It died a moment ago: its supervisor is told before the second attempt looks again.
            self.ensure(shift_id).await;
        }
    }

    async fn place(&self, shift_id: &ShiftId) -> Result<Place, Failure> {
        if let Some(place) = self.door.directory.get(shift_id) {
            return Ok(place);
        }
        let shift = self.door.storage.shift(shift_id)?.ok_or(Refusal::NotFound("shift"))?;
        if !matches!(shift.state, ShiftState::Open | ShiftState::Ended) {
            return Err(shift.state.refusal().into());
        }
        self.ensure(shift_id).await;
        self.door.directory.get(shift_id).ok_or(Failure::Unavailable("the shift is restarting"))
    }

    /// Has the shifts' supervisor look after a shift; returns when it has.
    pub(super) async fn ensure(&self, shift_id: &ShiftId) {
        let (ensured, done) = oneshot::channel();
        let message = ShiftsMessage::Ensure { shift_id: shift_id.clone(), ensured };
        if self.door.shifts.send(message).await.is_ok() {
            // Dropped unheard: that supervisor died, and its successor runs every open shift.
            let _ = tokio::time::timeout(COMMAND_DEADLINE, done).await;
        }
    }

    /// The named shift, else the caller's own open one.
    pub(super) async fn shift_for(&self, ask: &Ask, named: Option<&ShiftId>) -> Result<ShiftId, Failure> {
        if let Some(shift_id) = named {
            return Ok(shift_id.clone());
        }
        if let Some(shift_id) = self.door.directory.of_user(&ask.caller.user_id) {
            return Ok(shift_id);
        }
        match self.current_shift(&ask.caller.user_id, None) {
            Ok(shift) => Ok(shift.shift_id),
            Err(Failure::Refused(_)) => Err(Refusal::NoOpenShift.into()),
            Err(failure) => Err(failure),
        }
    }

    /// The shift and the member of an unpaid transaction.
    pub(super) fn payable(&self, id: &TransactionId) -> Result<(ShiftId, Option<Member>), Failure> {
        let transaction = self.door.storage.transaction(id)?.ok_or(Refusal::NotFound("transaction"))?;
        if !transaction.state.payable() {
            return Err(transaction.state.refusal().into());
        }
        let id = transaction.member_id.as_ref();
        let member = id.map_or(Ok(None), |id| shelf::member(&self.door.storage, id))?;
        Ok((transaction.shift_id, member))
    }

    pub(super) fn products<'a>(
        &self,
        skus: impl Iterator<Item = &'a Sku>,
    ) -> Result<BTreeMap<Sku, Product>, Failure> {
        let mut products = BTreeMap::new();
        for sku in skus {
            if !products.contains_key(sku)
                && let Some(product) = self.door.storage.product(sku)?
            {
                products.insert(sku.clone(), product);
            }
        }
        Ok(products)
    }
}
