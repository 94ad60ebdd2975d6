//! Restore drills: each night the newest backup is restored, verified and removed, and head office sees the result.

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use testkit::linked::Linked;
use testkit::process::{self, Daemon};
use testkit::{Store, wait};

/// Returns the folder of the newest backup, as the store lists it.
#[track_caller]
fn back_up(store: &Store) -> PathBuf {
    process::succeed(store.command(&["backup"]), "");
    let work = store.login("manager").get("/api/admin/work").data(200);
    PathBuf::from(work["backups"][0]["folder"].as_str().unwrap())
}

/// Runs a drill that fails, and returns its result and output.
#[track_caller]
fn fails(store: &Store) -> (Value, String) {
    let output = store.run(&["drill"]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!scratch(store).exists(), "the copy is removed");
    (result(store), said)
}

fn scratch(store: &Store) -> PathBuf {
    store.data().join("backups/drill.scratch")
}

fn result(store: &Store) -> Value {
    serde_json::from_slice(&fs::read(store.data().join("backups/drill.json")).unwrap()).unwrap()
}

#[track_caller]
fn at_head_office(linked: &mut Linked, what: &str, expected: impl Fn(&Value) -> bool) -> Value {
    wait::until(what, || {
        let status = linked.office.get("/api/stores/S001/status").data(200);
        expected(&status).then_some(status)
    })
}

fn codes(status: &Value) -> Vec<&str> {
    status["problems"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[test]
fn head_office_sees_whether_a_stores_backup_can_be_restored() {
    let mut linked = Linked::open();
    let status = at_head_office(&mut linked, "the store", |_| true);
    assert_eq!((&status["drill"], codes(&status)), (&json!(null), Vec::new()), "{status}");
    let backup = back_up(&linked.store);
    let said = process::succeed(linked.store.command(&["drill"]), "");
    assert!(said.contains("was restored and verified"), "{said}");
    assert!(!scratch(&linked.store).exists(), "the copy is removed");
    let status = at_head_office(&mut linked, "the drill", |status| !status["drill"].is_null());
    let good = status["drill"].clone();
    assert_eq!((&good["problem"], &good["succeeded_at"]), (&json!(null), &good["finished_at"]), "{good}");
    assert!(good["records_count"].as_u64().unwrap() > 0, "{good}");
    let work = linked.manager.get("/api/admin/work").data(200);
    assert_eq!((&work["drill"], &good["backup_made_at"]), (&good, &work["backups"][0]["made_at"]));

    // One byte of the backup changes.
    let segment = backup.join("journal/0000000000000001.seg");
    let mut bytes = fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&segment, bytes).unwrap();
    let (bad, said) = fails(&linked.store);
    assert!(said.contains("0000000000000001.seg"), "{said}");
    assert_eq!(bad["succeeded_at"], good["finished_at"], "the last successful drill is still known");
    let status = at_head_office(&mut linked, "the failure", |status| codes(status) == ["backup_failed"]);
    let message = status["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("can't be restored") && message.contains("0000000000000001.seg"), "{message}");
    assert_eq!(status["drill"], bad);
    let doctor = process::said(&linked.store.run(&["doctor"]));
    assert!(doctor.contains("PROBLEM  drill      the last backup can't be restored"), "{doctor}");
    let metrics = linked.store.client().get("/metrics").text();
    assert!(metrics.contains("sr_backup_drill_ok 0") && metrics.contains("sr_scrub_damage 0"), "{metrics}");

    back_up(&linked.store);
    process::succeed(linked.store.command(&["drill"]), "");
    at_head_office(&mut linked, "the end of the alarm", |status| codes(status).is_empty());
}

#[test]
fn a_drill_that_can_not_be_done_says_why_and_one_that_was_killed_leaves_the_last_result() {
    let mut store = Store::open_with("", 1);
    store.receive_all(10);
    let (none, said) = fails(&store);
    assert!(said.contains("there is no backup in"), "{said}");
    assert_eq!((&none["backup_made_at"], &none["succeeded_at"]), (&json!(null), &json!(null)));
    back_up(&store);
    process::succeed(store.command(&["drill"]), "");
    let good = result(&store);

    let log = store.folder().join("drill.log");
    wait::until("a drill is killed while its copy exists", || {
        let mut drill = Daemon::start(store.command(&["drill"]), &log);
        while !scratch(&store).exists() && drill.ended().is_none() {
            std::hint::spin_loop();
        }
        drill.kill9();
        scratch(&store).exists().then_some(())
    });
    let kept = result(&store);
    assert_eq!(kept["problem"], json!(null), "{kept}");
    assert_eq!(kept["backup_made_at"], good["backup_made_at"], "{kept}");
    process::succeed(store.command(&["drill"]), "");
    assert!(!scratch(&store).exists(), "the next drill removes the copy");

    let succeeded = result(&store)["succeeded_at"].clone();
    store.stop();
    store.set("backup.drill_limit = \"1ms\"\n");
    // The thread that is still copying may leave files. The next drill removes them.
    let said = process::said(&store.run(&["drill"]));
    let late = result(&store);
    assert!(said.contains("not finished within 1ms (backup.drill_limit)"), "{said}");
    assert_eq!(late["succeeded_at"], succeeded);
    store.set("storage.min_free_bytes = 9000000000000000000\n");
    let (full, said) = fails(&store);
    assert!(said.contains("not enough space: a restore drill needs 90000000"), "{said}");
    assert_eq!(full["succeeded_at"], succeeded);
}
