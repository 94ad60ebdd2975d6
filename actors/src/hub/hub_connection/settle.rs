//! Own writes that head office decided on: their result is taken in once the feed has it.

use super::State;
use super::feed::apply;
use super::owners::events;
use crate::hub::hub_client::CallError;
use crate::hub::inbound::{SETTLED_AT_ONCE, as_change, kept_outcome};
use crate::message::MembersMessage;
use domain::model::hub::sync::local::OwnWrite;
use domain::wire::feed::{Change, Coverage, Kind};
use std::collections::BTreeMap;

impl State {
    /// A write that was decided on while a page was taken in saw the record of before: it is looked at again.
    pub(super) async fn settle(&self) -> Result<(), CallError> {
        if !self.context.storage.sync().own_writes_after(Kind::Member.name(), None, 1)?.is_empty() {
            // Members that are restarting settle them anyway.
            let _ = self.context.members.cast(MembersMessage::Settle);
        }
        let mut after: Option<OwnWrite> = None;
        loop {
            let kind = Kind::Settings.name();
            let writes =
                self.context.storage.sync().own_writes_after(kind, after.as_ref(), SETTLED_AT_ONCE)?;
            let Some(last) = writes.last().cloned() else { return Ok(()) };
            self.decided(&writes).await?;
            after = Some(last);
        }
    }

    /// Applies the kept records of settings again that own writes had hidden.
    pub(super) async fn decided(&self, writes: &[OwnWrite]) -> Result<(), CallError> {
        for writes in writes.chunks(SETTLED_AT_ONCE) {
            let mut changes = BTreeMap::new();
            for write in writes {
                if let Some(kept) = kept_outcome(&self.context.storage, write)? {
                    changes.insert(&write.id, as_change(kept));
                }
            }
            let changes: Vec<Change> = changes.into_values().collect();
            let events = events(&self.context, &changes, &Coverage::default(), false).await?;
            if !events.is_empty() {
                apply(&self.context, events).await?;
            }
        }
        Ok(())
    }
}
