//! Commands that change no row: only their answer is kept.

use super::StoreHandle;
use crate::runtime::failure::{Done, Failure};
use crate::runtime::idempotency::Begun;
use crate::runtime::request::RequestContext;
use domain::model::base::answer::Answer;
use storage::{Commit, Keyed};

impl StoreHandle {
    /// Runs an action that may run twice without harm and has no effect of its own on the disk, and
    /// keeps its answer under the key. A crash in between: the retry runs it again.
    ///
    /// # Errors
    /// The action's own; [`Failure::StorageFull`] when its answer could not be kept.
    pub async fn remember(
        &self,
        request: &RequestContext,
        action: impl Future<Output = Result<Answer, Failure>>,
    ) -> Result<Done, Failure> {
        let Some(key) = &request.key else {
            return Ok(Done { answer: action.await?, replayed: false });
        };
        let guard = match self.keys.begin(&self.context.storage, key).await? {
            Begun::Replay(done) => return Ok(done),
            Begun::Fresh(guard) => guard,
        };
        self.context.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        let answer = action.await?;
        let keyed = Keyed { key: key.key, command: key.command.clone(), answer: answer.clone() };
        let (events, records) = (Vec::new(), Vec::new());
        let commit = Commit { events, records, keyed: Some(keyed), at: self.context.stamps.now(), hlc: None };
        self.write(commit).await?;
        drop(guard);
        Ok(Done { answer, replayed: false })
    }
}
