//! What head office says of a person, taken in by the store: deny wins until a person at the hub grants again,
//! tokens die by version, and a password gives way only to one that head office has set since.

use super::User;
use crate::refusal::Refusal;
use crate::sync::UserDown;
use crate::time::UtcMs;

/// What the store has of the person.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// As it is here; none: not yet.
    pub user: Option<&'a User>,
    /// What head office said before.
    pub before: Option<&'a UserDown>,
    /// This is a later word than that.
    pub later: bool,
    /// Tokens of a lower version are dead.
    pub revoked: u64,
    /// When it is taken in.
    pub now: UtcMs,
}

/// The person from now on; `gone`: head office has the person no more.
pub fn told(down: UserDown, gone: bool, known: &Known<'_>) -> User {
    let denied = known.user.is_some_and(|user| user.disabled && stands(user, &down, known.before));
    let at_least = known.user.map_or(0, |user| user.token_version).max(known.revoked);
    let user = User {
        password_hash: password(&down, known),
        user_id: down.user_id,
        username: down.username,
        name: down.name,
        role: down.role,
        store_id: down.store_id,
        token_version: down.token_version.max(at_least),
        disabled: down.disabled || gone || denied,
        created_at: known.user.map_or(known.now, |user| user.created_at),
        updated_at: known.user.map_or(known.now, |user| user.updated_at),
    };
    let same = known.user.is_none_or(|before| *before == user);
    User { updated_at: if same { user.updated_at } else { known.now }, ..user }
}

/// Whether a denial here stands against what head office says: until a later grant of a person there. Of somebody
/// who came back with the store's own records, and of whom nothing was heard before, a grant is later whose version
/// is not behind: head office has those records.
fn stands(user: &User, down: &UserDown, before: Option<&UserDown>) -> bool {
    match before {
        Some(before) => down.grant <= before.grant,
        None => down.grant == 0 || down.token_version < user.token_version,
    }
}

/// Head office sends no password of a store's own person, and none that was changed at the store: its other
/// words about the person must not take that away, or bring an old one back.
fn password(down: &UserDown, known: &Known<'_>) -> Option<String> {
    let Some(user) = known.user else { return down.password_hash.clone() };
    let set = match known.before {
        Some(before) => known.later && before.password_hash != down.password_hash,
        None => down.password_version >= user.token_version || user.password_hash.is_none(),
    };
    down.password_hash.clone().filter(|_| set).or_else(|| user.password_hash.clone())
}

/// Whether the store keeps a denial, or dead tokens, of which head office does not know.
pub fn is_stronger(user: &User, down: &UserDown) -> bool {
    (user.disabled && !down.disabled) || user.token_version > down.token_version
}

/// What head office makes of a person that a store told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The person from now on.
    pub down: UserDown,
    /// The store is told: of what is stronger here, or that its denial is a denial of head office from now on.
    pub tell: bool,
}

/// Takes in what a store `told` of a person: it may deny, also what a restored head office has forgotten, and
/// never lifts a denial. The rest of a person `of_office` is head office's own.
pub fn merged(known: &UserDown, of_office: bool, told: UserDown) -> Merged {
    let tell = known.disabled != told.disabled || known.token_version > told.token_version;
    let disabled = known.disabled || told.disabled;
    let token_version = known.token_version.max(told.token_version);
    let person = if of_office {
        known.clone()
    } else {
        // What head office set of it stays what head office set.
        let (password_hash, password_version) = (known.password_hash.clone(), known.password_version);
        UserDown { grant: known.grant, password_hash, password_version, ..told }
    };
    Merged { down: UserDown { disabled, token_version, ..person }, tell }
}

/// A person at head office keeps somebody out, or lets somebody in again: nothing else lifts a denial.
pub fn settled(down: &mut UserDown, disabled: bool) {
    down.grant = down.grant.saturating_add(u64::from(down.disabled && !disabled));
    down.disabled = disabled;
}

/// The version of a person's tokens after head office said that those below `told` are dead; `before` is what it said
/// last. A version that the store raised itself meanwhile, by a new password, must not swallow the word: a new one
/// kills whatever is alive here.
pub fn revoked(version: u64, before: u64, told: u64) -> u64 {
    let least = if told > before { version.saturating_add(1) } else { version };
    least.max(told).max(before)
}

/// Whether a store may let somebody in again, by what head office `said` last.
///
/// # Errors
/// `invalid_state`: head office keeps the person out.
pub fn lets_in(said: Option<&UserDown>) -> Result<(), Refusal> {
    match said.filter(|said| said.disabled) {
        Some(_) => {
            let state = "disabled by head office".to_owned();
            Err(Refusal::InvalidState { state, allowed: Vec::new() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::Role;

    fn down(grant: u64, disabled: bool, password: Option<&str>) -> UserDown {
        UserDown {
            user_id: "usr_1".into(),
            username: "ani".into(),
            name: "Ani".into(),
            role: Role::Cashier,
            store_id: "S001".into(),
            password_hash: password.map(str::to_owned),
            password_version: if password.is_some() { 3 } else { 0 },
            token_version: 3,
            disabled,
            grant,
        }
    }

    #[test]
    fn a_denial_stands_until_a_later_grant_and_tokens_never_live_again() {
        let first = told(down(1, false, Some("h1")), false, &Known { revoked: 5, ..Known::default() });
        assert_eq!((first.disabled, first.token_version), (false, 5));
        let denied = User { disabled: true, ..first };
        let before = down(1, true, Some("h1"));
        let known = Known {
            user: Some(&denied),
            before: Some(&before),
            later: true,
            now: UtcMs(9),
            ..Known::default()
        };
        let same_grant = told(down(1, false, Some("h1")), false, &known);
        assert_eq!((same_grant.disabled, same_grant.token_version), (true, 5));
        assert_eq!((same_grant.updated_at, same_grant.created_at), (UtcMs(0), UtcMs(0)), "nothing is new");
        assert!(is_stronger(&same_grant, &down(1, false, None)));
        let granted = told(down(2, false, Some("h1")), false, &known);
        assert_eq!((granted.updated_at, granted.created_at), (UtcMs(9), UtcMs(0)));
        assert!(!granted.disabled && told(down(2, false, None), true, &known).disabled);
        assert!(!is_stronger(&User { token_version: 3, ..granted }, &down(2, false, None)));
    }

    #[test]
    fn of_somebody_who_came_back_a_later_grant_and_a_later_password_count() {
        let here = told(down(1, true, Some("own")), false, &Known::default());
        // Versions here and there, the grant, when the password was set: denied, and whose password.
        for (version, grant, password_version, disabled, password) in
            [(3, 0, 0, true, "own"), (3, 2, 2, false, "own"), (3, 2, 3, false, "h1"), (4, 2, 3, true, "own")]
        {
            let user = User { token_version: version, ..here.clone() };
            let down = UserDown { password_version, ..down(grant, false, Some("h1")) };
            let known = Known { user: Some(&user), later: true, ..Known::default() };
            let user = told(down, false, &known);
            let seen = (user.disabled, user.password_hash.as_deref());
            assert_eq!(seen, (disabled, Some(password)), "{version} {grant} {password_version}");
        }
    }

    #[test]
    fn a_new_revocation_kills_what_is_alive_and_an_old_one_nothing() {
        for (version, before, told, after) in
            [(1, 0, 2, 2), (2, 0, 2, 3), (5, 2, 3, 6), (2, 2, 2, 2), (5, 3, 3, 5), (5, 3, 2, 5), (1, 4, 2, 4)]
        {
            assert_eq!(revoked(version, before, told), after, "{version} {before} {told}");
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
        for (known, told, disabled, tell) in table {
            for of_office in [true, false] {
                let merged =
                    merged(known, of_office, UserDown { grant: 0, name: "B".into(), ..told.clone() });
                assert_eq!((merged.down.disabled, merged.tell), (disabled, tell), "{known:?} {told:?}");
                assert_eq!((merged.down.grant, merged.down.name == "Ani"), (1, of_office));
            }
        }
        let dead = merged(&UserDown { token_version: 9, ..open.clone() }, true, open.clone());
        assert_eq!((dead.down.token_version, dead.tell), (9, true));
        assert!(lets_in(None).is_ok() && lets_in(Some(&open)).is_ok() && lets_in(Some(&denied)).is_err());
        let mut person = denied;
        settled(&mut person, true);
        assert_eq!((person.disabled, person.grant), (true, 1));
        settled(&mut person, false);
        assert_eq!((person.disabled, person.grant), (false, 2));
    }

    #[test]
    fn only_a_password_that_was_set_since_takes_the_place_of_the_own_one() {
        let here = told(down(1, false, Some("h1")), false, &Known::default());
        let own = User { password_hash: Some("own".to_owned()), ..here };
        let (before, none) = (down(1, false, Some("h1")), down(1, false, None));
        let known =
            |before, later| Known { user: Some(&own), before: Some(before), later, ..Known::default() };
        let table = [
            (known(&before, true), Some("h1"), Some("own")),
            (known(&before, true), Some("h2"), Some("h2")),
            (known(&before, false), Some("h0"), Some("own")),
            (known(&none, true), None, Some("own")),
            (known(&none, true), Some("h2"), Some("h2")),
            (Known { user: Some(&own), ..Known::default() }, None, Some("own")),
            (Known { user: Some(&own), ..Known::default() }, Some("h1"), Some("h1")),
            (Known::default(), Some("h1"), Some("h1")),
        ];
        for (known, told_hash, expected) in table {
            let user = told(down(1, false, told_hash), false, &known);
            assert_eq!(user.password_hash.as_deref(), expected, "{told_hash:?} {known:?}");
        }
    }
}
