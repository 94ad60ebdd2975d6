//! Users at a store: changes by head office and by the store.

use super::broken::Broken;
use super::store::{Died, Disk, Store};
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::User;
use domain::rules::people::user::apply_feed::Known;
use domain::rules::people::user::change::ChangeUser;
use domain::rules::people::user::{apply_feed, change};
use domain::wire::feed::{Change, Kind, RevocationDown, UserDown};
use domain::wire::record;
use testkit::shop::boss;

impl Disk {
    fn said(&self, id: &str) -> Option<UserDown> {
        let kept = self.inbound.get(&(Kind::User.name().to_owned(), id.to_owned()))?;
        serde_json::from_value(kept.payload.clone()).ok()
    }

    fn revoked(&self, id: &str) -> u64 {
        let kept = self.inbound.get(&(Kind::TokenRevocation.name().to_owned(), id.to_owned()));
        let kept = kept.map(|kept| serde_json::from_value::<RevocationDown>(kept.payload.clone()).unwrap());
        kept.map_or(0, |revocation| revocation.token_version)
    }

    /// Applies a change.
    pub fn recorded_person(&mut self, wall: UtcMs, change: &Change) {
        let id = UserId(change.id.clone());
        let user = self.users.get(&id).cloned();
        if change.kind == Kind::TokenRevocation.name() {
            let down: RevocationDown = serde_json::from_value(change.payload.clone()).unwrap();
            if let Some(user) = user.filter(|user| user.token_version < down.token_version) {
                let token_version = down.token_version;
                self.users.insert(id, User { token_version, ..user });
            }
            return;
        }
        let (before, revoked) = (self.said(&change.id), self.revoked(&change.id));
        let known = Known { user: user.as_ref(), before: before.as_ref(), revoked, now: wall };
        let down: UserDown = serde_json::from_value(change.payload.clone()).unwrap();
        let user = apply_feed::apply_feed(down, change.deleted, &known);
        self.users.insert(id, user);
    }
}

impl Store {
    /// Changes the user as the store's manager. Returns `None` if that is refused or no user is known.
    pub fn settles_person(&mut self, wall: UtcMs, disabled: Option<bool>, event: &str) -> Option<bool> {
        let user = self.disk.users.values().next()?.clone();
        let said = self.disk.said(user.user_id.as_str());
        if disabled == Some(false) && self.broken != Broken::StoreLiftsHere {
            apply_feed::lets_in(said.as_ref(), user.disabled).ok()?;
        }
        let name = disabled.is_none().then(|| event.to_owned());
        let cmd = ChangeUser { username: None, name, role: None, password: None, disabled };
        let (id, all) = (user.user_id.clone(), [user]);
        let user = change::change(&cmd, &id, None, wall, &boss(), &all).unwrap();
        let stamp = self.stamp(wall, event);
        let text = record::user_changed(&stamp, &user);
        let disabled = user.disabled;
        self.append(&stamp, text, |disk| drop(disk.users.insert(id, user))).unwrap();
        Some(disabled)
    }

    /// Sends back denials that a hub of another generation does not know.
    pub fn denials_go_back(&mut self, wall: UtcMs, changes: &[Change]) -> Result<(), Died> {
        for user in self.disk.users.values().cloned().collect::<Vec<_>>() {
            let of = |change: &&Change| change.kind == Kind::User.name() && change.id == user.user_id.0;
            let down = changes.iter().rfind(of);
            let down = down.map(|change| serde_json::from_value::<UserDown>(change.payload.clone()).unwrap());
            if down.is_none_or(|down| apply_feed::is_stronger(&user, &down)) {
                let stamp = self.back(wall);
                self.append(&stamp, record::user_changed(&stamp, &user), |_| {})?;
            }
        }
        Ok(())
    }

    /// Returns whether users that head office denies are locked out.
    pub fn keeps_out(&self) -> bool {
        self.disk.users.values().all(|user| {
            user.disabled || !self.disk.said(user.user_id.as_str()).is_some_and(|said| said.disabled)
        })
    }
}
