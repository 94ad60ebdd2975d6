//! A missing database: the hub waits for it, answers 503, and logs this once.

use super::QUICK;
use super::trade::sell;
use serde_json::json;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;
use testkit::Client;
use testkit::dice::Random;
use testkit::ends::same;
use testkit::hub::postgres::Postgres;
use testkit::hub::{Hub, database};
use testkit::process;
use testkit::store::{PASSWORD, Store};
use testkit::till::Till;
use testkit::wait;

/// Concurrent requests right after the database has gone.
const AT_ONCE: usize = 12;
/// A timeout longer than a request's wait for a connection.
const PATIENCE: Duration = Duration::from_secs(40);

/// Starts a hub with its own database server. Returns `None` where the hub's database is a file.
fn on_a_server_of_its_own() -> Option<(Postgres, Hub)> {
    if database::server().is_none() {
        println!("NOT RUN on SQLite: the step of `cargo xtask test` that has a PostgreSQL runs it");
        return None;
    }
    let postgres = Postgres::start();
    let url = database::fresh_at(&postgres.server());
    let hub = Hub::open_at(tempfile::tempdir().unwrap(), &url, "");
    Some((postgres, hub))
}

/// Starts a service manager that listens: returns its socket, and the wrapper that passes it to a program.
fn manager(folder: &std::path::Path) -> (UnixDatagram, Vec<String>) {
    let path = folder.join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let words =
        ["env".to_owned(), format!("NOTIFY_SOCKET={}", path.display()), "WATCHDOG_USEC=600000".to_owned()];
    (socket, words.to_vec())
}

/// Waits until the program has sent a message that contains this text.
#[track_caller]
fn heard(socket: &UnixDatagram, wanted: &str) {
    let mut bytes = [0; 1024];
    loop {
        let count = socket.recv(&mut bytes).unwrap_or_else(|error| panic!("no {wanted}: {error}"));
        if String::from_utf8_lossy(&bytes[..count]).contains(wanted) {
            return;
        }
    }
}

#[test]
fn a_hub_waits_for_its_database_at_the_start() {
    let Some((mut postgres, mut hub)) = on_a_server_of_its_own() else { return };
    hub.stop();
    postgres.stop_immediately();
    let folder = tempfile::tempdir().unwrap();
    let (socket, wrapper) = manager(folder.path());
    hub.wrap(&wrapper.iter().map(String::as_str).collect::<Vec<_>>());
    hub.spawn();
    // The program reports that it is ready; otherwise systemd would kill it while it waits.
    heard(&socket, "READY=1");
    let health = hub.client().get("/health");
    health.refused(503, "unavailable");
    assert_eq!(health.header("retry-after"), Some("5"));
    let message = health.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("waits for its database") && message.contains("refused"), "{message}");
    let log_in = json!({"username": "admin@hub.example", "password": PASSWORD});
    let answer = hub.client().post("/api/auth/login", &log_in);
    answer.refused(503, "unavailable");
    assert_eq!(answer.header("retry-after"), Some("5"));
    hub.client().get("/no/such/path").refused(503, "unavailable");
    heard(&socket, "WATCHDOG=1");
    postgres.start_again();
    let mut client = hub.client();
    wait::until("the hub has its database", || {
        client.try_send("GET", "/health", &[], b"").ok().filter(|reply| reply.status == 200)
    });
    hub.login().get("/api/stores").data(200);
    heard(&socket, "STATUS=serving");
    let log = hub.log();
    assert_eq!(log.matches("the database is away").count(), 1, "{log}");
    assert_eq!(log.matches("the database is back").count(), 1, "{log}");
    hub.stop();
    heard(&socket, "STOPPING=1");

    // The hub can be stopped while it waits.
    postgres.stop_immediately();
    hub.spawn();
    heard(&socket, "READY=1");
    hub.stop();
    // An error that waiting does not fix ends the program at once.
    postgres.start_again();
    for (url, reason) in [
        (postgres.url("nowhere"), "does not exist"),
        (postgres.url("postgres").replace("postgres@", "nobody@"), "does not exist"),
        (postgres.url("postgres"), "never initialised"),
    ] {
        let mut serve = hub.command(&["serve"]);
        serve.env("CLOUD_HUB__DATABASE__URL", url);
        let done = process::run(serve, "");
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{error}");
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_database_that_goes_away_is_no_defect() {
    let Some((mut postgres, hub)) = on_a_server_of_its_own() else { return };
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    store.start();
    store.receive_all(1000);
    let mut till = Till::open(&store, 1, &mut Random::announced("database away"));
    sell(&mut till, 2);
    same(&hub, &store);
    let admin = hub.login();
    let (address, token) = (hub.address(), admin.token().unwrap().to_owned());
    let paths =
        ["/api/stores", "/api/products", "/api/audit", "/api/auth/me", "/health/ready", "/api/parked"];
    let ask = |n: usize| {
        let mut client = Client::new(address).with_token(&token).patient_for(PATIENCE);
        let reply = client.get(paths[n % paths.len()]);
        (reply.status, reply.header("retry-after").map(str::to_owned), reply.text())
    };
    for round in 0..2 {
        postgres.stop_immediately();
        let answers: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..AT_ONCE).map(|n| scope.spawn(move || ask(n))).collect();
            running.into_iter().map(|answer| answer.join().unwrap()).collect()
        });
        for (status, retry_after, text) in answers {
            assert_eq!(status, 503, "{text}");
            assert!(retry_after.is_some(), "{text}");
        }
        sell(&mut till, 2);
        postgres.start_again();
        let back = "the database is back";
        wait::until("the hub has its database", || (hub.log().matches(back).count() > round).then_some(()));
        same(&hub, &store);
    }
    let log = hub.log();
    assert_eq!(log.matches("the database is away").count(), 2, "{log}");
    assert!(!log.contains("ERROR") && !log.contains("could not be"), "{log}");
}
