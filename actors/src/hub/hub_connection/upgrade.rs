//! After an upgrade: feed records that an older program could only keep may be usable now. The hub is not asked for
//! them again: they are stored here as they came.

use super::State;
use super::feed::apply;
use super::owners::events;
use crate::hub::hub_client::CallError;
use crate::hub::inbound::as_change;
use crate::runtime::decide::sync_event;
use domain::model::hub::sync::local::{Change as Kept, LinkRow};
use domain::wire::feed::lane::{KINDS, MEMBERS};
use domain::wire::feed::{Change, Coverage, Kind};

/// Kept records that are taken in again in one commit.
const RECORDS_PER_COMMIT: usize = 500;

impl State {
    /// Applies every kept record once more, if another version applied them. After an interruption it begins again: a
    /// repeated record has no effect.
    pub(super) async fn take_again(&self) -> Result<(), CallError> {
        let version = &self.context.config.sync.version;
        if self.context.storage.sync().standing()?.taken_by == *version {
            return Ok(());
        }
        for kind in KINDS.into_iter().filter(|kind| *kind != Kind::Points) {
            self.take_kind_again(kind).await?;
        }
        self.read_balances_anew().await?;
        self.update_standing(|standing| LinkRow { taken_by: version.clone(), ..standing }).await
    }

    /// A kept balance is useless without the page that it came on: if one could not be used, its lane is read from its
    /// beginning.
    async fn read_balances_anew(&self) -> Result<(), CallError> {
        let notes = self.context.storage.sync().untaken(usize::MAX)?;
        if notes.iter().any(|note| note.kind == Kind::Points.name()) {
            let (lane, hub_time) = (MEMBERS.to_owned(), self.context.stamps.now());
            apply(&self.context, vec![sync_event(Kept::Lane { lane, cursor: String::new(), hub_time })])
                .await?;
        }
        Ok(())
    }

    async fn take_kind_again(&self, kind: Kind) -> Result<(), CallError> {
        let mut after: Option<String> = None;
        loop {
            let kept =
                self.context.storage.sync().inbounds(kind.name(), after.as_deref(), RECORDS_PER_COMMIT)?;
            let Some(last) = kept.last().map(|record| record.id.clone()) else { return Ok(()) };
            let changes: Vec<Change> = kept.into_iter().map(as_change).collect();
            let events = events(&self.context, &changes, &Coverage::default(), false).await?;
            if !events.is_empty() {
                apply(&self.context, events).await?;
            }
            after = Some(last);
        }
    }
}
