//! Administration of a store in a browser: settings, verification and backups while tills sell.

use serde_json::{Value, json};
use std::path::Path;
use testkit::audit::items;
use testkit::dice::Random;
use testkit::linked::Linked;
use testkit::process;
use testkit::store::{STORE_ID, Store};
use testkit::till::{Load, Till};
use testkit::{Client, wait};

/// Polls until the work has ended.
#[track_caller]
fn ended(manager: &mut testkit::Client, path: &str, body: &Value) -> Value {
    for _ in 0..10 {
        let work = manager.post(path, body).data(200);
        if !work["finished_at"].is_null() {
            return work;
        }
    }
    panic!("{path} does not end");
}

#[test]
fn settings_are_shown_without_secrets() {
    let store = Store::open_with("hub.url = \"https://me:secret@hub.example\"\n", 1);
    let mut manager = store.login("manager");
    let reply = manager.get("/api/admin/settings");
    assert!(!reply.text().contains("secret"), "{}", reply.text());
    let settings = reply.data(200)["settings"].clone();
    assert_eq!(settings["store"]["id"], json!(STORE_ID));
    assert_eq!(settings["hub"]["url"], json!("https://***@hub.example"));
    // Each setting has its source. A setting without one has its default and no place.
    let places = reply.data(200)["setting_places"].clone();
    let url = &places["hub.url"];
    assert_eq!(url["source"], json!("file"), "{places}");
    assert!(url["place"].as_str().unwrap().contains("config.toml:"), "{url}");
    assert!(places.get("returns.window_days").is_none(), "{places}");
    store.login("till-1").get("/api/admin/settings").refused(403, "insufficient_role");
}

#[test]
fn a_shop_alone_changes_its_settings_while_it_runs() {
    let mut store = Store::open_with("returns.window_days = 30\n", 1);
    let mut manager = store.login("manager");
    let patch = |client: &mut Client, body: &Value| {
        client.send("PATCH", "/api/admin/settings", &[], body.to_string().as_bytes())
    };
    // All or nothing: the refusal lists each wrong name and value.
    let wrong = json!({"returns.window_days": 7, "shifts.blind": "yes", "http.listen": "x", "points.redeem_value": 2, "returns.days": null});
    let refusal = patch(&mut manager, &wrong).refused(422, "validation_failed");
    let paths: Vec<&Value> =
        refusal["fields"].as_array().unwrap().iter().map(|field| &field["path"]).collect();
    assert_eq!(
        paths,
        [
            &json!("http.listen"),
            &json!("points.redeem_value"),
            &json!("returns.days"),
            &json!("shifts.blind")
        ]
    );
    let changed = json!({"returns.window_days": 7, "store.receipt_footer": "Thank you\nCome again",
        "tax.default_rate_bp": 1200, "pricing.override": "reject"});
    assert_eq!(patch(&mut manager, &changed).data(200), changed);
    patch(&mut store.login("till-1"), &changed).refused(403, "insufficient_role");

    // The settings apply at once and after a crash. The open shift keeps its tax.
    let days = |store: &Store| {
        store.login("manager").get("/api/pos/settings").data(200)["returns"]["window_days"].clone()
    };
    wait::until("the new setting applies", || (days(&store) == 7).then_some(()));
    store.kill9();
    store.start();
    assert_eq!(days(&store), json!(7));
    let mut manager = store.login("manager");
    let shown = manager.get("/api/admin/settings").data(200).clone();
    assert_eq!(shown["setting_places"]["returns.window_days"], json!({"source": "hub", "place": null}));
    assert_eq!(shown["settings"]["tax"]["default_rate_bp"], json!(1200));
    let entry = items(&mut manager, "/api/audit?action=settings.changed")[0]["details"].clone();
    assert_eq!(
        (&entry["before"]["returns.window_days"], &entry["after"]["returns.window_days"]),
        (&Value::Null, &json!(7))
    );

    // Null restores the value of the file.
    let left = json!({"returns.window_days": null, "pricing.override": null, "store.receipt_footer": null});
    let left = patch(&mut manager, &left).data(200).clone();
    assert_eq!(left, json!({"tax.default_rate_bp": 1200}));
    wait::until("the file applies again", || (days(&store) == 30).then_some(()));

    let mut linked = Linked::open();
    let refusal = patch(&mut linked.manager, &changed).refused(409, "invalid_state");
    assert_eq!(refusal["state"], json!("owned_by_head_office"));
}

#[test]
fn a_page_verifies_and_backs_up_while_tills_sell() {
    let mut store = Store::open_with("", 2);
    let mut random = Random::announced("admin");
    store.receive_all(10_000);
    let load = Load::start((1..=2).map(|n| Till::open(&store, n, &mut random)).collect());
    load.wait_for(20);
    let mut manager = store.login("manager");
    let work = ended(&mut manager, "/api/admin/verify", &json!({}));
    assert_eq!((&work["completed"], &work["result"]["problems"]), (&json!(true), &json!([])), "{work}");
    assert!(work["result"]["sales"].as_u64().unwrap() >= 20, "{work}");
    let key = "backup-once";
    let body = json!({"keys": false});
    let first = manager.post_keyed("/api/admin/backup", key, &body);
    let again = manager.post_keyed("/api/admin/backup", key, &body);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(first.body, again.body);
    let work = match first.data(200) {
        work if work["completed"] == json!(true) => work,
        _ => ended(&mut manager, "/api/admin/backup", &body),
    };
    load.finish();
    let folder = work["result"]["folder"].as_str().unwrap().to_owned();
    // Reading the results is repeatable, shows both works, and takes nothing from the next reader.
    for _ in 0..2 {
        let seen = manager.get("/api/admin/work").data(200);
        assert_eq!(seen["backup"]["result"], work["result"], "{seen}");
        assert_eq!(seen["verify"]["result"]["problems"], json!([]), "{seen}");
        assert_eq!(seen["backups"][0]["folder"], json!(folder), "{seen}");
        assert!(seen["backups"][0]["bytes"].as_u64() >= work["result"]["bytes"].as_u64(), "{seen}");
    }
    let names = manager.get("/api/staff").data(200)["items"].clone();
    let admin = names.as_array().unwrap().iter().find(|one| one["role"] == json!("admin")).unwrap();
    assert!(admin["user_id"].is_string() && admin.get("username").is_none(), "{admin}");
    assert!(Path::new(&folder).starts_with(store.data().join("backups")), "{folder}");
    assert!(!Path::new(&folder).join("install.key").exists());
    store.stop();
    store.verify();
    store.move_data(store.folder().join("restored"));
    process::succeed(store.command(&["restore", &folder]), "");
    store.verify();
}

#[test]
fn a_page_keeps_the_last_backups_and_never_takes_the_space_that_selling_needs() {
    let mut store = Store::open_with("backup.keep = 2\n", 1);
    let mut manager = store.login("manager");
    let backups = store.data().join("backups");
    let made: Vec<String> = (0..4)
        .map(|_| {
            let work = ended(&mut manager, "/api/admin/backup", &json!({"keys": false}));
            work["result"]["folder"].as_str().unwrap().to_owned()
        })
        .collect();
    let there: Vec<bool> = made.iter().map(|folder| Path::new(folder).exists()).collect();
    assert_eq!(there, [false, false, true, true]);
    store.stop();
    let left_over = format!("{}.partial", made[0]);
    std::fs::create_dir(&left_over).unwrap();
    store.set("backup.keep = 2\nstorage.min_free_bytes = 9000000000000000000\n");
    // The daemon never becomes ready to write.
    store.spawn();
    let mut nobody = store.client();
    wait::until("the daemon answers", || nobody.try_send("GET", "/health", &[], b"").ok());
    let mut manager = store.login("manager");
    manager.post("/api/admin/backup", &json!({"keys": false})).refused(507, "storage_full");
    assert_eq!(std::fs::read_dir(&backups).unwrap().count(), 3, "no backup was begun");
    let by_hand = store.run(&["backup", store.folder().join("by-hand").to_str().unwrap()]);
    assert_eq!(by_hand.status.code(), Some(1), "{}", process::said(&by_hand));
    assert!(process::said(&by_hand).contains("free some space"), "{}", process::said(&by_hand));
    store.stop();
    store.set("backup.keep = 2\n");
    store.start();
    let mut manager = store.login("manager");
    ended(&mut manager, "/api/admin/backup", &json!({"keys": false}));
    assert!(!Path::new(&left_over).exists() && !Path::new(&made[2]).exists());
}
