//! The command line and the settings.

use crate::support::server::{Place, Server, stderr, stdout};
use cloud_hub::config::Config;
use edge::settings::{Settings, key_span, load};
use std::os::unix::fs::PermissionsExt;
use toml::Table;

#[test]
fn the_shipped_file_is_the_defaults() {
    let shipped = include_str!("../../../hub.toml");
    let is_key = |line: &str| line.starts_with("# ") && line.contains(" = ") && !line.starts_with("# #");
    let all: Vec<&str> = shipped.lines().map(|line| if is_key(line) { &line[2..] } else { line }).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hub.toml");
    for text in [shipped.to_owned(), all.join("\n")] {
        std::fs::write(&file, text).unwrap();
        let loaded = load::load::<Config>(Some(&file), Vec::new()).unwrap();
        assert_eq!(loaded.config, Config::default().completed());
    }
    let keys =
        |text: &str| -> Vec<String> { key_span::places(text).into_iter().map(|place| place.path).collect() };
    let sorted = |text: &str| {
        let mut keys = keys(text);
        keys.sort();
        keys
    };
    let defaults = toml::to_string(&Table::try_from(Config::default()).unwrap()).unwrap();
    assert_eq!(sorted(&all.join("\n")), sorted(&defaults), "the file lacks a key");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_are_refused_with_file_line_and_key() {
    let empty = Place::empty().await;
    std::fs::write(&empty.config, "[http]\nlisten = \"127.0.0.1:1\"\nport = 5\n").unwrap();
    let done = empty.run(&["config", "show"], "");
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr(&done).contains("hub.toml:3: http.port: unknown field"), "{}", stderr(&done));
    std::fs::write(&empty.config, "[database]\nurl = \"mysql://x\"\n").unwrap();
    let done = empty.run(&["serve"], "");
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr(&done).contains("hub.toml:2: database.url:"), "{}", stderr(&done));
    for several in [
        "postgres://hub@db1,db2/hub",
        "postgres://hub@db1:5432,db2:5432/hub",
        "postgres://hub@db1/hub?host=db1,db2",
        "postgres://hub@db1/hub?target_session_attrs=read-write",
    ] {
        let mut show = empty.command(&["config", "show"]);
        let done = show.env("CLOUD_HUB__DATABASE__URL", several).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{several}");
        assert!(stderr(&done).contains("must name one server: name a proxy"), "{}", stderr(&done));
    }
    let done =
        empty.command(&["config", "show"]).env("CLOUD_HUB__AUTH__ARGON2__ITERATIONS", "1").output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(empty.run(&["fly"], "").status.code(), Some(2));
    std::fs::write(&empty.config, "").unwrap();
    for (retain, code) in [("34d", 2), ("1s", 2), ("35d", 0), ("0s", 0)] {
        let mut show = empty.command(&["config", "show"]);
        let done = show.env("CLOUD_HUB__SYNC__FEED_RETAIN", retain).output().unwrap();
        assert_eq!(done.status.code(), Some(code), "{retain}: {}", stderr(&done));
        assert_eq!(stderr(&done).contains("sync.feed_retain"), code == 2, "{retain}");
    }
    std::fs::write(&empty.config, "[database]\nurl = \"postgres://hub:secret@db/hub\"\n").unwrap();
    let others = |mode| {
        std::fs::set_permissions(&empty.config, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    others(0o640);
    let done = empty.run(&["config", "show"], "");
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr(&done).contains("hub.toml:2: database.url: contains a password"), "{}", stderr(&done));
    others(0o600);
    for url in ["postgres://hub:hidden@db/hub", "postgres://hub@db/hub?password=hidden"] {
        let done = empty.command(&["config", "show"]).env("CLOUD_HUB__DATABASE__URL", url).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
        let reported = stderr(&done);
        assert!(
            reported.contains("CLOUD_HUB__DATABASE__URL: database.url: contains a password")
                && !reported.contains("hidden"),
            "{reported}"
        );
    }
    let shown = stdout(&empty.run(&["config", "show"], ""));
    assert!(shown.contains("postgres://***@db/hub") && shown.contains("hub.toml:2"), "{shown}");
    std::fs::write(&empty.config, "[database]\nurl = \"postgres://hub@db/hub?password=hidden&a=1\"\n")
        .unwrap();
    let shown = stdout(&empty.run(&["config", "show"], ""));
    assert!(shown.contains("postgres://***@db/hub?password=***&a=1"), "{shown}");
    assert!(stdout(&empty.run(&["completions", "bash"], "")).contains("cloud-hub"));
}

#[tokio::test(flavor = "multi_thread")]
async fn init_makes_a_hub_once() {
    let empty = Place::empty().await;
    assert_eq!(empty.run(&["serve"], "").status.code(), Some(1), "there is nothing to serve yet");
    assert_eq!(empty.run(&["init", "--password-stdin"], "short\n").status.code(), Some(1));
    // `init` in a store's folder is refused, because it would mix the two.
    let folder = empty.folder.path().join("data");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("store.json"), "{}").unwrap();
    let mixed = empty.run(&["init", "--password-stdin"], "short\n");
    assert!(
        mixed.status.code() == Some(1) && stderr(&mixed).contains("folder of a store"),
        "{}",
        stderr(&mixed)
    );
    std::fs::remove_dir_all(&folder).unwrap();
    let done = empty.run(&["init"], "");
    assert!(done.status.success(), "{}", stderr(&done));
    let said = stdout(&done);
    let password =
        said.split_once("password ").and_then(|(_, rest)| rest.split(' ').next()).unwrap().to_owned();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in ["token.key", "idempotency.key"] {
        assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
    }
    let again = empty.run(&["init"], "");
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("nothing was changed"), "{}", stderr(&again));
    let listed = stdout(&empty.run(&["user", "list"], ""));
    assert!(listed.starts_with("admin ") && listed.lines().count() == 1, "{listed}");
    assert!(empty.run(&["migrate"], "").status.success());
    let server = Server::on(empty).await;
    server.api().login("admin", &password).await.get("/api/auth/me").await.data();
    // After a restart the hub has the same identity.
    let (id, place) = (server.hub.identity.clone(), server.stop().await);
    let server = Server::on(place).await;
    assert_eq!(server.hub.identity, id);
    let health = server.api().get("/health").await;
    assert_eq!(
        (&health.data()["component"], &health.data()["hub_id"]),
        (&"cloud-hub".into(), &id.hub_id.into())
    );
    server.api().get("/health/ready").await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_others_may_read_are_refused() {
    let place = Place::initialised().await;
    for file in ["token.key", "idempotency.key"] {
        let path = place.folder.path().join("data").join(file);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let done = place.run(&["serve"], "");
        assert_eq!(done.status.code(), Some(1));
        assert!(stderr(&done).contains(file) && stderr(&done).contains("chmod 600"), "{}", stderr(&done));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_and_stores_are_managed_by_command() {
    let place = Place::initialised().await;
    let add = |name: &str, role: &str| {
        place.run(&["user", "add", "--username", name, "--name", name, "--role", role], "")
    };
    assert!(stdout(&add("pur", "ho_purchasing")).contains("(shown only once)"));
    assert!(stderr(&add("PUR", "ho_finance")).contains("user already exists"));
    assert_eq!(add("till", "cashier").status.code(), Some(1), "a role of stores");
    assert_eq!(place.run(&["user", "revoke", "nobody"], "").status.code(), Some(1));
    assert_eq!(place.run(&["user", "reset-password", "nobody"], "").status.code(), Some(1));
    assert!(stdout(&place.run(&["config", "check"], "")).contains("are right"));
    place.add_store("S001");
    assert_eq!(place.run(&["store", "add", "S001"], "").status.code(), Some(1));
    for bad in ["a b", "a/b", "..", "a\nb", "käse", &"x".repeat(33)] {
        assert_eq!(place.run(&["store", "add", bad], "").status.code(), Some(1), "{bad}");
    }
    for shares in ["S001-A", "S"] {
        let added = place.run(&["store", "add", shares], "");
        assert_eq!(
            added.status.success(),
            shares == "S",
            "S001 with a register A-1 and S001-A with 1 share numbers"
        );
    }
    assert_eq!(place.run(&["store", "add", "S002", "--timezone", "Mars/Base"], "").status.code(), Some(1));
    assert!(place.run(&["store", "disable", "S001"], "").status.success());
    let status = stdout(&place.run(&["status"], ""));
    assert!(status.contains("1 disabled") && status.contains("last backup  none yet"), "{status}");
    let doctor = place.run(&["doctor"], "");
    assert_eq!(doctor.status.code(), Some(1));
    for line in [
        "ok       database",
        "PROBLEM  daemon",
        "PROBLEM  backup     there is none",
        "warn     stores     stores that head office has to attend to",
    ] {
        assert!(stdout(&doctor).contains(line), "{line}: {}", stdout(&doctor));
    }
    let listed = stdout(&place.run(&["store", "list"], ""));
    assert!(listed.contains("S001             disabled"), "{listed}");
    assert!(listed.contains("it is disabled at head office"), "{listed}");
    assert!(place.run(&["store", "enable", "S001"], "").status.success());
    let listed = stdout(&place.run(&["store", "list"], ""));
    assert!(listed.contains("never enrolled") && !listed.contains("disabled"), "{listed}");
    assert_eq!(place.run(&["store", "enable", "S009"], "").status.code(), Some(1));
}
