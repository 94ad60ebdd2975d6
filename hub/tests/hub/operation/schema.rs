//! Migrations make the tables, each once. A database or backup of another version is refused and not changed.

use crate::operation::backups::backup;
use crate::support::server::{Place, Server, stderr};
use cloud_hub::config::Config;
use cloud_hub::db::Db;
use cloud_hub::db::schema::{MIGRATIONS, SchemaError, Step, migrate, version};
use edge::settings::load;
use serde_json::{Value, json};

/// Runs migrations on the place's database.
async fn migrated(place: &Place, steps: &[Step]) -> Result<(), SchemaError> {
    let config: Config = load::load(Some(&place.config), Vec::new()).unwrap().config;
    let db = Db::connect(&config.database.url, 1, false).await.unwrap();
    let done = migrate(db.pool(), steps).await;
    // A refused migration keeps its lock until its connection closes.
    db.close().await;
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_further_migration_runs_once_and_this_program_refuses_what_it_made() {
    let place = Place::initialised().await;
    let known = version(&MIGRATIONS);
    let mut steps = MIGRATIONS.to_vec();
    steps.push((known + 1, "later", "ALTER TABLE hub ADD COLUMN later BIGINT NOT NULL DEFAULT 7"));
    migrated(&place, &steps).await.unwrap();
    migrated(&place, &steps).await.unwrap();
    let done = place.run(&["serve"], "");
    assert_eq!(done.status.code(), Some(1));
    let found = format!("(schema version {}; this one reads version {known})", known + 1);
    for words in [found.as_str(), "Nothing was changed", "start the program that created them"] {
        assert!(stderr(&done).contains(words), "{}", stderr(&done));
    }
    // A database is refused as well if its tables were made by other statements with the same number.
    steps[0].2 = "CREATE TABLE hub (singleton BIGINT PRIMARY KEY)";
    let refused = migrated(&place, &steps).await;
    assert!(matches!(refused, Err(SchemaError::Other { found: 1, .. })), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_another_version_is_refused_before_anything_is_made() {
    let server = Server::start().await;
    let to = tempfile::tempdir().unwrap();
    let made = backup(&server.place, to.path());
    let path = made.join("manifest.json");
    let manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let place = Place::empty().await;
    for (field, value) in [("format_version", 0), ("format_version", 2), ("schema_version", 9_999)] {
        let mut other = manifest.clone();
        other[field] = json!(value);
        std::fs::write(&path, other.to_string()).unwrap();
        let done = place.run(&["restore", made.to_str().unwrap()], "");
        assert_eq!(done.status.code(), Some(1));
        let why = stderr(&done);
        assert!(why.contains("nothing was changed: restore it with the program that made it"), "{why}");
        assert!(
            !place.folder.path().join("data").exists() && !place.folder.path().join("hub.sqlite").exists()
        );
    }
    std::fs::write(&path, manifest.to_string()).unwrap();
    assert!(place.run(&["restore", made.to_str().unwrap()], "").status.success());
}
