//! Denials that a restored hub has lost go back to it: no snapshot lifts one.

use crate::context::Context;
use crate::hub_client::CallError;
use domain::record;
use domain::sync::{Change, Kind, UserDown};
use domain::user::User;
use domain::user::told::is_stronger;
use std::collections::BTreeMap;

/// What a snapshot says of people: so many as a store has, not as head office has.
#[derive(Default)]
pub(super) struct ListedUsers(BTreeMap<String, UserDown>);

impl ListedUsers {
    /// Remembers what a chunk says of people.
    pub(super) fn note(&mut self, changes: &[Change]) {
        let people = changes.iter().filter(|change| change.kind == Kind::User.name() && !change.deleted);
        // One that can't be read is noted by whoever takes it in.
        let read = |change: &Change| serde_json::from_value(change.payload.clone()).ok();
        self.0.extend(people.filter_map(|change| Some((change.id.clone(), read(change)?))));
    }

    /// Tells head office of everybody whom it would let in and this store does not. Interrupted before the
    /// cursor moves it is told once more, which says the same.
    pub(super) async fn send_back(&self, context: &Context) -> Result<(), CallError> {
        for user in context.storage.users()? {
            if self.lacks(context, &user)? {
                tracing::warn!(user_id = user.user_id.as_str(), "head office has lost a denial: it is told");
                let stamp = context.stamps.stamp();
                let records = vec![record::user_changed(&stamp, &user)];
                context.commit_records(stamp, Vec::new(), records).await?;
            }
        }
        Ok(())
    }

    fn lacks(&self, context: &Context, user: &User) -> Result<bool, CallError> {
        Ok(match self.0.get(user.user_id.as_str()) {
            Some(down) => is_stronger(user, down),
            // Gone with the person; people of the store's own come back with its own records.
            None => {
                user.disabled && context.storage.inbound(Kind::User.name(), user.user_id.as_str())?.is_some()
            }
        })
    }
}
