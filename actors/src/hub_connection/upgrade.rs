//! After an upgrade: what an older program could only keep of the feed, this one may be able to use. The hub is
//! not asked for it again: the records lie here as they came.

use super::State;
use super::feed::{again, apply};
use super::owners::{events, own_chain};
use crate::hub_client::CallError;
use domain::sync::lane::KINDS;
use domain::sync::local::{Inbound, Standing};
use domain::sync::{Change, Kind, PointsDown};

/// Kept records that are taken in again in one commit.
const RECORDS_PER_COMMIT: usize = 500;

impl State {
    /// Takes every kept record in once more, if it was another version that took them in. Interrupted, it begins
    /// again: a record that was taken in already says nothing new.
    pub(super) async fn take_again(&self) -> Result<(), CallError> {
        let version = &self.door.config.sync.version;
        if self.door.storage.standing()?.taken_by == *version {
            return Ok(());
        }
        for kind in KINDS {
            self.take_kind_again(kind).await?;
        }
        self.stand(|standing| Standing { taken_by: version.clone(), ..standing }).await
    }

    async fn take_kind_again(&self, kind: Kind) -> Result<(), CallError> {
        let mut after: Option<String> = None;
        loop {
            let kept = self.door.storage.inbounds(kind.name(), after.as_deref(), RECORDS_PER_COMMIT)?;
            let Some(last) = kept.last().map(|record| record.id.clone()) else { return Ok(()) };
            let changes: Vec<Change> =
                kept.into_iter().filter(|record| self.still_counts(kind, record)).map(again).collect();
            let events = events(&self.door, &changes, false).await?;
            if !events.is_empty() {
                apply(&self.door, events).await?;
            }
            after = Some(last);
        }
    }

    /// A balance over records that this copy has no more, as after `rejoin`, says nothing: the hub sends another.
    fn still_counts(&self, kind: Kind, record: &Inbound) -> bool {
        kind != Kind::Points
            || serde_json::from_value::<PointsDown>(record.payload.clone())
                .is_ok_and(|points| own_chain(&self.door, &[points]).is_ok())
    }
}
