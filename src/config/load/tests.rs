#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]
use super::*;
use edge::settings::key_span;
use edge::settings::show::{SettingSource, places, show};
use std::collections::BTreeMap;
use toml::Table;

/// The shipped file with every commented key switched on.
fn uncommented(text: &str) -> String {
    let is_key = |line: &str| line.starts_with("# ") && line.contains(" = ") && !line.starts_with("# #");
    text.lines().map(|line| if is_key(line) { &line[2..] } else { line }).collect::<Vec<_>>().join("\n")
}

fn from_text(text: &str) -> Result<Loaded, SettingsError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).unwrap();
    load(Some(&path), Vec::new())
}

fn complaint(text: &str) -> String {
    let message = from_text(text).expect_err("refused").to_string();
    message.rsplit('/').next().unwrap().to_owned()
}

#[test]
fn the_shipped_file_is_the_defaults() {
    let shipped = include_str!("../../../config.toml");
    assert_eq!(from_text(shipped).unwrap().config, Config::default(), "as shipped");
    let all = uncommented(shipped);
    assert_eq!(from_text(&all).unwrap().config, Config::default(), "with every key switched on");
    let keys = |table: &Table| -> Vec<String> {
        key_span::places(&toml::to_string(table).unwrap()).into_iter().map(|place| place.path).collect()
    };
    let written: Table = toml::from_str(&all).unwrap();
    assert_eq!(
        keys(&written),
        keys(&Table::try_from(Config::default()).unwrap()),
        "a key is missing in the file"
    );
}

#[test]
fn unknown_keys_are_refused_with_file_line_and_key() {
    let message = complaint("[http]\nlisten = \"127.0.0.1:1\"\nlisten_on = 4\n");
    assert!(message.starts_with("config.toml:3: http.listen_on: unknown field `listen_on`"), "{message}");
    let message = complaint("\n[htp]\n");
    assert!(message.starts_with("config.toml:2: htp: unknown field `htp`"), "{message}");
}

#[test]
fn wrong_types_are_refused_with_file_line_and_key() {
    let message = complaint("[http]\n\nmax_connections = \"many\"\n");
    assert!(message.starts_with("config.toml:3: http.max_connections: invalid type"), "{message}");
    let message = complaint("[auth]\naccess_ttl = \"soon\"\n");
    assert!(message.starts_with("config.toml:2: auth.access_ttl: not a duration"), "{message}");
    let message = complaint("[auth]\nargon2 = { memory_kib = true }\n");
    assert!(message.starts_with("config.toml:2: auth.argon2.memory_kib: invalid type"), "{message}");
    let message = complaint("[http\n");
    assert!(message.starts_with("config.toml:1"), "{message}");
}

#[test]
fn wrong_values_are_refused_with_file_line_and_key() {
    for (text, expected) in [
        ("[auth]\nargon2 = { memory_kib = 8 }\n", "config.toml:2: auth.argon2: must be at least"),
        ("[store]\ntimezone = \"Mars/Base\"\n", "config.toml:2: store.timezone: is not"),
        ("[store]\nday_start = \"24:61\"\n", "config.toml:2: store.day_start: must be HH:MM"),
        ("[store]\nid = \"a b\"\n", "config.toml:2: store.id: must be"),
        (
            "[http]\ntls_key = \"k.pem\"\n",
            "config.toml:2: http.tls_key: and http.tls_cert must be set together",
        ),
        (
            "[payments]\nmethods = [\"card\"]\n",
            "config.toml:2: payments.methods: must be at most 50 different names",
        ),
        (
            "[payments]\nmethods = [\"cash\", \"exchange\"]\n",
            "config.toml:2: payments.methods: must not contain exchange",
        ),
    ] {
        let message = complaint(text);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn the_environment_wins_and_is_named_when_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, "[store]\nid = \"S002\"\nname = \"Two\"\n").unwrap();
    let set = |name: &str, value: &str| (format!("STORE_ROUTER__{name}"), value.to_owned());
    let environment = vec![
        set("STORE__ID", "007"),
        set("HTTP__MAX_CONNECTIONS", "7"),
        set("STORE__DAY_START", "05:00"),
        set("AUTH__ARGON2__MEMORY_KIB", "19456"),
        set("HTTP__ALLOWED_NETWORKS", "[\"10.0.0.0/8\"]"),
        ("UNRELATED".to_owned(), "x".to_owned()),
    ];
    let loaded = load(Some(&path), environment).unwrap();
    assert_eq!((loaded.config.store.id.as_str(), loaded.config.store.name.as_str()), ("007", "Two"));
    assert_eq!(loaded.config.http.max_connections, 7);
    assert!(show(&loaded).unwrap().contains("day_start = \"05:00\""));
    assert_eq!(loaded.config.http.allowed_networks.len(), 1);
    assert_eq!((loaded.config.auth.argon2.memory_kib, loaded.config.auth.argon2.iterations), (19_456, 3));
    let wrong =
        |name: &str, value: &str| load(Some(&path), vec![set(name, value)]).expect_err("refused").to_string();
    assert!(
        wrong("HTTP__LISTEN_ON", "1")
            .starts_with("STORE_ROUTER__HTTP__LISTEN_ON: http.listen_on: unknown field")
    );
    assert!(
        wrong("HTTP__MAX_CONNECTIONS", "many").starts_with("STORE_ROUTER__HTTP__MAX_CONNECTIONS: http.max")
    );
    assert!(
        wrong("STORE__TIMEZONE", "Mars").starts_with("STORE_ROUTER__STORE__TIMEZONE: store.timezone: is not")
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = load(Some(Path::new("/nowhere/at-all.toml")), Vec::new()).expect_err("refused").to_string();
    assert!(error.starts_with("/nowhere/at-all.toml: can't be read"), "{error}");
}

#[test]
fn names_sources_and_masks_logins() {
    let environment = vec![
        ("STORE_ROUTER__HUB__URL".to_owned(), "https://secret@hub.example".to_owned()),
        ("STORE_ROUTER__AUTH__ARGON2__ITERATIONS".to_owned(), "4".to_owned()),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.toml");
    std::fs::write(&file, "\n[log]\nlevel = \"debug\"\n").unwrap();
    let loaded = load(Some(&file), environment).unwrap();
    let text = show(&loaded).unwrap();
    assert!(!text.contains("secret"), "{text}");
    assert!(text.contains("https://***@hub.example"), "{text}");
    let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    assert!(line("url").ends_with("# STORE_ROUTER__HUB__URL"), "{}", line("url"));
    assert!(line("argon2").ends_with("# STORE_ROUTER__AUTH__ARGON2__ITERATIONS"));
    assert!(line("level").ends_with("c.toml:3"));
    assert!(line("max_restarts").ends_with("# default"));
    // A page shows the same, with the settings of head office over it.
    let of_hub = [("hub.url".to_owned(), "https://other.example".into())].into();
    let shown = |of_hub: &BTreeMap<String, serde_json::Value>, key: &str| {
        let place = places(&loaded, of_hub).unwrap().remove(key);
        place.map(|found| (found.source, found.place.unwrap_or_default()))
    };
    let none = BTreeMap::new();
    assert_eq!(
        shown(&none, "hub.url"),
        Some((SettingSource::Environment, "STORE_ROUTER__HUB__URL".to_owned()))
    );
    assert_eq!(shown(&of_hub, "hub.url"), Some((SettingSource::Hub, String::new())));
    assert_eq!(shown(&none, "auth.argon2").map(|found| found.0), Some(SettingSource::Environment));
    assert!(
        shown(&none, "log.level")
            .is_some_and(|(source, at)| source == SettingSource::File && at.ends_with(":3"))
    );
    assert_eq!(shown(&none, "supervision.max_restarts"), None);
}
