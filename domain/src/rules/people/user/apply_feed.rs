//! Applies head office's records of users at the store: a denial wins until a user at the hub grants access again,
//! tokens are revoked by version, and of names, role and password the later change counts.

use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::people::user::{FieldTimes, User, login_name};
use crate::rules::people::user::change::ChangeUser;
use crate::rules::people::user::profile::Profile;
use crate::wire::feed::UserDown;

/// The store's data of the person.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The user here; `None` if unknown yet.
    pub user: Option<&'a User>,
    /// Earlier record of head office.
    pub before: Option<&'a UserDown>,
    /// Tokens of a lower version are dead.
    pub revoked: u64,
    /// Time of taking it in.
    pub now: UtcMs,
}

/// The person from now on; `gone`: head office has the person no more.
pub fn apply_feed(down: UserDown, gone: bool, known: &Known<'_>) -> User {
    let denied = known.user.is_some_and(|user| user.disabled && denial_persists(user, &down, known.before));
    let at_least = known.user.map_or(0, |user| user.token_version).max(known.revoked);
    let reported = Profile::from(&down);
    // For users whom head office gave, names and role belong to it, whatever was repeated here.
    let own = known.user.filter(|_| !down.given).map(Profile::from);
    let profile = own.map_or_else(|| reported.clone(), |own| own.latest(reported.clone()));
    let (password_at, password_hash) = password(&down, known.user);
    let user = User {
        password_hash,
        times: FieldTimes { password: password_at, ..profile.times },
        user_id: down.user_id,
        username: profile.username,
        name: profile.name,
        role: profile.role,
        store_id: down.store_id,
        token_version: down.token_version.max(at_least),
        disabled: down.disabled || gone || denied,
        created_at: down.created_at,
        updated_at: known.user.map_or(known.now, |user| user.updated_at),
    };
    let same = known.user.is_none_or(|before| *before == user);
    User { updated_at: if same { user.updated_at } else { known.now }, ..user }
}

/// Whether a local denial overrides head office's record. It does until a later grant at the hub. For a user who was
/// recovered from the store's own records, and of whom head office has sent nothing before, a grant with at least the
/// same version is later, since head office has those records.
fn denial_persists(user: &User, down: &UserDown, before: Option<&UserDown>) -> bool {
    match before {
        Some(before) => down.grant <= before.grant,
        None => down.grant == 0 || down.token_version < user.token_version,
    }
}

/// Head office sends no password that it did not set, and none that was changed at the store since: other changes of
/// the person must not remove it, or bring an old one back.
fn password(down: &UserDown, user: Option<&User>) -> (UtcMs, Option<String>) {
    match user.filter(|user| user.times.password >= down.times.password) {
        Some(user) => (user.times.password, user.password_hash.clone()),
        None => (down.times.password, down.password_hash.clone()),
    }
}

/// Whether the store has a denial, revoked tokens or a later change of one of its own users that head office lacks.
pub fn is_stronger(user: &User, down: &UserDown) -> bool {
    let (here, there) = (user.times, down.times);
    let later = here.username > there.username || here.name > there.name || here.role > there.role;
    (user.disabled && !down.disabled) || user.token_version > down.token_version || (later && !down.given)
}

/// Head office's version of a person that a store reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The person from now on.
    pub down: UserDown,
    /// Whether to notify the store: of values that are stronger at head office, that its denial is now one of head
    /// office, or of names and role by the later change of both.
    pub tell: bool,
}

/// Applies a store's report (`reported`) about a user. It may deny, even if a restored head office has forgotten the
/// denial, and never lifts a denial. For names and role the later change counts, except for a user `of_office`, whose
/// names and role head office owns. A password that the store set later replaces the one of head office.
pub fn merged(known: &UserDown, of_office: bool, reported: UserDown) -> Merged {
    let shown = |person: &UserDown| (person.name.clone(), person.username.clone(), person.role);
    let tell = known.disabled != reported.disabled
        || known.token_version > reported.token_version
        || shown(known) != shown(&reported);
    let own = Profile::from(known);
    let Profile { username, name, role, times } =
        if of_office { own } else { own.latest(Profile::from(&reported)) };
    let password_at = known.times.password.max(reported.times.password);
    let password_hash = known.password_hash.clone().filter(|_| known.times.password == password_at);
    let down = UserDown {
        username,
        name,
        role,
        times: FieldTimes { password: password_at, ..times },
        password_hash,
        disabled: known.disabled || reported.disabled,
        token_version: known.token_version.max(reported.token_version),
        ..known.clone()
    };
    Merged { down, tell }
}

/// A person at head office denies a user access, or grants it again: nothing else lifts a denial.
pub fn settled(down: &mut UserDown, disabled: bool) {
    down.grant = down.grant.saturating_add(u64::from(down.disabled && !disabled));
    down.disabled = disabled;
}

/// Applies a change that a user at head office makes to a user of a store. Returns true if rights change, which
/// revokes all tokens.
pub fn office_change(down: &mut UserDown, change: &ChangeUser, hash: Option<String>, now: UtcMs) -> bool {
    let before = (down.role, down.disabled);
    if let Some(disabled) = change.disabled {
        settled(down, disabled);
    }
    let times = &mut down.times;
    // An unchanged value is not a later change, since a form sends all its fields.
    if let Some(username) = change.username.as_deref().map(login_name).filter(|name| *name != down.username) {
        (down.username, times.username) = (username, FieldTimes::after(times.username, now));
    }
    if let Some(name) = change.name.as_deref().map(str::trim).filter(|name| *name != down.name) {
        (down.name, times.name) = (name.to_owned(), FieldTimes::after(times.name, now));
    }
    if let Some(role) = change.role.filter(|role| *role != down.role) {
        (down.role, times.role) = (role, FieldTimes::after(times.role, now));
    }
    let rights = hash.is_some() || before != (down.role, down.disabled);
    if hash.is_some() {
        (down.password_hash, times.password) = (hash, FieldTimes::after(times.password, now));
    }
    down.token_version = down.token_version.saturating_add(u64::from(rights));
    rights
}

/// The version of a user's tokens after head office revoked those below `reported`; `before` is what it revoked last.
/// If the store has raised the version itself meanwhile, because of a new password, a new revocation raises it again,
/// so that it revokes all current tokens.
pub fn revoked(version: u64, before: u64, reported: u64) -> u64 {
    let least = if reported > before { version.saturating_add(1) } else { version };
    least.max(reported).max(before)
}

/// Whether a store may grant a user access again. `said` is the last record of head office. `denied` is whether a store
/// that has a head office denies the user access: head office gets that denial, if it has not yet, and keeps it.
///
/// # Errors
/// `invalid_state`: only head office lifts the denial.
pub fn lets_in(said: Option<&UserDown>, denied: bool) -> Result<(), Refusal> {
    if denied || said.is_some_and(|said| said.disabled) {
        let state = "disabled_at_head_office".to_owned();
        return Err(Refusal::InvalidState { state, allowed: Vec::new() });
    }
    Ok(())
}

/// Checks that a store may change the names of a user, by the last record `said` of head office: not of a user that
/// head office owns. The values of that record are not a change.
///
/// # Errors
/// `invalid_state`: the change is for head office to make.
pub fn is_own(said: Option<&UserDown>, change: &ChangeUser) -> Result<(), Refusal> {
    let calls = |said: &&UserDown| {
        change.name.as_ref().is_some_and(|name| name.trim() != said.name)
            || change.username.as_ref().is_some_and(|name| login_name(name) != said.username)
            || change.role.is_some_and(|role| role != said.role)
    };
    match said.filter(|said| said.given).filter(calls) {
        Some(_) => {
            let state = "given_by_head_office".to_owned();
            Err(Refusal::InvalidState { state, allowed: Vec::new() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::people::user::Role;

    fn down(grant: u64, disabled: bool, password: Option<&str>) -> UserDown {
        UserDown {
            user_id: "usr_1".into(),
            username: "ani".into(),
            name: "Ani".into(),
            role: Role::Cashier,
            store_id: "S001".into(),
            password_hash: password.map(str::to_owned),
            times: FieldTimes {
                password: UtcMs(if password.is_some() { 3 } else { 0 }),
                ..FieldTimes::all(UtcMs(3))
            },
            token_version: 3,
            disabled,
            grant,
            created_at: UtcMs(2),
            given: false,
        }
    }

    #[test]
    fn a_denial_stands_until_a_later_grant_and_tokens_never_live_again() {
        let first = apply_feed(down(1, false, Some("h1")), false, &Known { revoked: 5, ..Known::default() });
        assert_eq!((first.disabled, first.token_version), (false, 5));
        let denied = User { disabled: true, ..first };
        let before = down(1, true, Some("h1"));
        let known = Known { user: Some(&denied), before: Some(&before), now: UtcMs(9), ..Known::default() };
        let same_grant = apply_feed(down(1, false, Some("h1")), false, &known);
        assert_eq!((same_grant.disabled, same_grant.token_version), (true, 5));
        assert_eq!((same_grant.updated_at, same_grant.created_at), (UtcMs(0), UtcMs(2)), "nothing is new");
        assert!(is_stronger(&same_grant, &down(1, false, None)));
        let granted = apply_feed(down(2, false, Some("h1")), false, &known);
        assert_eq!((granted.updated_at, granted.created_at), (UtcMs(9), UtcMs(2)));
        assert!(!granted.disabled && apply_feed(down(2, false, None), true, &known).disabled);
        assert!(!is_stronger(&User { token_version: 3, ..granted }, &down(2, false, None)));
    }

    #[test]
    fn a_user_of_head_office_is_as_it_sent_them_and_a_repetition_is_not_later() {
        let mut said = UserDown { given: true, ..down(1, false, None) };
        let mut here = apply_feed(said.clone(), false, &Known::default());
        (here.role, here.times.role) = (Role::Admin, UtcMs(90));
        let known = Known { user: Some(&here), now: UtcMs(99), ..Known::default() };
        assert_eq!(apply_feed(said.clone(), false, &known).role, Role::Cashier);
        let before = said.times;
        let form = ChangeUser {
            name: Some(" Ani ".to_owned()),
            username: Some("ANI".to_owned()),
            role: Some(Role::Cashier),
            ..ChangeUser::default()
        };
        assert!(!office_change(&mut said, &form, None, UtcMs(99)));
        assert_eq!(said.times, before);
    }

    #[test]
    fn of_somebody_who_came_back_a_later_grant_and_a_later_password_count() {
        let here = apply_feed(down(1, true, Some("own")), false, &Known::default());
        // The version here, the grant, when the password was set there: denied, and whose password.
        for (version, grant, set_at, disabled, password) in
            [(3, 0, 0, true, "own"), (3, 2, 3, false, "own"), (3, 2, 4, false, "h1"), (4, 2, 4, true, "h1")]
        {
            let user = User { token_version: version, ..here.clone() };
            let mut down = down(grant, false, Some("h1"));
            down.times.password = UtcMs(set_at);
            let known = Known { user: Some(&user), ..Known::default() };
            let user = apply_feed(down, false, &known);
            let seen = (user.disabled, user.password_hash.as_deref());
            assert_eq!(seen, (disabled, Some(password)), "{version} {grant} {set_at}");
        }
    }

    #[test]
    fn a_new_revocation_kills_what_is_alive_and_an_old_one_nothing() {
        for (version, before, reported, after) in
            [(1, 0, 2, 2), (2, 0, 2, 3), (5, 2, 3, 6), (2, 2, 2, 2), (5, 3, 3, 5), (5, 3, 2, 5), (1, 4, 2, 4)]
        {
            assert_eq!(revoked(version, before, reported), after, "{version} {before} {reported}");
        }
    }

    #[test]
    fn a_store_denies_and_never_lifts() {
        let (open, denied) = (down(1, false, Some("h1")), down(1, true, Some("h1")));
        let table = [
            (&open, &open, false, false),
            (&open, &denied, true, true),
            (&denied, &open, true, true),
            (&denied, &denied, true, false),
        ];
        for (known, reported, disabled, tell) in table {
            for of_office in [true, false] {
                let same = merged(known, of_office, UserDown { grant: 0, ..reported.clone() });
                assert_eq!((same.down.disabled, same.tell), (disabled, tell), "{known:?} {reported:?}");
                let mut named = UserDown { grant: 0, name: "B".into(), ..reported.clone() };
                named.times.name = UtcMs(4);
                let named = merged(known, of_office, named);
                assert_eq!((named.down.disabled, named.tell), (disabled, true), "{known:?} {reported:?}");
                assert_eq!((named.down.grant, named.down.name == "Ani"), (1, of_office));
            }
        }
        let dead = merged(&UserDown { token_version: 9, ..open.clone() }, true, open.clone());
        assert_eq!((dead.down.token_version, dead.tell), (9, true));
        for (said, denied_here, fine) in [
            (None, false, true),
            (Some(&open), false, true),
            (Some(&denied), false, false),
            (Some(&open), true, false),
            (None, true, false),
        ] {
            assert_eq!(lets_in(said, denied_here).is_ok(), fine, "{said:?} {denied_here}");
        }
        let mut person = denied;
        settled(&mut person, true);
        assert_eq!((person.disabled, person.grant), (true, 1));
        settled(&mut person, false);
        assert_eq!((person.disabled, person.grant), (false, 2));
    }

    #[test]
    fn whom_head_office_gave_it_alone_calls_otherwise() {
        let (own, given) = (down(1, false, None), UserDown { given: true, ..down(1, false, None) });
        let named = ChangeUser { name: Some("B".to_owned()), ..ChangeUser::default() };
        let role = ChangeUser { role: Some(Role::Admin), ..ChangeUser::default() };
        let denied = ChangeUser { disabled: Some(true), ..ChangeUser::default() };
        for change in [&named, &role] {
            assert!(is_own(Some(&given), change).is_err());
            assert!(is_own(Some(&own), change).is_ok() && is_own(None, change).is_ok());
        }
        let same = ChangeUser {
            name: Some(format!(" {} ", given.name)),
            username: Some(given.username.to_uppercase()),
            role: Some(given.role),
            ..denied.clone()
        };
        assert!(is_own(Some(&given), &denied).is_ok() && is_own(Some(&given), &same).is_ok());
    }

    #[test]
    fn a_later_word_at_the_store_is_news_for_head_office_unless_it_gave_the_person() {
        let (said, given) = (down(1, false, None), UserDown { given: true, ..down(1, false, None) });
        let mut user = apply_feed(said.clone(), false, &Known::default());
        assert!(!is_stronger(&user, &said));
        user.times.role = UtcMs(4);
        assert!(is_stronger(&user, &said) && !is_stronger(&user, &given));
    }
}
