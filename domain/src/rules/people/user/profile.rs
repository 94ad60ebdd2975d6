//! The fields of a store's own user that both the store and head office may change. The latest change of each field
//! applies, in any order of arrival.

use crate::model::people::user::{FieldTimes, Role, User};
use crate::wire::feed::UserDown;
use crate::wire::record::UserChanged;

/// Names and role of a person, and when each was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub username: String,
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// When each field was set. The password's time is not merged here: it belongs to the hash.
    pub times: FieldTimes,
}

impl Profile {
    /// The later value of each field; at the same instant the greater one, so that both sides choose the same.
    #[must_use]
    pub fn latest(self, other: Self) -> Self {
        let (one, two) = (self.times, other.times);
        let (username_at, username) = (one.username, self.username).max((two.username, other.username));
        let (name_at, name) = (one.name, self.name).max((two.name, other.name));
        let (role_at, role) = (one.role, self.role).max((two.role, other.role));
        let times = FieldTimes { username: username_at, name: name_at, role: role_at, ..one };
        Self { username, name, role, times }
    }
}

impl From<&User> for Profile {
    fn from(user: &User) -> Self {
        let User { username, name, role, times, .. } = user.clone();
        Self { username, name, role, times }
    }
}

impl From<&UserDown> for Profile {
    fn from(down: &UserDown) -> Self {
        let UserDown { username, name, role, times, .. } = down.clone();
        Self { username, name, role, times }
    }
}

impl From<&UserChanged> for Profile {
    fn from(changed: &UserChanged) -> Self {
        let UserChanged { username, name, role, times, .. } = changed.clone();
        Self { username, name, role, times }
    }
}
