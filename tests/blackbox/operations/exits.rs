//! The daemon's exit codes, which systemd and people rely on.

use serde_json::json;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::counter::Counter;
use testkit::dice::Random;
use testkit::store::Store;
use testkit::till::{Load, Till};
use testkit::{CHEAP_HASHES, audit, process};

/// Pieces of every product, for tests in which tills sell.
const RECEIVED: i64 = 100_000;

#[test]
fn a_second_daemon_on_a_folder_ends_with_73_at_once() {
    let mut store = Store::open_with("", 0);
    for arguments in [&["serve"][..], &["rebuild-index"]] {
        let begun = Instant::now();
        let output = store.run(arguments);
        let said = process::said(&output);
        assert_eq!(output.status.code(), Some(73), "{arguments:?}: {said}");
        assert!(said.contains(store.data().to_str().unwrap()), "{arguments:?} names the folder: {said}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{arguments:?}: {:?}", begun.elapsed());
    }
    assert!(store.daemon().ended().is_none());
    store.client().get("/health/ready").data(200);
}

#[test]
fn wrong_settings_end_with_2_naming_file_line_and_key() {
    let mut store = Store::prepare("", 0);
    for (lines, key, line) in [
        ("http.lisen = \"x\"\n", "lisen", 11),
        ("\n\nshopping.list = 1\n", "shopping", 13),
        ("stock.negative = \"maybe\"\n", "negative", 11),
        ("http.max_body_bytes = -1\n", "max_body_bytes", 11),
        ("http.request_timeout = \"soon\"\n", "request_timeout", 11),
        ("store.timezone = \"Mars/Olympus\"\n", "timezone", 11),
    ] {
        store.set(lines);
        for arguments in [&["serve"][..], &["verify"], &["config", "show"]] {
            let output = store.run(arguments);
            let said = process::said(&output);
            assert_eq!(output.status.code(), Some(2), "{arguments:?} {lines}: {said}");
            assert!(said.contains("config.toml"), "{lines}: the file is not named: {said}");
            assert!(said.contains(key), "{lines}: the key is not named: {said}");
            assert!(said.contains(&format!("{line}")), "{lines}: line {line} is not named: {said}");
        }
    }
    store.set("this is no toml\n");
    assert_eq!(store.run(&["serve"]).status.code(), Some(2));
    store.set("");
    let mut command = store.command(&["serve"]);
    command.env("STORE_ROUTER__HTTP__LISEN", "x");
    let output = process::run(command, "");
    assert_eq!(output.status.code(), Some(2), "{}", process::said(&output));
    assert!(process::said(&output).contains("LISEN"), "{}", process::said(&output));
    let output = store.run(&["sing"]);
    assert_eq!(output.status.code(), Some(2), "{}", process::said(&output));
    let mut command = Command::new(process::store_router());
    command.args(["--config", "/nonexistent/config.toml", "serve"]);
    let output = process::run(command, "");
    assert_eq!(output.status.code(), Some(2), "{}", process::said(&output));
}

#[test]
fn doctor_finds_what_a_start_refuses_while_the_store_serves_and_while_it_is_stopped() {
    let mut counter = Counter::open();
    let store = &mut counter.store;
    let doctor = |store: &Store| process::said(&store.run(&["doctor"]));
    assert!(doctor(store).contains("ok       start      the store starts"), "{}", doctor(store));
    let foreign = "store.currency is EUR, but this store has sold in IDR";
    store.set("store.currency = \"EUR\"\n");
    assert!(doctor(store).contains(&format!("PROBLEM  start      {foreign}")), "{}", doctor(store));
    store.stop();
    assert!(doctor(store).contains(&format!("PROBLEM  start      {foreign}")), "{}", doctor(store));
    let (code, said) = store.refuses_to_start();
    assert!(code == 2 && said.contains(foreign), "{said}");
    store.set("");
    let key = store.data().join("keys/tokens.pem");
    std::fs::rename(&key, store.folder().join("tokens.pem")).unwrap();
    let said = doctor(store);
    assert!(said.contains("PROBLEM  start") && said.contains("tokens.pem"), "{said}");
}

#[test]
fn weak_password_settings_are_refused() {
    let mut store = Store::prepare("", 0);
    let weak = store.folder().join("config.toml");
    let weaker = "{ memory_kib = 32, iterations = 1, parallelism = 1 }";
    let text = std::fs::read_to_string(&weak).unwrap().replace(CHEAP_HASHES, weaker);
    std::fs::write(&weak, text).unwrap();
    let (code, said) = store.refuses_to_start();
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("argon2"), "{said}");
}

#[test]
fn init_touches_no_existing_store() {
    let mut store = Store::prepare("", 0);
    let output = process::run(
        store.command(&["init", "--admin", "other@s001.example", "--password-stdin"]),
        "another long one",
    );
    assert_eq!(output.status.code(), Some(1), "{}", process::said(&output));
    store.start();
    store.login("admin").get("/api/auth/me").data(200);
}

#[test]
fn sigterm_under_load_drains_and_loses_nothing() {
    let mut random = Random::announced("sigterm");
    let mut store = Store::open_with("", 3);
    store.receive_all(RECEIVED);
    let tills = (1..=3).map(|n| Till::open(&store, n, &mut random)).collect();
    let load = Load::start(tills);
    for _ in 0..3 {
        load.wait_for(30);
        let begun = Instant::now();
        store.stop();
        assert!(begun.elapsed() < Duration::from_secs(15), "the drain took {:?}", begun.elapsed());
        store.start();
    }
    load.wait_for(10);
    let mut tills = load.finish();
    audit::audit(&store, &mut tills, RECEIVED);
    store.stop();
    store.verify();
}

#[test]
fn a_time_zone_or_a_currency_does_not_change_once_something_was_sold() {
    let mut store = Store::open_with("store.timezone = \"Asia/Makassar\"\n", 1);
    let refused = |store: &mut Store, settings: &str, what: &str| {
        store.set(settings);
        let ended = store.command(&["serve"]).output().unwrap();
        let reported = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{reported}");
        assert!(reported.contains(what), "{reported}");
    };
    store.stop();
    // Nothing was sold, so the currency can still be corrected.
    store.set("store.timezone = \"Asia/Jayapura\"\nstore.currency = \"USD\"\n");
    store.start();
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    store.stop();
    refused(
        &mut store,
        "store.timezone = \"Asia/Jakarta\"\nstore.currency = \"USD\"\n",
        "sold in Asia/Jayapura",
    );
    refused(&mut store, "store.timezone = \"Asia/Jayapura\"\nstore.currency = \"EUR\"\n", "sold in USD");
    store.set("store.timezone = \"Asia/Jayapura\"\nstore.currency = \"USD\"\n");
    store.start();
}

#[test]
fn a_command_whose_output_has_no_reader_ends_silently() {
    let store = Store::prepare("", 0);
    let mut hub = Command::new(process::cloud_hub());
    hub.args(["completions", "bash"]);
    for mut command in [store.command(&["status"]), store.command(&["completions", "bash"]), hub] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended =
            command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        let said = process::said(&ended);
        assert_eq!((ended.status.code(), said.as_str()), (Some(128 + 13), ""), "{command:?}");
    }
}
