//! Users that head office creates for a store or disables.

use crate::contract::idempotency::Attempt;
use serde_json::{Value, json};
use std::time::Instant;
use testkit::counter::text;
use testkit::linked::Linked;
use testkit::store::PASSWORD;
use testkit::{Client, process, wait};

const ME: &str = "/api/auth/me";
pub(super) const CHANGED: &str = "another horse 9";

/// Head office creates a user of the store. Waits until the user can log in.
pub(super) fn given(shop: &mut Linked, username: &str) -> (Value, Client) {
    let new = json!({"username": username, "name": username, "role": "cashier", "store_id": "S001",
        "password": PASSWORD});
    let made = shop.made("/api/users", &new);
    is_kept_out(shop, &text(&made, "id"), false);
    let client = logged_in(shop, username, PASSWORD).expect("the person is here");
    (made, client)
}

/// Waits until the store shows whether the user is disabled. Failed log-ins instead would cause a delay each.
#[track_caller]
pub(super) fn is_kept_out(shop: &mut Linked, id: &str, out: bool) {
    shop.seen("the word of head office", &format!("/api/users/{id}"), |user| user["disabled"] == json!(out));
}

pub(super) fn logged_in(shop: &Linked, username: &str, password: &str) -> Option<Client> {
    let mut client = shop.store.client();
    let reply = client.post("/api/auth/login", &json!({"username": username, "password": password}));
    (reply.status == 200).then(|| client.with_token(&text(&reply.data(200), "token")))
}

#[track_caller]
pub(super) fn patch(shop: &mut Linked, id: &str, fields: &Value) {
    let path = format!("/api/users/{id}");
    shop.office.send("PATCH", &path, &[], fields.to_string().as_bytes()).data(200);
}

/// Returns whether head office has disabled the user.
fn is_denied(shop: &mut Linked, id: &str) -> Option<bool> {
    let list = shop.office.get("/api/users?store_id=S001").data(200);
    let found = list["items"].as_array()?.iter().find(|person| person["id"] == json!(id))?;
    found["disabled"].as_bool()
}

#[test]
fn a_user_whom_head_office_disables_is_out_at_the_till_and_stays_out() {
    let mut shop = Linked::open();
    let (made, mut ani) = given(&mut shop, "ani@s001.example");
    let id = text(&made, "id");
    ani.get(ME).data(200);
    let begun = Instant::now();
    shop.office.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).data(200);
    wait::until("the token is revoked", || (ani.get(ME).status == 401).then_some(()));
    println!("a revoked user is out after {:?}", begun.elapsed());
    ani.get(ME).refused(401, "token_revoked");
    let mut again = logged_in(&shop, "ani@s001.example", PASSWORD).expect("only the tokens were revoked");
    patch(&mut shop, &id, &json!({"disabled": true}));
    wait::until("out", || (again.get(ME).status == 403).then_some(()));
    // The user stays disabled without a connection and after a crash.
    shop.cut();
    shop.store.kill9();
    shop.store.start();
    shop.manager = shop.store.login("manager");
    assert!(logged_in(&shop, "ani@s001.example", PASSWORD).is_none());
    assert_ne!(again.get(ME).status, 200, "the user is disabled, or the session has ended");
    let here = shop.manager.get(&format!("/api/users/{id}")).data(200);
    assert_eq!(here["disabled"], json!(true), "{here}");
    assert!(!text(&here, "created_at").starts_with("1970"), "{here}");
    shop.hub.start();
    shop.office = shop.hub.login();
    patch(&mut shop, &id, &json!({"disabled": false}));
    is_kept_out(&mut shop, &id, false);
    logged_in(&shop, "ani@s001.example", PASSWORD).expect("a person at the hub has enabled the user again");
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn a_revocation_of_head_office_removes_the_devices_at_the_store() {
    let mut shop = Linked::open();
    let (made, mut ani) = given(&mut shop, "ani@s001.example");
    let id = text(&made, "id");
    let devices = format!("/api/users/{id}/devices");
    for (round, change) in
        [None, Some(json!({"password": CHANGED})), Some(json!({"disabled": true}))].into_iter().enumerate()
    {
        let password = if round == 2 { CHANGED } else { PASSWORD };
        let own = shop.store.client().with_token(ani.token().unwrap());
        let device = Attempt::registered(own, password, shop.store.port());
        assert_eq!(shop.manager.get(&devices).data(200)["items"][0]["credential_id"], json!(device));
        match change {
            None => drop(shop.office.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).data(200)),
            Some(change) => patch(&mut shop, &id, &change),
        }
        shop.seen("the device is gone", &devices, |listed| listed["items"] == json!([]));
        if round < 2 {
            let password = if round == 1 { CHANGED } else { PASSWORD };
            ani =
                logged_in(&shop, "ani@s001.example", password).expect("only tokens and devices were revoked");
        }
    }
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn a_denial_that_a_restored_hub_has_lost_is_brought_back_by_the_store() {
    let mut shop = Linked::open();
    let (known, mut ani) = given(&mut shop, "ani@s001.example");
    let ani_id = text(&known, "id");
    shop.synced();
    let backup = shop.hub.backup();
    // After the backup: one user is disabled, and another one is created and disabled.
    let (late, mut budi) = given(&mut shop, "budi@s001.example");
    let budi_id = text(&late, "id");
    for (id, client) in [(&ani_id, &mut ani), (&budi_id, &mut budi)] {
        patch(&mut shop, id, &json!({"disabled": true}));
        wait::until("out", || (client.get(ME).status == 403).then_some(()));
    }
    shop.hub.restore(&backup);
    shop.office = shop.hub.login();
    shop.manager = shop.store.login("manager");
    shop.synced();
    for (id, client) in [(&ani_id, &mut ani), (&budi_id, &mut budi)] {
        client.get(ME).refused(403, "account_disabled");
        wait::until("head office knows of the denial again", || {
            is_denied(&mut shop, id).filter(|denied| *denied)
        });
    }
    // A denial that came back is like any other: a person can lift it.
    patch(&mut shop, &ani_id, &json!({"disabled": false}));
    is_kept_out(&mut shop, &ani_id, false);
    logged_in(&shop, "ani@s001.example", PASSWORD).expect("the user can log in again");
    budi.get(ME).refused(403, "account_disabled");
    shop.synced();
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn people_whom_a_restored_hub_no_longer_has_are_listed_there_again() {
    let mut shop = Linked::open();
    shop.synced();
    let backup = shop.hub.backup();
    let (late, mut budi) = given(&mut shop, "budi@s001.example");
    let id = text(&late, "id");
    shop.synced();
    shop.hub.restore(&backup);
    shop.office = shop.hub.login();
    shop.manager = shop.store.login("manager");
    shop.synced();
    wait::until("head office lists the person", || is_denied(&mut shop, &id).filter(|denied| !denied));
    budi.get(ME).data(200);
    // It can deny the person, and let the person in again.
    patch(&mut shop, &id, &json!({"disabled": true}));
    wait::until("out", || (budi.get(ME).status == 403).then_some(()));
    patch(&mut shop, &id, &json!({"disabled": false}));
    is_kept_out(&mut shop, &id, false);
    logged_in(&shop, "budi@s001.example", PASSWORD).expect("with the same password");
    shop.synced();
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn a_denial_that_a_store_made_while_it_was_cut_off_is_for_head_office_to_lift() {
    let mut shop = Linked::open();
    let (made, _) = given(&mut shop, "ani@s001.example");
    let id = text(&made, "id");
    shop.synced();
    shop.cut();
    let path = format!("/api/users/{id}");
    let mut settle = |disabled: bool| {
        let change = json!({"disabled": disabled}).to_string();
        shop.manager.send("PATCH", &path, &[], change.as_bytes())
    };
    settle(true).data(200);
    let details = settle(false).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("disabled_at_head_office"));
    settle(true).data(200);
    shop.hub.start();
    shop.office = shop.hub.login();
    shop.synced();
    wait::until("head office has the denial", || is_denied(&mut shop, &id).filter(|denied| *denied));
    patch(&mut shop, &id, &json!({"disabled": false}));
    is_kept_out(&mut shop, &id, false);
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn a_word_of_head_office_about_a_person_takes_no_password_away() {
    let mut shop = Linked::open();
    // A user of the store: head office can't set the password.
    let new =
        json!({"username": "siti@s001.example", "name": "Siti", "role": "cashier", "password": PASSWORD});
    let id = text(&shop.manager.post("/api/users", &new).data(201), "id");
    shop.synced();
    patch(&mut shop, &id, &json!({"name": "Siti Rahma"}));
    let named = |name: &'static str| move |user: &Value| user["name"] == json!(name);
    shop.seen("the name is here", &format!("/api/users/{id}"), named("Siti Rahma"));
    logged_in(&shop, "siti@s001.example", PASSWORD).expect("the password is unchanged");

    // A user with a password from head office, which was then changed at the store.
    let (made, mut ani) = given(&mut shop, "ani@s001.example");
    let id = text(&made, "id");
    let change = json!({"current_password": PASSWORD, "new_password": CHANGED});
    ani.post("/api/auth/password", &change).data(200);
    patch(&mut shop, &id, &json!({"name": "Ani Wijaya"}));
    shop.seen("the name is here", &format!("/api/users/{id}"), named("Ani Wijaya"));
    assert!(logged_in(&shop, "ani@s001.example", PASSWORD).is_none(), "the old password must not work again");
    logged_in(&shop, "ani@s001.example", CHANGED).expect("the changed password works");
    // The whole feed is read again. Old records change nothing.
    shop.manager.post("/api/sync/force", &json!({"full": true})).data(200);
    shop.synced();
    logged_in(&shop, "ani@s001.example", CHANGED).expect("the changed password still works");
    let path = format!("/api/users/{id}");
    patch(&mut shop, &id, &json!({"password": "a third horse 9", "name": "Ani W"}));
    shop.seen("the name is here", &path, named("Ani W"));
    logged_in(&shop, "ani@s001.example", "a third horse 9")
        .expect("a new password by head office takes effect");
    ani.get(ME).refused(401, "token_revoked");
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn a_login_name_that_head_office_gives_takes_nobodys_own_away() {
    let mut shop = Linked::open();
    let (username, own_password, given_password) = ("owner@s001.example", PASSWORD, CHANGED);
    shop.synced();
    shop.store.stop();
    // Head office does so in good faith, because it can't know whom the stopped store has added.
    let new = ["user", "add", "--username", username, "--name", "Own", "--role", "admin", "--password-stdin"];
    process::succeed(shop.store.command(&new), own_password);
    let new = json!({"username": username, "name": "Head Office", "role": "cashier", "store_id": "S001",
        "password": given_password});
    let given = text(&shop.made("/api/users", &new), "id");
    shop.store.start();
    shop.manager = shop.store.login("manager");
    let mut admin = logged_in(&shop, username, own_password).expect("the store's own user logs in");
    let own = text(&admin.get(ME).data(200)["user"], "id");
    let status = shop.seen("the store says so", "/api/sync/status", |status| {
        status["inbound"]["untaken"]["records"].as_array().is_some_and(|records| !records.is_empty())
    });
    let problem = status["inbound"]["untaken"]["records"][0].clone();
    assert_eq!(problem["id"], json!(given), "{problem}");
    assert!(
        text(&problem, "problem").contains(username) && text(&problem, "problem").contains(&own),
        "{problem}"
    );
    assert!(
        status["problems"].as_array().unwrap().iter().any(|one| one["code"] == "feed_unusable"),
        "{status}"
    );
    // The store's own user can log in, head office's can't.
    admin.get(ME).data(200);
    let again = logged_in(&shop, username, own_password);
    assert_eq!(
        text(&again.expect("the store's own user keeps the name").get(ME).data(200)["user"], "id"),
        own
    );
    assert!(logged_in(&shop, username, given_password).is_none());
    admin.get(&format!("/api/users/{given}")).refused(404, "not_found");
    // Head office gets an exception as well.
    let found = wait::until("head office has an exception", || {
        let list = shop.office.get("/api/exceptions").data(200)["items"].clone();
        list.as_array()?.iter().find(|one| one["code"] == "user_name_taken").cloned()
    });
    let message = text(&found, "message");
    assert!(message.contains(username) && message.contains(&own) && message.contains(&given), "{message}");
    // One of the two is renamed, and both can log in.
    let path = format!("/api/users/{own}");
    admin
        .send("PATCH", &path, &[], json!({"username": "chief@s001.example"}).to_string().as_bytes())
        .data(200);
    is_kept_out(&mut shop, &given, false);
    let theirs = logged_in(&shop, username, given_password);
    assert_eq!(text(&theirs.expect("the name is free").get(ME).data(200)["user"], "id"), given);
    logged_in(&shop, "chief@s001.example", own_password).expect("the new name works");
    shop.seen("nothing is left to say", "/api/sync/status", |status| {
        status["inbound"]["untaken"]["total"] == 0
    });
    shop.synced();
    shop.store.stop();
    shop.store.verify();
}
