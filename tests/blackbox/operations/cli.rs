//! The command line as people use it: commands that need no store, and every command while a daemon runs.

use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};
use testkit::counter::{Counter, number};
use testkit::ends;
use testkit::hub::Hub;
use testkit::process;
use testkit::store::{PASSWORD, Store};

/// Every command of the contract.
const COMMANDS: [&str; 17] = [
    "init",
    "serve",
    "user",
    "import",
    "enrol",
    "rejoin",
    "status",
    "doctor",
    "man",
    "backup",
    "drill",
    "restore",
    "verify",
    "rebuild-index",
    "config",
    "completions",
    "rotate-keys",
];

/// Runs the binary in a folder without any settings.
#[track_caller]
fn bare(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(process::store_router());
    command.args(arguments).current_dir(folder.path()).env_clear();
    let output = process::run(command, "");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn commands_that_need_no_store_need_no_settings() {
    let (code, help, _) = bare(&["--help"]);
    assert_eq!(code, Some(0));
    for command in COMMANDS {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "{command}:\n{help}");
        assert_eq!(bare(&[command, "--help"]).0, Some(0), "{command}");
    }
    let (code, version, _) = bare(&["--version"]);
    assert_eq!((code, version.trim()), (Some(0), concat!("store-router ", env!("CARGO_PKG_VERSION"))));
    for wrong in [&[][..], &["sing"], &["user"], &["import", "goods", "x.csv"], &["completions", "cobol"]] {
        let (code, _, said) = bare(wrong);
        assert!(code == Some(2) && !said.is_empty(), "{wrong:?}: {code:?} {said}");
    }
}

#[test]
fn completions_are_scripts_that_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, said) = bare(&["completions", shell]);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{shell}");
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    let mut bash = Command::new("bash");
    bash.arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut bash = bash.spawn().unwrap();
    bash.stdin.take().unwrap().write_all(bare(&["completions", "bash"]).1.as_bytes()).unwrap();
    let checked = bash.wait_with_output().unwrap();
    assert!(checked.status.success(), "{}", process::said(&checked));
}

#[test]
fn settings_are_shown_with_their_source_beside_a_daemon_and_stopped() {
    let mut store = Store::open_with("shifts.blind = true", 0);
    for round in ["serving", "stopped"] {
        if round == "stopped" {
            store.stop();
        }
        let mut command = store.command(&["config", "show"]);
        command.env("STORE_ROUTER__TAX__DEFAULT_RATE_BP", "1200");
        let shown = process::succeed(command, "");
        let line = |name: &str| shown.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
        assert!(line("blind").contains("true") && line("blind").contains("config.toml"), "{shown}");
        assert!(line("default_rate_bp").contains("1200"), "{shown}");
        assert!(line("default_rate_bp").contains("STORE_ROUTER__TAX__DEFAULT_RATE_BP"), "{shown}");
        assert!(line("over_tolerance_bp").contains("default"), "{shown}");
    }
}

#[test]
fn every_command_has_an_end_beside_a_daemon_that_sells_on() {
    let mut counter = Counter::open();
    let file = |name: &str, text: &str| counter.store.write_file(name, text).to_str().unwrap().to_owned();
    let products = file("p.csv", "sku,name,price,category,barcode,reorder_level\nNEW,New,1000,,,\n");
    let stock = file("s.csv", "sku,qty,unit_cost\nNEW,5,700\n");
    let members = file("m.csv", "name,email\nSiti,siti@a.id\n");
    let backup = counter.store.folder().join("copy").to_str().unwrap().to_owned();
    let add: &[&str] = &[
        "user",
        "add",
        "--username",
        "n@s001.example",
        "--name",
        "N",
        "--role",
        "cashier",
        "--password-stdin",
    ];
    let table: [(&[&str], i32, &str); 22] = [
        (&["init", "--password-stdin"], 1, ""),
        (&["serve"], 73, "in use"),
        (add, 0, "n@s001.example"),
        (&["user", "list"], 0, "n@s001.example"),
        (&["user", "revoke", "n@s001.example"], 0, ""),
        (&["user", "reset-password", "n@s001.example", "--password-stdin"], 0, "revoked"),
        (&["import", "products", &products], 0, "1 products"),
        (&["import", "stock", &stock], 0, "1 products"),
        (&["import", "members", &members], 0, "1 members"),
        (&["enrol", "--hub", "http://127.0.0.1:9", "--token", "t"], 1, "does not answer"),
        (&["status"], 0, "serving"),
        (&["backup", &backup], 0, "verified"),
        (&["restore", &backup], 1, ""),
        (&["verify"], 0, ""),
        (&["verify", "--deep"], 0, ""),
        (&["rebuild-index"], 73, "stop it first"),
        (&["config", "show"], 0, "S001"),
        (&["config", "check"], 0, "are right"),
        (&["doctor"], 1, "PROBLEM  backup     there is none"),
        (&["backup"], 0, "verified"),
        (&["drill"], 0, "restored and verified"),
        (&["doctor"], 0, "ok       start      the store starts"),
    ];
    for (arguments, code, word) in table {
        let output = process::run(counter.store.command(arguments), PASSWORD);
        let said = process::said(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(word) && !said.trim().is_empty(), "{arguments:?}: {said}");
        let sold = counter.sale(&[("8990001", 1)], &[], "cash");
        assert_eq!(number(&sold, "total"), 2_220, "{arguments:?}");
    }
    assert_eq!(counter.on_hand("NEW"), 5);
    // A restore interrupts the open shift, so it comes last; the till opens a new shift and continues.
    let said = process::succeed(counter.store.command(&["rejoin"]), "");
    assert!(said.contains("in epoch 2-"), "{said}");
    counter.till.post("/api/shifts/open", &json!({})).data(201);
    counter.sale(&[("8990001", 1)], &[], "cash");
    counter.store.login("n").get("/api/auth/me").data(200);
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn a_serving_store_meets_its_hub_and_sells_on() {
    let mut counter = Counter::open();
    let health =
        |counter: &mut Counter| counter.till.send("GET", "/health", &[], b"").data(200)["hub"].clone();
    assert_eq!(health(&mut counter), json!("not_configured"));
    counter.sale(&[("8990001", 1)], &[], "cash");
    let hub = Hub::open();
    hub.enrol(&counter.store);
    assert_ne!(
        health(&mut counter),
        json!("not_configured"),
        "the store knows the hub before the command ends"
    );
    counter.sale(&[("8990001", 1)], &[], "cash");
    let books = ends::same(&hub, &counter.store);
    assert_eq!(books.sales["sales_count"], 2, "{books:?}");
}
