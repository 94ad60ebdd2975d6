//! People, denials and later words about people that a restored hub has lost go back to it: no snapshot takes one back.

use crate::hub::hub_client::CallError;
use crate::runtime::context::Context;
use domain::model::people::user::User;
use domain::rules::people::user::apply_feed::is_stronger;
use domain::wire::feed::{Change, Kind, UserDown};
use domain::wire::record;
use std::collections::BTreeMap;

/// Users of a snapshot: as many as a store has, not as head office has.
#[derive(Default)]
pub(super) struct ListedUsers(BTreeMap<String, UserDown>);

impl ListedUsers {
    /// Remembers the people of a chunk.
    pub(super) fn note(&mut self, changes: &[Change]) {
        let people = changes.iter().filter(|change| change.kind == Kind::User.name() && !change.deleted);
        // One that can't be read is noted when it is applied.
        let read = |change: &Change| serde_json::from_value(change.payload.clone()).ok();
        self.0.extend(people.filter_map(|change| Some((change.id.clone(), read(change)?))));
    }

    /// Reports all users for whom this store has a denial, revoked tokens or a later change that head office lacks, and
    /// those whom head office gave to it and has no more: they can log in here, so that head office has to list them. If
    /// it is interrupted before the cursor moves, it reports them again with the same content.
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
            // People of the store's own come back with its own records.
            None => context.storage.sync().inbound(Kind::User.name(), user.user_id.as_str())?.is_some(),
        })
    }
}
