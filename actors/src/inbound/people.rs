//! Members and their points; users that head office gives to the store, and whose tokens are dead: deny wins.

use super::{Page, Untaken};
use domain::event::Event;
use domain::ids::UserId;
use domain::sync::{Change, MemberDown, PointsDown, RevocationDown, UserDown};
use domain::user::User;
use domain::user::told::{self, Known};

impl Page<'_> {
    /// Deny wins: who is kept out stays out until a later grant of a person at the hub, whatever order
    /// the changes come in; tokens die by version, never by time.
    pub(super) fn user(&mut self, change: &Change) -> Result<(), Untaken> {
        let down: UserDown = self.payload(change)?;
        let user = self.known(&down.user_id)?;
        let kept = self.storage.inbound("user", &change.id)?;
        let later = kept.as_ref().is_none_or(|kept| change.version > kept.version);
        let before = kept.and_then(|kept| serde_json::from_value::<UserDown>(kept.payload).ok());
        let revoked = self.revoked_version(&down.user_id)?;
        let known = Known { user: user.as_ref(), before: before.as_ref(), later, revoked, now: self.now };
        let user = told::told(down, change.deleted, &known);
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
