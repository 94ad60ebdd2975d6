//! Secrets lie in files that only their owner can read, and nowhere else: not in logs, not in what the
//! settings show, not in an error.

use crate::support::store::{PASSWORD, Store};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Every file of the data folder that holds a secret.
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
fn logs_and_settings_tell_no_secret() {
    let settings = "log.level = \"trace\"\nhub.url = \"https://till:hush-hush@hub.example\"\n";
    let mut store = Store::prepare(settings, 1);
    let file = store.folder().join("config.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(store.run(&["config", "show"]).status.code(), Some(2), "a password that others may read");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    store.start();
    let wrong = json!({"username": "manager@s001.example", "password": "not-this-one-either"});
    store.client().post("/api/auth/login", &wrong).refused(401, "invalid_credentials");
    let mut manager = store.login("manager");
    let token = manager.token().unwrap().to_owned();
    let mut till = store.login("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let shown = manager.get("/api/admin/settings").data(200).to_string();
    let printed = String::from_utf8(store.run(&["config", "show"]).stdout).unwrap();
    assert!(shown.contains("***@hub.example") && printed.contains("***@hub.example"), "{shown}\n{printed}");
    let key = fs::read_to_string(store.data().join(SECRETS[0])).unwrap();
    let line = key.lines().nth(1).unwrap().to_owned();
    let process = format!("/proc/{}", store.daemon().pid());
    let seen = ["environ", "cmdline"].map(|file| fs::read(format!("{process}/{file}")).unwrap());
    let seen = String::from_utf8_lossy(&seen.concat()).into_owned();
    assert!(seen.contains("serve"), "{seen}");
    store.stop();
    let log = store.log();
    assert!(log.contains("serving"), "{log}");
    let signature = token.rsplit('.').next().unwrap();
    for secret in [PASSWORD, "not-this-one-either", "hush-hush", signature, line.as_str()] {
        for (place, text) in
            [("log", &log), ("settings", &shown), ("config show", &printed), ("/proc", &seen)]
        {
            assert!(!text.contains(secret), "{place} tells {secret:?}");
        }
    }
}
