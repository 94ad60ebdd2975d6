//! Members and their points; users that head office gives to the store, and whose tokens are dead: deny wins.

use super::{Page, Untaken};
use crate::owners::devices;
use domain::model::base::event::fact;
use domain::model::base::ids::UserId;
use domain::model::people::user::User;
use domain::rules::people::user::apply_feed;
use domain::rules::people::user::apply_feed::Known;
use domain::wire::feed::{Change, MemberDown, PointsDown, RevocationDown, UserDown, check};

impl Page<'_> {
    /// A denial wins: a denied user stays denied until a later grant at the hub, in whatever order the changes arrive.
    /// Tokens are revoked by version, not by time.
    pub(super) fn user(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut down: UserDown = self.payload(change)?;
        if let Err(problem) = check::user(change, &down, &self.own()) {
            self.deny(change, &down)?;
            return Err(problem.into());
        }
        let (user, holder) = self.merged(change, down.clone())?;
        let Some(holder) = holder else { return self.put(user) };
        if let Some(known) = self.current_user(&down.user_id)? {
            // Everything but the name: above all a denial.
            (down.username, down.times.username) = (known.username, known.times.username);
            let (named_as_before, _) = self.merged(change, down)?;
            self.put(named_as_before)?;
        }
        self.name_taken(change, &user.username, holder)
    }

    /// The user with the later value of each field from both sides, and the other user who has that login name here.
    fn merged(&self, change: &Change, down: UserDown) -> Result<(User, Option<User>), Untaken> {
        let user = self.current_user(&down.user_id)?;
        let kept = self.inbound("user", &change.id)?;
        let before = kept.and_then(|kept| serde_json::from_value::<UserDown>(kept.payload).ok());
        let revoked = self.revoked_version(&down.user_id)?;
        let known = Known { user: user.as_ref(), before: before.as_ref(), revoked, now: self.now };
        let merged = apply_feed::apply_feed(down, change.deleted, &known);
        let keeps = user.is_some_and(|user| user.username == merged.username);
        let holder = if keeps { None } else { self.holder(&merged)? };
        Ok((merged, holder))
    }

    /// A denial counts also where the rest of its record can't be used; a later record that can be used, and
    /// grants again, lifts it.
    fn deny(&mut self, change: &Change, down: &UserDown) -> Result<(), Untaken> {
        let known = self.current_user(&down.user_id)?.filter(|user| user.user_id.as_str() == change.id);
        if let Some(mut user) = known.filter(|user| down.disabled && !user.disabled) {
            user.disabled = true;
            user.token_version = user.token_version.saturating_add(1);
            user.updated_at = self.now;
            self.put(user)?;
        }
        Ok(())
    }

    /// Whether a user who was noted as unusable can be accepted by now.
    pub(crate) fn lets_in(&self, change: &Change) -> bool {
        self.payload::<UserDown>(change).is_ok_and(|down| {
            let sound = check::user(change, &down, &self.own()).is_ok();
            sound && self.merged(change, down).is_ok_and(|(_, holder)| holder.is_none())
        })
    }

    /// The user who already has the login name here and keeps it. A record of head office must not lock a user out by
    /// taking the name away.
    fn holder(&self, wants: &User) -> Result<Option<User>, Untaken> {
        let has = |user: &User| user.username == wants.username && user.user_id != wants.user_id;
        if let Some(user) = self.users.values().find(|user| has(user)) {
            return Ok(Some(user.clone()));
        }
        let known = self.storage.users().user_by_name(&wants.username)?;
        Ok(known.filter(|user| has(user) && !self.users.contains_key(&user.user_id)))
    }

    /// Both sides are notified once: a person here by the note, head office by the holder's own record.
    fn name_taken(&mut self, change: &Change, name: &str, holder: User) -> Result<(), Untaken> {
        let why = format!(
            "head office gives the login name {name} to a user who can't log in here with it: {} ({}) already \
             has it here and can still log in; give one of the two another login name",
            holder.name, holder.user_id
        );
        if !self.storage.sync().is_untaken(&change.kind, &change.id)? {
            self.holders.push(holder);
        }
        Err(Untaken::Name(why))
    }

    pub(super) fn revocation(&mut self, change: &Change) -> Result<(), Untaken> {
        let down: RevocationDown = self.payload(change)?;
        check::revocation(change, &down)?;
        let before = self.revoked_version(&down.user_id)?;
        self.revoked.insert(down.user_id.clone(), before.max(down.token_version));
        if let Some(mut user) = self.current_user(&down.user_id)? {
            let version = apply_feed::revoked(user.token_version, before, down.token_version);
            if version > user.token_version {
                user.token_version = version;
                self.put(user)?;
            }
        }
        Ok(())
    }

    /// Members that head office deleted stay: a store is notified of those it knows.
    pub(super) fn member(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let down: MemberDown = self.payload(change)?;
            check::member(change, &down)?;
            self.members.push((change.clone(), down));
        }
        Ok(())
    }

    pub(super) fn points(&mut self, change: &Change) -> Result<(), Untaken> {
        if !change.deleted {
            let down: PointsDown = self.payload(change)?;
            check::points(change, &down)?;
            self.points.push(down);
        }
        Ok(())
    }

    /// The person's devices and PIN go with the tokens.
    fn put(&mut self, user: User) -> Result<(), Untaken> {
        let dead = devices::dead(self.storage, &user)?;
        let pin = devices::dead_pin(self.storage, &user)?;
        self.users.insert(user.user_id.clone(), user.clone());
        self.events.push(fact::UserChanged { user }.into());
        self.events.extend(dead.into_iter().chain(pin));
        Ok(())
    }

    fn current_user(&self, id: &UserId) -> Result<Option<User>, Untaken> {
        match self.users.get(id) {
            Some(user) => Ok(Some(user.clone())),
            None => Ok(self.storage.users().user(id)?),
        }
    }

    /// Below this version every token of the user is dead, whether or not the user is known yet.
    fn revoked_version(&self, id: &UserId) -> Result<u64, Untaken> {
        let kept = self.inbound("token_revocation", id.as_str())?;
        let kept = kept.and_then(|kept| serde_json::from_value::<RevocationDown>(kept.payload).ok());
        let kept = kept.map(|revocation| revocation.token_version);
        let kept = kept.filter(|version| *version <= check::VERSION_MAX).unwrap_or_default();
        Ok(kept.max(self.revoked.get(id).copied().unwrap_or_default()))
    }
}
