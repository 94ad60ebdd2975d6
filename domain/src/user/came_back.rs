//! People who come back with the store's own records: as the last of those tells, and under their own login names.

use super::User;
use super::costs::Costs;
use crate::record::UserChanged;
use crate::sync::UserDown;
use std::collections::{BTreeMap, BTreeSet};

/// What is added to the login name of whoever was made on a box before its history was there, where that gives the
/// name to somebody else.
pub const NEWCOMER: &str = ".new";
/// The longest login name, in bytes.
const NAME_BYTES_MAX: usize = super::change::NAME_BYTES_MAX;

/// The person as a `record` tells; none: what is `known` here is later. A denial that head office still holds, as it
/// `said` last, stands. A hash that costs more than `costs_max` is not taken: who has none gets a password of a manager.
pub fn user(
    record: UserChanged,
    known: Option<&User>,
    said: Option<&UserDown>,
    costs_max: Costs,
) -> Option<User> {
    let later =
        |known: &User| (known.token_version, known.updated_at) > (record.token_version, record.updated_at);
    if known.is_some_and(later) {
        return None;
    }
    let kept_out = known.is_some_and(|known| known.disabled) && said.is_some_and(|said| said.disabled);
    let sound = |hash: &String| Costs::of(hash).is_some_and(|costs| costs.within(costs_max));
    Some(User {
        user_id: record.user_id,
        username: record.username,
        name: record.name,
        role: record.role,
        store_id: record.store_id,
        password_hash: record.password_hash.filter(sound),
        token_version: record.token_version,
        disabled: record.disabled || kept_out,
        created_at: known.map_or(record.updated_at, |known| known.created_at),
        updated_at: record.updated_at,
    })
}

/// Whose a person is, the first having the strongest claim to a login name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// Head office gave the person to the store.
    Office,
    /// The store's history has the person.
    History,
    /// Made on this box before the history was there.
    Newcomer,
}

/// Where several have one login name: who keeps it, and who has another one from now on. The strongest claim counts,
/// then who was made first.
pub fn names(users: &[User], claim: impl Fn(&User) -> Claim) -> (Vec<User>, Vec<User>) {
    let mut taken: BTreeMap<String, Vec<&User>> = BTreeMap::new();
    for user in users {
        taken.entry(user.username.clone()).or_default().push(user);
    }
    let mut names: BTreeSet<String> = taken.keys().cloned().collect();
    let (mut kept, mut renamed) = (Vec::new(), Vec::new());
    for mut several in taken.into_values().filter(|several| several.len() > 1) {
        several.sort_by_key(|user| (claim(user), user.created_at, user.user_id.clone()));
        let mut several = several.into_iter();
        kept.extend(several.next().cloned());
        for user in several {
            let username =
                (1..).map(|number| newcomer(&user.username, number)).find(|name| !names.contains(name));
            let username = username.unwrap_or_default();
            names.insert(username.clone());
            renamed.push(User { username, ..user.clone() });
        }
    }
    (kept, renamed)
}

/// The `number`th name to try for whoever gives `username` up.
fn newcomer(username: &str, number: u32) -> String {
    let end = if number > 1 { format!("{NEWCOMER}{number}") } else { NEWCOMER.to_owned() };
    let mut room = NAME_BYTES_MAX.saturating_sub(end.len()).min(username.len());
    while !username.is_char_boundary(room) {
        room = room.saturating_sub(1);
    }
    format!("{}{end}", username.get(..room).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::time::UtcMs;
    use crate::user::Role;

    const HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$c3Vt";

    fn record(token_version: u64, updated_at: i64, disabled: bool, hash: Option<&str>) -> UserChanged {
        UserChanged {
            user_id: "usr_1".into(),
            username: "ani".into(),
            name: "Ani".into(),
            role: Role::Cashier,
            store_id: "S001".into(),
            disabled,
            token_version,
            password_hash: hash.map(str::to_owned),
            updated_at: UtcMs(updated_at),
        }
    }

    fn came(record: UserChanged, known: Option<&User>) -> Option<User> {
        user(record, known, None, Costs::DEFAULT.most())
    }

    #[test]
    fn the_last_word_about_a_person_counts() {
        let first = came(record(1, 5, false, Some(HASH)), None).expect("new");
        assert_eq!((first.password_hash.as_deref(), first.created_at), (Some(HASH), UtcMs(5)));
        for (version, at, taken) in [(1, 5, true), (1, 6, true), (2, 4, true), (1, 4, false), (0, 9, false)] {
            let next = came(record(version, at, true, None), Some(&first));
            assert_eq!(next.is_some(), taken, "{version} {at}");
            assert!(next.is_none_or(|next| next.disabled && next.created_at == UtcMs(5)));
        }
    }

    #[test]
    fn a_denial_of_head_office_stands_and_a_hash_that_costs_too_much_is_none() {
        let dear = HASH.replace("m=19456", "m=4194304");
        let person = came(record(1, 5, true, Some(&dear)), None).expect("new");
        assert_eq!(person.password_hash, None);
        let mut said = UserDown {
            user_id: "usr_1".into(),
            username: "ani".into(),
            name: "Ani".into(),
            role: Role::Cashier,
            store_id: "S001".into(),
            password_hash: None,
            password_version: 0,
            token_version: 1,
            disabled: true,
            grant: 1,
        };
        let open = record(1, 6, false, None);
        let denied = |said: &UserDown| {
            user(open.clone(), Some(&person), Some(said), Costs::DEFAULT).map(|user| user.disabled)
        };
        assert_eq!(denied(&said), Some(true));
        said.disabled = false;
        assert_eq!(denied(&said), Some(false));
    }

    #[test]
    fn of_several_of_one_name_the_strongest_claim_keeps_it() {
        let person = |id: &str, name: &str, made: i64| {
            let user = came(record(1, made, false, None), None).expect("new");
            User { user_id: id.into(), username: name.into(), ..user }
        };
        let users = [
            person("usr_new", "ani", 1),
            person("usr_old", "ani", 2),
            person("usr_older_box", "ani.new", 3),
            person("usr_other", "budi", 4),
            person("usr_second", "budi", 5),
            person("usr_office", "budi", 6),
            person("usr_alone", "caca", 7),
        ];
        let claim = |user: &User| match user.user_id.as_str() {
            "usr_new" => Claim::Newcomer,
            "usr_office" => Claim::Office,
            _ => Claim::History,
        };
        let (kept, renamed) = names(&users, claim);
        let told = |users: Vec<User>| -> Vec<(String, String)> {
            users.into_iter().map(|user| (user.user_id.0, user.username)).collect()
        };
        let pair = |id: &str, name: &str| (id.to_owned(), name.to_owned());
        assert_eq!(told(kept), [pair("usr_old", "ani"), pair("usr_office", "budi")]);
        let expected =
            [pair("usr_new", "ani.new2"), pair("usr_other", "budi.new"), pair("usr_second", "budi.new2")];
        assert_eq!(told(renamed), expected);
        assert_eq!(names(&users[6..], claim), (Vec::new(), Vec::new()));
    }

    #[test]
    fn names_to_give_way_to_are_short_enough() {
        assert_eq!((newcomer("admin", 1), newcomer("admin", 2)), ("admin.new".into(), "admin.new2".into()));
        let long = "é".repeat(64);
        let name = newcomer(&long, 1);
        assert!(name.len() <= NAME_BYTES_MAX && name.ends_with("é.new"), "{name}");
    }
}
