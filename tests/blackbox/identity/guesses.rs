//! Guessed passwords: which ones are checked, and the cost of each attempt, counted in password hashes.

use serde_json::{Value, json};
use std::time::Duration;
use testkit::hub::Hub;
use testkit::store::{PASSWORD, Store};
use testkit::wait;
use testkit::{Client, Reply};

const LOG_INS: usize = 200;
/// Timeout of the clients, which all wait for their turn on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Highest memory use of the daemon in the meantime. Hashes on short-lived threads took 800 MiB.
const MEMORY_KIB_MAX: u64 = 512 * 1024;

/// Returns the number of password hashes that the daemon has computed.
pub fn hashes(mut client: Client) -> u64 {
    let text = client.get("/metrics").text();
    let line = text.lines().find(|line| line.starts_with("password_hashes_total")).unwrap_or("0");
    line.split_whitespace().last().unwrap().parse().unwrap()
}

fn guess(client: &impl Fn() -> Client, username: &str, password: &str) -> u16 {
    client().post("/api/auth/login", &json!({"username": username, "password": password})).status
}

/// Asserts that a wrong password, an unknown name and a user without a password cost one hash each.
fn equal_work(client: impl Fn() -> Client, known: &str) {
    let answer = |username: &str| {
        let before = hashes(client());
        let body = json!({"username": username, "password": "a wrong horse"});
        let answer = client().post("/api/auth/login", &body);
        assert_eq!(hashes(client()) - before, 1, "{username}");
        let error = answer.refused(401, "invalid_credentials");
        (error["message"].clone(), error["details"].clone())
    };
    assert_eq!(answer(known), answer("nobody@s001.example"));
}

#[test]
fn a_wrong_password_and_an_unknown_name_cost_the_same_at_the_store() {
    let store = Store::open_with("", 1);
    equal_work(|| store.client(), "till-1@s001.example");
    let person = json!({"username": "thumb@s001.example", "name": "T", "role": "cashier"});
    let made = store.login("manager").post("/api/users", &person).data(201);
    equal_work(|| store.client(), "thumb@s001.example");
    let path = format!("/api/users/{}", made["id"].as_str().unwrap());
    let disabled = json!({"disabled": true, "password": "a third horse"});
    store.login("manager").send("PATCH", &path, &[], disabled.to_string().as_bytes()).data(200);
    equal_work(|| store.client(), "thumb@s001.example");
}

#[test]
fn a_wrong_password_and_an_unknown_name_cost_the_same_at_head_office() {
    let hub = Hub::open();
    equal_work(|| hub.client(), "admin@hub.example");
}

#[test]
fn of_many_guesses_few_are_tried_and_the_others_cost_nothing() {
    let store = Store::open_with("", 1);
    let before = hashes(store.client());
    let client = || store.client();
    let refused = (0..300).filter(|n| guess(&client, "manager@s001.example", &format!("horse {n}")) == 429);
    assert_eq!(refused.count(), 295);
    assert_eq!(hashes(store.client()) - before, 5, "five attempts for one name");
    // The client goes through a list of names, so the limit of its address applies.
    let refused = (0..300).filter(|n| guess(&client, &format!("name-{n}@s001.example"), PASSWORD) == 429);
    assert_eq!(refused.count(), 255);
    assert_eq!(hashes(store.client()) - before, 50, "fifty attempts for one address");
}

/// A cashier who guesses a manager's password for an approval is refused. The manager's log-in, also at that register,
/// and another cashier's approvals still work, also after a kill.
#[test]
fn refused_approvals_keep_no_manager_from_logging_in() {
    let mut store = Store::open_with("shifts.variance_tolerance = 100\n", 2);
    let (mut ani, mut budi) = (store.login("till-1"), store.login("till-2"));
    let close = |register: &str, till: &mut Client| {
        let body = json!({"opening_float": 1000, "register_id": register});
        let shift = till.post("/api/shifts/open", &body).data(201);
        format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap())
    };
    let (of_ani, of_budi) = (close("r1", &mut ani), close("r2", &mut budi));
    let approve = |password: &str| {
        json!({"counted_cash": 5000,
            "approval": {"username": "manager@s001.example", "password": password}})
    };
    for guess in 0..5 {
        ani.post(&of_ani, &approve(&format!("horse {guess}"))).refused(403, "approval_refused");
    }
    let before = hashes(store.client());
    let refused = ani.post(&of_ani, &approve(PASSWORD));
    assert!(refused.refused(403, "approval_limited")["retry_after_s"].is_u64());
    assert_eq!(hashes(store.client()), before, "the refusal must not compute a hash");
    budi.post(&of_budi, &approve("wrong horse")).refused(403, "approval_refused");
    let manager = json!({"username": "manager@s001.example", "password": PASSWORD});
    store.client().post("/api/auth/login", &manager).data(200);
    let file = store.data().join("guesses.json");
    wait::until("all failed attempts are on the disk", || {
        let kept: Value = serde_json::from_slice(&std::fs::read(&file).ok()?).ok()?;
        let of_all = kept["requesters"].as_object()?;
        let sum: u64 = of_all.values().filter_map(|failures| failures[0].as_u64()).sum();
        (sum == 6).then_some(())
    });
    store.kill9();
    store.start();
    ani.post(&of_ani, &approve(PASSWORD)).refused(403, "approval_limited");
    store.client().post("/api/auth/login", &manager).data(200);
    budi.post(&of_budi, &approve(PASSWORD)).data(200);
    // A manager can always do in person what needs an approval.
    store.login("manager").post(&of_ani, &json!({"counted_cash": 5000})).data(200);
    store.stop();
    store.start();
    let rows = store.login("manager").get("/api/audit?action=approval.refused").data(200)["items"].clone();
    assert!(rows.as_array().unwrap().iter().any(|row| row["details"]["why"] == "approval_limited"), "{rows}");
}

/// Two hashes run at once, and an address has fifty attempts even if all requests come together.
#[test]
fn two_hundred_log_ins_at_once_find_room_and_fifty_are_tried() {
    // The lowest costs of a released program.
    let mut store =
        Store::open_with("auth.argon2 = { memory_kib = 19456, iterations = 2, parallelism = 1 }\n", 1);
    let peak_kib = |store: &mut Store| -> u64 {
        let status = format!("/proc/{}/status", store.daemon().pid());
        let text = std::fs::read_to_string(status).unwrap();
        let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let address = store.address();
    let calm_kib = peak_kib(&mut store);
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let log_in = |number: usize| {
            let body = json!({"username": format!("name-{number}@s001.example"), "password": PASSWORD});
            Client::new(address).patient_for(PATIENCE).post("/api/auth/login", &body).status
        };
        let running: Vec<_> = (0..LOG_INS).map(|number| scope.spawn(move || log_in(number))).collect();
        running.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    let tried = answers.iter().filter(|status| **status == 401).count();
    assert_eq!((tried, answers.iter().filter(|status| **status == 429).count()), (50, LOG_INS - 50));
    let peak_kib = peak_kib(&mut store);
    assert!(peak_kib < MEMORY_KIB_MAX, "{peak_kib} KiB, {calm_kib} KiB before");
}

/// Each failure reduces the remaining attempts, whichever name is tried. The number left for a name is sent when it is
/// used up.
fn attempts_are_announced(client: impl Fn() -> Client, known: &str, password: &str) {
    let try_it = |username: &str, password: &str| {
        client().post("/api/auth/login", &json!({"username": username, "password": password}))
    };
    let left = |reply: &Reply| reply.header("ratelimit").unwrap_or_default().to_owned();
    for failures in 1..=5 {
        let reply = try_it("nobody@s001.example", "a wrong horse");
        reply.refused(401, "invalid_credentials");
        assert_eq!(reply.header("ratelimit-policy"), Some("\"name\";q=5;w=300, \"address\";q=50;w=300"));
        assert!(left(&reply).starts_with(&format!("\"address\";r={};t=", 50 - failures)), "{}", left(&reply));
    }
    let refused = try_it("nobody@s001.example", "a wrong horse");
    refused.refused(429, "rate_limited");
    assert_eq!(left(&refused), format!("\"name\";r=0;t={}", refused.header("retry-after").unwrap()));
    let right = try_it(known, password);
    assert_eq!(right.status, 200, "{}", right.text());
    assert!(left(&right).starts_with("\"address\";r=45;t="), "{}", left(&right));
    assert_eq!(client().get("/health").header("ratelimit-policy"), None);
}

#[test]
fn a_log_in_at_the_store_says_how_many_attempts_are_left() {
    let store = Store::open_with("", 1);
    attempts_are_announced(|| store.client(), "till-1@s001.example", PASSWORD);
}

#[test]
fn a_log_in_at_head_office_says_how_many_attempts_are_left() {
    let hub = Hub::open();
    attempts_are_announced(|| hub.client(), "admin@hub.example", PASSWORD);
}
