//! Store and head office always keep an administrator who can log in: locking out the last one locks
//! out everybody, and no route lets anybody in again.

use crate::model::base::refusal::Refusal;
use crate::model::people::user::{Passkey, Role, User};

/// The state that the refusal names.
const LAST: &str = "last_administrator";

/// Difference that a change makes.
#[derive(Debug, Clone, Copy, Default)]
pub struct After<'a> {
    /// The user as it would be.
    pub user: Option<&'a User>,
    /// The device that would be gone.
    pub removed: Option<&'a Passkey>,
}

/// Whether a user who can log in and change everything remains after a change. If there was none before, no change is
/// refused.
///
/// # Errors
/// `invalid_state`.
pub fn stays(users: &[User], passkeys: &[Passkey], after: &After<'_>) -> Result<(), Refusal> {
    let is_changed = |user: &&User| after.user.is_some_and(|changed| changed.user_id == user.user_id);
    let there = |passkey: &&Passkey| {
        after.removed.is_none_or(|removed| removed.credential_id != passkey.credential_id)
    };
    let left: Vec<&Passkey> = passkeys.iter().filter(there).collect();
    let all: Vec<&Passkey> = passkeys.iter().collect();
    let before = users.iter().any(|user| is_one(user, &all));
    let mut afterwards = users.iter().filter(|user| !is_changed(user)).chain(after.user);
    if !before || afterwards.any(|user| is_one(user, &left)) {
        return Ok(());
    }
    Err(Refusal::InvalidState { state: LAST.to_owned(), allowed: Vec::new() })
}

/// An administrator who can log in: not kept out, with a password or a device.
fn is_one(user: &User, passkeys: &[&Passkey]) -> bool {
    let opens = user.password_hash.as_ref().is_some_and(|hash| !hash.is_empty())
        || passkeys.iter().any(|passkey| passkey.is_alive(user));
    user.role == Role::Admin && !user.disabled && opens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::base::ids::{StoreId, UserId};
    use crate::model::base::time::UtcMs;

    fn user(id: &str, role: Role, password: bool, disabled: bool) -> User {
        User {
            user_id: UserId(id.into()),
            username: id.into(),
            name: id.into(),
            role,
            store_id: StoreId("S001".into()),
            password_hash: password.then(|| "hash".to_owned()),
            times: crate::model::people::user::FieldTimes::default(),
            token_version: 1,
            disabled,
            created_at: UtcMs(1),
            updated_at: UtcMs(1),
        }
    }

    fn device(id: &str, owner: &str) -> Passkey {
        Passkey {
            credential_id: id.into(),
            user_id: UserId(owner.into()),
            token_version: 1,
            name: "Till 1".into(),
            counter: 0,
            created_at: UtcMs(7),
            last_used_at: None,
            document: "{}".into(),
        }
    }

    #[test]
    fn somebody_who_can_log_in_is_always_left() {
        let boss = user("boss", Role::Admin, true, false);
        let out = user("boss", Role::Admin, true, true);
        let cashier = user("boss", Role::Cashier, true, false);
        let by_device = user("boss", Role::Admin, false, false);
        let (none, devices) = (Vec::new(), vec![device("a", "boss")]);
        let gone = |user: &'static str, removed| (user, removed);
        // The others, the devices, the boss after the change, and whether it is possible.
        for (others, passkeys, (becomes, removed), possible) in [
            (vec![], &none, gone("out", false), false),
            (vec![], &none, gone("cashier", false), false),
            (vec![], &none, gone("boss", false), true),
            (vec![user("b", Role::Admin, true, false)], &none, gone("out", false), true),
            (vec![user("b", Role::Admin, true, true)], &none, gone("out", false), false),
            (vec![user("b", Role::Admin, false, false)], &none, gone("out", false), false),
            (vec![user("b", Role::StoreManager, true, false)], &none, gone("out", false), false),
            (vec![], &devices, gone("by_device", false), true),
            (vec![], &devices, gone("by_device", true), false),
            (vec![], &devices, gone("boss", true), true),
        ] {
            let after = match becomes {
                "out" => &out,
                "cashier" => &cashier,
                "by_device" => &by_device,
                _ => &boss,
            };
            let mut users = others.clone();
            users.push(boss.clone());
            let change = After { user: Some(after), removed: passkeys.first().filter(|_| removed) };
            assert_eq!(stays(&users, passkeys, &change).is_ok(), possible, "{others:?} {becomes} {removed}");
        }
    }

    #[test]
    fn where_nobody_could_log_in_before_no_change_is_at_fault() {
        let users = [user("boss", Role::Admin, false, false)];
        let out = user("boss", Role::Admin, false, true);
        assert!(stays(&users, &[], &After { user: Some(&out), removed: None }).is_ok());
    }
}
