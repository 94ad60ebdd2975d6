//! Sends users, denials and later changes of users back to a restored hub that lost them. A snapshot of the hub does
//! not undo them.

use crate::hub::hub_client::CallError;
use crate::runtime::context::Context;
use domain::model::people::user::User;
use domain::rules::people::user::apply_feed::is_stronger;
use domain::wire::feed::{Change, Kind, UserDown};
use domain::wire::record;
use std::collections::BTreeMap;

/// Users in a snapshot for this store.
#[derive(Default)]
pub(super) struct ListedUsers(BTreeMap<String, UserDown>);

impl ListedUsers {
    /// Adds the users of a part of the snapshot.
    pub(super) fn note(&mut self, changes: &[Change]) {
        let people = changes.iter().filter(|change| change.kind == Kind::User.name() && !change.deleted);
        // One that can't be read is noted when it is applied.
        let read = |change: &Change| serde_json::from_value(change.payload.clone()).ok();
        self.0.extend(people.filter_map(|change| Some((change.id.clone(), read(change)?))));
    }

    /// Reports all users of whom this store has a denial, revoked tokens or a later change that head office lacks. Also
    /// reports users of head office that it no longer has: they can log in here, so head office has to list them. After
    /// an interruption before the cursor moves, the same reports are sent again.
    pub(super) async fn send_back(&self, context: &Context) -> Result<(), CallError> {
        for user in context.storage.users().users()? {
            if self.lacks(context, &user)? {
                tracing::warn!(
                    user_id = user.user_id.as_str(),
                    "head office lacks this store's record of a user: sending it"
                );
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
            // The store's own users are in its own records.
            None => context.storage.sync().inbound(Kind::User.name(), user.user_id.as_str())?.is_some(),
        })
    }
}
