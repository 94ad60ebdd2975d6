//! Removal of devices: limits of a stolen session, changes that remove devices, and who removes those of others.

use crate::identity::passkeys::{
    CONFIRM, REGISTER, answer, approval, begin, device, finish, log_in, register, user,
};
use serde_json::{Value, json};
use testkit::client::Client;
use testkit::client::authenticator::Authenticator;
use testkit::store::{PASSWORD, Store};

#[test]
fn a_stolen_session_registers_no_device() {
    let store = Store::open_with("", 1);
    let mut thief = store.login("till-1");
    thief.post(REGISTER, &json!({})).invalid_field("password");
    for half in
        [json!({"ceremony_id": "x"}), json!({"credential": {}}), json!({"password": "x", "ceremony_id": "y"})]
    {
        thief.post(REGISTER, &half).invalid_field("password");
    }
    let mut phone = device(&store, None);
    register(&store, "till-1", &mut phone, "Phone");
    // A registered device confirms as well as the password does; an unregistered one does not.
    let confirm = |client: &mut Client, device: &mut Authenticator| {
        let begun = client.post(CONFIRM, &json!({"purpose": "registration"})).data(200);
        client.post(REGISTER, &approval(&begun, device.assert(&begun["public_key"])))
    };
    let mut tablet = device(&store, None);
    let begun = confirm(&mut thief, &mut phone).data(200);
    let credential = tablet.register(&begun["public_key"]);
    let body = json!({"ceremony_id": begun["ceremony_id"], "name": "Tablet", "credential": credential});
    thief.post("/api/auth/webauthn/register/finish", &body).data(201);
    log_in(&store, "till-1", &mut tablet).data(200);
    confirm(&mut thief, &mut device(&store, None)).refused(401, "invalid_credentials");
    // Wrong passwords count as failed log-ins.
    for _ in 0..5 {
        thief.post(REGISTER, &json!({"password": "wrong horse"})).refused(401, "invalid_credentials");
    }
    thief.post(REGISTER, &json!({"password": PASSWORD})).refused(429, "rate_limited");
}

fn id_of(store: &Store, who: &str) -> String {
    store.login(who).get("/api/auth/me").data(200)["user"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_revocation_of_tokens_removes_the_devices_for_good() {
    let mut store = Store::open_with("", 4);
    let mut manager = store.login("manager");
    let mut dead = Vec::new();
    let patch = |manager: &mut Client, id: &str, change: Value| {
        manager.send("PATCH", &format!("/api/users/{id}"), &[], change.to_string().as_bytes()).data(200)
    };
    for (who, how) in
        [("till-1", "revoked"), ("till-2", "password"), ("till-3", "disabled"), ("till-4", "own")]
    {
        let (mut thumb, mut phone) = (device(&store, Some(1)), device(&store, None));
        register(&store, who, &mut thumb, "Thumb");
        register(&store, who, &mut phone, "Phone");
        let id = id_of(&store, who);
        let begun = begin(&store, &user(who));
        let mut own = store.login(who);
        let late = answer(&mut own, &mut device(&store, None), "Late");
        assert_eq!(
            patch(&mut manager, &id, json!({"name": "Another"}))["devices_removed"],
            json!(0),
            "{how}"
        );
        log_in(&store, who, &mut phone).data(200);
        let reported = match how {
            "revoked" => manager.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).data(200),
            "password" => patch(&mut manager, &id, json!({"password": "another horse"})),
            "disabled" => patch(&mut manager, &id, json!({"disabled": true})),
            _ => {
                let change = json!({"current_password": PASSWORD, "new_password": "another horse"});
                own.post("/api/auth/password", &change).data(200)
            }
        };
        assert_eq!(reported["devices_removed"], json!(2), "{how}: {reported}");
        // Ceremonies that began before the change and end after it: a log-in and a registration.
        let refused = finish(&store, &begun, thumb.assert(&begun["public_key"])).status;
        assert!([401, 403].contains(&refused), "{how}: {refused}");
        let registered = own.post("/api/auth/webauthn/register/finish", &late).status;
        assert!([401, 403, 503].contains(&registered), "{how}: {registered}");
        assert_eq!(manager.get(&format!("/api/users/{id}/devices")).data(200)["items"], json!([]), "{how}");
        if how == "disabled" {
            patch(&mut manager, &id, json!({"disabled": false}));
        }
        dead.push((who, thumb, phone));
    }
    for round in ["running", "killed"] {
        if round == "killed" {
            store.kill9();
            store.start();
        }
        for (who, thumb, phone) in &mut dead {
            log_in(&store, who, thumb).refused(401, "invalid_credentials");
            log_in(&store, who, phone).refused(401, "invalid_credentials");
        }
    }
    store.stop();
    store.verify();
}

#[test]
fn devices_of_others_are_seen_and_removed_by_roles_that_may_change_them() {
    let mut store = Store::open_with("", 2);
    let (mut thumb, mut phone, mut boss) = (device(&store, None), device(&store, None), device(&store, None));
    register(&store, "till-1", &mut thumb, "Thumb");
    register(&store, "till-1", &mut phone, "Phone");
    register(&store, "admin", &mut boss, "Boss");
    let (id, admin) = (id_of(&store, "till-1"), id_of(&store, "admin"));
    let devices = format!("/api/users/{id}/devices");
    let mut manager = store.login("manager");
    assert_eq!(manager.get(&devices).data(200)["items"].as_array().unwrap().len(), 2);
    manager.get(&format!("/api/users/{admin}/devices")).refused(403, "insufficient_role");
    let of_boss = format!("/api/users/{admin}/devices/{}", boss.credential_id());
    manager.send("DELETE", &of_boss, &[], b"").refused(403, "insufficient_role");
    store.login("till-2").get(&devices).refused(403, "insufficient_role");
    // The device belongs to another user than the path says.
    let mixed = format!("{devices}/{}", boss.credential_id());
    manager.send("DELETE", &mixed, &[], b"").refused(404, "not_found");
    manager.send("DELETE", &format!("{devices}/{}", thumb.credential_id()), &[], b"").data(200);
    log_in(&store, "till-1", &mut thumb).refused(401, "invalid_credentials");
    log_in(&store, "till-1", &mut phone).data(200);
    log_in(&store, "admin", &mut boss).data(200);
    let audit = manager.get("/api/audit?action=passkey.removed").data(200)["items"].clone();
    assert_eq!(audit[0]["details"]["user_id"], json!(id), "{audit}");

    // The command works while the daemon runs and in the stopped store.
    let run = |store: &Store, arguments: &[&str]| {
        let output = store.run(arguments);
        (output.status.code(), testkit::process::said(&output))
    };
    let (name, device) = (user("till-1"), phone.credential_id());
    for round in ["serving", "stopped"] {
        let (code, listed) = run(&store, &["user", "devices", &name]);
        assert!(code == Some(0) && listed.contains(&device) && listed.contains("Phone"), "{round}: {listed}");
        let (code, said) = run(&store, &["user", "remove-device", &name, "none"]);
        assert!(code == Some(1) && said.contains("none"), "{round}: {said}");
        let (code, said) = run(&store, &["user", "devices", "nobody@s001.example"]);
        assert!(code == Some(1) && said.contains("there is no user"), "{round}: {said}");
        if round == "serving" {
            store.stop();
        }
    }
    assert_eq!(run(&store, &["user", "remove-device", &name, &device]).0, Some(0));
    let (_, said) = run(&store, &["user", "revoke", &user("admin")]);
    assert!(said.contains("devices removed: 1"), "{said}");
    store.start();
    log_in(&store, "till-1", &mut phone).refused(401, "invalid_credentials");
    log_in(&store, "admin", &mut boss).refused(401, "invalid_credentials");
    store.stop();
    store.verify();
}
