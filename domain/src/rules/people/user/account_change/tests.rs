//! Devices are their owner's, and a password changes only what it was checked against.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use super::*;
use crate::model::base::ids::SessionId;
use crate::model::people::user::FieldTimes;

fn user(id: &str, role: Role) -> User {
    User {
        user_id: UserId(id.into()),
        username: id.into(),
        name: id.into(),
        role,
        store_id: StoreId("S001".into()),
        password_hash: Some("old".into()),
        times: FieldTimes::default(),
        token_version: 4,
        disabled: false,
        created_at: UtcMs(1),
        updated_at: UtcMs(1),
    }
}

fn caller(user: &User) -> Principal {
    Principal {
        user_id: user.user_id.clone(),
        name: user.name.clone(),
        role: user.role,
        store_id: user.store_id.clone(),
        session_id: SessionId("ses_1".into()),
    }
}

fn passkey(id: &str, owner: &str) -> Passkey {
    Passkey {
        credential_id: id.into(),
        user_id: UserId(owner.into()),
        token_version: 4,
        name: "Till 1".into(),
        counter: 0,
        created_at: UtcMs(7),
        last_used_at: None,
        document: "{}".into(),
    }
}

fn session() -> Session {
    Session {
        session_id: SessionId("ses_1".into()),
        user_id: UserId("ani".into()),
        token_version: 4,
        opened_at: UtcMs(1),
        expires_at: UtcMs(9),
    }
}

fn decided(change: &Change, passkeys: &[Passkey], session: Option<&Session>) -> Result<Decided, Undecided> {
    decided_by(Role::Cashier, change, passkeys, session)
}

fn decided_by(
    role: Role,
    change: &Change,
    passkeys: &[Passkey],
    session: Option<&Session>,
) -> Result<Decided, Undecided> {
    let users = [user("ani", Role::Cashier), user("budi", Role::Cashier)];
    let caller = caller(&user("ani", role));
    let known = Known {
        caller: &caller,
        users: &users,
        passkeys,
        session,
        roles: &Role::STORE,
        store_id: &StoreId("S001".into()),
        new_id: UserId("usr_new".into()),
        now: UtcMs(8),
    };
    decide(change, &known)
}

fn code(result: Result<Decided, Undecided>) -> &'static str {
    match result.unwrap_err() {
        Undecided::Refused(refusal) => refusal.code(),
        Undecided::Moved => "moved",
    }
}

#[test]
fn devices_are_added_once_and_removed_by_their_owner_only() {
    let mine = Change::AddPasskey { passkey: passkey("a", "ani") };
    let added = decided(&mine, &[], None).unwrap();
    assert_eq!((added.action, added.answer.status), ("passkey.added", 201));
    assert_eq!(added.devices, [Device::Saved(passkey("a", "ani"))]);
    assert_eq!(code(decided(&mine, &[passkey("a", "budi")], None)), "duplicate");
    let full: Vec<Passkey> = (0..PASSKEYS_PER_USER_MAX).map(|n| passkey(&format!("k{n}"), "ani")).collect();
    assert_eq!(code(decided(&mine, &full, None)), "validation_failed");
    let unnamed = Change::AddPasskey { passkey: Passkey { name: " ".into(), ..passkey("a", "ani") } };
    assert_eq!(code(decided(&unnamed, &[], None)), "validation_failed");
    let remove = Change::RemovePasskey { credential_id: "a".into() };
    let removed = decided(&remove, &[passkey("a", "ani")], None).unwrap();
    assert_eq!(removed.devices, [Device::Removed(passkey("a", "ani"))]);
    assert_eq!(code(decided(&remove, &[passkey("a", "budi")], None)), "not_found");
    let late = Change::AddPasskey { passkey: Passkey { token_version: 3, ..passkey("a", "ani") } };
    assert_eq!(code(decided(&late, &[], None)), "moved", "begun before the tokens died");
    let others = |role, id: &str| {
        let change = Change::RemoveDevice { id: UserId(id.into()), credential_id: "a".into() };
        decided_by(role, &change, &[passkey("a", "budi"), passkey("b", "budi")], None)
    };
    assert_eq!(code(others(Role::Cashier, "budi")), "insufficient_role");
    assert_eq!(code(others(Role::StoreManager, "ani")), "not_found");
    assert_eq!(others(Role::StoreManager, "budi").unwrap().devices, [Device::Removed(passkey("a", "budi"))]);
}

#[test]
fn a_revocation_of_tokens_removes_every_device_of_the_user() {
    let passkeys = [passkey("a", "budi"), passkey("b", "budi"), passkey("c", "ani")];
    let budi = || UserId("budi".into());
    let update =
        |change, hash: Option<&str>| Change::Update { id: budi(), change, hash: hash.map(str::to_owned) };
    let empty = ChangeUser::default;
    let cases = [
        (Change::Revoke { id: budi() }, 2),
        (update(ChangeUser { disabled: Some(true), ..empty() }, None), 2),
        (update(ChangeUser { role: Some(Role::WarehouseStaff), ..empty() }, None), 2),
        (update(empty(), Some("new")), 2),
        (update(ChangeUser { name: Some("B".into()), ..empty() }, None), 0),
    ];
    for (change, expected) in cases {
        let decided = decided_by(Role::StoreManager, &change, &passkeys, None).unwrap();
        assert_eq!(decided.devices.len(), expected);
        assert!(!decided.devices.contains(&Device::Removed(passkey("c", "ani"))));
        let answer_text = String::from_utf8(decided.answer.body).unwrap();
        assert!(answer_text.contains(&format!("\"devices_removed\":{expected}")), "{answer_text}");
    }
}

#[test]
fn a_new_password_keeps_the_session_that_asked() {
    let change = |version| Change::Password {
        verified: Box::new(User { token_version: version, ..user("ani", Role::Cashier) }),
        hash: "new".into(),
    };
    let done = decided(&change(4), &[passkey("a", "ani"), passkey("b", "budi")], Some(&session())).unwrap();
    assert_eq!(done.devices, [Device::Removed(passkey("a", "ani"))]);
    let (user, session_after) = (done.user.unwrap(), done.session.unwrap());
    assert_eq!((user.token_version, session_after.token_version), (5, 5));
    assert_eq!(user.password_hash.as_deref(), Some("new"));
    assert_eq!(code(decided(&change(3), &[], Some(&session()))), "moved");
    assert_eq!(code(decided(&change(4), &[], None)), "moved");
}
