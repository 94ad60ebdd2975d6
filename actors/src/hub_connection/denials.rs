//! Denials that a hub of another life has lost go back to it: no snapshot lifts one.

use crate::door::Door;
use crate::hub_client::CallError;
use domain::record;
use domain::sync::{Change, Kind, UserDown};
use domain::user::User;
use domain::user::told::is_stronger;
use std::collections::BTreeMap;
use storage::Commit;

/// What a snapshot says of people: so many as a store has, not as head office has.
#[derive(Default)]
pub(super) struct Heard(BTreeMap<String, UserDown>);

impl Heard {
    /// Remembers what a chunk says of people.
    pub(super) fn note(&mut self, changes: &[Change]) {
        let people = changes.iter().filter(|change| change.kind == Kind::User.name() && !change.deleted);
        // One that can't be read is noted by whoever takes it in.
        let read = |change: &Change| serde_json::from_value(change.payload.clone()).ok();
        self.0.extend(people.filter_map(|change| Some((change.id.clone(), read(change)?))));
    }

    /// Tells head office of everybody whom it would let in and this store does not. Interrupted before the
    /// cursor moves it is told once more, which says the same.
    pub(super) async fn send_back(&self, door: &Door) -> Result<(), CallError> {
        for user in door.storage.users()? {
            if self.lacks(door, &user)? {
                tracing::warn!(user_id = user.user_id.as_str(), "head office has lost a denial: it is told");
                let stamp = door.stamps.stamp();
                let records = vec![record::user_changed(&stamp, &user)];
                let (events, at, hlc) = (Vec::new(), stamp.now, Some(stamp.at));
                let commit = Commit { events, records, keyed: None, at, hlc };
                door.storage.commit(commit).await?;
            }
        }
        Ok(())
    }

    fn lacks(&self, door: &Door, user: &User) -> Result<bool, CallError> {
        Ok(match self.0.get(user.user_id.as_str()) {
            Some(down) => is_stronger(user, down),
            // Gone with the person; people of the store's own come back with its own records.
            None => {
                user.disabled && door.storage.inbound(Kind::User.name(), user.user_id.as_str())?.is_some()
            }
        })
    }
}
