//! Login names, once the store's history is here: each has one holder.

use super::Completion;
use crate::hub::hub_client::CallError;
use domain::model::base::event::fact;
use domain::model::base::ids::UserId;
use domain::model::hub::stamp::Stamp;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{FieldTimes, User};
use domain::rules::people::user::came_back::{Claim, names};
use domain::wire::feed::Kind;
use domain::wire::record;
use serde_json::json;
use std::collections::HashSet;

impl Completion {
    /// Renames users with no claim to a login name that another user has too, and reports them in the current epoch.
    /// After an interruption it continues: a renamed user has a name of its own.
    pub(super) async fn settle_names(&self, newcomers: &[UserId]) -> Result<(), CallError> {
        let users = self.context.storage.users().users()?;
        let mut office = HashSet::new();
        for user in &users {
            let said = self.context.storage.sync().inbound(Kind::User.name(), user.user_id.as_str())?;
            office.extend(said.map(|_| user.user_id.clone()));
        }
        let claim = |user: &User| match newcomers.contains(&user.user_id) {
            true => Claim::Newcomer,
            false if office.contains(&user.user_id) => Claim::Office,
            false => Claim::History,
        };
        let (kept, renamed) = names(&users, claim);
        if kept.is_empty() {
            return Ok(());
        }
        // The name is bound to the user who keeps it before the other users are renamed.
        let kept = kept.into_iter().map(|user| fact::UserChanged { user }.into()).collect();
        self.context.commit(kept).await?;
        for user in renamed {
            self.rename(user).await?;
        }
        Ok(())
    }

    async fn rename(&self, mut user: User) -> Result<(), CallError> {
        let (stamp, audit_stamp) = (self.context.stamps.stamp(), self.context.stamps.stamp());
        user.updated_at = stamp.now;
        user.times.username = FieldTimes::after(user.times.username, stamp.now);
        let (user_id, username) = (user.user_id.as_str(), user.username.as_str());
        tracing::warn!(
            user_id,
            username,
            "renamed: in the store's history the login name belongs to another user"
        );
        let details = json!({"user_id": user_id, "fields": ["username"], "role": user.role});
        let entry = AuditEntry::unapproved(&UserId::default(), "user.changed", stamp.now, details);
        let records =
            vec![record::user_changed(&stamp, &user), record::audit_recorded(&audit_stamp, None, &entry)];
        let events = vec![fact::UserChanged { user }.into(), fact::Audited { entry }.into()];
        let stamp = Stamp { at: audit_stamp.at, ..stamp };
        Ok(self.context.commit_records(stamp, events, records).await?)
    }
}
