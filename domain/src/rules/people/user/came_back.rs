//! Recovers users from the store's own records: the latest record of a user counts, and login names stay unique.

use crate::model::people::user::costs::Costs;
use crate::model::people::user::{FieldTimes, User};
use crate::rules::people::user::profile::Profile;
use crate::wire::feed::UserDown;
use crate::wire::record::UserChanged;
use std::collections::{BTreeMap, BTreeSet};

/// Suffix of the login name of a user who was created on a box before its history was there, if the history gives the
/// name to another user.
pub const NEWCOMER: &str = ".new";

/// The longest login name, in bytes.
const NAME_BYTES_MAX: usize = crate::model::people::user::NAME_BYTES_MAX;

/// The user after a `record` is applied. `None` if the user as `known` here does not change. A user whom head office
/// has disabled, by its last record `of_office`, stays disabled. A password hash that costs more than `costs_max` to
/// check is not used; a manager can set a new password.
pub fn user(
    record: UserChanged,
    known: Option<&User>,
    of_office: Option<&UserDown>,
    costs_max: Costs,
) -> Option<User> {
    let recorded = recorded_user(record, costs_max);
    let Some(known) = known else { return Some(recorded) };
    let Profile { username, name, role, times } = Profile::from(known).latest(Profile::from(&recorded));
    let set = |user: &User| (user.times.password, user.password_hash.clone());
    let password = if set(known) > set(&recorded) { known } else { &recorded };
    let version = |user: &User| (user.token_version, user.updated_at);
    let last = if version(known) > version(&recorded) { known } else { &recorded };
    let disabled_by_office = known.disabled && of_office.is_some_and(|user| user.disabled);
    let user = User {
        username,
        name,
        role,
        times: FieldTimes { password: password.times.password, ..times },
        password_hash: password.password_hash.clone(),
        disabled: last.disabled || disabled_by_office,
        token_version: last.token_version,
        updated_at: last.updated_at,
        ..recorded.clone()
    };
    (user != *known).then_some(user)
}

/// The user as a record has it.
fn recorded_user(record: UserChanged, costs_max: Costs) -> User {
    let sound = |hash: &String| Costs::of(hash).is_some_and(|costs| costs.within(costs_max));
    User {
        user_id: record.user_id,
        username: record.username,
        name: record.name,
        role: record.role,
        store_id: record.store_id,
        // The time of the password is kept even if the hash is not, so that no earlier password becomes valid again.
        password_hash: record.password_hash.filter(sound),
        times: record.times,
        token_version: record.token_version,
        disabled: record.disabled,
        created_at: record.created_at,
        updated_at: record.updated_at,
    }
}

/// Claim of a person to a login name, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// Head office gave the person to the store.
    Office,
    /// The store's history has the person.
    History,
    /// Made on this box before the history was there.
    Newcomer,
}

/// Users who keep a login name that several have, and users who get another one. The strongest claim counts, then the
/// earliest creation.
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

/// The `number`th name to try for the user who gives `username` up.
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
    use crate::model::base::time::UtcMs;
    use crate::model::people::user::Role;

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
            times: FieldTimes::all(UtcMs(4)),
            created_at: UtcMs(4),
            updated_at: UtcMs(updated_at),
        }
    }

    fn came(record: UserChanged, known: Option<&User>) -> Option<User> {
        user(record, known, None, Costs::DEFAULT.most())
    }

    #[test]
    fn the_last_word_about_a_person_counts() {
        let first = came(record(1, 5, false, Some(HASH)), None).expect("new");
        assert_eq!((first.password_hash.as_deref(), first.created_at), (Some(HASH), UtcMs(4)));
        for (version, at, taken) in [(1, 5, true), (1, 6, true), (2, 4, true), (1, 4, false), (0, 9, false)] {
            let next = came(record(version, at, true, None), Some(&first));
            assert_eq!(next.is_some(), taken, "{version} {at}");
            assert!(next.is_none_or(|next| next.disabled && next.created_at == UtcMs(4)));
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
            times: FieldTimes::default(),
            token_version: 1,
            disabled: true,
            grant: 1,
            created_at: UtcMs(0),
            given: true,
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
    fn an_earlier_password_does_not_live_again_where_the_later_hash_costs_too_much() {
        let set_at = |at: i64, hash: Option<&str>| {
            let times = FieldTimes { password: UtcMs(at), ..FieldTimes::all(UtcMs(4)) };
            UserChanged { times, ..record(1, at, false, hash) }
        };
        let dear = HASH.replace("m=19456", "m=4194304");
        for order in [[(5, HASH), (9, &dear)], [(9, &dear), (5, HASH)]] {
            let back = order.into_iter().fold(None, |known: Option<User>, (at, hash)| {
                came(set_at(at, Some(hash)), known.as_ref()).or(known)
            });
            let back = back.expect("came back");
            assert_eq!((back.password_hash, back.times.password), (None, UtcMs(9)), "{order:?}");
        }
        let first = came(set_at(9, Some(HASH)), None).expect("new");
        assert_eq!(came(set_at(9, None), Some(&first)), None, "the same word without its hash says nothing");
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
        let names_of = |users: Vec<User>| -> Vec<(String, String)> {
            users.into_iter().map(|user| (user.user_id.0, user.username)).collect()
        };
        let pair = |id: &str, name: &str| (id.to_owned(), name.to_owned());
        assert_eq!(names_of(kept), [pair("usr_old", "ani"), pair("usr_office", "budi")]);
        let expected =
            [pair("usr_new", "ani.new2"), pair("usr_other", "budi.new"), pair("usr_second", "budi.new2")];
        assert_eq!(names_of(renamed), expected);
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
