//! Delivery of a command to its owner: key, disk space, permit, address; and a second attempt if it was never
//! submitted.

use super::StoreHandle;
use crate::runtime::command::{COMMAND_DEADLINE, Prepared};
use crate::runtime::dispatch::{Addressed, Dispatch};
use crate::runtime::failure::{Done, Failure};
use crate::runtime::idempotency::Begun;
use crate::runtime::pending::Pending;
use crate::runtime::request::RequestContext;
use std::sync::Arc;
use std::time::Duration;
use storage::Commit;

/// It may have been submitted all the same.
const TOO_LONG: &str = "the answer takes too long";
const TOO_MANY: &str = "too many commands are waiting";
/// A command that was never submitted is tried this often in all.
const ATTEMPTS: u32 = 2;

impl StoreHandle {
    /// Runs a command that its caller looks at afterwards.
    pub(super) async fn run_shared<C: Dispatch>(
        &self,
        request: &Arc<RequestContext>,
        command: &Arc<C>,
    ) -> Result<Done, Failure> {
        command.check(&self.context.rules.now())?;
        self.deliver(C::DEADLINE, request, |pending| self.dispatch(request, command, pending)).await
    }

    /// Reads what a command needs and sends it to its owner.
    pub(super) async fn dispatch<C: Dispatch>(
        &self,
        request: &Arc<RequestContext>,
        command: &Arc<C>,
        pending: Pending,
    ) {
        match command.load(&self.context, request).await {
            Ok(mut rows) => {
                let address = command.address(&mut rows);
                let (command, request) = (Arc::clone(command), Arc::clone(request));
                let prepared = Box::new(Prepared { command, rows, request, pending });
                <C::Book as Addressed>::send(&self.context, address, prepared).await;
            }
            Err(failure) => pending.fail(failure),
        }
    }

    /// Key, room, permit, then the command; tried again when it was never submitted.
    pub(super) async fn deliver<F>(
        &self,
        deadline: Duration,
        request: &RequestContext,
        send: impl Fn(Pending) -> F,
    ) -> Result<Done, Failure>
    where
        F: Future<Output = ()>,
    {
        for _ in 0..ATTEMPTS {
            let guard = match &request.key {
                None => None,
                Some(key) => match self.keys.begin(&self.context.storage, key).await? {
                    Begun::Replay(done) => return Ok(done),
                    Begun::Fresh(guard) => Some(guard),
                },
            };
            self.context.sync.refuse_if_fenced()?;
            self.context.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
            let permit = self.context.storage.gate().try_acquire_owned();
            let permit = permit.map_err(|_| Failure::Unavailable(TOO_MANY))?;
            let (pending, answered) = Pending::new(guard, permit, self.context.sync.clone());
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

    /// Writes a commit that no owner decides, as a command: under a permit of the gate.
    pub(super) async fn write(&self, commit: Commit) -> Result<(), Failure> {
        let storage = &self.context.storage;
        let permit = tokio::time::timeout(COMMAND_DEADLINE, storage.gate().acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok).ok_or(Failure::Unavailable(TOO_MANY))?;
        storage.confirm(storage.submit_with(permit, commit)).await?;
        Ok(())
    }
}
