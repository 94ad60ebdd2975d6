//! Log-ins and approvals with passkeys, by a software authenticator: devices are registered, used, copied and removed,
//! also across kills, and answers do not reveal which users exist.

use serde_json::{Value, json};
use testkit::client::authenticator::Authenticator;
use testkit::client::{Client, Reply};
use testkit::store::{PASSWORD, Store};

pub const REGISTER: &str = "/api/auth/webauthn/register/start";
pub const CONFIRM: &str = "/api/auth/webauthn/confirm/start";
const DEVICES: &str = "/api/auth/webauthn/credentials";

pub fn user(who: &str) -> String {
    format!("{who}@s001.example")
}

/// Creates a device for this store's origin.
pub fn device(store: &Store, counter: Option<u32>) -> Authenticator {
    Authenticator::new(&format!("http://localhost:{}", store.port()), counter)
}

pub fn begin(store: &Store, username: &str) -> Value {
    store.client().post("/api/auth/webauthn/login/start", &json!({"username": username})).data(200)
}

pub fn finish(store: &Store, begun: &Value, credential: Value) -> Reply {
    store.client().post("/api/auth/webauthn/login/finish", &approval(begun, credential))
}

/// Starts a registration and returns the body that finishes it.
pub fn answer(client: &mut Client, device: &mut Authenticator, name: &str) -> Value {
    let begun = client.post(REGISTER, &json!({"password": PASSWORD})).data(200);
    let credential = device.register(&begun["public_key"]);
    json!({"ceremony_id": begun["ceremony_id"], "name": name, "credential": credential})
}

#[track_caller]
pub fn register(store: &Store, who: &str, device: &mut Authenticator, name: &str) -> Value {
    let mut client = store.login(who);
    let body = answer(&mut client, device, name);
    client.post("/api/auth/webauthn/register/finish", &body).data(201)
}

pub fn log_in(store: &Store, who: &str, device: &mut Authenticator) -> Reply {
    let begun = begin(store, &user(who));
    let credential = device.assert(&begun["public_key"]);
    finish(store, &begun, credential)
}

/// Returns the proof of a device in a ceremony, such as the approval of a command.
pub fn approval(begun: &Value, credential: Value) -> Value {
    json!({"ceremony_id": begun["ceremony_id"], "credential": credential})
}

#[test]
fn devices_are_registered_used_over_kills_and_removed() {
    let mut store = Store::open_with("", 2);
    let (mut thumb, mut phone) = (device(&store, Some(0)), device(&store, None));
    let added = register(&store, "till-1", &mut thumb, "Thumb");
    assert_eq!(added["credential_id"], json!(thumb.credential_id()));
    register(&store, "till-1", &mut phone, "Phone");
    for device in [&mut thumb, &mut phone] {
        let data = log_in(&store, "till-1", device).data(200);
        assert_eq!(data["user"]["role"], json!("cashier"), "{data}");
        let token = data["token"].as_str().unwrap();
        store.client().with_token(token).get("/api/auth/me").data(200);
    }
    store.kill9();
    store.start();
    // The counter is on the disk: a copy from before is refused, and the device itself still works.
    let begun = begin(&store, &user("till-1"));
    let copied = thumb.assert_again(&begun["public_key"], "webauthn.get");
    finish(&store, &begun, copied).refused(401, "invalid_credentials");
    log_in(&store, "till-1", &mut thumb).data(200);
    let mut ani = store.login("till-1");
    let listed = ani.get(DEVICES).data(200);
    let names: Vec<&str> =
        listed["items"].as_array().unwrap().iter().filter_map(|item| item["name"].as_str()).collect();
    assert_eq!(names.len(), 2, "{listed}");
    assert!(names.contains(&"Thumb") && names.contains(&"Phone"), "{listed}");
    assert!(listed["items"].as_array().unwrap().iter().all(|item| item["last_used_at"].is_string()));
    // Another user's devices are not found.
    let path = format!("{DEVICES}/{}", thumb.credential_id());
    let mut budi = store.login("till-2");
    assert_eq!(budi.get(DEVICES).data(200)["items"], json!([]));
    budi.send("DELETE", &path, &[], b"").refused(404, "not_found");
    // The log-in began before the removal and ends after it.
    let begun = begin(&store, &user("till-1"));
    ani.send("DELETE", &path, &[], b"").data(200);
    ani.send("DELETE", &path, &[], b"").refused(404, "not_found");
    let late = thumb.assert(&begun["public_key"]);
    finish(&store, &begun, late).refused(401, "invalid_credentials");
    log_in(&store, "till-1", &mut phone).data(200);
    store.stop();
    store.verify();
}

#[test]
fn a_ceremony_counts_once_even_for_many_at_once() {
    let store = Store::open_with("", 2);
    // Without a counter only the ceremony prevents a repeat.
    let mut phone = device(&store, None);
    register(&store, "till-1", &mut phone, "Phone");
    let begun = begin(&store, &user("till-1"));
    let credential = phone.assert(&begun["public_key"]);
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let send = || finish(&store, &begun, credential.clone());
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(send)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    replies.iter().filter(|reply| reply.status != 200).for_each(|reply| {
        reply.refused(401, "invalid_credentials");
    });
    // With a counter, only one of two ceremonies with the same count opens a session.
    let mut thumb = device(&store, Some(7));
    register(&store, "till-1", &mut thumb, "Thumb");
    let begun = [begin(&store, &user("till-1")), begin(&store, &user("till-1"))];
    let first = thumb.assert(&begun[0]["public_key"]);
    let second = thumb.assert_again(&begun[1]["public_key"], "webauthn.get");
    finish(&store, &begun[0], first).data(200);
    finish(&store, &begun[1], second).refused(401, "invalid_credentials");
    assert!(store.log().contains("counter did not increase"));
    // A ceremony of one user is not valid for another user's device.
    register(&store, "till-2", &mut device(&store, None), "Other");
    let begun = begin(&store, &user("till-2"));
    let credential = phone.assert(&begun["public_key"]);
    finish(&store, &begun, credential).refused(401, "invalid_credentials");
}

#[test]
fn an_invalid_passkey_opens_nothing_and_reveals_nothing() {
    let store = Store::open_with("", 1);
    let mut phone = device(&store, None);
    register(&store, "till-1", &mut phone, "Phone");
    let shape = |begun: &Value| {
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let options = &begun["public_key"];
        (keys(begun), keys(options), keys(&options["allowCredentials"][0]), options["rpId"].clone())
    };
    let (real, nobody) = (begin(&store, &user("till-1")), begin(&store, "nobody@s001.example"));
    assert_eq!(shape(&real), shape(&nobody));
    let shown = |begun: &Value| begun["public_key"]["allowCredentials"].as_array().unwrap().len();
    assert_eq!((shown(&real), shown(&nobody)), (8, 8));
    let again = begin(&store, " NOBODY@s001.example");
    assert_eq!(nobody["public_key"]["allowCredentials"], again["public_key"]["allowCredentials"]);
    let deviceless = begin(&store, &user("manager"));
    assert_eq!(shape(&real), shape(&deviceless));
    let answers = [
        finish(&store, &nobody, phone.assert(&nobody["public_key"])),
        finish(&store, &json!({"ceremony_id": "cer_none"}), phone.assert(&real["public_key"])),
        {
            phone.verifies_user = false;
            let unverified = phone.assert(&real["public_key"]);
            phone.verifies_user = true;
            finish(&store, &real, unverified)
        },
    ];
    let messages: Vec<Value> = answers.iter().map(|reply| reply.json()["error"]["message"].clone()).collect();
    for reply in &answers {
        reply.refused(401, "invalid_credentials");
    }
    assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
    // Malformed bodies.
    let mut client = store.client();
    client.post("/api/auth/webauthn/login/start", &json!({"username": ""})).invalid_field("username");
    client.post("/api/auth/webauthn/login/start", &json!({})).invalid_field("username");
    finish(&store, &real, json!({"id": 5})).invalid_field("credential");
    finish(&store, &real, json!(5)).refused(422, "validation_failed");
    let large = "x".repeat(40_000);
    finish(&store, &real, json!({"id": large})).refused(413, "body_too_large");
    // A user who was disabled: the devices were removed with the tokens.
    let id = store.login("till-1").get("/api/auth/me").data(200)["user"]["id"].as_str().unwrap().to_owned();
    let begun = begin(&store, &user("till-1"));
    let body = json!({"disabled": true}).to_string();
    store.login("manager").send("PATCH", &format!("/api/users/{id}"), &[], body.as_bytes()).data(200);
    finish(&store, &begun, phone.assert(&begun["public_key"])).refused(401, "invalid_credentials");
}

#[test]
fn a_registration_belongs_to_its_session_and_a_device_to_one_user() {
    let store = Store::open_with("", 2);
    let mut phone = device(&store, None);
    let mut ani = store.login("till-1");
    let body = answer(&mut ani, &mut phone, "Phone");
    let finish = "/api/auth/webauthn/register/finish";
    // Another session of the same user can't finish it, and the attempt uses it up.
    store.login("till-1").post(finish, &body).invalid_field("ceremony_id");
    ani.post(finish, &body).invalid_field("ceremony_id");
    let body = answer(&mut ani, &mut phone, "Phone");
    ani.post_keyed(finish, "k1", &body).data(201);
    // The same request is answered again; a new one with the same device is refused.
    let repeat = ani.post_keyed(finish, "k1", &body);
    assert_eq!(repeat.header("idempotency-replayed"), Some("true"), "{}", repeat.text());
    let mut budi = store.login("till-2");
    let body = answer(&mut budi, &mut phone, "Phone");
    budi.post(finish, &body).refused(409, "duplicate");
    let body = answer(&mut budi, &mut device(&store, None), " ");
    budi.post(finish, &body).invalid_field("name");
    let mut unverified = device(&store, None);
    unverified.verifies_user = false;
    let body = answer(&mut budi, &mut unverified, "Weak");
    budi.post(finish, &body).invalid_field("credential");
    let mut elsewhere = Authenticator::new("https://evil.example", None);
    let body = answer(&mut budi, &mut elsewhere, "Elsewhere");
    budi.post(finish, &body).invalid_field("credential");
    assert_eq!(budi.get(DEVICES).data(200)["items"], json!([]));
}

#[test]
fn a_manager_approves_one_action_with_a_device() {
    let store = Store::open_with("shifts.variance_tolerance = 100\n", 1);
    let mut thumb = device(&store, Some(1));
    register(&store, "manager", &mut thumb, "Thumb");
    let mut ani = store.login("till-1");
    let shift = ani.post("/api/shifts/open", &json!({"opening_float": 1000})).data(201);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    let counted = |approval: Value| json!({"counted_cash": 5000, "approval": approval});
    ani.post(&close, &json!({"counted_cash": 5000})).refused(403, "approval_required");
    let begin = |till: &mut Client, who: &str| {
        till.post(CONFIRM, &json!({"purpose": "approval", "username": user(who)})).data(200)
    };
    // A ceremony of an unknown user, and a cashier's device.
    let nobody = begin(&mut ani, "nobody");
    let credential = thumb.assert(&nobody["public_key"]);
    ani.post(&close, &counted(approval(&nobody, credential))).refused(403, "approval_refused");
    let mut own = device(&store, None);
    register(&store, "till-1", &mut own, "Own");
    let begun = begin(&mut ani, "till-1");
    let proof = approval(&begun, own.assert(&begun["public_key"]));
    ani.post(&close, &counted(proof)).refused(403, "approval_required");
    ani.post(&close, &counted(json!({"ceremony_id": "x"}))).invalid_field("approval.credential");
    let begun = begin(&mut ani, "manager");
    let proof = approval(&begun, thumb.assert(&begun["public_key"]));
    ani.post_keyed(&close, "k1", &counted(proof.clone())).data(200);
    let again = ani.post_keyed(&close, "k1", &counted(proof.clone()));
    assert_eq!(again.header("idempotency-replayed"), Some("true"), "{}", again.text());
    // One approval is valid for one action.
    let shift = ani.post("/api/shifts/open", &json!({"opening_float": 1000})).data(201);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    ani.post(&close, &counted(proof)).refused(403, "approval_refused");
}

#[test]
fn a_user_whose_name_is_locked_logs_in_with_a_device() {
    let store = Store::open_with("", 1);
    let mut phone = device(&store, None);
    register(&store, "till-1", &mut phone, "Phone");
    let guess = json!({"username": user("till-1"), "password": "wrong horse"});
    for _ in 0..5 {
        store.client().post("/api/auth/login", &guess).refused(401, "invalid_credentials");
    }
    store.client().post("/api/auth/login", &guess).refused(429, "rate_limited");
    log_in(&store, "till-1", &mut phone).data(200);
}

#[test]
fn an_origin_that_is_an_ip_address_is_refused_since_passkeys_need_a_name() {
    let mut store = Store::prepare("", 1);
    store.set("http.origin = \"https://192.168.1.10\"\n");
    let (code, said) = store.refuses_to_start();
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("http.origin") && said.contains("IP address"), "{said}");
}

#[test]
fn a_ceremony_serves_only_its_purpose() {
    let store = Store::open_with("shifts.variance_tolerance = 100\n", 2);
    let mut thumb = device(&store, None);
    register(&store, "manager", &mut thumb, "Thumb");
    let (mut ani, mut budi, mut manager) =
        (store.login("till-1"), store.login("till-2"), store.login("manager"));
    let shift = ani.post("/api/shifts/open", &json!({"opening_float": 1000})).data(201);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    let approve = json!({"purpose": "approval", "username": user("manager")});
    let own = json!({"purpose": "registration"});
    let mut used_for = |begun: &Value, what: &str| -> Reply {
        let proof = approval(begun, thumb.assert(&begun["public_key"]));
        match what {
            "log-in" => store.client().post("/api/auth/webauthn/login/finish", &proof),
            "approval" => ani.post(&close, &json!({"counted_cash": 5000, "approval": proof})),
            _ => manager.post(REGISTER, &proof),
        }
    };
    let log_in = || begin(&store, &user("manager"));
    for (begun, what) in [
        // A credential from the manager's log-in, obtained by another page.
        (log_in(), "approval"),
        (log_in(), "registration"),
        (store.login("till-1").post(CONFIRM, &approve).data(200), "log-in"),
        (store.login("manager").post(CONFIRM, &own).data(200), "log-in"),
        // A ceremony of another session.
        (store.login("till-1").post(CONFIRM, &approve).data(200), "approval"),
        (budi.post(CONFIRM, &approve).data(200), "approval"),
        (store.login("manager").post(CONFIRM, &own).data(200), "registration"),
    ] {
        let refusal =
            if what == "approval" { (403, "approval_refused") } else { (401, "invalid_credentials") };
        used_for(&begun, what).refused(refusal.0, refusal.1);
    }
    used_for(&log_in(), "log-in").data(200);
    ani.post(CONFIRM, &json!({"purpose": "approval"})).invalid_field("username");
    ani.post(CONFIRM, &json!({"purpose": "registration", "username": "x"})).invalid_field("username");
    ani.post(CONFIRM, &json!({"purpose": "log_in"})).refused(422, "validation_failed");
    store.client().post(CONFIRM, &own).refused(401, "missing_token");
}
