//! Backups: verified, counted, restored as a new generation; and verification that finds damage.

use crate::support::server::{Place, Server, stderr, stdout};
use crate::support::shop::{Shop, sums};
use cloud_hub::db::Engine;
use domain::model::base::time::UtcMs;
use std::path::{Path, PathBuf};

pub fn backup(place: &Place, to: &Path) -> PathBuf {
    let done = place.run(&["backup", to.to_str().unwrap()], "");
    assert!(done.status.success(), "{}", stderr(&done));
    let reported = stdout(&done);
    PathBuf::from(reported.lines().next().unwrap().rsplit(' ').next().unwrap())
}

async fn stable(shop: &Shop) -> u64 {
    shop.hello().await.data()["heads"][0]["stable_seq"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_kept_backups_say_what_stores_may_forget() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 5).await;
    let to = tempfile::tempdir().unwrap();
    let first = backup(&server.place, to.path());
    assert_eq!(stable(&shop).await, 0, "one backup is not enough");
    shop.sell(4);
    shop.push(&shop.batch(6, 9)).await.data();
    let second = backup(&server.place, to.path());
    assert_eq!(stable(&shop).await, 5, "both backups have it");
    shop.sell(1);
    assert_eq!(shop.push(&shop.batch(10, 10)).await.data()["stable_seq"], 5);
    // A missing or changed backup no longer counts.
    std::fs::remove_dir_all(&first).unwrap();
    let third = backup(&server.place, to.path());
    assert_eq!(stable(&shop).await, 9);
    let file = std::fs::read_dir(&second).unwrap().map(|entry| entry.unwrap().path());
    let file = file
        .into_iter()
        .find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("hub."))
        .unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    backup(&server.place, to.path());
    assert_eq!(stable(&shop).await, 10, "the third and the last one count");
    assert!(third.exists());
    for entry in std::fs::read_dir(to.path()).unwrap() {
        assert!(!entry.unwrap().file_name().to_str().unwrap().contains("partial"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_backup_is_restored_beside_itself_and_a_damaged_one_is_named() {
    let server = Server::start().await;
    let shop = Shop::sold(&server, "S001", 5).await;
    let admin = server.admin().await;
    let seen = async || admin.get("/api/admin/overview").await.data()["last_drill"].clone();
    assert_eq!(seen().await, serde_json::Value::Null);
    let to = tempfile::tempdir().unwrap();
    let made = backup(&server.place, to.path());
    // The remains of a drill that was killed.
    std::fs::create_dir_all(to.path().join(".drill/data")).unwrap();
    std::fs::write(to.path().join(".drill/hub.sqlite"), "half").unwrap();
    let done = server.place.run(&["drill"], "");
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(stdout(&done).contains("was restored and verified: 5 records"), "{}", stdout(&done));
    let good = seen().await;
    assert_eq!((&good["problem"], &good["records_count"]), (&serde_json::Value::Null, &5.into()), "{good}");
    assert!(!to.path().join(".drill").exists(), "the copy is removed");
    assert_eq!(stable(&shop).await, 0, "the running hub is unchanged");

    let file = std::fs::read_dir(&made).unwrap().map(|entry| entry.unwrap().path());
    let file = file.into_iter().find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("hub."));
    let mut bytes = std::fs::read(file.as_ref().unwrap()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file.unwrap(), bytes).unwrap();
    let done = server.place.run(&["drill"], "");
    assert_eq!(done.status.code(), Some(1), "{}", stdout(&done));
    let bad = seen().await;
    assert!(bad["problem"].as_str().unwrap().contains("differs from what was backed up"), "{bad}");
    assert_eq!(bad["succeeded_at"], good["finished_at"]);
    let doctor = stdout(&server.place.run(&["doctor"], ""));
    assert!(doctor.contains("PROBLEM  drill      the last backup can't be restored"), "{doctor}");
    let text = std::fs::read_to_string(&server.place.config).unwrap();
    std::fs::write(&server.place.config, format!("{text}\n[backup]\ndrill_limit = \"1ms\"\n")).unwrap();
    backup(&server.place, to.path());
    let done = server.place.run(&["drill"], "");
    assert!(stderr(&done).contains("not finished within 1ms (backup.drill_limit)"), "{}", stderr(&done));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_few_backups_stay_and_what_is_not_theirs() {
    let server = Server::start().await;
    let text = std::fs::read_to_string(&server.place.config).unwrap();
    std::fs::write(&server.place.config, format!("{text}\n[backup]\nkeep = 2\n")).unwrap();
    let (to, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let other = backup(&server.place, elsewhere.path());
    let damaged = backup(&server.place, to.path());
    std::fs::write(damaged.join("manifest.json"), "{}").unwrap();
    std::fs::create_dir(to.path().join("mine")).unwrap();
    let made: Vec<PathBuf> = (0..3).map(|_| backup(&server.place, to.path())).collect();
    let there: Vec<bool> = made.iter().map(|folder| folder.exists()).collect();
    assert_eq!(there, [false, true, true]);
    assert!(other.exists() && damaged.exists() && to.path().join("mine").exists());
    assert_eq!(server.figure("SELECT COUNT(*) FROM backups").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_hub_is_a_new_generation_and_gets_the_rest_again() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    let to = tempfile::tempdir().unwrap();
    backup(&server.place, to.path());
    let made = backup(&server.place, to.path());
    shop.sell(4);
    shop.push(&shop.batch(4, 7)).await.data();
    let before = server.hub.identity.clone();
    let admin = server.admin().await;
    let status = admin.get("/api/finance/status").await.data().clone();
    assert_eq!(status["documents_lost_since"], serde_json::Value::Null);
    admin.post("/api/suppliers", &serde_json::json!({"code": "TEA", "name": "Tea"})).await.data();
    let lost = server.figure("SELECT MAX(at) FROM own_audit").await;
    drop(server.stop().await);
    let place = Place::empty().await;
    let done = place.run(&["restore", made.to_str().unwrap()], "");
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(
        place.run(&["restore", made.to_str().unwrap()], "").status.code(),
        Some(1),
        "an existing hub is not overwritten"
    );
    let server = Server::on(place).await;
    assert_eq!(server.hub.identity.hub_id, before.hub_id);
    let status = server.admin().await.get("/api/finance/status").await.data().clone();
    let since: UtcMs = serde_json::from_value(status["documents_lost_since"].clone()).unwrap();
    assert!(since.0 > 0 && since.0 < lost, "{status}");
    assert!(
        server.hub.identity.number > before.number && server.hub.identity.generation != before.generation
    );
    let shop = Shop { api: server.api(), ..shop };
    let hello = shop.hello().await;
    assert_eq!((&hello.data()["directive"], &hello.data()["heads"][0]["seq"]), (&"ok".into(), &3.into()));
    assert_eq!(shop.push(&shop.batch(4, 7)).await.data()["acked_seq"], 7);
    assert_eq!(sums(&server, "S001").await["sales_count"], 7);
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(stdout(&done).contains("7 records of 1 stores"), "{}", stdout(&done));
    let doctor = stdout(&server.place.run(&["doctor"], ""));
    assert!(doctor.contains("PROBLEM  backup     there is none since the hub was restored"), "{doctor}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_of_a_backup_is_held_against_its_checksum_and_half_a_restore_is_repeated() {
    let server = Server::start().await;
    let to = tempfile::tempdir().unwrap();
    let made = backup(&server.place, to.path());
    drop(server.stop().await);
    let place = Place::empty().await;
    let restore = || place.run(&["restore", made.to_str().unwrap()], "");
    for name in ["token.key", "idempotency.key"] {
        let path = made.join(name);
        let good = std::fs::read(&path).unwrap();
        let mut flipped = good.clone();
        flipped[0] ^= 1;
        for bad in [&flipped[..], &good[..good.len() / 2], &[]] {
            std::fs::write(&path, bad).unwrap();
            let done = restore();
            assert_eq!(done.status.code(), Some(1));
            assert!(
                stderr(&done).contains(&format!("{name} differs from what was backed up")),
                "{}",
                stderr(&done)
            );
        }
        std::fs::remove_file(&path).unwrap();
        let done = restore();
        assert!(stderr(&done).contains(&format!("the backup lacks {name}")), "{}", stderr(&done));
        std::fs::write(&path, good).unwrap();
    }
    let data = place.folder.path().join("data");
    assert!(!data.exists(), "no files were changed");
    // Interrupted while the database was copied: the files are not a hub, and the command can be repeated.
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("restore.unfinished"), "").unwrap();
    std::fs::write(data.join("token.key"), "half").unwrap();
    std::fs::write(place.folder.path().join("hub.sqlite"), "half").unwrap();
    for command in ["serve", "verify"] {
        let done = place.run(&[command], "");
        assert_eq!(done.status.code(), Some(1), "{command}");
        assert!(stderr(&done).contains("run `cloud-hub restore` again"), "{command}: {}", stderr(&done));
    }
    let done = restore();
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(!data.join("restore.unfinished").exists());
    assert!(place.run(&["verify"], "").status.success());
    assert!(stderr(&restore()).contains("already"), "an existing hub is not overwritten");
    // `verify` also reports a key that a start would refuse.
    let key = data.join("token.key");
    let good = std::fs::read(&key).unwrap();
    std::fs::write(&key, &good[..good.len() / 2]).unwrap();
    let done = place.run(&["verify"], "");
    assert!(stderr(&done).contains("token.key"), "{}", stderr(&done));
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_reads_every_page_of_a_sqlite_file() {
    let server = Server::start().await;
    let config: cloud_hub::config::Config =
        edge::settings::load::load(Some(&server.place.config), Vec::new()).unwrap().config;
    if Engine::of(&config.database.url) != Some(Engine::Sqlite) {
        return;
    }
    let _shop = Shop::sold(&server, "S001", 3).await;
    let root = "SELECT rootpage FROM sqlite_master WHERE name = 'reservations_store'";
    let page = usize::try_from(server.figure(root).await).unwrap();
    let size = usize::try_from(server.figure("PRAGMA page_size").await).unwrap();
    let place = server.stop().await;
    let done = place.run(&["verify"], "");
    assert!(stdout(&done).contains("the database file is intact"), "{}", stdout(&done));
    let url = config.database.url.strip_prefix("sqlite://").unwrap();
    let file = PathBuf::from(url.split('?').next().unwrap());
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[(page - 1) * size..page * size].fill(0);
    std::fs::write(&file, bytes).unwrap();
    let done = place.run(&["verify"], "");
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("the database file: "), "{}", stderr(&done));
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_names_what_is_wrong() {
    let server = Server::start().await;
    let shop = Shop::sold(&server, "S001", 3).await;
    assert_eq!(shop.chains[0].records.len(), 3);
    let damages = [
        (
            "UPDATE stock SET qty = qty + 1",
            "UPDATE stock SET qty = qty - 1",
            "S001: pieces A is -2, but its records give -3",
        ),
        ("UPDATE store_sums SET total = total + 1", "UPDATE store_sums SET total = total - 1", "sales total"),
        (
            "INSERT INTO counters (kind, year, last) VALUES ('IN', 2026, 1)",
            "DELETE FROM counters",
            "the counter of IN-2026 is at 1, but its 0 documents are numbered up to 0",
        ),
        ("UPDATE epochs SET seq = 2", "UPDATE epochs SET seq = 3", "the cursor is at 2"),
        (
            "UPDATE records SET state = 'parked' WHERE seq = 2",
            "UPDATE records SET state = 'applied'",
            "1 records are parked, 0 are listed",
        ),
        (
            "UPDATE stores SET timezone = 'Asia/Nowhere'",
            "UPDATE stores SET timezone = 'Asia/Jakarta'",
            "Asia/Nowhere is no time zone",
        ),
        ("UPDATE records SET hash = 'x' WHERE seq = 2", "", "record 2 does not follow record 1"),
    ];
    for (damage, repair, expected) in damages {
        sqlx::query(damage).execute(server.hub.db.pool()).await.unwrap();
        let done = server.place.run(&["verify"], "");
        assert_eq!(done.status.code(), Some(1), "{damage}");
        assert!(stderr(&done).contains(expected), "{damage}: {}", stderr(&done));
        if !repair.is_empty() {
            sqlx::query(repair).execute(server.hub.db.pool()).await.unwrap();
            assert!(server.place.run(&["verify"], "").status.success(), "{repair}");
        }
    }
    // A database that fails verification never becomes a backup (the copy of PostgreSQL is only read).
    let config: cloud_hub::config::Config =
        edge::settings::load::load(Some(&server.place.config), Vec::new()).unwrap().config;
    if Engine::of(&config.database.url) == Some(Engine::Sqlite) {
        let to = tempfile::tempdir().unwrap();
        let done = server.place.run(&["backup", to.path().to_str().unwrap()], "");
        assert_eq!(done.status.code(), Some(1));
        assert!(stderr(&done).contains("failed verification"), "{}", stderr(&done));
        assert_eq!(std::fs::read_dir(to.path()).unwrap().count(), 0);
    }
}
