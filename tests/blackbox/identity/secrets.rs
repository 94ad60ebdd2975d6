//! Secrets are only in files that their owner alone can read: not in logs, in the audit log, in shown settings or in
//! the environment of the process.

use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use testkit::hub::Hub;
use testkit::store::{PASSWORD, Store};
use testkit::{process, wait};

/// Files of the data folder that contain a secret.
const SECRETS: [&str; 3] = ["keys/tokens.pem", "keys/sync.pem", "install.key"];

#[test]
fn a_key_that_others_may_read_is_refused() {
    let mut store = Store::prepare("", 1);
    assert_eq!(fs::metadata(store.data()).unwrap().permissions().mode() & 0o777, 0o700);
    for name in SECRETS {
        let path = store.data().join(name);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        for mode in [0o640, 0o604] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let (code, said) = store.refuses_to_start();
            assert_ne!(code, 0, "{name} {mode:o}");
            assert!(said.contains(name) && said.contains("chmod 600"), "{name} {mode:o}: {said}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    store.start();
    store.stop();
}

#[test]
fn logs_settings_and_the_audit_log_reveal_no_secret() {
    let settings = "log.level = \"trace\"\nhub.url = \"https://till:hush-hush@hub.example\"\n";
    let mut store = Store::prepare(settings, 1);
    let file = store.folder().join("config.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(store.run(&["config", "show"]).status.code(), Some(2), "a password file that others may read");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    store.start();
    let wrong = json!({"username": "manager@s001.example", "password": "not-this-one-either"});
    store.client().post("/api/auth/login", &wrong).refused(401, "invalid_credentials");
    let mut manager = store.login("manager");
    let token = manager.token().unwrap().to_owned();
    let mut till = store.login("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let pin = json!({"pin": "80641375", "password": PASSWORD}).to_string();
    till.send("PUT", "/api/auth/pin", &[], pin.as_bytes()).data(200);
    let body = json!({"username": "till-1@s001.example", "password": PASSWORD});
    let till_token = store.client().post("/api/auth/login", &body).data(200)["till_token"].clone();
    for pin in ["80641375", "91752486"] {
        let body = json!({"till_token": till_token, "pin": pin});
        store.client().post("/api/auth/login/pin", &body);
    }
    let audit = manager.get("/api/audit?limit=100").data(200).to_string();
    assert!(audit.contains("pin.set"), "{audit}");
    let shown = manager.get("/api/admin/settings").data(200).to_string();
    let printed = String::from_utf8(store.run(&["config", "show"]).stdout).unwrap();
    assert!(shown.contains("***@hub.example") && printed.contains("***@hub.example"), "{shown}\n{printed}");
    let key = fs::read_to_string(store.data().join(SECRETS[0])).unwrap();
    let key_line = key.lines().nth(1).unwrap().to_owned();
    let process = format!("/proc/{}", store.daemon().pid());
    let seen = ["environ", "cmdline"].map(|file| fs::read(format!("{process}/{file}")).unwrap());
    let seen = String::from_utf8_lossy(&seen.concat()).into_owned();
    assert!(seen.contains("serve"), "{seen}");
    store.stop();
    let log = store.log();
    assert!(log.contains("serving"), "{log}");
    let signature = token.rsplit('.').next().unwrap();
    let pins = ["80641375", "91752486", "$argon2"];
    for secret in
        [PASSWORD, "not-this-one-either", "hush-hush", signature, key_line.as_str()].into_iter().chain(pins)
    {
        for (place, text) in [
            ("log", &log),
            ("audit log", &audit),
            ("settings", &shown),
            ("config show", &printed),
            ("/proc", &seen),
        ] {
            assert!(!text.contains(secret), "{place} reveals {secret:?}");
        }
    }
}

/// Returns every file below a folder, with its mode.
fn modes(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, meta) = (entry.path(), entry.metadata().unwrap());
        if meta.is_dir() {
            found.extend(modes(&path));
        } else {
            found.push((path, meta.permissions().mode() & 0o777));
        }
    }
    found
}

#[test]
fn data_is_for_its_owner_whatever_the_folder_and_the_mask() {
    let mut store = Store::prepare("", 1);
    store.wrap(&["sh", "-c", "umask 000; exec \"$0\" \"$@\""]);
    fs::set_permissions(store.data(), fs::Permissions::from_mode(0o755)).unwrap();
    store.start();
    store.receive_all(10);
    let backup = store.login("admin").post("/api/admin/backup", &json!({"keys": true}));
    assert!(backup.status < 300, "{}", backup.text());
    let rows = store.data().join("rows/db");
    wait::until("the backup is there", || {
        modes(store.data()).iter().any(|(path, _)| path.ends_with("backup.json")).then_some(())
    });
    store.stop();
    let all = modes(store.data());
    let names = ["seg", "highwater", "reserve", "lock", "guesses.json", "snap", "json", "pem", "db"];
    for name in names {
        assert!(all.iter().any(|(path, _)| path.to_string_lossy().ends_with(name)), "no {name}: {all:?}");
    }
    for (path, mode) in &all {
        assert_eq!(*mode, 0o600, "{}", path.display());
    }
    let segment = store.data().join("journal/0000000000000001.seg");
    for path in [segment, rows, store.data().join("highwater"), store.data().join("reserve")] {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let (code, said) = store.refuses_to_start();
        assert!(code != 0 && said.contains(&name) && said.contains("chmod 600"), "{code} {said}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        // Only root may change the owner of a file.
        if chown(&path, Some(12_345), None).is_ok() {
            let (code, said) = store.refuses_to_start();
            assert!(code != 0 && said.contains(&name) && said.contains("user 12345"), "{code} {said}");
            chown(&path, Some(fs::metadata("/proc/self").unwrap().uid()), None).unwrap();
        }
    }
    fs::set_permissions(store.data(), fs::Permissions::from_mode(0o777)).unwrap();
    let (code, said) = store.refuses_to_start();
    assert!(code != 0 && said.contains("chmod 700"), "{code} {said}");
    fs::set_permissions(store.data(), fs::Permissions::from_mode(0o700)).unwrap();
    store.start();
    store.stop();
}

#[test]
fn the_hubs_database_is_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hub.db");
    let mut hub = Hub::open_at(folder, &format!("sqlite://{}", file.display()), "");
    hub.login();
    let beside = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
    for end in ["", "-wal", "-shm"] {
        assert_eq!(fs::metadata(beside(end)).unwrap().permissions().mode() & 0o777, 0o600, "hub.db{end}");
    }
    hub.kill9();
    for end in ["", "-wal", "-shm"] {
        fs::set_permissions(beside(end), fs::Permissions::from_mode(0o644)).unwrap();
        let output = process::run(hub.command(&["serve"]), "");
        let said = process::said(&output);
        assert!(!output.status.success() && said.contains(&format!("hub.db{end} has mode 644")), "{said}");
        fs::set_permissions(beside(end), fs::Permissions::from_mode(0o600)).unwrap();
    }
    hub.start();
}
