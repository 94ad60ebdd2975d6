//! Users at head office: which it gives to a store, denies and grants again, and what stores report of them.

use super::broken::Broken;
use super::feed::Entry;
use super::hub::{Hub, Later};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Role};
use domain::rules::people::user::apply_feed;
use domain::rules::people::user::apply_feed::Merged;
use domain::wire::feed::{Kind, RevocationDown, UserDown};
use domain::wire::record::UserChanged;
use serde_json::json;

/// Returns the ID of a store's user.
pub fn person(store: usize) -> String {
    format!("usr_{store}")
}

impl Hub {
    pub fn gives(&mut self, store: usize, now: UtcMs) {
        let down = UserDown {
            user_id: person(store).as_str().into(),
            username: person(store),
            name: person(store),
            role: Role::Cashier,
            store_id: format!("S{:03}", store + 1).as_str().into(),
            password_hash: Some("h1".to_owned()),
            times: FieldTimes::all(now),
            token_version: 1,
            disabled: false,
            grant: 1,
            created_at: now,
            given: true,
        };
        self.staff.insert(person(store), down.clone());
        self.tells(store, &down, now);
    }

    fn tells(&mut self, store: usize, down: &UserDown, now: UtcMs) {
        let (kind, id, payload) = (Kind::User, down.user_id.0.clone(), json!(down));
        self.feed
            .publish(Entry { kind, id, store: Some(store), version: None, deleted: false, payload }, now);
    }

    /// Denies or grants the store's user at head office.
    pub fn office_settles_person(&mut self, store: usize, disabled: bool, now: UtcMs) {
        let mut down = self.staff[&person(store)].clone();
        if down.disabled == disabled {
            return;
        }
        apply_feed::settled(&mut down, disabled);
        down.token_version += 1;
        self.staff.insert(person(store), down.clone());
        let (user_id, token_version) = (down.user_id.clone(), down.token_version);
        let (kind, id) = (Kind::TokenRevocation, person(store));
        let payload = json!(RevocationDown { user_id, token_version, revoked_at: now });
        self.feed
            .publish(Entry { kind, id, store: Some(store), version: None, deleted: false, payload }, now);
        self.tells(store, &down, now);
    }

    /// Applies a store's record about its user.
    pub(super) fn receives_staff(&mut self, store: usize, changed: &UserChanged, later: &mut Later) {
        let known = self.staff[changed.user_id.as_str()].clone();
        let reported = UserDown {
            disabled: changed.disabled,
            token_version: changed.token_version,
            grant: 0,
            ..known.clone()
        };
        let Merged { mut down, tell } = apply_feed::merged(&known, true, reported);
        if self.broken == Broken::StoreLifts {
            down.disabled = changed.disabled;
            down.grant += u64::from(known.disabled && !changed.disabled);
        }
        self.staff.insert(person(store), down.clone());
        if tell {
            let (kind, id, payload) = (Kind::User, person(store), json!(down));
            later.entries.push(Entry {
                kind,
                id,
                store: Some(store),
                version: None,
                deleted: false,
                payload,
            });
        }
    }
}
