//! Who may change whom, and the forbidden changes.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use super::*;
use crate::model::base::ids::SessionId;

const NOW: UtcMs = UtcMs(1_795_140_394_739);

fn user(name: &str, role: Role) -> User {
    User {
        user_id: UserId(name.to_owned()),
        username: name.to_owned(),
        name: name.to_owned(),
        role,
        store_id: StoreId("S001".to_owned()),
        password_hash: None,
        times: FieldTimes::default(),
        token_version: 4,
        disabled: false,
        created_at: UtcMs(1),
        updated_at: UtcMs(1),
    }
}

fn caller(name: &str, role: Role) -> Principal {
    let User { user_id, name, role, store_id, .. } = user(name, role);
    Principal { user_id, name, role, store_id, session_id: SessionId("ses_1".to_owned()) }
}

fn shop() -> Vec<User> {
    vec![
        user("boss", Role::Admin),
        user("head", Role::StoreManager),
        user("ani", Role::Cashier),
        user("budi", Role::WarehouseStaff),
    ]
}

fn changed(by: (&str, Role), who: &str, change: ChangeUser) -> Result<User, Refusal> {
    crate::rules::people::user::change::change(
        &change,
        &UserId(who.to_owned()),
        None,
        NOW,
        &caller(by.0, by.1),
        &shop(),
    )
}

fn new(username: &str, role: Role) -> NewUser {
    NewUser { username: username.into(), name: "N".into(), role, password: None, disabled: None }
}

#[test]
fn managers_manage_cashiers_and_warehouse_staff_only() {
    for role in Role::ALL {
        for target in Role::ALL {
            let expected = match role {
                Role::Admin => true,
                Role::StoreManager => matches!(target, Role::Cashier | Role::WarehouseStaff),
                _ => false,
            };
            assert_eq!(may_manage(role, target), expected, "{role:?} {target:?}");
        }
    }
    let manager = ("head", Role::StoreManager);
    let rename = || ChangeUser { name: Some("New".into()), ..ChangeUser::default() };
    assert_eq!(changed(manager, "ani", rename()).unwrap().name, "New");
    for who in ["boss", "head"] {
        assert_eq!(changed(manager, who, rename()), Err(Refusal::InsufficientRole), "{who}");
    }
    assert_eq!(changed(manager, "none", rename()), Err(Refusal::NotFound("user")));
    let promote = ChangeUser { role: Some(Role::StoreManager), ..ChangeUser::default() };
    assert_eq!(changed(manager, "ani", promote), Err(Refusal::InsufficientRole));
}

#[test]
fn a_change_of_rights_revokes_every_token() {
    let admin = ("boss", Role::Admin);
    let none = ChangeUser::default;
    for (change, killed) in [
        (ChangeUser { name: Some("New".into()), ..none() }, false),
        (ChangeUser { username: Some("Ani2".into()), ..none() }, false),
        (ChangeUser { role: Some(Role::Cashier), ..none() }, false),
        (ChangeUser { role: Some(Role::WarehouseStaff), ..none() }, true),
        (ChangeUser { disabled: Some(true), ..none() }, true),
        (ChangeUser { disabled: Some(false), ..none() }, false),
    ] {
        let after = changed(admin, "ani", change.clone()).unwrap();
        assert_eq!(after.token_version, if killed { 5 } else { 4 }, "{:?}", change.given());
        assert_eq!(after.updated_at, NOW);
    }
    let id = UserId("ani".into());
    let by = caller("boss", Role::Admin);
    let after =
        crate::rules::people::user::change::change(&none(), &id, Some("hash".into()), NOW, &by, &shop())
            .unwrap();
    assert_eq!((after.token_version, after.password_hash.as_deref()), (5, Some("hash")));
    assert_eq!(revoke(&id, NOW, &by, &shop()).unwrap().token_version, 5);
}

#[test]
fn nobody_keeps_himself_out() {
    let disable = ChangeUser { disabled: Some(true), ..ChangeUser::default() };
    assert_eq!(changed(("boss", Role::Admin), "boss", disable).unwrap_err().code(), "invalid_state");
}

#[test]
fn login_names_are_unique_in_any_case() {
    let by = caller("boss", Role::Admin);
    let make = |command: &NewUser| {
        command.check(&Role::STORE)?;
        create(command, UserId("usr_9".into()), None, NOW, &by, &shop(), &StoreId("S001".into()))
    };
    assert_eq!(make(&new(" Siti@Toko.ID ", Role::Cashier)).unwrap().username, "siti@toko.id");
    assert_eq!(make(&new("ANI", Role::Cashier)).unwrap_err().code(), "duplicate");
    for (username, role) in
        [("", Role::Cashier), ("a b", Role::Cashier), ("x", Role::HoFinance), ("x\u{7}", Role::Cashier)]
    {
        assert_eq!(make(&new(username, role)).unwrap_err().code(), "validation_failed", "{username}");
    }
    let taken = ChangeUser { username: Some("BUDI".into()), ..ChangeUser::default() };
    assert_eq!(changed(("boss", Role::Admin), "ani", taken).unwrap_err().code(), "duplicate");
    let own = ChangeUser { username: Some("ANI".into()), ..ChangeUser::default() };
    assert_eq!(changed(("boss", Role::Admin), "ani", own).unwrap().username, "ani");
}

#[test]
fn nobody_gets_a_new_own_password_without_the_current_one() {
    let give = |to: &str| {
        let (nothing, boss) = (ChangeUser::default(), caller("boss", Role::Admin));
        crate::rules::people::user::change::change(
            &nothing,
            &UserId(to.to_owned()),
            Some("hash".to_owned()),
            NOW,
            &boss,
            &shop(),
        )
    };
    assert!(matches!(give("boss"), Err(Refusal::InvalidState { .. })));
    assert_eq!(give("ani").unwrap().password_hash.as_deref(), Some("hash"));
}
