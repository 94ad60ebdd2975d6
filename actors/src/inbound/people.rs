//! Members and their points; users that head office gives to the store, and whose tokens are dead: deny wins.

use super::{Page, Untaken};
use domain::event::Event;
use domain::ids::UserId;
use domain::sync::{Change, MemberDown, PointsDown, RevocationDown, UserDown};
use domain::time::UtcMs;
use domain::user::User;

impl Page<'_> {
    /// Deny wins: who is kept out stays out until a later grant of a person at the hub, whatever order
    /// the changes come in; tokens die by version, never by time.
    pub(super) fn user(&mut self, change: &Change) -> Result<(), Untaken> {
        let down: UserDown = self.payload(change)?;
        let known = self.known(&down.user_id)?;
        let kept = self.storage.inbound("user", &change.id)?;
        let granted = kept.and_then(|kept| serde_json::from_value::<UserDown>(kept.payload).ok());
        let denied = known.as_ref().is_some_and(|user| user.disabled)
            && granted.is_none_or(|before| down.grant <= before.grant);
        let revoked = self.revoked_version(&down.user_id)?;
        let at_least = known.as_ref().map_or(0, |user| user.token_version).max(revoked);
        let updated_at = known.as_ref().map_or(UtcMs(0), |user| user.updated_at);
        let user = User {
            user_id: down.user_id.clone(),
            username: down.username,
            name: down.name,
            role: down.role,
            store_id: down.store_id,
            password_hash: down.password_hash,
            token_version: down.token_version.max(at_least),
            disabled: down.disabled || change.deleted || denied,
            created_at: known.map_or(updated_at, |user| user.created_at),
            updated_at,
        };
        self.put(user);
        Ok(())
    }

    pub(super) fn revocation(&mut self, change: &Change) -> Result<(), Untaken> {
        let down: RevocationDown = self.payload(change)?;
        let version = self.revoked_version(&down.user_id)?.max(down.token_version);
        self.revoked.insert(down.user_id.clone(), version);
        if let Some(mut user) = self.known(&down.user_id)?
            && user.token_version < version
        {
            user.token_version = version;
            self.put(user);
        }
        Ok(())
    }

    /// Members that head office forgot stay: a store is told of those it knows.
    pub(super) fn member(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let down: MemberDown = self.payload(change)?;
            self.members.push((change.clone(), down));
        }
        Ok(())
    }

    pub(super) fn points(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let down: PointsDown = self.payload(change)?;
            self.points.push(down);
        }
        Ok(())
    }

    fn put(&mut self, user: User) {
        self.users.insert(user.user_id.clone(), user.clone());
        self.events.push(Event::UserChanged { user });
    }

    fn known(&self, id: &UserId) -> Result<Option<User>, Untaken> {
        match self.users.get(id) {
            Some(user) => Ok(Some(user.clone())),
            None => Ok(self.storage.user(id)?),
        }
    }

    /// Below this version every token of the user is dead, whether or not the user is known yet.
    fn revoked_version(&self, id: &UserId) -> Result<u64, Untaken> {
        let kept = self.storage.inbound("token_revocation", id.as_str())?;
        let kept = kept.and_then(|kept| serde_json::from_value::<RevocationDown>(kept.payload).ok());
        let kept = kept.map_or(0, |revocation| revocation.token_version);
        Ok(kept.max(self.revoked.get(id).copied().unwrap_or_default()))
    }
}
